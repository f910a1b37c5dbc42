"""Schemas in the words of other languages."""

import pytest

from tao.messages import ToolSpec
from tao.tools.declare import foreign
from tao.tools.notations import standard
from tao.tools.validate import check


def of(word, **more):
    """What a property of this type becomes."""
    return standard({"type": "dict", "properties": {"x": {"type": word, **more}}})["properties"]["x"]


@pytest.mark.parametrize(
    ("word", "kind"),
    [("str", "string"), ("String", "string"), ("char", "string"), ("float", "number"), ("double", "number"), ("long", "integer"), ("Bigint", "integer"),
     ("bool", "boolean"), ("dict", "object"), ("HashMap", "object"), ("tuple", "array"), ("ArrayList", "array"), ("java.util.List", "array"),
     ("整数", "integer"), ("NoneType", "null")],
)  # fmt: skip
def test_words(word, kind):
    assert of(word) == {"type": kind}


@pytest.mark.parametrize(
    ("word", "schema"),
    [
        ("List[int]", {"type": "array", "items": {"type": "integer"}}),
        ("ArrayList<String>", {"type": "array", "items": {"type": "string"}}),
        ("int[]", {"type": "array", "items": {"type": "integer"}}),
        ("list of strings", {"type": "array", "items": {"type": "string"}}),
        ("Dict[str, List[float]]", {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "number"}}}),
        ("Optional[str]", {"type": ["string", "null"]}),
        ("int | str", {"type": ["integer", "string"]}),
        ("string or number", {"type": ["string", "number"]}),
        ("Tuple[float, float]", {"type": "array", "items": {"type": "number"}}),
        ("Union[int, List[int]]", {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}]}),
        ("any", {}),
        ("", {}),
        ("Session", {"description": "(Session)"}),
    ],
)
def test_types_of_types(word, schema):
    assert of(word) == schema


def test_a_type_that_nobody_knows_is_left_open_and_its_word_is_kept():
    assert of("IController", description="Controls it.") == {"description": "Controls it. (IController)"}
    assert of("Foo", properties={"y": {"type": "int"}})["type"] == "object"


def test_required_and_optional_beside_a_parameter():
    told = {"properties": {"a": {"type": "str", "required": True}, "b": {"type": "str", "optional": True}, "c": {"type": "str"}}, "required": ["b", "c", "gone"]}
    assert standard(told) == {
        "type": "object", "properties": {name: {"type": "string"} for name in "abc"}, "required": ["c", "a"],
    }  # fmt: skip


def test_a_parameter_may_be_named_like_a_keyword():
    told = {"type": "object", "properties": {"type": {"type": "string"}, "items": {"type": "array"}, "required": {"type": "boolean"}}, "required": ["type"]}
    assert standard(told) is told


def test_choices_that_nobody_could_choose():
    assert of("array", items={"type": "string"}, enum=["a", "b"]) == {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}
    assert of("string", enum=["a"], default="b")["enum"] == ["a", "b"]
    assert of("boolean", enum=["True", "False"]) == {"type": "boolean", "enum": [True, False]}
    assert of("integer", enum=["1", "2"], default="2") == {"type": "integer", "enum": [1, 2], "default": 2}
    assert of("boolean", enum=["yes", "no", "dontcare"]) == {"enum": ["yes", "no", "dontcare"]}
    assert of("string", enum=[]) == {"type": "string"}


def test_what_is_json_schema_stays():
    told = {"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"$ref": "#/$defs/B"}}, "required": ["a"], "$defs": {"B": {"type": "integer"}}}
    assert standard(told) is told


def test_as_a_tool():
    tool = foreign(ToolSpec("sum.all", "", {"type": "dict", "properties": {"xs": {"type": "List[float]"}}, "required": ["xs"]}), sum)
    assert check(tool.spec.parameters, {"xs": [1, 2.5]}) == ({"xs": [1, 2.5]}, ())
    assert check(tool.spec.parameters, {"xs": ["1"]})[0] == {"xs": [1]}
