"""`tao run FILE`: every question of a file."""

import asyncio
import json
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import click

from tao.agent import Agent
from tao.build import assembled
from tao.cli import options as o
from tao.cli.exits import ANSWERED, FAILED, LIMIT, PAUSED, code_of, finish
from tao.cli.help import Command, argument
from tao.cli.progress import bar, beside
from tao.cli.screen import Screen
from tao.cli.view import JsonView
from tao.cli.words import EXITS, say
from tao.config import environment, load
from tao.errors import AgentError, ConfigError, both, unread
from tao.evaluation.lines import in_utf8, lines_of, mend_end
from tao.events import Event
from tao.run import Run

BAR = "{desc} {bar} {n_fmt}/{total_fmt} {elapsed}"


@dataclass(frozen=True, slots=True)
class Asking:
    """One line of the file: its id (the line's own, or its number), the question, and the line's further fields."""

    id: str
    question: str
    record: Mapping[str, Any]


@click.command("run", cls=Command, epilog=EXITS, help=say(
    "Answer every question of a file: one a line, or JSON Lines with a field `question`. Writes one JSON line per answer. The "
    "exit code is that of the worst run.",
    "回答文件中的每一个问题：每行一个问题，或带 `question` 字段的 JSON Lines。每个回答输出一行 JSON。退出码取最差的一次。",
))
@argument("file", say("FILE", "文件"), say("The file; - is standard input.", "文件；- 为标准输入。"), type=Path)
@click.option("--out", type=Path, metavar="FILE", help=say(
    "Write there instead; questions that are answered in it already are left out.", "写入该文件；其中已有答案的问题不再提问。",
))
@click.option("--jobs", "-j", type=click.IntRange(min=1), default=1, metavar="N", help=say("Runs at the same time.", "同时进行的运行数。"))
@o.shared("model", "lang", "max_steps", "docs", "tools", "mcp", "openapi", "offer", "dialect", "journal", "json", "quiet")
def run(file: Path, *, out: Path | None, jobs: int, as_json: bool, quiet: bool, **settings: Any) -> None:  # fmt: skip
    """Answer them all."""
    form = "events" if as_json else "answers" if quiet else "records"
    finish(_run(file, out, jobs, form, o.given(**settings)))


async def _run(file: Path, out: Path | None, jobs: int, form: str, options: Mapping[str, Any]) -> int:
    asked, done = _questions(file), _done(out)
    waiting = [asking for asking in asked if asking.id not in done]
    codes, settings, left = [ANSWERED], load(options), iter(waiting)
    counted = {"total": len(asked), "initial": len(asked) - len(waiting)}
    with _target(out) as target, bar(Screen(err=True), say("questions", "问题"), BAR, **counted) as shown:

        async def work(agent: Agent) -> None:
            for asking in left:
                codes.append(await _answer(agent, asking, form, target))
                shown.update()

        try:
            async with assembled(settings, environment()) as agent, asyncio.TaskGroup() as group:
                for _ in range(jobs):
                    group.create_task(work(agent))
        except* AgentError as failures:
            raise failures.exceptions[0] from None
    return next(code for code in (FAILED, PAUSED, LIMIT, ANSWERED) if code in codes)


@contextmanager
def _target(out: Path | None) -> Iterator[TextIO]:
    """Where lines go; a file is added to, without a line that was cut off."""
    if out is None:
        yield sys.stdout
        return
    with out.open("a", encoding="utf-8") as target:
        mend_end(out, target)
        yield target


async def _answer(agent: Agent, asking: Asking, form: str, target: TextIO) -> int:
    name = secrets.token_hex(8)
    seen = JsonView(target, name)

    def on_event(event: Event) -> None:
        with beside(target):
            seen.event(event)

    run = await agent.run(asking.question, id=name, on_event=on_event if form == "events" else None)
    if form != "events":
        with beside(target):
            target.write(_line(asking, run, form))
            target.flush()
    return code_of(run)


def _line(asking: Asking, run: Run, form: str) -> str:
    if form == "answers":
        return " ".join((run.answer or "").split()) + "\n"
    usage, ended = run.usage, run.ended
    record = {
        **asking.record, "id": asking.id, "question": asking.question, "answer": run.answer,
        "reason": ended.reason if ended else run.state, "run": run.id, "steps": run.steps,
        "prompt_tokens": usage.prompt, "completion_tokens": usage.completion,
        "seconds": round(run.events[-1].at - run.asked.at, 3),
    }  # fmt: skip
    return in_utf8(record) + "\n"


def _questions(file: Path) -> Sequence[Asking]:
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(both(f"cannot read the questions in {file}: {unread(error)[0]}", f"无法读取问题文件 {file}：{unread(error)[1]}")) from error
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    asked = [_question(number, line, file) for number, line in lines]
    if not asked:
        raise ConfigError(both(f"there is no question in {file}", f"{file} 中没有问题"))
    return asked


def _question(number: int, line: str, file: Path) -> Asking:
    if not line.startswith("{"):
        return Asking(str(number), line, {})
    try:
        record = json.loads(line)
        return Asking(str(record.get("id", number)), str(record["question"]), record)
    except (ValueError, KeyError, RecursionError) as error:
        raise ConfigError(
            both(
                f"{file}:{number} is no JSON object with a field `question`: {error!r}",
                f"{file}:{number} 不是带 `question` 字段的 JSON 对象：{error!r}",
            )
        ) from error


def _done(out: Path | None) -> set[str]:
    """The ids that an output file answers already; a line that was cut off does not count."""
    if out is None or not out.exists():
        return set()
    done = set()
    for line in lines_of(out):
        try:
            done.add(str(json.loads(line)["id"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    return done
