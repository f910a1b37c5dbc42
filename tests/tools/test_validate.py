import importlib.util
import json
import os
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from tao.errors import BadArguments
from tao.tools.declare import declare
from tao.tools.validate import check, fits

SHARED = Path(os.environ.get("TAO_SHARED", Path(__file__).parents[3] / "shared"))


def one(schema, value, **more):
    """The value as it comes out, and the notes, for a schema with the single required parameter x."""
    args, notes = check({"type": "object", "properties": {"x": schema}, "required": ["x"], **more}, {"x": value})
    return args["x"], notes


def refused(schema, value, lang="en", **more):
    with pytest.raises(BadArguments) as caught:
        check({"type": "object", "properties": {"x": schema}, "required": ["x"], **more}, {"x": value}, lang)
    return str(caught.value)


INTEGERS = {"type": "array", "items": {"type": "integer"}}
STRINGS = {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("schema", "came", "read"),
    [
        ({"type": "integer"}, "42", 42),
        ({"type": "integer"}, 3.0, 3),
        ({"type": "number"}, "３.5", 3.5),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, 0, False),
        ({"type": "string"}, 10023, "10023"),
        ({"type": "string", "format": "date"}, "2025/3/4", "2025-03-04"),
        ({"type": "string", "pattern": r"^A\d{5}$"}, " Ａ10023", "A10023"),
        ({"type": "array", "items": {"type": "integer"}}, "[1,2]", [1, 2]),
        (STRINGS, "Beijing", ["Beijing"]),
        (INTEGERS, 5, [5]),
        (INTEGERS, "5", [5]),
        (INTEGERS, (1, 2), [1, 2]),
        ({"type": "array", "items": {"type": "object"}}, {"a": 1}, [{"a": 1}]),
        ({"type": "array", "uniqueItems": True}, [1, 1, True], [1, True]),
        ({"type": "object", "properties": {"a": {"type": "integer"}}}, '{"a": "1"}', {"a": 1}),
        ({"type": "object", "properties": {"a_b": {"type": "integer"}}}, {"A-B": 1}, {"a_b": 1}),
        ({"enum": ["Red", "deep blue"]}, "DEEP_BLUE", "deep blue"),
        ({"enum": [1, 2]}, "2", 2),
        ({"enum": [True, "x"]}, "TRUE", True),
        ({"type": ["integer", "null"]}, "null", None),
        ({"type": ["integer", "null"]}, "7", 7),
        ({"anyOf": [{"type": "integer"}, INTEGERS]}, "5", 5),
        ({"anyOf": [{"type": "integer"}, INTEGERS]}, "[5]", [5]),
        ({"type": "integer", "nullable": True}, None, None),
        ({"$ref": "#/$defs/N", "description": "n"}, "3", 3),
        ({"allOf": [{"type": "integer"}, {"minimum": 1}]}, "3", 3),
        ({"type": []}, "free", "free"),
    ],
)
def test_harmless_readings_are_made_and_noted(schema, came, read):
    value, notes = one(schema, came, **{"$defs": {"N": {"type": "integer"}}})
    assert value == read
    assert type(value) is type(read)
    assert bool(notes) == (json.dumps(came) != json.dumps(read))


def test_a_note_says_what_became_of_what():
    assert one({"type": "integer"}, "42")[1] == ('x: "42" → 42',)
    schema = {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}, "required": ["x"]}
    assert check(schema, {"X": 1, "y": None}) == ({"x": 1}, ("X → x", "y: null → ∅"))


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "number"}, 3), ({"type": "string"}, "４２"), ({"type": "string"}, " space "), ({}, {"any": [None]}), (True, 5),
        ({"type": ["string", "integer"]}, "42"), ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "42"), ({"type": "null"}, None),
        ({"type": "object"}, {"free": 1}), ({"type": "array", "prefixItems": [{"type": "integer"}]}, [1, "more"]),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": 1}), ({"const": 5}, 5), ({"enum": [1]}, 1.0),
        ({"type": "object", "properties": {"a": {}}, "additionalProperties": True}, {"b": 1}),
        ({"type": "object", "properties": {}, "patternProperties": {"^n": {"type": "integer"}}}, {"n1": 1}),
        ({"properties": {"a": {"type": "integer"}}}, {"a": 1}), ({"minLength": 2}, "ab"), ({"items": {"type": "integer"}}, [1]), ({"minimum": 2}, 2),
        ({"type": "string", "pattern": "(?<n"}, "a pattern that Python cannot read is not checked"), ({"type": "strange"}, 1),
        ({"type": "number", "format": "decimal"}, "0.10"), ({"minItems": 1}, "not a list"), ({"$ref": "#/nowhere/x"}, 1),
        ({"type": "number", "multipleOf": 0.1}, 0.3), ({"type": "string", "format": "date"}, "2024-02-29"),
    ],
)  # fmt: skip
def test_what_fits_is_left_alone(schema, value):
    assert one(schema, value) == (value, ())
    assert fits(schema, value)


