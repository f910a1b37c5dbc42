"""`tao ask --output`, and the settings of answers."""

import json

import pytest

CITY = {"type": "object", "properties": {"name": {"type": "string"}, "people": {"type": "integer"}}, "required": ["name", "people"]}


@pytest.fixture
def city(tao):
    (tao.home / "city.json").write_text(json.dumps(CITY), encoding="utf-8")
    return "city.json"


def test_the_json_is_printed_and_nothing_else(tao, server, city):
    server.will('Thought: t\nFinal Answer: ```json\n{"name": "巴黎", "people": "3"}\n```')
    done = tao("ask", "How many?", "--output", city)
    assert (done.stdout, done.stderr, done.returncode) == ('{"name": "巴黎", "people": 3}\n', "", 0)


def test_an_answer_that_does_not_fit_goes_to_standard_error(tao, server, city):
    server.will("Final Answer: about three")
    done = tao("ask", "How many?", "--output", city)
    assert (done.stdout, done.returncode) == ("", 1)
    assert "The answer does not have the form that was asked for: it is not JSON." in done.stderr
    assert "about three" in done.stderr


def test_with_json_every_event_is_printed(tao, server, city):
    server.will('Final Answer: {"name": "Paris", "people": 3}')
    events = [json.loads(line) for line in tao("ask", "How many?", "--output", city, "--json").stdout.splitlines()]
    assert events[0]["settings"]["output"] == CITY
    assert events[-1]["answer"] == '{"name": "Paris", "people": 3}'


@pytest.mark.parametrize(("text", "said"), [
    (None, "no JSON schema can be read from"), ("{", "no JSON schema can be read from"), ("[1]", "wanted: a JSON schema"),
    ('{"type": "text"}', "has the type 'text'"),
])  # fmt: skip
def test_a_file_that_holds_no_schema(tao, text, said):
    if text is not None:
        (tao.home / "city.json").write_text(text, encoding="utf-8")
    done = tao("ask", "How many?", "--output", "city.json")
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_by_settings(tao, server, city):
    (tao.home / "tao.toml").write_text(f'output = "{city}"\nreflect = 2\njudge = "{server.model}"\n', encoding="utf-8")
    server.will('Final Answer: {"name": "Paris", "people": 3}', '{"why": "", "right": true}')
    events = [json.loads(line) for line in tao("ask", "How many?", "--json").stdout.splitlines()]
    assert (events[0]["settings"]["output"], events[0]["settings"]["reflect"]) == (CITY, 2)
    assert len(events[-1]["replies"]) == 1
    assert len(server.bodies) == 2


def test_a_recorded_run_replays(tao, server, city):
    server.will("Final Answer: three", 'Final Answer: {"name": "Paris", "people": 3}')
    tao("ask", "How many?", "--output", city)
    done = tao("replay")
    assert "replays exactly" in done.stdout
