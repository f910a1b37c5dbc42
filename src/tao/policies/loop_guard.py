"""Going in circles: the same call again, or nothing new from the same tool again."""

from collections.abc import Iterable

from tao.events import Nudged
from tao.facts import mentions, names, subjects, told_of
from tao.messages import Call
from tao.policies.texts import say
from tao.run import Run, canonical


def loop_guard(run: Run) -> Nudged | None:
    """After a repeated call, or a tool's second identical observation: say so, and take the tool away for one reply."""
    if run.proposed is not None or run.pending or len(run.observed) < 2:
        return None
    lang = run.asked.lang
    *before, (call, seen) = run.observed
    if any(old.tool == call.tool and canonical(old.args) == canonical(call.args) for old, _ in before):
        return Nudged(say(lang, "repeated"), "loop_guard", without=(call.tool,), lead=say(lang, "repeated.lead"))
    if any(old.tool == call.tool and told.text == seen.text for old, told in before):
        return Nudged(say(lang, "nothing_new", tool=call.tool), "loop_guard", without=(call.tool,), lead=say(lang, "nothing_new.lead", tool=call.tool))
    return None


def empty_handed(run: Run) -> Nudged | None:
    """What the question names was looked for and nothing that came back mentions it: look elsewhere; the second time, say so."""
    observed = told_of(run)
    if run.proposed is not None or run.pending or not observed or observed[-1] != run.observed[-1]:
        return None
    lang = run.asked.lang
    call, seen = observed[-1]
    asked = names(run.asked.question)
    told = [observation.text for _, observation in observed if observation.ok]
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
