"""Requests that go out at once.

Before Python 3.12 aiohttp leaves the writing of a request to a task that begins in the next round of the event loop, after all else
that waits there has had its turn: of fifty answers that come together, none is followed up before all of them have been worked
through, and then the model has nothing to do but all of the fifty. From 3.12 on aiohttp does itself what is done here.
"""

import sys
from collections.abc import Coroutine, Generator
from contextlib import suppress
from types import coroutine
from typing import Any

import aiohttp

Writing = Coroutine[Any, Any, None]


class _AtOnce(aiohttp.ClientRequest):
    def write_bytes(self, *args: Any, **kwargs: Any) -> Writing:
        """Begin to write; what gives way to a full connection is gone on with by the task."""
        writing = super().write_bytes(*args, **kwargs)
        try:
            return _rest(writing, writing.send(None))
        except StopIteration:
            return _nothing()


async def _nothing() -> None:
    """All has been written."""


@coroutine
def _rest(writing: Writing, waits: Any) -> Generator[Any, Any, None]:
    """Go on with what has begun and waits for something."""
    with suppress(StopIteration):
        while True:
            try:
                came = yield waits
            except BaseException as error:  # noqa: BLE001 - it is for the writing to see to
                waits = writing.throw(error)
            else:
                waits = writing.send(came)


Sending: type[aiohttp.ClientRequest] = _AtOnce if sys.version_info < (3, 12) else aiohttp.ClientRequest
"""What a session takes as its `request_class`."""
