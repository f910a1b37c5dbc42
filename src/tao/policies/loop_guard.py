"""Going in circles: the same call again, or nothing new from the same tool again."""

from tao.events import Nudged
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
