"""Runs as chats: the question, each call with what it gave, the answer.

Replies that could not be read, answers that were objected to, and what policies said are left out: what remains is how the run
should have gone.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tao.evaluation.lines import strict
from tao.events import Decided, Observed
from tao.messages import Call, Message, Observation, Request, ToolCall
from tao.models.chat import body
from tao.models.quirks import safe_names
from tao.run import Run
from tao.toolset import described, listed


@dataclass(frozen=True, slots=True)
class Turn:
    """One step of the clean story: a thought, with calls and what they gave, or with the answer."""

    thought: str
    seen: tuple[tuple[Call, Observation], ...] = ()
    answer: str | None = None


def turns(run: Run) -> list[Turn]:
    """The steps that count. Ends before a decision whose calls did not all come back."""
    seen = {event.call_id: event.observation for event in run.events if isinstance(event, Observed)}
    found: list[Turn] = []
    last = None
    for event in run.events:
        if not isinstance(event, Decided):
            continue
        if event.answer is not None:
            last = event
        elif event.calls:
            if any(call.id not in seen for call in event.calls):
                break
            found.append(Turn(event.thought, tuple((call, seen[call.id]) for call in event.calls)))
    if run.answer is not None:
        thought = last.thought if last and last.answer == run.answer else ""
        found.append(Turn(thought, answer=run.answer))
    return found


def opening(run: Run) -> list[Message]:
    """What the model is told before its first step: instructions, notes from memory, what was said before, the question."""
    asked = run.asked
    told = "\n\n".join(part for part in (asked.instructions, listed(run), *run.notes) if part.strip())
    return [*([Message("system", told)] if told else []), *asked.history, Message("user", asked.question, images=asked.images)]


def said(turn: Turn) -> list[Message]:
    """A turn as messages: the assistant's, then one per result."""
    if turn.answer is not None:
        text = f"{turn.thought}\n\n{turn.answer}" if turn.thought.strip() and turn.thought.strip() not in turn.answer else turn.answer
        return [Message("assistant", text)]
    calls = tuple(ToolCall(call.tool, strict(call.args), name_of(call)) for call, _ in turn.seen)
    results = [Message("tool", observation.text, call_id=name_of(call)) for call, observation in turn.seen]
    return [Message("assistant", turn.thought, calls), *results]


def name_of(call: Call) -> str:
    """A call's id as chats have it: `call_3_1`."""
    return "call_" + call.id.replace(".", "_")


def chat(run: Run, messages: Sequence[Message] | None = None) -> dict[str, Any]:
    """The run (or some messages of it) in OpenAI's chat form, `messages` and `tools`, as our own client would send it."""
    told = [*opening(run), *(message for turn in turns(run) for message in said(turn))] if messages is None else messages
    tools = tuple(replace(tool, parameters={"type": "object", "properties": {}, **tool.parameters}) for tool in described(run))
    made: dict[str, Any] = json.loads(body(safe_names(Request(tuple(told), tools)), {}))
    return made


# ── better and worse ──────────────────────────────────────────────────────────


def preference(better: Run, worse: Run) -> dict[str, Any] | None:
    """Two runs of one question as a preference: the steps they share are the prompt, how each goes on is chosen or rejected.

    None where they come to the same, or one of them says nothing after what they share.
    """
    ours, theirs = turns(better), turns(worse)
    shared = 0
    while shared < min(len(ours), len(theirs)) and _same(ours[shared], theirs[shared]):
        shared += 1
    prompt = [*opening(better), *(message for turn in ours[:shared] for message in said(turn))]
    chosen = [message for turn in ours[shared:] for message in said(turn)]
    rejected = [message for turn in theirs[shared:] for message in said(turn)]
    if not chosen or not rejected:
        return None
    first = chat(better, prompt)
    parts = {"prompt": first["messages"], "chosen": chat(better, chosen)["messages"], "rejected": chat(worse, rejected)["messages"]}
    return {**parts, **({"tools": first["tools"]} if "tools" in first else {})}


def _same(a: Turn, b: Turn) -> bool:
    """The same doing with the same result; how it was thought does not matter."""
    def gist(turn: Turn) -> object:
        return turn.answer, [(call.tool, dict(call.args), seen.text) for call, seen in turn.seen]

    return gist(a) == gist(b)
