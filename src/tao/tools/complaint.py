"""What is said to a model whose arguments do not fit: which parameter, what came, what is wanted, and an example."""

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tao.errors import BadArguments
from tao.tools.words import say, speaking

MOST = 5
"""Problems named in one message."""
DEEPEST = 6
"""So deep an example goes into a schema that refers to itself."""

SAMPLES = {
    "date": "2025-01-31", "time": "09:30:00", "date-time": "2025-01-31T09:30:00", "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "email": "name@example.org", "uri": "https://example.org", "duration": "PT30M", "decimal": 12.5,
}  # fmt: skip


NOUNS = (("it", "它"), ("key", "键"), ("keys", "可用的键"))
"""What is wrong, part and parts of a value that is no call's arguments."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One value that does not fit: its place, why ("type", "missing", "unknown" …), the value, and the schema there."""

    path: str
    why: str
    value: Any
    schema: Mapping[str, Any]
    detail: str = ""


def note(path: str, came: Any, read: Any) -> str:
    """What was mended, in symbols that need no language; `...` as `read` means left out."""
    return f"{path}: {_json(came)} → {'∅' if read is ... else _json(read)}"


def complain(
    problems: Sequence[Problem], schema: Mapping[str, Any], good: Mapping[str, Any], lang: str,
    example: Mapping[str, Any] | None = None,
) -> BadArguments:
    """The error for these problems, in this language. `good` are the arguments that do fit: the example keeps them."""
    with speaking(lang):
        lines = [_line(replace(problem, schema=_opened(problem.schema, schema))) for problem in problems[:MOST]]
        if len(problems) > MOST:
            lines.append(say(f"and {len(problems) - MOST} more", f"还有 {len(problems) - MOST} 处"))
        shown = _json(_mended(problems, schema, good, example), 400)
        return BadArguments(say("; ".join(lines) + f". Example: {shown}", "；".join(lines) + f"。示例：{shown}"))


def said(problems: Sequence[Problem], lang: str) -> str:
    """What is wrong with a value that is no call's arguments, in this language."""
    with speaking(lang):
        lines = [_line(problem, call=False) for problem in problems[:MOST]]
        if len(problems) > MOST:
            lines.append(say(f"and {len(problems) - MOST} more", f"还有 {len(problems) - MOST} 处"))
        return say("; ", "；").join(lines)


def _line(problem: Problem, *, call: bool = True) -> str:
    got, wanted = _described(problem.value), wanted_text(problem.schema)
    whole, part, parts = (("the arguments", "参数"), ("parameter", "参数"), ("parameters", "可用参数")) if call else NOUNS
    name = problem.path or say(*whole)
    if problem.why == "unknown":
        known = list(problem.schema.get("properties", {}))
        near = difflib.get_close_matches(problem.path.rpartition(".")[2], known, 1)
        hint = say(f", did you mean {near[0]}?", f"，是不是 {near[0]}？") if near else ""
        listed = say(", ".join(known) or "none", "、".join(known) or "无")
        return say(f"unknown {part[0]} {name}{hint} ({parts[0]}: {listed})", f"没有{part[1]} {name}{hint}（{parts[1]}：{listed}）")
    if problem.why == "missing":
        return say(f"{name} is missing: wanted {wanted}", f"缺少 {name}：需要{wanted}")
    if problem.why == "unclear":
        return say(f"{name}: {got} can be read in more than one way, wanted {wanted}", f"{name}：{got} 有多种读法，需要{wanted}")
    if problem.why == "deep":
        return say(f"{name}: nested too deeply", f"{name}：嵌套过深")
    if problem.detail:
        return say(f"{name}: got {got}: {problem.detail}", f"{name}：收到 {got}：{problem.detail}")
    return say(f"{name}: got {got}, wanted {wanted}", f"{name}：收到 {got}，需要{wanted}")


def _described(value: Any) -> str:
    """A value with the word for its type, cut short."""
    words = {
        str: say("text", "文本"), bool: say("true/false", "布尔值"), int: say("whole number", "整数"), float: say("number", "数字"),
        list: say("list", "列表"), dict: say("object", "对象"), type(None): say("nothing", "空"),
    }  # fmt: skip
    word = words.get(type(value), type(value).__name__)
    return say(f"{_json(value)} ({word})", f"{_json(value)}（{word}）")


def wanted_text(schema: Any) -> str:
    """What a schema asks for, in plain words, with the parameter's own description."""
    if not isinstance(schema, Mapping):
        return say("nothing", "不填") if schema is False else say("any value", "任意值")
    said, wanted = schema.get("description", "").strip(" .。"), _wanted(schema)
    return wanted + say(f" ({said})", f"（{said}）") if said and said not in wanted and len(said) <= 160 else wanted


def _wanted(schema: Any) -> str:
    if not isinstance(schema, Mapping) or not schema:
        return say("any value", "任意值")
    if "enum" in schema or "const" in schema:
        choices = schema.get("enum") or [schema.get("const")]
        listed = [_json(choice) for choice in choices[:20]] + (["…"] if len(choices) > 20 else [])
        return say("one of " + ", ".join(listed), "以下之一：" + "、".join(listed)) if len(choices) > 1 else listed[0]
    arms = schema.get("anyOf") or schema.get("oneOf") or [{**schema, "type": one} for one in _listed(schema.get("type"))]
    if arms:
        return say(" or ", "或").join(dict.fromkeys(_wanted(arm) for arm in arms))
    kind, limits = schema.get("type"), _limits(schema)
    if kind == "array":
        inner = schema.get("items")
        of = say(f" of {_wanted(inner)}", f"，每项为{_wanted(inner)}") if inner else ""
        if "prefixItems" in schema:
            of = say(" of ", "，依次为") + say(", ", "、").join(_wanted(part) for part in schema["prefixItems"])
        return say("a list", "列表") + of + limits
    if kind == "object":
        names = list(schema.get("properties", ()))
        return say("an object", "对象") + (say(" with ", "，含 ") + say(", ", "、").join(names) if names else "") + limits
    return _scalar(kind, schema.get("format", "")) + limits


