"""Which language a tool speaks: that of the run it works for. Texts stand in pairs where they are used."""

from contextvars import ContextVar, Token

LANG: ContextVar[str] = ContextVar("tao_lang", default="en")
"""The language of the run that is being served; the registry sets it around every call, threads included."""


def say(en: str, zh: str) -> str:
    """The text in the language of the run."""
    return zh if LANG.get().startswith("zh") else en


class speaking:  # noqa: N801 - used as a statement, and it stands around every call
    """Everything said inside is said in this language."""

    __slots__ = ("lang", "token")

    def __init__(self, lang: str) -> None:
        self.lang = lang

    def __enter__(self) -> None:
        self.token: Token[str] = LANG.set(self.lang)

    def __exit__(self, *failure: object) -> None:
        LANG.reset(self.token)
