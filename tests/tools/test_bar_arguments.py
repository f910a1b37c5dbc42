"""The bar of the argument layer: right calls pass unchanged, damaged ones are read harmlessly or refused by name, none runs wrong."""

import datetime as dt
import importlib.util
import json
import os
import re
import unicodedata
from collections import Counter
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from random import Random
from typing import Any

import pytest
from made_schemas import damaged, made

from tao.events import Asked
from tao.messages import Call, Observation, ToolSpec
from tao.run import Run
from tao.tools.declare import Shape, Tool, declare
from tao.tools.registry import registry, specs, validated

SUITE = Path(os.environ.get("TAO_SHARED", Path(__file__).parents[3] / "shared")) / "suite"
SCHEMAS, DAMAGED = 200, 1000


async def through(schema: dict[str, Any], args: Any, lang: str = "en") -> tuple[list[dict[str, Any]], Observation]:
    """What the tool was given, and what the model is told."""
    ran: list[dict[str, Any]] = []

    async def keep(**given: Any) -> str:
        ran.append(given)
        return "done"

    tool = Tool(ToolSpec("work", "Does it.", schema), keep)
    act = validated(registry([tool], checked=True), [tool])
    return ran, await act(Call("1.1", "work", args), Run("r", [Asked("?", specs([tool]), lang)]))


def valid(schema: dict[str, Any], value: Any) -> bool:
    jsonschema = pytest.importorskip("jsonschema", reason="the bar is judged by jsonschema (extra `eval`)")
    return bool(jsonschema.Draft202012Validator(schema).is_valid(value))


def judged(schema: dict[str, Any], value: Any) -> set[str]:
    """The parameters that jsonschema finds fault with: another than the damaged one, where one rules what the other may be."""
    jsonschema = pytest.importorskip("jsonschema")
    return {str(error.absolute_path[0]) for error in jsonschema.Draft202012Validator(schema).iter_errors(value) if error.absolute_path}


async def test_arguments_that_fit_200_made_schemas_pass_unchanged():
    for seed in range(SCHEMAS):
        schema, args = made(seed)
        assert valid(schema, args), (seed, "the maker is wrong")
        ran, said = await through(schema, args)
        assert (seed, ran, said.text) == (seed, [args], "done")
        assert json.dumps(ran[0]) == json.dumps(args), seed  # 1, 1.0 and True are told apart
        assert said.notes == (), seed


async def test_1000_damaged_calls_are_read_harmlessly_or_refused_by_name_and_none_runs_wrong():
    outcomes: Counter[str] = Counter()
    seed = 0
    while sum(outcomes.values()) < DAMAGED:
        seed += 1
        schema, args = made(seed % SCHEMAS)
        if (change := damaged(args, Random(seed))) is None:
            continue
        kind, path, wrong = change
        case = (seed, kind, path, wrong, schema)
        ran, said = await through(schema, wrong)
        if ran:
            assert valid(schema, ran[0]), case
            assert harmless(wrong, ran[0]), (*case, ran)
            assert bool(said.notes) == (json.dumps(wrong, sort_keys=True) != json.dumps(ran[0], sort_keys=True)), (*case, said.notes)
            outcomes["read" if said.notes else "fitted"] += 1
        else:
            _, chinese = await through(schema, wrong, "zh")
            at_fault = {str(path[0]), str(path[0]).upper(), *judged(schema, wrong)}
            for text in (said.text, chinese.text):
                assert any(name in text for name in at_fault), (*case, text)
            assert re.search(r"[\u4e00-\u9fff]", chinese.text), case
            assert said.kind == chinese.kind == "bad_arguments", case
            outcomes["refused"] += 1
    assert min(outcomes.values()) >= DAMAGED / 20, outcomes  # of each enough, so that neither half is empty


# ── the suite's 100 tasks ─────────────────────────────────────────────────────


