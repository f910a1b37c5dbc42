"""Runs in the Agent Trajectory Interchange Format (ATIF, RFC 0001 of the Harbor framework), version 1.7.

Everything that happened is there, also what could not be read: a misread reply and a policy's word are steps of their own.
"""

import datetime as dt
import mimetypes
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from tao import __version__
from tao.evaluation.reward import DEFAULT, Rewards, is_step, reward
from tao.events import Asked, Decided, Event, Misread, Nudged, Observed, Recalled, Replied
from tao.messages import Image
from tao.models.blocks import as_object
from tao.run import Run

SCHEMA = "ATIF-v1.7"
SOURCES = {"system": "system", "user": "user", "assistant": "agent", "tool": "system"}
MEDIA = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


def trajectory(run: Run, *, right: bool | None = None, score: float | None = None, rewards: Rewards = DEFAULT) -> dict[str, Any]:
    """The run as one ATIF document. Fields that are not known are left out."""
    asked, usage = run.asked, run.usage
    worth = reward(run, right=right, score=score, rewards=rewards)
    steps = [{"step_id": number, **step} for number, step in enumerate(_before(asked), 1)]
    left = iter(worth.steps)
    reply: Replied | None = None
    for event in run.events:
        if isinstance(event, Replied):
            reply = event
            continue
        step = _step(event, run, reply)
        if step is None:
            continue
        if is_step(event) and (earned := next(left, None)):
            step.setdefault("extra", {})["reward"] = earned.reward
            step["extra"]["reward_to_go"] = round(earned.to_go, 6)
        steps.append(_known({"step_id": len(steps) + 1, "timestamp": _time(event.at), **step}))
    totals = {"total_prompt_tokens": usage.prompt, "total_completion_tokens": usage.completion, "total_cached_tokens": usage.cached}
    outcome = {
        "reason": run.ended.reason if run.ended else run.state, "answer": run.answer, "reward": round(worth.total, 6), "right": right, "score": score,
    }  # fmt: skip
    told = [{"name": it.name, "description": it.description, "parameters": dict(it.parameters)} for it in asked.tools]
    tools = [{"type": "function", "function": it} for it in told]
    agent = {"name": "tao", "version": __version__, "model_name": asked.model or None, "tool_definitions": tools or None}
    return _known({
        "schema_version": SCHEMA, "session_id": run.id, "trajectory_id": run.id,
        "agent": _known({**agent, "extra": {"dialect": asked.dialect, "lang": asked.lang}}),
        "steps": steps, "final_metrics": _known({**totals, "total_steps": len(steps), "extra": _known(outcome)}),
    })  # fmt: skip


def _before(asked: Asked) -> list[dict[str, Any]]:
    """What was said before the question: the instructions, and an earlier conversation, marked as copied."""
    steps: list[dict[str, Any]] = [{"source": "system", "message": asked.instructions}] if asked.instructions.strip() else []
    for message in asked.history:
        if message.role == "tool" and steps and steps[-1].get("tool_calls"):
            steps[-1].setdefault("observation", {"results": []})["results"].append({"source_call_id": message.call_id, "content": message.content})
            continue
        step = {"source": SOURCES[message.role], "message": _content(message.content, message.images), "is_copied_context": True}
        if message.calls:
            step["tool_calls"] = [{"tool_call_id": it.id or "", "function_name": it.name, "arguments": as_object(it.arguments)} for it in message.calls]
        steps.append(step)
    return steps


def _content(text: str, images: Sequence[Image]) -> str | list[dict[str, Any]]:
    """Text, or parts: pictures and the text about them."""
    parts = [{"type": "image", "source": {"media_type": _media(image), "path": image.url or f"data:{image.media};base64,{image.data}"}} for image in images]
    return [*parts, {"type": "text", "text": text}] if parts else text


def _media(image: Image) -> str:
    """What kind of picture it is; of an address, what its ending says, and PNG where that says nothing."""
    told = image.media or mimetypes.guess_type(urlsplit(image.url).path)[0]
    return told if told in MEDIA else "image/png"


def _step(event: Event, run: Run, reply: Replied | None) -> dict[str, Any] | None:
    """An event as a step without its number; None where it is part of another."""
    match event:
        case Asked():
            return {"source": "user", "message": _content(event.question, event.images)}
        case Recalled():
            return {"source": "system", "message": "\n".join(event.notes), "extra": {"kind": "recalled"}}
        case Nudged():
            return {"source": "system", "message": event.text, "extra": {"kind": "nudged", "by": event.by}}
        case Misread() | Decided():
            return _agent(event, run, reply)
    return None


def _agent(event: Decided | Misread, run: Run, reply: Replied | None) -> dict[str, Any]:
    """A reading, with its calls, what they gave, and what the reply took."""
    step: dict[str, Any] = {"source": "agent", "message": ""}
    if reply is not None:
        usage = reply.reply.usage
        counts = {"prompt_tokens": usage.prompt, "completion_tokens": usage.completion, "cached_tokens": usage.cached}
        seconds = {"extra": {"seconds": reply.reply.seconds}} if reply.reply.seconds else {}
        step |= _known({"model_name": reply.reply.model or None, "metrics": _known({**counts, **seconds}) or None})
    if event.thought:
        step["reasoning_content"] = event.thought
    if isinstance(event, Misread):
        text = reply.reply.text if reply else ""
        return {**step, "message": text, "extra": {"kind": "misread", "reason": event.reason}}
    step["message"] = event.answer or ""
    if event.calls:
        seen = {it.call_id: it.observation for it in run.events if isinstance(it, Observed)}
        step["tool_calls"] = [{"tool_call_id": call.id, "function_name": call.tool, "arguments": dict(call.args)} for call in event.calls]
        back = [(call.id, seen[call.id]) for call in event.calls if call.id in seen]
        errors = {name: {} if it.ok else {"extra": {"error": it.kind or "error"}} for name, it in back}
        results = [{"source_call_id": name, "content": it.text, **errors[name]} for name, it in back]
        step |= {"observation": {"results": results}} if results else {}
    if event.notes:
        step["extra"] = {"mended": list(event.notes)}
    return step


def _time(at: float) -> str | None:
    return dt.datetime.fromtimestamp(at, dt.UTC).isoformat().replace("+00:00", "Z") if at else None


def _known(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if value is not None}