@pytest.mark.parametrize(
    ("schema", "value", "wanted"),
    [
        ({"type": "integer"}, True, 'x: got true (true/false), wanted a whole number. Example: {"x": 3}'),
        ({"type": "integer"}, "3.5", "wanted a whole number"),
        ({"type": "integer"}, None, "x: got null (nothing), wanted a whole number"),
        ({"type": "integer", "minimum": 1, "maximum": 5}, 9, "wanted a whole number, at least 1, at most 5"),
        ({"type": "integer", "exclusiveMinimum": 1, "multipleOf": 2}, "3", 'more than 1, a multiple of 2. Example: {"x": 2}'),
        ({"type": "number", "exclusiveMaximum": 0}, 0, 'less than 0. Example: {"x": -1}'),
        ({"type": "number"}, float("nan"), "wanted a number"),
        ({"type": "number"}, "many", "wanted a number"),
        ({"type": "number", "format": "decimal", "minimum": 1}, "0.5", "wanted a number, at least 1"),
        ({"type": "boolean"}, "maybe", "wanted true or false"),
        ({"type": "null"}, 1, "wanted null"),
        ({"type": "string"}, 1.5, "wanted text"),
        ({"type": "string"}, {"a": 1}, 'got {"a": 1} (object)'),
        ({"type": "string", "format": "date"}, "2025-02-30", "wanted a real date as YYYY-MM-DD"),
        ({"type": "string", "format": "time"}, "noon", "wanted a time as HH:MM:SS"),
        ({"type": "string", "format": "date-time"}, "2025-02-03", "wanted a date and time"),
        ({"type": "string", "format": "uuid"}, "x", "wanted text (uuid)"),
        ({"type": "string", "pattern": "^A", "description": "letter A first"}, "B1", "wanted text, matching ^A (letter A first)"),
        ({"type": "string", "minLength": 3}, "ab", "at least 3 characters"),
        (STRINGS, "Beijing, Shanghai", "wanted a list of text"),
        (STRINGS, "  ", "wanted a list of text"),
        (INTEGERS, ["1", "x", {}], 'x[1]: got "x" (text), wanted a whole number; x[2]: got {} (object)'),
        ({**INTEGERS, "minItems": 2}, [1], "a list of a whole number, at least 2 items"),
        ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2}, 1, "a list of a whole number, text"),
        ({"type": "object", "properties": {"a": {"type": "integer"}}}, {"a": "x", "b": 1}, 'x.a: got "x"'),
        ({"type": "object", "properties": {"amount": {}}}, {"amont": 1}, "unknown parameter x.amont, did you mean amount? (parameters: amount)"),
        ({"type": "object", "required": ["a"]}, {}, "x.a is missing: wanted any value"),
        ({"type": "object"}, "{broken", "wanted an object"),
        ({"type": "array", "items": INTEGERS}, [1, 2], "x[0]: got 1 (whole number), wanted a list of a whole number"),
        ({"enum": ["a", "b"]}, "c", 'wanted one of "a", "b"'),
        ({"enum": ["a"]}, {}, 'wanted "a"'),
        ({"enum": ["A", "a"]}, "Ａ", "wanted one of"),
        ({"enum": [1, 2]}, "-1", "wanted one of 1, 2"),
        ({"enum": ["c", "d"]}, "-c", 'wanted one of "c", "d"'),
        ({"type": ["integer", "boolean"]}, "1", "can be read in more than one way, wanted a whole number or true or false"),
        ({"anyOf": [{"type": "integer"}, {"type": "object", "properties": {"a": {"type": "integer"}}}]}, {"a": "q"}, 'x.a: got "q"'),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "q", "wanted a whole number or null"),
        (False, 1, "unknown parameter x"),
        ({"$ref": "#/properties/x"}, 1, "x: nested too deeply"),
        ({"type": "object", "properties": {"o": {"type": "object", "additionalProperties": False}}}, {"o": {"a": 1}}, "unknown parameter x.o.a (parameters: none)"),
    ],
)  # fmt: skip
def test_violations_name_parameter_value_wish_and_example(schema, value, wanted):
    said = refused(schema, value)
    assert wanted in said
    assert ". Example: {" in said
    assert not fits({"type": "object", "properties": {"x": schema}}, {"x": value}) or schema == {"type": ["integer", "boolean"]}


