"""Loading corpus files and scoring readings."""

import json

import pytest

from tao.errors import ConfigError
from tao.evaluation.corpus import harm, load_cases, same, score
from tao.events import Decided, Misread
from tao.messages import Call

CASE = {"id": "a", "kind": "final", "lang": "en", "tools": [{"name": "f", "params": {"x": "string", "y": "integer?"}}], "text": "t"}


def write(tmp_path, *expectations):
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(json.dumps({**CASE, "expect": expect}, ensure_ascii=False) for expect in expectations) + "\n", encoding="utf-8")
    return path


def case(tmp_path, **expect):
    return load_cases(write(tmp_path, expect))[0]


def call(**args):
    return Decided(calls=(Call("1.1", "f", args),))


def test_a_case_has_its_tools_as_a_model_sees_them(tmp_path):
    loaded = case(tmp_path, type="final", answer="x")
    assert loaded.tools[0].parameters == {
        "type": "object",
        "properties": {"x": {"type": "string"}, "y": {"type": "integer"}},
        "required": ["x"],
    }
    assert (loaded.id, loaded.kind, loaded.lang, loaded.text) == ("a", "final", "en", "t")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "not a corpus case"),
        ('{"id": "a"}', "KeyError"),
        ('{"id": "a", "text": "t", "tools": [], "expect": {"type": "guess"}}', "guess"),
        ("[]", "not a corpus case"),
    ],
)
def test_a_line_that_is_no_case_is_named(tmp_path, line, complaint):
    path = tmp_path / "bad.jsonl"
    path.write_text("\n" + line, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"bad\.jsonl:2") as raised:
        load_cases(path)
    assert complaint in str(raised.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.jsonl"):
        load_cases(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("expect", "right", "wrong", "harmful"),
    [
        ({"type": "action", "tool": "f", "args": {"x": "a"}}, call(x=" a\n"), Misread("empty"), ""),
        ({"type": "action", "tool": "f", "args": {"x": 1}}, call(x=1.0), call(x=True), "wrong call"),
        ({"type": "action", "tool": "f", "args": {"x": [1]}}, call(x=[1]), call(x=[1, 2]), "wrong call"),
        ({"type": "actions", "calls": [{"tool": "f", "args": {}}, {"tool": "f", "args": {}}]},
         Decided(calls=(Call("1.1", "f", {}), Call("1.2", "f", {}))), call(), "wrong call"),
        ({"type": "final", "answer": "a\nb"}, Decided(answer=" a\r\nb "), Decided(answer="a b"), "wrong answer"),
        ({"type": "final", "answer": "a"}, Decided(answer="a"), None, ""),
        ({"type": "retry", "why": "x"}, Misread("empty"), Decided(answer="a"), "wrong answer"),
        ({"type": "retry", "why": "x"}, None, call(), "wrong call"),
        ({"type": "retry", "why": "x"}, Decided(calls=(Call("1.1", "unknown", {}),)), call(), "wrong call"),
    ],
)  # fmt: skip
def test_scoring(tmp_path, expect, right, wrong, harmful):
    loaded = case(tmp_path, **expect)
    assert score(loaded, right)
    assert harm(loaded, right) == ""
    assert not score(loaded, wrong)
    assert harm(loaded, wrong) == harmful


def test_equal_as_json_values():
    assert same({"a": [1, {"b": None}]}, {"a": [1.0, {"b": None}]})
    assert not same(0, False)
    assert not same({"a": 1}, {"a": 1, "b": 2})
    assert not same("1", 1)
