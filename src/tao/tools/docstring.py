"""Docstrings read: what a tool does and what each of its parameters means.

Understands the Google, NumPy and reST (also epytext) styles with English or Chinese headings, and prose that explains
parameters on the way: "Add days to a date. date: YYYY-MM-DD. days: whole number."
"""

import inspect
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

HEADINGS = {
    word: kind
    for kind, words in {
        "params": "args|arguments|parameters|params|keyword args|keyword arguments|other parameters|参数|参数说明|入参|输入参数",
        "returns": "returns|return|返回|返回值",
        "examples": "example|examples|示例|例子|举例",
        "dropped": "raises|raise|yields|yield|warns|see also|references|attributes|methods|异常|抛出|抛出异常|参见|参考",
    }.items()
    for word in words.split("|")
}
PROSE_WORDS = frozenset({"note", "notes", "example", "examples", "warning", "tip", "returns", "return", "see", "default", "usage"})
"""Parameter names that may just as well begin a sentence of prose: not lifted out of prose."""

_HEADING = re.compile(r"([A-Za-z ]+|[\u4e00-\u9fff]+)\s*[:：]?")
_FIELD = re.compile(r"[:@](param|parameter|arg|argument|key|keyword|type|returns?|rtype|raises?|except|yields?)\b\s*([^:：]*)[:：]\s*(.*)")
_ENTRY = re.compile(r"\s*(?:[-*•]\s+)?`{0,2}\*{0,2}(\w+)`{0,2}\s*(?:[(（\[](.*?)[)）\]])?\s*(?:[:：]|\s[-–—]+\s)\s*(.*)")
_NUMPY_ENTRY = re.compile(r"\s*\*{0,2}(\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?:[:：]\s*(.*))?")
_SENTENCE_END = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)(?<!\be)(?<!\bi)\.(?=\s|$)|[。；]|;(?=\s)")
_LIST_ITEM = re.compile(r"([-*•]|\d+[.)、]|>>>|\|)\s?")


@dataclass(frozen=True, slots=True)
class Doc:
    """What a docstring says: `description` for the model, text and type words per parameter, and an example call."""

    description: str = ""
    params: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    example: Mapping[str, Any] | None = None


def read(text: str | None, names: Collection[str] = ()) -> Doc:
    """Read a docstring of a function with these parameter names; text about anything else stays in the description."""
    clean = inspect.cleandoc(text or "")
    params: dict[str, str] = {}
    types: dict[str, str] = {}
    kept: list[str] = []
    lines = clean.splitlines()
    at = 0
    while at < len(lines):
        kind, body, after = _section(lines, at, names)
        if kind == "params":
            _entries(body, names, params, types, numpy=_underlined(lines, at))
        elif kind == "field":
            kept += _field(body, names, params, types)
        elif kind in {"returns", "examples", "kept"}:
            said = _reflow(body)
            kept += ["", f"{lines[at].strip().rstrip(':：')}: {said}"] if said else []
        elif not kind:
            kept.append(lines[at])
        at = after
    description = _reflow(kept, names)
    for name in names:
        if name not in params and (said := _in_prose(description, name, names)):
            params[name] = said
    return Doc(description, params, types, _example(clean, names))


def _underlined(lines: list[str], at: int) -> bool:
    return at + 1 < len(lines) and bool(re.fullmatch(r"\s*[-=~]{3,}\s*", lines[at + 1]))


def _section(lines: list[str], at: int, names: Collection[str]) -> tuple[str, list[str], int]:
    """The section that begins at this line: its kind ("" for prose), its lines, and where the text goes on."""
    line = lines[at]
    if match := _FIELD.match(line.strip()):
        after = _until(lines, at + 1, deeper_than=_indent(line))
        first = f"{match.group(1)}\n{match.group(2).strip()}\n{match.group(3)}"
        return "field", [first, *(more.strip() for more in lines[at + 1 : after])], after
    heading = _HEADING.fullmatch(line.strip())
    kind = HEADINGS.get(heading.group(1).strip().lower(), "") if heading else ""
    if line.strip() and _underlined(lines, at):
        kind, after = kind or "kept", at + 2
        while after < len(lines) and not _underlined(lines, after):
            after += 1
        return kind, lines[at + 2 : after], after
    if not kind or line.strip()[-1] not in ":：":
        return "", [], at + 1
    after = _until(lines, at + 1, deeper_than=_indent(line))
    if not any(more.strip() for more in lines[at + 1 : after]):
        after = at + 1
        while after < len(lines) and kind == "params" and (entry := _ENTRY.match(lines[after])) and entry.group(1) in names:
            after += 1
    return (kind, lines[at + 1 : after], after) if after > at + 1 else ("", [], at + 1)


