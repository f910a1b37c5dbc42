"""What waits for a person in a paused run, and a person's ruling on it, checked before it is recorded."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from tao.errors import BadArguments, ConfigError, RulingError, both
from tao.events import CANCELLED, Asked, Ended, Paused, Ruled
from tao.messages import Call
from tao.permissions import Rule, judge
from tao.permissions.effects import say
from tao.policies.limits import best_answer
from tao.policies.uncertain import uncertain
from tao.run import Run, args_hash
from tao.tools.declare import Tool
from tao.tools.registry import by_name
from tao.tools.validate import check
from tao.toolset import FIND_TOOL
from tao.wrappers.approval import VERDICTS, Fit, Ruling, in_force, ruled
from tao.wrappers.once import unknown
from tao.wrappers.truncate import READ_MORE


@dataclass(frozen=True, slots=True)
class Waiting:
    """A call that waits: as it will run, why it waits, what its tool declares that it does, and what was mended in it.

    `hash` stands for what was shown; a ruling that gives it is refused where something else waits by then.
    """

    call: Call
    reason: str
    effects: tuple[str, ...]
    notes: tuple[str, ...]
    hash: str


def fitted(tools: Iterable[Tool]) -> Fit:
    """Checks a call's arguments, and gives the call with what will really run. Raises BadArguments."""
    known = by_name(tools)

    def fit(call: Call, run: Run) -> Call:
        tool = known.get(call.tool)
        return replace(call, args=check(tool.said(run.asked.lang).parameters, call.args, run.asked.lang, tool.example)[0]) if tool else call

    return fit


def present(run: Run, tools: Iterable[Tool]) -> None:
    """Raise ConfigError where the run has decided on calls of tools that are not here: gone on with, they would be refused for good."""
    known = {*by_name(tools), FIND_TOOL, READ_MORE}
    if lacking := sorted({call.tool for call in run.pending if call.tool not in known and run.tool(call.tool) is not None}):
        names = ", ".join(lacking)
        raise ConfigError(both(
            f"run {run.id[:8]} has calls to do of tools that are not here: {names}. Give them as when it was asked "
            "(--tools, --offer, --docs, --mcp, --openapi, tao.toml; Agent(…, tools)); nothing was done",
            f"运行 {run.id[:8]} 待执行的调用所需的工具不在这里：{names}。请像提问时那样给出"
            "（--tools、--offer、--docs、--mcp、--openapi、tao.toml；Agent(…, tools)）；没有做任何事",
        ))  # fmt: skip


def offered(asked: Asked, tools: Iterable[Tool]) -> None:
    """Raise ConfigError where tools were offered that are not here: the model would be told of tools that it cannot use."""
    known = {*by_name(tools), FIND_TOOL, READ_MORE}
    if lacking := [tool.name for tool in asked.tools if tool.name not in known]:
        names = ", ".join(lacking[:8]) + ("…" if len(lacking) > len(lacking[:8]) else "")
        raise ConfigError(both(
            f"the run was asked with tools that are not here: {names}. Give them as then (--tools, --offer, --docs, tao.toml); "
            "--tools with another file goes on with the tools of that file instead. Nothing was done",
            f"这次运行提问时所用的工具不在这里：{names}。请像当时那样给出（--tools、--offer、--docs、tao.toml）；"
            "用 --tools 给出别的文件，则改用其中的工具。没有做任何事",
        ))  # fmt: skip


def shown(call: Call, run: Run, fit: Fit) -> Call:
    """The call as it will run: with arguments that a person has changed, else the model's, in the tool's own types."""
    ruling = in_force(call, run)
    args = ruling.args if ruling is not None and ruling.verdict == "edit" else None
    try:
        return fit(call if args is None else replace(call, args=args), run)
    except BadArguments:
        return call


def waiting(run: Run, fit: Fit, rules: Sequence[Rule] = ()) -> tuple[Waiting, ...]:
    """The calls of a paused run that nobody has ruled on since it paused, in call order."""
    return tuple(_waiting(call, run, fit, rules) for call in run.unruled)


def _reason(call: Call, run: Run, rules: Sequence[Rule]) -> str:
    """Why it waits: what its own pause says; a run of an older tao recorded that of one call only."""
    pauses: dict[str | None, str] = {}
    for event in reversed(run.events):
        if not isinstance(event, Paused | Ruled):
            break
        if isinstance(event, Paused):
            pauses.setdefault(event.call_id, event.reason)
    return pauses.get(call.id) or pauses.get(None) or judge(call, run, rules).reason or next(iter(pauses.values()), "")


