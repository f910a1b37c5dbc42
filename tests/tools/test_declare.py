import dataclasses
import datetime as dt
import decimal
import enum
import functools
import typing
import uuid
from typing import Annotated, Any, Literal, Union

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings
from pydantic import BaseModel, Field
from pydantic_core import to_jsonable_python

from tao.errors import ConfigError
from tao.messages import Call
from tao.run import Run
from tao.testing import history
from tao.tools.declare import Tool, declare, foreign, tool
from tao.tools.registry import bind
from tao.tools.validate import check, fits


class Colour(enum.Enum):
    red = "red"
    deep_blue = "deep blue"


@dataclasses.dataclass
class Point:
    """A point."""

    x: int
    y: float = 0.0


class Query(BaseModel):
    """What to look for."""

    text: str
    limit: int = Field(5, ge=1, le=10, description="how many")
    kind: Literal["a", "b"] = "a"


class Options(typing.TypedDict, total=False):
    deep: typing.Required[bool]
    names: list[str]


def properties(fn: Any) -> dict[str, Any]:
    return dict(declare(fn).spec.parameters["properties"])


def test_a_plain_function():
    @tool
    def weather(city: str, days: int = 3) -> str:
        """Weather of a city.

        Args:
            city: its English name
        """
        return f"{city} {days}"

    assert isinstance(weather, Tool)
    assert weather.spec.name == weather.name == "weather"
    assert weather.spec.description == "Weather of a city."
    assert weather.spec.parameters == {
        "type": "object",
        "properties": {"city": {"type": "string", "description": "its English name"}, "days": {"type": "integer", "default": 3}},
        "required": ["city"],
    }
    assert weather.spec.effects == ("reads",)
    assert weather("Lisbon", days=1) == "Lisbon 1"
    assert declare(weather) is weather


def test_options():
    @tool(name="save", effects=("writes", "network"), timeout=5, idempotent=True, description="Save it.", descriptions={"zh": "保存。text：内容。"})
    async def save_text(text: str) -> None: ...

    assert (save_text.spec.name, save_text.spec.effects, save_text.timeout, save_text.idempotent) == ("save", ("writes", "network"), 5, True)
    assert save_text.said("zh").description == save_text.said("zh-CN").description == "保存。text：内容。"
    assert save_text.said("zh").parameters["properties"]["text"]["description"] == "内容"
    assert save_text.said("fr") is save_text.spec
    assert declare(print_it, effects="writes").spec.effects == ("writes",)


def print_it(text: str) -> None: ...


def test_chinese_names():
    def 查询天气(城市: str, 天数: int = 3) -> str:  # noqa: N802, N803, PLC2401
        """查询天气。城市：中文名。天数：整数。"""
        return f"{城市}{天数}"

    assert declare(查询天气).spec.name == "查询天气"
    assert properties(查询天气)["城市"] == {"type": "string", "description": "中文名"}


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, {"type": "string"}),
        (Annotated[str, "a name"], {"type": "string", "description": "a name"}),
        (Annotated[int, Field(ge=1, description="how many", examples=[3])], {"type": "integer", "minimum": 1, "description": "how many", "examples": [3]}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal["only"], {"type": "string", "enum": ["only"]}),
        (Colour, {"type": "string", "enum": ["red", "deep blue"]}),
        (dt.date, {"type": "string", "format": "date"}),
        (dt.datetime, {"type": "string", "format": "date-time"}),
        (dt.time, {"type": "string", "format": "time"}),
        (uuid.UUID, {"type": "string", "format": "uuid"}),
        (decimal.Decimal, {"type": "number", "format": "decimal"}),
        (Annotated[decimal.Decimal, Field(gt=0)], {"type": "number", "format": "decimal", "exclusiveMinimum": 0.0}),
        (int | str, {"type": ["integer", "string"]}),
        (int | None, {"type": ["integer", "null"]}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (list, {"type": "array"}),
        (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        (tuple[int, str], {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2}),
        (dict, {"type": "object"}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Any, {}),
        (Point, {"type": "object", "description": "A point.", "properties": {"x": {"type": "integer"}, "y": {"type": "number"}}, "required": ["x"]}),
        (Options, {"type": "object", "required": ["deep"], "properties": {
            "deep": {"type": "boolean"}, "names": {"type": "array", "items": {"type": "string"}}}}),
        (list[Options], {"type": "array", "items": {"type": "object", "required": ["deep"], "properties": {
            "deep": {"type": "boolean"}, "names": {"type": "array", "items": {"type": "string"}}}}}),
        (Query, {"type": "object", "description": "What to look for.", "required": ["text"], "properties": {
            "text": {"type": "string"}, "limit": {"type": "integer", "minimum": 1, "maximum": 10, "default": 5, "description": "how many"},
            "kind": {"type": "string", "enum": ["a", "b"], "default": "a"}}}),
    ],
    ids=str,
)  # fmt: skip
def test_schemas_are_lean(annotation, schema):
    def f(x): ...

    f.__annotations__ = {"x": annotation}
    assert properties(f)["x"] == schema


