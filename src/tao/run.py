"""A run: the list of what happened in it. Everything else is read off that list."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import RLock
from typing import Any, Generic, TypeVar, cast

from tao.events import Asked, Decided, Ended, Event, Misread, Nudged, Observed, Paused, Recalled, Replied, Ruled
from tao.messages import Call, Observation, ToolSpec, Usage

E = TypeVar("E", bound=Event)
S = TypeVar("S")
_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode

NO_TOOLS = "no_tools"
"""How a reply ends, and why it is misread, where a server refused structured tools."""


class Run:
    """An append-only list of events with an id. Properties compute; what they looked at once they need not look at again (`Grown`)."""

    __slots__ = ("__weakref__", "_grown", "_lock", "_named", "_trail", "events", "id")

    def __init__(self, id: str, events: Iterable[Event] = ()) -> None:  # noqa: A002 - the field's usual name
        self.id = id
        self.events: list[Event] = list(events)
        self._lock = RLock()
        self._trail: list[Event] = []
        self._grown: dict[Grown[Any], tuple[int, Any]] = {}
        self._named: tuple[Event | None, dict[str, ToolSpec]] = None, {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Run, (self.id, self.events)

    def __repr__(self) -> str:
        return f"Run({self.id!r}, {len(self.events)} events, {self.state})"

    # ── what was asked ────────────────────────────────────────────────────────

    @property
    def asked(self) -> Asked:
        """The question and all that came with it; the first event of every run."""
        first = self.events[0]
        assert isinstance(first, Asked), f"a run begins with Asked, not {first!r}"
        return first

    @property
    def notes(self) -> tuple[str, ...]:
        """What memory put into the run."""
        return tuple(note for event in self.all(Recalled) for note in event.notes)

    # ── where it stands ───────────────────────────────────────────────────────

    @property
    def state(self) -> str:
        """One of "ended", "paused", "unread", "acting", "answering", "thinking"."""
        last = self.events[-1] if self.events else None
        if isinstance(last, Ended):
            return "ended"
        if isinstance(last, Paused):
            return "paused"
        if isinstance(last, Replied):
            return "unread"
        if self.pending:
            return "acting"
        return "answering" if isinstance(last, Decided) else "thinking"

    @property
    def pending(self) -> tuple[Call, ...]:
        """Calls decided on and not yet observed, in call order."""
        return _read(self).pending

    @property
    def unruled(self) -> tuple[Call, ...]:
        """Calls of a paused run that nobody has ruled on since it paused, in call order; rulings on others may have come already."""
        done: set[str] = set()
        for event in reversed(self.events):
            if isinstance(event, Paused):
                return tuple(call for call in self.pending if call.id not in done)
            if not isinstance(event, Ruled):
                break
            done.add(event.call_id)
        return ()

    @property
    def nudge(self) -> Nudged | None:
        """The nudge that holds for the next reply, if there is one."""
        last = self.events[-1] if self.events else None
        return last if isinstance(last, Nudged) else None

    @property
    def ended(self) -> Ended | None:
        """How it ended, once it has."""
        last = self.events[-1] if self.events else None
        return last if isinstance(last, Ended) else None

    @property
    def proposed(self) -> str | None:
        """The answer just given and not yet accepted."""
        last = self.events[-1] if self.events else None
        return last.answer if isinstance(last, Decided) else None

    @property
    def answer(self) -> str | None:
        """The final answer; None while the run goes on."""
        return self.ended.answer if self.ended else None

    # ── what it took ──────────────────────────────────────────────────────────

    @property
    def steps(self) -> int:
        """Model replies so far; one reply is one step. A server's refusal of tools is none."""
        return _read(self).steps

    @property
    def paid(self) -> Iterator[Replied]:
        """Every reply of a model, in order: the run's own, and those that an observation (its summary) or a judge took."""
        for event in self.events:
            if isinstance(event, Replied):
                yield event
            elif isinstance(event, Observed):
                yield from (Replied(reply, at=event.at) for reply in event.observation.replies)
            elif isinstance(event, Nudged | Ended):
                yield from (Replied(reply, at=event.at) for reply in event.replies)

    @property
    def usage(self) -> Usage:
        """Tokens of all replies together, those of summaries and judges among them; a count that no reply gave stays None."""
        counts = [event.reply.usage for event in self.paid]
        names = ("prompt", "completion", "cached", "reasoning", "written")
        return Usage(*(_total(getattr(usage, name) for usage in counts) for name in names))

    # ── looking around in it ──────────────────────────────────────────────────

    def all(self, kind: type[E]) -> Iterator[E]:
        """Every event of one kind, in order."""
        return iter(cast("list[E]", _read(self).kinds.get(kind, ())[:]))

    def last(self, kind: type[E]) -> E | None:
        """The latest event of one kind."""
        found = _read(self).kinds.get(kind)
        return cast("E", found[-1]) if found else None

    @property
    def observed(self) -> list[tuple[Call, Observation]]:
        """Every call that came back, with what it gave, in the order in which they came back."""
        return _read(self).observed[:]

    @property
    def misreads(self) -> int:
        """How many replies in a row, up to now, could not be read; a server's refusal of tools is no reply."""
        count = 0
        for event in reversed(self.events):
            if isinstance(event, Misread):
                count += event.reason != NO_TOOLS
            elif isinstance(event, Decided):
                break
        return count

    def ruling(self, call: Call) -> Ruled | None:
        """The person's ruling on exactly this call with exactly these arguments, if there is one."""
        rulings = [ruled for ruled in self.all(Ruled) if ruled.call_id == call.id]
        if not rulings:
            return None
        bound = args_hash(call.tool, call.args)
        return next((ruled for ruled in reversed(rulings) if ruled.args_hash == bound), None)

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools that may be called now: those of the question, and the later ones once an observation has been cut."""
        asked = self.asked
        return asked.tools + asked.later if asked.later and _read(self).cut else asked.tools

    def tool(self, name: str) -> ToolSpec | None:
        """The tool of that name, as the model was shown it; None where it may not be called now."""
        if self._named[0] is not self.events[0]:  # asked for many times in every call
            self._named = self.asked, {spec.name: spec for spec in reversed(self.asked.tools)}
        known = self._named[1].get(name)
        return known if known or not self.asked.later else next((spec for spec in self.tools if spec.name == name), None)


# ── reading it ────────────────────────────────────────────────────────────────


class Grown(Generic[S]):
    """What is read off a run's events one by one: `look` puts an event into what `begin` made, and gives it back.

    A run only grows, so each event is looked at once; where the list is no longer a longer one, all is read anew. What comes
    out is what is kept: it is for reading only. Who watches a run may do so from another thread.
    """

    def __init__(self, begin: Callable[[], S], look: Callable[[S, Event], S]) -> None:
        self._begin, self._look = begin, look

    def __call__(self, run: Run) -> S:
        """What there is of it by now."""
        events, trail = run.events, run._trail  # noqa: SLF001 - what a run keeps for us
        same = events == trail and trail and events[-1] is trail[-1] and events[0] is trail[0]  # the same ones are compared at once
        known = run._grown.get(self)  # noqa: SLF001
        if same and known and known[0] == len(trail):  # nothing is new, as mostly
            return known[1]  # type: ignore[no-any-return]
        with run._lock:  # noqa: SLF001
            if not same:
                _follow(run)
            grown, trail = run._grown, run._trail  # noqa: SLF001
            count, state = grown.get(self) or (0, self._begin())
            try:
                for event in trail[count:]:
                    state = self._look(state, event)
            except BaseException:
                grown.pop(self, None)  # some of the events were looked at, and must not be again
                raise
            grown[self] = len(trail), state
            return state


def _follow(run: Run) -> None:
    """Take over what is new in the run's events; where they are others than they were, nothing that was read off them holds any more.

    Equal events at both ends may differ in time, so that they must be the same.
    """
    events, trail = run.events, run._trail  # noqa: SLF001
    count = len(trail)
    if count <= len(events) and (not count or (events[0] is trail[0] and events[count - 1] is trail[-1] and events[:count] == trail)):
        trail += events[count:]
    else:
        run._grown, run._trail = {}, events[:]  # noqa: SLF001


@dataclass(slots=True)
class _Read:
    """Events by kind, calls by id, those not yet observed, what came back of the others, and whether any of that was cut."""

    kinds: dict[type, list[Event]] = field(default_factory=dict)
    calls: dict[str, Call] = field(default_factory=dict)
    observed: list[tuple[Call, Observation]] = field(default_factory=list)
    pending: tuple[Call, ...] = ()
    steps: int = 0
    cut: bool = False


def _look(read: _Read, event: Event) -> _Read:
    for kind in type(event).__mro__[:-1]:
        read.kinds.setdefault(kind, []).append(event)
    if isinstance(event, Decided):
        read.pending = event.calls
        for call in event.calls:
            read.calls[call.id] = call
    elif isinstance(event, Observed):
        read.cut = read.cut or bool(event.observation.full)
        read.pending = tuple(call for call in read.pending if call.id != event.call_id)
        if event.call_id in read.calls:
            read.observed.append((read.calls[event.call_id], event.observation))
    elif isinstance(event, Replied | Asked):
        read.pending = ()
        read.steps += isinstance(event, Replied) and event.reply.finish != NO_TOOLS
    return read


_read = Grown(_Read, _look)


# ── canonical ─────────────────────────────────────────────────────────────────


def canonical(args: Mapping[str, Any]) -> str:
    """Arguments as one text that is the same for the same values: sorted keys, no spaces, no escapes."""
    return _CANONICAL(args)


def call_key(call: Call) -> tuple[str, str]:
    """What is the same for the same call: the tool and its canonical arguments."""
    return call.tool, canonical(call.args)


def args_hash(tool: str, args: Mapping[str, Any]) -> str:
    """What a ruling is bound to: the tool and its canonical arguments, as 16 hex digits."""
    return hashlib.sha256(f"{tool}\n{canonical(args)}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def once_key(run: Run, call: Call) -> str:
    """The idempotency key of a call: 32 hex digits, the same whenever this call of this run is carried out again."""
    return hashlib.sha256(f"once\n{run.id}\n{call.id}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _total(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
