"""What a wrapped model still is: its name, what it can do, how it is closed; and who hears a reply that is begun twice."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from tao.messages import Reply, Request
from tao.seams import Abilities, Hear, Model

Answer = Callable[[Request, Hear | None], Awaitable[Reply]]


class Around:
    """A model that answers by `answer`, and is otherwise the first of `parts`; closing it closes them all."""

    def __init__(self, answer: Answer, *parts: Model) -> None:
        self.answer = answer
        self.parts = parts
        self.name = name_of(parts[0])
        self.abilities: Abilities = getattr(parts[0], "abilities", Abilities())

    async def __call__(self, request: Request, hear: Hear | None = None) -> Reply:
        """Answer one request. Raises ModelError."""
        return await self.answer(request, hear)

    def __getattr__(self, name: str) -> Any:
        """What a wrapper does not know, the wrapped model may."""
        return getattr(self.parts[0], name)

    async def close(self) -> None:
        """Let go of what the running event loop holds open for any of them."""
        for part in self.parts:
            close = getattr(part, "close", None)
            if close is not None and inspect.isawaitable(closing := close()):
                await closing


def name_of(model: Model) -> str:
    """The model's name; empty where it has none."""
    return str(getattr(model, "name", ""))


class Voice:
    """Tells one listener of several attempts at one reply, and nothing twice.

    While nothing was told, an attempt is heard as it comes. What comes after that comes unheard; of the reply that stands in
    the end the part is told that the listener has not heard yet, where its beginning is what was heard.
    """

    def __init__(self, hear: Hear | None) -> None:
        self.hear = hear
        self.told = ""

    @property
    def now(self) -> Hear | None:
        """The listener for the next attempt: none once something was told."""
        return None if self.told else self._tell if self.hear else None

    def finish(self, reply: Reply, *, heard: bool) -> Reply:
        """Tell what is missing of the reply that stands; `heard` where it was heard as it came."""
        if self.hear is not None and not heard and reply.text.startswith(self.told) and (rest := reply.text[len(self.told) :]):
            self.hear(rest)
        return reply

    def _tell(self, text: str) -> bool:
        assert self.hear is not None
        self.told += text
        return self.hear(text)
