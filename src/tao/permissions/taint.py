"""Which arguments rest on text that strangers may have written: a pure reading of the run.

Untrusted is what a tool with the effect "network" or "untrusted" brought back, and what any tool made of arguments that
rest on that. An argument rests on it where it stands in it, or shares a long stretch with it, and did not stand in what
the person said.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from tao.messages import Call
from tao.permissions.effects import UNTRUSTED
from tao.run import Run

STRETCH, STRETCH_WIDE = 12, 4
"""Characters that a value must share with a text to rest on it, letters and digits counted; Chinese ones say more each."""
SHORTEST, SHORTEST_WIDE = 3, 2
"""A value with fewer is too common to say where it comes from."""
LONGEST = 4_000
"""Longer values are looked at with gaps."""

_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?(?P<user>[^/@\s]*@)?(?:www\.)?(?P<host>[^\s/?#:@\[\]]+\.[^\s/?#:@.]{2,}|\[[0-9a-f:.]+\]|(?:\d+\.){3}\d+)\.?"
                      r"(?P<rest>(?::\d+)?(?:[/?#].*)?)", re.IGNORECASE | re.DOTALL)  # fmt: skip
_WORD = re.compile(r"[^\W_]+")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def rests_on(call: Call, run: Run) -> tuple[str, str] | None:
    """The parameter and the tool whose text its value comes from; None where every value is the person's or the model's own."""
    sources = _untrusted(call, run)
    return _source(call, sources, _said(run)) if sources else None


def leads_out(call: Call, run: Run) -> tuple[str, str] | None:
    """The parameter whose address was made up on a host that strangers' text names, and the tool that brought the text.

    An address that stands in the text as a whole is a link like any other. One that says more than the text did could
    carry out what the run knows ("https://host/?" and a secret). A host that the person named is the person's choice.
    """
    found = [(name, match) for name, value in call.args.items() for text in leaves(value) if (match := _ADDRESS.fullmatch(text.strip()))]
    sources = _untrusted(call, run) if found else []
    said = squeeze(_said(run)) if sources else ""
    for name, match in found:
        host = match["host"]
        domain, whole = squeeze(".".join(host.split(".")[-2:]) if host[-1].isalpha() else host), squeeze(f"{match['user'] or ''}{host}{match['rest']}")
        tool = next((tool for tool, source in sources if domain in source), None)
        if tool is not None and domain not in said and not any(whole in source for _, source in sources):
            return name, tool
    return None


def _untrusted(call: Call, run: Run) -> list[tuple[str, str]]:
    """Texts that strangers may have written, squeezed, with the tools that brought them; in order, so that taint is handed on."""
    found: list[tuple[str, str]] = []
    strangers = {spec.name: not UNTRUSTED.isdisjoint(spec.effects) for spec in run.tools}
    for other, seen in run.observed:
        if other.id == call.id:
            continue
        if strangers.get(other.tool, True) or (found and _source(other, found, _said(run))):
            found.append((other.tool, squeeze(f"{seen.text}\n{seen.full}")))
    return found


def _said(run: Run) -> str:
    """What the person said, in this question or before, and what the agent was told by its owner."""
    asked = run.asked
    return "\n".join((asked.question, asked.instructions, *(told.content for told in asked.history if told.role in {"user", "system"})))


def _source(call: Call, sources: list[tuple[str, str]], said: str) -> tuple[str, str] | None:
    plain, words = squeeze(said), _words(said)
    for name, value in call.args.items():
        for text in leaves(value):
            tool = next((tool for tool, source in sources if _rests(text, source, plain, words)), None)
            if tool is not None:
                return name, tool
    return None


def leaves(value: Any) -> Iterable[str]:
    """Every text and number in a value, as text, and the names inside objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)


def squeeze(text: str) -> str:
    """Letters and digits alone, small and of one width: how a value is set must not hide where it comes from."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _words(text: str) -> str:
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return f" {' '.join(words)} "


def _rests(value: str, source: str, said: str, words: str) -> bool:
    bare = squeeze(value)
    wide = len(_WIDE.findall(bare)) * 2 > len(bare)
    if len(bare) < (SHORTEST_WIDE if wide else SHORTEST) or _is_said(value, bare, said, words, wide=wide):
        return False
    stretch = min(len(bare), STRETCH_WIDE if wide else STRETCH)
    if len(bare) == stretch:
        return bare in source
    step = 1 if len(bare) <= LONGEST else stretch // 2
    pieces = (bare[at : at + stretch] for at in range(0, len(bare) - stretch + 1, step))
    return any(piece in source and piece not in said for piece in pieces)


def _is_said(value: str, bare: str, said: str, words: str, *, wide: bool) -> bool:
    """Whether the whole value stands in what the person said; a short one as words of its own, not inside others."""
    return bare in said if wide or len(bare) >= STRETCH else _words(value) in words
