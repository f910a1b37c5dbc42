"""Doubles for the five seams, and builders of histories: for our tests and for yours.

A test that needs `patch` means a seam is missing; these are enough for everything else.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tao.errors import ModelError, StoreError
from tao.events import Asked, Decided, Ended, Event, Nudged, Observed
from tao.messages import Call, Observation, Reply, Request, ToolSpec, Usage
from tao.run import Run
from tao.seams import Abilities, Hear


class ScriptedModel:
    """Answers with the given replies in turn; a string is a reply's text, an exception is raised.

    Keeps every request in `requests`. Streams its text in pieces of `chunk` characters when somebody listens.
    """

    def __init__(self, *replies: str | Reply | Exception, abilities: Abilities | None = None, chunk: int = 4) -> None:
        self.replies = list(replies)
        self.requests: list[Request] = []
        self.abilities = abilities or Abilities()
        self.chunk = chunk
        self.name = "scripted"

    async def __call__(self, request: Request, hear: Hear | None = None) -> Reply:
        """Give the next reply; raises ModelError once there are none left."""
        self.requests.append(request)
        if len(self.requests) > len(self.replies):
            raise ModelError(f"the script has {len(self.replies)} replies and was asked for one more")
        reply = self.replies[len(self.requests) - 1]
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, str):
            reply = Reply(reply, usage=Usage(prompt=10, completion=len(reply.split())), model=self.name)
        for start in range(0, len(reply.text) if hear else 0, self.chunk):
            if hear is not None and hear(reply.text[start : start + self.chunk]):
                break
        return reply


class ReplayAct:
    """Gives back recorded observations by call id, and never does anything."""

    def __init__(self, observations: Mapping[str, Observation]) -> None:
        self.observations = observations
        self.calls: list[Call] = []

    async def __call__(self, call: Call, run: Run) -> Observation:  # noqa: ARG002 - the seam's form
        """Look the call up; raises StoreError where the record has none."""
        self.calls.append(call)
        if call.id not in self.observations:
            raise StoreError(f"the record has no observation for call {call.id} ({call.tool})")
        return self.observations[call.id]


class FunctionAct:
    """Acts by plain functions of the arguments, by tool name; an exception becomes a failed observation."""

    def __init__(self, **functions: Callable[..., Any]) -> None:
        self.functions = functions
        self.calls: list[Call] = []

    async def __call__(self, call: Call, run: Run) -> Observation:  # noqa: ARG002 - the seam's form
        """Call the function."""
        self.calls.append(call)
        try:
            return Observation(str(self.functions[call.tool](**call.args)))
        except Exception as error:  # noqa: BLE001 - whatever a tool raises is information for the model
            return Observation(f"{type(error).__name__}: {error}", ok=False, kind="error")


class MemoryJournal:
    """Keeps the events of every run it is told about, in order."""

    def __init__(self) -> None:
        self.runs: dict[str, list[Event]] = {}
        self.claims: set[tuple[str, str, int]] = set()
        self.states: dict[str, str] = {}

    async def __call__(self, run: Run, event: Event) -> None:
        """Append."""
        self.runs.setdefault(run.id, []).append(event)

    async def load(self, run: str) -> Run:
        """The run of that id, or of the only id that begins so; raises StoreError."""
        found = [run] if run in self.runs else [name for name in self.runs if run and name.startswith(run)]
        if len(found) != 1:
            raise StoreError(f"run {run!r} could be {', '.join(sorted(found))}" if found else f"no run {run!r}")
        return Run(found[0], self.runs[found[0]])

    async def claim(self, run: Run, call_id: str, number: int) -> bool:
        """True the first time."""
        claim = (run.id, call_id, number)
        first = claim not in self.claims
        self.claims.add(claim)
        return first

    async def state(self, key: str) -> str | None:
        """The text under this key."""
        return self.states.get(key)

    async def swap(self, key: str, old: str | None, new: str | None) -> bool:
        """Put `new` in the place of `old`; false where something else is there."""
        if self.states.get(key) != old:
            return False
        if new is None:
            self.states.pop(key, None)
        else:
            self.states[key] = new
        return True


class FakeClock:
    """Time that stands still until it is told to move on: `clock()` reads it, `await clock.sleep(s)` advances it."""

    def __init__(self, now: float = 1_750_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        """Unix time in seconds."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Advance at once."""
        self.now += seconds


def no_policy(run: Run) -> Nudged | Ended | None:  # noqa: ARG001
    """A policy that never says anything."""
    return None


async def silence(run: Run, event: Event) -> None:
    """An observer that hears nothing."""


def spec(name: str, description: str = "", **parameters: str) -> ToolSpec:
    """A tool description from parameter names and JSON types: `spec("add", a="integer", b="integer")`.

    A type that ends in "?" makes the parameter optional.
    """
    properties = {key: {"type": kind.removesuffix("?")} for key, kind in parameters.items()}
    required = [key for key, kind in parameters.items() if not kind.endswith("?")]
    return ToolSpec(name, description, {"type": "object", "properties": properties, "required": required})


def history(question: str, *steps: Event, tools: Iterable[ToolSpec] = (), lang: str = "en", id: str = "test") -> Run:  # noqa: A002
    """A run that has got as far as these events."""
    return Run(id, [Asked(question, tuple(tools), lang), *steps])


def did(number: int, tool: str, observation: str | Observation, thought: str = "", **args: Any) -> tuple[Decided, Observed]:
    """One finished step of a history: a decision for one call and what it gave."""
    call = Call(f"{number}.1", tool, args)
    seen = Observation(observation) if isinstance(observation, str) else observation
    return Decided(thought, (call,)), Observed(call.id, seen)
