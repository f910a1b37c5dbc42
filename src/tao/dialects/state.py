"""How far a reply was read, and what it came to."""

from dataclasses import dataclass, field

from tao.dialects.clean import SPACE
from tao.dialects.names import Tools
from tao.dialects.wishes import Acts, Fails, Says

MAX_TRIES = 48
"""So many pieces of JSON outside every value are looked at in one reply."""
MAX_TURNS = 24
"""So often a reply may be rewritten while it is read; each time costs as much as the reply is long."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a reply comes to, the thought before it, and what was mended."""

    outcome: Acts | Says | Fails
    thought: str = ""
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Scan:
    """A reply being read from the top. `text` begins with a newline, so every line has one in front.

    `mode` is what the text from `since` on belongs to: "prose", "thought" (labelled), "quoted" (a question or observation
    repeated), or "aside" (kept nowhere). `inside` reads a block of thinking: only labelled steps count there.
    """

    text: str
    tools: Tools
    inside: bool = False
    labelled: bool = False
    skipped: bool = False
    mode: str = "prose"
    since: int = 0
    tries: int = 0
    turns: int = 0
    said: list[tuple[str, str]] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def keep(self, end: int, then: str, since: int) -> None:
        """Put away what was said since the last mark, and go on in another mode."""
        piece = self.text[self.since : end]
        if piece.strip(SPACE) and self.mode != "aside":
            self.said.append((self.mode, piece))
        self.mode, self.since = then, since

    def turn(self, text: str) -> bool:
        """Go on in another text; false, and nothing done, once that was done so often that the reply is no reply."""
        self.turns += 1
        if self.turns > MAX_TURNS:
            return False
        self.text = text
        return True

    def think(self, thought: str) -> None:
        """Keep a block of thinking."""
        if thought.strip(SPACE):
            self.blocks.append(thought.strip(SPACE))

    @property
    def thought(self) -> str:
        """What was thought before the decision."""
        return self.pieces("prose", "thought") or "\n".join(self.blocks)

    def pieces(self, *modes: str) -> str:
        """What was said in these modes, in order, each piece without outer white space."""
        return "\n".join(piece.strip(SPACE) for mode, piece in self.said if mode in modes)
