"""Replay: today's code decides a recorded run again, on the recorded replies and observations. No model, no tool is called."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import takewhile

from tao.errors import AgentError, Pause
from tao.events import CANCELLED, RAISED, Asked, Ended, Event, Nudged, Observed, Paused, Recalled, Replied, Ruled
from tao.loop import react
from tao.messages import Call, Observation, Reply, Request
from tao.run import Run
from tao.seams import Dialect, Hear, Policy


@dataclass(frozen=True, slots=True)
class Difference:
    """Event number `number` (from 0) is not what today's code makes of the events before it.

    `now` is what it makes (None: nothing); `recorded` is what stands in the record (None: nothing). Where both are
    `Replied`, the prompt is another one: their `prompt` digests differ.
    """

    number: int
    recorded: Event | None
    now: Event | None


async def replay(run: Run, dialect: Dialect, policy: Policy) -> list[Difference]:
    """Where today's code differs from the record; an empty list says: the same prompts and decisions, byte for byte.

    A prompt that differs is noted and the replay goes on with the recorded reply; it ends at the first decision that
    differs, for what comes after it is another story. A run that was interrupted is compared as far as it got.
    """
    record = run.events
    if not record or not isinstance(record[0], Asked):
        return [Difference(0, record[0] if record else None, None)]
    again = _Again(record, Run(run.id))
    again.given()
    with suppress(_OffRecord):
        while len(again.run.events) < len(record) and again.run.state not in {"ended", "paused"}:
            await react(again.run, again.model, dialect, again.act, policy, again.emit)
    return _compare(record, again.run.events)


class _OffRecord(BaseException):
    """Leaves the loop: the record ends here, or says something else."""


class _Again:
    """The record's own side of the five seams: each gives what stands at the place that the run has reached."""

    def __init__(self, record: list[Event], run: Run) -> None:
        self.record = record
        self.run = run

    @property
    def next(self) -> Event | None:
        """The recorded event at the place that the run has reached."""
        place = len(self.run.events)
        return self.record[place] if place < len(self.record) else None

    def given(self) -> None:
        """Take over what came from outside: the question, notes from memory, rulings of persons, words of judges."""
        while (event := self.next) and (isinstance(event, Asked | Recalled | Ruled) or (isinstance(event, Nudged) and event.outside) or (isinstance(event, Ended) and event.reason == CANCELLED)):
            self.run.events.append(event)

    async def model(self, request: Request, hear: Hear | None = None) -> Reply:  # noqa: ARG002
        if isinstance(self.next, Replied):
            return self.next.reply
        raise self._failure() or _OffRecord()

    async def act(self, call: Call, run: Run) -> Observation:  # noqa: ARG002
        """Observations come in recorded order, whatever the order of the calls."""
        while True:
            now = self.next
            if isinstance(now, Observed) and now.call_id == call.id:
                return now.observation
            if isinstance(now, Paused):
                raise self._pause(call.id, now)
            if failure := self._failure():
                raise failure
            if not (isinstance(now, Observed) and any(now.call_id == other.id for other in self.run.pending)):
                raise _OffRecord
            await asyncio.sleep(0)

    async def emit(self, run: Run, event: Event) -> None:
        """Give the new event its recorded time, for policies look at it; stop where the record ends or says something else."""
        place = len(run.events) - 1
        if place == len(self.record):
            run.events.pop()
            raise _OffRecord
        run.events[place] = replace(event, at=self.record[place].at)
        if event != self.record[place] and not isinstance(event, Replied):
            raise _OffRecord
        self.given()
        if isinstance(event, Replied) and (failure := self._failure()):
            raise failure  # the reply could not be written down

    def _pause(self, call_id: str, first: Paused) -> Pause:
        """Why this call waited; of several that did, an older record names only the first."""
        place = len(self.run.events)
        pauses = takewhile(lambda event: isinstance(event, Paused), self.record[place:])
        own = next((event for event in pauses if isinstance(event, Paused) and event.call_id == call_id), first)
        return Pause(own.reason, own.call_id)

    def _failure(self) -> AgentError | None:
        """The error that ended the recorded run here, of a class of the same name."""
        now = self.next
        if not (isinstance(now, Ended) and now.reason in RAISED):
            return None
        name, _, message = now.detail.partition(": ")
        error: AgentError = type(name, (AgentError,), {"ends": now.reason})(message)
        return error


def _unknown(recorded: Event, now: Event) -> bool:
    """Whether the same reply is recorded without its prompt: it was given to another one, or elsewhere."""
    return isinstance(recorded, Replied) and isinstance(now, Replied) and not recorded.prompt and recorded.reply == now.reply


def _compare(record: list[Event], now: list[Event]) -> list[Difference]:
    pairs = enumerate(zip(record, now, strict=False))
    differences = [Difference(number, old, new) for number, (old, new) in pairs if old != new and not _unknown(old, new)]
    other_story = differences and not isinstance(differences[-1].now, Replied)
    if len(now) < len(record) and not other_story:
        differences.append(Difference(len(now), record[len(now)], None))
    return differences
