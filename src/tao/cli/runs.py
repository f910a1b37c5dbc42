"""`tao runs`, `tao show`, `tao resume`, `tao cancel`, `tao replay`: what the journal holds."""

import datetime as dt
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from tao.agent import recorded_dialect, recorded_policy
from tao.build import assembled, journal
from tao.cli import options as o
from tao.cli.ask import shown
from tao.cli.asking import at_a_terminal
from tao.cli.exits import ANSWERED, FAILED, USAGE, code_of, finish
from tao.cli.help import Command, argument
from tao.cli.onward import onward
from tao.cli.pens import pen_for
from tao.cli.screen import Column, Screen, Table, Text, styled
from tao.cli.view import JsonView, Story, meta
from tao.cli.words import EXITS, LABELS, many, say
from tao.config import environment, load
from tao.errors import ConfigError, StoreError, both
from tao.events import Event, Replied, to_json
from tao.policies.uncertain import LIMITS
from tao.replay import Difference, replay
from tao.rulings import cancelled
from tao.run import Run
from tao.stores.reading import Listed
from tao.stores.sql import Journal

ALIVE = 60
"""Seconds after its last event in which a run may well be going on in another process."""
WHICH = argument(
    "run", say("RUN", "运行"), say("A run's id or the beginning of it; default: the latest.", "运行的编号或其开头；默认为最近一次。"), required=False,
)  # fmt: skip
STATES = {
    "running": say("interrupted", "未完成"), "paused": say("waits", "等待"), "answered": say("answered", "已回答"),
    "failed": say("failed", "失败"), "cancelled": say("cancelled", "已取消"), "refused": say("refused", "拒绝回答"),
    "invalid_output": say("unfit", "不合要求"), "misreads": say("unreadable", "无法解析"), "loop": say("in circles", "原地打转"),
    "tool_failures": say("tools fail", "工具失败"), **dict.fromkeys(LIMITS, say("limit", "达到限制")),
}  # fmt: skip
"""How a run stands; `tao show` says which limit it was."""
STYLES = {"running": "yellow", "paused": "yellow", "answered": "green", "failed": "red"}


@click.command("runs", cls=Command, help=say("List the latest runs, newest first.", "列出最近的运行，最新的在前。"))
@click.option("--limit", "-n", type=click.IntRange(min=1), default=20, metavar="N", help=say("How many.", "数量。"))
@o.shared("journal", "json")
def runs(*, limit: int, as_json: bool, **settings: Any) -> None:
    """List."""
    finish(_runs(limit, o.given(**settings), as_json=as_json))


async def _runs(limit: int, options: Mapping[str, Any], *, as_json: bool) -> int:
    async with journal(load(options)) as kept:
        rows = await kept.list(limit)
    screen = Screen()
    if as_json:
        for row in rows:
            record = {name: getattr(row, name) for name in row.__dataclass_fields__}
            screen.file.write(json.dumps(record, ensure_ascii=False) + "\n")
    elif rows:
        screen.table(table(rows, screen.width))
    else:
        Screen(err=True).print(say("No runs yet. `tao ask` makes one.", "还没有运行记录。`tao ask` 会产生一条。"))
    return ANSWERED


def table(rows: Sequence[Listed], width: int) -> Table:
    """A line for each run, in so many cells: run, state and question always; where there is room, also when, the tokens, the answer."""
    columns = {"run": Column(say("run", "运行"))}
    columns |= {"started": Column(say("started", "开始"))} if width >= 50 else {}
    columns |= {"state": Column(say("state", "状态"))}
    columns |= {"tokens": Column(say("tokens", "词元"), right=True)} if width >= 60 else {}
    columns |= {"question": Column(say("question", "问题"), fit="cut")}
    columns |= {"answer": Column(say("answer", "答案"), fit="cut")} if width >= 72 else {}
    shown = []
    for row in rows:
        state = str(row.reason) if row.state == "ended" else row.state
        cells: dict[str, Text | str] = {
            "run": row.id[:8], "started": dt.datetime.fromtimestamp(row.started).astimezone().strftime("%m-%d %H:%M"),
            "state": styled((STATES.get(state, state), STYLES.get(state, "yellow"))), "tokens": "" if row.tokens is None else f"{row.tokens:,}",
            "question": _line(row.question), "answer": styled((_line(row.answer or ""), "dim")),
        }  # fmt: skip
        shown.append([cells[name] for name in columns])
    return Table(list(columns.values()), shown)


