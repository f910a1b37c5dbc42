"""`tao eval --replay`: recorded decisions made again."""

import json
from dataclasses import fields

from tao.agent import recorded_dialect, recorded_policy
from tao.cli.exits import ANSWERED, FAILED, complain
from tao.cli.screen import Column, Screen, Table
from tao.cli.words import many, mine, say
from tao.errors import ConfigError, both
from tao.evaluation.again import Again, again
from tao.evaluation.records import Recorded, load_runs
from tao.events import Decided, Ended, Event, Misread, Nudged, Replied, to_json
from tao.replay import Difference


async def replayed(where: str, more: object = None, *, as_json: bool) -> int:
    """Print every decision that would differ today, and how many there are. Raises ConfigError where `more` than one place is given."""
    if more is not None:
        raise ConfigError(both(
            f"--replay reads one place, so {more} would be left out; a folder, or a pattern in quotes, reads many",
            f"--replay 只读取一处，{more} 会被忽略；要读取多个，请给出文件夹，或加引号的通配模式",
        ))  # fmt: skip
    read, left, screen = [], 0, Screen()
    for it in await load_runs(where):
        try:
            read.append((it, await _again(it)))
        except ConfigError as error:  # made in a dialect or with limits of its own
            left += 1
            complain(say(f"run {it.run.id} is left out: ", f"运行 {it.run.id} 未重做：") + mine(str(error)))
    if as_json:
        for it, result in read:
            for difference in result.differences:
                screen.file.write(_json(it, difference) + "\n")
    else:
        if any(result.decided_otherwise for _, result in read):
            screen.table(_table(read))
            screen.print()
        screen.print(_summary([result for _, result in read]), wrap=True)
    return FAILED if left or any(result.decided_otherwise for _, result in read) else ANSWERED


async def _again(it: Recorded) -> Again:
    asked = it.run.asked
    return await again(it.run, recorded_dialect(asked), recorded_policy(asked))


def _summary(read: list[Again]) -> str:
    decisions, prompts = sum(it.decisions for it in read), sum(it.prompts for it in read)
    otherwise = sum(len(it.decided_otherwise) for it in read)
    worded = sum(len(it.differences) for it in read) - otherwise
    touched = sum(bool(it.decided_otherwise) for it in read)
    return say(
        f"{many(len(read), 'run')}, {many(decisions, 'decision')}, {many(prompts, 'prompt')}: {many(otherwise, 'other decision')} in {many(touched, 'run')}, {many(worded, 'prompt')} in other words",
        f"{len(read)} 次运行、{decisions} 个决策、{prompts} 个提示词：{touched} 次运行中有 {otherwise} 个决策不同，{worded} 个提示词文字不同",
    )


def _table(read: list[tuple[Recorded, Again]]) -> Table:
    rows = []
    for it, result in read:
        name = it.task if it.task != it.run.asked.question else it.run.id[:8]
        rows += [[name, str(found.number), *_apart(found)] for found in result.decided_otherwise]
    columns = (Column(say("run", "运行"), fit="fold"), Column(say("event", "事件"), right=True))
    return Table((*columns, Column(say("recorded", "记录"), fit="fold"), Column(say("today", "现在"), fit="fold")), rows)


def _apart(difference: Difference) -> tuple[str, str]:
    """Both sides in one line each; where these are the same words, the fields that differ as well."""
    recorded, now = difference.recorded, difference.now
    ours, theirs = told(recorded), told(now)
    if recorded is None or now is None or ours != theirs:
        return ours, theirs
    names = [field.name for field in fields(recorded) if field.compare and getattr(recorded, field.name) != getattr(now, field.name)]
    old, new = ("\n".join(f"{name}: {getattr(event, name)}" for name in names) for event in (recorded, now))
    return f"{ours}\n{old}", f"{theirs}\n{new}"


def told(event: Event | None) -> str:
    """An event in one line."""
    match event:
        case None:
            return "-"
        case Decided() if event.calls:
            return "; ".join(f"{call.tool} {json.dumps(call.args, ensure_ascii=False, default=str)}" for call in event.calls)
        case Decided():
            return f"{say('answer', '答案')}: {event.answer}"
        case Misread():
            return f"{say('misread', '无法解析')}: {event.reason}"
        case Nudged():
            return f"{event.by}: {event.text}"
        case Ended():
            return f"{say('end', '结束')}: {event.reason}"
        case Replied():
            return say("asks the model", "请求模型")
    return type(event).__name__.lower()



def _json(it: Recorded, difference: Difference) -> str:
    recorded, now = (to_json(event) if event else None for event in (difference.recorded, difference.now))
    record = {"run": it.run.id, "task": it.task, "seq": difference.number, "recorded": recorded, "now": now}
    return json.dumps(record, ensure_ascii=False, default=str)
