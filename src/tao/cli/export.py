"""`tao export`: recorded runs as data for training."""

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tao.cli import options as o
from tao.cli.exits import ANSWERED, FAILED, finish
from tao.cli.help import Command
from tao.cli.words import say
from tao.config import journal_address, load
from tao.errors import ConfigError, both
from tao.evaluation.card import FORMS, card, facts
from tao.evaluation.export import Exported, Wish, export, text
from tao.evaluation.records import load_runs
from tao.evaluation.results import write as put
from tao.evaluation.reward import DEFAULT, rewards_from

app = typer.Typer()

Sources = Annotated[list[str] | None, typer.Argument(metavar=say("[SOURCE]...", "[来源]..."), show_default=False, help=say(
    "Files of results or events, or journals; default: the journal.", "结果文件、事件文件或运行记录库；默认为运行记录库。",
))]  # fmt: skip
Form = Annotated[str, typer.Option("--to", metavar="|".join(FORMS), help=say(
    "sft: chats with tools; dpo: pairs of better and worse runs; atif: trajectories; events: as recorded.",
    "sft：带工具的对话；dpo：优劣对照；atif：轨迹；events：原始事件。",
))]  # fmt: skip
Out = Annotated[Path, typer.Option("--out", metavar="FILE.jsonl", help=say(
    "Where the lines go; a card beside it says what is in it. - is standard output.", "写入的文件，旁边附数据卡；- 为标准输出。",
))]  # fmt: skip
Right = Annotated[bool, typer.Option("--right", help=say("Only what was graded right.", "仅保留评分正确的。"))]
Steps = Annotated[int | None, typer.Option("--steps", min=1, metavar="N", help=say("Only runs of at most so many model replies.", "仅保留模型回复不超过该数的运行。"))]
Private = Annotated[bool, typer.Option("--private", help=say(
    "Leave keys, addresses, phone, identity and card numbers in.", "保留密钥、邮箱、电话、证件号和卡号。",
))]  # fmt: skip
Doubles = Annotated[bool, typer.Option("--doubles", help=say("Keep runs that did the same as another.", "保留重复的运行。"))]
RewardsOf = Annotated[str | None, typer.Option("--rewards", metavar="valid=1,…", help=say(
    "What steps and runs are worth: valid=1,invalid=-0.1,done=10,score=1,discount=1.", "步骤与运行的奖励：valid=1,invalid=-0.1,done=10,score=1,discount=1。",
))]  # fmt: skip
Margin = Annotated[float, typer.Option("--margin", metavar="X", help=say(
    "dpo: how much more the better run is worth where grades do not tell.", "dpo：评分无法区分时，较优运行的奖励至少高出多少。",
))]  # fmt: skip
Pairs = Annotated[int, typer.Option("--pairs", min=1, metavar="N", help=say("dpo: pairs that a task may give.", "dpo：每个任务最多的配对数。"))]


@app.command("export", cls=Command, help=say(
    "Turn recorded runs into data for training: filtered, without doubles, with private things taken out, and a card that says what is in it.",
    "将运行记录导出为训练数据：过滤、去重、去除隐私信息，并附数据卡说明内容。",
))  # fmt: skip
def export_(
    sources: Sources = None, *, to: Form = "sft", out: Out = Path("-"), right: Right = False, steps: Steps = None, private: Private = False,
    doubles: Doubles = False, rewards: RewardsOf = None, margin: Margin = 1.0, pairs: Pairs = 4, journal: o.JournalAt = None,
) -> None:  # fmt: skip
    """Export."""

    async def work() -> int:
        if to not in FORMS:
            raise ConfigError(both(f"there is no form {to!r}; there are: {', '.join(FORMS)}", f"没有名为 {to!r} 的格式；可用：{', '.join(FORMS)}"))
        worth = rewards_from(rewards) if rewards else DEFAULT
        wish = Wish(to, right=right, steps=steps, redact=not private, doubles=doubles, rewards=worth, margin=margin, pairs=pairs)
        return await _export(sources or [], wish, out, o.given(journal=journal))

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
    screen, told = Console(stderr=True, highlight=False, soft_wrap=True), made.made
    screen.print(say(
        f"{told.written} lines from {told.read} runs ({told.filtered} filtered, {told.double} doubles)",
        f"由 {told.read} 次运行得到 {told.written} 行（过滤 {told.filtered}，重复 {told.double}）",
    ))  # fmt: skip
    if told.redacted:
        screen.print(say("taken out: ", "已去除：") + ", ".join(f"{kind} {count}" for kind, count in told.redacted.items()))
    if not made.lines:
        screen.print(say("Nothing is left to export.", "没有可导出的内容。") + EMPTY.get(told.form, ""), style="yellow")
        return FAILED
    if str(out) == "-":
        Console(highlight=False).file.write(text(made.lines))
        return ANSWERED
    put(out, text(made.lines))
    beside = out.with_suffix(".card.md")
    put(beside, card(told, made.runs, out.name))
    figures = {"form": told.form, "lines": told.written, "read": told.read, "filtered": told.filtered, "doubles": told.double, **facts(told, made.runs)}
    put(out.with_suffix(".card.json"), json.dumps(figures, ensure_ascii=False, indent=2))
    screen.print(say(f"Written: {out} · card: {beside}", f"已写入：{out} · 数据卡：{beside}"), style="dim")
    return ANSWERED
