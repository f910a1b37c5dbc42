"""`tao approve`: see what waits for a person, rule on it, and go on with the run."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from tao.build import assembled, connected, journal, toolbox
from tao.cli import options as o
from tao.cli.ask import shown
from tao.cli.asking import arguments, ask, at_a_terminal, listed, person, until
from tao.cli.exits import ANSWERED, PAUSED, code_of, complain, finish
from tao.cli.help import Command, argument
from tao.cli.screen import Screen
from tao.cli.words import EXITS, say
from tao.config import Settings, environment, load
from tao.errors import ConfigError, RulingError, both
from tao.rulings import Waiting, fitted, present, rule_on, waiting
from tao.run import Run
from tao.stores.sql import Journal
from tao.wrappers.approval import Fit, Ruling


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for."""

    call: str | None
    ruling: Ruling | None
    hash: str | None
    stay: bool


@click.command("approve", cls=Command, epilog=EXITS, help=say(
    "See what waits for a person, rule on it, and go on. In a terminal you are asked, unless an option says it.",
    "查看等待人工处理的调用，作出裁定并继续运行。在终端中会逐项询问，除非用选项指定。",
))
@argument("run", say("RUN", "运行"), say("A run's id or the beginning of it; default: list what waits.", "运行的编号或其开头；默认列出所有等待项。"), required=False)
@click.option("--call", metavar="ID", help=say("Which call, where several wait.", "有多个调用等待时，指定其中一个。"))
@click.option("--yes", "-y", is_flag=True, help=say("Run it as it is.", "按原样执行。"))
@click.option("--reject", metavar="TEXT", help=say("Do not run it; the model is told this.", "不执行；这段话会告诉模型。"))
@click.option("--edit", metavar="JSON", help=say("Run it with these arguments.", "用这些参数执行。"))
@click.option("--answer", metavar="TEXT", help=say("Do not run it; this is its result.", "不执行；以这段话作为结果。"))
@click.option("--expires", metavar="10m", help=say("How long it holds: 90s, 10m, 2h, 1d.", "有效时间：90s、10m、2h、1d。"))
@click.option("--by", metavar="NAME", help=say("Who rules; default: you.", "由谁裁定；默认为当前用户。"))
@click.option("--hash", "shown_as", metavar="HASH", help=say("Only if it is still the call that was shown with this.", "仅当仍是显示过该值的调用时才生效。"))
@click.option("--no-resume", is_flag=True, help=say("Only record it.", "只记录，不继续运行。"))
@o.shared("model", "docs", "tools", "offer", "mcp", "openapi", "journal", "json", "quiet")
def approve(
    run: str | None, *, call: str | None, yes: bool, reject: str | None, edit: str | None, answer: str | None, expires: str | None, by: str | None,
    shown_as: str | None, no_resume: bool, as_json: bool, quiet: bool, **settings: Any,
) -> None:  # fmt: skip
    """Rule."""
    options = o.given(**settings)

    async def work() -> int:
        said = [
            *([Ruling("approve")] if yes else ()), *([Ruling("reject", reject)] if reject is not None else ()),
            *([Ruling("edit", args=arguments(edit))] if edit is not None else ()), *([Ruling("answer", answer)] if answer is not None else ()),
        ]  # fmt: skip
        if len(said) > 1:
            raise ConfigError(both("give one of --yes, --reject, --edit, --answer", "--yes、--reject、--edit、--answer 只能给一个"))
        name, end = person() if by is None else by, until(expires)
        ruling = next((Ruling(it.verdict, it.text, it.args, name, end) for it in said), None)
        return await _approve(run, Wish(call, ruling, shown_as, no_resume), load(options), options, as_json=as_json, quiet=quiet)

    finish(work())


