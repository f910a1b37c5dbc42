"""`tao eval`: how well tasks are solved, and at what price."""

import asyncio
import datetime as dt
import json
import math
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from tao import __version__
from tao.agent import Agent
from tao.build import assembled, tools_of
from tao.cli import options as o
from tao.cli.exits import ANSWERED, FAILED, finish
from tao.cli.help import Command, argument
from tao.cli.measured import compared, measured, wrong
from tao.cli.progress import bar
from tao.cli.replayed import replayed
from tao.cli.screen import Screen, plain
from tao.cli.words import LANG, clock, many, say
from tao.config import Settings, environment, load
from tao.errors import ConfigError, both
from tao.evaluation.bench import Grading, rollouts
from tao.evaluation.functions import function_of, load_function
from tao.evaluation.graders import kind_of
from tao.evaluation.inspect_log import file_name, log
from tao.evaluation.lines import for_others
from tao.evaluation.outcomes import AGAIN, Outcome, Price
from tao.evaluation.report import page
from tao.evaluation.results import add, appending, load_results, write
from tao.evaluation.summary import paired, rows
from tao.evaluation.tasks import Task, digest, load_tasks
from tao.messages import Usage
from tao.models import connect
from tao.routing import Routed
from tao.seams import Model

BAR = "{desc} {bar} {n_fmt}/{total_fmt}{postfix} {elapsed}<{remaining}"


@click.command("eval", cls=Command, help=say(
    "Run tasks, grade the answers, and say how many are right at what price.\n\n"
    "Graders: exact, em, number, date, contains, regex, json_schema, python, judge, unknown.",
    "运行任务并为答案评分，给出成功率和代价。\n\n评分方式：exact、em、number、date、contains、regex、json_schema、python、judge、unknown。",
))
@argument("tasks", say("TASKS", "任务文件"), say("JSON Lines: id, question, answer, grader, kind.", "JSON Lines：id、question、answer、grader、kind。"), type=Path, required=False)
@click.option("--rollouts", "-k", type=click.IntRange(min=1), default=1, metavar="K", help=say("Run every task so many times.", "每个任务运行的次数。"))
@click.option("--jobs", "-j", type=click.IntRange(min=1), default=1, metavar="N", help=say("Runs at the same time.", "同时进行的运行数。"))
@click.option("--out", type=Path, metavar="FILE", help=say(
    "Where results are written, and gone on with; default: TASKS-MODEL.results.jsonl here.",
    "结果文件，可中断后继续；默认为当前目录下的 任务文件-模型.results.jsonl。",
))
@click.option("--report", type=Path, metavar="FILE.html", help=say(
    "Where the page for people goes; default: beside the results.", "网页报告的位置；默认与结果文件放在一起。",
))
@click.option("--inspect", type=Path, metavar="FILE.json", help=say(
    "Write the results as a log of Inspect AI, too; in a folder, under a name that it lists.", "同时写出 Inspect AI 格式的日志；若为文件夹，则按其命名规则写入。",
))
@click.option("--ids", metavar="A,B", help=say("Only these tasks.", "只运行这些任务。"))
@click.option("--fail-under", type=click.FloatRange(0, 1), metavar="RATE", help=say(
    "Exit with 1 where the success rate is lower (0 to 1).", "成功率低于该值（0 到 1）时以 1 退出。",
))
@click.option("--judge", metavar="NAME", help=say("The model that grades tasks whose grader is `judge`.", "为评分方式为 `judge` 的任务评分的模型。"))
@click.option("--price", metavar="IN,OUT[,CACHED]", help=say(
    "US dollars for a million prompt, completion and cached tokens.", "每百万提示、生成、缓存词元的美元价格。",
))
@click.option("--compare", nargs=2, type=Path, metavar="A B", help=say("Set two files of results beside each other.", "对照两个结果文件。"))
@click.option("--replay", metavar="RUNS", help=say(
    "Make every recorded decision again with today's prompts, readers and policies; no model, no tools. A file of results or "
    "events, a journal, or a folder or pattern of them. Exit with 1 where one differs.",
    "用当前的提示词、解析和策略重做已记录的每个决策，不调用模型和工具。可为结果文件、事件文件、运行记录库，或其所在文件夹、通配模式；有不同时以 1 退出。",
))
@o.shared("model", "lang", "max_steps", "docs", "tools", "offer", "dialect", "journal")
@click.option("--json", "as_json", is_flag=True, help=say("The figures as one JSON object a row.", "以 JSON 输出，每行一个对象。"))
def evaluate(
    tasks: Path | None, *, rollouts: int, jobs: int, out: Path | None, report: Path | None, inspect: Path | None, ids: str | None,
    fail_under: float | None, judge: str | None, price: str | None, compare: tuple[Path, Path] | None, replay: str | None, as_json: bool, **settings: Any,
) -> None:  # fmt: skip
    """Measure."""
    if compare is not None:
        finish(lambda: _compare(*compare, as_json=as_json))
    if replay is not None:
        finish(replayed(replay, tasks, as_json=as_json))
    wish = Wish(rollouts, jobs, out, report, inspect, ids or "", fail_under, judge, price, as_json)
    finish(_evaluate(tasks, wish, o.given(**settings)))