def suite() -> Any:
    """The suite's tools over its world, and its tasks."""
    if not SUITE.is_dir():
        pytest.skip(f"the suite is not at {SUITE}; set TAO_SHARED to the folder that holds suite/tasks.jsonl")
    found = importlib.util.spec_from_file_location("suite_tools", SUITE / "tools.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    lines = (SUITE / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    return module.World(SUITE / "world.json"), [json.loads(line) for line in lines if line.strip()]


def gold(task: dict[str, Any], world: Any) -> list[tuple[str, dict[str, Any]]]:
    """Calls that do what the task needs, in its order: their values come from the question, the world and the answer."""
    question, day = task["question"], world.today.isoformat()
    order = next((code for code in world.orders if code in question), "")
    cities = [city for city in world.weather if city in question] or list(world.weather)
    calls = []
    for place, tool in enumerate(task["tools"]):
        answer = task["answer"]
        days = (dt.date.fromisoformat(answer) - world.today).days if tool == "date_add" else 0
        calls.append((tool, {
            "get_current_date": {}, "date_add": {"date": day, "days": days}, "date_diff": {"start": day, "end": "2025-12-01"},
            "calculator": {"expression": next(iter(re.findall(r"[\d(][\d+*/() .-]*[+*/-][\d+*/() .-]*[\d)]", question)), f"{answer or 1}*1")},
            "search": {"query": question}, "get_order": {"order_id": order}, "get_weather": {"city": cities[place % len(cities)]},
        }[tool]))  # fmt: skip
    return calls


async def test_the_gold_calls_of_the_suite_pass_unchanged():
    world, tasks = suite()
    calls = 0
    for task in tasks:
        ran: list[dict[str, Any]] = []
        tools = [spied(declare(fn), ran) for fn in world.tools()]
        run = Run("r", [Asked(task["question"], specs(tools), task["lang"])])
        for number, (name, args) in enumerate(gold(task, world)):
            said = await validated(registry(tools, checked=True), tools)(Call(f"{number}.1", name, args), run)
            assert (said.ok, said.notes, ran[-1]) == (True, (), args), (task["id"], name, said.text)
            calls += 1
        if task["kind"] == "date":
            assert said.text == task["answer"]
    assert len(tasks) == 100
    assert calls == sum(len(task["tools"]) for task in tasks)


def spied(tool: Tool, ran: list[dict[str, Any]]) -> Tool:
    """The tool; what its function is given is kept."""

    def keep(**given: Any) -> Any:
        ran.append(given)
        return tool.fn(**given)

    return replace(tool, fn=keep, shape=Shape(), inline=True)


# ── what may be read as what ──────────────────────────────────────────────────


def harmless(came: Any, ran: Any) -> bool:
    """Whether both are one value, written differently. Written apart from the code that it judges."""
    if type(came) is type(ran) and came == ran and json.dumps(came, sort_keys=True) == json.dumps(ran, sort_keys=True):
        return True
    if isinstance(ran, dict):
        return same_object(came, ran)
    if isinstance(ran, list):
        return same_list(came, ran)
    if isinstance(came, str) and came.strip()[:1] in ("[", "{"):
        return False
    plain = unicodedata.normalize("NFKC", came).strip() if isinstance(came, str) else came
    if ran is None:
        return isinstance(plain, str) and plain.lower() in ("null", "none", "nil", "空", "无")
    if isinstance(ran, bool):
        return str(plain).lower() in (("true", "yes", "1", "是", "对", "真") if ran else ("false", "no", "0", "否", "不是", "假"))
    if isinstance(ran, int | float):
        return same_number(plain, ran)
    return same_text(plain, ran)


def same_number(came: Any, ran: float) -> bool:
    if isinstance(came, bool) or not isinstance(came, str | int | float):
        return False
    try:
        return Decimal(str(came).replace(",", "")) == Decimal(str(ran))
    except InvalidOperation:
        return False


def same_text(came: Any, ran: str) -> bool:
    if type(came) is int:
        return str(came) == ran
    if not isinstance(came, str):
        return False
    squeezed = [re.sub(r"[\s_-]+", " ", text).casefold() for text in (came, unicodedata.normalize("NFKC", ran))]
    if squeezed[0] == squeezed[1]:
        return True
    try:
        dt.date.fromisoformat(ran[:10])
    except ValueError:
        return False
    year_first = [int(part) for part in re.findall(r"\d+", came)]
    return year_first[:3] == [int(part) for part in ran[:10].split("-")] and len(ran) in (10, 19, 20)


def same_list(came: Any, ran: list[Any]) -> bool:
    if isinstance(came, str) and came.strip().startswith("["):
        came = json.loads(came)
    if not isinstance(came, list):
        return len(ran) == 1 and harmless(came, ran[0])
    if len(came) > len(ran):
        came = [item for place, item in enumerate(came) if item not in came[:place]]
    return len(came) == len(ran) and all(map(harmless, came, ran))


def same_object(came: Any, ran: dict[str, Any]) -> bool:
    if isinstance(came, str) and came.strip().startswith("{"):
        came = json.loads(came)
    if not isinstance(came, dict):
        return False
    names = {squeezed(key): value for key, value in came.items()}
    kept = {squeezed(key): value for key, value in ran.items()}
    return kept.keys() <= names.keys() and all(harmless(names[key], kept[key]) if key in kept else names[key] is None for key in names)


def squeezed(name: str) -> str:
    return re.sub(r"[\s_-]", "", unicodedata.normalize("NFKC", name).casefold())
