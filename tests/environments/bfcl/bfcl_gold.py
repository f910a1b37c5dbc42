"""The Berkeley Function Calling Leaderboard, version 4 (`bfcl-eval`): questions with functions, and the calls that answer them.

A right call is written as its arguments with all values that count as right; "" among them means that the argument may be left
out. Objects within are written the same way.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tao.messages import ToolSpec
from tao.tools.declare import Tool, foreign

CATEGORIES = ("simple_python", "simple_java", "simple_javascript", "multiple", "parallel", "parallel_multiple")
LIVE = ("live_simple", "live_multiple", "live_parallel", "live_parallel_multiple")
MOST_VARIANTS = 4


@dataclass(frozen=True)
class Task:
    """One question. `gold[n]` has the name of a function and, for each argument, the values that count as right.

    `functions` are as they were written, `tools` what became of them.
    """

    id: str
    functions: tuple[dict[str, Any], ...]
    gold: tuple[tuple[str, dict[str, list[Any]]], ...]
    tools: tuple[Tool, ...]

    def calls(self) -> Iterator[list[tuple[str, dict[str, Any]]]]:
        """The right calls, in several variants: with the first right value of each argument, the second … each once."""
        seen: list[Any] = []
        for number in range(MOST_VARIANTS):
            calls = [(name, _chosen(args, number)) for name, args in self.gold]
            if calls not in seen:
                seen.append(calls)
                yield calls


@cache
def tasks(category: str) -> list[Task]:
    """The tasks of a category; skips where the package is not installed."""
    found = find_spec("bfcl_eval")
    if found is None or not found.submodule_search_locations:
        pytest.skip("bfcl-eval is not installed: pip install --no-deps bfcl-eval")
    data = Path(found.submodule_search_locations[0], "data")
    questions = _lines(data / f"BFCL_v4_{category}.json")
    answers = {one["id"]: one["ground_truth"] for one in _lines(data / "possible_answer" / f"BFCL_v4_{category}.json")}
    return [
        Task(one["id"], tuple(one["function"]), tuple(map(_call, answers[one["id"]])), tuple(map(_tool, one["function"]))) for one in questions
    ]


def _tool(told: dict[str, Any]) -> Tool:
    return foreign(ToolSpec(told["name"], told["description"], told["parameters"]), print)


def _call(gold: dict[str, dict[str, list[Any]]]) -> tuple[str, dict[str, list[Any]]]:
    ((name, args),) = gold.items()
    return name, args


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _chosen(args: dict[str, list[Any]], number: int) -> dict[str, Any]:
    right = {key: [value for value in values if value != ""] for key, values in args.items()}
    return {key: _value(values[min(number, len(values) - 1)], number) for key, values in right.items() if values}


def _value(value: Any, number: int) -> Any:
    if isinstance(value, dict):
        return _chosen({key: part if isinstance(part, list) else [part] for key, part in value.items()}, number)
    return [_value(part, number) for part in value] if isinstance(value, list) else value
