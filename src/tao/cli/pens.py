"""Two ways to write the parts of a run on a screen as they come: set in two columns on a terminal, labelled lines elsewhere."""

from collections.abc import Mapping
from typing import Protocol

from wcwidth import width

from tao.cli.screen import CLOSES, OPENS, Screen, chopped, plain
from tao.cli.waiting import Spinner

STYLES = {
    "question": ("dim", "bold"), "thought": ("dim cyan", "italic"), "action": ("bold blue", "bold"), "input": ("dim blue", ""),
    "seen": ("dim green", "green"),
    "answer": ("bold", "bold"), "note": ("dim yellow", "dim"),
}  # fmt: skip
"""For each part of a run: the style of its label, and of its text."""


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

    def __init__(self, screen: Screen, labels: Mapping[str, str]) -> None:
        self.screen = screen
        self.labels = labels
        self._edges = Edges()

    def begin(self, part: str) -> None:
        """The label and a colon."""
        self.screen.file.write(f"{self.labels[part]}: ")
        self._edges = Edges()

    def write(self, piece: str) -> None:
        """The text as it is, without blanks around the whole."""
        self.screen.file.write(self._edges.feed(piece))
        self.screen.file.flush()

    def end(self) -> None:
        """End the line."""
        self.screen.file.write("\n")
        self.screen.file.flush()

    def gap(self) -> None:
        """Nothing: the lines are labelled."""

    def wait(self, what: str) -> None:
        """Nothing: nobody is looking."""

    def close(self) -> None:
        """Nothing is shown."""


class ScreenPen:
    """Labels in a left column, text beside them, wrapped as it comes in, with a spinner while there is nothing to write."""

    def __init__(self, screen: Screen, labels: Mapping[str, str]) -> None:
        self.screen = screen
        self.labels = labels
        self.margin = max(map(width, labels.values())) + 2
        self._column = 0
        self._style = ""
        self._edges = Edges()
        self._word = ""
        self._spinner: Spinner | None = None

    def begin(self, part: str) -> None:
        """The label, padded to the column's width."""
        self.close()
        style, self._style = STYLES[part]
        label = self.labels[part]
        self._put(label + " " * (self.margin - width(label)), style)
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
        self._spinner = Spinner(self.screen, what)

    def close(self) -> None:
        """Take the spinner away."""
        if self._spinner:
            self._spinner.close()
            self._spinner = None

    def _set(self, word: str) -> None:
        if word == "\n":
            self._newline()
            return
        if self._column > self.margin and self._column + width(word) > self.screen.width:
            self._newline()
            word = word.lstrip(" ")
        room = self.screen.width - self.margin
        while width(word) > room > 0:  # longer than a line: broken where the line ends
            head = chopped(word, self.screen.width - self._column)[0]
            self._put(head, self._style)
            word = word.removeprefix(head)
            self._newline()
        self._put(word, self._style)
        self._column += width(word)

    def _newline(self) -> None:
        self._put("\n" + " " * self.margin)
        self._column = self.margin

    def _put(self, text: str, style: str = "") -> None:
        self.screen.print((text, style), end="")


def pen_for(screen: Screen, labels: Mapping[str, str]) -> Pen:
    """The pen that does what the screen can."""
    return (ScreenPen if screen.can_redraw else PlainPen)(screen, labels)


def _words(text: str) -> list[str]:
    """Pieces that may stand on different lines: a word with the blanks before it, a wide character with the signs that open before it and close behind it, a line end."""
    words: list[str] = []
    word = ""
    for char in text.replace("\r\n", "\n").replace("\t", "    "):
        wide = width(char) > 1
        if char in CLOSES and not word and words and words[-1] != "\n":
            words[-1] += char
        elif char == "\n" or wide:
            joined = wide and word and (char in CLOSES or not word.strip(OPENS))
            if word and not joined:
                words.append(word)
            word = word + char if joined else char
            if char not in OPENS:
                words.append(word)
                word = ""
        elif char == " " and word.strip():
            words.append(word)
            word = char
        else:
            word += char
    if word:
        words.append(word)
    return words
