"""The five places where parts meet. Each is one call; a wrapper has the same signature as what it wraps."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from tao.events import Decided, Ended, Event, Misread, Nudged
from tao.messages import Call, Observation, Reply, Request
from tao.run import Run

Hear = Callable[[str], bool]
"""Told each new piece of text while a reply comes in; true means: enough, stop generating."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a model's server can do; its profile says so, and the dialect is chosen by it."""

    tools: bool = True
    constraint: Literal["gbnf", "json_schema"] | None = None
    stop: bool = True
    small: bool = False
    dialect: str = ""
    images: bool = False
    logprobs: bool = False


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a reply as it comes in: "thought" and "answer" carry text, "call" the tool's name once it is sure."""

    kind: Literal["thought", "call", "answer"]
    text: str


class Listener(Protocol):
    """Reads a growing reply."""

    stop: bool

    def feed(self, text: str) -> list[Delta]:
        """Take the next piece of text; return what is now certain."""

    def close(self) -> list[Delta]:
        """The reply is over; return what that makes certain."""


class Dialect(Protocol):
    """How it is said. Pure: the same run gives the same request and the same reading."""

    def render(self, run: Run) -> Request:
        """The prompt for the next reply."""

    def parse(self, run: Run) -> Decided | Misread:
        """Read the reply that the run ends with."""

    def listen(self, run: Run) -> Listener:
        """A reader for the reply that is coming in."""


class Model(Protocol):
    """Who answers."""

    async def __call__(self, request: Request, hear: Hear | None = None) -> Reply:
        """Answer one request. Raises ModelError."""


class Act(Protocol):
    """What is done. A call that fails gives an observation that says so; only Pause and AgentError are raised."""

    async def __call__(self, call: Call, run: Run) -> Observation:
        """Do it."""


class Policy(Protocol):
    """Whether it goes on. Pure: looks at the run and returns what should be recorded, or None."""

    def __call__(self, run: Run, /) -> Nudged | Ended | None:
        """Look."""


class Emit(Protocol):
    """Who is told. Called after the event is part of the run."""

    async def __call__(self, run: Run, event: Event) -> None:
        """Hear about it."""
