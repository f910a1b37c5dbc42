"""Which way a run went, read off its record: answered directly, worked in the loop, or planned; and the run without the sorting."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tao.events import Decided, Event, Replied
from tao.run import Run

TRIAGE = "triage"
"""The setting under which a run records what the rules said, and the beginning of what a reply to the sorting is noted as."""
NEEDED = f"{TRIAGE}:needs_tools"
"""How it is noted that a direct answer asked for tools."""


@dataclass(frozen=True, slots=True)
class Route:
    """The way of a run ("direct", "tools", "plan"), who said so (a rule's name, or "model"), and how sure it was (None: not said).

    `needed_tools`: it was to be answered directly, the answer asked for tools, and the run went on in the loop.
    """

    way: str
    by: str
    confidence: float | None = None
    needed_tools: bool = False


def route(run: Run) -> Route | None:
    """Which way the run went, as far as it is known yet; None where it was not sorted."""
    record: Mapping[str, Any] = run.asked.settings.get(TRIAGE) or {}
    notes = [note for event in run.all(Decided) for note in event.notes if note.startswith(f"{TRIAGE}:")]
    needed = NEEDED in notes
    said = next((note.split(":") for note in notes if note != NEEDED), None)
    if said:
        return Route(said[1], "model", float(said[2]) if len(said) > 2 else None, needed)
    if record.get("way") in {None, "ask"}:
        return None
    return Route(str(record["way"]), str(record.get("rule", "")), None, needed)


def sorting(event: Event) -> bool:
    """Whether this reading is of a reply that only said which way to go."""
    return isinstance(event, Decided) and event.answer is None and any(note.startswith(f"{TRIAGE}:") for note in event.notes)


def unsorted(run: Run) -> Run:
    """The run without the replies that only said which way to go: what rules about its steps look at."""
    if not any(map(sorting, run.events)):
        return run
    kept: list[Event] = []
    for event in run.events:
        if sorting(event):
            kept.pop()
        else:
            kept.append(event)
    return Run(run.id, kept)


def replies(run: Run) -> int:
    """How many replies there are, of any kind."""
    return sum(1 for _ in run.all(Replied))
