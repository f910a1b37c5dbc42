"""JSON as models write it: strict first, then mended where mending cannot change the meaning.

Mended are: single, full-width, triple and over-escaped quotes, Python words, comments, missing or surplus commas, colons
and brackets, unquoted keys and plain words, raw newlines, wrong escapes, unescaped inner quotes where one reading is left.
Never mended is what may be cut off: an open string, or a number or word at the very end. Nothing here guesses an end.

One pass, no backtracking: the time is linear in the length of the text, and `Fault.at` says how much of it was read.
"""

import json
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

from tao.dialects.escapes import unescape
from tao.dialects.later import later
from tao.dialects.quoting import FOLD, QUOTES, SPACES, Around, closing_quote
from tao.messages import Pairs, paired

MAX_DEPTH = 100
MAX_VALUES = 1000
"""Limits of mending: so deep, so many values. Valid JSON knows only the first."""

_NUMBER = later(r"[+-]?(?:(?:0|[1-9]\d{0,400})(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,4})?(?![\w.+\-%:/@])")
_INTEGER = later(r"[+-]?\d+")
_WORD = later(r"[^,{}\[\]()\"“”\n，｛｝［］（）：`<>=|;]{1,400}+")
_KEY = later(r"[A-Za-z_\u4e00-\u9fff$][\w.\-$]{0,79}+")
_CLOSERS = {"{": "}", "[": "]", "(": ")"}
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "none": None, "undefined": None, "nil": None}


@dataclass(frozen=True, slots=True)
class Read:
    """A value, where it ends, and whether it had to be mended; `cut` where the text was over before its last bracket."""

    value: Any
    end: int
    mended: bool = False
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no value: "truncated" (it may go on) or "damaged"; `at` is how far the text was read."""

    kind: Literal["truncated", "damaged"]
    at: int


TOO_DEEP = Fault("damaged", 0)
"""What is nested so deeply that Python's own reader gives up: mending would stop far earlier."""


class Stop(Exception):
    """Reading ends here without a value."""

    def __init__(self, kind: Literal["truncated", "damaged"], at: int) -> None:
        self.fault = Fault(kind, at)


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text} is no JSON number")
    return number


STRICT = json.JSONDecoder(strict=False, parse_float=_finite, parse_constant=_finite)
PAIRED = json.JSONDecoder(strict=False, parse_float=_finite, parse_constant=_finite, object_pairs_hook=paired)
"""The same, slower, where a key may stand twice in an object."""
_COLON = later(r'"\s*+:')


def read_json(text: str, start: int = 0, end: int | None = None, *, sealed: bool = False) -> Read | Fault:
    """The JSON value that begins at `start`, strictly or mended; what follows it is not looked at.

    `end` is where the text that may belong to it ends. `sealed` says that the model itself went on behind that end, so
    a last number is not cut off.
    """
    strict = read_strict(text, start)
    if isinstance(strict, Read) or strict is TOO_DEEP:
        return strict
    return read_loose(text if end is None else text[:end], start, sealed=sealed)


def read_strict(text: str, start: int = 0) -> Read | Fault:
    """The value that begins at `start` as JSON defines it (raw newlines in strings are let through)."""
    try:
        value, end = STRICT.raw_decode(text, start)
    except json.JSONDecodeError as error:
        return Fault("damaged", max(start, error.pos))
    except RecursionError:
        return TOO_DEEP
    except ValueError:
        return Fault("damaged", len(text))
    if text.count("[", start, end) + text.count("{", start, end) > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        return Fault("damaged", end)
    if type(value) is dict or type(value) is list:
        colons = text.count(":", start, end)
        plainly = type(value) is dict and colons == len(value)
        if not plainly and colons != (keys := _keys(value)) and len(_COLON.findall(text, start, end)) != keys:
            value, end = PAIRED.raw_decode(text, start)
    return Read(value, end)


