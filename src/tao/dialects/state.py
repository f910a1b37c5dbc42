"""How far a reply was read, and what it came to."""

from dataclasses import dataclass, field

from tao.dialects.clean import SPACE
from tao.dialects.names import Tools
from tao.dialects.wishes import Acts, Fails, Says

MAX_TRIES = 48
"""So many pieces of JSON outside every value are looked at in one reply."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a reply comes to, the thought before it, and what was mended."""

    outcome: Acts | Says | Fails
    thought: str = ""
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Scan:
    """A reply being read from the top. `text` begins with a newline, so every line has one in front.

    `mode` is what the text from `since` on belongs to: "prose", "thought" (labelled), or "aside" (kept nowhere).
    `inside` reads a block of thinking: only labelled steps count there.
    """

    text: str
    tools: Tools
    inside: bool = False
    labelled: bool = False
    skipped: bool = False
    mode: str = "prose"
    since: int = 0
    tries: int = 0
    thoughts: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def keep(self, end: int, then: str, since: int) -> None:
        """Put away what was said since the last mark, and go on in another mode."""
        said = self.text[self.since : end].strip(SPACE)
        if said and self.mode != "aside":
            (self.thoughts if self.mode == "thought" else self.prose).append(said)
        self.mode, self.since = then, since

    def think(self, thought: str) -> None:
        """Keep a block of thinking."""
        if thought.strip(SPACE):
            self.blocks.append(thought.strip(SPACE))

    @property
    def thought(self) -> str:
        """What was thought before the decision."""
        return "\n".join(self.prose + self.thoughts) or "\n".join(self.blocks)
