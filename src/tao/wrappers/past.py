"""What came back in a run, as far as wrappers ask: how often each tool failed, and what was seen that still holds."""

from collections import Counter
from dataclasses import dataclass, field

from tao.events import Asked, Decided, Event, Observed
from tao.messages import Call, Observation
from tao.permissions.effects import NEVER_RAN, looks
from tao.run import Grown, call_key

Key = tuple[str, str]


@dataclass(slots=True)
class Past:
    """`failed` counts by tool and kind of observation; `latest` has the latest good observation of each call of a tool that looks.

    Only as far as nothing was changed since. `looking` names the tools that look; `calls` are those decided on by their ids,
    each with what is the same for the same call, where it looks.
    """

    looking: frozenset[str] = frozenset()
    calls: dict[str, tuple[Call, Key | None]] = field(default_factory=dict)
    failed: Counter[Key] = field(default_factory=Counter)
    latest: dict[Key, tuple[Call, Observation]] = field(default_factory=dict)

    def key(self, call: Call) -> Key:
        """What is the same for the same call."""
        decided, key = self.calls.get(call.id, (None, None))
        return key if key is not None and decided is call else call_key(call)


def mark(call: Call) -> str:
    """The note of an observation that is the one of this earlier call."""
    return f"= {call.id}"


def _learn(past: Past, event: Event) -> Past:
    if isinstance(event, Observed):
        if decided := past.calls.get(event.call_id):
            _came(past, decided[0], event.observation)
    elif isinstance(event, Decided):
        for call in event.calls:
            past.calls[call.id] = call, call_key(call) if call.tool in past.looking else None
    elif isinstance(event, Asked):
        past.looking = frozenset(spec.name for spec in (*event.tools, *event.later) if looks(spec.effects))
    return past


def _came(past: Past, call: Call, seen: Observation) -> None:
    if not seen.ok:
        past.failed[call.tool, seen.kind] += 1
    if call.tool not in past.looking:
        if seen.kind not in NEVER_RAN:
            past.latest.clear()
    elif seen.ok and not any(note.startswith("= ") for note in seen.notes):
        past.latest[past.key(call)] = call, seen


past = Grown(Past, _learn)