@dataclass(frozen=True, slots=True)
class Wish:
    """The options of one evaluation."""

    times: int
    jobs: int
    out: Path | None
    report: Path | None
    inspect: Path | None
    ids: str
    fail_under: float | None
    judge: str | None
    price: str | None
    as_json: bool


async def _evaluate(path: Path | None, wish: Wish, options: Mapping[str, Any]) -> int:
    if path is None:
        raise ConfigError(both("give a file of tasks (or --compare A B, or --replay RUNS)", "请给出任务文件（或 --compare A B，或 --replay RUNS）"))
    tasks, settings, price = load_tasks(path), load(options), priced(wish.price)
    wanted = {name for name in wish.ids.split(",") if name}
    if lacking := sorted(wanted - {task.id for task in tasks}):
        raise ConfigError(both(f"{path} has no task {', '.join(lacking)}", f"{path} 中没有任务 {'、'.join(lacking)}"))
    chosen = [task for task in tasks if not wanted or task.id in wanted]
    async with assembled(settings, environment()) as agent, judging(wish.judge, settings) as judge:
        grading = _grading(chosen, path.parent, judge)
        about = described(tasks, agent, settings, wish.judge)
        out = wish.out or default_out(path, about["model"])
        with appending(out, about) as file:
            before = [it for it in load_results(out).outcomes if it.reason not in AGAIN]
            ours = {task.id for task in chosen}
            found = [it for it in before if it.task in ours and it.rollout < wish.times]
            try:
                with progress(len(chosen) * wish.times, len(found), sum(it.right for it in found)) as tell:

                    def told(it: Outcome) -> None:
                        add(file, it)
                        found.append(it)
                        tell(it)

                    done = {(it.task, it.rollout) for it in found}
                    await rollouts(
                        chosen, fresh(agent, settings), told, times=wish.times, jobs=wish.jobs, done=done, grading=grading, price=price
                    )
            except asyncio.CancelledError:  # Ctrl-C
                Screen(err=True).print(say(
                    f"{many(len(found), 'rollout')} kept in {out}; the same command goes on from there",
                    f"{out} 中已保存 {len(found)} 次运行；再次执行同一命令即可继续",
                ))  # fmt: skip
                raise
    order = {task.id: place for place, task in enumerate(chosen)}
    found.sort(key=lambda it: (order[it.task], it.rollout))
    report = wish.report or out.with_name(out.name.removesuffix(".jsonl") + ".html")
    day = dt.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
    write(report, page(about, found, name=path.name, day=day, lang=LANG))
    if wish.inspect:
        made = log(about, found, path.stem)
        write(wish.inspect / file_name(made) if wish.inspect.is_dir() else wish.inspect, for_others(made))
    return _told(found, (out, report), wish)


