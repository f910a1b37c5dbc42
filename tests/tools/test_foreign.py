"""Schemas that others wrote: keywords that only jsonschema reads."""

import contextlib
import copy
import logging

import pytest

from tao.dialects.react import React
from tao.errors import BadArguments
from tao.messages import ToolSpec
from tao.testing import history
from tao.tools import foreign
from tao.tools.notations import standard
from tao.tools.validate import check

pytest.importorskip("jsonschema", reason="the extras `mcp` and `eval` bring jsonschema")


def refused(schema, args, lang="en"):
    with pytest.raises(BadArguments) as caught:
        check(schema, args, lang)
    return str(caught.value)


PAYING = {"properties": {"card": {"type": "string"}, "address": {"type": "string"}, "n": {"type": "integer"}}, "dependentRequired": {"card": ["address"]}}


@pytest.mark.parametrize(
    ("schema", "args", "en", "zh"),
    [
        (PAYING, {"card": "V"}, "address is missing: wanted text", "缺少 address：需要文本"),
        ({"properties": {"host": {"type": "string", "not": {"enum": ["localhost", "here"]}}}}, {"host": "here"},
         'host: got "here" (text): not allowed is one of "localhost", "here"', 'host：收到 "here"（文本）：不允许：以下之一：'),
        ({"properties": {"roles": {"type": "array", "contains": {"const": "owner"}}}}, {"roles": ["a"]},
         'roles: got ["a"] (list): an item must be "owner"', '其中须有一项为 "owner"'),
        ({"properties": {"tags": {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}}}}, {"tags": {"A1": 1}},
         "as a name, wanted a value, matching ^[a-z]+$", "作为键名，需要值，匹配 ^[a-z]+$"),
        ({"properties": {"tags": {"type": "object", "maxProperties": 1}}}, {"tags": {"a": 1, "b": 2}}, "at most 1 entries", "最多 1 个键"),
        ({"properties": {"a": {}}, "if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"a": 1}, "b is missing", "缺少 b"),
        ({"properties": {"a": {}}, "unevaluatedProperties": False, "additionalProperties": True, "allOf": [{"properties": {"b": {}}}]},
         {"a": 1}, "", ""),
        ({"properties": {"x": {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 0}]}}}, {"x": 5},
         "x: 5 (whole number) can be read in more than one way", "x：5（整数） 有多种读法"),
        ({"properties": {"p": {"type": "array", "items": [{"type": "integer"}, {"type": "string"}], "additionalItems": False}}},
         {"p": [1, "x", 3]}, "p[2]", "p[2]"),
    ],
)  # fmt: skip
def test_what_breaks_a_rule_of_these_keywords_is_refused_by_name(schema, args, en, zh):
    if not en:
        assert check(schema, args) == (args, ())
        return
    assert en in refused(schema, args)
    assert zh in refused(schema, args, "zh")


def test_arguments_are_mended_first_and_then_held_to_the_rest():
    assert check(PAYING, {"n": "４２"}) == ({"n": 42}, ('n: "４２" → 42',))
    assert "address is missing" in refused(PAYING, {"n": "42", "card": "V"})