def test_the_same_in_chinese():
    assert refused({"type": "integer"}, "许多", "zh") == 'x：收到 "许多"（文本），需要整数。示例：{"x": 3}'
    schema = {"type": "object", "properties": {"day": {"type": "string", "format": "date", "description": "哪天"}, "n": {"type": "integer"}}, "required": ["day"]}
    with pytest.raises(BadArguments) as caught:
        check(schema, {"n": 3, "dya": "x"}, "zh")
    assert str(caught.value) == (
        '没有参数 dya，是不是 day？（可用参数：day、n）；缺少 day：需要真实日期，格式 YYYY-MM-DD（哪天）。示例：{"day": "2025-01-31", "n": 3}'
    )


def test_the_example_keeps_what_was_right_and_prefers_the_tools_own():
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {}}, "required": ["a", "b"]}
    with pytest.raises(BadArguments, match=r'Example: \{"a": "mine", "b": 8\}'):
        check(schema, {"a": "mine", "b": "x"}, "en", {"a": "yours", "b": 8})


def test_many_problems_are_counted():
    with pytest.raises(BadArguments, match="and 3 more"):
        check({"type": "object", "properties": {}}, dict.fromkeys("abcdefgh"))


def test_arguments_that_are_no_object():
    with pytest.raises(BadArguments, match="the arguments: got \\[1\\]"):
        check({"type": "object", "properties": {}}, [1])  # type: ignore[arg-type]