def test_optional_and_defaulted_parameters():
    def f(a: Annotated[int, "one"] | None = None, b: Literal["x", "y"] | None = None, c: int = 0, d: str = "z", e: int = Field(4, description="four")): ...

    schema = declare(f).spec.parameters
    assert schema["required"] == []
    assert schema["properties"] == {
        "a": {"type": "integer", "description": "one"}, "b": {"type": "string", "enum": ["x", "y"]}, "c": {"type": "integer"},
        "d": {"type": "string", "default": "z"}, "e": {"type": "integer", "default": 4, "description": "four"},
    }  # fmt: skip


def test_parameters_without_annotations_take_types_from_docstring_and_default():
    def f(a, b, c=2.5, d=None):
        """Do.

        Args:
            a (int): one
            b (list[str], optional): two
        """

    assert {key: form.get("type") for key, form in properties(f).items()} == {"a": "integer", "b": "array", "c": "number", "d": None}


def test_dates_are_recognised_where_the_text_is_certain():
    def lifted(date: str, days: int):
        """Add days. date: YYYY-MM-DD. days: how many."""

    def shown(start: str, end: str):
        """Days between, both YYYY-MM-DD. Example: {"start": "2025-01-01", "end": "2025-01-31"}"""

    def unsure(day: str):
        """Weather. day: YYYY-MM-DD or "today". Example: {"day": "2025-01-31"}"""

    assert properties(lifted)["date"]["format"] == "date"
    assert [form.get("format") for form in properties(shown).values()] == ["date", "date"]
    assert "format" not in properties(unsure)["day"]


def test_methods_partials_objects_and_static_methods():
    class World:
        """A world."""

        def look(self, at: str) -> str:
            """Look somewhere."""
            return at

        @tool
        def listen(self, to: str) -> str:
            """Listen."""
            return f"{type(self).__name__} {to}"

        @tool
        @staticmethod
        def wait(seconds: int) -> int:
            """Wait."""
            return seconds

        def __call__(self, x: int) -> int:
            """Be called."""
            return x

    world = World()
    assert list(properties(world.look)) == ["at"]
    assert world.listen("me") == "World me"
    assert list(world.listen.spec.parameters["properties"]) == ["to"]
    assert World.wait(2) == 2
    assert declare(world).spec.name == "World"
    assert declare(world).spec.description == "Be called."
    preset = functools.partial(World.look, world)
    assert declare(preset).spec.name == "look"

    def add(a: int, b: int = 1) -> int:
        """Add."""
        return a + b

    partial = functools.partial(add, b=5)
    assert list(properties(partial)) == ["a"]
    assert declare(partial).spec.description == "Add."
    assert partial(2) == 7


def run_and_call():
    return history("q"), Call("1.1", "f", {})


def test_every_way_of_passing_arguments():
    def f(a: int, b: int = 2, /, c: int = 3, *rest: int, run: Run, call: Call | None = None, key: str = "k", **more: float) -> Any:
        """Do."""
        return a, b, c, rest, run.id, call.id if call else "", key, more

    declared = declare(f)
    assert set(declared.spec.parameters["properties"]) == {"a", "b", "c", "rest", "key"}
    assert declared.spec.parameters["additionalProperties"] == {"type": "number"}
    run, call = run_and_call()

    def given(**args):
        positional, keywords = bind(declared, check(declared.spec.parameters, args)[0], call, run)
        return f(*positional, **keywords)

    assert given(a=1) == (1, 2, 3, (), "test", "1.1", "k", {})
    assert given(a=1, rest=[7, 8], x="1.5") == (1, 2, 3, (7, 8), "test", "1.1", "k", {"x": 1.5})
    assert given(a=1, c=9, key="z") == (1, 2, 9, (), "test", "1.1", "z", {})