def _waiting(call: Call, run: Run, fit: Fit, rules: Sequence[Rule]) -> Waiting:
    one, spec = shown(call, run, fit), run.tool(call.tool)
    mended = tuple(f"{name}: {call.args.get(name)!r} → {value!r}" for name, value in one.args.items() if call.args.get(name) != value)
    return Waiting(one, _reason(one, run, rules), spec.effects if spec else (), mended, args_hash(one.tool, one.args))


def cancelled(run: Run, by: str = "") -> Ended:
    """The end of a run that a person does not want to go on, with the latest answer that was proposed; `by` whom."""
    best = best_answer(run)
    said = say(run, "Cancelled.", "已取消。") if best is None else uncertain(run, best, CANCELLED)
    return Ended(CANCELLED, best, said + (say(run, f" By {by}.", f"取消人：{by}。") if by else ""), at=time.time())


def rule_on(
    run: Run, call_id: str, ruling: Ruling, *, fit: Fit, rules: Sequence[Rule] = (), shown_hash: str | None = None,
    clock: Callable[[], float] = time.time,
) -> Ruled:
    """The event of this ruling. Raises RulingError where nothing waits, not this call, not as shown, or the ruling makes no sense."""
    waits = waiting(run, fit, rules)
    one = next((it for it in waits if it.call.id == call_id), None)
    if one is None:
        ids, state = ", ".join(it.call.id for it in waits), run.state
        raise RulingError(both(
            f"run {run.id[:8]}: call {call_id!r} does not wait for a person; waiting: {ids or 'none'} (the run is {state})",
            f"运行 {run.id[:8]}：调用 {call_id!r} 没有在等待人工处理；等待中：{ids or '无'}（运行状态：{state}）",
        ))  # fmt: skip
    if shown_hash not in {None, one.hash}:
        raise RulingError(both(
            f"call {call_id} is not what was shown any more ({shown_hash} was, {one.hash} is); look at it again",
            f"调用 {call_id} 已不是当时显示的内容（当时 {shown_hash}，现在 {one.hash}）；请重新查看",
        ))  # fmt: skip
    _sensible(ruling, one, run, fit, rules, clock())
    call = next(call for call in run.pending if call.id == call_id)
    reason = next((event.reason for event in reversed(run.events) if isinstance(event, Paused) and event.call_id == call_id), one.reason)
    return replace(ruled(ruling, call, run, reason), at=clock())


def _sensible(ruling: Ruling, one: Waiting, run: Run, fit: Fit, rules: Sequence[Rule], now: float) -> None:
    if ruling.verdict not in VERDICTS:
        raise RulingError(both(
            f"the verdict is {ruling.verdict!r}; wanted: {', '.join(VERDICTS)}", f"裁定为 {ruling.verdict!r}；应为：{'、'.join(VERDICTS)}",
        ))  # fmt: skip
    if (ruling.args is not None) != (ruling.verdict == "edit"):
        raise RulingError(both(
            f"{ruling.verdict!r} {'needs the arguments to run with (args)' if ruling.verdict == 'edit' else 'takes no arguments; to change them, edit'}",
            f"{ruling.verdict!r} {'需要给出执行用的参数（args）' if ruling.verdict == 'edit' else '不接受参数；要修改参数请用 edit'}",
        ))  # fmt: skip
    if ruling.verdict == "answer" and not ruling.text.strip():
        raise RulingError(both("an answer needs its text", "代答需要给出内容（text）"))
    if ruling.expires is not None and not ruling.expires > now:
        raise RulingError(both(
            f"the ruling would have expired already ({ruling.expires:.0f}; now it is {now:.0f}, in Unix seconds)",
            f"该裁定已经过期（{ruling.expires:.0f}；现在是 {now:.0f}，Unix 秒）",
        ))  # fmt: skip
    if ruling.args is None:
        return
    if one.reason == unknown(one.call, run):
        raise RulingError(both(
            "its outcome is unknown; with other arguments it would be another call: approve, answer or reject",
            "其结果未知；换了参数就是另一次调用：请选择批准、代答或拒绝",
        ))  # fmt: skip
    try:
        changed = fit(replace(one.call, args=ruling.args), run)
    except BadArguments as error:
        raise RulingError(both(f"the edited arguments do not fit: {error}", f"修改后的参数不合要求：{error}")) from error
    found = judge(changed, run, rules)
    if found.verdict == "deny":
        raise RulingError(both(f"the edited arguments are not permitted: {found.reason}", f"修改后的参数不被允许：{found.reason}"))
