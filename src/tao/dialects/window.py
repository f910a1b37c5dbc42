"""What of a run is shown to the model, and how the parts that all text dialects share are said."""

from collections.abc import Callable, Iterable, Iterator

from tao.dialects.prompts import texts
from tao.dialects.stories import stories
from tao.events import Decided, Event, Misread, Nudged, Observed, Replied
from tao.messages import Message, ToolSpec
from tao.run import Run

QUOTE_LIMIT = 400

Say = Callable[[Decided], str]
"""How a dialect writes a step."""


def shown(run: Run) -> list[Event]:
    """The events that the prompt tells of: without replies that a policy asked to leave out, and calls that were refused unseen."""
    hidden: set[int] = set()
    decided: dict[str, int] = {}
    for place, event in enumerate(run.events):
        if isinstance(event, Decided):
            decided |= dict.fromkeys((call.id for call in event.calls), place)
        elif isinstance(event, Nudged) and event.hide:
            hidden.add(place - 1)
        elif isinstance(event, Observed) and event.observation.kind == "ungrounded" and event.call_id in decided:
            hidden |= {place, decided[event.call_id]}
    return [event for place, event in enumerate(run.events) if place not in hidden]


def transcript(run: Run, say: Say, form: str, *, quiet: bool) -> Iterator[Message]:
    """A run as messages of a text dialect: steps as the assistant's, observations and corrections as the user's.

    `form` is shown again after a reply that could not be read. With `quiet`, a nudge that leads the next thought is not said.
    """
    words = texts(run.asked.lang)
    yield Message("user", words["begin"] + run.asked.question + "".join(f"\n{words['note']}{note}" for note in run.notes))
    reply = ""
    for event in shown(run):
        if isinstance(event, Replied):
            reply = event.reply.text
        elif isinstance(event, Decided):
            yield Message("assistant", say(event))
        elif isinstance(event, Observed):
            yield Message("user", words["observation"] + event.observation.text)
        elif isinstance(event, Misread):
            yield Message("assistant", reply.strip()[:QUOTE_LIMIT] or "…")
            yield Message("user", f"{event.detail}\n{form}" if event.detail else form)
        elif isinstance(event, Nudged) and event.text and not (quiet and event.lead):
            yield Message("user", event.text)


def merged(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Neighbouring messages of one role as one: many chat templates want the roles to alternate."""
    whole: list[Message] = []
    for message in messages:
        if whole and whole[-1].role == message.role and message.role in ("user", "assistant") and not (message.calls or whole[-1].calls):
            whole[-1] = Message(message.role, f"{whole[-1].content}\n{message.content}")
        else:
            whole.append(message)
    return tuple(whole)


def opening(run: Run, dialect: str, say: Say, *, few_shot: bool) -> Iterator[Message]:
    """The system prompt, the examples as earlier questions, and the conversation before this one."""
    asked = run.asked
    words = texts(asked.lang)
    form = words[f"{dialect}.form"]
    tools = "\n".join(map(tool_line, asked.tools)) or words["no_tools"]
    yield Message("system", "\n\n".join(filter(None, [asked.instructions, words["task"].format(tools=tools, form=form)])))
    for story in stories(asked.tools, asked.lang) if few_shot and asked.tools else ():
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
