import io
import json
import sqlite3
from contextlib import closing

import pytest

from tao.cli.runs import table
from tao.cli.screen import Screen
from tao.stores.reading import Listed

CALLS = 'Thought: I need the sum.\nAction: calculator\nAction Input: {"expression": "17*23+5"}'
ANSWERS = "Thought: I have it.\nFinal Answer: It is 396."


@pytest.fixture
def asked(tao, server):
    """One finished run; gives its id."""
    server.will(CALLS, ANSWERS)
    return json.loads(tao("ask", "What is 17*23+5?", "--json").stdout.splitlines()[0])["run"]


def change(tao, sql):
    with closing(sqlite3.connect(tao.journal)) as journal, journal:
        journal.execute(sql)


def test_an_empty_journal_says_what_to_do(tao):
    done = tao("runs")
    assert (done.stdout, done.returncode) == ("", 0)
    assert "`tao ask` makes one" in done.stderr
    assert tao("show").returncode == 1
    assert "there is no run in" in tao("show").stderr


def test_runs_lists_the_latest(tao, server, asked):
    server.will("Final Answer: 好的")
    tao("ask", "第二个问题？")
    lines = tao("runs").stdout.splitlines()
    assert lines[0].split() == ["run", "started", "state", "tokens", "question", "answer"]
    assert "第二个问题？" in lines[1]
    assert lines[2].startswith(asked[:8])
    assert "answered" in lines[2]
    assert len(tao("runs", "-n", "1").stdout.splitlines()) == 2
    record = json.loads(tao("runs", "--json").stdout.splitlines()[1])
    assert (record["id"], record["state"], record["tokens"], record["answer"]) == (asked, "ended", 104, "It is 396.")


def test_show_tells_the_whole_story(tao, asked):
    done = tao("show", asked[:5])
    assert done.stdout.split("\n") == [
        "Question: What is 17*23+5?", "Thought: I need the sum.", "Action: calculator", 'Action Input: {"expression": "17*23+5"}',
        "Observation: 396", "Thought: I have it.", "Final Answer: It is 396.", "",
    ]  # fmt: skip
    assert len(tao("show", "--json").stdout.splitlines()) == 7


def test_an_unknown_run_is_named(tao, asked):
    done = tao("show", "zzzz")
    assert done.returncode == 1
    assert f"no run 'zzzz' in journal {tao.journal}" in done.stderr


def test_resume_of_a_finished_run_says_so(tao, asked):
    done = tao("resume", asked)
    assert done.returncode == 0
    assert "has ended already" in done.stderr
    assert tao("resume").returncode == 1
    assert "there is no interrupted run" in tao("resume").stderr


def test_replay_finds_the_same_prompts_and_decisions_without_a_model(tao, server, asked):
    server.bodies.clear()
    done = tao("replay", TAO_MODEL="http://127.0.0.1:9/v1#nobody")
    assert done.returncode == 0
    assert done.stdout == f"Run {asked[:8]} replays exactly: 2 prompts and 7 events are the same, byte for byte.\n"
    assert server.bodies == []


def test_replay_says_where_the_record_differs(tao, asked):
    change(tao, "UPDATE events SET json = replace(json, '17*23+5', '17*23+6') WHERE seq = 2")
    done = tao("replay")
    assert done.returncode == 1
    assert "Event 2 differs." in done.stdout
    assert "17*23+6" in done.stdout.split("recorded:")[1].split("\n")[0]
    assert "17*23+5" in done.stdout.split("today:")[1]
    assert json.loads(tao("replay", "--json").stdout)["seq"] == 2


def test_replay_says_that_a_prompt_differs(tao, asked):
    change(tao, "UPDATE events SET json = replace(json, 'What is 17', 'Tell me 17') WHERE seq = 0")
    done = tao("replay")
    assert done.returncode == 1
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["Event 1", "Event 4"]
    assert "the prompt differs" in done.stdout


def test_a_journal_elsewhere(tao, server):
    server.will("Final Answer: 1")
    tao("ask", "q", "--journal", "other/x.db")
    assert len(tao("runs", "--journal", "other/x.db").stdout.splitlines()) == 2
    assert tao("runs").stdout == ""


def test_cancel_without_a_name_leaves_alone_what_may_be_going_on(tao, asked):
    change(tao, "DELETE FROM events WHERE seq > 4")
    done = tao("cancel")
    assert (done.returncode, done.stderr.split(":")[0]) == (2, f"run {asked[:8]} may be going on elsewhere")
    assert "可能正在另一个进程中继续" in tao("cancel", "--lang", "zh").stderr
    change(tao, "UPDATE events SET json = json_set(json, '$.at', 1.0)")
    assert tao("cancel").stderr == f"run {asked[:8]} is cancelled\n"


def test_cancel_ends_for_good_what_was_interrupted(tao, asked):
    change(tao, "DELETE FROM events WHERE seq > 4")
    done = tao("cancel", asked)
    assert (done.returncode, done.stderr) == (0, f"run {asked[:8]} is cancelled\n")
    assert json.loads(tao("show", "--json", asked).stdout.splitlines()[-1])["reason"] == "cancelled"
    assert "has ended already" in tao("cancel", asked).stderr
    assert "has ended already" in tao("resume", asked).stderr
    assert tao("replay", asked).returncode == 0


@pytest.mark.parametrize(("width", "columns"), [
    (34, "run state question"), (40, "run state question"), (50, "run started state question"), (60, "run started state tokens question"),
    (80, "run started state tokens question answer"),
])  # fmt: skip
def test_a_narrow_list_has_fewer_columns_and_always_the_question(width, columns):
    rows = [Listed("0123456789abcdef", "给订单7退款，要快", "m", "ended", 0.0, 1.0, reason, "好的", 12345, "zh") for reason in ("answered", "max_completion_tokens", "refused", "own")]
    screen = Screen(to=io.StringIO(), columns=width)
    screen.table(table(rows, width))
    head, *lines = screen.file.getvalue().splitlines()
    assert head.split() == columns.split()
    assert all("给订单" in line for line in lines)
    assert [word for word in ("answered", "limit", "refused", "own") for line in lines if f" {word} " in line] == ["answered", "limit", "refused", "own"]
