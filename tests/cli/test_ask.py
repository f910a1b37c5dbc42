import json
import signal
import sqlite3
import time
from contextlib import closing

import pytest

CALLS = 'Thought: I need the sum.\nAction: calculator\nAction Input: {"expression": "17*23+5"}'
ANSWERS = "Thought: I have it.\nFinal Answer: It is **396**."


def test_the_steps_and_the_answer_are_shown_in_a_pipe_as_labelled_lines(tao, server):
    server.will(CALLS, ANSWERS)
    done = tao("ask", "What is 17*23+5?")
    assert done.stdout.split("\n") == [
        "Thought: I need the sum.", "Action: calculator", 'Action Input: {"expression": "17*23+5"}', "Observation: 396",
        "Thought: I have it.", "Final Answer: It is **396**.", "",
    ]  # fmt: skip
    assert "\x1b" not in done.stdout + done.stderr
    assert "2 steps · 80 + 24 tokens" in done.stderr
    assert done.returncode == 0


def test_labels_are_in_the_questions_language(tao, server):
    server.will('思考：要算。\n行动：calculator\n行动输入：{"expression": "1+1"}', "最终答案：等于 2")
    done = tao("ask", "一加一等于几？")
    assert done.stdout.split("\n")[1:] == ["行动: calculator", '行动输入: {"expression": "1+1"}', "观察: 2", "最终答案: 等于 2", ""]
    assert done.returncode == 0


def test_quiet_prints_the_answer_alone(tao, server):
    server.will(CALLS, ANSWERS)
    done = tao("ask", "What is 17*23+5?", "--quiet")
    assert (done.stdout, done.stderr, done.returncode) == ("It is **396**.\n", "", 0)


