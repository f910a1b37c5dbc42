"""`tao eval`: tasks against a scripted provider."""

import json
import signal
import time

import pytest

CALC = 'Thought: sum.\nAction: calculator\nAction Input: {"expression": "6*7"}'
TASKS = [
    {"id": "a", "question": "What is 6*7?", "answer": 42, "grader": "number", "kind": "sum"},
    {"id": "b", "question": "Which city?", "answer": "Paris|巴黎", "grader": "contains", "kind": "place"},
    {"id": "c", "question": "哪座城市？", "answer": "罗马", "grader": "exact", "kind": "place"},
]


@pytest.fixture
def tasks(tao):
    (tao.home / "tasks.jsonl").write_text("\n".join(json.dumps(task, ensure_ascii=False) for task in TASKS), encoding="utf-8")
    return tao.home / "tasks.jsonl"


def outcomes(path):
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    assert json.loads(head)["tao_eval"] == 1
    return [json.loads(line) for line in lines]


def test_tasks_are_graded_and_counted(tao, server, tasks):
    server.will(CALC, "Final Answer: It is 42.", "Final Answer: Paris, of course", "Final Answer: 巴黎")
    done = tao("eval", tasks)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == "2/3"
    assert any(line.startswith("c ") and "罗马" in line and "巴黎" in line for line in lines)
    assert [line.split()[:2] for line in lines if line.startswith(("sum", "place", "all"))] == [["place", "1/2"], ["sum", "1/1"], ["all", "2/3"]]
    found = outcomes(next(tao.home.glob("tasks-http-127.0.0.1-*-v1-scripted.results.jsonl")))
    assert [(it["task"], it["right"], it["calls"], it["acts"]) for it in found] == [("a", True, 2, 1), ("b", True, 1, 0), ("c", False, 1, 0)]
    assert found[0]["events"][0]["question"] == "What is 6*7?"
    assert "3/3 c WRONG" in done.stderr
    assert "left" in done.stderr


@pytest.mark.parametrize(("lang", "whys"), [("en", ["the last number is 41", "limit of steps", "no answer"]), ("zh", ["最后的数字是 41", "达到步数上限", "没有回答"])])
def test_why_an_answer_is_not_right_is_said_in_the_readers_language(tao, server, lang, whys):
    tasks = [
        {"id": "a", "question": "What is 6*7?", "answer": 42, "grader": "number"}, {"id": "b", "question": "Which city?", "answer": "Rome"},
        {"id": "c", "question": "哪座城市？", "answer": "罗马"},
    ]  # fmt: skip
    (tao.home / "t.jsonl").write_text("\n".join(json.dumps(task, ensure_ascii=False) for task in tasks), encoding="utf-8")
    server.will("Final Answer: 41", CALC, "Final Answer: Paris", *["Thought: hm"] * 4)
    done = tao("--lang", lang, "eval", "t.jsonl", "--max-steps", "2", "--out", "r.jsonl")
    assert done.returncode == 0, done.stderr
    shown = done.stdout.splitlines()[1:4]
    assert [why for why, line in zip(whys, shown, strict=True) if why in line] == whys, done.stdout
    html = (tao.home / "r.html").read_text(encoding="utf-8")
    assert '<span class="en">the last number is 41</span><span class="zh">最后的数字是 41</span>' in html
    assert '<span class="en">ended: limit of steps</span><span class="zh">结束原因：达到步数上限</span>' in html


def test_ctrl_c_says_how_to_go_on(tao, server, tasks):
    server.will("Final Answer: 42", "Final Answer: never heard", "Final Answer: Paris", "Final Answer: 罗马")
    server.on_request = lambda number: setattr(server, "pause", 0.0 if number == 1 else 5.0)
    process = tao.start("eval", tasks, "--out", "r.jsonl")
    until = time.monotonic() + 30
    while len(server.bodies) < 2:
        assert time.monotonic() < until
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    server.pause, server.on_request = 0.0, lambda _: None
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "1 rollout kept in r.jsonl; the same command goes on from there" in err
    assert tao("eval", tasks, "--out", "r.jsonl").stdout.endswith("3/3\n")


