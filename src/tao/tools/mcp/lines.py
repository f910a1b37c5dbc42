"""A text encoding for what a server writes: UTF-8 with lines of bounded length, as a line without end would fill the memory.

The library reads a server's standard output in an encoding that one may choose by name, and gathers a line until it ends. This
one breaks off instead: the connection ends as if the server had gone, and `GIVEN_UP` is told why.
"""

import codecs
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

ENCODING = "tao_bounded_lines"
LONGEST_LINE = 32_000_000
"""Characters of one message; an image of some 20 MB."""
GIVEN_UP: ContextVar[Callable[[], object]] = ContextVar("tao_mcp_given_up", default=lambda: None)
"""Called once a line is too long; set around the opening of a connection."""


class Lines(codecs.IncrementalDecoder):
    """Decodes UTF-8 and counts the characters since the last end of a line. Raises ConnectionError after too many."""

    def __init__(self, errors: str = "strict") -> None:
        super().__init__(errors)
        self._inner = codecs.getincrementaldecoder("utf-8")(errors)
        self._since = 0

    def decode(self, data: Any, final: bool = False) -> str:  # noqa: FBT001, FBT002 - as it is overridden
        """The text of these bytes."""
        text = self._inner.decode(data, final)
        _, ended, rest = text.rpartition("\n")
        self._since = len(rest) if ended else self._since + len(text)
        if self._since > LONGEST_LINE:
            GIVEN_UP.get()()
            raise ConnectionError(f"a message of more than {LONGEST_LINE} characters")
        return text


def _found(name: str) -> codecs.CodecInfo | None:
    if name != ENCODING:
        return None
    plain = codecs.lookup("utf-8")
    return codecs.CodecInfo(plain.encode, plain.decode, incrementalencoder=plain.incrementalencoder, incrementaldecoder=Lines, name=ENCODING)


codecs.register(_found)