def test_json_prints_the_journals_events_one_a_line(tao, server):
    server.will(CALLS, ANSWERS)
    done = tao("ask", "算一下 17*23+5", "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["kind"] for event in events] == ["asked", "replied", "decided", "observed", "replied", "decided", "ended"]
    assert [event["seq"] for event in events] == list(range(7))
    assert "算一下" in done.stdout
    with closing(sqlite3.connect(tao.journal)) as journal:
        kept = [json.loads(text) for (text,) in journal.execute("SELECT json FROM events ORDER BY seq")]
    assert [{name: value for name, value in event.items() if name not in {"run", "seq"}} for event in events] == kept


def test_the_question_may_come_from_standard_input(tao, server):
    assert tao("ask", "-", "-q", stdin="What is it?\n").stdout == "ok\n"
    assert "What is it?" in server.bodies[0]["messages"][-1]["content"]


@pytest.mark.parametrize(("replies", "options", "code", "said"), [
    ([CALLS], ["--max-steps", "2"], 3, "Note: "),
    (["Final Answer: yes"], [], 0, "Final Answer: yes"),
], ids=["limit", "answered"])  # fmt: skip
def test_exit_codes_tell_how_it_ended(tao, server, replies, options, code, said):
    server.will(*replies)
    done = tao("ask", "Is it?", *options)
    assert done.returncode == code, done
    assert said in done.stdout


def test_a_model_that_cannot_be_reached_is_a_failure(tao):
    done = tao("ask", "Is it?", TAO_MODEL="http://127.0.0.1:9/v1#nobody")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "127.0.0.1:9" in done.stdout
    assert "Transient" not in done.stdout + done.stderr
    assert "What is wrong with it: tao doctor --model 'http://127.0.0.1:9/v1#nobody'" in done.stderr
    in_chinese = tao("ask", "Is it?", TAO_MODEL="http://127.0.0.1:9/v1#nobody", TAO_LANG="zh")
    assert "服务是否已启动" in in_chinese.stdout
    assert "cannot connect" not in in_chinese.stdout


@pytest.mark.parametrize(("args", "said"), [
    (["ask"], "Missing argument"),
    (["ask", " "], "the question is empty"),
    (["ask", "q", "--max-steps", "0"], "setting 'max_steps' is 0 (option --max-steps); wanted: 1 or more"),
    (["ask", "q", "--dialect", "klingon"], "wanted: one of 'auto', 'react'"),
    (["ask", "q", "--model", "nonsense"], "cannot tell what model 'nonsense' is"),
    (["ask", "q", "--model", "openai:gpt-5.5"], "set OPENAI_API_KEY"),
    (["ask", "q", "--tools", "none.py"], "there is no Python file none.py"),
    (["ask", "q", "--docs", "nowhere"], "nowhere"),
    (["aks", "q"], "Did you mean 'ask'?"),
], ids=lambda value: value if isinstance(value, str) else None)  # fmt: skip
def test_wrong_usage_exits_with_2_and_says_what_is_wanted(tao, args, said):
    done = tao(*args)
    assert done.returncode == 2, done
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_errors_are_said_in_the_language_of_the_command_line(tao):
    done = tao("ask", "q", "--max-steps", "0", TAO_LANG="zh")
    assert done.stderr.strip() == "错误: 设置 'max_steps' 的值为 0（选项 --max-steps）；应为：不小于 1"
    assert "wanted" in tao("ask", "q", "--max-steps", "0", "--lang", "en", TAO_LANG="zh").stderr


def test_a_journal_that_cannot_be_used_is_said_in_one_sentence(tao):
    tao.journal.write_text("no database at all " * 100)
    done = tao("ask", "q")
    assert done.returncode == 1
    assert "is not an SQLite database; move the file away" in done.stderr
    assert "Traceback" not in done.stderr


def test_tools_of_ones_own(tao, server):
    (tao.home / "mine.py").write_text(
        'def tools():\n    def shout(text: str) -> str:\n        "Shout."\n        return text.upper()\n    return [shout]\n'
    )
    server.will('Thought: t\nAction: shout\nAction Input: {"text": "hey"}', ANSWERS)
    assert "Observation: HEY" in tao("ask", "Shout!", "--tools", "mine.py:tools").stdout


def test_documents_of_ones_own(tao, server):
    (tao.home / "notes").mkdir()
    (tao.home / "notes" / "owls.md").write_text("The barn owl of Ziegenort is called Mathilde.\n")
    server.will('Thought: t\nAction: search\nAction Input: {"query": "barn owl Ziegenort"}', "Final Answer: Mathilde")
    assert "is called Mathilde" in tao("ask", "Who is the owl?", "--docs", "notes").stdout


# ── interrupted ───────────────────────────────────────────────────────────────


def wait_for(condition, seconds=30):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.02)


def test_ctrl_c_ends_a_run_cleanly_and_says_how_to_go_on(tao, server):
    server.will(CALLS, ANSWERS)
    server.on_request = lambda number: setattr(server, "pause", 0.0 if number == 1 else 5.0)
    process = tao.start("ask", "What is 17*23+5?")
    wait_for(lambda: len(server.bodies) == 2)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in err
    hint = next(line for line in err.splitlines() if "tao resume" in line)
    server.pause = 0.0
    server.on_request = lambda number: None
    run = hint.split("tao resume ")[1].split()[0]
    done = tao("resume", run)
    assert done.returncode == 0
    assert done.stdout.endswith("Final Answer: It is **396**.\n")
    assert len(server.bodies) == 3  # the first was answered, the second cut off, and only that asked again


@pytest.mark.parametrize("at", [1, 2])
def test_killed_while_the_model_answers_it_goes_on_and_asks_nothing_twice(tao, server, at):
    server.will(CALLS, ANSWERS)
    server.on_request = lambda number: setattr(server, "pause", 5.0 if number == at else 0.0)
    process = tao.start("ask", "What is 17*23+5?")
    wait_for(lambda: len(server.bodies) == at)
    process.kill()
    process.communicate()
    server.replies = server.replies[at - 1 :]
    server.bodies.clear()
    server.pause, server.on_request = 0.0, lambda number: None
    done = tao("resume")
    assert done.returncode == 0, done
    assert done.stdout.endswith("Final Answer: It is **396**.\n")
    assert len(server.bodies) == 3 - at
    assert tao("replay").returncode == 0