def test_the_parts_of_an_object_each_see_only_their_own():
    schema = {"$defs": {"b": {"properties": {"b": {"type": "integer"}}}}, "allOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"$ref": "#/$defs/b"}]}
    assert check(schema, {"a": 1, "b": "2"}) == ({"a": 1, "b": 2}, ('b: "2" → 2',))
    assert "a is missing" in refused(schema, {"b": 2})
    assert "unknown parameter bb" in refused({**schema, "properties": {"c": {}}}, {"a": 1, "bb": 2})


@pytest.mark.parametrize("ref", ["https://example.org/other.json", "other.json#/x", "#anchor"])
def test_a_reference_that_leads_elsewhere_is_not_fetched(ref, caplog):
    with caplog.at_level(logging.WARNING, logger="tao.tools"):
        assert check({"properties": {"a": {"$ref": ref}}}, {"a": 1}) == ({"a": 1}, ())


def test_a_schema_that_is_itself_wrong_is_read_as_far_as_it_goes(caplog):
    assert check({"properties": {"a": {"type": "integer", "not": 5}}}, {"a": "1"})[0] == {"a": 1}
    assert "not valid" in caplog.text


def test_a_parameter_named_like_a_keyword_is_none():
    schema = {"type": "object", "properties": {"not": {"type": "integer"}, "if": {"type": "string"}}}
    assert not any(foreign.KEYWORDS & part.keys() for part in foreign.walk(schema))
    assert check(schema, {"not": 1, "if": "x"}) == ({"not": 1, "if": "x"}, ())


# ── schemas that make no sense ────────────────────────────────────────────────

WHOLE = {
    "type": "object", "required": ["city"], "additionalProperties": False, "$defs": {"P": {"type": "object", "properties": {"z": {"type": "boolean"}}}},
    "properties": {
        "city": {"type": "string", "description": "the city", "enum": ["a", "b"]}, "days": {"type": ["integer", "null"], "minimum": 1},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 5}, "minItems": 1}, "part": {"$ref": "#/$defs/P"},
        "more": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"], "patternProperties": {"^a": {"type": "string"}}},
        "either": {"anyOf": [{"type": "string", "pattern": "^a"}, {"type": "integer"}]}, "pair": {"type": "array", "prefixItems": [{"type": "string"}]},
        "day": {"type": "string", "format": "date", "default": "2020-01-01", "examples": ["2020-01-01"]}, "fixed": {"const": 3},
    },
}  # fmt: skip
ODD = (None, 5, 1.5, True, "text", [], ["a"], [5], [{}], {}, {"a": 5})
FILLED = {"city": "a", "days": 2, "tags": ["a"], "part": {"z": True}, "more": {"x": 1}, "either": "a", "pair": ["x"], "day": "2020-01-01", "fixed": 3}
STRANGE = {"city": 5, "days": "x", "tags": {"a": 1}, "part": 4, "more": "x", "either": {}, "pair": {"q": 2}, "day": 4, "fixed": "k", "new": 1}


def places(node, path=()):
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, part in inner:
        yield (*path, key)
        yield from places(part, (*path, key))


def changed(path, value):
    schema = copy.deepcopy(WHOLE)
    node = schema
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return schema


def test_a_schema_is_followed_or_said_to_make_no_sense():
    """Every value of a schema replaced by every kind of value: what is not refused can be shown, checked and complained about."""
    followed = refusals = 0
    for number, path in enumerate(places(WHOLE)):
        for value in ODD[number % 2 :: 2]:
            schema = standard(foreign.present(changed(path, value)))
            if why := foreign.misshapen(schema):
                refusals += 1
                assert ": got " in why
                continue
            followed += 1
            React(constrained=True).render(history("q", tools=[ToolSpec("t", "does", schema)]))
            for args in ({}, FILLED, STRANGE):
                with contextlib.suppress(BadArguments):
                    check(schema, args)
    assert followed > 100
    assert refusals > 100


@pytest.mark.parametrize(("path", "value", "said"), [
    (("properties",), [], "properties: got [], wanted an object of schemas"),
    (("properties", "city"), "string", "properties.city: got 'string', wanted a schema"),
    (("properties", "more", "properties", "x"), 5, "properties.more.properties.x: got 5, wanted a schema"),
    (("properties", "tags", "items"), 5, "properties.tags.items: got 5, wanted a schema"),
    (("properties", "either", "anyOf"), {"type": "string"}, "properties.either.anyOf: got {'type': 'string'}, wanted a list of schemas"),
    (("properties", "city", "enum"), "a", "properties.city.enum: got 'a', wanted a list"),
    (("properties", "city", "description"), 5, "properties.city.description: got 5, wanted a text"),
    (("properties", "days", "minimum"), "1", "properties.days.minimum: got '1', wanted a number"),
    (("properties", "tags", "minItems"), 1.5, "properties.tags.minItems: got 1.5, wanted a whole number"),
    (("properties", "days", "type"), {}, "properties.days.type: got {}, wanted a list of texts"),
    (("required",), "city", "required: got 'city', wanted a list of texts"),
])  # fmt: skip
def test_what_makes_no_sense_is_named(path, value, said):
    assert foreign.misshapen(changed(path, value)) == said


def test_older_habits_and_nulls_are_none_of_that():
    older = {
        "type": "object", "required": None, "properties": {
            "a": {"type": "string", "required": True, "description": None, "default": None, "enum": None},
            "b": {"type": "integer", "minimum": 0, "exclusiveMinimum": True}, "c": True,
            "d": {"type": "array", "items": [{"type": "string"}]}, "e": {"const": None},
        },
    }  # fmt: skip
    read = foreign.present(older)
    assert foreign.misshapen(read) == ""
    assert "required" not in read
    assert read["properties"]["a"] == {"type": "string", "required": True, "default": None}
    assert read["properties"]["e"] == {"const": None}
    assert foreign.misshapen(WHOLE) == ""