def test_values_arrive_in_the_functions_own_types():
    def f(day: dt.date, at: Point, look: Query, colour: Colour = Colour.red, n: int = Field(7)) -> Any: ...

    declared = declare(f)
    args, _ = check(declared.spec.parameters, {"day": "2025-03-04", "at": {"x": 1}, "look": {"text": "t"}, "colour": "deep blue"})
    _, keywords = bind(declared, args, *reversed(run_and_call()))
    assert keywords == {"day": dt.date(2025, 3, 4), "at": Point(1), "look": Query(text="t"), "colour": Colour.deep_blue, "n": 7}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: declare(lambda x: x), "cannot be a tool's name"),
        (lambda: declare(print_it, name="has space"), "pass name="),
        (lambda: declare(print_it, timeout=0), "more than 0 seconds"),
        (lambda: declare(takes_unknown), "a parameter's type has no JSON form"),
        (lambda: declare(takes_unresolved), "cannot be resolved"),
        (lambda: declare(min, name="min"), "no signature"),
        (lambda: declare(takes_callable), "a parameter's type has no JSON form"),
    ],
)
def test_what_cannot_be_a_tool_says_why(make, message):
    with pytest.raises(ConfigError, match=message):
        make()


class Strange: ...


def takes_unknown(x: Strange): ...


def takes_unresolved(x: "Nowhere"): ...  # noqa: F821


def takes_callable(x: typing.Callable[[int], int]): ...


def test_foreign_schemas():
    spec = declare(print_it).spec
    made = foreign(spec, lambda **args: args, timeout=3)
    assert made.timeout == 3
    assert bind(made, {"a": 1}, *reversed(run_and_call())) == ([], {"a": 1})


FINITE = {"allow_nan": False, "allow_infinity": False}
LEAVES: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (int, st.integers()), (float, st.floats(**FINITE)), (bool, st.booleans()), (str, st.text()), (Colour, st.sampled_from(Colour)),
    (Literal["a", "b c", 3], st.sampled_from(["a", "b c", 3])), (dt.date, st.dates()), (dt.datetime, st.datetimes()), (dt.time, st.times()),
    (uuid.UUID, st.uuids()), (decimal.Decimal, st.decimals(**FINITE, places=3)), (int | str, st.integers() | st.text()),
    (Point, st.builds(Point, x=st.integers(), y=st.floats(**FINITE))), (Query, st.builds(Query, text=st.text(), limit=st.integers(1, 10))),
    (Annotated[int, Field(ge=0, lt=50)], st.integers(0, 49)), (dict[str, int], st.dictionaries(st.text(), st.integers(), max_size=3)),
    (tuple[int, bool], st.tuples(st.integers(), st.booleans())), (set[int], st.sets(st.integers(), max_size=4)),
]  # fmt: skip


def typed() -> st.SearchStrategy[tuple[Any, Any]]:
    """A type and a value of it."""
    leaf = st.sampled_from(LEAVES).flatmap(lambda pair: pair[1].map(lambda value: (pair[0], value)))
    several = st.sampled_from(LEAVES[:-1]).flatmap(lambda pair: st.lists(pair[1], max_size=3).map(lambda values: (list[pair[0]], values)))  # type: ignore[valid-type]
    maybe = st.sampled_from(LEAVES).flatmap(lambda pair: (st.none() | pair[1]).map(lambda value: (Union[pair[0], None], value)))  # noqa: UP007
    return leaf | several | maybe


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "date", "名字", "_x", "schema", "class_", "self2"]), typed(), min_size=1), st.data())
def test_the_schema_of_any_signature_takes_its_own_values(params, data):
    namespace: dict[str, Any] = {}
    exec(f"def f({', '.join(params)}): ...", namespace)
    fn = namespace["f"]
    fn.__annotations__ = {key: hint for key, (hint, _) in params.items()}
    declared = declare(fn)
    args = {key: to_jsonable_python(value) for key, (_, value) in params.items()}
    assert fits(declared.spec.parameters, args)
    read, notes = check(declared.spec.parameters, args)
    assert (read, notes) == (args, ())
    _, keywords = bind(declared, read, *reversed(run_and_call()))
    assert keywords == {key: value for key, (_, value) in params.items()}
