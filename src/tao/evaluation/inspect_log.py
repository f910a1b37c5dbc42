"""Results as a log of Inspect AI (inspect.aisi.org.uk), format version 2: `inspect view` opens it, `read_eval_log` reads it."""

import datetime as dt
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tao import __version__
from tao.evaluation.chats import chat
from tao.evaluation.outcomes import Outcome
from tao.evaluation.summary import by_task, row
from tao.messages import Usage
from tao.run import Run

SCORER = "tao"


def log(about: Mapping[str, Any], outcomes: Sequence[Outcome], name: str) -> dict[str, Any]:
    """The log as one JSON document. `name` is the task's; each task of the file is a sample, each rollout an epoch."""
    whole = row("", outcomes)
    began = min((it.events[0].at for it in outcomes if it.events), default=0.0)
    ended = max((it.events[-1].at for it in outcomes if it.events), default=0.0)
    model = str(about.get("model") or "tao")
    metrics = {key: {"name": key, "value": value} for key, value in (("accuracy", whole.rate), ("low", whole.low), ("high", whole.high))}
    epochs = max((it.rollout + 1 for it in outcomes), default=1)
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "created": _time(began), "task": name, "task_id": str(about.get("tasks", name)), "eval_id": str(about.get("tasks", name)),
            "run_id": str(about.get("tasks", name)), "model": model, "dataset": {"name": name, "samples": len(by_task(outcomes))},
            "config": {"epochs": epochs}, "packages": {"tao-agent": __version__},
            "metadata": {key: value for key, value in about.items() if key not in {"model", "tasks", "tao_eval"}},
        },
        "results": {
            "total_samples": len(outcomes), "completed_samples": len(outcomes),
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
    messages = [_message(message, place, model) for place, message in enumerate(chat(run)["messages"])] if it.events else []
    answer = {"role": "assistant", "content": it.answer or ""}
    counts = Counter(f"{one.by}: {one.effect}" for one in it.interventions)
    facts = {
        "kind": it.kind, "reason": it.reason, "run": it.run, "calls": it.calls, "acts": it.acts, "misreads": it.misreads, "coercions": it.coercions,
        "cost": it.cost, "first_token": it.first_token, "interventions": dict(counts),
    }  # fmt: skip
    return {
        "id": it.task, "epoch": it.rollout + 1, "input": it.question, "target": it.wanted, "messages": messages,
        "output": {"model": model, "choices": [{"message": answer, "stop_reason": "stop" if it.reason == "answered" else "unknown"}]},
        "scores": {SCORER: {"value": "C" if it.right else "I", "answer": it.answer, "explanation": it.why or None, "metadata": {"score": it.score}}},
        "metadata": facts, "model_usage": _usage(model, [run.usage]), "total_time": it.seconds,
        "started_at": _time(it.events[0].at) if it.events else None, "completed_at": _time(it.events[-1].at) if it.events else None,
    }  # fmt: skip


def _message(message: Mapping[str, Any], place: int, model: str) -> dict[str, Any]:
    """A message of our chat form as Inspect writes it: calls flat, with their arguments as an object."""
    made: dict[str, Any] = {"id": str(place), "role": message["role"], "content": message.get("content") or ""}
    if calls := message.get("tool_calls"):
        named = [(call["id"], call["function"]) for call in calls]
        made["tool_calls"] = [
            {"id": name, "function": it["name"], "arguments": json.loads(it["arguments"]), "type": "function"} for name, it in named
        ]
    if message["role"] == "assistant":
        made |= {"model": model, "source": "generate"}
    if message["role"] == "tool":
        made["tool_call_id"] = message["tool_call_id"]
    return made


def _usage(model: str, usages: Sequence[Usage]) -> dict[str, Any]:
    prompt, completion, cached = (sum(getattr(it, name) or 0 for it in usages) for name in ("prompt", "completion", "cached"))
    if not prompt and not completion:
        return {}
    counts = {"input_tokens": prompt - cached, "output_tokens": completion, "input_tokens_cache_read": cached}
    return {model: {**counts, "total_tokens": prompt + completion}}


def _time(at: float) -> str:
    return dt.datetime.fromtimestamp(at, dt.UTC).isoformat()
