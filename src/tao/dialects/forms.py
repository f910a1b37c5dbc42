"""Calls written as calls: `tool[input]`, `tool("v")`, `tool(a=1, b=[2])`, with brackets matched."""

from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

from tao.dialects.clean import fence_at
from tao.dialects.later import later
from tao.dialects.repair import Fault, Loose, Read, Stop, read_strict
from tao.messages import Pairs

_PAIRS = {"[": "]", "(": ")", "［": "］", "（": "）", "{": "}"}
_ROUND, _SQUARE = later(r"[()（）]"), later(r"[\[\]［］]")
_QUOTED = later(r"[\"'\n]|\\.")
MAX_BRACKETS = 4000
"""So many brackets are counted in one call."""
_KEYWORD = later(r"([A-Za-z_\u4e00-\u9fff][\w.\-]{0,79}+)[ \t]*[=＝](?![=])")


@dataclass(frozen=True, slots=True)
class Listed:
    """What stood in a call's parentheses: positional values, keyword values, where it ends, whether all were literals."""

    values: list[Any] = field(default_factory=list)
    named: dict[str, Any] = field(default_factory=dict)
    end: int = 0
    literal: bool = True
    whole: bool = True


def closing(text: str, opened: int, limit: int) -> int | None:
    """Where the bracket that opens at `opened` is closed before `limit`; None where it is not.

    Brackets in quotes count like any others unless only leaving them out makes the bracket close at the end of its line.
    """
    begin = opened + 1
    while begin < limit and text[begin] in " \t\n":
        begin += 1
    if text[begin : begin + 1] == "{" and isinstance(found := read_strict(text, begin), Read):
        begin = found.end if found.end <= limit else begin
    elif fence := fence_at(text, begin):
        begin = fence[2] if fence[2] <= limit else begin
    plain = _balance(text, text[opened], begin, limit, quotes=False)
    if plain is not None and _line_ends(text, plain + 1):
        return plain
    aware = _balance(text, text[opened], begin, limit, quotes=True)
    if aware is not None and (plain is None or _line_ends(text, aware + 1)):
        return aware
    return plain


def _line_ends(text: str, at: int) -> bool:
    end = text.find("\n", at)
    return not text[at : len(text) if end < 0 else end].strip(" \t.。;；`*")


def _balance(text: str, opener: str, at: int, limit: int, *, quotes: bool) -> int | None:
    depth, marks = 1, _ROUND if opener in "(（" else _SQUARE
    skip = _skips(text, at, limit) if quotes else []
    index = 0
    for _ in range(MAX_BRACKETS):
        found = marks.search(text, at, limit)
        if found is None:
            break
        at = found.end()
        while index < len(skip) and skip[index][1] <= found.start():
            index += 1
        if index < len(skip) and skip[index][0] <= found.start():
            at = skip[index][1]
            continue
        depth += 1 if found[0] in _PAIRS else -1
        if depth == 0:
            return found.start()
    return None


def _skips(text: str, at: int, limit: int) -> list[tuple[int, int]]:
    """The quoted strings between two places; none goes over a line."""
    found: list[tuple[int, int]] = []
    opened = -1
    for mark in islice(_QUOTED.finditer(text, at, limit), MAX_BRACKETS):
        char, place = mark[0], mark.start()
        if char == "\n":
            opened = -1
        elif len(char) > 1 or (char == "'" and opened < 0 and text[place - 1].isalnum()):
            continue
        elif opened < 0:
            opened = place
        elif text[opened] == char:
            found.append((opened, place + 1))
            opened = -1
    return found


def listed(text: str, opened: int, limit: int | None = None) -> Listed | Fault:
    """The arguments of a call whose parenthesis opens at `opened`, read as literals (JSON's or Python's)."""
    reader = Loose(text if limit is None else text[:limit], opened + 1)
    reader.open.append("(")
    values: list[Any] = []
    named = Pairs()
    fresh = True
    try:
        while (char := reader.skip()) != ")":
            if char == "":
                if fresh or reader.bare or not reader.closed:
                    return Fault("truncated", reader.pos)
                return Listed(values, named, reader.pos, literal=True, whole=False)
            if char == ",":
                reader.comma()
                fresh = True
                continue
            if not fresh:
                return Fault("damaged", reader.pos)
            fresh = False
            if keyword := _KEYWORD.match(reader.text, reader.pos):
                reader.pos = keyword.end()
                named.put(keyword[1], reader.value("("))
            else:
                values.append(reader.value("("))
    except Stop as stop:
        return stop.fault
    return Listed(values, named, reader.pos + 1, not reader.bare)


Bracket = Literal["[", "("]
