"""The chat-completions form: `Request` → JSON bytes, answer or stream pieces → `Reply`. Pure; no network here.

A history only grows, so the JSON of every message already seen is kept: each message is serialised once.
"""

import json
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import exp, isfinite
from typing import Any

from tao.messages import Kept, Message, Reply, Request, ToolCall, ToolSpec, Usage

_dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def dumps(value: Any) -> bytes:
    """JSON as UTF-8 bytes, no escapes beyond what JSON needs; a lone surrogate becomes "?" (JSON over HTTP has none)."""
    return _dump(value).encode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Writing:
    """How messages are written. `reasoning`: "never", "calls" (beside calls, also when empty) or "kept" (where there is some).

    `null_content`: null, not "", beside calls. `signed`: a call's id carries the signature of its thought after `SIGNED`;
    `unsigned` stands for one that is missing. `details`: the reasoning goes back as its server sent it, in all its parts.
    """

    reasoning: str = "never"
    null_content: bool = False
    signed: bool = False
    unsigned: str = ""
    details: bool = False


PLAIN = Writing()
DECLINED = "refusal"
"""How a reply ends that says why it is none, in the server's field of that name."""
SIGNED = "~signed~"
MOST_DESCRIBED = 1024
"""Characters of a tool's description; OpenAI answers 400 to more."""
"""Between a call's own id and the signature of its thought, which has to travel with it (Gemini)."""


def body(request: Request, fields: Mapping[str, Any], writing: Writing = PLAIN) -> bytes:
    """The JSON body of one call: the request's messages and tools, and `fields` (model, limits …) as they are."""
    parts = [b'{"messages":[', b",".join(_writer(writing).each(request.messages)), b"]"]
    if request.tools:
        parts += [b',"tools":[', b",".join(_tool.each(request.tools)), b"]"]
    if fields:
        parts += [b",", dumps(fields)[1:-1]]
    parts.append(b"}")
    return b"".join(parts)


@cache
def _writer(writing: Writing) -> Kept[Message, bytes]:
    return Kept(lambda message: _message(message, writing))


def _message(message: Message, writing: Writing) -> bytes:
    entry: dict[str, Any] = {"role": message.role, "content": _content(message) if message.images else message.content}
    if message.call_id is not None:
        entry["tool_call_id"] = message.call_id.partition(SIGNED)[0]
    if message.calls:
        entry["tool_calls"] = [_call_entry(call, place, writing) for place, call in enumerate(message.calls)]
        if writing.null_content and not message.content.strip():
            entry["content"] = None
    if writing.details and (details := _details_of(message)):
        entry["reasoning_details"] = details
    elif message.role == "assistant" and writing.reasoning != "never":
        due = message.reasoning or (writing.reasoning == "calls" and message.calls)
        if due:
            entry["reasoning_content"] = message.reasoning or ""
    return dumps(entry)


def _content(message: Message) -> list[dict[str, Any]]:
    """Pictures, then the words about them; bytes go as a data URL."""
    places = (image.url or f"data:{image.media};base64,{image.data}" for image in message.images)
    return [*({"type": "image_url", "image_url": {"url": place}} for place in places), {"type": "text", "text": message.content}]


def _details_of(message: Message) -> list[Any]:
    try:
        found = json.loads(message.kept).get("reasoning_details") if message.kept else None
    except (ValueError, AttributeError, RecursionError):
        return []
    return found if isinstance(found, list) else []


def _call_entry(call: ToolCall, place: int, writing: Writing) -> dict[str, Any]:
    """The signature stands at the first of several calls; where there is none, as in another model's history, a stand-in is due."""
    mark, _, signature = (call.id or f"call_{place}").partition(SIGNED)
    signature = signature or ("" if place else writing.unsigned)
    entry = {"id": mark, "type": "function", "function": {"name": call.name, "arguments": _sound(call.arguments)}}
    if writing.signed and signature:
        entry["extra_content"] = {"google": {"thought_signature": signature}}
    return entry


