"""What a user's `output` asks for: types and schemas of every kind, and what is none."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Literal, TypedDict

import pytest
from pydantic import BaseModel, Field, field_validator

from tao.errors import ConfigError
from tao.tools.form import Form, form


@dataclass
class Point:
    x: int
    y: float = 0.0


class Named(TypedDict):
    name: str


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Node(BaseModel):
    value: int
    below: list["Node"] = []


class Stop(BaseModel):
    name: str


class Trip(BaseModel):
    """A journey."""

    day: date
    price: Annotated[Decimal, Field(ge=0)]
    stops: list[Stop] = Field(min_length=1)

    @field_validator("day")
    @classmethod
    def not_before_2000(cls, day: date) -> date:
        if day.year < 2000:
            raise ValueError("too long ago")
        return day


CASES = [
    (Point, '{"x": 1}', Point(1)),
    (Named, '{"name": "甲"}', {"name": "甲"}),
    (Size, '"small"', Size.SMALL),
    (Node, '{"value": 1, "below": [{"value": 2}]}', Node(value=1, below=[Node(value=2)])),
    (list[int], "[1, 2]", [1, 2]),
    (dict[str, bool], '{"a": true}', {"a": True}),
    (Literal["yes", "no"], '"no"', "no"),
    (int | None, "null", None),
    (tuple[int, str], '[1, "a"]', (1, "a")),
    (bool, "true", True),
    ({"type": "object", "properties": {"a": {"type": "integer"}}}, '{"a": 1}', {"a": 1}),
]


@pytest.mark.parametrize(("output", "answer", "made"), CASES, ids=lambda case: str(case)[:30])
def test_an_answer_becomes_an_object_of_the_type(output, answer, made):
    found = form(output)
    assert found.typed(answer) == made
    assert found.objection(answer) is None
    assert form(found) is found


def test_a_schema_says_what_is_wanted_and_no_more():
    schema = form(Trip).schema
    assert schema["description"] == "A journey."
    assert schema["properties"]["day"] == {"type": "string", "format": "date"}
    assert schema["properties"]["price"]["minimum"] == 0
    assert "title" not in str(schema)
    assert "description" not in form(Point).schema


def test_the_rules_of_a_type_object_where_the_schema_cannot():
    trip = form(Trip)
    assert trip.objection('{"day": "1999-01-01", "price": 1, "stops": [{"name": "a"}]}') == "day: too long ago"
    assert trip.objection('{"day": "2001-01-01", "price": 1, "stops": [{"name": 1}]}').startswith("stops[0].name: ")
    with pytest.raises(ValueError, match="too long ago"):
        trip.typed('{"day": "1999-01-01", "price": 1, "stops": [{"name": "a"}]}')


class Opaque:
    pass


@pytest.mark.parametrize("output", [3, Opaque, lambda: 1, "NoSuchType"], ids=str)
def test_what_has_no_json_form_is_refused(output):
    with pytest.raises(ConfigError) as caught:
        form(output)
    english, chinese = str(caught.value).splitlines()[:2]
    assert english.startswith("output is ")
    assert "wanted: a type" in english
    assert "没有 JSON 形式" in chinese


@pytest.mark.parametrize(("schema", "said"), [
    ({}, "is no JSON schema"),
    ({"name": "string"}, "is no JSON schema"),
    ({"type": "text"}, "has the type 'text'; there are: string, integer"),
    ({"type": "object", "properties": {"a": {"type": ["string", "date"]}}}, "has the type 'date'"),
    ({"type": "array", "items": {"anyOf": [{"type": "int"}]}}, "has the type 'int'"),
    ({"type": "object", "properties": {"a": 5}}, "is no JSON schema: properties.a: got 5, wanted a schema"),
    ({"type": "array", "items": "string"}, "is no JSON schema: items: got 'string', wanted a schema"),
    ({"type": "integer", "minimum": "3"}, "is no JSON schema: minimum: got '3', wanted a number"),
    ({"enum": [{1, 2}]}, "is no JSON: "),
    ({"const": float("nan")}, "is no JSON: "),
], ids=str)  # fmt: skip
def test_a_schema_that_is_none_is_refused(schema, said):
    with pytest.raises(ConfigError, match=said) as caught:
        form(schema)
    assert "output" in str(caught.value).splitlines()[1]


def test_a_schema_is_kept_as_plain_json():
    assert form({"enum": ("a", "b")}).schema == {"enum": ["a", "b"]}
    assert isinstance(form({"type": "string"}), Form)
