"""What of a run is shown to the model, and how the parts that all text dialects share are said."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from weakref import WeakKeyDictionary

from tao import toolset
from tao.dialects.output import described
from tao.dialects.prompts import texts
from tao.dialects.stories import stories
from tao.events import Asked, Decided, Event, Misread, Nudged, Observed, Replied
from tao.facts import dates, follows, known, names, number_words, numbers, to_show, year
from tao.messages import Message, ToolSpec
from tao.run import NO_TOOLS, Grown, Run

QUOTE_LIMIT = 400
COUNTED = re.compile(r"[一二两三四五六七八九十]\s*[个座家本种次步位条者]")
"""Counts in passing (两个数), which are no results."""
SENTENCE = re.compile(r".+?(?:[。！？!?]|\.(?=\s|$)|$)\s*", re.DOTALL)

Say = Callable[[Decided], str]
"""How a dialect writes a step."""


def shown(run: Run) -> list[Event]:
    """The events that the prompt tells of.

    Left out are replies that a policy asked to leave out, calls that were refused unseen, with all that was decided
    beside them, a server's refusal of tools, and readings that neither call nor answer (of replies that only sorted the question).
    """
    if not _hiding(run):
        return list(run.events)
    refused = {event.call_id for event in run.all(Observed) if event.observation.kind == "ungrounded"}
    unseen = {call.id for event in run.all(Decided) if any(call.id in refused for call in event.calls) for call in event.calls}
    hidden = {place - 1 for place, event in enumerate(run.events) if isinstance(event, Nudged) and event.hide}

    def kept(event: Event) -> bool:
        if isinstance(event, Decided):
            return not _silent(event) and not any(call.id in unseen for call in event.calls)
        if isinstance(event, Observed):
            return event.call_id not in unseen
        return not (isinstance(event, Misread) and event.reason == NO_TOOLS)

    return [event for place, event in enumerate(run.events) if place not in hidden and kept(event)]


def _hides(event: Event) -> bool:
    """Whether something is left out because of this event; in most runs there is none."""
    if isinstance(event, Decided):
        return _silent(event)
    if isinstance(event, Observed):
        return event.observation.kind == "ungrounded"
    if isinstance(event, Nudged):
        return event.hide
    return isinstance(event, Misread) and event.reason == NO_TOOLS


def _silent(event: Decided) -> bool:
    return not event.calls and event.answer is None


_hiding: Grown[bool] = Grown(lambda: False, lambda found, event: found or _hides(event))


def transcript(run: Run, say: Say, form: str, *, quiet: bool, focus: bool = False) -> Iterator[Message]:
    """A run as messages of a text dialect: steps as the assistant's, observations and corrections as the user's.

    `form` is shown again after a reply that could not be read. With `quiet`, a nudge that leads the next thought is not said;
    with `focus`, sentences of an observation that are beside the point are left out, and guesses in thoughts.
    """
    about = names(run.asked.question) if focus else ()
    lookups = toolset.looked_up(run)
    words = texts(run.asked.lang)
    opening = words["begin"] + run.asked.question + "".join(f"\n{words['note']}{note}" for note in run.notes) + described(run)
    yield Message("user", opening, images=run.asked.images)
    reply = ""
    for event in shown(run):
        if isinstance(event, Replied):
            reply = event.reply.text
        elif isinstance(event, Decided):
            yield Message("assistant", say(without_guesses(event, run) if focus and event.calls else event))
        elif isinstance(event, Observed):
            text = event.observation.text
            yield Message("user", words["observation"] + (text if event.call_id in lookups else to_show(text, about)))
        elif isinstance(event, Misread):
            yield Message("assistant", reply.strip()[:QUOTE_LIMIT] or "…")
            yield Message("user", f"{event.detail}\n{form}" if event.detail else form)
        elif isinstance(event, Nudged) and event.text and not (quiet and event.lead):
            yield Message("user", event.text)


def without_guesses(step: Decided, run: Run) -> Decided:
    """The step without those sentences of its thought that give a value nothing known at that time leads to.

    What a small model guesses on its way ("102 days later is …") it believes more readily than what the tool then says.
    """
    if not (dates(step.thought) or numbers(step.thought)):
        return step
    have = known(Run(run.id, run.events[: run.events.index(step)]))
    values = (*have.values, *number_words(have.text))

    def grounded(sentence: str) -> bool:
        days = dates(sentence)
        rest = numbers(COUNTED.sub("", sentence))
        return set(days) <= set(have.dates) and all(year(n) or follows(n.value, values) or follows(n.scaled, values) for n in rest)

    kept = "".join(sentence for sentence in SENTENCE.findall(step.thought) if grounded(sentence)).strip()
    return step if kept == step.thought.strip() else replace(step, thought=kept or texts(run.asked.lang)["unguessed"])


def merged(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Neighbouring messages of one role as one: many chat templates want the roles to alternate."""
    whole: list[Message] = []
    for message in messages:
        put(whole, message)
    return tuple(whole)


