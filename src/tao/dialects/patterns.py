"""Regular expression → GBNF: the texts that a pattern allows, as they stand inside a JSON string.

A pattern without `^` or `$` may be found anywhere in the text, as JSON schema has it.
"""

import re
from collections.abc import Iterable, Sequence
from re import _constants as sre  # type: ignore[attr-defined]  # the parse tree of a pattern; no public module gives it
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, Protocol

Spans = list[tuple[int, int]]
"""Characters as ranges of code points, both ends included."""

AROUND = 200
"""Most characters beside a pattern that is not anchored."""
MOST = 200
"""Most repetitions of what has no limit of its own."""
MOST_EMPTY = 3
"""Most repetitions of what may be empty: more of them say nothing new, and each is one more way to read the same text."""

LAST = 0x10FFFF
SURROGATES = (0xD800, 0xDFFF)
MARKED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f", "\b": "\\b"}
"""Characters that JSON writes with a backslash."""
UNWRITTEN: Spans = [(0, 0x1F), (0x22, 0x22), (0x5C, 0x5C), (0x7F, 0x7F), SURROGATES]
SPACES: Spans = [(0x09, 0x0D), (0x1C, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029),
                 (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000)]  # fmt: skip
DIGITS: Spans = [(0x30, 0x39)]
LETTERS: Spans = [(0x41, 0x5A), (0x61, 0x7A), (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x24F), (0x3400, 0x4DBF), (0x4E00, 0x9FFF)]
"""Latin and Chinese: what `\\w` is used for."""
MARKS: Spans = [(0x2010, 0x2027), (0x2030, 0x205E), (0x3000, 0x3003), (0x3008, 0x3020), (0xFF01, 0xFF0F), (0xFF1A, 0xFF20), (0xFF5B, 0xFF65)]
"""Punctuation beyond ASCII: of `\\W`."""


class Naming(Protocol):
    """What gives names to bodies (`grammar.Rules`)."""

    def add(self, hint: str, body: str) -> str:
        """Give the body a name and return it."""

    def shared(self, name: str) -> str:
        """The name of a rule that all use."""


class _Unsayable(Exception):
    """The pattern uses something that GBNF has no words for."""


def pattern_rule(pattern: str, rules: Naming) -> str | None:
    """A GBNF body for the texts in which the pattern is found; None where a grammar cannot say it (look-around, back references)."""
    try:
        tree = parser.parse(pattern)
        return _Reader(rules, bool(tree.state.flags & re.IGNORECASE)).whole(list(tree), before=True, after=True)
    except (re.error, _Unsayable, RecursionError, OverflowError):
        return None


