"""The messages form (Anthropic): `Request` → JSON bytes, answer or stream events → `Reply`. Pure; no network here.

Sources, read in November 2026: platform.claude.com/docs, "Messages API", "Streaming messages", "Prompt caching" and "Preserved
thinking"; the types of the package `anthropic` 2.14.

What a reply's thoughts were signed for is everything before them: system text, tools, messages. So a reply keeps a digest of
the request that it answered, and its thoughts are sent back only where the same bytes stand before them again; a thought whose
beginning has changed (a tool taken away, a reply left out) is left out alone, as the server would otherwise refuse the request.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tao.messages import Image, Kept, Message, Reply, Request, ToolCall, ToolSpec, Usage
from tao.models.chat import count, dumps
from tao.models.quirks import EMPTY

MARK = b',"cache_control":{"type":"ephemeral"}}'
THOUGHTS = frozenset({"thinking", "redacted_thinking"})
FINISH = {
    "end_turn": "stop", "stop_sequence": "stop", "pause_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length",
    "model_context_window_exceeded": "length", "refusal": "content_filter",
}  # fmt: skip
"""How a reply ends, by the server's `stop_reason`."""
CHOICES = {"auto": "auto", "none": "none", "required": "any"}


# ── writing ───────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Written:
    """A body, and the digest of what a thought of its reply is signed for.

    `bare`: calls that are being answered stand in it without a thought before them, which a model that was given a budget for
    thinking refuses.
    """

    body: bytes
    prefix: str
    bare: bool = False


def body(request: Request, fields: Mapping[str, Any], *, cache: bool = True, bound: bool = True) -> Written:
    """The JSON body of one call: system text, tools and messages of the request, and `fields` (model, limits …) as they are.

    Where thoughts are `bound`, only those go back before which the same stands as before.

    With `cache`, the prompt's end is marked for the server's cache, so that the next, longer prompt finds it; the end of the one
    before, and that of the system text, which other runs share, are marked too.
    """
    head = [message for message in request.messages if message.role == "system"]
    system = [dumps({"type": "text", "text": message.content}) for message in head if message.content.strip()]
    tools = [_tool(spec) for spec in request.tools or _stand_ins(request.messages)]
    digest = hashlib.blake2b(b"\n".join([*system, b"", *tools]), digest_size=16)
    turns = _turns([message for message in request.messages if message.role != "system"], digest, bound=bound)
    bare = _bare(turns)
    if cache:
        (system or tools)[-1:] = [block[:-1] + MARK for block in (system or tools)[-1:]]
        for _, blocks in [turn for turn in turns if turn[0] == "user"][-2:]:
            blocks[-1] = blocks[-1][:-1] + MARK
    parts = [dumps(fields)[:-1], b',"messages":[', b",".join(b'{"role":"%s","content":[%s]}' % (role.encode(), b",".join(blocks)) for role, blocks in turns), b"]"]
    parts += [b',"system":[', b",".join(system), b"]"] if system else []
    parts += [b',"tools":[', b",".join(tools), b"]"] if tools else []
    return Written(b"".join([*parts, b"}"]), digest.hexdigest(), bare)


def _bare(turns: Sequence[tuple[str, Sequence[bytes]]]) -> bool:
    """Whether one of the assistant's turns since the user last spoke makes calls and does not begin with a thought."""
    for role, blocks in reversed(turns):
        if role == "user" and not blocks[0].startswith(_RESULT):
            return False
        if role == "assistant" and any(block.startswith(_CALL) for block in blocks) and not blocks[0].startswith(_THOUGHTS):
            return True
    return False


_RESULT, _CALL = b'{"type":"tool_result"', b'{"type":"tool_use"'
_THOUGHTS = tuple(b'{"type":"%s"' % kind.encode() for kind in sorted(THOUGHTS))


def _turns(messages: Iterable[Message], digest: Any, *, bound: bool) -> list[tuple[str, list[bytes]]]:
    """The messages as turns of blocks, the roles in alternation, a user's first; what is written is added to the digest."""
    turns: list[tuple[str, list[bytes]]] = []

    def add(role: str, blocks: Sequence[bytes]) -> None:
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(blocks)
        else:
            turns.append((role, list(blocks)))
        for block in blocks:
            digest.update(b"\n" + role.encode() + b"\n")
            digest.update(block)

    for message in messages:
        if message.role == "assistant":
            if not turns:
                add("user", [_text(EMPTY)])
            kept = _kept(message)
            whole = kept is not None and (not bound or kept.prefix == digest.hexdigest())
            add("assistant", kept.blocks if kept and whole else kept.others if kept and kept.others else _said(message))
        else:
            add("user", _asked(message))
    if not turns or turns[-1][0] == "assistant":  # newer models refuse to go on with words put into their mouth
        add("user", [_text(EMPTY)])
    return turns


