"""Forms for training: what is in a line, what is left out, and that calls and results belong together."""

import json
import math
from dataclasses import replace

import pytest

from tao.evaluation.atif import trajectory
from tao.evaluation.card import card
from tao.evaluation.chats import chat, preference, turns
from tao.evaluation.export import BLOCK, Wish, columns_first, export, text
from tao.evaluation.inspect_log import file_name, log
from tao.evaluation.records import Recorded
from tao.events import Asked, Decided, Ended, Misread, Nudged, Observed, Recalled, Replied
from tao.messages import Call, Image, Message, Observation, Reply, ToolCall, ToolSpec, Usage
from tao.run import NO_TOOLS, Run
from tao.testing import did, history, spec


def end(answer, thought=""):
    return Decided(thought, answer=answer), Ended("answered", answer)


def sound(messages):
    """Whether calls and results belong together, as OpenAI's API wants it."""
    waiting = []
    for message in messages:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
        else:
            assert waiting == []
            waiting = [call["id"] for call in message.get("tool_calls", ())]
            assert all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in message.get("tool_calls", ()))
    return waiting == []


def test_a_clean_chat():
    two = Decided("both", (Call("2.1", "add", {"a": 1}), Call("2.2", "城市", {"of": "北京"})))
    run = Run("r", [
        Asked("q", (spec("add", a="integer"), spec("城市", of="string")), "zh", instructions="Be brief.", history=(Message("user", "hi"), Message("assistant", "hello"))),
        Recalled(("likes tea",)), Replied(Reply("??")), Misread("no_step"), two, Observed("2.2", Observation("大")), Observed("2.1", Observation("1")),
        Decided(answer="1"), Nudged("look again", "unused"), *did(3, "add", "2", a=2), *end("2", "so it is two"),
    ])  # fmt: skip
    made = chat(run)
    told = made["messages"]
    assert [it["role"] for it in told] == ["system", "user", "assistant", "user", "assistant", "tool", "tool", "assistant", "tool", "assistant"]
    assert told[0]["content"] == "Be brief.\n\nlikes tea"
    assert [it["content"] for it in told if it["role"] == "tool"] == ["1", "大", "2"]
    assert told[-1]["content"] == "so it is two\n\n2"
    assert sound(told)
    names = {tool["function"]["name"] for tool in made["tools"]}
    assert {call["function"]["name"] for it in told for call in it.get("tool_calls", ())} == names
    assert all(name.isascii() for name in names)


def test_a_run_that_broke_off_ends_before_what_is_open():
    run = history("q", *did(1, "add", "2"), Decided(calls=(Call("2.1", "add", {}),)), Ended("failed", detail="x"))
    assert len(turns(run)) == 1


def graded(task, right, *steps, **more):
    run = history(f"question {task}", *steps, tools=(spec("add", a="integer"),), id=f"{task}{len(steps)}{right}")
    return Recorded(run, task, right=right, score=None if right is None else float(right), **more)


GOOD = (*did(1, "add", "2", a=1), *end("2"))
BAD = (*did(1, "add", "2", a=1), *did(2, "add", "9", a=7), *end("9"))


def test_pairs_share_what_both_did():
    (line,) = export([graded("t", True, *GOOD), graded("t", False, *BAD)], Wish("dpo")).lines
    assert [it["role"] for it in line["prompt"]] == ["user", "assistant", "tool"]
    assert [it["role"] for it in line["chosen"]] == ["assistant"]
    assert [it["role"] for it in line["rejected"]] == ["assistant", "tool", "assistant"]
    assert sound(line["prompt"] + line["chosen"])
    assert sound(line["prompt"] + line["rejected"])


def test_pairs_need_a_difference():
    assert export([graded("t", True, *GOOD), graded("u", False, *BAD)], Wish("dpo")).lines == ()
    assert preference(history("q", *GOOD), history("q", *GOOD)) is None
    ungraded = [graded("t", None, *GOOD), graded("t", None, Misread("x"), *end("2"))]
    (line,) = export(ungraded, Wish("dpo", margin=1.0)).lines
    assert line["metadata"]["chosen"]["reward"] - line["metadata"]["rejected"]["reward"] == pytest.approx(1.1)
    assert export(ungraded, Wish("dpo", margin=5)).lines == ()