def _line(text: str) -> str:
    return " ".join(text.split())


@click.command("show", cls=Command, help=say("Show what happened in a run.", "显示一次运行的全过程。"))
@WHICH
@o.shared("journal", "json")
def show(run: str | None, *, as_json: bool, **settings: Any) -> None:
    """Show."""
    finish(_show(run, o.given(**settings), as_json=as_json))


async def _show(which: str | None, options: Mapping[str, Any], *, as_json: bool) -> int:
    async with journal(load(options)) as kept:
        run = await kept.load(which or await _latest(kept))
    screen = Screen()
    if as_json:
        lines = JsonView(screen.file, run.id)
        for event in run.events:
            lines.event(event)
        return ANSWERED
    story = Story(pen_for(screen, LABELS[run.asked.lang if run.asked.lang in LABELS else "en"]), whole=True, live=False)
    for event in run.events:
        story.event(event)
    story.close(run)
    told = Screen(err=True)
    if told.is_terminal:
        told.print()
    told.print(meta(run, told.width if told.is_terminal else None))
    return ANSWERED


@click.command("resume", cls=Command, epilog=EXITS, help=say(
    "Go on with an interrupted run from its last event. Nothing that was answered is asked again.",
    "从最后一个事件继续被中断的运行；已经得到的回复不会重新请求。",
))
@WHICH
@o.shared("model", "docs", "tools", "offer", "mcp", "openapi", "journal", "json", "quiet")
def resume(run: str | None, *, as_json: bool, quiet: bool, **settings: Any) -> None:  # fmt: skip
    """Go on."""
    finish(_resume(run, o.given(**settings), as_json=as_json, quiet=quiet))


async def _resume(which: str | None, options: Mapping[str, Any], *, as_json: bool, quiet: bool) -> int:
    settings = load(options)
    async with journal(settings) as kept:
        run = await kept.load(which or await _latest(kept, "running"))
    if run.ended:
        _over(run)
        return code_of(run)
    if run.state == "paused" and not at_a_terminal():
        waits = say(
            f"run {run.id[:8]} waits for a person: `tao approve {run.id[:8]}`",
            f"运行 {run.id[:8]} 正在等待人工处理：`tao approve {run.id[:8]}`",
        )
        Screen(err=True).print(waits)
        return code_of(run)
    async with assembled(settings, environment(), model=None if "model" in options else run.asked.model or None) as agent:
        return code_of(await shown(agent, run, settings, as_json=as_json, quiet=quiet))


@click.command("cancel", cls=Command, help=say(
    "End a run for good that waits or was interrupted; it keeps the best answer that it had.",
    "彻底结束一次等待中或被中断的运行；保留它已有的最好答案。",
))
@WHICH
@o.shared("journal")
def cancel(run: str | None, **settings: Any) -> None:  # fmt: skip
    """End for good."""
    finish(_cancel(run, o.given(**settings)))


async def _cancel(which: str | None, options: Mapping[str, Any]) -> int:
    async with journal(load(options)) as kept:
        run = await kept.load(which or await _latest(kept))
        if run.ended:
            _over(run)
            return code_of(run)
        if which is None and run.state != "paused" and time.time() - run.events[-1].at < ALIVE:
            _alive(run)
            return USAGE
        run.events.append(cancelled(run))
        await kept(run, run.events[-1])
    Screen(err=True).print(say(f"run {run.id[:8]} is cancelled", f"运行 {run.id[:8]} 已取消"))
    return ANSWERED


def _alive(run: Run) -> None:
    name = run.id[:8]
    said = say(
        f"run {name} may be going on elsewhere: its last event is less than a minute old.\nStop it there (Ctrl-C), or name it: tao cancel {name}",
        f"运行 {name} 的最后一个事件不到一分钟，它可能正在另一个进程中继续。\n请在那里停止它（Ctrl-C），或者指明就是它：tao cancel {name}",
    )
    Screen(err=True).print(said)


def _over(run: Run) -> None:
    said = say(
        f"run {run.id[:8]} has ended already; `tao show {run.id[:8]}` shows it",
        f"运行 {run.id[:8]} 已经结束；可用 `tao show {run.id[:8]}` 查看",
    )
    Screen(err=True).print(said)