async def _approve(
    which: str | None, wish: Wish, settings: Settings, options: Mapping[str, Any], *, as_json: bool, quiet: bool,
) -> int:
    async with connected(settings, environment()) as more, journal(settings) as kept:
        here = [*toolbox(settings, environment()), *more]
        fit = fitted(here)
        if which is None and wish.ruling is None:
            return await _list(kept, fit, settings, as_json=as_json)
        run = await kept.load(which or await _only(kept))
        waits = waiting(run, fit, settings.permissions.rules)
        if wish.call is not None:
            waits = tuple(one for one in waits if one.call.id == wish.call)
        if not waits and (wish.ruling or wish.call or run.state != "acting"):
            raise RulingError(both(
                f"nothing waits in run {run.id[:8]}{f' under call {wish.call}' if wish.call else ''}",
                f"运行 {run.id[:8]} 中没有等待处理的调用{f' {wish.call}' if wish.call else ''}",
            ))  # fmt: skip
        if wish.ruling is None and not at_a_terminal():
            _show(run, waits, settings, as_json=as_json)
            return PAUSED
        present(run, here)
        ruled = await _rule(kept, run, waits, wish, fit, settings)
    if wish.stay or not ruled:
        return ANSWERED if ruled else PAUSED
    async with assembled(settings, environment(), model=None if "model" in options else run.asked.model or None) as agent:
        return code_of(await shown(agent, run, settings, as_json=as_json, quiet=quiet))


async def _rule(kept: Journal, run: Run, waits: Sequence[Waiting], wish: Wish, fit: Fit, settings: Settings) -> bool:
    """Record what is said to what waits; whether anything was."""
    if wish.ruling is not None and len(waits) > 1:
        ids = ", ".join(one.call.id for one in waits)
        raise RulingError(both(f"several calls wait ({ids}); say which: --call ID", f"有多个调用在等待（{ids}）；请指定：--call ID"))
    screen, ruled = Screen(err=True), not waits
    for one in waits:
        while (ruling := wish.ruling or await ask(one, screen)) is not None:
            wanted = wish.hash if wish.ruling else one.hash
            try:
                event = rule_on(run, one.call.id, ruling, fit=fit, rules=settings.permissions.rules, shown_hash=wanted)
            except RulingError as error:
                if wish.ruling:
                    raise
                complain(error)  # a slip of the person at the terminal, who is asked once more
                continue
            run.events.append(event)
            await kept(run, event)
            ruled = True
            break
    return ruled


def _show(run: Run, waits: Sequence[Waiting], settings: Settings, *, as_json: bool) -> None:
    """What waits in this run, and how to rule on it."""
    if as_json:
        _write(run, waits)
        return
    Screen().print(listed(run, waits))
    Screen(err=True).print(how(run.id, settings))


def _write(run: Run, waits: Sequence[Waiting]) -> None:
    """A line of JSON for every call that waits; `hash` is what `--hash` takes."""
    for one in waits:
        told = {
            "run": run.id, "question": run.asked.question, "call": one.call.id, "tool": one.call.tool, "args": one.call.args,
            "reason": one.reason, "effects": one.effects, "notes": one.notes, "hash": one.hash,
        }  # fmt: skip
        sys.stdout.write(json.dumps(told, ensure_ascii=False, default=str) + "\n")


async def _list(kept: Journal, fit: Fit, settings: Settings, *, as_json: bool) -> int:
    """Print everything that waits."""
    screen, found = Screen(), False
    for row in await kept.list(None):
        if row.state != "paused":
            continue
        run = await kept.load(row.id)
        waits = waiting(run, fit, settings.permissions.rules)
        if as_json:
            _write(run, waits)
        else:
            screen.print(listed(run, waits, screen.width))
        found = True
    if as_json:
        return ANSWERED
    Screen(err=True).print(how(say("RUN", "运行"), settings) if found else say("Nothing waits.", "没有等待处理的调用。"))
    return ANSWERED


async def _only(kept: Journal) -> str:
    """The one run that waits. Raises RulingError where none or several do: a ruling is for one."""
    found = [row.id for row in await kept.list(None) if row.state == "paused"]
    if len(found) == 1:
        return found[0]
    ids = ", ".join(one[:8] for one in found)
    raise RulingError(
        both(f"several runs wait ({ids}); say which", f"有多个运行在等待（{ids}）；请指明") if found
        else both("no run waits for a person", "没有运行在等待人工处理")
    )  # fmt: skip


def how(run: str, settings: Settings) -> str:
    """How to rule on it."""
    where = o.again(settings)
    return say(
        f"Rule on it: tao approve {run}{where} --yes | --reject TEXT | --edit JSON | --answer TEXT  (in a terminal without options you are asked)",
        f"处理方法：tao approve {run}{where} --yes | --reject 文本 | --edit JSON | --answer 文本（在终端中不带选项会逐项询问）",
    )
