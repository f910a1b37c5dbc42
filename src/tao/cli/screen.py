"""What is written for people: text with looks, wrapped by the width of its characters, and tables, on a screen, in a pipe or in a file.

Widths are in cells: a Chinese character takes two of them.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import IO, Literal

import click
from wcwidth import clip, iter_graphemes, ljust, propagate_sgr, rjust, width
from wcwidth.textwrap import SequenceTextWrapper

OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
ATTRIBUTES, RESET, GAP = {"bold", "dim", "italic"}, "\x1b[0m", "  "


def plain(piece: str) -> str:
    """Text without the characters that a terminal obeys: what models and tools say cannot move the cursor or turn lines around."""
    return OBEYED.sub("", piece)


@dataclass(frozen=True, slots=True)
class Text:
    """Pieces of text, each with its look: words such as "bold" and "dim cyan", or none."""

    pieces: tuple[tuple[str, str], ...]

    @property
    def plain(self) -> str:
        """The text alone."""
        return "".join(piece for piece, _ in self.pieces)


def styled(*parts: Text | str | tuple[str, str]) -> Text:
    """One text of several: as they are, or each with a look."""
    pieces: list[tuple[str, str]] = []
    for part in parts:
        pieces += part.pieces if isinstance(part, Text) else [part if isinstance(part, tuple) else (part, "")]
    return Text(tuple(pieces))


HAN, OPENS, CLOSES = "\u2e80-\u2fff\u3040-\u9fff\uac00-\ud7a3\uf900-\ufaff", "（《〈「『【“‘", "，。、；：？！）》〉」』】”’…—"


class Wrapper(SequenceTextWrapper):
    """Breaks lines between words, and between the characters of scripts that have no blanks between words: behind a sign that closes, before one that opens."""

    _latin = f"[^ \t{HAN}{OPENS}{CLOSES}]+"
    wordsep_simple_re = re.compile(f"([ \t]+|[{OPENS}(\\[{{]*[{HAN}][{CLOSES})\\]}}]*|[{OPENS}]+{_latin}[{CLOSES}]*|{_latin}[{CLOSES}]+)")


def unwrapped(shown: str) -> list[str]:
    """The lines of a rendered text, each with the looks that it has in the whole."""
    return propagate_sgr(shown.split("\n"))


def wrapped(shown: str, cells: int) -> list[str]:
    """A rendered text in lines of at most so many cells."""
    wrapper = Wrapper(max(cells, 2), break_on_hyphens=False)
    return propagate_sgr([line for part in unwrapped(shown) for line in wrapper.wrap(part) or [""]])


def chopped(text: str, cells: int) -> list[str]:
    """The text in pieces of at most so many cells, with every character of it."""
    lines, room = [""], cells
    for sign in iter_graphemes(text):
        took = width(sign)
        if took > room and lines[-1]:
            lines.append("")
            room = cells
        lines[-1] += sign
        room -= took
    return lines


@dataclass(frozen=True, slots=True)
class Screen:
    """Where text goes, and what can be shown there.

    It is standard output, or standard error, unless `to` says another place; `columns` and `terminal` are for whoever knows better than
    the surroundings. FORCE_COLOR makes a terminal of anything, or of nothing where it is empty; NO_COLOR leaves bold, dim and italic.
    """

    err: bool = False
    to: IO[str] | None = None
    columns: int = 0
    terminal: bool | None = None
    env: Mapping[str, str] = field(default_factory=lambda: os.environ)

    @property
    def file(self) -> IO[str]:
        """What is written to."""
        return self.to or (sys.stderr if self.err else sys.stdout)

    @property
    def is_terminal(self) -> bool:
        """Whether somebody looks at it."""
        if self.terminal is not None:
            return self.terminal
        forced = self.env.get("FORCE_COLOR")
        return self.file.isatty() if forced is None else forced != ""

    @property
    def can_redraw(self) -> bool:
        """Whether it is a terminal that can do more than write the next line."""
        return self.is_terminal and self.env.get("TERM", "").lower() not in {"dumb", "unknown"}

    @property
    def width(self) -> int:
        """Cells in a line: what COLUMNS says, else the terminal, else 80."""
        if self.columns:
            return self.columns
        if self.is_terminal and not self.can_redraw:
            return 80
        said = self.env.get("COLUMNS", "")
        return (int(said) if said.isdigit() else 0) or _terminal_width() or 80

    def rendered(self, text: Text | str, *, tidy: bool = False) -> str:
        """The text as it is written here: with escape sequences for its looks where they are understood; on a terminal, or tidy, with no others."""
        tidy = tidy or self.is_terminal
        return "".join(self._look(plain(piece) if tidy else piece, look) for piece, look in styled(text).pieces)

    def _look(self, text: str, look: str) -> str:
        words = [word for word in look.split() if word in ATTRIBUTES or not self.env.get("NO_COLOR")]
        if not (words and text and self.can_redraw):
            return text
        return click.style(text, next((word for word in words if word not in ATTRIBUTES), None), **dict.fromkeys(ATTRIBUTES.intersection(words), True))

    def print(self, *parts: Text | str | tuple[str, str], end: str = "\n", wrap: bool = False, indent: int = 0) -> None:
        """Write parts one after the other, behind so many blanks: as they are, or in lines that fit."""
        shown, blanks = self.rendered(styled(*parts)), " " * indent
        lines = wrapped(shown, self.width - indent) if wrap else unwrapped(shown)
        self.file.write("\n".join((blanks if width(line) else "") + line for line in lines) + end)
        self.file.flush()

    def table(self, table: "Table") -> None:
        """Write a table as wide as the screen, or narrower."""
        self.file.writelines(f"{line}\n" for line in table.lines(self))
        self.file.flush()


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, whether it stands at the right, and what becomes of what does not fit (whole: it gets the room that it needs)."""

    heading: str = ""
    right: bool = False
    fit: Literal["whole", "fold", "cut"] = "whole"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under dim headings, where there are any, as wide as they have to be."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Text | str]]

    def lines(self, screen: Screen) -> Iterator[str]:
        """The lines of the table, without blanks at their ends."""
        heads = [[styled((column.heading, "dim")) for column in self.columns]] if any(column.heading for column in self.columns) else []
        rows = [[screen.rendered(cell, tidy=True) for cell in row] for row in (*heads, *self.rows)]
        widths = self._widths(rows, screen.width)
        for place, row in enumerate(rows):
            fits = ["fold" if place < len(heads) else column.fit for column in self.columns]
            cells = [_fitted(shown, fit, cells) for shown, fit, cells in zip(row, fits, widths, strict=True)]
            for parts in zip_longest(*cells, fillvalue=""):
                aligned = [(rjust if column.right else ljust)(part, cells) for part, column, cells in zip(parts, self.columns, widths, strict=True)]
                yield GAP.join(aligned).rstrip(" ")

    def _widths(self, rows: Iterable[Sequence[str]], room: int) -> list[int]:
        """Cells for each column: what it needs; where that is too much, those that can be folded or cut share what is left, the narrow ones first."""
        found = [max(width(line) for cell in column for line in cell.split("\n")) for column in zip(*rows, strict=True)]
        shares = sorted((at for at, column in enumerate(self.columns) if column.fit != "whole"), key=found.__getitem__)
        left = room - len(GAP) * (len(found) - 1) - sum(cells for at, cells in enumerate(found) if at not in shares)
        for done, at in enumerate(shares):
            found[at] = min(found[at], max(left // (len(shares) - done), 2))
            left -= found[at]
        return found


def _fitted(shown: str, fit: str, cells: int) -> list[str]:
    """The lines of a cell."""
    if fit == "fold":
        return wrapped(shown, cells)
    lines = unwrapped(shown)
    return [_cut(line, cells) if fit == "cut" and width(line) > cells else line for line in lines]


def _cut(line: str, cells: int) -> str:
    return clip(line, 0, cells - 1).removesuffix(RESET) + "…" + RESET * line.endswith(RESET)


def _terminal_width() -> int:
    """The width of the terminal that this process was started in; 0 where there is none."""
    for stream in (0, 1, 2):
        try:
            return os.get_terminal_size(stream).columns
        except OSError:
            continue
    return 0