def test_filters_and_doubles():
    runs = [graded("t", True, *GOOD), graded("t", True, *GOOD), graded("t", False, *BAD), graded("u", None, Decided(calls=(Call("1.1", "add", {}),)))]
    assert export(runs, Wish("sft")).made.written == 2
    assert export(runs, Wish("sft", doubles=True)).made.written == 3
    only = export(runs, Wish("sft", right=True, steps=3), sources=["a.jsonl"])
    assert (only.made.written, only.made.filtered, only.made.double, only.made.filters) == (1, 2, 1, ("ended", "with an answer", "right", "steps ≤ 3"))
    assert len(export(runs, Wish("events")).lines) == sum(len(it.run.events) for it in [runs[0], *runs[2:]])


def test_a_trajectory():
    reply = Reply("Thought: …", usage=Usage(10, 5, 2), model="m", seconds=1.5)
    run = history("q", Replied(reply, at=5.0), Misread("no_step", at=6.0), Nudged("go on", "x", at=7.0), Replied(reply, at=8.0), *did(2, "add", Observation("no", ok=False, kind="error"), a=1), *end("2"))
    made = trajectory(run, right=True, score=1.0)
    assert made["schema_version"] == "ATIF-v1.7"
    assert [it["step_id"] for it in made["steps"]] == [1, 2, 3, 4, 5]
    assert [it["source"] for it in made["steps"]] == ["user", "agent", "system", "agent", "agent"]
    assert made["steps"][3]["observation"]["results"] == [{"source_call_id": "2.1", "content": "no", "extra": {"error": "error"}}]
    assert made["steps"][3]["metrics"]["prompt_tokens"] == 10
    assert made["steps"][1]["timestamp"] == "1970-01-01T00:00:06Z"
    assert [it["extra"]["reward"] for it in made["steps"] if it["source"] == "agent"] == [-0.1, 1.0, 0.0]
    assert made["final_metrics"]["total_steps"] == 5
    assert made["final_metrics"]["extra"]["reward"] == pytest.approx(11.9)


def test_a_refusal_of_tools_earns_nothing_and_takes_no_reward():
    run = history("q", Replied(Reply("", finish=NO_TOOLS)), Misread(NO_TOOLS), *did(2, "add", "2", a=1), Misread("no_step"), *end("2"))
    steps = [it for it in trajectory(run)["steps"] if it["source"] == "agent"]
    assert [it.get("extra", {}).get("reward") for it in steps] == [None, 1.0, -0.1, 0.0]


def test_a_card_in_both_languages():
    made = export([graded("t", True, *GOOD, kind="sum"), graded("t", False, *BAD, kind="sum")], Wish("sft"), sources=["runs.db"], day="2026-11-30")
    text = card(made.made, made.runs)
    for row in ("| lines | 2 |", "| made from | runs.db |", "| graded | right 1, wrong 1, not graded 0 |", "| 行数 | 2 |", "| 各工具调用次数 | add (3) |", "| kinds of tasks | sum (2) |"):
        assert row in text
    assert text.startswith("---\nlanguage:\n- en\n")


def test_a_log_of_inspect(some):
    made = log({"model": "openai/x", "tasks": "abc", "max_steps": 8}, some, "tasks")
    assert made["results"]["scores"][0]["metrics"]["accuracy"]["value"] == pytest.approx(2 / 3)
    first = made["samples"][0]
    assert (first["id"], first["epoch"], first["scores"]["tao"]["value"]) == ("t1", 1, "C")
    assert first["messages"][1]["tool_calls"][0]["arguments"] == {"a": 1, "b": 1}
    assert first["model_usage"]["openai/x"] == {"input_tokens": 110, "output_tokens": 30, "total_tokens": 280, "input_tokens_cache_read": 140}
    json.dumps(made)


