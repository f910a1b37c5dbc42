"""`tao export`: recorded runs as data for training."""

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from tao.cli import options as o
from tao.cli.exits import ANSWERED, FAILED, finish
from tao.cli.help import Command, argument
from tao.cli.screen import Screen
from tao.cli.words import many, say
from tao.config import journal_address, load
from tao.errors import ConfigError, both
from tao.evaluation.card import FORMS, card, facts
from tao.evaluation.export import Exported, Wish, export, text
from tao.evaluation.records import load_runs
from tao.evaluation.results import write as put
from tao.evaluation.reward import DEFAULT, rewards_from


@click.command("export", cls=Command, help=say(
    "Turn recorded runs into data for training: filtered, without doubles, with private things taken out, and a card that says what is in it.",
    "将运行记录导出为训练数据：过滤、去重、去除隐私信息，并附数据卡说明内容。",
))
@argument("sources", say("[SOURCE]...", "[来源]..."), say(
    "Files of results or events, or journals; default: the journal.", "结果文件、事件文件或运行记录库；默认为运行记录库。",
), nargs=-1)
@click.option("--to", metavar="|".join(FORMS), default="sft", help=say(
    "sft: chats with tools; dpo: pairs of better and worse runs; atif: trajectories; events: as recorded.",
    "sft：带工具的对话；dpo：优劣对照；atif：轨迹；events：原始事件。",
))
@click.option("--out", type=Path, default=Path("-"), metavar="FILE.jsonl", help=say(
    "Where the lines go; a card beside it says what is in it. - is standard output.", "写入的文件，旁边附数据卡；- 为标准输出。",
))
@click.option("--right", is_flag=True, help=say("Only what was graded right.", "仅保留评分正确的。"))
@click.option("--steps", type=click.IntRange(min=1), metavar="N", help=say("Only runs of at most so many model replies.", "仅保留模型回复不超过该数的运行。"))
@click.option("--private", is_flag=True, help=say("Leave keys, addresses, phone, identity and card numbers in.", "保留密钥、邮箱、电话、证件号和卡号。"))
@click.option("--doubles", is_flag=True, help=say("Keep runs that did the same as another.", "保留重复的运行。"))
@click.option("--rewards", metavar="valid=1,…", help=say(
    "What steps and runs are worth: valid=1,invalid=-0.1,done=10,score=1,discount=1.", "步骤与运行的奖励：valid=1,invalid=-0.1,done=10,score=1,discount=1。",
))
@click.option("--margin", type=float, default=1.0, metavar="X", help=say(
    "dpo: how much more the better run is worth where grades do not tell.", "dpo：评分无法区分时，较优运行的奖励至少高出多少。",
))
@click.option("--pairs", type=click.IntRange(min=1), default=4, metavar="N", help=say("dpo: pairs that a task may give.", "dpo：每个任务最多的配对数。"))
@o.shared("journal")
def export_(
    sources: Sequence[str], *, to: str, out: Path, right: bool, steps: int | None, private: bool, doubles: bool, rewards: str | None, margin: float,
    pairs: int, **settings: Any,
) -> None:  # fmt: skip
    """Export."""

    async def work() -> int:
        if to not in FORMS:
            raise ConfigError(both(f"there is no form {to!r}; there are: {', '.join(FORMS)}", f"没有名为 {to!r} 的格式；可用：{', '.join(FORMS)}"))
        worth = rewards_from(rewards) if rewards else DEFAULT
        wish = Wish(to, right=right, steps=steps, redact=not private, doubles=doubles, rewards=worth, margin=margin, pairs=pairs)
        return await _export(sources, wish, out, o.given(**settings))

    finish(work())


EMPTY = {
    "dpo": say(
        " A pair takes two runs of one task, one of them better: tao eval TASKS --rollouts 4",
        "一对数据需要同一任务的两次运行，且其中一次更好：tao eval 任务文件 --rollouts 4",
    ),
}  # fmt: skip
"""What a form needs, where it found none of it."""


async def _export(sources: Sequence[str], wish: Wish, out: Path, options: Mapping[str, Any]) -> int:
    places = list(sources) or [journal_address(load(options))]
    recorded = [it for where in places for it in await load_runs(where)]
    day = dt.datetime.now().astimezone().strftime("%Y-%m-%d")
    names = [Path(where).name if "://" not in where else where.rpartition("@")[2] for where in places]
    made = export(recorded, wish, sources=names, day=day)
    return write(made, out)


def write(made: Exported, out: Path) -> int:
    """Write the lines and their card, and say what came of it. Nothing is written where no run is left."""
    screen, told = Screen(err=True), made.made
    screen.print(say(
        f"{many(told.written, 'line')} from {many(told.read, 'run')} ({told.filtered} filtered, {many(told.double, 'double')})",
        f"由 {told.read} 次运行得到 {told.written} 行（过滤 {told.filtered}，重复 {told.double}）",
    ))  # fmt: skip
    if told.redacted:
        screen.print(say("taken out: ", "已去除：") + ", ".join(f"{kind} {count}" for kind, count in told.redacted.items()))
    if not made.lines:
        screen.print((say("Nothing is left to export.", "没有可导出的内容。") + EMPTY.get(told.form, ""), "yellow"))
        return FAILED
    if str(out) == "-":
        Screen().file.write(text(made.lines))
        return ANSWERED
    put(out, text(made.lines))
    beside = out.with_suffix(".card.md")
    put(beside, card(told, made.runs, out.name))
    figures = {"form": told.form, "lines": told.written, "read": told.read, "filtered": told.filtered, "doubles": told.double, **facts(told, made.runs)}
    put(out.with_suffix(".card.json"), json.dumps(figures, ensure_ascii=False, indent=2))
    screen.print((say(f"Written: {out} · card: {beside}", f"已写入：{out} · 数据卡：{beside}"), "dim"))
    return ANSWERED