@Kept
def _asked(message: Message) -> tuple[bytes, ...]:
    if message.role == "tool":
        result = {"type": "tool_result", "tool_use_id": safe_id(message.call_id or ""), "content": message.content or EMPTY}
        return (dumps(result),)
    pictures = tuple(dumps({"type": "image", "source": source(image)}) for image in message.images)
    return (*pictures, _text(message.content if message.content.strip() else EMPTY))


@Kept
def _said(message: Message) -> tuple[bytes, ...]:
    """An assistant's message, made of its text and calls."""
    calls = [dumps({"type": "tool_use", "id": safe_id(c.id or ""), "name": c.name, "input": as_object(c.arguments)}) for c in message.calls]
    said = message.content.strip()
    return (*([_text(said)] if said or not calls else []), *calls)


def _text(text: str) -> bytes:
    return dumps({"type": "text", "text": text or EMPTY})


def source(image: Image) -> dict[str, str]:
    """Where a picture is."""
    return {"type": "url", "url": image.url} if image.url else {"type": "base64", "media_type": image.media, "data": image.data}


def as_object(arguments: str) -> dict[str, Any]:
    """A call's arguments as an object; what is none stands under `text`."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"text": arguments}


def safe_id(mark: str) -> str:
    """A call's id as the server takes it: letters, digits, "_" and "-"."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", mark) or "call"


@Kept
def _tool(spec: ToolSpec) -> bytes:
    schema = {"type": "object", **{key: value for key, value in spec.parameters.items() if key != "required" or value}}
    return dumps({"name": spec.name, "description": spec.description, "input_schema": schema})


def _stand_ins(messages: Iterable[Message]) -> list[ToolSpec]:
    """The tools that a history calls: the server wants them described where it finds calls, also when none may be made now."""
    names = dict.fromkeys(call.name for message in messages for call in message.calls)
    return [ToolSpec(name, "", {"type": "object", "properties": {}}) for name in names]


def tool_choice(request: Request) -> dict[str, Any]:
    """Whether calls may or must be made; empty where nothing need be said."""
    if not request.tools:
        return {"tool_choice": {"type": "none"}} if any(message.calls for message in request.messages) else {}
    return {} if request.tool_choice == "auto" else {"tool_choice": {"type": CHOICES[request.tool_choice]}}


# ── what a reply's server wants to see again ──────────────────────────────────


@dataclass(frozen=True, slots=True)
class Past:
    """A reply's own blocks: all of them, for where the same stands before them, and those that are no thoughts."""

    prefix: str
    blocks: tuple[bytes, ...]
    others: tuple[bytes, ...]


