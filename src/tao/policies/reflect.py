"""Looking back now and then: a few words before the next reply, so it takes no model call of its own and hardly a token."""

from collections.abc import Mapping
from math import inf
from typing import Any

from tao.errors import ConfigError, both
from tao.events import Decided, Ended, Event, Nudged, Observed, Replied
from tao.policies.texts import say
from tao.run import NO_TOOLS, Grown, Run
from tao.seams import Abilities, Policy

EVERY = 3
"""Replies between two looks back."""
SHORT = 6
"""Runs of fewer steps have none to spare for it."""
BY = "reflect"
FAILURES = "failures"
"""How often, said of runs that look back after failed calls only."""


def reflect(every: float = EVERY) -> Policy:
    """Every so many replies, and after a call that failed: was it useful, is the goal still the goal, is there a shorter way.

    After a failure only where the reply before was not told to look back either, so that a tool that keeps failing does not
    fill the prompt.
    """

    def policy(run: Run) -> Nudged | Ended | None:
        if not isinstance(run.events[-1], Observed):
            return None
        failed = call_failed(run)
        if not failed and every == inf:  # as mostly
            return None
        since = _since(run)
        failed = failed and since > 1
        if not failed and since < every:
            return None
        return None if run.pending else Nudged(say(run.asked.lang, "reflect.failed" if failed else "reflect"), BY)

    return policy


def usual(max_steps: int, abilities: Abilities) -> int | str:
    """How often a run looks back that nothing was set for: not at all where it is short.

    Nor where a small model is held to a grammar: its thoughts are short, and what argues in its prompt misleads it. A model
    that takes structured calls thinks for itself, and each look back stands in all later prompts; it looks back after failures.
    """
    if max_steps < SHORT or (abilities.small and abilities.constraint is not None):
        return 0
    return FAILURES if abilities.tools else EVERY


def every(settings: Mapping[str, Any]) -> float:
    """How often the settings say; 0: never, infinity: only after failures. Raises ConfigError for what is neither."""
    given = settings.get("reflect", 0)
    if given is None:
        return 0
    if given == FAILURES:
        return inf
    if type(given) is not int or given < 0:
        raise ConfigError(both(
            f"reflect is {given!r}; it must be a whole number, 0 for never, or {FAILURES!r} for only after failed calls",
            f"reflect 为 {given!r}；应为不小于 0 的整数（0 表示不回顾），或 {FAILURES!r}（只在调用失败后回顾）",
        ))  # fmt: skip
    return given


def _count(count: int, event: Event) -> int:
    if isinstance(event, Nudged) and event.by == BY:
        return 0
    return count + (isinstance(event, Replied) and event.reply.finish != NO_TOOLS)


_since: Grown[int] = Grown(int, _count)
"""Replies since the model was last told to look back, or since the question."""


def call_failed(run: Run) -> bool:
    """Whether a call of the last decision failed."""
    for event in reversed(run.events):
        if isinstance(event, Observed) and not event.observation.ok:
            return True
        if isinstance(event, Decided):
            break
    return False
