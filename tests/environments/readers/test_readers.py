"""What tao exports, loaded by Hugging Face `datasets`, held against OpenAI's chat form, and opened by Inspect AI."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tao.evaluation.card import card
from tao.evaluation.export import BLOCK, Wish, export, text
from tao.evaluation.graders import yes
from tao.evaluation.inspect_log import file_name, log
from tao.evaluation.lines import for_others
from tao.evaluation.outcomes import outcome
from tao.evaluation.records import Recorded
from tao.evaluation.tasks import Task
from tao.events import Decided, Ended
from tao.run import Run

sys.path.append(str(Path(__file__).parent))
import every_kind

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def read(how, path, home):
    """What the reader says; skips where it is not installed."""
    if find_spec({"inspect": "inspect_ai"}.get(how, how)) is None:
        pytest.skip(f"{how} is not installed; see tests/environments/consumers.txt")
    quiet = {**os.environ, "HF_HOME": str(home), "HF_DATASETS_OFFLINE": "1", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([sys.executable, Path(__file__).parent / f"load_{how}.py", path], env=quiet, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def recorded():
    """Every run, and beside each that answered a worse one of the same task."""
    for name, run in every_kind.runs().items():
        yield Recorded(run, name, "kind", run.answer is not None, float(run.answer is not None))
        if run.answer and run.ended.reason == "answered":
            worse = Run(f"{name}, worse", [*run.events[:-2], Decided(answer="wrong"), Ended("answered", "wrong")])
            yield Recorded(worse, name, "kind", right=False, score=0.0)


def lines(form):
    return export(list(recorded()), Wish(form)).lines


def known(value):
    """Without what is null: a column that a line lacks is null in its row."""
    if isinstance(value, dict):
        return {name: known(item) for name, item in value.items() if item is not None}
    return [known(item) for item in value] if isinstance(value, list) else value


def no_constant(name):
    raise AssertionError(f"{name} is no JSON")


# ── OpenAI's chat form ────────────────────────────────────────────────────────


def whole_chat(messages):
    """Roles in order, every call answered once and at once, arguments as the text of a JSON object, an answer last."""
    waiting = []
    for place, message in enumerate(messages):
        assert message["role"] in {"system", "user", "assistant", "tool"}
        assert message["role"] != "system" or place == 0
        assert message["role"] == "tool" or not waiting
        assert set(message) <= {"role", "content", "tool_calls", "tool_call_id"}
        if isinstance(message["content"], list):
            assert {part["type"] for part in message["content"]} <= {"text", "image_url"}
            assert message["role"] == "user"
        else:
            assert isinstance(message["content"], str)
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
        for call in message.get("tool_calls", ()):
            assert (message["role"], call["type"]) == ("assistant", "function")
            assert NAME.fullmatch(call["function"]["name"])
            assert isinstance(json.loads(call["function"]["arguments"], parse_constant=no_constant), dict)
            waiting.append(call["id"])
        assert len(set(waiting)) == len(waiting)
    assert waiting == []
    assert messages[-1]["role"] == "assistant"
    assert messages[-1]["content"]


def whole_tools(tools):
    for tool in tools:
        assert tool["type"] == "function"
        assert NAME.fullmatch(tool["function"]["name"])
        Draft202012Validator.check_schema(tool["function"]["parameters"])
        assert tool["function"]["parameters"]["type"] == "object"


@pytest.mark.parametrize("form", ["sft", "dpo"])
def test_chats_load_and_are_openais(form, tmp_path):
    made = lines(form)
    (tmp_path / "x.jsonl").write_text(text(made), encoding="utf-8")
    rows = read("datasets", tmp_path / "x.jsonl", tmp_path)
    written = [json.loads(line, parse_constant=no_constant) for line in text(made).split("\n") if line]
    assert [known(row) for row in rows] == known(written)
    for line in [*written, *map(known, rows)]:
        for chat in [line["messages"]] if form == "sft" else [line["prompt"] + line["chosen"], line["prompt"] + line["rejected"]]:
            whole_chat(chat)
        whole_tools(line.get("tools", ()))
    assert len(rows) == len(made) > 9


@pytest.mark.parametrize("form", ["atif", "events"])
def test_trajectories_and_events_load(form, tmp_path):
    made = lines(form)
    (tmp_path / "x.jsonl").write_text(text(made), encoding="utf-8")
    rows = read("datasets", tmp_path / "x.jsonl", tmp_path)
    assert [row["session_id" if form == "atif" else "run"] for row in rows] == [line["session_id" if form == "atif" else "run"] for line in made]


def test_a_folder_loads_by_its_card(tmp_path):
    """Beside the data stand figures that are JSON, too; the card says which file is meant."""
    made = export(list(recorded()), Wish("sft"))
    (tmp_path / "data").mkdir()
    for name, said in (("北京 1.jsonl", text(made.lines)), ("x.card.json", '{"lines": 1}'), ("README.md", card(made.made, made.runs, "北京 1.jsonl"))):
        (tmp_path / "data" / name).write_text(said, encoding="utf-8")
    assert len(read("datasets", tmp_path / "data", tmp_path)) == len(made.lines)


@pytest.mark.slow
def test_a_large_file_loads_whatever_comes_late(tmp_path):
    """Also where most characters are of three bytes."""
    plain = every_kind.runs()["plain"]
    many = [Recorded(Run(f"r{n}", [replace(plain.asked, question="长" * (BLOCK // 100) + str(n)), *plain.events[1:]]), str(n)) for n in range(80)]
    made = export([*many, *recorded()], Wish("sft")).lines
    (tmp_path / "x.jsonl").write_text(text(made), encoding="utf-8")
    assert len(read("datasets", tmp_path / "x.jsonl", tmp_path)) == len(made)


# ── Inspect AI ────────────────────────────────────────────────────────────────


def test_inspect_opens_the_log(tmp_path):
    """Whole, header alone, sample by sample, in a folder's list, and as data frames."""
    outcomes = [outcome(Task(it.task, it.run.asked.question, "x"), number % 2, it.run, yes(bool(it.right), "why")) for number, it in enumerate(recorded())]
    made = log({"model": "openai/m", "tasks": "abc", "settings": None}, outcomes, "odd_tasks 任务")
    path = tmp_path / file_name(made)
    path.write_text(for_others(made), encoding="utf-8")
    seen = read("inspect", path, tmp_path)
    ids = list(dict.fromkeys(it.task for it in outcomes))
    assert (seen["header"]["status"], seen["header"]["eval"]["task"], seen["header"]["samples"]) == ("success", "odd_tasks 任务", None)
    assert seen["header"]["eval"]["dataset"]["sample_ids"] == ids
    assert [(it["id"], it["scores"]["tao"]["value"]) for it in seen["log"]["samples"]] == [(it.task, "C" if it.right else "I") for it in outcomes]
    assert (seen["listed"], seen["samples"]) == (["odd-tasks-任务"], len(outcomes))
    assert [it["id"] for it in seen["log"]["samples"] if it["error"]] == ["failed"]
    assert {row["id"] for row in seen["samples_df"]} == set(ids)
    assert len(seen["samples_df"]) == len(outcomes)
    assert seen["evals_df"][0]["score_tao_accuracy"] == pytest.approx(sum(it.right for it in outcomes) / len(outcomes))
    assert {"system", "user", "assistant", "tool"} <= {row["role"] for row in seen["messages_df"]}
    assert {row["event"] for row in seen["events_df"]} == {"model", "tool", "info"}
    pictures = next(it for it in seen["log"]["samples"] if it["id"] == "pictures")
    assert [part["type"] for part in pictures["messages"][0]["content"]] == ["image", "image", "text"]