def test_it_goes_on_where_it_was_killed(tao, server, tasks):
    server.will("Final Answer: 42")
    assert tao("eval", tasks, "--out", "r.jsonl").stdout.splitlines()[-1] == "1/3"
    path = tao.home / "r.jsonl"
    path.write_text("\n".join(path.read_text(encoding="utf-8").splitlines()[:2]) + '\n{"task": "b", "roll', encoding="utf-8")
    server.will("Final Answer: Paris")
    done = tao("eval", tasks, "--out", "r.jsonl", "--jobs", "4")
    assert (done.stdout.splitlines()[-1], len(server.bodies)) == ("2/3", 2)
    again = tao("eval", tasks, "--out", "r.jsonl", "--rollouts", "2")
    assert again.stdout.splitlines()[-1] == "3/6"
    assert len(server.bodies) == 5


@pytest.mark.parametrize("cut", [1, -30, -1, 0])
def test_it_goes_on_wherever_the_last_line_was_cut_off(tao, server, cut):
    """Within a character, too; what was cut off is not left between the others."""
    tasks = "".join(json.dumps({"id": f"题{n}", "question": "?", "answer": "好"}, ensure_ascii=False) + "\n" for n in range(3))
    (tao.home / "t.jsonl").write_text(tasks, encoding="utf-8")
    server.will(*["Final Answer: 好"] * 3)
    tao("eval", "t.jsonl", "--out", "r.jsonl")
    path = tao.home / "r.jsonl"
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex("题".encode()) + cut] if cut > 0 else data[: len(data) + cut])
    assert tao("export", "r.jsonl").returncode == 0
    server.bodies.clear()
    server.will(*["Final Answer: 好"] * 3)
    done = tao("eval", "t.jsonl", "--out", "r.jsonl")
    assert (done.returncode, done.stdout.splitlines()[-1], len(server.bodies)) == (0, "3/3", int(cut not in {0, -1})), done.stderr
    assert [it["task"] for it in outcomes(path)] == ["题0", "题1", "题2"]
    assert tao("export", "r.jsonl").returncode == 0


def test_it_goes_on_after_a_kill(tao, server):
    (tao.home / "t.jsonl").write_text("".join(json.dumps({"id": n, "question": f"{n}?", "answer": "yes"}) + "\n" for n in range(12)))
    server.will("Final Answer: yes")
    server.pause = 0.05
    process = tao.start("eval", "t.jsonl", "--out", "r.jsonl")
    for line in process.stderr:
        if line.startswith("3/12"):
            break
    assert "another `tao eval` writes to r.jsonl" in tao("eval", "t.jsonl", "--out", "r.jsonl").stderr
    process.kill()
    process.communicate()
    server.pause = 0.0
    kept, before = len(outcomes(tao.home / "r.jsonl")), len(server.bodies)
    done = tao("eval", "t.jsonl", "--out", "r.jsonl")
    assert done.stdout.splitlines()[-1] == "12/12"
    assert kept >= 3
    assert len(server.bodies) - before == 12 - kept
    assert sorted(int(it["task"]) for it in outcomes(tao.home / "r.jsonl")) == list(range(12))


def test_results_of_other_settings_are_not_mixed(tao, server, tasks):
    tao("eval", tasks, "--out", "r.jsonl")
    done = tao("eval", tasks, "--out", "r.jsonl", "--max-steps", "3")
    assert done.returncode == 2
    assert "holds results of something else (max_steps: 8 → 3)" in done.stderr
    assert "结果来自不同的设置" in tao("--lang", "zh", "eval", tasks, "--out", "r.jsonl", "--max-steps", "3").stderr
    (tao.home / "tao.toml").write_text("reflect = 2\n[calls]\nattempts = 1\nrates_in = 'redis://:secret@host'\n")
    other = tao("eval", tasks, "--out", "r.jsonl").stderr
    assert "(settings: None → {'reflect': 2, 'calls': {'attempts': 1}})" in " ".join(other.split())


