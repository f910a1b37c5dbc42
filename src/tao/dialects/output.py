"""Structured answers in every dialect: what is said of the form, how a reply is held to it, how it is found in a reply.

The schema is part of the record (`Asked.settings`, "output"), so that a prompt depends on nothing but the run. Whether a value
fits is decided later (`tao.output`); here a reply is only searched for the JSON that is meant to be the answer, because the
usual reading takes the one text out of `{"answer": "…"}`, which may be all of what was asked for.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tao.dialects import schemas
from tao.dialects.later import later
from tao.dialects.names import Tools, is_finish
from tao.dialects.prompts import texts
from tao.dialects.repair import Fault, Read, read_json
from tao.events import Decided, Misread
from tao.messages import ToolCall, ToolSpec
from tao.run import Run

OUTPUT = "output"
"""The schema's place in a run's settings."""
ANSWER = "answer"
THOUGHTS = ("thought", "thoughts", "think", "thinking", "reasoning", "reason", "思考", "想法")
"""What may stand beside an answer in the object that a model puts it into."""
FINISHERS = ("final_answer", "finish", "done")
_START = later(r"(?:^|\n)[^\n{\[]{0,60}?(?=[{\[])|(?:^|\n)(?:[ \t]*\**(?:Final Answer|Answer|最终答案|答案)\**[ \t]*[:：][ \t]*)")
_END = later(r"\s*(?:`{3,}|~{3,})?\s*")


def wanted(run: Run) -> Mapping[str, Any] | None:
    """The schema that the run's answer has to fit; None where it is plain text."""
    found = run.asked.settings.get(OUTPUT)
    return found if found is not None and isinstance(found, Mapping) else None


def described(run: Run) -> str:
    """What the model is told of the form of its answer, on a line of its own; nothing where it is plain text."""
    schema = wanted(run)
    if schema is None:
        return ""
    return "\n" + texts(run.asked.lang)["output"].format(schema=json.dumps(schema, ensure_ascii=False, separators=(",", ":")))


def enveloped(schema: Mapping[str, Any]) -> dict[str, Any]:
    """An object schema whose only property `answer` is this schema; its references lead to the same places as before."""
    defs = {key: _moved(schema[key]) for key in ("$defs", "definitions") if key in schema}
    inner = _moved({key: value for key, value in schema.items() if key not in defs})
    return {"type": "object", "properties": {ANSWER: inner}, "required": [ANSWER], "additionalProperties": False, **defs}


def _moved(node: Any) -> Any:
    """The same with references to the whole (`#`, `#/properties/…`) leading into the envelope."""
    if isinstance(node, list):
        return [_moved(part) for part in node]
    if not isinstance(node, Mapping):
        return node
    out = {key: _moved(value) for key, value in node.items()}
    ref = out.get("$ref")
    if isinstance(ref, str) and ref.startswith("#") and not ref.startswith(("#/$defs/", "#/definitions/")):
        out["$ref"] = f"#/properties/{ANSWER}{ref[1:]}"
    return out


def is_open(schema: Mapping[str, Any]) -> bool:
    """Whether a tool can take the schema for its parameters as it is: an object with properties, named at its root."""
    return schema.get("type") == "object" and isinstance(schema.get("properties"), Mapping)


# ── function calling: the answer is a call, too ───────────────────────────────


def finisher(run: Run) -> ToolSpec | None:
    """The function whose arguments are the answer; None where the answer is plain text.

    A call is what every server with tools can hold to a schema; few can do so with text while tools are open.
    """
    schema = wanted(run)
    if schema is None:
        return None
    taken = {tool.name for tool in run.tools}
    name = next((name for name in FINISHERS if name not in taken), f"{FINISHERS[0]}_{len(taken)}")
    parameters = dict(schema) if is_open(schema) else enveloped(schema)
    return ToolSpec(name, texts(run.asked.lang)["output.call"], parameters)


def to_call(run: Run) -> str:
    """What is said beside the question; the schema stands with the function."""
    finish = finisher(run)
    return "\n" + texts(run.asked.lang)["output.native"].format(name=finish.name) if finish else ""


def called(run: Run, calls: tuple[ToolCall, ...], reading: Decided | Misread) -> Decided | Misread:
    """The reading of structured calls, where the first of them is the finishing one: its arguments as they are."""
    schema = wanted(run)
    finish = finisher(run) if schema is not None and calls else None
    if schema is None or finish is None or not (calls[0].name == finish.name or is_finish(calls[0].name, Tools(run.tools))):
        return reading
    given: Any = calls[0].arguments
    if isinstance(given, str):
        found = read_json(given.strip())
        if not isinstance(found, Read) or found.cut:
            return _in_full(reading, given)
        given = found.value
    if isinstance(given, Mapping) and set(given) == {ANSWER} and ANSWER not in _properties(schema):
        given = given[ANSWER]
    return Decided(reading.thought, (), json.dumps(given, ensure_ascii=False), reading.notes if isinstance(reading, Decided) else ())


