"""Results as a log of Inspect AI (inspect.aisi.org.uk), format version 2: `inspect view` opens it, `read_eval_log` reads it.

`messages` of a sample are how the run should have gone, `events` how it went.
"""

import datetime as dt
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from tao import __version__
from tao.evaluation.chats import chat
from tao.evaluation.lines import strict
from tao.evaluation.outcomes import AGAIN, Outcome
from tao.evaluation.summary import by_task, row
from tao.events import Decided, Event, Misread, Nudged, Observed, Paused, Recalled, Replied, Ruled, to_json
from tao.messages import Call, Observation, Reply, Usage
from tao.run import Run

SCORER = "tao"
ERRORS = {"bad_arguments": "parsing", "unknown_tool": "parsing", "timeout": "timeout", "denied": "permission", "rejected": "approval"}
"""By the kind of a failed observation, Inspect's word for it."""


def file_name(made: Mapping[str, Any]) -> str:
    """What Inspect would call the file of this log; in a folder it lists JSON files of such names only."""
    head = made["eval"]
    day, task = head["created"][:19].replace(":", "-"), re.sub(r"[^\w.-]+|_", "-", head["task"])
    return f"{day}+00-00_{task}_{head['eval_id']}.json"


def log(about: Mapping[str, Any], outcomes: Sequence[Outcome], name: str) -> dict[str, Any]:
    """The log as one JSON document. `name` is the task's; each task of the file is a sample, each rollout an epoch."""
    whole = row("", outcomes)
    began = min((it.events[0].at for it in outcomes if it.events), default=0.0)
    ended = max((it.events[-1].at for it in outcomes if it.events), default=0.0)
    model = str(about.get("model") or "tao")
    metrics = {key: {"name": key, "value": value} for key, value in (("accuracy", whole.rate), ("low", whole.low), ("high", whole.high))}
    epochs = max((it.rollout + 1 for it in outcomes), default=1)
    mark = hashlib.sha256(strict([name, about, [[it.task, it.rollout, it.run] for it in outcomes]]).encode()).hexdigest()[:22]
    tasks, whole_ones = by_task(outcomes), sum(it.reason not in AGAIN for it in outcomes)
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "created": _time(began), "task": name, "task_id": str(about.get("tasks", name)), "eval_id": mark, "run_id": mark, "model": model,
            "dataset": {"name": name, "samples": len(tasks), "sample_ids": list(tasks), "shuffled": False},
            "config": {"epochs": epochs}, "packages": {"tao-agent": __version__},
            "metadata": {key: value for key, value in about.items() if key not in {"model", "tasks", "tao_eval"}},
        },
        "plan": {"steps": [{"solver": "tao"}]},
        "results": {
            "total_samples": len(outcomes), "completed_samples": whole_ones,
            "scores": [{"name": SCORER, "scorer": SCORER, "scored_samples": len(outcomes), "metrics": metrics}],
        },
        "stats": {
            "started_at": _time(began), "completed_at": _time(ended),
            "model_usage": _usage(model, [Run(it.run, it.events).usage for it in outcomes]),
        },
        "samples": [_sample(it, model) for it in outcomes],
    }  # fmt: skip


def _sample(it: Outcome, model: str) -> dict[str, Any]:
    run = Run(it.run, it.events)
    messages = [_message(message, f"{it.run}.{place}", model) for place, message in enumerate(chat(run)["messages"])] if it.events else []
    answer = {"role": "assistant", "content": it.answer or ""}
    counts = Counter(f"{one.by}: {one.effect}" for one in it.interventions)
    facts = {
        "kind": it.kind, "reason": it.reason, "run": it.run, "calls": it.calls, "acts": it.acts, "misreads": it.misreads, "coercions": it.coercions,
        "cost": it.cost, "first_token": it.first_token, "interventions": dict(counts),
    }  # fmt: skip
    score = {"value": "C" if it.right else "I", "answer": it.answer, "explanation": it.why or None, "metadata": {"score": it.score}}
    failed = {"error": {"message": it.why or it.reason, "traceback": "", "traceback_ansi": ""}} if it.reason in AGAIN else {}
    return {
        "id": it.task, "uuid": f"{it.run}.{it.rollout}", "epoch": it.rollout + 1, "input": it.question, "target": it.wanted, "messages": messages,
        "output": {"model": model, "choices": [{"message": answer, "stop_reason": "stop" if it.reason == "answered" else "unknown"}]},
        "scores": {SCORER: score}, "events": [*_events(run, messages, model)] if it.events else [], **failed,
        "metadata": facts, "model_usage": _usage(model, [run.usage]), "total_time": it.seconds,
        "started_at": _time(it.events[0].at) if it.events else None, "completed_at": _time(it.events[-1].at) if it.events else None,
    }  # fmt: skip


