"""Budgets of one run, as policies."""

from collections.abc import Callable

from tao.events import Decided, Ended, Nudged, Replied
from tao.policies.texts import say
from tao.run import Run


def max_steps(limit: int) -> Callable[[Run], Nudged | Ended | None]:
    """At most so many replies. Before the last one the tools are taken away and the best answer is asked for."""

    def policy(run: Run) -> Nudged | Ended | None:
        lang = run.asked.lang
        wrapping = any(nudge.by == "wrap_up" for nudge in run.all(Nudged))
        if wrapping and run.proposed is not None:
            return Ended("max_steps", run.proposed)
        if run.proposed is not None:
            return Ended("answered", run.proposed) if run.steps >= limit - 1 else None
        if run.steps >= limit:
            return Ended("max_steps", best_answer(run), say(lang, "no_answer"))
        if run.steps == limit - 1 and limit > 1 and not wrapping:
            return Nudged(say(lang, "wrap_up"), "wrap_up", may_call=False, lead=say(lang, "wrap_up.lead"))
        return None

    return policy


def max_tokens(limit: int) -> Callable[[Run], Nudged | Ended | None]:
    """At most about so many tokens, prompt and completion together, as the server counted them; never over by more than one call."""

    def policy(run: Run) -> Ended | None:
        usage = run.usage
        if run.proposed is None and (usage.prompt or 0) + (usage.completion or 0) >= limit:
            return Ended("max_tokens", best_answer(run), say(run.asked.lang, "no_answer"))
        return None

    return policy


def deadline(seconds: float) -> Callable[[Run], Nudged | Ended | None]:
    """At most so long since the question was asked; looked at before each reply, by the times in the record."""

    def policy(run: Run) -> Ended | None:
        if run.proposed is None and run.last(Replied) and run.events[-1].at - run.asked.at > seconds:
            return Ended("deadline", best_answer(run), say(run.asked.lang, "no_answer"))
        return None

    return policy


def best_answer(run: Run) -> str | None:
    """The latest answer that was proposed, even if it was objected to."""
    return next((event.answer for event in reversed(list(run.all(Decided))) if event.answer is not None), None)