def _told(outcomes: Sequence[Outcome], written: tuple[Path, Path], wish: Wish) -> int:
    """Print the figures; the last line is right/rollouts."""
    screen, beside, table = Screen(), Screen(err=True), rows(outcomes)
    if wish.as_json:
        for row in table:
            counts = [{"by": by, "effect": effect, "times": number} for (by, effect), number in row.interventions.items()]
            screen.file.write(json.dumps({**asdict(row), "interventions": counts}, ensure_ascii=False) + "\n")
    else:
        if missed := wrong(outcomes):
            screen.table(missed)
            screen.print()
        measured(screen, table)
        screen.file.write(f"\n{table[-1].right}/{table[-1].rollouts}\n")
    beside.print((say("Results: {} · report: {}", "结果文件：{} · 报告：{}").format(*written), "dim"))
    if wish.fail_under is not None and table[-1].rate < wish.fail_under:
        beside.print((say(
            f"{table[-1].rate:.1%} is less than {wish.fail_under:.1%} (--fail-under)", f"成功率 {table[-1].rate:.1%} 低于 {wish.fail_under:.1%}（--fail-under）",
        ), "red"))  # fmt: skip
        return FAILED
    return ANSWERED


def _compare(a: Path, b: Path, *, as_json: bool) -> int:
    ours, theirs = load_results(a), load_results(b)
    both_of = paired(ours.outcomes, theirs.outcomes)
    if not both_of.tasks:
        raise ConfigError(both(f"{a} and {b} have no task in common", f"{a} 与 {b} 没有共同的任务"))
    screen = Screen()
    if as_json:
        screen.file.write(json.dumps(asdict(both_of), ensure_ascii=False) + "\n")
    else:
        compared(screen, both_of, *_names(a, b))
    return ANSWERED


def _names(a: Path, b: Path) -> tuple[str, str]:
    """Names for two files: as short as tells them apart."""
    short = [path.name.removesuffix(".jsonl").removesuffix(".results") for path in (a, b)]
    return (short[0], short[1]) if short[0] != short[1] else (str(a), str(b))


# ── what is measured ──────────────────────────────────────────────────────────


DECIDING = {
    "reflect", "judge", "output", "max_tools_shown", "max_model_calls", "max_tool_calls", "max_prompt_tokens", "max_completion_tokens", "max_reasoning_tokens",
    "max_cost", "permissions",
}  # fmt: skip
"""Settings that are told in the head of a file of results where they are not the usual ones."""


def described(tasks: Sequence[Task], agent: Agent, settings: Settings, judge: str | None = None) -> dict[str, Any]:
    """What decides the results; the head of a file of results. `judge` is who grades, where a task wants that."""
    changed = settings.model_dump(include={**dict.fromkeys(DECIDING, True), "calls": True}, exclude={"calls": {"rates_in"}}, exclude_defaults=True)
    return {
        "model": called(agent, settings), "tasks": digest(tasks), "tools": sorted(tool.name for tool in agent.tools),
        "lang": settings.lang, "dialect": settings.dialect, "max_steps": settings.max_steps, "max_tokens": settings.max_tokens,
        "deadline": settings.deadline, "instructions": settings.instructions, "thinking": settings.thinking, "settings": changed or None,
        "judge": judge if any(kind_of(task) == "judge" for task in tasks) else None, "version": __version__,
    }  # fmt: skip


def called(agent: Agent, settings: Settings) -> str:
    """Who answers: the model's name; of a cascade both, with the rules; and that questions are sorted first."""
    parts = agent.model.recorded() if isinstance(agent.model, Routed) else {}
    large = [f"{parts['large']} ({', '.join([*parts['when'], *(['stay'] if parts['stay'] else [])])})"] if parts else []
    sorts = [settings.triage_model or "triage"] if agent.settings.get("triage") else []
    return " + ".join([str(getattr(agent.model, "name", "") or settings.model), *large, *sorts])