def test_deep_nesting_is_refused():
    value = {"n": None}
    for _ in range(100):
        value = {"n": value}
    schema = {"$defs": {"N": {"type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}}}}
    assert "nested too deeply" in refused({"$ref": "#/$defs/N"}, value, **schema)


# ── properties ────────────────────────────────────────────────────────────────

NAMES = st.sampled_from(["a", "date", "名字", "limit", "order_id", "x2"])
LETTERS = st.text("abc xyz中文，.", min_size=1, max_size=12)


def valued() -> st.SearchStrategy:
    """A schema and a value that fits it."""
    integers = st.integers(-(10**6), 10**6)
    leaves = [
        integers.map(lambda n: ({"type": "integer"}, n)),
        integers.map(lambda n: ({"type": "integer", "minimum": n - 1, "maximum": n + 5}, n)),
        st.floats(-1e6, 1e6).map(lambda x: ({"type": "number"}, x)),
        st.booleans().map(lambda b: ({"type": "boolean"}, b)),
        LETTERS.map(lambda t: ({"type": "string"}, t)),
        st.dates().map(lambda d: ({"type": "string", "format": "date"}, d.isoformat())),
        st.sampled_from(["red", "deep blue", "绿"]).map(lambda c: ({"enum": ["red", "deep blue", "绿"]}, c)),
        st.from_regex(r"\A[A-Z]\d{5}\Z").map(lambda t: ({"type": "string", "pattern": r"^[A-Z]\d{5}$"}, t)),
    ]
    leaf = st.one_of(leaves)
    several = st.one_of([st.lists(one, min_size=1, max_size=3).map(lambda pairs: ({"type": "array", "items": pairs[0][0]}, [pairs[0][1]])) for one in leaves])
    inner = st.dictionaries(NAMES, leaf, min_size=1, max_size=2).map(
        lambda d: ({"type": "object", "properties": {k: s for k, (s, _) in d.items()}, "required": list(d)}, {k: v for k, (_, v) in d.items()}),
    )
    return leaf | several | inner


CALLS = st.dictionaries(NAMES, valued(), min_size=1, max_size=4).map(
    lambda d: ({"type": "object", "properties": {k: s for k, (s, _) in d.items()}, "required": list(d)}, {k: v for k, (_, v) in d.items()}),
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CALLS)
def test_valid_arguments_pass_unchanged(call):
    schema, args = call
    assert check(schema, args) == (args, ())
    assert fits(schema, args)


def respelled(schema, value):
    """Other ways of writing the same value."""
    kind = schema.get("type", "enum")
    if kind in {"integer", "number"}:
        yield str(value)
        yield f" {value} ".translate({ord(str(n)): chr(0xFF10 + n) for n in range(10)})
        if kind == "integer":
            yield float(value)
    elif kind == "boolean":
        yield str(value).lower()
        yield "是" if value else "否"
    elif schema.get("format") == "date":
        year, month, day = value.split("-")
        yield f"{year}/{int(month)}/{int(day)}"
        yield f"{year}年{int(month)}月{int(day)}日"
    elif kind == "enum":
        yield value.upper()
        yield f" {value}"
    elif kind in {"array", "object"}:
        yield json.dumps(value, ensure_ascii=False)


def damaged(schema):
    """Values that cannot be meant."""
    kind = schema.get("type", "enum")
    yield from {"integer": [{}, "many", 1.5, True, "1.5"], "number": [[], "many", False], "boolean": ["perhaps", 7, {}], "enum": ["purple", {}, 5],
                "array": [None, "a, b"], "object": [None, "text", 5], "string": [{}, [], None]}[kind]  # fmt: skip
    if "maximum" in schema:
        yield schema["maximum"] + 1
    if "format" in schema:
        yield from ["2025-02-30", "03/04/2025", "tomorrow"]
    if "pattern" in schema:
        yield "a1"
    if schema.get("properties"):
        yield {"stranger": 1}
        yield {}


@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CALLS, st.data())
def test_mutated_arguments_are_read_rightly_or_refused_by_name(call, data):
    schema, args = call
    name = data.draw(st.sampled_from(list(args)))
    form = schema["properties"][name]
    change = data.draw(st.sampled_from(["respell", "damage", "drop", "stranger", "null"]))
    if change == "respell":
        ways = [way for way in respelled(form, args[name]) if way != args[name] or type(way) is not type(args[name])]
        if not ways:
            return
        mutated = {**args, name: data.draw(st.sampled_from(ways))}
        read, notes = check(schema, mutated)
        assert read == args
        assert all(type(read[key]) is type(args[key]) for key in args) or form.get("type") == "number"
        assert any(note.startswith(name) for note in notes)
        return
    mutated = {key: value for key, value in args.items() if change != "drop" or key != name}
    if change == "damage":
        mutated[name] = data.draw(st.sampled_from(list(damaged(form))))
    elif change == "stranger":
        name = "stranger"
        mutated[name] = 1
    elif change == "null":
        mutated[name] = None
    with pytest.raises(BadArguments) as caught:
        check(schema, mutated, data.draw(st.sampled_from(["en", "zh"])))
    assert name in str(caught.value)


# ── real material ─────────────────────────────────────────────────────────────


@pytest.mark.parametrize("world", ["retail", "airline"])
def test_recorded_calls_of_real_tools_pass_unchanged(world):
    folder = SHARED / "data" / "tau-bench"
    if not folder.exists():
        pytest.skip(f"no {folder}; set TAO_SHARED")
    schemas = {t["function"]["name"]: t["function"]["parameters"] for t in json.loads((folder / f"{world}_tools_schema.json").read_text())}
    tasks = json.loads((folder / f"{world}_tasks_test.json").read_text())
    calls = [action for task in tasks for action in task["actions"]]
    assert len(calls) > 50
    for call in calls:
        args = call.get("kwargs", call.get("arguments"))
        assert check(schemas[call["name"]], args) == (args, ())


def test_the_tools_of_the_suite_take_their_own_examples():
    path = SHARED / "suite" / "tools.py"
    if not path.exists():
        pytest.skip(f"no {path}; set TAO_SHARED")
    found = importlib.util.spec_from_file_location("suite_tools", path)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    for function in module.World(path.parent / "world.json").tools():
        tool = declare(function)
        if tool.example:
            assert check(tool.spec.parameters, tool.example) == (tool.example, ())


def test_an_example_follows_references_in_the_schema():
    node = {"type": "object", "required": ["name", "next"], "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/Node"}}}
    schema = {"type": "object", "properties": {"body": {"$ref": "#/$defs/Body"}}, "required": ["body"], "$defs": {
        "Body": {"type": "object", "required": ["size", "of"], "properties": {"size": {"$ref": "#/$defs/Size"}, "of": {"$ref": "#/$defs/Gone"}}},
        "Size": {"enum": ["S", "M"]}, "Node": node,
    }}  # fmt: skip
    with pytest.raises(BadArguments, match=r'^body is missing: wanted an object with size, of\. Example: \{"body": \{"size": "S", "of": "…"\}\}$'):
        check(schema, {})
    with pytest.raises(BadArguments, match=r"body is missing: wanted an object with name, next\."):
        check({**schema, "properties": {"body": {"$ref": "#/$defs/Node"}}}, {})  # it refers to itself without end


@pytest.mark.parametrize("came", ["1.000", "12.000", "-1.000", "1,000", "１.０００"])
def test_thousands_or_a_fraction_is_not_guessed(came):
    schema = {"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]}
    for lang, said in (("en", f'amount: got "{came}" (text), wanted a whole number'), ("zh", f'amount：收到 "{came}"（文本）')):
        with pytest.raises(BadArguments) as caught:
            check(schema, {"amount": came}, lang)
        assert said in str(caught.value)
    assert check({"properties": {"amount": {"type": "number"}}}, {"amount": "1.000"})[0] == {"amount": 1.0}


@pytest.mark.parametrize("kind", ["integer", "number"])
@pytest.mark.parametrize(("step", "number", "fits_it"), [
    (5, 10**400, True), (5, 10**400 + 1, False), (5, -(10**4000), True), (0.5, 10**400, True), (0.3, 10**400, False),
    (5, 2**60 + 1, False), (5, 2**60 + 4, True), (0.1, 10**300, True),
])  # fmt: skip
def test_steps_of_numbers_of_any_size(kind, step, number, fits_it):
    assert fits({"type": kind, "multipleOf": step}, number) is fits_it