def test_a_log_tells_evaluations_apart_and_what_happened(some):
    made, other = (log({"model": model, "tasks": "abc"}, some, "a_b 任务") for model in ("openai/x", "openai/y"))
    assert made["eval"]["task_id"] == other["eval"]["task_id"]
    assert made["eval"]["eval_id"] != other["eval"]["eval_id"]
    assert file_name(made).endswith(f"+00-00_a-b-任务_{made['eval']['eval_id']}.json")
    assert [it["event"] for it in made["samples"][1]["events"]] == ["model", "info", "model", "tool", "model"]
    assert made["samples"][1]["events"][3]["arguments"] == {"a": 2, "b": 3}
    failed = log({}, [replace(some[0], reason="failed", why="no network")], "t")
    assert failed["samples"][0]["error"]["message"] == "no network"
    assert failed["results"]["completed_samples"] == 0


PICTURES = (Image("image/gif", "R0lGODlh"), Image(url="https://example.com/a.jpg?sign=1"), Image(url="https://example.com/b"))


def test_pictures_stay_with_their_question():
    asked = Asked("What?", (), images=PICTURES, instructions="Look.", history=(
        Message("user", "hi"), Message("assistant", "", (ToolCall("see", "none", "c1"),)), Message("tool", "fog", call_id="c1"), Message("assistant", "fog"),
    ))  # fmt: skip
    run = Run("r", [asked, *end("a cat")])
    (question,) = [it for it in chat(run)["messages"] if isinstance(it["content"], list)]
    assert [part["type"] for part in question["content"]] == ["image_url"] * 3 + ["text"]
    assert question["content"][0]["image_url"]["url"] == "data:image/gif;base64,R0lGODlh"
    steps = trajectory(run)["steps"]
    assert [(it["step_id"], it["source"], it.get("is_copied_context")) for it in steps] == [
        (1, "system", None), (2, "user", True), (3, "agent", True), (4, "agent", True), (5, "user", None), (6, "agent", None),
    ]  # fmt: skip
    assert steps[2]["tool_calls"] == [{"tool_call_id": "c1", "function_name": "see", "arguments": {"text": "none"}}]
    assert steps[2]["observation"]["results"] == [{"source_call_id": "c1", "content": "fog"}]
    assert [part["source"]["media_type"] for part in steps[4]["message"][:3]] == ["image/gif", "image/jpeg", "image/png"]
    assert steps[4]["message"][3] == {"type": "text", "text": "What?"}


def test_arguments_are_strict_json():
    run = history("q", *did(1, "add", "nan", a=math.nan, b=2**70), *end("2"))
    (line,) = export([Recorded(run, "t")], Wish("sft")).lines
    assert line["messages"][1]["tool_calls"][0]["function"]["arguments"] == f'{{"a": null, "b": {2**70}}}'


def test_an_empty_answer_teaches_nothing():
    runs = [graded("t", True, *end(" ")), graded("t", False, *end("9"))]
    assert [line["messages"][-1]["content"] for line in export(runs, Wish("sft")).lines] == ["9"]
    assert export(runs, Wish("dpo")).lines == ()


def test_parameters_are_always_an_object():
    run = Run("r", [Asked("q", (ToolSpec("now", "The time.", {}),)), *end("x")])
    assert chat(run)["tools"][0]["function"]["parameters"] == {"type": "object", "properties": {}}


def test_lines_with_columns_of_their_own_come_first_in_large_files():
    """`datasets` reads the columns off the beginning of a file."""
    plain, more, other = {"a": 1, "b": None}, {"a": 2, "b": [{"c": "x"}]}, {"a": "3", "b": []}
    assert columns_first([plain, plain, more, plain, other, more]) == [0, 2, 4, 1, 3, 5]
    events = [{"run": run, "seq": seq, **body} for run, body in (("r", {}), ("s", {}), ("t", {"x": 1})) for seq in range(2)]
    assert columns_first(events) == [0, 1, 4, 5, 2, 3]
    large = {"a": 4, "b": None, "long": "x" * (BLOCK // 2)}
    assert [json.loads(line)["a"] for line in text([large, large, more]).splitlines()] == [4, 2, 4]
    assert [json.loads(line)["a"] for line in text([large, plain, more]).splitlines()] == [4, 1, 2]
    chinese = {"a": 5, "b": None, "long": "长" * (BLOCK // 6)}
    assert [json.loads(line)["a"] for line in text([chinese, chinese, chinese, more]).splitlines()] == [5, 2, 5, 5]