@click.command("replay", cls=Command, help=say(
    "Decide a recorded run again with today's code, without calling model or tools, and say where it differs (exit code 1).\n\n"
    "With --from, go on from one of its steps as a new run, with another model or prompt, and say where the two part.",
    "用当前代码按记录重新决策一次运行，不调用模型和工具，并指出不同之处（退出码 1）。\n\n"
    "加上 --from 则从其中一步起，以新的运行继续（可更换模型或提示词），并指出两者从何处分开。",
))
@WHICH
@click.option("--from", "step", type=click.IntRange(min=1), metavar="STEP", help=say(
    "Go on from before this model reply (1 is the first).", "从该次模型回复之前继续（1 为第一次）。",
))
@click.option("--prompt", type=Path, metavar="FILE", help=say("With --from: other instructions.", "与 --from 一起使用：更换指令。"))
@o.shared("model", "dialect", "max_steps", "docs", "tools", "offer", "journal", "json")
def replay_(run: str | None, *, step: int | None, prompt: Path | None, as_json: bool, **settings: Any) -> None:  # fmt: skip
    """Replay."""
    finish(_replay(run, o.given(**settings), step, prompt, as_json=as_json))


async def _replay(which: str | None, options: Mapping[str, Any], step: int | None, prompt: Path | None, *, as_json: bool) -> int:
    async with journal(load(options)) as kept:
        run = await kept.load(which or await _latest(kept))
    if step is not None:
        return await onward(run, step, prompt, options, as_json=as_json)
    if prompt is not None or set(options) - {"journal"}:
        raise ConfigError(both("other models, prompts and tools need --from STEP", "更换模型、提示词或工具需要 --from 步数"))
    policy = recorded_policy(run.asked)
    differences = await replay(run, recorded_dialect(run.asked), policy)
    screen = Screen()
    for difference in differences:
        screen.print(_json(run, difference) if as_json else _told(difference))
    if not differences and not as_json:
        screen.print(say(
            f"Run {run.id[:8]} replays exactly: {many(run.steps, 'prompt')} and {many(len(run.events), 'event')} are the same, byte for byte.",
            f"运行 {run.id[:8]} 完全重现：{run.steps} 个提示词、{len(run.events)} 个事件逐字节相同。",
        ))  # fmt: skip
    return FAILED if differences else ANSWERED


def _json(run: Run, difference: Difference) -> str:
    recorded, now = (to_json(event) if event else None for event in (difference.recorded, difference.now))
    return json.dumps(
        {"run": run.id, "seq": difference.number, "recorded": recorded, "now": now}, ensure_ascii=False, default=str
    )


def _told(difference: Difference) -> str:
    recorded, now = difference.recorded, difference.now
    if isinstance(recorded, Replied) and isinstance(now, Replied):
        return say(
            f"Event {difference.number}: the prompt differs. Recorded {recorded.prompt}, today {now.prompt}",
            f"事件 {difference.number}：提示词不同。记录为 {recorded.prompt}，现在为 {now.prompt}",
        )
    nothing = say("something else is wanted next (a reply, or a call's result)", "下一步需要的是别的内容（模型回复或工具结果）")
    return "\n".join((
        say(f"Event {difference.number} differs.", f"事件 {difference.number} 不同。"),
        f"  {say('recorded', '记录')}: {_event(recorded) if recorded else '-'}",
        f"  {say('today', '现在')}: {_event(now) if now else nothing}",
    ))  # fmt: skip


def _event(event: Event) -> str:
    record = {name: value for name, value in to_json(event).items() if name not in {"v", "at"}}
    text = json.dumps(record, ensure_ascii=False, default=str)
    return text if len(text) <= 400 else text[:400] + "…"


async def _latest(kept: Journal, state: str | None = None) -> str:
    """The latest run (in this state). Raises StoreError where there is none."""
    found = next((row for row in await kept.list(None if state else 1) if state in (None, row.state)), None)
    if found is None:
        where = kept.database.place
        raise StoreError(
            both(f"there is no interrupted run in {where}", f"{where} 中没有未完成的运行") if state
            else both(f"there is no run in {where}; `tao ask` makes one", f"{where} 中没有运行；`tao ask` 会产生一条")
        )  # fmt: skip
    return found.id

