"""Nothing is to be had any more: the tools keep failing, or the model will not answer."""

from tao.events import Decided, Ended, Misread, Observed, Replied
from tao.policies.limits import best_answer, until_wrapped, wrap_up
from tao.policies.texts import say
from tao.run import Run
from tao.seams import Policy

REASON = "tool_failures"
FAILED = frozenset({"error", "timeout", "transient", "unavailable", "rate_limited", "taken_away"})
"""Kinds of observations by which a tool, not the model, fell short."""
STEPS = 4
"""So many steps in a row of which every call failed; a tool is taken away after fewer (see `tao.wrappers.strikes`)."""
DECLINED = frozenset({"content_filter", "refusal", "sensitive", "safety", "prohibited_content", "blocklist", "recitation"})
"""How a reply ends, in small letters, that the model or a filter of its provider broke off or would not give."""


def tool_failures(limit: int = STEPS) -> Policy:
    """After so many steps in a row in which nothing but failures of tools came back, the answer is asked for; the run ends as "tool_failures"."""
    return until_wrapped({REASON: failing(limit)})


def failing(limit: int = STEPS) -> Policy:
    """What `tool_failures` says of a step that has come back."""
    return lambda run: wrap_up(run, REASON) if _failed(run) >= limit else None


def _failed(run: Run) -> int:
    """Steps in a row, up to now, of which every call failed."""
    count, kinds = 0, set[str]()
    for event in reversed(run.events):
        if isinstance(event, Observed):
            kinds.add("" if event.observation.ok else event.observation.kind)
        elif isinstance(event, Decided):
            if not kinds or not kinds <= FAILED:
                break
            count, kinds = count + 1, set()
    return count


def refused(run: Run) -> Ended | None:
    """The model would not answer, or its provider's filter broke the reply off: asking the same again cannot help."""
    last = run.last(Replied) if isinstance(run.events[-1], Decided | Misread) else None
    if last is None or last.reply.finish.casefold() not in DECLINED or run.pending:
        return None
    before = Run(run.id, run.events[: run.events.index(last)])
    words = " ".join(last.reply.text.split())
    colon = "：" if run.asked.lang == "zh" else ": "
    return Ended("refused", best_answer(before), say(run.asked.lang, "refused", words=f"{colon}{words}" if words else ""))