class _Reader:
    """Reads one pattern; `fold`: upper and lower case are the same."""

    def __init__(self, rules: Naming, fold: bool) -> None:  # noqa: FBT001
        self.rules = rules
        self.fold = fold

    def whole(self, items: Sequence[Any], *, before: bool, after: bool) -> str:
        """A sequence at the beginning (`before`) or end (`after`) of the pattern: what is not anchored may have text beside it."""
        if before and items and items[0] in ((sre.AT, sre.AT_BEGINNING), (sre.AT, sre.AT_BEGINNING_STRING)):
            items, before = items[1:], False
        if after and items and items[-1] in ((sre.AT, sre.AT_END), (sre.AT, sre.AT_END_STRING)):
            items, after = items[:-1], False
        around = f"{self.rules.shared('char')}{{0,{AROUND}}}"
        if not items:
            return around if before or after else '""'
        parts = []
        for place, (op, value) in enumerate(items):
            first, last = before and place == 0, after and place == len(items) - 1
            if (first or last) and op is sre.BRANCH:
                parts.append(_either(self.whole(list(arm), before=first, after=last) for arm in value[1]))
            elif (first or last) and op is sre.SUBPATTERN:
                parts.append(f"({self.within(value).whole(list(value[-1]), before=first, after=last)})")
            else:
                parts += [around] * first + [self.one(op, value, inside=False)] + [around] * last
        return " ".join(parts)

    def one(self, op: Any, value: Any, *, inside: bool) -> str:
        """One item of a sequence; `inside` a repetition, endless ones stay endless."""
        if op is sre.BRANCH:
            return _either(self.several(arm, inside=inside) for arm in value[1])
        if op is sre.SUBPATTERN:
            return f"({self.within(value).several(value[-1], inside=inside)})"
        if op in {sre.MAX_REPEAT, sre.MIN_REPEAT}:
            return self.repeated(*value, inside=inside)
        return characters(self.spans(op, value))

    def within(self, group: Any) -> "_Reader":
        """The reader for a group, which may have flags of its own."""
        _, on, off, _ = group
        return _Reader(self.rules, (self.fold or bool(on & re.IGNORECASE)) and not off & re.IGNORECASE)

    def several(self, items: Iterable[Any], *, inside: bool) -> str:
        """A sequence inside the pattern."""
        return " ".join(self.one(op, value, inside=inside) for op, value in items) or '""'

    def repeated(self, low: int, high: int, body: Any, *, inside: bool) -> str:
        """A repetition, of a rule of its own: llama.cpp multiplies repetitions that stand within one another."""
        narrowest = body.getwidth()[0]
        least = min(int(low), MOST)
        most = "" if high is sre.MAXREPEAT and inside and narrowest else str(min(int(high), max(least, MOST)))
        if not narrowest:
            least, most = 0, str(min(int(high), MOST_EMPTY))
        name = self.rules.add("part", self.several(body, inside=inside or (low, high) not in {(0, 1), (1, 1)}))
        return f"{name}{{{least},{most}}}"

    def spans(self, op: Any, value: Any) -> Spans:
        """The characters that one item stands for."""
        if op is sre.LITERAL:
            return self.cases([(value, value)])
        if op is sre.NOT_LITERAL:
            return without(self.cases([(value, value)]))
        if op is sre.ANY:
            return without([(0x0A, 0x0A)])
        if op is sre.RANGE:
            return self.cases([value])
        if op is sre.CATEGORY and value in CATEGORIES:
            return CATEGORIES[value]
        if op is sre.IN:
            negated = value[0][0] is sre.NEGATE
            found = [span for kind, part in value[negated:] for span in self.spans(kind, part)]
            return without(found) if negated else found
        raise _Unsayable(op)

    def cases(self, spans: Spans) -> Spans:
        """The characters, with their other case where case does not matter (Latin letters)."""
        if not self.fold:
            return spans
        shifted = [
            (max(low, first) + shift, min(high, first + 25) + shift)
            for low, high in spans for first, shift in ((0x41, 32), (0x61, -32)) if low <= first + 25 and high >= first
        ]  # fmt: skip
        return spans + shifted


def characters(spans: Spans) -> str:
    """One of these characters as JSON writes it inside a string."""
    plain = "".join(_span(low, high) for low, high in without(without(spans) + UNWRITTEN))
    marked = [_literal(MARKED[char]) for char in MARKED if any(low <= ord(char) <= high for low, high in spans)]
    single = {low for span in spans for low in span}
    if len(single) == 1 and not marked and plain:
        return _literal(chr(single.pop()))
    arms = [f"[{plain}]"] * bool(plain) + marked
    if not arms:
        raise _Unsayable(spans)
    return _either(arms)


def without(spans: Spans) -> Spans:
    """All characters but these, in order."""
    rest, start = [], 0
    for low, high in sorted(spans):
        if low > start:
            rest.append((start, low - 1))
        start = max(start, high + 1)
    return [*rest, (start, LAST)] if start <= LAST else rest


CATEGORIES: dict[Any, Spans] = {
    sre.CATEGORY_DIGIT: DIGITS,
    sre.CATEGORY_NOT_DIGIT: without(DIGITS),
    sre.CATEGORY_WORD: [*DIGITS, *LETTERS, (0x5F, 0x5F)],
    sre.CATEGORY_NOT_WORD: [*without([*DIGITS, *LETTERS, (0x5F, 0x5F), (0x80, LAST)]), *MARKS],
    sre.CATEGORY_SPACE: SPACES,
    sre.CATEGORY_NOT_SPACE: without(SPACES),
}


def in_class(char: str) -> str:
    """The character as it stands in a GBNF class; llama.cpp knows few escapes there, so all that may mean something go by number."""
    if char in '\\]^-["' or not char.isprintable():
        code = ord(char)
        return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
    return char


def _span(low: int, high: int) -> str:
    return in_class(chr(low)) if low == high else f"{in_class(chr(low))}-{in_class(chr(high))}"


def _literal(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _either(arms: Iterable[str]) -> str:
    listed = list(dict.fromkeys(arms))
    return listed[0] if len(listed) == 1 else f"({' | '.join(listed)})"