@Kept
def _kept(message: Message) -> Past | None:
    """The blocks of the reply that this message tells of; None where there are none, or it tells something else by now."""
    if not message.kept:
        return None
    try:
        kept = json.loads(message.kept)["anthropic"]
        blocks = [{"type": block["type"], **block} for block in kept["blocks"] if block["type"] != "text" or block["text"].strip()]
        calls = [(block["name"], block["input"]) for block in blocks if block["type"] == "tool_use"]
        texts = "".join(block["text"] for block in blocks if block["type"] == "text")
        prefix = str(kept["prefix"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if calls != [(call.name, as_object(call.arguments)) for call in message.calls] or texts.strip() != message.content.strip():
        return None
    ids = iter(safe_id(call.id or "") for call in message.calls)
    told = [(block["type"], dumps({**block, "id": next(ids)} if block["type"] == "tool_use" else block)) for block in blocks]
    return Past(prefix, tuple(block for _, block in told), tuple(block for kind, block in told if kind not in THOUGHTS))


# ── reading ───────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class Gathering:
    """Collects one reply, from a whole answer or from the events of a stream. `prefix` is that of the request."""

    prefix: str = ""
    text: list[str] = field(default_factory=list)
    blocks: dict[int, dict[str, Any]] = field(default_factory=dict)
    finish: str | None = None
    usage: dict[str, Any] = field(default_factory=dict)
    model: str = ""
    why: str = ""
    ended: bool = False
    _parts: dict[int, list[str]] = field(default_factory=dict)
    _opened: dict[int, str] = field(default_factory=dict)

    @property
    def begun(self) -> bool:
        """Whether anything of the reply has come."""
        return bool(self.blocks)

    def feed(self, answer: Mapping[str, Any]) -> str:
        """Take an event, or the whole answer; returns the text that is new in it."""
        kind = answer.get("type")
        if kind == "message":
            self._about(answer)
            self.ended = True
            content = answer.get("content")
            return "".join([self._begin(place, block) for place, block in enumerate(content if isinstance(content, list) else ())])
        if kind == "message_start":
            self._about(_table(answer.get("message")))
        elif kind == "message_delta":
            self._about({**_table(answer.get("delta")), "usage": answer.get("usage")})
        elif kind == "message_stop":
            self.ended = True
        elif kind == "content_block_start":
            return self._begin(_place(answer, len(self.blocks)), answer.get("content_block"))
        elif kind == "content_block_delta":
            return self._more(_place(answer, max(self.blocks, default=0)), _table(answer.get("delta")))
        return ""

    def _about(self, message: Mapping[str, Any]) -> None:
        self.model = self.model or str(message.get("model") or "")
        self.usage |= {name: value for name, value in _table(message.get("usage")).items() if value or self.usage.get(name) is None}
        if reason := message.get("stop_reason"):
            self.finish = FINISH.get(str(reason), str(reason))
        details = _table(message.get("stop_details"))
        self.why = self.why or ": ".join(str(details[name]) for name in ("category", "explanation") if details.get(name))

    def _begin(self, place: int, block: Any) -> str:
        begun = self.blocks[place] = {**_table(block), "type": str(_table(block).get("type") or "")}
        self._opened[place] = str(begun.get("text") or begun.get("thinking") or "")
        return self._heard(str(begun.get("text") or "")) if begun.get("type") == "text" else ""

    def _heard(self, text: str) -> str:
        if text:
            self.text.append(text)
        return text

    def _more(self, place: int, delta: Mapping[str, Any]) -> str:
        block = self.blocks.setdefault(place, {"type": "text", "text": ""})
        opened = self._opened.pop(place, "")
        if opened and opened == (delta.get("text") or delta.get("thinking")):
            return ""  # MiniMax: said with the block's start already
        for name in ("text", "thinking", "signature"):
            if isinstance(more := delta.get(name), str):
                block[name] = str(block.get(name) or "") + more
        if isinstance(more := delta.get("partial_json"), str):
            self._parts.setdefault(place, []).append(more)
        return self._heard(str(delta.get("text") or "")) if block.get("type") == "text" else ""

    def reply(self, *, seconds: float = 0.0, first_token: float | None = None) -> Reply:
        """All that came, as a Reply; with its blocks where it came to its end and holds thoughts."""
        blocks = [self.blocks[place] for place in sorted(self.blocks)]
        calls = [
            ToolCall(str(block.get("name") or ""), self._arguments(place), block.get("id") or None)
            for place, block in sorted(self.blocks.items()) if block.get("type") == "tool_use"
        ]
        thoughts = "\n\n".join(filter(None, (str(block.get("thinking") or "") for block in blocks if block.get("type") == "thinking")))
        return Reply(
            "".join(self.text), tuple(calls), thoughts or None, self.finish or "stop", read_usage(self.usage), self.model,
            seconds, first_token, kept=self._to_keep() if self.ended else "",
        )  # fmt: skip

    def _arguments(self, place: int) -> str:
        if parts := "".join(self._parts.get(place, ())).strip():
            return parts
        return json.dumps(self.blocks[place].get("input") or {}, ensure_ascii=False)

    def _to_keep(self) -> str:
        blocks: list[dict[str, Any]] = []
        for place, block in sorted(self.blocks.items()):
            if block.get("type") == "tool_use":
                blocks.append({**block, "input": as_object(self._arguments(place))})
            elif block.get("type") in {"text", *THOUGHTS}:
                blocks.append(block)
        if not any(block["type"] in THOUGHTS for block in blocks):
            return ""
        return json.dumps({"anthropic": {"prefix": self.prefix, "blocks": blocks}}, ensure_ascii=False, separators=(",", ":"))


def _table(value: Any) -> Mapping[str, Any]:
    """What should be an object; anything else is an empty one."""
    return value if isinstance(value, Mapping) else {}


def _place(event: Mapping[str, Any], usual: int) -> int:
    place = event.get("index")
    return place if isinstance(place, int) else usual


def read_usage(raw: Mapping[str, Any]) -> Usage:
    """Token counts: the server counts what it read from its cache, and what it put there, beside `input_tokens`; a prompt is all three.

    A prompt of no tokens was not counted.
    """
    fresh, read, stored = (count(raw, name) for name in ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"))
    prompt = None if fresh is None else (fresh + (read or 0) + (stored or 0)) or None
    details, said = raw.get("output_tokens_details"), count(raw, "output_tokens")
    thought = count(details, "thinking_tokens") if isinstance(details, Mapping) else None
    return Usage(prompt, said if prompt else said or None, read, thought, stored)
