"""`tao export`: from the journal and from files."""

import json
import re

import pytest

CALC = 'Thought: sum.\nAction: calculator\nAction Input: {"expression": "6*7"}'


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def test_the_journal_as_chats_with_a_card(tao, server):
    server.will(CALC, "Thought: done.\nFinal Answer: It is 42; write to li.lei@example.com.")
    for _ in range(2):
        server.bodies.clear()
        assert tao("ask", "What is 6*7? Call me on 138 0013 8000.").returncode == 0
    done = tao("export", "--out", "data/sft.jsonl")
    assert done.returncode == 0, done.stderr
    assert "1 line from 2 runs (0 filtered, 1 double)" in done.stderr
    (chat,) = lines((tao.home / "data" / "sft.jsonl").read_text(encoding="utf-8"))
    assert [message["role"] for message in chat["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert chat["messages"][0]["content"] == "What is 6*7? Call me on <PHONE_1>."
    assert chat["messages"][-1]["content"].endswith("write to <EMAIL_1>.")
    assert "calculator" in [tool["function"]["name"] for tool in chat["tools"]]
    card = (tao.home / "data" / "sft.card.md").read_text(encoding="utf-8")
    assert "| private things taken out | EMAIL 1, PHONE 1 |" in card
    assert "# 数据卡" in card
    assert '\n- config_name: default\n  data_files: "sft.jsonl"\n' in card
    assert json.loads((tao.home / "data" / "sft.card.json").read_text(encoding="utf-8"))["lines"] == 1
    kept = lines(tao("export", "--private", "--doubles").stdout)
    assert len(kept) == 2
    assert "138 0013 8000" in kept[0]["messages"][0]["content"]


def test_results_as_pairs_trajectories_and_events(tao, server):
    (tao.home / "t.jsonl").write_text('{"id": "x", "question": "What is 6*7?", "answer": 42, "grader": "number"}\n')
    server.will(CALC, "Final Answer: 42", "Final Answer: 41")
    tao("eval", "t.jsonl", "-k", "2", "--out", "r.jsonl", "--inspect", "i.json")
    assert json.loads((tao.home / "i.json").read_text(encoding="utf-8"))["results"]["total_samples"] == 2
    (tao.home / "logs").mkdir()
    tao("eval", "t.jsonl", "-k", "2", "--out", "r.jsonl", "--inspect", "logs")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\+00-00_t_[0-9a-f]{22}\.json", next((tao.home / "logs").iterdir()).name)
    (pair,) = lines(tao("export", "r.jsonl", "--to", "dpo").stdout)
    assert [message["role"] for message in pair["prompt"]] == ["user"]
    assert (pair["chosen"][-1]["content"], pair["rejected"][-1]["content"]) == ("42", "41")
    assert (pair["metadata"]["chosen"]["right"], pair["metadata"]["rejected"]["right"]) == (True, False)
    assert len(lines(tao("export", "r.jsonl", "--to", "sft", "--right").stdout)) == 1
    assert len(lines(tao("export", "r.jsonl", "--to", "sft", "--steps", "1").stdout)) == 1
    worth = [it["final_metrics"]["extra"]["reward"] for it in lines(tao("export", "r.jsonl", "--to", "atif").stdout)]
    assert worth == [12.0, 0.0]
    changed = lines(tao("export", "r.jsonl", "--to", "atif", "--rewards", "valid=2,done=5,score=0").stdout)
    assert changed[0]["final_metrics"]["extra"]["reward"] == 7.0
    (tao.home / "e.jsonl").write_text(tao("export", "r.jsonl", "--to", "events").stdout, encoding="utf-8")
    assert tao("eval", "--replay", "e.jsonl").returncode == 0


@pytest.mark.parametrize(("arguments", "said"), [
    (["--to", "csv"], "there is no form 'csv'; there are: sft, dpo, atif, events"),
    (["--rewards", "valid=much"], "rewards are 'valid=much'; wanted: valid=1"),
    (["--rewards", "speed=1"], "rewards are 'speed=1'; wanted: valid=1"),
    (["nowhere.jsonl"], "cannot read runs from nowhere.jsonl"),
])  # fmt: skip
def test_what_cannot_be_exported_is_said(tao, arguments, said):
    done = tao("export", *arguments)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_nothing_left_is_a_failure(tao, server):
    server.will("Final Answer: 42")
    tao("ask", "What?")
    done = tao("export", "--right", "--out", "x.jsonl")
    assert (done.returncode, "Nothing is left to export." in done.stderr) == (1, True)
    assert not (tao.home / "x.jsonl").exists()
