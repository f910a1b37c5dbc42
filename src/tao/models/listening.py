"""Listening to a reply that comes in: gathers it, tells its text on, and watches for stop sequences."""

import time
from collections.abc import Mapping
from typing import Any, Protocol

from tao.messages import Reply
from tao.seams import Hear


class Gathers(Protocol):
    """Collects one reply from a whole answer or the pieces of a stream."""

    text: list[str]
    finish: str | None
    model: str

    def feed(self, answer: Mapping[str, Any]) -> str:
        """Take a piece, or the whole; return the text that is new in it."""

    @property
    def begun(self) -> bool:
        """Whether anything of the reply has come: text, a thought, a call."""

    def reply(self, *, seconds: float, first_token: float | None) -> Reply:
        """All that came."""


class Listening:
    """One reply. A server may not know the stop sequences, or not all of them: they are watched for here as well."""

    def __init__(self, gather: Gathers, stops: tuple[str, ...], hear: Hear | None, started: float) -> None:
        self.gather = gather
        self.stops = tuple(stop for stop in stops if stop)
        self.hear = hear
        self.started = started
        self.first: float | None = None
        self._tail = ""

    def take(self, piece: Mapping[str, Any]) -> bool:
        """Take a piece; true: enough, the rest need not come."""
        gather = self.gather
        new = gather.feed(piece)
        if self.first is None and gather.begun:
            self.first = time.perf_counter() - self.started
        if not new:
            return False
        stopped = bool(self.stops) and self._stop_in(new)
        if stopped:
            new = gather.text[-1]
        if self.hear is not None and new and self.hear(new):
            stopped = True
        if stopped:
            gather.finish = "stop"
        return stopped

    def _stop_in(self, new: str) -> bool:
        """Whether a stop sequence is complete now; the text is then cut before it."""
        seen = self._tail + new
        places = [place for stop in self.stops if (place := seen.find(stop)) >= 0]
        if not places:
            self._tail = seen[-max(map(len, self.stops)) :]
            return False
        whole = "".join(self.gather.text)
        cut = whole[: len(whole) - len(seen) + min(places)]
        before = len(whole) - len(new)
        self.gather.text = [cut[:before], cut[before:]]
        return True

    def reply(self, model: str) -> Reply:
        """All that came."""
        self.gather.model = self.gather.model or model
        return self.gather.reply(seconds=time.perf_counter() - self.started, first_token=self.first)
