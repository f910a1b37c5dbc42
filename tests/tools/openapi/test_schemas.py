"""Schemas of 3.0 and 3.1 as tools have them: what they take stays the same, what only costs tokens goes."""

import pytest

from tao.errors import BadArguments
from tao.tools.openapi import open_document
from tao.tools.openapi.document import Unusable
from tao.tools.openapi.schemas import Schemas, shallower, whole
from tao.tools.validate import check, fits

TREE = {"type": "object", "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}}
CAT = {"type": "object", "required": ["kind", "lives"], "properties": {"kind": {"enum": ["cat"]}, "lives": {"type": "integer"}}}
DOG = {"type": "object", "required": ["kind", "tricks"], "properties": {"kind": {"enum": ["dog"]}, "tricks": {"type": "array", "items": {"type": "string"}}}}


def made(schema, version="3.0.3", **components):
    document = open_document({"openapi": version, "components": {"schemas": components}})
    schemas = Schemas(document)
    return whole({"type": "object", "properties": {"x": schemas.of(schema)}}, schemas.defs)


def one(schema, version="3.0.3", **components):
    return made(schema, version, **components)["properties"]["x"]


@pytest.mark.parametrize(("given", "wanted"), [
    ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
    ({"type": "string", "nullable": True, "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
    ({"nullable": True, "allOf": [{"type": "string"}], "description": "d"}, {"description": "d", "anyOf": [{"allOf": [{"type": "string"}]}, {"type": "null"}]}),
    ({"type": "number", "minimum": 1, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": False}, {"type": "number", "exclusiveMinimum": 1, "maximum": 9}),
    ({"type": "string", "example": "京", "xml": {}, "title": "T", "x-order": 1, "deprecated": True}, {"type": "string", "examples": ["京"]}),
    ({"type": "object", "properties": {"title": {"type": "string", "readOnly": True}, "example": {"type": "integer"}}, "required": ["title"]},
     {"type": "object", "properties": {"example": {"type": "integer"}}}),
    ({"type": "string", "format": "uuid", "maxLength": 36}, {"type": "string", "format": "uuid", "maxLength": 36}),
    (True, True), ("nonsense", {}),
])  # fmt: skip
def test_words_of_3_0(given, wanted):
    assert one(given) == wanted


def test_words_of_3_1_stay():
    schema = {"type": ["string", "null"], "examples": ["a", "b"], "const": "a", "$comment": "c"}
    assert one(schema, "3.1.0") == {"type": ["string", "null"], "examples": ["a"], "const": "a"}
    tuples = {"type": "array", "prefixItems": [{"type": "integer"}], "items": False}
    assert one(tuples, "3.1.0") == tuples
    beside = {"$ref": "#/components/schemas/Name", "maxLength": 3, "description": "short"}
    assert one(beside, "3.1.0", Name={"type": "string"}) == {"maxLength": 3, "description": "short", "allOf": [{"type": "string"}]}
    assert one(beside, "3.0.3", Name={"type": "string"}) == {"type": "string", "description": "short"}


def test_what_contains_itself_stays_a_definition():
    schema = made({"$ref": "#/components/schemas/Tree"}, Tree=TREE)
    assert schema["properties"]["x"] == {"$ref": "#/$defs/Tree"}
    assert list(schema["$defs"]) == ["Tree"]
    tree = {"x": {"name": "a", "children": [{"name": "b", "children": [{"name": "3"}]}]}}
    assert check(schema, tree)[0] == tree
    with pytest.raises(BadArguments, match=r"children\[0\]\.name"):
        check(schema, {"x": {"children": [{"name": []}]}})


def test_two_that_contain_each_other_and_one_that_is_only_a_reference_to_itself():
    a = {"type": "object", "properties": {"b": {"$ref": "#/components/schemas/B"}}}
    b = {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/A"}, "n": {"type": "integer"}}}
    schema = made({"$ref": "#/components/schemas/A"}, A=a, B=b)
    assert fits(schema, {"x": {"b": {"n": 1, "a": {"b": {"n": 2}}}}})
    assert not fits(schema, {"x": {"b": {"a": {"b": {"n": "x"}}}}})
    assert one({"$ref": "#/components/schemas/A"}, A={"$ref": "#/components/schemas/A"}) == {"$ref": "#/$defs/A"}


def test_large_ones_used_often_are_said_once_and_small_ones_where_they_are_used():
    large = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(20)}}
    both = {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/L"}, "b": {"$ref": "#/components/schemas/L"},
                                             "c": {"$ref": "#/components/schemas/S"}, "d": {"$ref": "#/components/schemas/S"}}}  # fmt: skip
    schema = made(both, L=large, S={"type": "string", "maxLength": 2})
    assert list(schema["$defs"]) == ["L"]
    assert schema["properties"]["x"]["properties"]["c"] == {"type": "string", "maxLength": 2}
    assert "$defs" not in made({"$ref": "#/components/schemas/L"}, L=large)


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_one_of_all_of_and_discriminators_hold(version):
    pet = {"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}], "discriminator": {"propertyName": "kind"}}
    named = {"allOf": [{"$ref": "#/components/schemas/Cat"}, {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}]}
    schema = made(pet, version, Cat=CAT, Dog=DOG)
    assert check(schema, {"x": {"kind": "cat", "lives": 9}})[0] == {"x": {"kind": "cat", "lives": 9}}
    with pytest.raises(BadArguments):
        check(schema, {"x": {"kind": "cat", "tricks": ["sit"]}})
    schema = made(named, version, Cat=CAT)
    assert check(schema, {"x": {"kind": "cat", "lives": 9, "name": "京"}})[0]["x"]["name"] == "京"
    with pytest.raises(BadArguments, match="name"):
        check(schema, {"x": {"kind": "cat", "lives": 9}})


def test_a_property_may_be_called_like_a_keyword():
    odd = {"type": "object", "properties": {"$ref": {"type": "string"}, "properties": {"type": "integer"}, "items": {"type": "boolean"}}}
    assert one(odd) == odd


def test_names_of_definitions_are_made_plain_and_kept_apart():
    holder = {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/A%20b"}, "b": {"$ref": "#/components/schemas/A_b"}}}
    loops = {"A b": {"type": "object", "properties": {"x": {"$ref": "#/components/schemas/A%20b"}}}, "A_b": {"type": "object", "properties": {"y": {"$ref": "#/components/schemas/A_b"}}}}
    schema = made(holder, **loops)
    assert sorted(schema["$defs"]) == ["A_b", "A_b_2"]
    assert fits(schema, {"x": {"a": {"x": {}}, "b": {"y": {}}}})


def test_what_is_without_measure_is_refused():
    wide = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(5000)}}
    with pytest.raises(Unusable, match="more than 4000 parts"):
        one(wide)
    bomb = {f"L{n}": {"type": "array", "items": {"anyOf": [{"$ref": f"#/components/schemas/L{n + 1}"}] * 9}} for n in range(40)} | {"L40": {"type": "string"}}
    assert len(str(made({"$ref": "#/components/schemas/L0"}, **bomb))) < 200_000


def test_a_shortened_schema_takes_all_that_the_whole_one_takes():
    deep = {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["cat"]}, "inner": {"type": "object", "properties": {"n": {"type": "integer"}}, "not": {"required": ["m"]}}}}
    pet = {"oneOf": [{"$ref": "#/components/schemas/Deep"}, {"$ref": "#/components/schemas/Dog"}, {"type": "array", "items": {"$ref": "#/components/schemas/Deep"}}]}
    schema = made({"type": "object", "properties": {"pet": pet}}, Deep=deep, Dog=DOG)
    values = [{"x": {"pet": {"kind": "cat", "inner": {"n": 1}}}}, {"x": {"pet": {"kind": "dog", "tricks": ["sit"]}}}, {"x": {"pet": [{"kind": "cat"}]}}]
    for depth in (8, 3, 1, 0):
        short = shallower(schema, depth)
        assert [check(short, value)[0] for value in values] == values
    assert len(str(shallower(schema, 0))) < len(str(shallower(schema, 1))) < len(str(schema))
    with pytest.raises(BadArguments):
        check(shallower(schema, 3), {"x": {"pet": {"kind": "cow"}}})
