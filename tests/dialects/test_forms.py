"""Calls written as calls, and values converted by the schema."""

import pytest

from tao.dialects.convert import convert, kinds, missing, parameters
from tao.dialects.forms import Listed, closing, listed
from tao.dialects.repair import Fault
from tao.messages import ToolSpec
from tao.testing import spec


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("f[a]", "a"),
        ("f[a [b] c] d", "a [b] c"),
        ('f["]"]', '"]"'),
        ("f[it's ]", "it's "),
        ("f［a］", "a"),
        ("f(g(1), '(')", "g(1), '('"),
        ('f[{"a": "]"}]', '{"a": "]"}'),
        ("f[\n```\na]\n```\n]", "\n```\na]\n```\n"),
        ("f[a", None),
        ("f[a [b]", None),
        ("f[" + "[" * 9000, None),
    ],
)
def test_where_a_bracket_is_closed(text, inside):
    opened = next(place for place, char in enumerate(text) if char in "[(［（")
    end = closing(text, opened, len(text))
    assert (text[opened + 1 : end] if end is not None else None) == inside


def test_arguments_of_a_call():
    assert listed("f('a', 2, b=[1], c=None)", 1) == Listed(["a", 2], {"b": [1], "c": None}, 24)
    assert listed("f()", 1) == Listed([], {}, 3)
    assert not listed("f(a b)", 1).literal
    assert not listed("f('a'", 1).whole
    assert listed("f('a", 1) == Fault("truncated", 4)
    assert isinstance(listed("f(1 2)", 1), Fault)


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("42", {"type": "integer"}, 42),
        ("42.0", {"type": "integer"}, 42),
        ("4.2", {"type": "integer"}, 4.2),
        ("-1e3", {"type": "number"}, -1000.0),
        ("many", {"type": "integer"}, "many"),
        ("True", {"type": "boolean"}, True),
        ("yes", {"type": "boolean"}, "yes"),
        ("[1, 'a']", {"type": "array"}, [1, "a"]),
        ("{'a': 1}", {"type": "object"}, {"a": 1}),
        ("[1, 2", {"type": "array"}, "[1, 2"),
        ("null", {"type": ["integer", "null"]}, None),
        ("null", {"type": "string"}, "null"),
        ("42", {}, "42"),
        ("42", {"anyOf": [{"type": "integer"}, {"type": "null"}]}, 42),
        ("42", {"type": ["string", "integer"]}, "42"),
        ("2", {"enum": [1, 2]}, 2),
        ("9" * 500, {"type": "integer"}, "9" * 500),
    ],
)
def test_converting_by_the_schema(text, schema, value):
    got = convert(text, schema)
    assert got == value
    assert type(got) is type(value)


def test_what_a_schema_says():
    assert kinds({"oneOf": [{"type": "string"}, {"const": 1}]}) == {"string", "integer"}
    shape = parameters(spec("f", "", One="string", two="integer?"))
    assert (shape.sole, shape.known("one"), shape.known("three")) == ("One", "One", None)
    assert parameters(ToolSpec("f", "", {})).schemas == {}
    assert parameters(ToolSpec("f", "", {"properties": [], "required": "x"})).required == ()


def test_names_with_dots_and_dashes_end_the_value_before_them():
    found = listed("m(p='null', a.b='a b', x-y=0)", 1)
    assert isinstance(found, Listed)
    assert dict(found.named) == {"p": "null", "a.b": "a b", "x-y": 0}


def test_words_for_no_input():
    assert all(map(missing, ["", " ", "None", '"null"', "N/A", "无", "()", "none."]))
    assert not any(map(missing, ["x", "no", "0", "{}"]))
