"""`tao compare RUN RUN`: where two runs part."""

import json
from collections.abc import Mapping
from typing import Any

import click

from tao.build import journal as kept_in
from tao.cli import options as o
from tao.cli.exits import ANSWERED, finish
from tao.cli.help import Command, argument
from tao.cli.replayed import told
from tao.cli.screen import Column, Screen, Table, Text, styled
from tao.cli.words import say
from tao.config import load
from tao.evaluation.again import Parting, Step, parting, steps
from tao.run import Run

WHICH = (say("RUN", "运行"), say("A run's id or the beginning of it.", "运行的编号或其开头。"))
WHAT = {
    "question": say("the question", "问题"), "decision": say("the decision", "决策"), "observation": say("what was observed", "观察结果"),
    "length": say("one goes on, the other has ended", "一方继续，另一方已结束"), "end": say("how they end", "结束方式"),
}  # fmt: skip
CHARACTERS = 300


@click.command("compare", cls=Command, help=say(
    "Set two recorded runs beside each other, and say at which step they part and in what.", "对照两次运行，指出从哪一步、在哪一点上分开。",
))
@argument("first", *WHICH)
@argument("second", *WHICH)
@o.shared("journal", "json")
def compare(first: str, second: str, *, as_json: bool, **settings: Any) -> None:  # fmt: skip
    """Compare."""
    finish(_compare(first, second, o.given(**settings), as_json=as_json))


async def _compare(first: str, second: str, options: Mapping[str, Any], *, as_json: bool) -> int:
    async with kept_in(load(options)) as kept:
        a, b = await kept.load(first), await kept.load(second)
    show(Screen(), a, b, as_json=as_json)
    return ANSWERED


def show(screen: Screen, a: Run, b: Run, *, as_json: bool = False) -> None:
    """Two runs side by side, up to where the longer one ends, and a last line that says where they part."""
    where = parting(a, b)
    if as_json:
        record = {"a": _facts(a), "b": _facts(b), "step": where.step, "what": where.what}
        screen.file.write(json.dumps(record, ensure_ascii=False) + "\n")
        return
    screen.table(_table(a, b, where))
    screen.print("\n", (_said(where), "bold"), wrap=True)


def _table(a: Run, b: Run, where: Parting) -> Table:
    rows: list[list[Text | str]] = [["", a.asked.question, b.asked.question]] if where.what == "question" else []
    ours, theirs = steps(a), steps(b)
    for number in range(1, max(len(ours), len(theirs)) + 1):
        parts = number == where.step and where.what not in {"", "question"}
        cells = [_step(side[number - 1]) if number <= len(side) else styled(("-", "dim")) for side in (ours, theirs)]
        rows.append([styled((f"→ {number}", "yellow")) if parts else str(number), *cells])
    ends = [f"{run.ended.reason}: {run.ended.answer}" if run.ended else run.state for run in (a, b)]
    rows.append([styled(("→" if where.what == "end" else "", "yellow")), *map(_short, ends)])
    return Table((Column(say("step", "步"), right=True), *(Column(f"{run.id[:8]}\n{run.asked.model}", fit="fold") for run in (a, b))), rows)


def _step(step: Step) -> Text:
    nudged = [(f"({by}) ", "yellow") for by in step.nudges]
    return styled(*nudged, _short(told(step.reading)), *(("\n" + _short(seen), "dim") for seen in step.seen))


def _said(where: Parting) -> str:
    if not where.what:
        return say("They come to the same, step by step.", "两次运行逐步一致。")
    what = WHAT[where.what]
    if where.what == "question":
        return say(f"They differ in {what}.", f"两者的{what}不同。")
    return say(f"They part at step {where.step}: {what}.", f"从第 {where.step} 步开始不同：{what}。")


def _facts(run: Run) -> dict[str, Any]:
    usage = run.usage
    return {
        "run": run.id, "model": run.asked.model, "question": run.asked.question, "steps": run.steps, "answer": run.answer,
        "reason": run.ended.reason if run.ended else run.state, "prompt_tokens": usage.prompt, "completion_tokens": usage.completion,
    }  # fmt: skip


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= CHARACTERS else text[:CHARACTERS] + "…"