def put(whole: list[Message], message: Message) -> None:
    """One more message behind those that are merged already."""
    last = whole[-1] if whole else None
    if last and last.role == message.role and message.role in ("user", "assistant") and not (message.calls or last.calls or message.kept or last.kept):
        whole[-1] = Message(message.role, f"{last.content}\n{message.content}", images=last.images + message.images)
    else:
        whole.append(message)


_OPENED: WeakKeyDictionary[Run, tuple[Asked, str, bool, tuple[Message, ...]]] = WeakKeyDictionary()


def opening(run: Run, dialect: str, say: Say, *, few_shot: bool) -> tuple[Message, ...]:
    """The system prompt, the examples as earlier questions, and the conversation before this one. The same at every step, so written once."""
    known = _OPENED.get(run)
    if known is None or known[0] is not run.asked or known[1:3] != (dialect, few_shot):
        known = _OPENED[run] = run.asked, dialect, few_shot, tuple(_opening(run, dialect, say, few_shot=few_shot))
    return known[3]


def _opening(run: Run, dialect: str, say: Say, *, few_shot: bool) -> Iterator[Message]:
    asked = run.asked
    words = texts(asked.lang)
    form = words[f"{dialect}.form"]
    known = toolset.opening(run)
    tools = "\n".join(filter(None, [*map(tool_line, known), toolset.listed(run)])) or words["no_tools"]
    yield Message("system", "\n\n".join(filter(None, [asked.instructions, words["task" if few_shot else "task.brief"].format(tools=tools, form=form)])))
    for story in stories(known, asked.lang, finds=toolset.large(run)) if few_shot and asked.tools else ():
        yield from transcript(story, say, form, quiet=False)
    yield from asked.history


def tool_line(tool: ToolSpec) -> str:
    """One tool as a line of the prompt: its name, its parameters with types, and what it does."""
    properties = tool.parameters.get("properties", {})
    required = set(tool.parameters.get("required", ()))
    shown_parameters = ", ".join(f"{name}{'' if name in required else '?'}: {_type(schema)}" for name, schema in properties.items())
    return f"- {tool.name}({shown_parameters}): {tool.description}{_details(properties, tool.description)}"


def _type(schema: object) -> str:
    if not isinstance(schema, dict):
        return "any"
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    kind = schema.get("format") if schema.get("format") in ("date", "date-time", "time") else schema.get("type", "any")
    return " | ".join(map(str, kind)) if isinstance(kind, list) else str(kind)


def _details(properties: dict[str, object], description: str) -> str:
    """What the schema says of single parameters and the description does not say already."""
    said = [
        f"{name}: {schema['description']}"
        for name, schema in properties.items()
        if isinstance(schema, dict) and schema.get("description") and str(schema["description"]).rstrip(".。") not in description
    ]
    return f" ({'; '.join(said)})" if said else ""
