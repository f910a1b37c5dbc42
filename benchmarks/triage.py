"""Sort questions before the loop, and print how often that is right and what it saves.

    .venv/bin/python benchmarks/triage.py [--model local] [--half tune|held|all] [--threshold 0.7] [--suite FOLDER] [--out said.jsonl]

The questions stand in `triage.jsonl` beside this file (`way`: how each ought to go; half of them were looked at while the rules were
written); `--suite FOLDER` adds those of a suite (see `suite.py`), where only the kind "direct" needs no tools. Without
`--model` only the rules are asked. With it, the model sorts what the rules leave open, and prompts are counted in its own tokens where it
can count. `--out` keeps what it said, and reads it again the next time instead of asking.
`--whole` runs the questions to their end instead, with triage and without, over the suite's tools, and prints what that took.
"""

import argparse
import asyncio
import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from suite import load

from tao.agent import Agent, language, recorded_dialect
from tao.errors import AgentError
from tao.events import Asked, Replied
from tao.messages import Reply, Request, ToolSpec
from tao.models import connect
from tao.policies.reckoning import size
from tao.routing import recorded
from tao.routing.triage import THRESHOLD, label
from tao.run import Run
from tao.seams import Abilities
from tao.testing import spec
from tao.toolset import gathered

HERE = Path(__file__).parent
TOOLS = (
    spec("current_date", "Today's date as YYYY-MM-DD."),
    spec("calculate", "Evaluate an arithmetic expression.", expression="string"),
    spec("date_add", "Add days to a date.", date="string", days="integer"),
    spec("search", "Search the library of documents for facts.", query="string"),
    spec("get_order", "Look up one customer order.", order_id="string"),
    spec("get_weather", "Current weather of a city.", city="string"),
    spec("list_events", "Entries of the user's calendar.", day="string"),
    spec("send_message", "Send a message or an email.", to="string", text="string"),
    spec("read_file", "Read a text file.", path="string"),
)
"""What an office assistant may have; only their names are shown to the model that sorts."""


@dataclass(frozen=True)
class Case:
    """One question, how it ought to go, and how it went. `tokens` of the prompts: the loop's first one, and sorting and direct answer."""

    id: str
    kind: str
    way: str
    question: str
    went: str = ""
    by: str = ""
    sure: float | None = None
    loop: float = 0.0
    short: float = 0.0
    said: dict[str, Any] = field(default_factory=dict)