def test_a_file_without_results_is_begun_anew(tao, server, tasks):
    whole = tasks.read_text(encoding="utf-8")
    tasks.write_text(whole.replace('"number"', '"numbers"'), encoding="utf-8")
    assert "unknown grader 'numbers'" in tao("eval", tasks, "--out", "r.jsonl").stderr
    tasks.write_text(whole, encoding="utf-8")
    server.will("Final Answer: 42")
    assert tao("eval", tasks, "--out", "r.jsonl").stdout.splitlines()[-1] == "1/3"


def test_a_place_that_cannot_be_written_is_said(tao, server, tasks):
    server.will("Final Answer: 42")
    (tao.home / "here").mkdir()
    for more in (["--out", "here"], ["--out", "r.jsonl", "--report", "here"], ["--out", "r.jsonl", "--inspect", "tasks.jsonl/x.json"]):
        done = tao("eval", tasks, *more)
        assert (done.returncode, "cannot write" in done.stderr) == (2, True), done.stderr
    assert "无法写入 here" in tao("--lang", "zh", "export", "r.jsonl", "--out", "here").stderr
    assert tao("eval", tasks, "--out", "r.jsonl", "--report", "new/r.html").returncode == 0


def test_half_a_surrogate_pair_is_written_and_read_back(tao, server):
    (tao.home / "t.jsonl").write_text('{"id": "a\\ud83d", "question": "Say it.", "answer": "x"}\n')
    server.will("Final Answer: y")
    done = tao("eval", "t.jsonl", "--out", "r.jsonl", "--inspect", "log.json")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "0/1"), done.stderr
    assert outcomes(tao.home / "r.jsonl")[0]["task"] == "a\ud83d"
    assert tao("eval", "t.jsonl", "--out", "r.jsonl").stdout.splitlines()[-1] == "0/1"
    assert tao("export", "r.jsonl", "--out", "x.jsonl").returncode == 0


def test_names_are_shown_as_they_are(tao, server):
    """Square brackets are no markup, a terminal is given nothing to obey, and a long name leaves room for the rest."""
    tasks = [{"id": name, "question": "?", "answer": "[/x]", "kind": kind} for name, kind in (("[/]", "[red]"), ("[bold]b[/bold]", "[/k]"), ("long " * 40, ""), ("\x1b[2Jd", "\x1b]0;k\x07"))]
    (tao.home / "t.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    server.will("Final Answer: [/y]", "Final Answer: [bold]no[/bold]", "Final Answer: z", "Final Answer: \x1b[31mz")
    done = tao("eval", "t.jsonl", "--out", "r.jsonl")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "0/4"), done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    for part in ("[/] ", "[bold]b[/bold]", "[red]", "[/k]", "[/x]", "[bold]no[/bold]"):
        assert part in done.stdout
    assert "1/4 [/] WRONG" in done.stderr


def test_a_run_that_failed_is_tried_again(tao, server, tasks):
    assert tao("eval", tasks, "--out", "r.jsonl", "--ids", "a").stdout.splitlines()[-1] == "0/1"
    path = tao.home / "r.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"reason": "answered"', '"reason": "failed"'), encoding="utf-8")
    server.will("Final Answer: 42")
    assert tao("eval", tasks, "--out", "r.jsonl", "--ids", "a").stdout.splitlines()[-1] == "1/1"


def test_too_low_a_rate_fails(tao, server, tasks):
    server.will("Final Answer: 42")
    done = tao("eval", tasks, "--fail-under", "0.5")
    assert done.returncode == 1
    assert "33.3% is less than 50.0%" in done.stderr
    assert tao("eval", tasks, "--fail-under", "0.3").returncode == 0


def test_figures_as_json(tao, server, tasks):
    server.will("Final Answer: 42")
    done = tao("eval", tasks, "--json", "--price", "1,2")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["kind"], row["right"]) for row in rows] == [("place", 0), ("sum", 1), ("", 1)]
    assert rows[-1]["cost"] == pytest.approx(64e-6)


