"""Which language a tool speaks: that of the run it works for. Texts stand in pairs where they are used."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LANG: ContextVar[str] = ContextVar("tao_lang", default="en")
"""The language of the run that is being served; the registry sets it around every call, threads included."""


def say(en: str, zh: str) -> str:
    """The text in the language of the run."""
    return zh if LANG.get().startswith("zh") else en


@contextmanager
def speaking(lang: str) -> Iterator[None]:
    """Everything said inside is said in this language."""
    token = LANG.set(lang)
    try:
        yield
    finally:
        LANG.reset(token)
