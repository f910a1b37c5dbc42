"""Two ways to write the parts of a run on a screen as they come: set in two columns on a terminal, labelled lines elsewhere."""

import re
from typing import Protocol

from rich.cells import cell_len
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

STYLES = {
    "question": ("dim", "bold"), "thought": ("dim cyan", "italic"), "action": ("bold blue", "bold"), "input": ("dim blue", ""),
    "seen": ("dim green", "green"),
    "answer": ("bold", "bold"), "note": ("dim yellow", "dim"),
}  # fmt: skip
"""For each part of a run: the style of its label, and of its text."""


_OBEYED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class Pen(Protocol):
    """Writes one part after the other; a part's text may come in pieces."""

    def begin(self, part: str) -> None:
        """Start a part, under its label."""

    def write(self, piece: str) -> None:
        """More of the part's text."""

    def end(self) -> None:
        """The part is complete."""

    def gap(self) -> None:
        """Leave a line free."""

    def wait(self, what: str) -> None:
        """Show that something takes time, until the next part begins."""

    def close(self) -> None:
        """Stop showing that."""


def plain(piece: str) -> str:
    """Text without the characters that a terminal obeys: what models and tools say cannot move the cursor or turn lines around."""
    return _OBEYED.sub("", piece)


class Edges:
    """Takes a text in pieces and gives it back without blanks around the whole."""

    def __init__(self) -> None:
        self._held: str | None = None  # blanks that may turn out to be the last; None: nothing was written yet

    def feed(self, piece: str) -> str:
        """What is certain to belong to the text now."""
        text = piece.lstrip() if self._held is None else self._held + piece
        body = text.rstrip()
        if body:
            self._held = text[len(body) :]
        elif self._held is not None:
            self._held = text
        return body


class PlainPen:
    """`Label: text`, for pipes, files and terminals that can do no more."""

    def __init__(self, console: Console, labels: dict[str, str]) -> None:
        self.console = console
        self.labels = labels
        self._edges = Edges()

    def begin(self, part: str) -> None:
        """The label and a colon."""
        self.console.file.write(f"{self.labels[part]}: ")
        self._edges = Edges()

    def write(self, piece: str) -> None:
        """The text as it is, without blanks around the whole."""
        self.console.file.write(self._edges.feed(piece))
        self.console.file.flush()

    def end(self) -> None:
        """End the line."""
        self.console.file.write("\n")
        self.console.file.flush()

    def gap(self) -> None:
        """Nothing: the lines are labelled."""

    def wait(self, what: str) -> None:
        """Nothing: nobody is looking."""

    def close(self) -> None:
        """Nothing is shown."""


class ScreenPen:
    """Labels in a left column, text beside them, wrapped as it comes in, with a spinner while there is nothing to write."""

    def __init__(self, console: Console, labels: dict[str, str]) -> None:
        self.console = console
        self.labels = labels
        self.margin = max(map(cell_len, labels.values())) + 2
        self._column = 0
        self._style = ""
        self._edges = Edges()
        self._word = ""
        self._spinner: Progress | None = None

    def begin(self, part: str) -> None:
        """The label, padded to the column's width."""
        self.close()
        style, self._style = STYLES[part]
        label = self.labels[part]
        self._put(label + " " * (self.margin - cell_len(label)), style)
        self._column, self._edges = self.margin, Edges()

    def write(self, piece: str) -> None:
        """The text, broken at the right edge and at its own line ends."""
        *words, last = _words(self._word + self._edges.feed(plain(piece))) or [""]
        for word in words:
            self._set(word)
        self._word = last  # it may go on in the next piece

    def end(self) -> None:
        """End the line."""
        self._set(self._word)
        self._word = ""
        self._put("\n")

    def gap(self) -> None:
        """An empty line."""
        self.close()
        self._put("\n")

    def wait(self, what: str) -> None:
        """A spinner with a clock; it leaves no trace."""
        self.close()
        columns = (SpinnerColumn("dots", style="dim"), TextColumn("[dim]{task.description}"), TimeElapsedColumn())
        self._spinner = Progress(*columns, console=self.console, transient=True)
        self._spinner.add_task(what, total=None)
        self._spinner.start()

    def close(self) -> None:
        """Take the spinner away."""
        if self._spinner:
            self._spinner.stop()
            self._spinner = None

    def _set(self, word: str) -> None:
        if word == "\n":
            self._newline()
            return
        if self._column > self.margin and self._column + cell_len(word) > self.console.width:
            self._newline()
            word = word.lstrip(" ")
        room = self.console.width - self.margin
        while cell_len(word) > room > 0:  # longer than a line: broken where the line ends
            cut = next(
                at for at in range(len(word), 0, -1) if cell_len(word[:at]) <= self.console.width - self._column or at == 1
            )
            self._put(word[:cut], self._style)
            word = word[cut:]
            self._newline()
        self._put(word, self._style)
        self._column += cell_len(word)

    def _newline(self) -> None:
        self._put("\n" + " " * self.margin)
        self._column = self.margin

    def _put(self, text: str, style: str = "") -> None:
        self.console.print(Text(text, style), end="", soft_wrap=True, highlight=False)


def _words(text: str) -> list[str]:
    """Pieces that may stand on different lines: a word with the blanks before it, a wide character, a line end."""
    words, word = [], ""
    for char in text.replace("\r\n", "\n").replace("\t", "    "):
        if char == "\n" or cell_len(char) > 1:
            if word:
                words.append(word)
            words.append(char)
            word = ""
        elif char == " " and word.strip():
            words.append(word)
            word = char
        else:
            word += char
    if word:
        words.append(word)
    return words
