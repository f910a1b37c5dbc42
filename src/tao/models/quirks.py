"""What single providers want otherwise, as small pure functions: on a request before it is written, on the body's fields.

A `Mend` takes and gives a `Request`; a `Trim` takes the body's fields (all but messages and tools) and the model's name and
gives new fields. Each says whose quirk it is; profiles.py says which provider gets which.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import groupby
from typing import Any

from tao.messages import Message, Reply, Request, ToolCall

Mend = Callable[[Request], Request]
Fields = dict[str, Any]
Trim = Callable[[Fields, str], Fields]

EMPTY = "—"
"""Stands for a message without text, where a server refuses an empty one."""
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_REASONERS = re.compile(r"(^|/)(o\d|gpt-[5-9]|gpt-oss)")


# ── on the request ────────────────────────────────────────────────────────────


def one_system(request: Request) -> Request:
    """Only one system message, and it stands first: vLLM with Qwen's template, MiniMax and others refuse more.

    Those at the head become one; a later one becomes a user's message where it stands, so that the prompt only grows.
    """
    messages, head = request.messages, 0
    while head < len(messages) and messages[head].role == "system":
        head += 1
    if head <= 1 and "system" not in [message.role for message in messages[1:]]:
        return request
    first = (Message("system", "\n\n".join(message.content for message in messages[:head])),) if head else ()
    rest = tuple(replace(message, role="user") if message.role == "system" else message for message in messages[head:])
    return replace(request, messages=first + rest)


def no_system(request: Request) -> Request:
    """No system message at all (Gemma's chat template): its text goes to the head of the first user's message."""
    request = one_system(request)
    head = request.messages[:1]
    if not head or head[0].role != "system":
        return request
    rest = list(request.messages[1:])
    place = next((number for number, message in enumerate(rest) if message.role == "user"), None)
    if place is None:
        return replace(request, messages=(replace(head[0], role="user"), *rest))
    rest[place] = replace(rest[place], content=f"{head[0].content}\n\n{rest[place].content}")
    return replace(request, messages=tuple(rest))


def alternating(request: Request) -> Request:
    """Never two messages of one role in a row (chat templates of Mistral and Gemma): neighbours are joined."""
    joined: list[Message] = []
    for role, group in groupby(request.messages, key=lambda message: message.role):
        run = list(group)
        plain = role != "tool" and not any(message.calls for message in run)
        seen = tuple(image for message in run for image in message.images)
        whole = replace(run[0], content="\n\n".join(message.content for message in run), images=seen, kept="")
        joined += [whole] if plain and len(run) > 1 else run
    return replace(request, messages=tuple(joined))


def never_empty(request: Request) -> Request:
    """No message without text (Moonshot, Anthropic behind gateways), save those that carry calls."""
    if all(message.content.strip() or message.calls for message in request.messages):
        return request
    return replace(
        request,
        messages=tuple(m if m.content.strip() or m.calls else replace(m, content=EMPTY) for m in request.messages),
    )


def choice_is_free(request: Request) -> Request:
    """`tool_choice` is "auto" or nothing (Zhipu, MiniMax): where no call may be made, no tools are offered; where one must be, it is hoped for."""
    if not request.tools or request.tool_choice == "auto":
        return request
    return replace(request, tool_choice="auto", tools=() if request.tool_choice == "none" else request.tools)


def safe_name(name: str) -> str:
    """A tool's name as every server takes it, `[a-zA-Z0-9_-]{1,64}`; a changed one ends in a mark made from the whole name."""
    if _NAME.fullmatch(name):
        return name
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{re.sub(r'[^a-zA-Z0-9_-]', '_', name)[:54] or 'tool'}_{mark}"


def safe_names(request: Request) -> Request:
    """Every tool's name made safe, in the descriptions and in the calls of the history."""
    names = {spec.name for spec in request.tools} | {call.name for message in request.messages for call in message.calls}
    if all(map(_NAME.fullmatch, names)):
        return request
    return replace(
        request,
        tools=tuple(replace(spec, name=safe_name(spec.name)) for spec in request.tools),
        messages=tuple(
            replace(message, calls=tuple(replace(call, name=safe_name(call.name)) for call in message.calls)) if message.calls else message
            for message in request.messages
        ),
    )


def own_names(reply: Reply, names: Iterable[str]) -> Reply:
    """The tools' own names back in a reply's calls."""
    if not reply.calls:
        return reply
    as_given = set(names)
    if all(call.name in as_given for call in reply.calls):
        return reply
    known = {safe_name(name): name for name in as_given}
    return replace(reply, calls=tuple(replace(call, name=known.get(call.name, call.name)) for call in reply.calls))


def paired_ids(request: Request) -> Request:
    """Every call has an id of its own and its result carries the same one, whatever the history holds.

    Servers that send no ids, the same id twice, or the same ids every turn (Ollama, Kimi, GLM, older vLLM) leave such
    histories behind; OpenAI and DeepSeek refuse them. Results follow their calls in order, so a clash can be told apart.
    """
    if _paired(request.messages):
        return request
    used: set[str] = set()
    waiting: list[tuple[str | None, str]] = []
    messages: list[Message] = []
    for turn, message in enumerate(request.messages):
        if message.calls:
            calls: list[ToolCall] = []
            for place, call in enumerate(message.calls):
                mark = call.id if call.id and call.id not in used else f"call_{turn}_{place}"
                used.add(mark)
                waiting.append((call.id, mark))
                calls.append(replace(call, id=mark))
            messages.append(replace(message, calls=tuple(calls)))
        elif message.role == "tool":
            owner = next((pair for pair in waiting if pair[0] == message.call_id), waiting[0] if waiting else None)
            if owner is not None:
                waiting.remove(owner)
            messages.append(replace(message, call_id=owner[1] if owner else message.call_id or "call_0"))
        else:
            messages.append(message)
    return replace(request, messages=tuple(messages))


def _paired(messages: Iterable[Message]) -> bool:
    """Whether there is nothing to be done."""
    used: set[str] = set()
    waiting: set[str] = set()
    for message in messages:
        for call in message.calls:
            if not call.id or call.id in used:
                return False
            used.add(call.id)
            waiting.add(call.id)
        if message.role == "tool":
            if message.call_id not in waiting:
                return False
            waiting.remove(message.call_id)
    return True


# ── on the body's fields ──────────────────────────────────────────────────────


def openai_reasoners(fields: Fields, model: str) -> Fields:
    """OpenAI's reasoning models: `max_completion_tokens` in place of `max_tokens`; no temperature, no stop sequences."""
    if not _REASONERS.search(model):
        return fields
    kept = {key: value for key, value in fields.items() if key not in {"temperature", "stop", "max_tokens"}}
    if "max_tokens" in fields:
        kept["max_completion_tokens"] = fields["max_tokens"]
    return kept


def openai_tools_or_thoughts(fields: Fields, _model: str) -> Fields:
    """Beside tools, OpenAI's chat completions refuse an effort that is asked for (since gpt-5.4), save "none"."""
    return fields if fields.get("reasoning_effort") in {None, "none"} else {key: fields[key] for key in fields if key != "reasoning_effort"}


def completion_tokens(fields: Fields, _model: str) -> Fields:
    """`max_completion_tokens` in place of `max_tokens`, which is on its way out (Moonshot, MiniMax)."""
    return {("max_completion_tokens" if key == "max_tokens" else key): value for key, value in fields.items()}


def kimi_as_it_is(fields: Fields, model: str) -> Fields:
    """Kimi models refuse a temperature other than their own, and since K2.7 a switch for thinking; K3 can be told to think less."""
    if not model.startswith("kimi-"):
        return fields
    kept = {key: value for key, value in fields.items() if key != "temperature"}
    if not re.match(r"kimi-(k2\.[7-9]|k[3-9])", model) or "thinking" not in kept:
        return kept
    off = kept.pop("thinking") == {"type": "disabled"}
    return {**kept, "reasoning_effort": "low"} if off and "k2" not in model else kept


def glm_thinks(fields: Fields, model: str) -> Fields:
    """Since GLM-5.3 thinking cannot be switched off, only be made short."""
    if fields.get("thinking") != {"type": "disabled"} or not re.match(r"glm-(5\.[3-9]|[6-9])", model):
        return fields
    return {**{key: value for key, value in fields.items() if key != "thinking"}, "reasoning_effort": "low"}


def gemini_effort(fields: Fields, model: str) -> Fields:
    """Since Gemini 3 thinking cannot be switched off, and not every model knows "medium"; neither can that of 2.5 Pro."""
    asked = fields.get("reasoning_effort")
    if asked is None or not re.search(r"gemini-([3-9]|2\.5-pro)", model):
        return fields
    return {**fields, "reasoning_effort": {"none": "low", "medium": "high"}.get(asked, asked)}


def free_choice(fields: Fields, _model: str) -> Fields:
    """A forced `tool_choice` is refused while the model thinks (DeepSeek, Qwen): left out unless thinking is switched off."""
    choice = fields.get("tool_choice")
    if choice in {None, "auto", "none"} if isinstance(choice, str | None) else False:
        return fields
    thinking = fields.get("thinking")
    off = fields.get("enable_thinking") is False or (isinstance(thinking, Mapping) and thinking.get("type") == "disabled")
    return fields if off else {key: value for key, value in fields.items() if key != "tool_choice"}


def temperature_within(low: float, high: float) -> Trim:
    """Temperature kept in a server's own bounds (MiniMax refuses 0; Moonshot and Zhipu more than 1)."""

    def trim(fields: Fields, _model: str) -> Fields:
        asked = fields.get("temperature")
        return fields if asked is None else {**fields, "temperature": min(max(asked, low), high)}

    return trim


def stops_at_most(count: int) -> Trim:
    """So many stop sequences as a server takes; the others, and all where it takes none, are watched for here."""

    def trim(fields: Fields, _model: str) -> Fields:
        if len(fields.get("stop", ())) <= count:
            return fields
        kept = {key: value for key, value in fields.items() if key != "stop"}
        return {**kept, "stop": fields["stop"][:count]} if count else kept

    return trim


def qwen_streams_only(fields: Fields, model: str) -> Fields:
    """Qwen's open models think by default and then only answer as a stream; without one, thinking is switched off."""
    if fields.get("stream") or "enable_thinking" in fields or not re.match(r"qwen3-\d", model):
        return fields
    return {**fields, "enable_thinking": False}


# ── thinking on or off ────────────────────────────────────────────────────────


def thinking_type(on: bool) -> Fields:  # noqa: FBT001 - the one thing it is about
    """DeepSeek, Zhipu, Moonshot, Volcengine Ark."""
    return {"thinking": {"type": "enabled" if on else "disabled"}}


def adaptive_thinking(on: bool) -> Fields:  # noqa: FBT001
    """MiniMax, where M2 goes on thinking."""
    return {"thinking": {"type": "adaptive" if on else "disabled"}}


def enable_thinking(on: bool) -> Fields:  # noqa: FBT001
    """DashScope, SiliconFlow."""
    return {"enable_thinking": on}


def template_thinking(on: bool) -> Fields:  # noqa: FBT001
    """vLLM, SGLang, llama.cpp: an argument of the chat template."""
    return {"chat_template_kwargs": {"enable_thinking": on, "thinking": on}}


def effort_thinking(on: bool) -> Fields:  # noqa: FBT001
    """OpenAI, Gemini, Ollama, LM Studio: effort, where "none" is off."""
    return {"reasoning_effort": "medium" if on else "none"}


def router_thinking(on: bool) -> Fields:  # noqa: FBT001
    """OpenRouter."""
    return {"reasoning": {"enabled": on}}


# ── holding the reply to a form ───────────────────────────────────────────────


def response_format(request: Request) -> Fields:
    """The standard's way, JSON schema only: OpenAI, Gemini, Ollama, LM Studio."""
    if request.schema is None:
        return {}
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "reply", "schema": dict(request.schema)}}}


def llama_cpp_form(request: Request) -> Fields:
    """llama.cpp: `grammar` is GBNF, `json_schema` a schema."""
    if request.grammar is not None:
        return {"grammar": request.grammar}
    return {} if request.schema is None else {"json_schema": dict(request.schema)}


def vllm_form(request: Request) -> Fields:
    """Since vLLM 0.12 (`guided_json` and `guided_grammar` before); xgrammar reads GBNF."""
    if request.grammar is not None:
        return {"structured_outputs": {"grammar": request.grammar}}
    return {} if request.schema is None else {"structured_outputs": {"json": dict(request.schema)}}


def sglang_form(request: Request) -> Fields:
    """SGLang: `ebnf` (xgrammar, which reads GBNF), schemas the standard's way."""
    return {"ebnf": request.grammar} if request.grammar is not None else response_format(request)