# ── text ──────────────────────────────────────────────────────────────────────


def found(run: Run, text: str, reading: Decided | Misread) -> Decided | Misread:
    """The reading of a text; where it lost the JSON that was asked for, or found none, the JSON at the end of the reply."""
    schema = wanted(run)
    if schema is None or (isinstance(reading, Decided) and reading.calls):
        return reading
    if begun := _begun(text):
        return _in_full(reading, begun)
    if isinstance(reading, Decided) and likely(schema, _value(reading.answer or "")):
        return reading
    for start in _START.finditer(text):
        value = next((one for one in _meant(_value(text[start.end() :]), run) if likely(schema, one)), ...)
        if value is not ...:
            answer = json.dumps(value, ensure_ascii=False)
            return replace(reading, answer=answer) if isinstance(reading, Decided) else Decided("", (), answer, (reading.reason,))
    return reading


def _in_full(reading: Decided | Misread, begun: str) -> Decided | Misread:
    """The reading of JSON that breaks off; where its answer is only a part of that, or was closed by us, the answer is what was said, as it was."""
    if not isinstance(reading, Decided) or reading.answer is None or _closed(begun).endswith(_closed(reading.answer)):
        return reading
    return replace(reading, answer=begun)


def _begun(text: str) -> str:
    """The first JSON of a reply that breaks off, up to the end; "" where there is none. What stands in a whole one does not count."""
    at = 0
    for start in _START.finditer(text):
        begin = len(text) - len(text[start.end() :].lstrip())
        if begin >= at and text[begin : begin + 1] in {"{", "["}:
            read = read_json(text, begin)
            if broken_off(text[begin:]):
                return text[begin:]
            at = read.end if isinstance(read, Read) else at
    return ""


def _closed(text: str) -> str:
    """A text without blanks, by whose end is seen whether a value was closed there."""
    return "".join(text.split())


def _meant(value: Any, run: Run) -> Iterator[Any]:
    """What a JSON value at the end of a reply may be as an answer: the input of a finishing call, the one thing in brackets, or all of it."""
    if isinstance(value, Mapping):
        named = next((str(value[key]) for key in ("tool", "action", "name", "function") if key in value), "")
        args = next((value[key] for key in ("args", "input", "action_input", "arguments", "parameters") if key in value), ...) if named else ...
        if args is not ... and is_finish(named, Tools(run.tools)):
            args = _value(args) if isinstance(args, str) and _value(args) is not ... else args
            yield args
            yield args.get(ANSWER, ...) if isinstance(args, Mapping) else ...
            return
        if ANSWER in value and set(value) <= {ANSWER, *THOUGHTS}:
            yield value[ANSWER]
    yield value
    if isinstance(value, list) and len(value) == 1:
        yield value[0]  # Finish[{…}]


def _value(text: str) -> Any:
    """The JSON value that the text is, a closing fence behind it at most; Ellipsis where it is none."""
    begin = len(text) - len(text.lstrip())
    read = read_json(text, begin)
    return read.value if isinstance(read, Read) and not read.cut and _END.fullmatch(text, read.end) else ...


def broken_off(text: str) -> bool:
    """Whether an object or list begins the text, and the text is over before its last bracket."""
    begin = len(text) - len(text.lstrip())
    read = read_json(text, begin) if text[begin : begin + 1] in {"{", "["} else None
    return (isinstance(read, Fault) and read.kind == "truncated") or (isinstance(read, Read) and read.cut)


def likely(schema: Mapping[str, Any], value: Any) -> bool:
    """Whether the value is of a type that the schema has and, as an object, has the keys that it must have and no strange ones."""
    return value is not ... and any(_like(arm, value) for arm in schemas.arms(schema, schema))


def _like(arm: Mapping[str, Any], value: Any) -> bool:
    listed = schemas.values(arm)
    if listed is not None:
        return value in listed
    kind = schemas.type_of(arm)
    if not schemas.is_a(value, kind):
        return False
    if kind != "object" or not isinstance(value, Mapping):
        return True
    properties = _properties(arm)
    return set(arm.get("required", ())) <= set(value) and (not properties or set(value) <= set(properties) or bool(arm.get("additionalProperties")))


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, Mapping) else {}
