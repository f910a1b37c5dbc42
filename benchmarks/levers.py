"""What each lever of a small model wins and costs: a folder of tasks solved with all of them, and with one of them off.

    .venv/bin/python benchmarks/levers.py --suite FOLDER --lever guard --half even --out guard.jsonl [--model local] [--kept replies.jsonl]
    .venv/bin/python benchmarks/levers.py --table all.jsonl guard.jsonl …        the table over what such runs wrote

LEVER is `all` (nothing off), `none` (everything off), or what is to be off:
few_shot (worked examples), grammar (replies held to a form, and with it grounded decoding), decoding (the grammar offers known values
only), grounding (grounded decoding, and the check of arguments), guard (circles, failing tools and empty hands), verify (a look at
the answer), wrap_up (the last step without tools); or what is to be on beside all of them: reflect (looking back every third step), triage (questions sorted first).
`--half even` takes the tasks at even places, `odd` the others: what is tuned on one is judged on the other.
`--kept` is a file of replies that several measurements share: what the model was asked before is not asked again, so that a lever
costs only the steps on which it tells, and a difference is the lever's and not the machine's.
"""

import argparse
import asyncio
import json
import os
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from suite import load

from tao.acting import Limits
from tao.agent import Agent
from tao.dialects.react import React
from tao.errors import AgentError
from tao.events import Ended, Replied, from_json, to_json
from tao.messages import Reply, Request
from tao.models import connect
from tao.policies import empty_handed, first_of, guard, max_steps, misreads, reflect, refused, tool_failures, verify, within
from tao.policies.limits import give_up
from tao.run import Run
from tao.seams import Hear, Model, Policy

LEVERS = ("few_shot", "grammar", "decoding", "grounding", "guard", "verify", "wrap_up")
"""What a run with nothing off has."""


class Kept:
    """A model whose replies stand in a file; the very same request is answered from there, at the price it had."""

    def __init__(self, model: Model, file: Path) -> None:
        self.model, self.file = model, file
        self.name, self.abilities = getattr(model, "name", ""), model.abilities  # type: ignore[attr-defined]
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        self.replies: dict[str, Reply] = {}
        for line in lines:
            record = json.loads(line)
            event = from_json(record["event"])
            assert isinstance(event, Replied)
            self.replies[record["key"]] = event.reply

    async def __call__(self, request: Request, hear: Hear | None = None) -> Reply:
        key = f"{self.name} {request.digest()}"
        if key not in self.replies:
            reply = self.replies[key] = await self.model(request, hear)
            with self.file.open("a", encoding="utf-8") as out:
                out.write(json.dumps({"key": key, "event": to_json(Replied(reply))}, ensure_ascii=False) + "\n")
        elif hear:
            hear(self.replies[key].text)
        return self.replies[key]


def wall(limit: int) -> Policy:
    """A step limit that just ends the run."""

    def policy(run: Run) -> Ended | None:
        return give_up(run, "max_steps") if run.steps >= limit and run.proposed is None else None

    return policy


def without(*off: str, steps: int) -> dict[str, Any]:
    """What an Agent is given so that these levers are off."""
    grammar = "grammar" not in off
    known = not {"grounding", "decoding"} & {*off}
    dialect = React(grammar, grounded=grammar and known, few_shot="few_shot" not in off)
    circles = () if "guard" in off else (tool_failures(), guard(held=grammar))
    parts: list[Policy] = [refused, within(wall(steps) if "wrap_up" in off else max_steps(steps), *circles), misreads(2)]
    parts += [] if "guard" in off else [empty_handed]
    parts += [reflect(3)] if "reflect" in off else []
    parts += [] if "verify" in off else [verify]
    limits = Limits(grounding="off" if "grounding" in off else "")
    return {"dialect": dialect, "policy": first_of(*parts), "max_steps": steps, "limits": limits, "triage": "triage" in off}


async def measure(args: argparse.Namespace) -> None:
    """Solve the tasks, and write each one's run as a line as soon as it is over."""
    module, world, tasks = load(args.suite)
    tasks = {"all": tasks, "even": tasks[::2], "odd": tasks[1::2]}[args.half]
    off = {"all": (), "none": LEVERS}.get(args.lever, (args.lever,))
    model: Model = connect(args.model, env=os.environ)
    model = Kept(model, args.kept) if args.kept else model
    right = 0
    with args.out.open("w", encoding="utf-8") as out:
        for number, task in enumerate(tasks, 1):
            run = await Agent(model, world.tools(), **without(*off, steps=args.max_steps)).run(task["question"], id=task["id"])
            good = bool(module.grade(task, run.answer))
            right += good
            events = [to_json(event) for event in run.events]
            record = {"lever": args.lever, "id": task["id"], "kind": task["kind"], "right": good, "events": events}
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
            out.flush()
            print(f"{'ok   ' if good else 'WRONG'} {task['id']} {right}/{number} {run.answer!r}", flush=True)
    print(f"{args.lever}: {right}/{len(tasks)}")


def table(files: list[Path]) -> str:
    """For each file what was right, what that is against the first file, and at what price; then right answers by kind."""
    told: dict[str, dict[str, dict[str, Any]]] = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            told.setdefault(record["lever"], {})[record["id"]] = record
    base = next(iter(told.values()))
    lines = ["| off | right | won | lost | model calls | prompt | completion |", "|---|---:|---:|---:|---:|---:|---:|"]
    for lever, records in told.items():
        both = [(records[id_]["right"], base[id_]["right"]) for id_ in records if id_ in base]
        runs = [Run(id_, map(from_json, record["events"])) for id_, record in records.items()]
        won, lost = sum(now and not before for now, before in both), sum(before and not now for now, before in both)
        totals = (sum(run.steps for run in runs), sum(run.usage.prompt or 0 for run in runs), sum(run.usage.completion or 0 for run in runs))
        prices = [total / len(runs) for total in totals]
        good = sum(record["right"] for record in records.values())
        lines.append(f"| {lever} | {good}/{len(records)} | {won} | {lost} | {prices[0]:.1f} | {prices[1]:.0f} | {prices[2]:.0f} |")
    kinds: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for lever, records in told.items():
        for record in records.values():
            kinds[record["kind"]][lever].append(record["right"])
    lines += ["", "| kind | " + " | ".join(told) + " |", "|---|" + "---:|" * len(told)]
    for kind, by in sorted(kinds.items()):
        lines.append(f"| {kind} | " + " | ".join(f"{sum(by[lever])}/{len(by[lever])}" for lever in told) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", type=Path, help="folder with tools.py, world.json, tasks.jsonl")
    parser.add_argument("--lever", choices=("all", "none", *LEVERS, "reflect", "triage"), default="all")
    parser.add_argument("--half", choices=("all", "even", "odd"), default="all")
    parser.add_argument("--model", default="local")
    parser.add_argument("--max-steps", type=int, default=8)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--kept", type=Path, help="replies shared between measurements")
    parser.add_argument("--table", type=Path, nargs="+", help="print the table over these files")
    args = parser.parse_args()
    if args.table:
        print(table(args.table))
    elif args.suite and args.out:
        asyncio.run(measure(args))
    else:
        parser.error("give --suite and --out, or --table")


if __name__ == "__main__":
    try:
        main()
    except AgentError as error:
        sys.exit(f"{type(error).__name__}: {error}")