def test_two_files_beside_each_other(tao, server, tasks):
    server.will("Final Answer: 42")
    tao("eval", tasks, "--out", "old.jsonl")
    server.will("Final Answer: 42", "Final Answer: Paris", "Final Answer: 罗马")
    tao("eval", tasks, "--out", "new.jsonl")
    done = tao("eval", "--compare", "old.jsonl", "new.jsonl")
    assert done.returncode == 0, done.stderr
    assert "Better in 2, worse in 0; p = 0.5" in done.stdout
    assert "better: b c" in done.stdout
    assert json.loads(tao("eval", "--compare", "old.jsonl", "new.jsonl", "--json").stdout)["better"] == ["b", "c"]


def test_tools_of_a_factory_are_new_for_each_rollout(tao, server):
    (tao.home / "tools.py").write_text(
        "def make():\n    seen = []\n    def press() -> int:\n        '''Press the button; says how often it was pressed.'''\n"
        "        seen.append(1)\n        return len(seen)\n    return [press]\n"
    )
    (tao.home / "t.jsonl").write_text('{"id": "x", "question": "Press.", "answer": 1, "grader": "number"}\n')
    server.will(*["Thought: p\nAction: press\nAction Input: {}", "Final Answer: 1"] * 3)
    tao("eval", "t.jsonl", "--tools", "tools.py:make", "-k", "3", "--out", "r.jsonl")
    seen = [event["observation"]["text"] for it in outcomes(tao.home / "r.jsonl") for event in it["events"] if event["kind"] == "observed"]
    assert seen == ["1", "1", "1"]


def test_tools_of_a_factory_are_held_by_the_same_settings(tao, server):
    (tao.home / "tools.py").write_text("def make():\n    def press(times: int) -> str:\n        'Press the button.'\n        return 'x' * times\n    return [press]\n")
    (tao.home / "tao.toml").write_text('[[permissions.rules]]\ndeny = "press"\n')
    (tao.home / "t.jsonl").write_text('{"id": "x", "question": "Press.", "answer": 1, "grader": "number"}\n')
    server.will('Thought: p\nAction: press\nAction Input: {"times": 2}', "Final Answer: 1")
    done = tao("eval", "t.jsonl", "--tools", "tools.py:make", "--out", "r.jsonl")
    assert done.returncode == 0, done.stderr
    seen = [event["observation"] for it in outcomes(tao.home / "r.jsonl") for event in it["events"] if event["kind"] == "observed"]
    assert [(it["ok"], it["kind"]) for it in seen] == [(False, "denied")]


def test_a_function_and_a_judge_grade(tao, server):
    (tao.home / "graders.py").write_text("def near(task, answer):\n    return (abs(float(answer) - task['answer']) < 2, 'near enough')\n")
    tasks = [
        {"id": "f", "question": "How many?", "answer": 10, "grader": {"type": "python", "function": "graders.py:near"}},
        {"id": "j", "question": "Why?", "answer": "because", "grader": "judge"},
    ]
    (tao.home / "t.jsonl").write_text("\n".join(map(json.dumps, tasks)))
    refused = tao("eval", "t.jsonl")
    assert refused.returncode == 2
    assert "task j wants a judge; name its model with --judge" in refused.stderr
    server.will("Final Answer: 11", "Final Answer: just so", '{"why": "It says so.", "right": true}')
    done = tao("eval", "t.jsonl", "--judge", server.model, "--out", "r.jsonl")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "2/2"
    assert [it["why"] for it in outcomes(tao.home / "r.jsonl")] == ["near enough", "It says so."]


