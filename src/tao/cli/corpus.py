"""`tao corpus run`: how many difficult model outputs a parser reads right."""

import importlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from tao.cli.exits import ANSWERED, finish
from tao.cli.help import Command, Group, argument
from tao.cli.screen import Column, Screen, Table, styled
from tao.cli.words import packed, say
from tao.dialects.read import read
from tao.errors import ConfigError, both
from tao.evaluation.corpus import Case, harm, load_cases, score
from tao.events import Decided, Misread
from tao.messages import Call

Reading = Decided | Misread | None
Parser = Callable[[Case], Reading]


@click.group("corpus", cls=Group, no_args_is_help=True, help=say("Measure a parser on difficult model outputs.", "用难解析的模型输出来测评解析器。"))
def corpus() -> None:
    """Measure a parser."""


@corpus.command("run", cls=Command, help=say(
    "Read every case of a corpus, list what was read wrong, and print right/total as the last line.\n\n"
    "A parser of yours is a function f(text, tools): text is the model's output, tools a list of {name, description, parameters}."
    ' It returns {"type": "action", "tool": …, "args": {…}}, {"type": "actions", "calls": [{"tool": …, "args": …}]}, '
    '{"type": "final", "answer": …} or {"type": "retry"}; None, and raising an exception, mean retry.',
    "读取语料中的每个样例，列出读错的，最后一行输出 正确数/总数。\n\n"
    "自己的解析器是函数 f(text, tools)：text 为模型输出，tools 为 {name, description, parameters} 的列表。返回 "
    '{"type": "action", "tool": …, "args": {…}}、{"type": "actions", "calls": [{"tool": …, "args": …}]}、'
    '{"type": "final", "answer": …} 或 {"type": "retry"}；返回 None 或抛出异常都表示 retry。',
))
@argument("file", say("FILE", "文件"), say("A file of cases; default: the corpus that comes with tao.", "样例文件；默认为 tao 自带的语料。"), type=Path, required=False)
@click.option("--parser", metavar="module:function", help=say("Another parser than tao's own.", "使用其他解析器代替 tao 自己的。"))
def run(file: Path | None, parser: str | None) -> None:  # fmt: skip
    """Score a parser."""
    finish(lambda: _run(file or published(), parser))


def _run(file: Path, parser: str | None) -> int:
    cases, parse = load_cases(file), _parser(parser) if parser else _ours
    wrong: list[tuple[Case, Reading]] = []
    for case in cases:
        reading = parse(case)
        if not score(case, reading):
            wrong.append((case, reading))
    screen = Screen()
    if wrong:
        screen.table(_table(wrong))
        screen.print((_kinds(cases, wrong, screen.width), "dim"))
    screen.file.write(f"{len(cases) - len(wrong)}/{len(cases)}\n")
    return ANSWERED


def published() -> Path:
    """The corpus that comes with tao: inside the installed package, or beside the sources. Raises ConfigError."""
    package = Path(__file__).parents[1]
    places = (package / "corpus" / "cases.jsonl", package.parents[1] / "corpus" / "cases.jsonl")
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        where = " ".join(map(str, places))
        raise ConfigError(both(f"the corpus is not at {where}; name its file", f"在 {where} 找不到语料；请指定文件"))
    return found


def _ours(case: Case) -> Reading:
    return read(case.text, case.tools, lang=case.lang)


def _parser(name: str) -> Parser:
    """A user's function as a parser of cases. Raises ConfigError."""
    module, _, attribute = name.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        function = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(
            both(
                f"there is no parser {name!r}: {error}; write module:function",
                f"没有解析器 {name!r}：{error}；请写 module:function",
            )
        ) from error

    def parse(case: Case) -> Reading:
        tools = [{"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in case.tools]
        try:
            result = function(case.text, tools)
        except Exception as error:  # noqa: BLE001 - a parser's way to say that it cannot read this
            return Misread(type(error).__name__, str(error))
        return result if isinstance(result, Decided | Misread) else _reading(name, result)

    return parse


def _reading(name: str, result: Any) -> Reading:
    """What a user's parser returned, as a reading. Raises ConfigError where it is nothing that was agreed."""
    match result:
        case None | {"type": "retry"}:
            return None
        case {"type": "final", "answer": answer}:
            return Decided(answer=str(answer))
        case {"type": "action", "tool": str(tool), "args": Mapping() as args}:
            return Decided(calls=(Call("1.1", tool, args),))
        case {"type": "actions", "calls": Sequence() as calls}:
            made = (Call(f"1.{n}", str(call["tool"]), call["args"]) for n, call in enumerate(calls, 1))
            return Decided(calls=tuple(made))
    raise ConfigError(
        both(
            f"parser {name!r} returned {result!r:.200}; see --help for what it may return",
            f"解析器 {name!r} 返回了 {result!r:.200}；可返回的内容见 --help",
        )
    )


def _table(wrong: Sequence[tuple[Case, Reading]]) -> Table:
    headings = (say("case", "样例"), say("kind", "类别"), say("expected", "应为"), say("read", "读成"))
    rows = [
        (case.id, case.kind, _short(case.expect), _short(_said(reading)), styled((harm(case, reading), "red"))) for case, reading in wrong
    ]  # fmt: skip
    return Table((*(Column(heading, fit="fold") for heading in headings), Column(say("harm", "后果"))), rows)


def _kinds(cases: Sequence[Case], wrong: Sequence[tuple[Case, Reading]], width: int) -> str:
    """How many of each kind are right, for the kinds where some are wrong."""
    total, missed = Counter(case.kind for case in cases), Counter(case.kind for case, _ in wrong)
    parts = [f"{kind} {total[kind] - count}/{total[kind]}" for kind, count in missed.most_common()]
    return packed(parts, width, " · ")


def _said(reading: Reading) -> Any:
    if not isinstance(reading, Decided):
        return {"type": "retry", "why": reading.reason} if reading else {"type": "retry"}
    if reading.calls:
        return [{"tool": call.tool, "args": dict(call.args)} for call in reading.calls]
    return {"type": "final", "answer": reading.answer}


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 300 else text[:300] + "…"
