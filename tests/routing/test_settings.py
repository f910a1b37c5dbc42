"""A cascade and triage from settings; what a file of results calls them; probabilities of first tokens on their way."""

import json

import pytest

from tao.build import build
from tao.cli.evaluate import called
from tao.config import Settings, load
from tao.errors import ConfigError
from tao.evaluation.graders import Grade
from tao.evaluation.outcomes import cost, outcome
from tao.evaluation.tasks import Task
from tao.events import Asked, Decided, Ended, Replied, from_json, to_json
from tao.messages import Message, Reply, Request, Usage
from tao.models.chat import Gather, read_likely
from tao.models.openai import ChatModel
from tao.models.profiles import PROFILES
from tao.routing import Routed
from tao.run import Run

SMALL, LARGE = "http://127.0.0.1:9/v1#small", "http://127.0.0.1:9/v1#large"


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


# ── settings ──────────────────────────────────────────────────────────────────


def test_without_settings_there_is_one_model_and_no_triage():
    agent = build(Settings(model=SMALL), {})
    assert not isinstance(agent.model, Routed)
    assert not agent.settings["triage"]
    assert called(agent, Settings(model=SMALL)) == SMALL


def test_a_cascade_from_a_file(tmp_path):
    (tmp_path / "tao.toml").write_text(f'model = "{SMALL}"\n[cascade]\nlarge = "{LARGE}"\nwhen = ["after_misread", "longer_than:4000"]\nstay = true\n', encoding="utf-8")
    settings = load()
    agent = build(settings, {})
    assert agent.model.recorded() | {"abilities": None} == {"large": LARGE, "abilities": None, "when": ["after_misread", "longer_than:4000"], "stay": True}
    assert called(agent, settings) == f"{SMALL} + {LARGE} (after_misread, longer_than:4000, stay)"


def test_a_cascade_from_the_environment_with_the_usual_rules(monkeypatch):
    monkeypatch.setenv("TAO_CASCADE__LARGE", LARGE)
    assert build(Settings(model=SMALL), {}).model.recorded()["when"] == ["after_misread", "after_failed_tool", "after_objection"]
    monkeypatch.setenv("TAO_CASCADE__WHEN", "first_step, final_answer")
    assert build(Settings(model=SMALL), {}).model.recorded()["when"] == ["first_step", "final_answer"]


def test_a_rule_that_does_not_exist_is_refused():
    with pytest.raises(ConfigError, match="'after_lunch' is no rule"):
        build(Settings(model=SMALL, cascade={"large": LARGE, "when": ["after_lunch"]}), {})
    with pytest.raises(ConfigError, match=r"no setting 'cascade.larg'.*did you mean 'large'"):
        load({"cascade": {"larg": LARGE}})


@pytest.mark.parametrize(("sorter", "name"), [("", "triage"), (LARGE, LARGE)])
def test_triage_from_settings(sorter, name):
    settings = Settings(model=SMALL, triage=True, triage_model=sorter)
    agent = build(settings, {})
    assert agent.settings["triage"] is True
    assert isinstance(agent.model, Routed) is bool(sorter)
    assert called(agent, settings) == f"{SMALL} + {name}"


def test_a_model_that_sorts_is_not_asked_where_triage_is_off():
    assert not isinstance(build(Settings(model=SMALL, triage_model=LARGE), {}).model, Routed)


# ── at whose price ────────────────────────────────────────────────────────────


def test_a_price_on_the_command_line_is_the_large_models():
    asked = Asked("q", model="local:small", settings={"cascade": {"large": "openai:large"}})
    run = Run("r", [asked, Replied(Reply("a", usage=Usage(1000, 10))), Replied(Reply("b", usage=Usage(100, 5), by="openai:large"))])
    assert cost(run, lambda model, usage: float(usage.prompt or 0)) == 100.0


@pytest.mark.parametrize(("settings", "amount"), [
    ({}, None),
    ({"prices": {"openai:large": {"rates": [{"input": "10", "output": "100"}]}}}, 0.0015),
    ({"prices": {"openai:large": {"rates": [{"input": "10", "output": "100", "currency": "CNY"}]}}}, None),
    ({"prices": {"openai:other": {"rates": [{"input": "10", "output": "100"}]}}}, None),
])  # fmt: skip
def test_without_one_the_run_says_what_it_cost_in_dollars(settings, amount):
    asked = Asked("q", model="local:small", settings=settings)
    run = Run("r", [asked, Replied(Reply("a", usage=Usage(1000, 10))), Replied(Reply("b", usage=Usage(100, 5), by="openai:large")), Decided(answer="b"), Ended("answered", "b")])
    assert outcome(Task("t", "q"), 0, run, Grade(right=True, score=1.0, why="")).cost == amount


# ── probabilities of the first token ──────────────────────────────────────────

TOLD = {"content": [{"token": "known", "top_logprobs": [{"token": "known", "logprob": -0.105}, {"token": "search", "logprob": -2.3}]}, {"token": "x", "top_logprobs": []}]}


@pytest.mark.parametrize("told", [None, {}, {"content": None}, {"content": []}, {"content": ["x"]}, {"content": [{"top_logprobs": None}]}, {"content": [{"top_logprobs": [{"token": "a"}, 3]}]}, "no"])
def test_a_server_that_tells_no_probabilities_tells_none(told):
    assert read_likely(told) == {}


def test_those_of_the_first_token_are_kept_and_recorded():
    gather = Gather()
    gather.feed({"choices": [{"delta": {"content": "kn"}, "logprobs": TOLD}]})
    gather.feed({"choices": [{"delta": {"content": "own"}, "logprobs": {"content": [{"top_logprobs": [{"token": "own", "logprob": 0.0}]}]}}]})
    reply = gather.reply()
    assert reply.likely == pytest.approx({"known": 0.9, "search": 0.1}, abs=0.01)
    record = Replied(reply)
    assert from_json(json.loads(json.dumps(to_json(record)))) == record


def test_only_servers_that_can_are_asked_and_the_digest_of_old_requests_stays():
    request = Request((Message("user", "hi"),), likely=5)
    sent = {name: json.loads(ChatModel(PROFILES[name], "m", key="k").written(request, stream=False)) for name in ("llamacpp", "vllm", "openai", "deepseek")}
    assert {name: body.get("top_logprobs") for name, body in sent.items()} == {"llamacpp": 5, "vllm": 5, "openai": None, "deepseek": None}
    assert Request((Message("user", "hi"),)).digest() == Request((Message("user", "hi"),), likely=0).digest() != request.digest()
