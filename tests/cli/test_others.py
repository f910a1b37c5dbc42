"""`tao run`, `tao chat`, `tao tools`, `tao model`, `tao doctor`, `tao corpus run`."""

import json

import pytest

ANSWERS = "Final Answer: It is so."


# ── run ───────────────────────────────────────────────────────────────────────


def test_run_answers_every_question_of_a_file(tao, server):
    server.will(ANSWERS)
    (tao.home / "q.txt").write_text('One?\n\n二？\n{"id": "third", "question": "Three?", "target": "3"}\n', encoding="utf-8")
    done = tao("run", "q.txt")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(record["id"], record["question"]) for record in records] == [("1", "One?"), ("3", "二？"), ("third", "Three?")]
    assert records[2]["target"] == "3"
    assert {(record["answer"], record["reason"], record["steps"]) for record in records} == {("It is so.", "answered", 1)}
    assert done.returncode == 0
    assert len(tao("runs").stdout.splitlines()) == 4


def test_run_goes_on_where_its_output_ends(tao, server):
    server.will(ANSWERS)
    (tao.home / "q.txt").write_text("One?\nTwo?\nThree?\n")
    (tao.home / "out.jsonl").write_bytes('{"id": "1", "answer": "known"}\n{"id": "2", "answer": "好'.encode()[:-1])  # killed within a character
    done = tao("run", "q.txt", "--out", "out.jsonl", "--jobs", "3")
    assert (done.stdout, done.returncode) == ("", 0)
    lines = (tao.home / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert sorted(json.loads(line)["id"] for line in lines) == ["1", "2", "3"]
    assert len(server.bodies) == 2


def test_half_a_surrogate_pair_stops_no_file_of_questions(tao, server):
    server.will("Final Answer: \ud83d")
    (tao.home / "q.jsonl").write_text('{"question": "Say \\ud83d."}\n"Two?"\n')
    for form in ((), ("--json",)):
        done = tao("run", "q.jsonl", "--out", "out.jsonl", *form)
        assert (done.returncode, done.stderr.count("Traceback")) == (0, 0), done.stderr


def test_run_exits_with_the_worst(tao, server):
    server.will('Thought: hm.\nAction: calculator\nAction Input: {"expression": "1"}')  # fmt: skip
    assert tao("run", "-", "--max-steps", "1", stdin="One?\n").returncode == 3
    assert tao("run", "-", stdin="One?\n", TAO_MODEL="http://127.0.0.1:9/v1#nobody").returncode == 1


def test_run_as_answers_or_as_events(tao, server):
    server.will("Final Answer: two\nlines")
    assert tao("run", "-", "-q", stdin="One?\nTwo?\n").stdout == "two lines\ntwo lines\n"
    kinds = [json.loads(line)["kind"] for line in tao("run", "-", "--json", stdin="One?\n").stdout.splitlines()]
    assert kinds == ["asked", "replied", "decided", "ended"]


@pytest.mark.parametrize(("text", "said"), [
    ("", "there is no question in"), ('{"q": 1}\n', "is no JSON object with a field `question`"), ('{"question"\n', ":1 is no JSON object"),
])  # fmt: skip
def test_run_refuses_what_is_no_file_of_questions(tao, text, said):
    (tao.home / "q.txt").write_text(text)
    done = tao("run", "q.txt")
    assert done.returncode == 2
    assert said in done.stderr
    assert "cannot read the questions in nowhere" in tao("run", "nowhere").stderr


# ── chat ──────────────────────────────────────────────────────────────────────


def test_chat_remembers_what_was_said(tao, server):
    server.will("Final Answer: Nice to meet you, Mo.", "Final Answer: Mo.", "Final Answer: I do not know.")
    done = tao("chat", "-q", stdin="I am Mo.\nWho am I?\n/new\nWho am I?\n")
    assert done.stdout.splitlines() == ["Nice to meet you, Mo.", "Mo.", "I do not know."]
    first, second, third = (json.dumps(body["messages"]) for body in server.bodies)
    assert "Nice to meet you, Mo." in second
    assert "Nice to meet you" not in first + third
    assert done.returncode == 0


def test_chat_goes_on_after_a_failure(tao, server):
    done = tao("chat", "-q", stdin="One?\nTwo?\n", TAO_MODEL="http://127.0.0.1:9/v1#nobody")
    assert done.returncode == 0
    assert len(tao("runs").stdout.splitlines()) == 3


# ── tools, model, doctor ──────────────────────────────────────────────────────


def test_tools_are_listed_as_the_model_sees_them(tao):
    (tao.home / "docs").mkdir()
    said = tao("tools", "--docs", "docs").stdout
    assert all(name in said for name in ("current_date", "date_add", "date_diff", "calculator", "search"))
    specs = {spec["name"]: spec for spec in map(json.loads, tao("tools", "--json").stdout.splitlines())}
    assert "search" not in specs
    assert specs["calculator"]["parameters"]["required"] == ["expression"]
    assert "今天" in tao("tools", "--lang", "zh").stdout


TOOLS = '''
from tao import tool

@tool
def greet(name: str) -> str:
    """Greet somebody."""
    return f"hello {name}"

@tool(name="calculator")
def mine(expression: str) -> str:
    """My own."""
    return "42"
'''


def test_tools_of_a_file_come_first_and_replace_built_in_ones_of_the_same_name(tao):
    (tao.home / "mine.py").write_text(TOOLS)
    names = [json.loads(line)["name"] for line in tao("tools", "--tools", "mine.py", "--json").stdout.splitlines()]
    assert names[:2] == ["greet", "calculator"]
    assert names.count("calculator") == 1
    assert "current_date" in names
    assert tao("tools", "--tools", "mine.py", TAO_BUILTINS="false").stdout.count("(") == 2


@pytest.mark.parametrize(("source", "where", "said"), [
    ("x = 1", "t.py", "t.py gives no tools: decorate functions with tao.tool"),
    ("def f(): pass", "t.py:g", "t.py has no function 'g'; it has: f"),
    ("1/0", "t.py", "t.py cannot be run: ZeroDivisionError"),
    ("def f(): raise KeyError('k')", "t.py:f", "the tools of t.py:f cannot be made: KeyError"),
    ("TOOLS = [3]", "t.py", "Python knows no signature of 3"),
    ("TOOLS = 3 / 0", "t.py", "t.py cannot be run"),
])  # fmt: skip
def test_a_file_that_gives_no_tools_is_refused(tao, source, where, said):
    (tao.home / "t.py").write_text(source)
    done = tao("tools", "--tools", where)
    assert done.returncode == 2, done
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_model_lists_what_can_be_fetched(tao):
    said = tao("model", "list").stdout
    assert "qwen2.5-coder-1.5b (default)" in said
    assert "1,117 MB" in said


def test_model_path_of_what_is_not_there_says_how_to_get_it(tao):
    done = tao("model", "path")
    assert done.returncode == 1
    assert "tao model pull" in done.stderr
    assert tao("model", "rm", "nothing").returncode != 0


def test_model_pull_from_nowhere_says_what_each_channel_said(tao):
    nowhere = {"HF_ENDPOINT": "http://127.0.0.1:9", "MODELSCOPE_ENDPOINT": "http://127.0.0.1:9"}
    done = tao("model", "pull", "--channel", "huggingface", "--channel", "modelscope", **nowhere)
    assert done.returncode == 1
    assert "huggingface" in done.stderr
    assert "modelscope" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tao.home.rglob("*.gguf"))