def _listed(kind: Any) -> list[Any]:
    return kind if isinstance(kind, list) else []


def _scalar(kind: Any, form: str) -> str:
    if form == "date":
        return say("a real date as YYYY-MM-DD", "真实日期，格式 YYYY-MM-DD")
    if form == "time":
        return say("a time as HH:MM:SS", "时间，格式 HH:MM:SS")
    if form == "date-time":
        return say("a date and time as YYYY-MM-DDTHH:MM:SS", "日期时间，格式 YYYY-MM-DDTHH:MM:SS")
    words = {
        "string": say("text", "文本"), "integer": say("a whole number", "整数"), "number": say("a number", "数字"),
        "boolean": say("true or false", "true 或 false"), "null": "null",
    }  # fmt: skip
    word = words.get(kind, say("a value", "值"))
    return say(f"{word} ({form})", f"{word}（{form}）") if form and form != "decimal" else word


def _limits(schema: Mapping[str, Any]) -> str:
    """The limits of a number, text or list, in words."""
    said: list[str] = []
    for key, en, zh in (
        ("minimum", "at least {}", "不小于 {}"), ("maximum", "at most {}", "不大于 {}"), ("exclusiveMinimum", "more than {}", "大于 {}"),
        ("exclusiveMaximum", "less than {}", "小于 {}"), ("multipleOf", "a multiple of {}", "{} 的倍数"),
        ("minLength", "at least {} characters", "至少 {} 个字符"), ("maxLength", "at most {} characters", "最多 {} 个字符"),
        ("minItems", "at least {} items", "至少 {} 项"), ("maxItems", "at most {} items", "最多 {} 项"),
        ("minProperties", "at least {} entries", "至少 {} 个键"), ("maxProperties", "at most {} entries", "最多 {} 个键"),
        ("pattern", "matching {}", "匹配 {}"),
    ):  # fmt: skip
        if key in schema:
            said.append(say(en, zh).format(schema[key]))
    return (say(", ", "，") + say(", ", "，").join(said)) if said else ""


def _mended(
    problems: Sequence[Problem], schema: Mapping[str, Any], good: Mapping[str, Any], example: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """An example call: what was right stays, the rest comes from the tool's own example or from the schema."""
    wrong = {problem.path.split(".", maxsplit=1)[0].split("[", maxsplit=1)[0] for problem in problems}
    out: dict[str, Any] = {}
    for key, form in (schema.get("properties") or {}).items():
        if key in good and key not in wrong:
            out[key] = good[key]
        elif key in wrong or key in (schema.get("required") or ()):
            out[key] = (example or {}).get(key, sample(form, schema))
    return out


def _opened(schema: Any, root: Mapping[str, Any]) -> Any:
    """What a reference within the whole schema leads to; anything else as it is."""
    for _ in range(DEEPEST):
        ref = schema.get("$ref") if isinstance(schema, Mapping) else None
        if not (isinstance(ref, str) and ref.startswith("#/")):
            return schema
        found: Any = root
        for step in ref[2:].split("/"):
            found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
        schema = {**found, **{key: value for key, value in schema.items() if key != "$ref"}} if isinstance(found, Mapping) else {}
    return {}


def sample(schema: Any, root: Mapping[str, Any], depth: int = 0) -> Any:
    """A value of the schema's kind, to show its form. References are looked up in `root`."""
    schema = _opened(schema, root)
    if not isinstance(schema, Mapping) or depth > DEEPEST:
        return "…"
    for key in ("examples", "enum"):
        if isinstance(listed := schema.get(key), list) and listed:
            return listed[0]
    if "const" in schema or schema.get("default") is not None:
        return schema.get("const", schema.get("default"))
    if arms := schema.get("anyOf") or schema.get("oneOf"):
        return sample(arms[0], root, depth + 1)
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if (form := schema.get("format")) in SAMPLES:
        return SAMPLES[form]
    if kind in {"integer", "number"}:
        return _sample_number(schema)
    if kind == "array":
        inner = schema.get("prefixItems") or [schema.get("items", "…")] * min(5, max(1, schema.get("minItems", 1)))
        return [sample(part, root, depth + 1) for part in inner[:5]]
    if kind == "object":
        needed = schema.get("required") or list(schema.get("properties", ()))[:1]
        return {key: sample(schema.get("properties", {}).get(key), root, depth + 1) for key in needed}
    return True if kind == "boolean" else None if kind == "null" else "…"


def _sample_number(schema: Mapping[str, Any]) -> Any:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    step = schema.get("multipleOf") or 1
    value = 3 if low is None and (high is None or high > 3) else low if low is not None else high
    value = -(-value // step) * step
    if value == schema.get("exclusiveMinimum"):
        value += step
    return value - step if value == schema.get("exclusiveMaximum") else value


def _json(value: Any, longest: int = 80) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
