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
from tao.dialects.window import QUOTE_LIMIT, merged, put, shown
from tao.events import Decided, Event, Misread, Nudged, Observed, Recalled, Replied
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
        tools, messages = described(run), tuple(_messages(run))
        if nudge and nudge.without:
            tools = tuple(tool for tool in tools if tool.name not in nudge.without)
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
    """What is written of a run: its `events` so far as `messages`, and of the turn at hand the `reply`, the calls `waiting` for their results, and the `results`."""

    messages: list[Message]
    events: list[Event] = field(default_factory=list)
    reply: Reply | None = None
    waiting: tuple[Call, ...] = ()
    results: dict[str, str] = field(default_factory=dict)

    def add(self, event: Event, lang: str) -> None:
        """One more event: a decision is the assistant's message, followed by the results of all its calls, in call order."""
        reply = self.reply
        if isinstance(event, Replied):
            self.reply, self.waiting, self.results = event.reply, (), {}
        elif isinstance(event, Decided):
            self.waiting, self.results = event.calls, {}
            text = event.answer if event.answer is not None else event.thought
            calls = _calls(event.calls, reply) if event.calls else ()
            put(self.messages, Message("assistant", text, calls, reasoning=reply.reasoning if reply else None, kept=reply.kept if reply else ""))
        elif isinstance(event, Observed):
            self.results[event.call_id] = event.observation.text
            if len(self.results) == len(self.waiting):
                for call in self.waiting:
                    if call.id in self.results:
                        put(self.messages, Message("tool", self.results[call.id], call_id=call.provider_id or call.id))
        elif isinstance(event, Misread):
            put(self.messages, Message("assistant", (reply.text.strip()[:QUOTE_LIMIT] if reply else "") or "…"))
            put(self.messages, Message("user", event.detail or texts(lang)["native.form"]))
        elif isinstance(event, Nudged) and event.text:
            put(self.messages, Message("user", event.text))
        self.events.append(event)


_WRITTEN: WeakKeyDictionary[Run, _Written] = WeakKeyDictionary()


def _messages(run: Run) -> list[Message]:
    """The opening and the run's turns, for reading only. A run only grows, so each event is written once, unless what was written is told otherwise now."""
    events, known, lang = shown(run), _WRITTEN.get(run), run.asked.lang
    new = events[len(known.events) :] if known else events
    if known is None or events[: len(known.events)] != known.events or any(isinstance(event, Recalled) for event in new):
        known, new = _Written(list(merged(_opening(run)))), events
        _WRITTEN[run] = known
    for event in new:
        known.add(event, lang)
    return known.messages


def _calls(calls: Iterable[Call], reply: Reply | None) -> tuple[ToolCall, ...]:
    """The calls as they are said again, each with the arguments as the model wrote them, where that is how they were read."""
    sent = [(one.arguments, _value(one.arguments)) for one in reply.calls] if reply else []
    return tuple(ToolCall(call.tool, _arguments(call, sent), call.provider_id or call.id) for call in calls)


def _arguments(call: Call, sent: list[tuple[str, object]]) -> str:
    """The call's arguments as they were sent, unless they were blown up with blanks; as JSON where they were read otherwise."""
    for text, value in sent:
        if value == call.args and (len(text) < SPACES or len(text) < len(_COMPACT(call.args)) + SPACES):
            return text
    return _COMPACT(call.args)


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