def _sound(arguments: str) -> str:
    """Arguments that every server takes back: a JSON object. Damaged text goes inside one, under the name "text"."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        value = None
    return arguments if isinstance(value, dict) else _dump({"text": arguments})


def described(text: str) -> str:
    """A tool's description as OpenAI takes it; a longer one ends with a sentence or line, and "…". The run keeps the whole."""
    if len(text) <= MOST_DESCRIBED:
        return text
    kept = text[: MOST_DESCRIBED - 1]
    ends = [found.end() for found in re.finditer(r"[.!?](?=\s)|[。！？\n]", kept)]
    return (kept[: ends[-1]] if ends and ends[-1] > MOST_DESCRIBED // 2 else kept).rstrip() + "…"


@Kept
def _tool(spec: ToolSpec) -> bytes:
    parameters = {key: value for key, value in spec.parameters.items() if key != "required" or value}  # an empty list says nothing
    return dumps({"type": "function", "function": {"name": spec.name, "description": described(spec.description), "parameters": parameters}})


class Gather:
    """Collects one reply, from a whole answer or from the pieces of a stream."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.thought: list[str] = []
        self.calls: list[dict[str, Any]] = []
        self.finish: str | None = None
        self.usage = Usage()
        self.model = ""
        self.answered = False
        self.declined = False
        self.details: list[dict[str, Any]] = []
        self.likely: dict[str, float] = {}

    @property
    def begun(self) -> bool:
        """Whether anything of the reply has come."""
        return bool(self.text or self.calls or self.thought)

    def feed(self, answer: Mapping[str, Any]) -> str:
        """Take a piece (or the whole); returns the text that is new in it.

        Usage may stand in the answer, in a choice (Moonshot) or under "x_groq"; the first choice is the one that counts.
        """
        self.model = self.model or str(answer.get("model") or "")
        choices = answer.get("choices")
        choice = _table(choices[0]) if choices and isinstance(choices, list) else {}
        self.answered = self.answered or bool(choice)
        if counted := _table(answer.get("usage") or choice.get("usage") or _table(answer.get("x_groq")).get("usage")):
            self.usage = counted_on(self.usage, read_usage(counted))
        if finish := choice.get("finish_reason"):
            self.finish = str(finish)
        if (likely := choice.get("logprobs")) and not self.likely:
            self.likely = read_likely(likely)
        piece = self._fresh(choice, whole=answer.get("object") == "chat.completion")
        details = piece.get("reasoning_details")
        told = "".join(map(self._detail, _list(details))) if details else ""
        self._think(piece.get("reasoning_content") or piece.get("reasoning") or told)
        if calls := piece.get("tool_calls"):
            for call in _list(calls):
                self._call(_table(call), whole="message" in choice)
        if piece.get("function_call"):
            self._call({"index": 0, "function": piece["function_call"]})
        declined = str(piece.get("refusal") or "")
        self.declined = self.declined or bool(declined)
        new = self._plain(piece.get("content")) or declined
        if new:
            self.text.append(new)
        return new

    def _fresh(self, choice: Mapping[str, Any], *, whole: bool) -> Mapping[str, Any]:
        """What a choice brings that is new: some streams end with the whole message once more (MiniMax)."""
        piece = _table(choice.get("delta") or choice.get("message"))
        if choice.get("delta") or not self.begun:
            return piece
        came, content = "".join(self.text), piece.get("content")
        if not whole and not (came and choice.get("finish_reason") and content == came):
            return piece
        rest = content[len(came) :] if isinstance(content, str) and content.startswith(came) else ""
        known = {"content", *(("tool_calls", "function_call") if self.calls else ())}
        known |= {"reasoning_content", "reasoning", "reasoning_details"} if self.thought or self.details else set()
        return {**{name: value for name, value in piece.items() if name not in known}, "content": rest}

    def _think(self, thought: Any) -> None:
        if isinstance(thought, str) and thought:
            self.thought.append(thought)

    def _detail(self, detail: Any) -> str:
        """Merge a piece of the reasoning into the part of its kind and index; returns what of it is new text.

        MiniMax sends the whole text again with each piece.
        """
        if not isinstance(detail, Mapping):
            return ""
        same = [part for part in self.details if (part.get("type"), part.get("index")) == (detail.get("type"), detail.get("index"))]
        if not same:
            self.details.append(dict(detail))
            return str(detail.get("text") or detail.get("summary") or "")
        part, new = same[-1], ""
        for name, value in detail.items():
            before = part.get(name)
            if name not in {"text", "summary", "data"} or not isinstance(before, str) or not isinstance(value, str):
                part[name] = before if value is None else value
                continue
            again = str(detail.get("format") or "").startswith("MiniMax") and value.startswith(before)
            part[name] = value if again else before + value
            new += part[name][len(before) :] if name != "data" else ""
        return new

    def _plain(self, content: Any) -> str:
        """Text of a content that is a string, null, or a list of parts; parts that hold thoughts go to the thoughts."""
        if not content or isinstance(content, str):
            return content or ""
        texts = []
        for part in content if isinstance(content, list) else ():
            if not isinstance(part, Mapping):
                texts.append(str(part))
            elif part.get("type") == "thinking":
                self._think(self._plain(part.get("thinking")))
            else:
                texts.append(str(part.get("text") or ""))
        return "".join(texts)

    def _call(self, piece: Mapping[str, Any], *, whole: bool = False) -> None:
        """Merge a piece of a call: into the call of its index, unless it carries a new id; without an index, into the last.

        In a `whole` answer each is a call of its own.
        """
        function = _table(piece.get("function"))
        name, arguments, mark = str(function.get("name") or ""), function.get("arguments"), piece.get("id") or None
        index = piece.get("index")
        same = [call for call in self.calls if call["index"] == index] if index is not None else self.calls[-1:]
        call = same[-1] if same else None
        fresh = whole or call is None or bool(mark and call["id"] and mark != call["id"] and name)
        fresh = fresh or (index is None and bool(name) and (mark is None or mark != (call or {}).get("id")))
        if fresh or call is None:
            call = {"index": index, "id": None, "name": "", "arguments": [], "signature": None}
            self.calls.append(call)
        call["id"] = call["id"] or mark
        google = _table(_table(piece.get("extra_content")).get("google"))
        call["signature"] = google.get("thought_signature") or call["signature"]
        if name and name != call["name"]:
            call["name"] += name
        if arguments is not None:
            call["arguments"].append(arguments if isinstance(arguments, str) else _dump(arguments))

    def reply(self, *, seconds: float = 0.0, first_token: float | None = None) -> Reply:
        """All that came, as a Reply. A missing or repeated call id is replaced by one of ours; no arguments become `{}`."""
        return Reply(
            "".join(self.text),
            calls=tuple(_with_ids(self.calls)),
            reasoning="".join(self.thought) or None,
            finish=DECLINED if self.declined else self.finish or "stop",
            usage=self.usage,
            model=self.model,
            seconds=seconds,
            first_token=first_token,
            kept=_dump({"reasoning_details": self.details}) if self.details else "",
            likely=self.likely,
        )


def _with_ids(calls: Iterable[Mapping[str, Any]]) -> Iterable[ToolCall]:
    seen: set[str] = set()
    for call in calls:
        mark = call["id"]
        if not isinstance(mark, str) or mark in seen:
            mark = f"call_{secrets.token_hex(8)}"
        seen.add(mark)
        signed = f"{mark}{SIGNED}{call['signature']}" if call["signature"] else mark
        yield ToolCall(call["name"], "".join(call["arguments"]).strip() or "{}", signed)


_TABLE = dict, Mapping


def _table(value: Any) -> Mapping[str, Any]:
    """What should be an object; anything else, mostly nothing at all, is an empty one."""
    return value if value is not None and isinstance(value, _TABLE) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


MOST = 1e300
"""A number beyond it, or none at all (NaN), is no logarithm of a probability."""


def read_likely(told: Any) -> dict[str, float]:
    """The likeliest first tokens with their probabilities, from a choice's `logprobs`; empty where it has none."""
    first = _table(next(iter(_list(_table(told).get("content"))), None))
    found = _list(first.get("top_logprobs"))
    return {
        str(one["token"]): exp(min(float(one["logprob"]), 0.0)) for one in found
        if isinstance(one, Mapping) and "token" in one and isinstance(one.get("logprob"), int | float) and -MOST < one["logprob"] < MOST
    }


def read_usage(raw: Mapping[str, Any]) -> Usage:
    """Token counts in any provider's shape; a count may be a number or one in quotation marks.

    Cached: `prompt_tokens_details.cached_tokens` (OpenAI and most), `prompt_cache_hit_tokens` (DeepSeek), `cached_tokens`
    (Moonshot), `cache_read_input_tokens`. Written into a cache that was asked for: DashScope, OpenRouter. In Anthropic's names, and
    where it is more than the prompt, what was cached stands beside the prompt: it is counted in. Where `total_tokens` is
    more than prompt and completion together, the rest is reasoning that the server left out of `completion_tokens` (Gemini, xAI), as
    is reasoning of more tokens than the completion; it is counted in. A prompt of no tokens was not counted.
    """
    inside, outside = _details(raw, "prompt", "input"), _details(raw, "completion", "output")
    prompt, completion = count(raw, "prompt_tokens", "input_tokens"), count(raw, "completion_tokens", "output_tokens")
    cached = _said(count(inside, "cached_tokens"), count(raw, "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens"))
    written = count(inside, "cache_creation_input_tokens", "cache_write_tokens", "cache_creation_tokens")
    written = _said(written, count(raw, "cache_creation_input_tokens"))
    reasoning = _said(count(outside, "reasoning_tokens"), count(raw, "reasoning_tokens"))
    total, aside = count(raw, "total_tokens"), (cached or 0) + (written or 0)
    if prompt is not None:
        named = count(raw, "prompt_tokens") is None and "cache_read_input_tokens" in raw
        prompt += aside if aside > prompt or (named and (not total or total >= prompt + aside + (completion or 0))) else 0
    if total and (prompt is None) != (completion is None):
        prompt, completion = (prompt, max(total - prompt, 0)) if prompt is not None else (max(total - (completion or 0), 0), completion)
    if prompt is not None and completion is not None:
        if total is not None and total > prompt + completion:
            reasoning = total - prompt - completion if reasoning is None else reasoning
            completion = total - prompt
        elif reasoning is not None and reasoning > completion:
            completion += reasoning
    return Usage(prompt, completion, cached, reasoning, written) if prompt else Usage(None, completion or None, cached, reasoning, written)


UNCOUNTED = Usage()


def counted_on(before: Usage, after: Usage) -> Usage:
    """What a stream has told of its tokens: each count as it was told last; none, or 0, takes nothing back."""
    if before == UNCOUNTED:
        return after
    pairs = ((getattr(before, name), getattr(after, name)) for name in ("prompt", "completion", "cached", "reasoning", "written"))
    return Usage(*(_said(new, old) for old, new in pairs))


def _said(first: int | None, second: int | None) -> int | None:
    """The first count, unless there is none (or 0) and the second says more."""
    return first or (first if second is None else second)


def _details(raw: Mapping[str, Any], *sides: str) -> Mapping[str, Any]:
    for side in sides:
        found = raw.get(f"{side}_tokens_details")
        if found is not None and isinstance(found, _TABLE):
            return found
    return {}


def count(raw: Mapping[str, Any], *names: str) -> int | None:
    """The first of these that is a count."""
    for name in names:
        value = raw.get(name)
        if value is None:
            continue
        if type(value) is int and value >= 0:  # as mostly
            return value
        if isinstance(value, float) and isfinite(value) and value >= 0:
            return int(value)
        if isinstance(value, str) and re.fullmatch(r"[0-9]{1,18}", value.strip()):
            return int(value)
    return None
