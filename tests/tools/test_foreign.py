"""Schemas that others wrote: keywords that only jsonschema reads."""

import logging

import pytest

from tao.errors import BadArguments
from tao.tools import foreign
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
