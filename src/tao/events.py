"""What happens in a run: ten frozen facts, all past participles, and their JSON form.

The JSON form is versioned. A reader of today opens every older version (`UPGRADES`) and refuses a newer one by name.
"""

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any

from tao.errors import StoreError
from tao.messages import Call, Image, Message, Observation, Reply, ToolSpec

SCHEMA_VERSION = 1
UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""From version n to n+1: `UPGRADES[n](record)`."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened. `at` is Unix time in seconds; two events that differ only in time are equal."""

    at: float = field(default=0.0, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class Asked(Event):
    """A person asked. Everything that the prompt depends on is here, so a run can be read without its agent.

    `later` are tools that can be called only once an observation had to be cut, and that no prompt lists before. `images`
    stand beside the question, with all their bytes: a run needs nothing else to be gone on with or replayed.
    """

    question: str
    tools: tuple[ToolSpec, ...] = ()
    lang: str = "en"
    dialect: str = "auto"
    model: str = ""
    instructions: str = ""
    history: tuple[Message, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    later: tuple[ToolSpec, ...] = ()
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class Recalled(Event):
    """Notes from memory were put into the run."""

    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Nudged(Event):
    """A policy spoke up.

    `text` is said to the model (nothing is, where it is empty). For the next reply `without` tools are not offered,
    `may_call` / `may_answer` close one way, and `hide` leaves the reply that caused it out of the prompt. `lead` is how
    the next thought begins where replies are held to a grammar; there the text need not be said. `replies` are those that a
    judge took (see `tao.judging`), without their text: they are billed like the run's own.
    """

    text: str
    by: str
    without: tuple[str, ...] = ()
    may_call: bool = True
    may_answer: bool = True
    hide: bool = False
    lead: str = ""
    replies: tuple[Reply, ...] = field(default=(), compare=False)

    @property
    def outside(self) -> bool:
        """Whether a judge or a user's own check spoke: a replay, which has neither, takes that as it was."""
        return self.by == "judge" or self.by.startswith("check:")


@dataclass(frozen=True, slots=True)
class Replied(Event):
    """The model answered; recorded before it is read. `prompt` is the request's digest."""

    reply: Reply
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Decided(Event):
    """The reply read: calls to make, or an answer; never both. `notes` says what was mended in reading."""

    thought: str = ""
    calls: tuple[Call, ...] = ()
    answer: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Misread(Event):
    """The reply could not be read: `reason` is a fixed word, `detail` says it to the model in the run's language."""

    reason: str
    detail: str = ""
    thought: str = ""


@dataclass(frozen=True, slots=True)
class Observed(Event):
    """A call came back."""

    call_id: str
    observation: Observation


@dataclass(frozen=True, slots=True)
class Ruled(Event):
    """A person ruled on a call: "approve", "edit" (with `args`), "reject" or "answer" (with `text`).

    It holds for this call of this `run` with the arguments of that hash, once, until `expires` (Unix seconds); `reason` is
    what the person was asked.
    """

    call_id: str
    args_hash: str
    verdict: str
    by: str = ""
    args: Mapping[str, Any] | None = None
    text: str = ""
    expires: float | None = None
    run: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Paused(Event):
    """The run waits for a person."""

    reason: str
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Ended(Event):
    """The run is over. `reason` is "answered", "failed", "refused", "cancelled", or what stopped it; `answer` the best there is.

    `replies` are those that a judge took who let the answer pass, without their text.
    """

    reason: str
    answer: str | None = None
    detail: str = ""
    replies: tuple[Reply, ...] = field(default=(), compare=False)

    @property
    def outside(self) -> bool:
        """Whether an error or a person ended the run, rather than anything that the record lets one work out again."""
        return self.reason in {*RAISED, CANCELLED}


RAISED = ("failed", "refused")
"""How a run ends that an error ended (a model's refusal, told by its reply alone, ends it so too)."""
CANCELLED = "cancelled"


KINDS: dict[str, type[Event]] = {
    cls.__name__.lower(): cls for cls in (Asked, Recalled, Nudged, Replied, Decided, Misread, Observed, Ruled, Paused, Ended)
}


def to_json(event: Event) -> dict[str, Any]:
    """The event as plain JSON values, with its kind and schema version; empty fields are left out."""
    return {"v": SCHEMA_VERSION, "kind": type(event).__name__.lower(), **_packed(event)}


def from_json(record: Mapping[str, Any]) -> Event:
    """The event that `to_json` wrote, in this or any older schema version.

    Raises StoreError where the kind or version is not known, or a field is missing or of the wrong type.
    """
    if not isinstance(record, Mapping):
        raise StoreError(f"an event is an object with its kind, not {record!r:.80}")
    data = dict(record)
    version = data.pop("v", 1)
    if not isinstance(version, int) or version > SCHEMA_VERSION or version < 1:
        raise StoreError(f"event schema version {version!r}; this tao reads 1 to {SCHEMA_VERSION}: use a newer one")
    for step in range(version, SCHEMA_VERSION):
        data = UPGRADES[step](data)
    kind = data.pop("kind", None)
    if not isinstance(kind, str) or kind not in KINDS:
        raise StoreError(f"unknown event kind {kind!r}; known: {', '.join(KINDS)}")
    try:
        return typing.cast("Event", _unpack(KINDS[kind], data))
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise StoreError(f"damaged {kind!r} event: {error}") from error


_PLAIN = (str, int, float, type(None))
_LISTS = (tuple, list)
_MAPPINGS = (dict, Mapping)


@cache
def _packing(cls: type) -> tuple[tuple[str, Any], ...]:
    return tuple((f.name, f.default_factory() if callable(f.default_factory) else f.default) for f in fields(cls))


def _pack(value: Any) -> Any:
    if isinstance(value, _PLAIN):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return _packed(value)
    if isinstance(value, _LISTS):
        return [_pack(item) for item in value]
    if isinstance(value, _MAPPINGS):
        return {str(key): _pack(item) for key, item in value.items()}
    return value


def _packed(value: Any) -> dict[str, Any]:
    """The fields of a dataclass that are not as they are by default."""
    cls: Any = type(value)
    packed = {}
    for name, default in _packing(cls):
        item = getattr(value, name)
        if item != default:
            packed[name] = _pack(item)
    return packed


WANTED: dict[Any, Any] = {tuple: list | tuple, Mapping: Mapping}
"""What a field of this kind is written as."""


@cache
def _hints(cls: type) -> dict[str, Any]:
    return typing.get_type_hints(cls)


def _unpack(hint: Any, value: Any) -> Any:
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        inner = [arm for arm in typing.get_args(hint) if arm is not type(None)]
        return None if value is None else _unpack(inner[0], value)
    if isinstance(hint, type) and is_dataclass(hint):
        hints = _hints(hint)
        return hint(**{name: _unpack(hints[name], item) for name, item in value.items() if name in hints})
    if origin in WANTED and not isinstance(value, WANTED[origin]):
        raise TypeError(f"wanted {origin.__name__}, got {value!r:.80}")
    if origin is tuple:
        return tuple(_unpack(typing.get_args(hint)[0], item) for item in value)
    if hint is float and isinstance(value, int):
        return float(value)
    if isinstance(hint, type) and hint in (str, int, float, bool) and type(value) is not hint:
        raise TypeError(f"wanted {hint.__name__}, got {value!r:.80}")
    return value
