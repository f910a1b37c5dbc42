"""Recorded decisions made again with today's prompts, readers and policies; and where two runs part.

Unlike `tao.replay`, which stops at the first decision that differs, every decision is made on what was recorded before it, so all
that differ are found.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from tao.errors import AgentError
from tao.events import Decided, Ended, Event, Misread, Nudged, Observed, Replied
from tao.loop import react
from tao.messages import Call, Observation, Reply, Request
from tao.replay import Difference
from tao.run import Run, canonical
from tao.seams import Dialect, Hear, Policy

DECISIONS = (Decided, Misread, Nudged, Ended)


@dataclass(frozen=True, slots=True)
class Again:
    """A run read again. `decisions` counts what was decided anew, `prompts` the requests; `differences` are of both."""

    run: Run
    decisions: int
    prompts: int
    differences: tuple[Difference, ...]

    @property
    def decided_otherwise(self) -> tuple[Difference, ...]:
        """Differences in what is done, leaving out prompts that are only worded differently."""
        return tuple(it for it in self.differences if not isinstance(it.recorded, Replied) or not isinstance(it.now, Replied))


class _Known(BaseException):
    """What the loop does next is known."""


async def again(run: Run, dialect: Dialect, policy: Policy) -> Again:
    """Every recorded reading, policy's word, end and prompt, against what today's code makes of the events before it.

    What came from outside (observations, rulings, failures, words of judges) is not a decision and is taken as it was.
    """
    differences, decisions, prompts = [], 0, 0
    for place, recorded in enumerate(run.events):
        outside = recorded.outside if isinstance(recorded, Ended) else isinstance(recorded, Nudged) and recorded.outside
        if outside or not isinstance(recorded, (*DECISIONS, Replied)):
            continue
        now = await following(Run(run.id, run.events[:place]), recorded, dialect, policy)
        decisions += not isinstance(recorded, Replied)
        prompts += isinstance(recorded, Replied)
        if now != recorded and not (isinstance(recorded, Replied) and not recorded.prompt and isinstance(now, Replied)):
            differences.append(Difference(place, recorded, now))
    return Again(run, decisions, prompts, tuple(differences))


async def following(before: Run, recorded: Event, dialect: Dialect, policy: Policy) -> Event | None:
    """What today's loop records after these events, the model answering as recorded; None where it waits for something else."""

    async def model(request: Request, hear: Hear | None = None) -> Reply:  # noqa: ARG001
        if isinstance(recorded, Replied):
            return recorded.reply
        raise _Known

    async def act(call: Call, run: Run) -> Observation:  # noqa: ARG001
        raise _Known

    async def emit(run: Run, event: Event) -> None:  # noqa: ARG001
        raise _Known

    count = len(before.events)
    with suppress(_Known, AgentError):
        await react(before, model, dialect, act, policy, emit)
    return before.events[count] if len(before.events) > count else None


# ── where two runs part ───────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a run: its reading, what was observed, and what a policy said before it."""

    reading: Decided | Misread
    seen: tuple[str, ...]
    nudges: tuple[str, ...]

    @property
    def does(self) -> tuple[object, ...]:
        """What it comes to, without its thought: the calls with their arguments, or the answer, or why it was not read."""
        if isinstance(self.reading, Misread):
            return ("misread", self.reading.reason)
        if self.reading.answer is not None:
            return ("answer", " ".join(self.reading.answer.split()))
        return ("calls", *((call.tool, canonical(call.args)) for call in self.reading.calls))


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two runs part: the number of the first step (from 1) that differs, and in what.

    `what` is "question" (then `step` is 0), "decision", "observation", "length" (one goes on), "end", or "" where they come to
    the same.
    """

    step: int
    what: str


def steps(run: Run) -> list[Step]:
    """The run step by step."""
    found: list[Step] = []
    nudges: list[str] = []
    for place, event in enumerate(run.events):
        if isinstance(event, Nudged):
            nudges.append(event.by)
        elif isinstance(event, Decided | Misread):
            calls = event.calls if isinstance(event, Decided) else ()
            seen = {it.call_id: it.observation.text for it in run.events[place:] if isinstance(it, Observed)}
            found.append(Step(event, tuple(seen[call.id] for call in calls if call.id in seen), tuple(nudges)))
            nudges = []
    return found


def parting(a: Run, b: Run) -> Parting:
    """Where two runs of one question part."""
    if a.asked.question != b.asked.question:
        return Parting(0, "question")
    ours, theirs = steps(a), steps(b)
    for number, (old, new) in enumerate(zip(ours, theirs, strict=False), 1):
        if old.does != new.does:
            return Parting(number, "decision")
        if old.seen != new.seen:
            return Parting(number, "observation")
    if len(ours) != len(theirs):
        return Parting(min(len(ours), len(theirs)) + 1, "length")
    ends = [(run.ended.reason, run.ended.answer) if run.ended else (run.state, None) for run in (a, b)]
    return Parting(len(ours), "end") if ends[0] != ends[1] else Parting(len(ours), "")


def cut(run: Run, step: int) -> Sequence[Event]:
    """The events before the reply of that number (from 1), and before what a policy said right before it.

    Raises ValueError where the run has no such step.
    """
    places = [place for place, event in enumerate(run.events) if isinstance(event, Replied)]
    if not 1 <= step <= len(places):
        raise ValueError(f"step {step}; the run has {len(places)}")
    place = places[step - 1]
    while place > 1 and isinstance(run.events[place - 1], Nudged):
        place -= 1
    return run.events[:place]
