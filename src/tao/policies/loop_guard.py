"""Going in circles, and coming back with empty hands."""

from collections.abc import Iterable

from tao.events import Nudged, Replied
from tao.facts import findings, mentions, names, subjects, told_of
from tao.messages import Call
from tao.permissions.effects import UNTRUSTED
from tao.policies.circles import Circle, circle
from tao.policies.limits import until_wrapped, wrap_up
from tao.policies.texts import say
from tao.run import Run, canonical
from tao.seams import Policy

BY, LOOP = "loop_guard", "loop"
FORGIVEN = 2
"""So many steps in a row that lead on, and that the run went in circles before is forgotten."""
QUOTED = 200
"""Characters of the known observation that are quoted."""


def guard(*, held: bool = False) -> Policy:
    """Where the run goes in circles (see `circles`): say so and quote what is known; then take the tool away for one reply; then ask for the answer.

    The answer that comes is the end, "loop". A model that is `held` to a grammar, to which words say little, loses the tool at once.
    """
    return until_wrapped({LOOP: circling(held=held)})


def circling(*, held: bool = False) -> Policy:
    """What `guard` says of a step that has come back."""

    def policy(run: Run) -> Nudged | None:
        if (found := circle(run)) is None:
            return None
        times = _warned(run)
        if times > 1:
            return wrap_up(run, LOOP)
        return _said(run, found, without=found.tools if held or times else ())

    return policy


loop_guard = guard()
"""The loop guard of a model that is held to nothing."""


def _warned(run: Run) -> int:
    """How often the guard spoke without the run having got on in between."""
    count = clean = 0
    spoke = True  # about the step that is looked at now
    for event in reversed(run.events):
        if isinstance(event, Nudged) and event.by == BY:
            count, spoke = count + 1, True
        elif isinstance(event, Replied):
            clean = 0 if spoke else clean + 1
            if clean == FORGIVEN:
                break
            spoke = False
    return count


def _said(run: Run, found: Circle, without: tuple[str, ...]) -> Nudged:
    lang = run.asked.lang
    key = {"same_call": "repeated", "cycle": "repeated", "same_observation": "nothing_new"}.get(found.kind, found.kind)
    tool = ", ".join(found.tools)
    text = say(lang, key, tool=tool) + _quote(run, found) + (say(lang, "taken", tool=tool) if without else "")
    return Nudged(text, BY, without=without, lead=say(lang, f"{key}.lead", tool=tool))


def _quote(run: Run, found: Circle) -> str:
    """What is known already; nothing where strangers may have written it, whose words stay between their marks."""
    if found.earlier is None or found.seen is None:
        return ""
    spec = run.tool(found.earlier.tool)
    text = " ".join(found.seen.text.split())
    if not text or text.startswith("<tool_output ") or (spec and not UNTRUSTED.isdisjoint(spec.effects)):
        return ""
    cut = text if len(text) <= QUOTED else f"{text[: QUOTED - 1]}…"
    return say(run.asked.lang, "known", call=f"{found.earlier.tool} {canonical(found.earlier.args)}", text=cut)


def empty_handed(run: Run) -> Nudged | None:
    """What the question names was looked for and nothing that came back mentions it: look elsewhere; the second time, say so."""
    observed = told_of(run)
    if run.proposed is not None or run.pending or not observed or observed[-1] != run.observed[-1]:
        return None
    lang = run.asked.lang
    call, seen = observed[-1]
    asked = names(run.asked.question)
    told = [text for _, text in findings(run)]
    warned = any(nudge.by == "empty_handed" for nudge in run.all(Nudged))
    for name in subjects(run.asked.question):
        if mentions(told, name) or not _about(call, name, asked):
            continue
        if warned and not any(mentions([seen.text], other) for other in asked):
            return Nudged(say(lang, "lost", name=name), "empty_handed", may_call=False, lead=say(lang, "lost.lead", name=name))
        if not warned and seen.ok:
            return Nudged(say(lang, "unmentioned", name=name), "empty_handed", without=(call.tool,), lead=say(lang, "unmentioned.lead", name=name))
    return None


def _about(call: Call, name: str, asked: Iterable[str]) -> bool:
    """Whether the call asks about the name, or about a word of it that no other name shares (the Mount of two mountains says nothing)."""
    args = canonical(call.args).lower()
    shared = {word for other in asked if other != name for word in other.lower().split()}
    own = [word for word in name.lower().split() if len(word) > 1 and word not in shared]
    return any(word in args for word in own) if own else name.lower() in args
