"""What is said to a model and what it says back. Plain values; standard library only."""

import hashlib
import json
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from json.encoder import encode_basestring
from typing import Any, Generic, Literal, TypeVar

Role = Literal["system", "user", "assistant", "tool"]
T = TypeVar("T")
R = TypeVar("R")
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Pairs(dict[str, Any]):
    """An object as it is written, pair by pair. `double` is a key that stands in it twice with different values; the last one is kept."""

    __slots__ = ("double",)

    def __init__(self, pairs: Iterable[tuple[str, Any]] = (), double: str | None = None) -> None:
        super().__init__()
        self.double = double
        for key, value in pairs:
            self.put(key, value)

    def put(self, key: str, value: Any) -> None:
        """One more pair."""
        if self.double is None and key in self and not (type(self[key]) is type(value) and self[key] == value):
            self.double = key
        self[key] = value

    def plain(self) -> dict[str, Any]:
        """An ordinary object; itself where a key stands in it twice."""
        return dict(self) if self.double is None else self


def paired(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of these pairs, for `object_pairs_hook`; a `Pairs` only where a key stands in it twice with different values."""
    found = dict(pairs)
    return found if len(found) == len(pairs) else Pairs(pairs).plain()


def doubled(value: Any) -> str | None:
    """A key that stands twice in one object of a JSON value, with different values; None where there is none."""
    layer = [value] if isinstance(value, (dict, list)) else []
    while layer:
        further: list[Any] = []
        for one in layer:
            if type(one) is Pairs and one.double is not None:
                return one.double
            further += [inner for inner in (one.values() if isinstance(one, dict) else one) if isinstance(inner, (dict, list))]
        layer = further
    return None


class Kept(Generic[T, R]):
    """A pure function that is asked once for each value, by identity; what it gave is kept as long as the value lives.

    A prompt is the last one and a little more, so what is made of each message need not be made again at every step.
    """

    def __init__(self, make: Callable[[T], R]) -> None:
        known: dict[int, _Made[T, R]] = {}
        self._make, self._known = make, known
        self._forget: Callable[[Any], object] = lambda made: known.pop(made.key, None)

    def __call__(self, value: T) -> R:
        """What the function gives for this value."""
        key = id(value)
        made = self._known.get(key)
        if made is None:
            made = _Made(value, self._forget)
            made.key, made.result = key, self._make(value)
            self._known[key] = made
        return made.result

    def each(self, values: Iterable[T]) -> list[R]:
        """What it gives for each of these values, in order."""
        known = self._known
        return [made.result if (made := known.get(id(value))) is not None else self(value) for value in values]


class _Made(weakref.ref[T], Generic[T, R]):
    __slots__ = ("key", "result")
    key: int
    result: R


@dataclass(frozen=True, slots=True, weakref_slot=True)
class ToolSpec:
    """A tool as the model sees it. `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    effects: tuple[str, ...] = ("reads",)


@dataclass(frozen=True, slots=True)
class Call:
    """One thing to be done. `id` is ours ("3.1": third reply, first call); `provider_id` is the server's own, if any."""

    id: str
    tool: str
    args: Mapping[str, Any]
    provider_id: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A structured call as a server sent it; `arguments` is the text as received."""

    name: str
    arguments: str
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Image:
    """A picture beside a user's words: its bytes as base64 text in `data`, or the `url` that the model's server fetches it from.

    `media` is "image/png", "image/jpeg", "image/gif" or "image/webp"; empty for a url.
    """

    media: str = ""
    data: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Message:
    """One message of a prompt. `calls` on assistant messages, `call_id` on tool results, `images` on a user's.

    `kept` is what came with the reply of an assistant's message (see `Reply`).
    """

    role: Role
    content: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None
    reasoning: str | None = None
    images: tuple[Image, ...] = ()
    kept: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """One model call.

    `tools` is set only where calls are to come back structured; `tool_choice` then says whether they may or must. `grammar` is GBNF text; `schema` a JSON schema for the
    whole reply; at most one of the two is set, and only for servers that can hold a reply to it. `likely`: so many of the
    likeliest first tokens are to come back with their probabilities, from servers that tell them.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    stop: tuple[str, ...] = ()
    grammar: str | None = None
    schema: Mapping[str, Any] | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    tool_choice: Literal["auto", "none", "required"] = "auto"
    likely: int = 0

    def digest(self) -> str:
        """Sixteen hex digits that stand for every byte of this request; replay compares them."""
        settings = (self.grammar, self.schema, self.max_tokens, self.temperature, self.tool_choice, *((self.likely,) if self.likely else ()))
        parts = (_message_text.each(self.messages), _tool_text.each(self.tools), map(_json, self.stop), map(_json, settings))
        messages, tools, stop, rest = map(",".join, parts)
        text = f"[[{messages}],[{tools}],[[{stop}],{rest}]]"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@Kept
def _message_text(m: Message) -> str:
    calls = ",".join(f"[{_json(c.id)},{_json(c.name)},{_json(c.arguments)}]" for c in m.calls)
    more = f",{_json([(image.media, image.data, image.url) for image in m.images])},{_json(m.kept)}" if m.images or m.kept else ""
    return f"[{_json(m.role)},{_json(m.content)},{_json(m.reasoning)},{_json(m.call_id)},[{calls}]{more}]"


def _json(value: object) -> str:
    if value is None:
        return "null"
    return encode_basestring(value) if isinstance(value, str) else _compact(value)


@Kept
def _tool_text(t: ToolSpec) -> str:
    return _compact((t.name, t.description, t.parameters))


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them. None: not said.

    `cached` (read from the server's cache) and `written` (put into it) are parts of `prompt`, `reasoning` is part of `completion`.
    """

    prompt: int | None = None
    completion: int | None = None
    cached: int | None = None
    reasoning: int | None = None
    written: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, before anybody reads it. Times are seconds.

    `model` is the server's name of what answered; `by` our own, where another model stood in for the one that was asked.
    `kept` is what its server wants to see again as it was (signatures of thoughts): JSON text that only its own module reads.
    `likely`: the likeliest first tokens with their probabilities, where they were asked for and the server tells them.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    reasoning: str | None = None
    finish: str = "stop"
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    seconds: float = 0.0
    first_token: float | None = None
    by: str = ""
    kept: str = ""
    likely: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Observation:
    """What a call gave: `text` for the model, `data` for people. `kind` names why, where `ok` is false ("unknown_tool" …).

    `notes` says what was mended on the way ('days: "42" → 42'); `full` is the whole text, where `text` shows only part of it.
    `replies` are those that a model gave to make it (a summary), without their text: they are billed like the run's own.
    """

    text: str
    ok: bool = True
    data: Any = None
    kind: str = ""
    notes: tuple[str, ...] = ()
    full: str = ""
    replies: tuple[Reply, ...] = ()
