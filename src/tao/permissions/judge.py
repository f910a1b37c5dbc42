"""What the rules say about one call: deny before ask before allow; looking is allowed by default, all else asks."""

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tao.messages import Call, ToolSpec
from tao.permissions.constraints import every, holds
from tao.permissions.effects import looks, reaching, say
from tao.permissions.outward import Outward, from_nobody, leads_out
from tao.permissions.rules import Rule
from tao.permissions.taint import rests_on
from tao.run import Run

Verdict = Literal["allow", "ask", "deny"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict, and why, in the run's language; an allow needs no reason. `rule` is the one that decided, if one did."""

    verdict: Verdict
    reason: str = ""
    rule: Rule | None = None


ALLOWED = Judgement("allow")


def judge(call: Call, run: Run, rules: Sequence[Rule] = ()) -> Judgement:
    """What is to happen with this call.

    For whom the run is stands in its settings, under "who" (user, role, tenant, session). Rules that fit count together,
    in any order: one deny denies, else one ask asks, else one allow allows. Where an allow names the tool but its
    constraints are not met, it asks, even for reading. Without any rule, what only looks is allowed and all else asks.
    """
    spec = run.tool(call.tool)
    effects = spec.effects if spec else ()
    if rules and (found := _ruled(rules, call, run, effects)):
        return found
    return _unless_tainted([], call, run, effects) if looks(effects) else Judgement("ask", _effects(call, effects, run))


def _ruled(rules: Sequence[Rule], call: Call, run: Run, effects: tuple[str, ...]) -> Judgement | None:
    """What the rules say; None where none of them is for this call."""
    who = run.asked.settings.get("who")
    named = [rule for rule in rules if rule.names(call.tool) and rule.covers(effects) and rule.concerns(who if isinstance(who, Mapping) else {})]
    if not named:
        return None
    fitting = [rule for rule in named if applies(rule, call, run)]
    for verdict in ("deny", "ask"):
        if rule := next((rule for rule in fitting if rule.verdict == verdict), None):
            return Judgement(verdict, _reason(rule, run), rule)
    if allows := [rule for rule in fitting if rule.verdict == "allow"]:
        return _unless_tainted(allows, call, run, effects)
    bound = next((rule for rule in named if rule.verdict == "allow"), None)
    return Judgement("ask", _bounds(bound, run), bound) if bound else None


def verdicts(spec: ToolSpec, rules: Sequence[Rule] = (), who: Mapping[str, Any] | None = None) -> frozenset[Verdict]:
    """What `judge` may say to calls of this tool: one verdict, or several where the arguments decide. Strangers' text is left aside."""
    named = [rule for rule in rules if rule.names(spec.name) and rule.covers(spec.effects) and rule.concerns(who or {})]
    always = {rule.verdict for rule in named if not rule.where and not rule.unless}
    found: set[Verdict] = set()
    before: tuple[Verdict, ...] = ("deny", "ask")
    for verdict in before:
        if verdict in always:
            return frozenset({*found, verdict})
        found |= {verdict for rule in named if rule.verdict == verdict}
    if "allow" in always or (looks(spec.effects) and not any(rule.verdict == "allow" for rule in named)):
        return frozenset({*found, "allow"})
    return frozenset({*found, "ask", *(("allow",) if any(rule.verdict == "allow" for rule in named) else ())})


def applies(rule: Rule, call: Call, run: Run) -> bool:
    """Whether the arguments are as the rule says. What cannot be told counts against an allow, and for an ask or deny."""
    if not rule.where and not rule.unless:
        return True
    today = dt.datetime.fromtimestamp(run.asked.at, dt.UTC).date() if run.asked.at else None
    where = every(_met(call, rule.where, today))
    unless = every(_met(call, rule.unless, today)) if rule.unless else False
    if rule.verdict == "allow":
        return where is True and unless is False
    return where is not False and unless is not True


def _met(call: Call, constraints: Mapping[str, Mapping[str, Any]], today: dt.date | None) -> Iterable[bool | None]:
    for name, options in constraints.items():
        found = values(call.args, name)
        yield holds(options, found, today) if found else None


def values(args: Mapping[str, Any], name: str) -> list[Any]:
    """The values of a parameter; "options.path" looks into objects, and into every object of a list. None: it is missing."""
    if name in args:
        return [args[name]]
    found: list[Any] = [args]
    for step in name.split("."):
        inner = [item for it in found for item in (it if isinstance(it, list | tuple) else [it])]
        if not all(isinstance(it, Mapping) and step in it for it in inner):
            return []
        found = [it[step] for it in inner]
    return found


def _unless_tainted(allows: list[Rule], call: Call, run: Run, effects: tuple[str, ...]) -> Judgement:
    """Allowed, unless strangers' text decides what is changed, or where to what the run knows is sent."""
    rule = next((rule for rule in allows if rule.tainted), allows[0]) if allows else None
    looking = looks(effects)
    if (rule is not None and rule.tainted) or (looking and "network" not in reaching(effects, call.args)):
        return Judgement("allow", "", rule) if rule else ALLOWED
    if looking and (out := leads_out(call, run, _owned(allows))):
        return Judgement("ask", _outward(out, run), rule)
    if not looking and (origin := rests_on(call, run)):
        return Judgement("ask", say(
            run, f'"{origin[0]}" rests on what {origin[1]} brought back, not on what was asked', f"“{origin[0]}”来自 {origin[1]} 取回的内容，而不是问题本身",
        ), rule)  # fmt: skip
    if not looking and (name := from_nobody(call, run, _owned(allows))):
        return Judgement("ask", say(
            run, f'"{name}" holds what nobody gave, and strangers\' text has been read', f"“{name}”的值没有人给出过，而此前已读过外人写的文字",
        ), rule)  # fmt: skip
    return Judgement("allow", "", rule) if rule else ALLOWED


def _owned(allows: list[Rule]) -> Iterable[str]:
    """The hosts that rules name by which the call is allowed."""
    for rule in allows:
        for options in rule.where.values():
            listed = options.get("hosts", ())
            for host in [listed] if isinstance(listed, str) else listed:
                yield re.sub(r":\d+$", "", host.lower()).removeprefix("*.").removeprefix("www.")


# ── saying why ────────────────────────────────────────────────────────────────


def _reason(rule: Rule, run: Run) -> str:
    return rule.reason or say(run, f"a rule says {rule.verdict}", "规则禁止" if rule.verdict == "deny" else "规则要求询问")


def _outward(out: Outward, run: Run) -> str:
    name, tool = out.parameter, out.tool
    if out.why == "private":
        return say(
            run, f'"{name}" may carry out what {tool} read in private, and strangers\' text has been read',
            f"“{name}”可能把 {tool} 私下读到的内容带到外面，而此前已读过外人写的文字",
        )  # fmt: skip
    if out.why == "link":
        return say(
            run, f'"{name}" is a link in what {tool} brought back; neither the person nor a search gave it', f"“{name}”是 {tool} 取回内容里的链接，不是用户或搜索给出的",
        )  # fmt: skip
    if out.why == "made up":
        return say(
            run, f'"{name}" is no link that {tool} brought back, but made up on a host that stands there',
            f"“{name}”并不是 {tool} 取回的链接，而是在其中出现的主机上自行拼出的地址",
        )  # fmt: skip
    return say(run, f'"{name}" leads to a place that nobody named, after strangers\' text has been read', f"“{name}”指向没有人给出的地址，而此前已读过外人写的文字")


def _bounds(rule: Rule, run: Run) -> str:
    if rule.reason:
        return rule.reason
    bounds = [f"{name} {_told(options)}" for name, options in rule.where.items()]
    bounds += [say(run, f"{name} not {_told(options)}", f"{name} 不得 {_told(options)}") for name, options in rule.unless.items()]
    return say(run, f"it is allowed only where {', '.join(bounds)}", f"仅在满足以下条件时允许：{'，'.join(bounds)}")


def _told(options: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={value!r}" if isinstance(value, str) else f"{name}={value}" for name, value in options.items())


def _effects(call: Call, effects: tuple[str, ...], run: Run) -> str:
    listed = ", ".join(effects)
    if not effects:
        return say(run, f"{call.tool} does not say what it does", f"{call.tool} 没有声明它会做什么")
    return say(run, f"{call.tool} may do more than look ({listed})", f"{call.tool} 不只是读取（{listed}）")
