"""Figures of an evaluation on the screen."""

from collections import Counter
from collections.abc import Sequence

from wcwidth import width as cells_of

from tao.cli.screen import Column, Screen, Table, Text, styled
from tao.cli.words import many, say
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
    least = 2 + max(cells_of(row.kind) for row in rows) + 9 + 10
    room = {name: 2 + max(cells_of(say(*SHORT[name])), *(cells_of(figure(name, getattr(row, name))) for row in rows)) for name in shown}
    for name in DROPPED:
        if least + sum(room[kept] for kept in shown) <= width:
            break
        shown = [kept for kept in shown if kept != name]
    return shown


def measured(screen: Screen, rows: Sequence[Row]) -> None:
    """Print a table with a row per kind, that fits the screen, and who stepped in."""
    whole, several = rows[-1], len(rows) > 1
    shown = columns(rows, screen.width)
    cells: list[list[Text | str]] = []
    for row in rows:
        kind = say(*MEASURES["all"]) if row is whole else row.kind
        share = (f"{row.right}/{row.rollouts}", f"{row.low * 100:.0f}–{row.high * 100:.0f}")
        figures = [figure(name, getattr(row, name)) for name in shown]
        cells.append([styled((cell, "bold" if row is whole and several else "")) for cell in (kind, *share, *figures)])
    screen.table(_table([say(*MEASURES["kind"]), say(*MEASURES["right"]), say("95 %", "95%"), *(say(*SHORT[name]) for name in shown)], cells))
    if whole.rollouts > whole.tasks:
        screen.print(say(
            f"{whole.rate:.1%} of {whole.rollouts} rollouts right; {whole.any:.1%} of {many(whole.tasks, 'task')} right in any, {whole.every:.1%} in every rollout",
            f"{whole.rollouts} 次运行中 {whole.rate:.1%} 正确；{whole.tasks} 个任务中 {whole.any:.1%} 至少一次正确，{whole.every:.1%} 每次都正确",
        ), wrap=True)  # fmt: skip
    if whole.interventions:
        screen.print()
        screen.table(_interventions(whole.interventions))


def _interventions(counts: Counter[tuple[str, str]]) -> Table:
    """Who spoke up how often, and what came of it."""
    effects = [effect for effect in EFFECTS if any(effect == seen for _, seen in counts)]
    rows = []
    for by in dict.fromkeys(by for (by, _), _ in counts.most_common()):
        numbers = [counts[by, effect] for effect in effects]
        rows.append([say(*both_ways(POLICIES, by)), str(sum(numbers)), *(str(number or "") for number in numbers)])
    return _table([say("stepped in", "干预"), say("times", "次数"), *(say(*EFFECTS[effect]) for effect in effects)], rows)


def wrong(outcomes: Sequence[Outcome], most: int = 20) -> Table | None:
    """The rollouts that were not right; None where all were."""
    missed = [it for it in outcomes if not it.right]
    if not missed:
        return None
    rows: list[list[str]] = []
    for it in missed[:most]:
        ended = say(*in_both(it.why)) or ("" if it.reason == "answered" else say(*both_ways(ENDS, it.reason)))
        rows.append([it.task, *(" ".join(part.split()) for part in (it.wanted, it.answer or "-", ended))])
    if len(missed) > most:
        rows.append(["…", say(f"{len(missed) - most} more", f"另有 {len(missed) - most} 项"), "", ""])
    headings = (say("wanted", "应为"), say("answer", "回答"), say("why", "原因"))
    return Table((Column(say("not right", "未答对"), fit="cut"), *(Column(heading, fit="cut") for heading in headings)), rows)


def compared(screen: Screen, paired: Paired, a: str, b: str) -> None:
    """Print two sets beside each other."""
    rates = (f"{paired.rate_a:.1%}", f"{paired.rate_b:.1%}", f"{paired.difference * 100:+.1f}", _range(paired.low * 100, paired.high * 100, 1))
    rows = [[say(*MEASURES["rate"]), *rates]]
    for it in paired.measures:
        largest = max(abs(it.a), abs(it.b))
        digits = 0 if largest >= 100 else 5 if it.name == "cost" and largest < 0.1 else 2
        cells = (f"{it.a:,.{digits}f}", f"{it.b:,.{digits}f}", f"{it.difference:+,.{digits}f}", _range(it.low, it.high, digits))
        rows.append([say(*MEASURES[it.name]), *cells])
    screen.table(_table([say("measure", "指标"), a, b, say("difference", "差值"), say(*MEASURES["interval"])], rows))
    screen.print()
    lines = [
        say(f"{many(paired.tasks, 'task')} in both", f"共同任务 {paired.tasks} 个")
        + (say(f" ({paired.only_a} only in the first, {paired.only_b} only in the second)", f"（仅前者有 {paired.only_a} 个，仅后者有 {paired.only_b} 个）")
           if paired.only_a or paired.only_b else ""),
        say(f"Better in {len(paired.better)}, worse in {len(paired.worse)}; p = {paired.p:.3g} (exact sign test; McNemar's for one rollout)",
            f"变好 {len(paired.better)} 个，变差 {len(paired.worse)} 个；p = {paired.p:.3g}（精确符号检验；单次运行时即 McNemar 检验）"),
    ]  # fmt: skip
    for heading, tasks in ((say("better", "变好"), paired.better), (say("worse", "变差"), paired.worse)):
        if tasks:
            more = say(f" and {len(tasks) - 30} more", f" 等 {len(tasks)} 个") if len(tasks) > 30 else ""
            lines.append(f"{heading}: {' '.join(tasks[:30])}{more}")
    screen.print("\n".join(lines), wrap=True)


def _range(low: float, high: float, digits: int) -> str:
    return f"{low:+,.{digits}f} … {high:+,.{digits}f}" if abs(low) < 1e300 else ""


def _table(headings: Sequence[str], rows: Sequence[Sequence[Text | str]]) -> Table:
    """What is measured, and figures at the right."""
    first, *more = headings
    return Table((Column(first, fit="fold"), *(Column(heading, right=True) for heading in more)), rows)
