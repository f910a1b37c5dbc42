"""Function calling: tools go and calls come back as the server's own structures."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal
from weakref import WeakKeyDictionary

from tao.dialects.listen import Listening
from tao.dialects.output import called, finisher, found, to_call
from tao.dialects.prompts import texts
from tao.dialects.read import read_calls
from tao.dialects.window import QUOTE_LIMIT, merged, shown
from tao.events import Asked, Decided, Event, Misread, Nudged, Observed, Replied
from tao.messages import Call, Message, Reply, Request, ToolCall
from tao.run import Run
from tao.seams import Listener
from tao.toolset import described, listed

SPACES = 200
"""So many characters more than need be may a model have written its arguments with, and they are still said again in its own way."""
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True)
class Native:
    """The dialect. It says nothing of its own: the instructions, the conversation and the tools are all that a server needs."""

    def render(self, run: Run) -> Request:
        """The prompt for the next reply."""
        nudge = run.nudge
        tools = tuple(tool for tool in described(run) if not nudge or tool.name not in nudge.without)
        messages = merged(_messages(run))
        if finish := finisher(run):
            may_call, may_answer = nudge is None or nudge.may_call, nudge is None or nudge.may_answer or not tools
            return Request(messages, (*(tools if may_call else ()), *((finish,) if may_answer or not may_call else ())), tool_choice="required")
        return Request(messages, tools, tool_choice=_choice(nudge) if tools else "auto")

    def parse(self, run: Run) -> Decided | Misread:
        """Read the last reply."""
        last = run.events[-1]
        assert isinstance(last, Replied)
        reply = last.reply
        reading = read_calls(reply.calls, reply.text, run.tools, step=run.steps, lang=run.asked.lang)
        return called(run, reply.calls, reading) if reply.calls else found(run, reply.text, reading)

    def listen(self, run: Run) -> Listener:
        """A reader for the reply that is coming in."""
        return Listening(run.tools, lang=run.asked.lang)


def _choice(nudge: Nudged | None) -> Literal["auto", "none", "required"]:
    if nudge is None or (nudge.may_call and nudge.may_answer):
        return "auto"
    return "required" if nudge.may_call else "none"


def _opening(run: Run) -> Iterator[Message]:
    asked = run.asked
    if told := "\n\n".join(filter(None, [asked.instructions, listed(run)])):
        yield Message("system", told)
    yield from asked.history
    notes = "".join(f"\n{texts(asked.lang)['note']}{note}" for note in run.notes)
    yield Message("user", asked.question + notes + to_call(run), images=asked.images)


@dataclass(slots=True)
class _Written:
    """What is written of a run: its `opening` (`of` this question with so many notes), `events` of turns that are over, as `messages`, and the `last` turn, which may go on."""

    of: tuple[Asked | None, int] = None, 0
    opening: list[Message] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    last: tuple[list[Event], list[Message]] = field(default_factory=lambda: ([], []))


_WRITTEN: WeakKeyDictionary[Run, _Written] = WeakKeyDictionary()


def _messages(run: Run) -> list[Message]:
    """The opening and the run's turns. A message is written once: a run only grows, so all but those of its last turn stay as they are."""
    events, known = shown(run), _WRITTEN.setdefault(run, _Written())
    rest = events[len(known.events) :]
    if events[: len(known.events)] != known.events or (known.events and not (rest and isinstance(rest[0], Replied))):
        known = _WRITTEN[run] = _Written()
        rest = events
    *over, last = _turns(rest)
    for turn in over:
        known.messages += known.last[1] if known.last[0] == turn else _turn(turn, run.asked.lang)
        known.events += turn
    if known.last[0] != last:
        known.last = last, list(_turn(last, run.asked.lang))
    asked, notes = known.of
    if asked is not run.asked or notes != len(run.notes):
        known.of, known.opening = (run.asked, len(run.notes)), list(_opening(run))
    return [*known.opening, *known.messages, *known.last[1]]


def _turns(events: Iterable[Event]) -> Iterator[list[Event]]:
    """The events, cut before each reply."""
    turn: list[Event] = []
    for event in events:
        if isinstance(event, Replied) and turn:
            yield turn
            turn = []
        turn.append(event)
    yield turn


def _arguments(call: Call, sent: list[str]) -> str:
    """The call's arguments as the model wrote them, where that is how they were read; else as JSON."""
    text = _COMPACT(call.args)
    return next((one for one in sent if one == text or (len(one) < len(text) + SPACES and _value(one) == call.args)), text)


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _turn(events: list[Event], lang: str) -> Iterator[Message]:
    """A decision as the assistant's message, followed by the results of all its calls, in call order."""
    reply: Reply | None = None
    waiting: tuple[Call, ...] = ()
    results: dict[str, str] = {}
    for event in events:
        if isinstance(event, Replied):
            reply = event.reply
        elif isinstance(event, Decided):
            waiting, results = event.calls, {}
            sent = [call.arguments for call in reply.calls] if reply else []
            calls = tuple(ToolCall(c.tool, _arguments(c, sent), c.provider_id or c.id) for c in event.calls)
            text = event.answer if event.answer is not None else event.thought
            yield Message("assistant", text, calls, reasoning=reply.reasoning if reply else None, kept=reply.kept if reply else "")
        elif isinstance(event, Observed):
            results[event.call_id] = event.observation.text
            if len(results) == len(waiting):
                yield from (Message("tool", results[c.id], call_id=c.provider_id or c.id) for c in waiting if c.id in results)
        elif isinstance(event, Misread):
            yield Message("assistant", (reply.text.strip()[:QUOTE_LIMIT] if reply else "") or "…")
            yield Message("user", event.detail or texts(lang)["native.form"])
        elif isinstance(event, Nudged) and event.text:
            yield Message("user", event.text)