@pytest.mark.parametrize(("arguments", "said"), [
    ([], "give a file of tasks"),
    (["nowhere.jsonl"], "cannot read the tasks in nowhere.jsonl"),
    (["tasks.jsonl", "--ids", "z"], "has no task z"),
    (["tasks.jsonl", "--ids", "a,y,z"], "has no task y, z"),
    (["tasks.jsonl", "--price", "cheap"], "--price is 'cheap'; wanted: dollars"),
    (["tasks.jsonl", "--price", "nan,-1"], "--price is 'nan,-1'; wanted: dollars"),
    (["--compare", "tasks.jsonl", "tasks.jsonl"], "is no file of results"),
    (["--compare", "nowhere.jsonl", "tasks.jsonl"], "cannot read the results in nowhere.jsonl: No such file or directory\n"),
])  # fmt: skip
def test_what_cannot_be_measured_is_said(tao, tasks, arguments, said):
    done = tao("eval", *arguments)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


# ── again ─────────────────────────────────────────────────────────────────────


def test_recorded_decisions_are_made_again(tao, server, tasks):
    server.will(CALC, "Final Answer: It is 42.", "Final Answer: Paris", "Final Answer: 罗马")
    tao("eval", tasks, "--out", "r.jsonl")
    server.bodies.clear()
    done = tao("eval", "--replay", "r.jsonl")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "3 runs, 7 decisions, 4 prompts: 0 other decisions in 0 runs, 0 prompts in other words\n"
    assert server.bodies == []
    path = tao.home / "r.jsonl"
    text = path.read_text(encoding="utf-8").replace('"prompt": "', '"prompt": "f').replace('"answer": "罗马"}', '"answer": "那不勒斯"}')
    path.write_text(text, encoding="utf-8")
    done = tao("eval", "--replay", "r.jsonl")
    assert done.returncode == 1
    assert "1 other decision in 1 run, 4 prompts in other words" in " ".join(done.stdout.split())
    assert "那不勒斯" in done.stdout
    records = [json.loads(line) for line in tao("eval", "--replay", "r.jsonl", "--json").stdout.splitlines()]
    assert len(records) == 5
    assert {record["task"] for record in records if record["now"]["kind"] == "decided"} == {"c"}


def test_what_differs_in_a_decision_that_does_the_same_is_shown(tao, server):
    server.will(CALC, "Final Answer: It is 42.")
    events = tao("ask", "What is 6*7?", "--json").stdout
    (tao.home / "events.jsonl").write_text(events.replace('"kind": "ended",', '"kind": "ended", "detail": "all well",'), encoding="utf-8")
    done = tao("eval", "--replay", "events.jsonl")
    assert done.returncode == 1
    assert "detail: all well" in " ".join(done.stdout.split())


def test_more_than_one_place_is_refused_rather_than_left_out(tao, tasks):
    done = tao("eval", "--replay", "a.jsonl", "b.jsonl")
    assert done.returncode == 2
    assert "so b.jsonl would be left out; a folder, or a pattern in quotes, reads many" in done.stderr


def test_runs_of_the_journal_and_of_event_files_are_made_again(tao, server):
    server.will(CALC, "Final Answer: It is 42.")
    events = tao("ask", "What is 6*7?", "--json").stdout
    (tao.home / "events.jsonl").write_text(events, encoding="utf-8")
    for where in (tao.journal, "events.jsonl"):
        done = tao("eval", "--replay", where)
        assert (done.returncode, done.stdout.split(":")[0]) == (0, "1 run, 3 decisions, 2 prompts"), done.stderr
    assert "there is no run in" in tao("eval", "--replay", "/dev/null").stderr


