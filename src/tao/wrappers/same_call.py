"""What a run has already been told is not asked for again."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from tao.events import Asked, Decided, Event, Observed
from tao.messages import Call, Observation
from tao.permissions.effects import looks
from tao.run import Grown, Run, call_key
from tao.seams import Act
from tao.wrappers.words import NEVER_RAN, only_looks, say


def same_call(act: Act, *, volatile: Collection[str] = ()) -> Act:
    """The same call of a tool that changes nothing gives its earlier observation again, with a note that says so.

    Not where the earlier one failed, where anything was changed in between, or for `volatile` tools, which may say
    something else a moment later.
    """
    changing = frozenset(volatile)

    async def remembered(call: Call, run: Run) -> Observation:
        earlier = _earlier(call, run) if call.tool not in changing and only_looks(call, run) else None
        if earlier is None:
            return await act(call, run)
        first, seen = earlier
        note = say(run, "(You made this very call before; it gave:)", "（之前已经做过完全相同的调用，结果是：）")
        return replace(seen, text=f"{note}\n{seen.text}", notes=(*seen.notes, _mark(first)), replies=())

    return remembered


@dataclass(slots=True)
class _Known:
    """The latest good observation of each call of a tool that looks, as far as nothing was changed since; `calls` are those made."""

    looking: frozenset[str] = frozenset()
    calls: dict[str, Call] = field(default_factory=dict)
    latest: dict[tuple[str, str], tuple[Call, Observation]] = field(default_factory=dict)


def _learn(known: _Known, event: Event) -> _Known:
    if isinstance(event, Asked):
        known.looking = frozenset(spec.name for spec in (*event.tools, *event.later) if looks(spec.effects))
    elif isinstance(event, Decided):
        known.calls |= {call.id: call for call in event.calls}
    elif isinstance(event, Observed) and (call := known.calls.get(event.call_id)):
        seen = event.observation
        if call.tool in known.looking:
            if seen.ok and not any(map(_is_mark, seen.notes)):
                known.latest[call_key(call)] = call, seen
        elif seen.kind not in NEVER_RAN:
            known.latest.clear()
    return known


_known = Grown(_Known, _learn)


def _earlier(call: Call, run: Run) -> tuple[Call, Observation] | None:
    """The latest good observation of the same call, unless something was changed after it."""
    latest = _known(run).latest
    return latest.get(call_key(call)) if latest else None


def _mark(call: Call) -> str:
    return f"= {call.id}"


def _is_mark(note: str) -> bool:
    return note.startswith("= ")