def default_out(tasks: Path, model: str) -> Path:
    """Where results go: here, named after the tasks and the model."""
    name = re.sub(r"[^\w.-]+", "-", model)
    return Path(f"{tasks.stem}-{name}.results.jsonl")


def fresh(agent: Agent, settings: Settings) -> Callable[[], Agent]:
    """An agent for each rollout. Tools that a factory makes are made anew, so that what one run changed another does not see."""
    factories = [where for where in settings.tools if where.rpartition(":")[0].endswith(".py")]
    if not factories:
        return lambda: agent

    def made() -> Agent:
        new = {tool.name: tool for where in factories for tool in tools_of(where)}
        return agent.with_tools(new.get(tool.name, tool) for tool in agent.tools)

    return made


@asynccontextmanager
async def judging(name: str | None, settings: Settings) -> AsyncIterator[Model | None]:
    """The judge, for as long as it is needed."""
    judge = connect(name, env=environment(), local=settings.local.model_dump()) if name else None
    try:
        yield judge
    finally:
        if judge:
            await judge.close()


def _grading(tasks: Sequence[Task], folder: Path, judge: Model | None) -> Grading:
    """What the tasks' graders need."""
    places = {task.id: function_of(task, folder) for task in tasks if kind_of(task) == "python"}
    loaded = {where: load_function(where) for where in dict.fromkeys(places.values())}
    return Grading({task: loaded[where] for task, where in places.items()}, judge)


def priced(text: str | None) -> Price | None:
    """The price of tokens as --price gives it. Raises ConfigError."""
    if text is None:
        return None
    try:
        each = [float(part) / 1e6 for part in text.split(",")]
        prompt, completion, *more = each
        (cached,) = more or [prompt]
        if not all(0 <= it < math.inf for it in each):
            raise ValueError(text)  # noqa: TRY301
    except ValueError as error:
        raise ConfigError(both(
            f"--price is {text!r}; wanted: dollars for a million prompt, completion and (if it differs) cached tokens, as in 0.4,1.6,0.1",
            f"--price 为 {text!r}；应为每百万提示、生成、（如不同）缓存词元的美元价格，例如 0.4,1.6,0.1",
        )) from error  # fmt: skip

    def price(model: str, usage: Usage) -> float | None:  # noqa: ARG001
        if usage.prompt is None or usage.completion is None:
            return None
        return (usage.prompt - (usage.cached or 0)) * prompt + (usage.cached or 0) * cached + usage.completion * completion

    return price


# ── on the way ────────────────────────────────────────────────────────────────


@contextmanager
def progress(total: int, before: int, right: int) -> Iterator[Callable[[Outcome], None]]:
    """A bar on a screen, else a line for each rollout: how many are done and right, how fast, how long still."""
    screen = Screen(err=True)
    done, started = before, time.monotonic()
    with bar(screen, say("rollouts", "运行"), BAR, total=total, initial=before, smoothing=0) as shown:

        def tell(it: Outcome) -> None:
            nonlocal done, right
            done, right = done + 1, right + it.right
            rate = (done - before) / max(time.monotonic() - started, 1e-9)
            share, speed = say(f"{right}/{done} right", f"正确 {right}/{done}"), say(f"{rate * 60:.1f} a minute", f"每分钟 {rate * 60:.1f} 次")
            shown.set_postfix_str(f"{share} · {speed}" if screen.width >= 64 else share, refresh=False)
            shown.update()
            if shown.disable:
                mark, left = say("right", "正确") if it.right else say("WRONG", "错误"), clock((total - done) / rate)
                took, still = say(f"{it.seconds:.1f} s", f"{it.seconds:.1f} 秒"), say(f"{left} left", f"剩余 {left}")
                screen.print(f"{done}/{total} {plain(it.task)} {mark} {took} · {share} · {speed} · {still}")

        yield tell
