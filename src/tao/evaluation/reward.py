"""Reward, read off the events: the run as a Markov decision process.

State: the history so far. Action: one reply of the model. A valid action (read, a tool that exists, arguments that fit) earns
+1, an invalid one -0.1, a task done +10; the grader's score, where there is one, is added with a weight of its own.
"""

import math
from dataclasses import dataclass

from tao.errors import ConfigError, both
from tao.events import Decided, Ended, Event, Misread, Observed
from tao.run import NO_TOOLS, Run

INVALID = frozenset({"unknown_tool", "bad_arguments", "taken_away"})
"""Kinds of failed observations that are the model's own fault. A tool that breaks down is not."""


@dataclass(frozen=True, slots=True)
class Rewards:
    """What things are worth. `score` is multiplied with the grader's score (0 to 1); `discount` is for returns."""

    valid: float = 1.0
    invalid: float = -0.1
    done: float = 10.0
    score: float = 1.0
    discount: float = 1.0


DEFAULT = Rewards()


@dataclass(frozen=True, slots=True)
class StepReward:
    """One reply: its number from 1, "action", "answer", "unreadable" or "sorting" (only which way to go), its reward, and the discounted sum from here on."""

    step: int
    kind: str
    reward: float
    to_go: float


@dataclass(frozen=True, slots=True)
class RunReward:
    """A run: its steps, what its end and its grade are worth, and the sum of all three."""

    steps: tuple[StepReward, ...]
    done: float
    score: float
    total: float


def reward(run: Run, *, right: bool | None = None, score: float | None = None, rewards: Rewards = DEFAULT) -> RunReward:
    """The reward of a run and of its steps. A run is done where it ended with an answer that was not graded wrong.

    What the end and the grade are worth belongs to the last step in `to_go`. A call that was never observed is not judged.
    """
    answered = run.ended is not None and run.ended.reason == "answered"
    done = rewards.done if answered and right is not False else 0.0
    graded = rewards.score * score if score is not None else 0.0
    kinds = [_step(event, run, rewards) for event in run.events if is_step(event)]
    to_go, steps = done + graded, []
    for number in range(len(kinds), 0, -1):
        kind, worth = kinds[number - 1]
        to_go = worth + (to_go if number == len(kinds) else rewards.discount * to_go)
        steps.append(StepReward(number, kind, worth, to_go))
    total = sum(worth for _, worth in kinds) + done + graded
    return RunReward(tuple(reversed(steps)), done, graded, total)


def rewards_from(text: str) -> Rewards:
    """Rewards as a text gives them: `valid=1,invalid=-0.1,done=10,score=1,discount=0.99`. Raises ConfigError."""
    try:
        given = {name.strip(): float(value) for name, value in (part.split("=") for part in text.split(",") if part.strip())}
        if not all(map(math.isfinite, given.values())) or not 0 <= given.get("discount", 1.0) <= 1:
            raise ValueError(text)  # noqa: TRY301
        return Rewards(**given)
    except (ValueError, TypeError) as error:
        wanted = "valid=1,invalid=-0.1,done=10,score=1,discount=1"
        raise ConfigError(both(f"rewards are {text!r}; wanted: {wanted}", f"奖励设置为 {text!r}；应为：{wanted}")) from error


def is_step(event: Event) -> bool:
    """Whether this is the reading of a reply; a server's refusal of tools is none."""
    return isinstance(event, Decided) or (isinstance(event, Misread) and event.reason != NO_TOOLS)


def _step(event: Event, run: Run, rewards: Rewards) -> tuple[str, float]:
    """What one reading is, and what it is worth."""
    if not isinstance(event, Decided):
        return "unreadable", rewards.invalid
    if not event.calls:
        return "sorting" if event.answer is None else "answer", 0.0
    mine = {call.id for call in event.calls}
    seen = [it.observation for it in run.events if isinstance(it, Observed) and it.call_id in mine]
    if any(not observation.ok and observation.kind in INVALID for observation in seen):
        return "action", rewards.invalid
    return "action", rewards.valid if len(seen) == len(mine) or any(isinstance(it, Ended) for it in run.events) else 0.0
