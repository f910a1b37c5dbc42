"""Which dialect: structured calls first, text where they fail. Which one is in force is read off the run's history."""

from dataclasses import dataclass

from tao.dialects.bracket import Bracket
from tao.dialects.json_action import JsonAction, JsonReply
from tao.dialects.native import Native
from tao.dialects.react import React
from tao.events import Decided, Event, Misread, Replied
from tao.messages import Request
from tao.run import NO_TOOLS, Grown, Run
from tao.seams import Abilities, Dialect, Listener

NAMES = ("auto", "react", "json", "bracket", "native")
MISREADS = 2
"""So many replies in a row that cannot be read, and the dialect changes."""


def _fall(kept: list[Decided | Misread], event: Event) -> list[Decided | Misread]:
    if isinstance(event, Misread) or (isinstance(event, Decided) and ("leaked_call" in event.notes or (kept and isinstance(kept[-1], Misread)))):
        kept.append(event)
    return kept


_falls = Grown(list[Decided | Misread], _fall)
"""What may change the dialect: replies that could not be read, leaked calls, and the first good reply after those."""


def named(name: str, abilities: Abilities) -> Dialect:
    """One dialect, set up for what the model's server can do."""
    constrained = abilities.constraint == "gbnf"
    if name == "native":
        return Native()
    if name == "json" and abilities.constraint == "json_schema":
        return JsonReply()
    text = {"react": React, "json": JsonAction, "bracket": Bracket}[name]
    return text(constrained, grounded=constrained and abilities.small)


@dataclass(frozen=True)
class Auto:
    """Starts in `start` (by default what the model's profile says, else structured calls where the server takes them)."""

    abilities: Abilities
    start: str = ""

    @property
    def first(self) -> str:
        """The dialect of the first reply, and as long as nothing goes wrong."""
        return self.start or self.abilities.dialect or ("native" if self.abilities.tools else "react")

    def ladder(self) -> tuple[str, ...]:
        """The dialects in the order in which they are tried."""
        rest = ("json", "react") if self.abilities.constraint == "json_schema" else ("react", "json")
        return (self.first, *(name for name in rest if name != self.first))

    def in_force(self, run: Run) -> str:
        """The dialect of the next reply: one rung down for each refusal of tools, leaked call, or row of misreads."""
        falls = _falls(run)
        if not falls:
            return self.first
        ladder, rung, row = self.ladder(), 0, 0
        for event in falls:
            if isinstance(event, Decided):
                row = 0
                rung += ladder[rung] == "native" and "leaked_call" in event.notes
            elif isinstance(event, Misread):
                row += 1
                if event.reason == NO_TOOLS or row == MISREADS:
                    rung, row = min(rung + 1, len(ladder) - 1), 0
        return ladder[rung]

    def render(self, run: Run) -> Request:
        """The prompt for the next reply."""
        return named(self.in_force(run), self.abilities).render(run)

    def parse(self, run: Run) -> Decided | Misread:
        """Read the last reply; a server that takes no tools is a misread that changes the dialect."""
        last = run.events[-1]
        assert isinstance(last, Replied)
        if last.reply.finish == NO_TOOLS:
            return Misread(NO_TOOLS)
        return named(self.in_force(run), self.abilities).parse(run)

    def listen(self, run: Run) -> Listener:
        """A reader for the reply that is coming in."""
        return named(self.in_force(run), self.abilities).listen(run)
