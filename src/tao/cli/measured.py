"""Figures of an evaluation on the screen."""

from collections import Counter
from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tao.cli.pens import plain
from tao.cli.words import say
from tao.evaluation.outcomes import Outcome
from tao.evaluation.summary import Paired, Row
from tao.evaluation.words import EFFECTS, ENDS, MEASURES, POLICIES, SHORT, both_ways, figure, in_both

COLUMNS = (
    "calls", "acts", "prompt", "cached", "completion", "cost", "first_token", "seconds", "misreads", "coercions", "stopped", "failed",
)  # fmt: skip


DROPPED = ("cached", "coercions", "first_token", "acts", "misreads", "completion", "prompt", "calls", "seconds")
"""Columns that a narrow screen does without, the first of them first."""


def columns(rows: Sequence[Row], width: int) -> list[str]:
    """The figures that fit into so many cells beside the kind and what is right; numbers that were cut would be other numbers."""
    shown = [name for name in COLUMNS if any(getattr(row, name) for row in rows)]
    least = 2 + max(cell_len(row.kind) for row in rows) + 9 + 10
    room = {name: 2 + max(cell_len(say(*SHORT[name])), *(cell_len(figure(name, getattr(row, name))) for row in rows)) for name in shown}
    for name in DROPPED:
        if least + sum(room[kept] for kept in shown) <= width:
            break
        shown = [kept for kept in shown if kept != name]
    return shown


def measured(rows: Sequence[Row], width: int) -> RenderableType:
    """A table with a row per kind, in so many cells, and who stepped in."""
    whole = rows[-1]
    shown = columns(rows, width)
    table = _table(say(*MEASURES["kind"]), say(*MEASURES["right"]), say("95 %", "95%"), *(say(*SHORT[name]) for name in shown))
    for row in rows:
        last = row is whole
        if last and len(rows) > 1:
            table.add_section()
        cells = [figure(name, getattr(row, name)) for name in shown]
        kind = say(*MEASURES["all"]) if last else row.kind
        share = (f"{row.right}/{row.rollouts}", f"{row.low * 100:.0f}–{row.high * 100:.0f}")
        table.add_row(Text(plain(kind)), *share, *cells, style="bold" if last and len(rows) > 1 else "")
    parts: list[RenderableType] = [table]
    if whole.rollouts > whole.tasks:
        parts.append(Text(say(
            f"{whole.rate:.1%} of {whole.rollouts} rollouts right; {whole.any:.1%} of {whole.tasks} tasks right in any, {whole.every:.1%} in every rollout",
            f"{whole.rollouts} 次运行中 {whole.rate:.1%} 正确；{whole.tasks} 个任务中 {whole.any:.1%} 至少一次正确，{whole.every:.1%} 每次都正确",
        )))  # fmt: skip
    if whole.interventions:
        parts += [Text(), _interventions(whole.interventions)]
    return Group(*parts)


def _interventions(counts: Counter[tuple[str, str]]) -> Table:
    """Who spoke up how often, and what came of it."""
    effects = [effect for effect in EFFECTS if any(effect == seen for _, seen in counts)]
    table = _table(say("stepped in", "干预"), say("times", "次数"), *(say(*EFFECTS[effect]) for effect in effects))
    for by in dict.fromkeys(by for (by, _), _ in counts.most_common()):
        numbers = [counts[by, effect] for effect in effects]
        table.add_row(Text(say(*both_ways(POLICIES, by))), str(sum(numbers)), *(str(number or "") for number in numbers))
    return table


def wrong(outcomes: Sequence[Outcome], most: int = 20) -> Table | None:
    """The rollouts that were not right; None where all were."""
    missed = [it for it in outcomes if not it.right]
    if not missed:
        return None
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", expand=True)
    table.add_column(say("not right", "未答对"), no_wrap=True, max_width=24, overflow="ellipsis")
    for name in (say("wanted", "应为"), say("answer", "回答"), say("why", "原因")):
        table.add_column(name, ratio=1, no_wrap=True, overflow="ellipsis")
    for it in missed[:most]:
        ended = say(*in_both(it.why)) or ("" if it.reason == "answered" else say(*both_ways(ENDS, it.reason)))
        table.add_row(*(Text(plain(" ".join(part.split()))) for part in (it.task, it.wanted, it.answer or "-", ended)))
    if len(missed) > most:
        table.add_row("…", say(f"{len(missed) - most} more", f"另有 {len(missed) - most} 项"), "", "")
    return table


def compared(paired: Paired, a: str, b: str) -> RenderableType:
    """Two sets beside each other."""
    table = _table(say("measure", "指标"), a, b, say("difference", "差值"), say(*MEASURES["interval"]))
    rates = (f"{paired.rate_a:.1%}", f"{paired.rate_b:.1%}", f"{paired.difference * 100:+.1f}", _range(paired.low * 100, paired.high * 100, 1))
    table.add_row(say(*MEASURES["rate"]), *rates)
    for it in paired.measures:
        largest = max(abs(it.a), abs(it.b))
        digits = 0 if largest >= 100 else 5 if it.name == "cost" and largest < 0.1 else 2
        cells = (f"{it.a:,.{digits}f}", f"{it.b:,.{digits}f}", f"{it.difference:+,.{digits}f}", _range(it.low, it.high, digits))
        table.add_row(say(*MEASURES[it.name]), *cells)
    lines = [
        say(f"{paired.tasks} tasks in both", f"共同任务 {paired.tasks} 个")
        + (say(f" ({paired.only_a} only in the first, {paired.only_b} only in the second)", f"（仅前者有 {paired.only_a} 个，仅后者有 {paired.only_b} 个）")
           if paired.only_a or paired.only_b else ""),
        say(f"Better in {len(paired.better)}, worse in {len(paired.worse)}; p = {paired.p:.3g} (exact sign test; McNemar's for one rollout)",
            f"变好 {len(paired.better)} 个，变差 {len(paired.worse)} 个；p = {paired.p:.3g}（精确符号检验；单次运行时即 McNemar 检验）"),
    ]  # fmt: skip
    for heading, tasks in ((say("better", "变好"), paired.better), (say("worse", "变差"), paired.worse)):
        if tasks:
            more = say(f" and {len(tasks) - 30} more", f" 等 {len(tasks)} 个") if len(tasks) > 30 else ""
            lines.append(f"{heading}: {' '.join(tasks[:30])}{more}")
    return Group(table, Text(), *map(Text, lines))


def _range(low: float, high: float, digits: int) -> str:
    return f"{low:+,.{digits}f} … {high:+,.{digits}f}" if abs(low) < 1e300 else ""


def _table(*headings: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", no_wrap=bool(number))
    return table