def _message(message: Mapping[str, Any], name: str, model: str) -> dict[str, Any]:
    """A message of our chat form as Inspect writes it: calls flat, with their arguments as an object."""
    made: dict[str, Any] = {"id": name, "role": message["role"], "content": _content(message.get("content") or "")}
    if calls := message.get("tool_calls"):
        named = [(call["id"], call["function"]) for call in calls]
        made["tool_calls"] = [_call(mark, it["name"], json.loads(it["arguments"])) for mark, it in named]
    if message["role"] == "assistant":
        made |= {"model": model, "source": "generate"}
    if message["role"] == "tool":
        made["tool_call_id"] = message["tool_call_id"]
    return made


def _content(content: str | Sequence[Mapping[str, Any]]) -> str | list[Mapping[str, Any]]:
    """Text, or parts: Inspect has a picture's address flat."""
    if isinstance(content, str):
        return content
    return [{"type": "image", "image": part["image_url"]["url"]} if part["type"] == "image_url" else part for part in content]


def _call(name: str, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": name, "function": tool, "arguments": arguments, "type": "function"}


# ── what happened ─────────────────────────────────────────────────────────────


def _events(run: Run, messages: Sequence[Mapping[str, Any]], model: str) -> Iterator[dict[str, Any]]:
    """Replies, calls, and (as "info") all that was said or ruled beside them. The input of a reply is what is new in it."""
    began, calls = run.asked.at, {call.id: call for event in run.all(Decided) for call in event.calls}
    fresh = list(takewhile(lambda message: message["role"] in {"system", "user"}, messages))
    for seq, event in enumerate(run.events):
        name, after = f"{run.id}.e{seq}", next(iter(run.events[seq + 1 : seq + 2]), None)
        head = {"uuid": name, "timestamp": _time(event.at), "working_start": max(0.0, event.at - began)}
        match event:
            case Replied():
                yield {**head, **_replied(event.reply, after, name, event.reply.model or model), "input": fresh}
                fresh = []
            case Observed() if event.call_id in calls:
                yield {**head, **_observed(calls[event.call_id], event.observation)}
                fresh.append({"id": name, "role": "tool", "content": event.observation.text, "tool_call_id": event.call_id})
            case Nudged() | Misread() | Recalled() | Ruled() | Paused():
                told = {key: value for key, value in to_json(event).items() if key not in {"v", "kind", "at"}}
                yield {**head, "event": "info", "source": type(event).__name__.lower(), "data": told}
                if isinstance(event, Nudged) and event.text:
                    fresh.append({"id": name, "role": "user", "content": event.text})


def _replied(reply: Reply, after: Event | None, name: str, model: str) -> dict[str, Any]:
    calls = after.calls if isinstance(after, Decided) else ()
    message = {
        "id": name, "role": "assistant", "content": reply.text, "model": model, "source": "generate",
        **({"tool_calls": [_call(call.id, call.tool, call.args) for call in calls]} if calls else {}),
    }  # fmt: skip
    choice = {"message": message, "stop_reason": "tool_calls" if calls else "max_tokens" if reply.finish == "length" else "stop"}
    output = {"model": model, "choices": [choice], "usage": _usage(model, [reply.usage]).get(model), "time": reply.seconds}
    return {"event": "model", "model": model, "tools": [], "tool_choice": "auto", "config": {}, "output": output}


def _observed(call: Call, seen: Observation) -> dict[str, Any]:
    error = {} if seen.ok else {"error": {"type": ERRORS.get(seen.kind, "unknown"), "message": seen.text}}
    return {"event": "tool", "id": call.id, "function": call.tool, "arguments": call.args, "result": seen.text, **error}


def _usage(model: str, usages: Sequence[Usage]) -> dict[str, Any]:
    prompt, completion, cached = (sum(getattr(it, name) or 0 for it in usages) for name in ("prompt", "completion", "cached"))
    if not prompt and not completion:
        return {}
    counts = {"input_tokens": prompt - cached, "output_tokens": completion, "input_tokens_cache_read": cached}
    return {model: {**counts, "total_tokens": prompt + completion}}


def _time(at: float) -> str:
    return dt.datetime.fromtimestamp(at, dt.UTC).isoformat()
