"""The corpus of difficult model outputs: loading a file of cases, and scoring what a parser made of one.

A file holds one case a line, as JSON:

    {"id": …, "kind": …, "lang": …, "tools": [{"name": …, "params": {name: type}}], "text": …, "expect": …}

`expect` is one of `{"type": "action", "tool", "args"}`, `{"type": "actions", "calls": [{"tool", "args"}, …]}`,
`{"type": "final", "answer"}` and `{"type": "retry", "why"}`. A type is a JSON type by name ("string"), by name with a
"?" behind it where the parameter is optional, or a JSON schema.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tao.errors import ConfigError, both, unread
from tao.events import Decided, Misread
from tao.messages import ToolSpec

EXPECTED = ("action", "actions", "final", "retry")


@dataclass(frozen=True, slots=True)
class Case:
    """One model output with the one meaning that the policy gives it."""

    id: str
    text: str
    tools: tuple[ToolSpec, ...]
    expect: Mapping[str, Any]
    kind: str = ""
    lang: str = "en"
    rationale: str = ""
    record: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)


def load_cases(path: str | Path) -> list[Case]:
    """Every case of a file, in order.

    Raises ConfigError, naming the line, where the file cannot be read or a line is not a case.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(both(
            f"cannot read the corpus {path}: {unread(error)[0]}; give the path of a JSON Lines file in UTF-8",
            f"无法读取语料 {path}：{unread(error)[1]}；请给出 UTF-8 编码的 JSON Lines 文件",
        )) from error  # fmt: skip
    return [_case(line, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()]


def _case(line: str, where: str) -> Case:
    try:
        record = json.loads(line)
        expect = record["expect"]
        if expect["type"] not in EXPECTED:
            raise ValueError(f"expect.type is {expect['type']!r}, wanted one of {', '.join(EXPECTED)}")  # noqa: TRY301
        tools = tuple(tool_spec(tool) for tool in record["tools"])
        rest = {key: str(record[key]) for key in ("kind", "lang", "rationale") if key in record}
        return Case(str(record["id"]), str(record["text"]), tools, expect, record=record, **rest)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        said = f"{type(error).__name__}: {error}"
        raise ConfigError(both(f"{where} is not a corpus case: {said}", f"{where} 不是语料样例：{said}")) from error


def tool_spec(tool: Mapping[str, Any]) -> ToolSpec:
    """The tool of a case as a model would be shown it; every parameter is required unless its type says otherwise."""
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, kind in (tool.get("params") or {}).items():
        schema = dict(kind) if isinstance(kind, Mapping) else {"type": str(kind).removesuffix("?")}
        optional = schema.pop("optional", False) is True or schema.get("required") is False or str(kind).endswith("?")
        if isinstance(schema.get("required"), bool):
            schema.pop("required")
        properties[name] = schema
        if not optional:
            required.append(name)
    parameters = {"type": "object", "properties": properties, "required": required}
    return ToolSpec(str(tool["name"]), str(tool.get("description", "")), parameters)


def score(case: Case, reading: Decided | Misread | None) -> bool:
    """Whether a reading is what the case expects.

    For "retry" a misread, nothing at all, and a call whose tool does not exist all count as right.
    """
    wanted = case.expect["type"]
    calls = list(reading.calls) if isinstance(reading, Decided) else []
    answer = reading.answer if isinstance(reading, Decided) and not calls else None
    if wanted == "retry":
        known = {tool.name for tool in case.tools}
        return answer is None and not any(call.tool in known for call in calls)
    if wanted == "final":
        return answer is not None and same(answer, case.expect["answer"])
    expected: Sequence[Mapping[str, Any]] = case.expect["calls"] if wanted == "actions" else [case.expect]
    return len(calls) == len(expected) and all(
        call.tool == want["tool"] and same(dict(call.args), want["args"]) for call, want in zip(calls, expected, strict=True)
    )


def harm(case: Case, reading: Decided | Misread | None) -> str:
    """What a wrong reading would have done: "wrong call", "wrong answer", or "" where it only asks again (or is right)."""
    if score(case, reading) or not isinstance(reading, Decided):
        return ""
    if reading.calls:
        return "wrong call"
    return "wrong answer" if reading.answer is not None else ""


def same(got: Any, wanted: Any) -> bool:
    """Equal as JSON values: true is not 1, 1 is 1.0; strings are compared without outer whitespace and with LF."""
    if isinstance(got, str) and isinstance(wanted, str):
        return _plain(got) == _plain(wanted)
    if isinstance(got, bool) or isinstance(wanted, bool):
        return got is wanted
    if isinstance(got, Mapping) and isinstance(wanted, Mapping):
        return got.keys() == wanted.keys() and all(same(got[key], wanted[key]) for key in wanted)
    if isinstance(got, list | tuple) and isinstance(wanted, list | tuple):
        return len(got) == len(wanted) and all(map(same, got, wanted))
    return bool(got == wanted)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()
