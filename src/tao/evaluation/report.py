"""A page for people: one HTML file with everything in it, in English and Chinese, in light and dark."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from tao.evaluation import plots
from tao.evaluation.look import PAGE
from tao.evaluation.outcomes import Outcome
from tao.evaluation.summary import Row, by_task, rows
from tao.evaluation.words import EFFECTS, ENDS, MEASURES, POLICIES, both_ways, figure, in_both
from tao.events import Decided, Ended, Event, Misread, Nudged, Observed, Paused
from tao.messages import Call

LONGEST = 1500
"""Characters of an observation or thought that are shown."""
COLUMNS = (
    "calls", "acts", "prompt", "cached", "completion", "cost", "first_token", "seconds", "slow", "misreads", "coercions", "failed_acts",
    "stopped", "failed",
)  # fmt: skip


def page(about: Mapping[str, Any], outcomes: Sequence[Outcome], *, name: str = "", day: str = "", lang: str = "en") -> str:
    """The report as HTML. `lang` is the language that shows first; `name` what was measured, such as the file of tasks, on which `day`."""
    table = rows(outcomes)
    whole = table[-1]
    parts = {
        "lang": "zh-CN" if lang == "zh" else "en",
        "title": f"{escape(str(about.get('model', '')))} · {escape(name)}",
        "head": _head(about, whole, name, day),
        "figures": _figures(whole),
        "plots": _plots(table, outcomes),
        "table": _table(table),
        "tasks": "".join(_task(group) for group in by_task(outcomes).values()),
        "wrong": str(sum(not all(it.right for it in group) for group in by_task(outcomes).values())),
    }
    html = PAGE
    for key, value in parts.items():
        html = html.replace(f"<!--{key}-->", value)
    return html


def say(english: str, chinese: str) -> str:
    """A text in both languages; the page shows one."""
    if english == chinese:
        return escape(english)
    return f'<span class="en">{escape(english)}</span><span class="zh">{escape(chinese)}</span>'


def _head(about: Mapping[str, Any], whole: Row, name: str, day: str) -> str:
    told = [say(f"{whole.tasks} task{'s' * (whole.tasks != 1)}", f"{whole.tasks} 个任务"), say(f"{whole.rollouts} rollout{'s' * (whole.rollouts != 1)}", f"{whole.rollouts} 次运行")]
    told += [escape(day)] if day else []
    told += [say(f"{word}: {about[key]}", f"{chinese}：{about[key]}") for key, word, chinese in (
        ("dialect", "dialect", "格式"), ("max_steps", "steps at most", "步数上限"), ("version", "tao", "tao 版本"),
    ) if about.get(key) is not None]  # fmt: skip
    return f"<h1>{escape(str(about.get('model', '')))}</h1><p class=sub>{escape(name)}</p><p class=dim>{' · '.join(told)}</p>"


def _figures(whole: Row) -> str:
    """The success rate, large, and what a rollout takes."""
    rate = (
        f'<div class="tile main"><b>{whole.rate:.1%}</b><span>{say(*MEASURES["right"])} · {whole.right}/{whole.rollouts}</span>'
        f'<small>{say(*MEASURES["interval"])} {whole.low:.1%} – {whole.high:.1%}</small></div>'
    )
    tiles = [rate]
    if whole.rollouts > whole.tasks:
        tiles.append(
            f"<div class=tile><b>{whole.every:.1%}</b><span>{say(*MEASURES['every'])}</span>"
            f"<small>{say(*MEASURES['any'])} {whole.any:.1%}</small></div>"
        )
    for name in ("calls", "prompt", "completion", "seconds", "first_token", "cost"):
        if (value := getattr(whole, name)) is not None:
            note = say("median", "中位数") if name in {"seconds", "first_token"} else say("mean", "平均")
            tiles.append(f"<div class=tile><b>{figure(name, value)}</b><span>{say(*MEASURES[name])}</span><small>{note}</small></div>")
    return "".join(tiles)


# ── plots ─────────────────────────────────────────────────────────────────────


def _plots(table: Sequence[Row], outcomes: Sequence[Outcome]) -> str:
    title = ("Success by kind, with 95 % intervals", "各类别成功率及 95% 区间")
    labels = [*((row.kind, row.kind) for row in table[:-1]), MEASURES["all"]]
    lines = [(name, row.rate, row.low, row.high, f"{row.right}/{row.rollouts}") for name, row in zip(labels, table, strict=True)]
    shown = [(title, plots.whiskers(lines, title))]
    calls = sorted({it.calls for it in outcomes})
    if calls:
        title = ("Rollouts by number of model calls", "按模型调用次数统计的运行")
        counts = Counter((it.calls, it.right) for it in outcomes)
        every = range(calls[0], calls[-1] + 1) if calls[-1] - calls[0] < 30 else calls
        shown.append((title, plots.columns([(n, counts[n, True], counts[n, False]) for n in every], title, MEASURES["calls"])))
    for name, title in (("tokens", ("Rollouts by tokens", "按词元数统计的运行")), ("seconds", ("Rollouts by time", "按用时统计的运行"))):
        known = [(it.right, value) for it in outcomes if (value := _measure(it, name)) is not None]
        good, bad = ([value for solved, value in known if solved is right] for right in (True, False))
        unit = ("prompt + completion tokens", "提示 + 生成词元") if name == "tokens" else MEASURES["seconds"]
        if good or bad:
            shown.append((title, plots.histogram(good, bad, title, unit)))
    if interventions := table[-1].interventions:
        title = ("Who stepped in, and what came of it", "干预及其效果")
        names = dict.fromkeys(by for (by, _), _ in interventions.most_common())
        stacked = [(both_ways(POLICIES, by), [(effect, interventions[by, effect]) for effect in EFFECTS]) for by in names]
        legend = "".join(f'<i class="key {effect}"></i>{say(*words)} ' for effect, words in EFFECTS.items())
        shown.append((title, plots.stacks(stacked, title) + f"<p class=legend>{legend}</p>"))
    legend = f'<p class=legend><i class="key right"></i>{say("right", "正确")} <i class="key wrong"></i>{say("wrong", "错误")}</p>'
    return legend + "".join(f"<figure><figcaption>{say(*title)}</figcaption>{svg}</figure>" for title, svg in shown)


def _measure(it: Outcome, name: str) -> float | None:
    if name == "seconds":
        return it.seconds
    return None if it.prompt is None and it.completion is None else (it.prompt or 0) + (it.completion or 0)


def _table(table: Sequence[Row]) -> str:
    shown = [name for name in COLUMNS if any(getattr(row, name) for row in table)]
    head = "".join(f"<th>{say(*MEASURES[name])}</th>" for name in ("kind", "right", "rate", "interval", *shown))
    body = []
    for row in table:
        kind = say(*MEASURES["all"]) if row is table[-1] else escape(row.kind)
        cells = [kind, f"{row.right}/{row.rollouts}", f"{row.rate:.1%}", f"{row.low:.0%} – {row.high:.0%}"]
        cells += [figure(name, getattr(row, name)) for name in shown]
        body.append(f"<tr{' class=sum' if row is table[-1] else ''}>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


# ── tasks ─────────────────────────────────────────────────────────────────────


def _task(group: Sequence[Outcome]) -> str:
    first = group[0]
    solved = sum(it.right for it in group)
    mark = "good" if solved == len(group) else "bad" if solved == 0 else "some"
    count = f" {solved}/{len(group)}" if len(group) > 1 else ""
    return (
        f'<details class="task {mark}"><summary><i></i><code>{escape(first.task)}</code>{count}'
        f"<span class=q>{escape(first.question)}</span><span class=dim>{escape(first.kind)}</span></summary>{''.join(map(_rollout, group))}</details>"
    )


def _rollout(it: Outcome) -> str:
    facts = [say(f"{it.calls} model calls", f"模型调用 {it.calls} 次"), say(f"{it.seconds:.1f} s", f"{it.seconds:.1f} 秒")]
    if it.prompt is not None:
        facts.append(say(f"{it.prompt:,} + {it.completion or 0:,} tokens", f"{it.prompt:,} + {it.completion or 0:,} 词元"))
    if it.reason != "answered":
        english, chinese = both_ways(ENDS, it.reason)
        facts.append(say(f"ended: {english}", f"结束原因：{chinese}"))
    rows_ = [(("Wanted", "应为"), escape(it.wanted)), (("Answer", "回答"), escape(it.answer or "–"))]
    rows_ += [(("Why", "原因"), say(*in_both(it.why)))] if it.why else []
    told = "".join(f"<dt>{say(*words)}</dt><dd>{value}</dd>" for words, value in rows_)
    steps = "".join(filter(None, map(_step, it.events)))
    return (
        f'<section class="{"good" if it.right else "bad"}"><p class=dim>#{it.rollout + 1} · {" · ".join(facts)}</p><dl>{told}</dl>'
        f"<ol>{steps}</ol></section>"
    )


def _step(event: Event) -> str:
    """An event as an item of a list; "" where there is nothing to see."""
    match event:
        case Decided():
            calls = "".join(f"<p><b>{escape(call.tool)}</b> <code>{escape(_args(call))}</code></p>" for call in event.calls)
            thought = f"<p class=thought>{escape(_cut(event.thought))}</p>" if event.thought.strip() else ""
            answer = f"<p class=answer>{escape(event.answer)}</p>" if event.answer is not None else ""
            return f"<li>{thought}{calls}{answer}</li>"
        case Observed():
            return f"<li class={'seen' if event.observation.ok else 'failed'}><pre>{escape(_cut(event.observation.text))}</pre></li>"
        case Nudged():
            return f"<li class=nudge><b>{say(*both_ways(POLICIES, event.by))}</b> {escape(_cut(event.text))}</li>"
        case Misread():
            return f"<li class=failed><b>{say('misread', '无法解析')}: {escape(event.reason)}</b> {escape(_cut(event.detail))}</li>"
        case Paused():
            return f"<li class=nudge>{escape(event.reason)}</li>"
        case Ended() if event.reason != "answered":
            return f"<li class=failed>{escape(event.reason)}: {escape(_cut(event.detail))}</li>"
    return ""


def _args(call: Call) -> str:
    return _cut(json.dumps(call.args, ensure_ascii=False, default=str))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST] + " …"