def _until(lines: list[str], at: int, deeper_than: int) -> int:
    """Where lines stop being blank or indented deeper than this; trailing blank lines are not counted in."""
    end = at
    while at < len(lines) and (not lines[at].strip() or _indent(lines[at]) > deeper_than):
        at += 1
        end = at if lines[at - 1].strip() else end
    return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _entries(body: list[str], names: Collection[str], params: dict[str, str], types: dict[str, str], *, numpy: bool) -> None:
    """Read the lines of a parameter section into `params` and `types`."""
    base = min((_indent(line) for line in body if line.strip()), default=0)
    current: list[str] = []
    for line in body:
        match = (_NUMPY_ENTRY.fullmatch(line) if numpy else _ENTRY.match(line)) if _indent(line) == base else None
        found = [name.strip(" *") for name in match.group(1).split(",")] if match else []
        if match and all(name in names for name in found):
            current = found
            kind, said = (match.group(2), "") if numpy else (match.group(2), match.group(3))
            params |= dict.fromkeys(current, said.strip())
            types |= dict.fromkeys(current, kind) if kind else {}
        elif line.strip() and (match is None or not found):
            params |= {name: f"{params[name]} {line.strip()}".strip() for name in current}
        elif match:
            current = []


def _field(body: list[str], names: Collection[str], params: dict[str, str], types: dict[str, str]) -> list[str]:
    """Read one reST field; gives what of it belongs into the description."""
    word, target, first = body[0].split("\n", 2)
    said = " ".join(part for part in (first.strip(), *body[1:]) if part)
    *kind, name = target.split() or [""]
    name = name.lstrip("*\\")
    if word.startswith(("param", "arg", "key")) and name in names:
        params[name] = said
        if kind:
            types[name] = " ".join(kind)
    elif word == "type" and name in names:
        types[name] = said
    return ["", f"Returns: {said}"] if word in {"return", "returns"} and said else []


def _reflow(lines: list[str], names: Collection[str] = ()) -> str:
    """Lines of a paragraph joined; paragraphs, list items and "name: text" on lines of their own."""
    out: list[str] = []
    fresh = True
    for line in lines:
        text = line.strip()
        if not text:
            fresh = True
        elif fresh or _LIST_ITEM.match(text) or re.split(r"\s?[:：]", text, maxsplit=1)[0] in names:
            out.append(text)
            fresh = False
        else:
            out[-1] += text if _wide(out[-1][-1]) and _wide(text[0]) else f" {text}"
    return "\n".join(out)


def _wide(char: str) -> bool:
    return "\u2e80" <= char <= "\uffef"


def _in_prose(text: str, name: str, names: Collection[str]) -> str:
    """What follows "name:" where that begins a sentence and stands exactly once; "" where it is not certain."""
    if name.lower() in PROSE_WORDS:
        return ""
    marks = list(re.finditer(rf"(?:^|(?<=[.。;；,，:：)）\n])|(?<=[.。;；,，:：)）\n] ))`?{re.escape(name)}`?\s?[:：]\s*", text))
    if len(marks) != 1:
        return ""
    rest = text[marks[0].end() :].split("\n", 1)[0]
    others = "|".join(re.escape(other) for other in [*names, "Example", "Examples", "Returns", "示例", "例如", "例", "返回"])
    if nxt := re.search(rf"(?:^|[\s.。;；,，])(?:{others})\s?[:：]", rest):
        rest = rest[: nxt.start()]
    if end := _SENTENCE_END.search(rest):
        rest = rest[: end.start()]
    return rest.strip(" .。;；,，")


def _example(text: str, names: Collection[str]) -> Mapping[str, Any] | None:
    """The first JSON object in the text whose keys are parameters: an example call."""
    decoder = json.JSONDecoder()
    for match in re.finditer(r"\{", text):
        try:
            value, _ = decoder.raw_decode(text, match.start())
        except ValueError:
            continue
        if isinstance(value, dict) and value and all(key in names for key in value):
            return value
    return None