def cases(half: str, suite: Path | None) -> list[Case]:
    """The questions; even pairs are the half that the rules were written with."""
    rows = [json.loads(line) for line in (HERE / "triage.jsonl").read_text(encoding="utf-8").splitlines()]
    found = [Case(row["id"], row["kind"], row["way"], row["question"]) for row in rows]
    kept = [case for place, case in enumerate(found) if half == "all" or ((place // 2) % 2 == 0) == (half == "tune")]
    if suite:
        tasks = [json.loads(line) for line in (suite / "tasks.jsonl").read_text(encoding="utf-8").splitlines() if line.strip()]
        kept += [
            Case(task["id"], f"suite: {task['kind']}", "direct" if task["kind"] == "direct" else "tools", task["question"])
            for place, task in enumerate(tasks) if half == "all" or (place % 2 == 0) == (half == "tune")
        ]
    return kept


def asked(case: Case, tools: Sequence[ToolSpec], abilities: Abilities, *, triage: bool | float) -> Run:
    """The question as an Agent would record it, with triage or without."""
    settings: dict[str, Any] = {"abilities": asdict(abilities), "max_steps": 8, "max_tools_shown": 12, "triage": triage}
    lang = language(case.question)
    specs, many = gathered(tuple(tools), case.question, lang, settings)
    settings = recorded(None, case.question, specs, (), {**settings, **many}, {})  # type: ignore[arg-type]
    return Run(case.id, [Asked(case.question, specs, lang, "auto", "", "", (), settings)])


async def sort(case: Case, model: Any, count: Callable[[Request], float], threshold: float, known: dict[str, Any]) -> Case:
    """One question sorted: by the rules, else by the model."""
    abilities: Abilities = model.abilities if model else Abilities(tools=False, constraint="gbnf", small=True, logprobs=True)
    run = asked(case, TOOLS, abilities, triage=threshold)
    loop = count(recorded_dialect(asked(case, TOOLS, abilities, triage=False).asked).render(run))
    record = run.asked.settings["triage"]
    way, by, sure, said, short = str(record["way"]), str(record["rule"]), None, known.get(case.id, {}), 0.0
    if way == "ask":
        by, way = "model", "tools"
        request = recorded_dialect(run.asked).render(run)
        short = count(request)
        if model or said:
            said = said or _kept(await model(request))
            note = label(Reply(said["text"], likely=said["likely"]), threshold).split(":")
            way, sure = note[1], float(note[2]) if len(note) > 2 else None
            run.events += [Replied(Reply(said["text"], likely=said["likely"]))]
            run.events += [recorded_dialect(run.asked).parse(run)]
    if way == "direct":
        short += count(recorded_dialect(run.asked).render(run))
    return Case(case.id, case.kind, case.way, case.question, way, by, sure, loop, short, said)


def _kept(reply: Reply) -> dict[str, Any]:
    return {"text": reply.text, "likely": dict(reply.likely), "seconds": round(reply.seconds, 2), "prompt": reply.usage.prompt, "cached": reply.usage.cached}


def table(found: Sequence[Case]) -> str:
    """By kind: how they ought to go and how they went; then what matters."""
    kinds: dict[str, list[Case]] = defaultdict(list)
    for case in found:
        kinds[case.kind].append(case)
    lines = [f"{'kind':22}{'ought':>8}{'direct':>8}{'tools':>7}{'plan':>6}{'by rules':>10}"]
    for name, group in kinds.items():
        went = {way: sum(case.went == way for case in group) for way in ("direct", "tools", "plan")}
        rules = sum(case.by != "model" for case in group)
        lines.append(f"{name:22}{group[0].way:>8}{went['direct']:>8}{went['tools']:>7}{went['plan']:>6}{rules:>7}/{len(group)}")
    return "\n".join(lines)


def summary(found: Sequence[Case]) -> str:
    """What triage is worth on these questions."""
    direct = [case for case in found if case.way == "direct"]
    needy = [case for case in found if case.way != "direct"]
    wrong = [case for case in needy if case.went == "direct"]
    missed = [case for case in direct if case.went != "direct"]
    asked = [case for case in found if case.by == "model"]
    before = sum(case.loop for case in found)
    after = sum(map(taken, found))
    lines = [f"wrong direct  {len(wrong)}/{len(needy)}  {case.id} {case.by} {case.sure} {case.question}" for case in wrong]
    lines += [f"missed        {case.id} {case.by} {case.went} {case.sure} {case.question}" for case in missed]
    return "\n".join([
        *lines, "",
        f"need no tools, answered directly:        {len(direct) - len(missed)}/{len(direct)}",
        f"need tools, sent to a direct answer:     {len(wrong)}/{len(needy)}",
        f"decided by rules:                        {len(found) - len(asked)}/{len(found)}",
        f"first prompts, tokens: in the loop {before:,.0f}, with triage {after:,.0f} ({after / before - 1:+.0%})",
        f"of those that need no tools:  in the loop {sum(c.loop for c in direct):,.0f}, with triage {sum(map(taken, direct)):,.0f}",
    ])  # fmt: skip


def taken(case: Case) -> float:
    """Tokens of the prompts until the loop's first reply, or the direct answer; a wrong direct answer is followed by the loop."""
    return case.short + (case.loop if case.way != "direct" or case.went != "direct" else 0)


async def whole(model: Any, found: Sequence[Case], suite: Path) -> str:
    """What whole runs take on average, by how the question ought to go; and how many questions were answered without a call."""
    world = load(suite)[1]
    lines = [f"{'ought':8}{'questions':>10}  {'triage':8}{'model calls':>12}{'tool calls':>12}{'prompt':>9}{'completion':>12}{'seconds':>9}"]
    for way in dict.fromkeys(case.way for case in found):
        group = [case for case in found if case.way == way]
        for on in (False, True):
            agent = Agent(model, world.tools(), triage=on)
            runs = [await agent.run(case.question) for case in group]
            replies = [event.reply for run in runs for event in run.paid]
            totals: list[float] = [len(replies), sum(len(run.observed) for run in runs)]
            totals += [sum(run.usage.prompt or 0 for run in runs), sum(run.usage.completion or 0 for run in runs), sum(reply.seconds for reply in replies)]
            calls, tools, prompt, completion, seconds = (total / len(group) for total in totals)
            lines.append(f"{way:8}{len(group):10}  {'on' if on else 'off':8}{calls:12.1f}{tools:12.1f}{prompt:9.0f}{completion:12.0f}{seconds:9.1f}")
            print(lines[-1], flush=True)
    return "\n".join(lines)


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="the model that sorts what the rules leave open; none: it goes into the loop")
    parser.add_argument("--half", choices=("tune", "held", "all"), default="all")
    parser.add_argument("--threshold", type=float, default=THRESHOLD, help="a model's word counts from this probability on")
    parser.add_argument("--suite", type=Path, help="a folder with tasks.jsonl, whose questions are sorted too")
    parser.add_argument("--whole", action="store_true", help="run the questions to their end, with triage and without; takes --model and --suite")
    parser.add_argument("--out", type=Path, help="where the model's replies are kept, and read again")
    return parser.parse_args()


async def main() -> int:
    """Sort them all."""
    args = options()
    model = connect(args.model, env=os.environ) if args.model else None
    if args.whole:
        if not (model and args.suite):
            sys.exit("--whole takes --model and --suite")
        print(await whole(model, cases(args.half, args.suite), args.suite))
        return 0
    known: dict[str, Any] = {}
    if args.out and args.out.exists():
        known = {row["id"]: row for row in map(json.loads, args.out.read_text(encoding="utf-8").splitlines())}
    counts: dict[str, int] = {}

    def count(request: Request) -> float:
        texts = [message.content for message in request.messages]
        if not hasattr(model, "count"):
            return sum(map(size, texts))
        for text in texts:
            counts[text] = counts.get(text) or model.count(text)  # type: ignore[union-attr]
        return sum(counts[text] for text in texts)

    found = []
    for case in cases(args.half, args.suite):
        found.append(await sort(case, model, count, args.threshold, known))
        if args.out and found[-1].said and case.id not in known:
            with args.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"id": case.id, **found[-1].said}, ensure_ascii=False) + "\n")
    print(f"{table(found)}\n\n{summary(found)}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main()))
    except AgentError as error:
        sys.exit(f"{type(error).__name__}: {error}")