def _keys(value: Any) -> int:
    """How many keys its objects have. Each stands before a colon, so that with as many colons none has been lost as a double."""
    inner = value.values() if type(value) is dict else value
    count = len(value) if type(value) is dict else 0
    for item in inner:
        if type(item) is dict or type(item) is list:
            count += _keys(item)
    return count


def read_loose(text: str, start: int = 0, *, sealed: bool = False, body: bool = False) -> Read | Fault:
    """The value that begins at `start`, mended where need be. With `body` the opening brace of an object is missing."""
    reader = Loose(text, start, sealed=sealed)
    try:
        value = reader.members("{") if body else reader.value("")
    except Stop as stop:
        return stop.fault
    return Read(value, reader.pos, mended=True, cut=reader.cut)


def _depth(value: Any) -> int:
    depth, layer = 0, [value]
    while layer and depth <= MAX_DEPTH + 1:
        depth += 1
        layer = [
            inner
            for item in layer
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return depth


class Loose:
    """A forgiving reader over one text; `pos` is where it stands, `closed` whether the last value surely is whole."""

    def __init__(self, text: str, pos: int, *, sealed: bool = False) -> None:
        self.text = text
        self.pos = pos
        self.sealed = sealed
        self.closed = False
        self.open: list[str] = []
        self.bare = False
        self.guessed = False
        self.cut = False
        self.values = 0

    def stop(self, kind: Literal["truncated", "damaged"] = "damaged") -> Stop:
        """The exception to raise: there is no value."""
        return Stop(kind, self.pos)

    def skip(self) -> str:
        """Go past white space and comments; return the next character with full-width punctuation folded, or ""."""
        text = self.text
        while True:
            space = SPACES.match(text, self.pos)
            self.pos = space.end() if space else self.pos
            two = text[self.pos : self.pos + 2]
            if two == "/*":
                end = text.find("*/", self.pos + 2)
                if end < 0:
                    self.pos = len(text)
                    raise self.stop("truncated")
                self.pos = end + 2
            elif two == "//" or two[:1] == "#":
                end = text.find("\n", self.pos)
                self.pos = len(text) if end < 0 else end
            else:
                return FOLD.get(two[:1], two[:1])

    def comma(self) -> None:
        """Go past a comma."""
        self.pos += 1
        self.values += 1
        if self.values > MAX_VALUES:
            raise self.stop()

    def value(self, enclosing: str) -> Any:
        """Any value."""
        char = self.skip()
        self.values += 1
        if char == "":
            raise self.stop("truncated")
        if self.values > MAX_VALUES:
            raise self.stop()
        if char in _CLOSERS:
            if len(self.open) >= MAX_DEPTH:
                raise self.stop()
            return self.object() if char == "{" else self.array(char)
        if char in QUOTES or self.text.startswith('\\"', self.pos) or self.text.startswith("\\'", self.pos):
            return self.string(enclosing)
        return self.word()

    def object(self) -> dict[str, Any]:
        """An object, with single or doubled braces (`{{ }}`, left over from a template)."""
        doubled = self.text[self.pos + 1 : self.pos + 2] in {"{", "｛"}
        self.pos += 1 + doubled
        result = self.members("{")
        if doubled and self.skip() == "}":
            self.pos += 1
        return result

    def members(self, opener: str) -> dict[str, Any]:
        """The inside of an object up to and with its closing brace."""
        self.open.append(opener)
        comma = False
        pairs = Pairs()
        while True:
            char = self.skip()
            if char == "":
                self.finish(comma=comma, empty=not pairs)
                break
            if char == "}":
                self.pos += 1
                break
            if char == "]":
                if "[" in self.open:
                    break
                self.pos += 1
            elif char == ",":
                self.comma()
                comma = True
            else:
                key = self.key(char)
                pairs.put(key, self.value("{"))
                comma = False
        self.open.pop()
        self.closed = True
        return pairs.plain()

    def key(self, char: str) -> str:
        """A key with its colon."""
        if char in QUOTES or self.text.startswith('\\"', self.pos):
            key = self.key_string()
        elif found := _KEY.match(self.text, self.pos):
            key, self.pos = found[0], found.end()
        else:
            raise self.stop()
        char = self.skip()
        if char in {":", "="}:
            self.pos += 2 if self.text.startswith(("=>", ":="), self.pos) else 1
        elif char == "":
            raise self.stop("truncated")
        elif char not in QUOTES and char not in "{[" and not char.isdigit():
            raise self.stop()
        return key

    def key_string(self) -> str:
        """A quoted key: it ends at the first quote."""
        escaped = self.text[self.pos] == "\\"
        quote = self.text[self.pos + escaped]
        begin = self.pos + escaped + 1
        closing = '"”' if quote in '"“”' else QUOTES[quote]
        end = self.text.find(closing[0], begin, begin + 400)
        if closing[1:] and (other := self.text.find(closing[1], begin, end if end >= 0 else begin + 400)) >= 0:
            end = other
        if end < 0:
            self.pos = min(len(self.text), begin + 400)
            raise self.stop("truncated" if self.pos == len(self.text) else "damaged")
        self.pos = end + 1
        return unescape(self.text[begin:end].removesuffix("\\"))

    def array(self, opener: str) -> list[Any]:
        """An array, or a Python tuple."""
        close = _CLOSERS[opener]
        self.open.append(opener)
        self.pos += 1
        result: list[Any] = []
        comma = False
        while True:
            char = self.skip()
            if char == "":
                self.finish(comma=comma, empty=not result)
                break
            if char == close:
                self.pos += 1
                break
            if char in "}])":
                if char == "}" and "{" in self.open:
                    break
                raise self.stop()
            if char == ",":
                self.comma()
                comma = True
            else:
                result.append(self.value("["))
                comma = False
        self.open.pop()
        self.closed = True
        return result

    def finish(self, *, comma: bool, empty: bool) -> None:
        """The text is over before the container is: right only where the last value is surely whole."""
        if comma or empty or self.guessed or not (self.closed or self.sealed):
            raise self.stop("truncated")
        self.cut = True

    def word(self) -> Any:
        """A number, a literal, or plain unquoted words."""
        if number := _NUMBER.match(self.text, self.pos):
            self.pos = number.end()
            self.closed = False
            try:
                return int(number[0]) if _INTEGER.fullmatch(number[0]) else _finite(number[0])
            except ValueError:
                raise self.stop() from None
        found = _WORD.match(self.text, self.pos)
        words = found[0].rstrip() if found else ""
        if not found or not words or ": " in words or self.text.startswith("//", found.end()):
            raise self.stop()
        self.pos = found.end()
        char = self.skip()
        if not any(map(str.isalnum, words)):
            raise self.stop()
        if words.lower() in _WORDS:
            self.closed = True
            return _WORDS[words.lower()]
        self.closed = False
        if char not in {",", "}", "]", ")", ""} and self.text[found.end() : found.end() + 1] != "\n":
            raise self.stop()
        if not self.open:
            raise self.stop()
        self.bare = True
        return words

    # ── strings ───────────────────────────────────────────────────────────────

    def string(self, enclosing: str) -> str:
        """A string with any of the quotes that models use."""
        text = self.text
        for triple in ('"""', "'''"):
            if text.startswith(triple, self.pos) and (end := text.find(triple, self.pos + 3)) >= 0:
                content = text[self.pos + 3 : end]
                self.pos, self.closed = end + 3, True
                return unescape(content)
        escaped = text[self.pos] == "\\"
        quote = text[self.pos + escaped]
        begin = self.pos + escaped + 1
        place, inner = closing_quote(text, begin, quote, Around(enclosing, "(" in self.open), escaped=escaped)
        if place is None:
            self.pos = len(text)
            raise self.stop("damaged" if inner else "truncated")
        self.guessed = self.guessed or inner > 0
        self.pos, self.closed = place + 1 + escaped, True
        content = text[begin:place]
        return unescape(content.replace('\\\\"', '"').replace('\\"', '"') if escaped else content)