def test_doctor_names_keys_and_never_shows_them(tao):
    secret = "sk-this-is-a-secret"
    done = tao("doctor", OPENAI_API_KEY=secret, TAO_MODLE="x", TAO_MODEL="openai:gpt-5.5")
    assert "OPENAI_API_KEY" in done.stdout
    assert secret not in done.stdout + done.stderr
    assert "TAO_MODLE" in done.stdout
    assert done.returncode == 0
    assert {json.loads(line)["state"] for line in tao("doctor", "--json").stdout.splitlines()} <= {"ok", "missing", "bad", "note"}


def test_doctor_says_what_to_do_about_a_missing_model(tao):
    done = tao("doctor", TAO_MODEL="local")
    assert done.returncode == 1
    assert "tao model pull" in done.stdout.split("Next")[1]
    assert "set OPENAI_API_KEY" in tao("doctor", TAO_MODEL="openai:gpt-5.5").stdout.split("Next")[1]


def test_doctor_finds_a_setting_that_makes_no_sense(tao):
    (tao.home / "tao.toml").write_text("modle = 'x'\n")
    done = tao("doctor")
    assert done.returncode == 1
    assert "there is no setting 'modle' (tao.toml); did you mean 'model'?" in " ".join(done.stdout.split())


# ── corpus ────────────────────────────────────────────────────────────────────

CASES = [
    {"id": "a", "kind": "plain", "lang": "en", "tools": [{"name": "add", "params": {"a": "integer"}}],
     "text": 'Thought: t\nAction: add\nAction Input: {"a": 1}', "expect": {"type": "action", "tool": "add", "args": {"a": 1}}},
    {"id": "b", "kind": "plain", "lang": "en", "tools": [], "text": "Final Answer: 3", "expect": {"type": "final", "answer": "3"}},
    {"id": "c", "kind": "odd", "lang": "en", "tools": [], "text": "", "expect": {"type": "retry", "why": "empty"}},
]  # fmt: skip
PARSER = """
def never(text, tools):
    raise ValueError("cannot")

def always(text, tools):
    assert isinstance(text, str) and all({"name", "description", "parameters"} <= set(tool) for tool in tools)
    return {"type": "final", "answer": "3"}

def wrong(text, tools):
    return 7
"""


@pytest.fixture
def corpus(tao):
    (tao.home / "cases.jsonl").write_text("\n".join(map(json.dumps, CASES)))
    (tao.home / "parsers.py").write_text(PARSER)


def test_corpus_run_scores_our_reader(tao, corpus):
    assert tao("corpus", "run", "cases.jsonl").stdout == "3/3\n"


def test_corpus_run_scores_any_parser_and_lists_what_it_read_wrong(tao, corpus):
    assert tao("corpus", "run", "cases.jsonl", "--parser", "parsers:never").stdout.splitlines()[-1] == "1/3"
    done = tao("corpus", "run", "cases.jsonl", "--parser", "parsers:always")
    assert done.stdout.splitlines()[-1] == "1/3"
    assert "wrong answer" in done.stdout
    assert "plain 1/2 · odd 0/1" in done.stdout


@pytest.mark.parametrize(("parser", "said"), [
    ("parsers:wrong", "returned 7"), ("parsers:none", "there is no parser 'parsers:none'"), ("nowhere:f", "there is no parser"), ("parsers", "write module:function"),
])  # fmt: skip
def test_a_parser_that_is_none_is_refused(tao, corpus, parser, said):
    done = tao("corpus", "run", "cases.jsonl", "--parser", parser)
    assert done.returncode == 2
    assert said in done.stderr


def test_the_published_corpus_is_found(tao):
    right, total = tao("corpus", "run").stdout.splitlines()[-1].split("/")
    assert int(total) > 100
    assert 0 < int(right) <= int(total)