def test_a_run_goes_on_from_a_step(tao, server):
    server.will(CALC, "Final Answer: It is 41.")
    tao("ask", "What is 6*7?")
    (tao.home / "prompt.txt").write_text("\ufeffAnswer with the number alone.\r\n", encoding="utf-8")
    (tao.home / "other.txt").write_bytes("答".encode("gbk"))
    assert "cannot read the prompt other.txt: it is not UTF-8 text" in tao("replay", "--from", "2", "--prompt", "other.txt").stderr
    server.will("Final Answer: 42")
    done = tao("replay", "--from", "2", "--prompt", "prompt.txt")
    assert done.returncode == 0, done.stderr
    assert "42" in done.stdout
    assert len(server.bodies) == 1
    assert "Answer with the number alone." in json.dumps(server.bodies[0])
    assert "\ufeff" not in json.dumps(server.bodies[0], ensure_ascii=False)
    assert "They part at step 2: the decision." in done.stderr
    new, old = (line.split()[0] for line in tao("runs").stdout.splitlines()[1:3])
    kinds = [json.loads(line)["kind"] for line in tao("show", new, "--json").stdout.splitlines()]
    assert kinds == ["asked", "replied", "decided", "observed", "replied", "decided", "ended"]
    shown = tao("compare", old, new)
    assert (shown.returncode, shown.stdout.splitlines()[-1]) == (0, "They part at step 2: the decision.")
    assert json.loads(tao("compare", old, old, "--json").stdout)["what"] == ""
    assert "0 other decisions in 0 runs, 0 prompts in other words" in " ".join(tao("eval", "--replay", tao.journal).stdout.split())
    assert tao("replay", new).returncode == 0


def test_a_run_whose_tools_are_not_here_does_not_go_on(tao, server):
    (tao.home / "own.py").write_text('from tao import tool\n\n\n@tool\ndef look(what: str) -> str:\n    """Look."""\n    return what\n')
    (tao.home / "other.py").write_text('from tao import tool\n\n\n@tool\ndef peek(what: str) -> str:\n    """Peek."""\n    return what\n')
    server.will("Final Answer: It is 41.")
    tao("ask", "What is 6*7?", "--tools", "own.py")
    server.will("Final Answer: 42", "Final Answer: 42")
    done = tao("replay", "--from", "1")
    assert (done.returncode, len(server.bodies)) == (2, 0)
    assert "the run was asked with tools that are not here: look. Give them as then (--tools" in done.stderr
    assert "这里：look" in tao("replay", "--from", "1", LANG="zh_CN.UTF-8").stderr
    old = tao("runs").stdout.splitlines()[1].split()[0]
    assert tao("replay", old, "--from", "1", "--tools", "own.py").returncode == 0
    assert "look(what" in json.dumps(server.bodies[-1])
    assert tao("replay", old, "--from", "1", "--tools", "other.py").returncode == 0
    assert "peek(what" in json.dumps(server.bodies[-1])
    assert "look(what" not in json.dumps(server.bodies[-1])


def test_a_run_of_a_dialect_of_its_own_is_left_out_and_said(tao, server):
    server.will("Final Answer: 42")
    events = tao("ask", "What is 6*7?", "--json").stdout
    ours = json.loads(events.splitlines()[0])["dialect"]
    mine = events.replace(f'"dialect": "{ours}"', '"dialect": "Mine"').replace('"run": "', '"run": "m')
    (tao.home / "events.jsonl").write_text(events + mine, encoding="utf-8")
    done = tao("eval", "--replay", "events.jsonl")
    assert done.returncode == 1
    assert done.stdout.startswith("1 run, ")
    assert "is left out: unknown dialect 'Mine'" in done.stderr


def test_another_model_goes_on(tao, server):
    server.will(CALC, "Final Answer: It is 41.")
    tao("ask", "What is 6*7?")
    server.will("Final Answer: 42")
    other = server.model.replace("#scripted", "#other")
    done = tao("replay", "--from", "1", "--model", other, "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["kind"] for event in events] == ["asked", "replied", "decided", "ended"]
    (tao.home / "events.jsonl").write_text(done.stdout, encoding="utf-8")
    assert tao("eval", "--replay", "events.jsonl").stdout.startswith("1 run, 2 decisions, 1 prompt: 0 other decisions")
    assert server.bodies[-1]["model"] == "other"
    assert "has no step 3; it has steps 1 to 1" in tao("replay", "--from", "3").stderr
    assert "need --from STEP" in tao("replay", "--model", other).stderr
