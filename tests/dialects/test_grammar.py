"""JSON schemas as grammars: what fits belongs to the grammar, what the grammar makes fits; and no rule that llama.cpp refuses."""

import json
import random as chance
import re

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from tao.dialects import grammar, schemas
from tao.dialects.grammar import Rules, json_literal, literal, object_rule, one_of, schema_rule, text_except
from tao.messages import Message, Request
from tao.tools.validate import fits

SOME = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
TEXT = st.text(st.sampled_from("ab Z9中文，\"\\\n\té😀/{}[]:'"), max_size=8)
KEYS = st.sampled_from(["a", "b", "name", "城市", 'with "quotes"', "a.b", "x-y z", "root", "any", "ws", "", "naïve"])
PATTERNS = {r"^A\d{5}$": "A10023", r"^(red|green)$": "green", r"^[ -~]{1,9}$": 'say "hi"', "[一-龥]": "第一章", r"^(\w+,)*\w+$": "a,b,c"}
FORMATS = {
    "date": ["2025-02-28", "1999-12-31"], "time": ["23:59:59Z", "08:30"], "date-time": ["2025-02-28T08:30:00+08:00"],
    "uuid": ["12345678-1234-1234-1234-1234567890ab"], "email": ["a.b+c@example.org"], "ipv4": ["192.168.0.255"], "decimal": ["-12.50", "0"],
    "uri": ["https://example.org/a?b=c#d"], "unknown": ["whatever"],
}  # fmt: skip


def ends(low, high, gap=0):
    """Two limits in order, so far apart at least, either of them missing."""
    return st.tuples(st.none() | st.integers(low, high), st.none() | st.integers(low, high)).map(
        lambda pair: pair if None in pair else (min(pair), max(pair) + gap)
    )


def limited(kind, low, high, *names, gap=0):
    return ends(low, high, gap).map(lambda pair: {"type": kind, **{name: edge for name, edge in zip(names, pair, strict=True) if edge is not None}})


LEAVES = st.one_of(
    limited("string", 0, 6, "minLength", "maxLength"),
    st.sampled_from(sorted(PATTERNS)).map(lambda pattern: {"type": "string", "pattern": pattern}),
    st.sampled_from(sorted(FORMATS)).map(lambda name: {"type": "string", "format": name}),
    limited("integer", -300, 300, "minimum", "maximum"),
    limited("integer", -30, 300, "exclusiveMinimum", "exclusiveMaximum", gap=2),
    limited("number", -50, 50, "minimum", "exclusiveMaximum", gap=1),
    st.sampled_from([{"type": "boolean"}, {"type": "null"}, {}, {"type": ["integer", "null"]}, {"type": "string", "nullable": True}]),
    st.lists(TEXT | st.integers(-5, 5) | st.none() | st.booleans(), min_size=1, max_size=4).map(lambda values: {"enum": values}),
    TEXT.map(lambda value: {"const": value}),
)


@st.composite
def objects(draw, inner):
    properties = draw(st.dictionaries(KEYS, inner, max_size=4))
    needed = [key for key in properties if draw(st.booleans())]
    return {"type": "object", "properties": properties, "required": needed}


def wider(inner):
    """Schemas made of schemas."""
    lists = st.tuples(inner, ends(0, 4)).map(
        lambda pair: {"type": "array", "items": pair[0], **{k: v for k, v in zip(("minItems", "maxItems"), pair[1], strict=True) if v is not None}}
    )
    return st.one_of(
        objects(inner),
        lists,
        st.lists(inner, min_size=1, max_size=3).map(lambda items: {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}),
        inner.map(lambda value: {"type": "object", "additionalProperties": value}),
        st.lists(inner, min_size=1, max_size=3).map(lambda arms: {"anyOf": arms}),
        st.lists(inner, min_size=1, max_size=2).map(lambda arms: {"oneOf": [*arms, {"type": "null"}]}),
        inner.map(lambda value: {"allOf": [value], "description": "说明"}),
    )


SCHEMAS = st.recursive(LEAVES, wider, max_leaves=6)


def values(schema, root):
    """A strategy for values that fit, within the grammar's own limits."""
    return st.one_of([plain(arm, root) for arm in schemas.arms(schema, root)])


def plain(schema, root):
    if "const" in schema or "enum" in schema:
        return st.sampled_from(schemas.values(schema) or [None])
    low, high = schema.get("minimum", schema.get("exclusiveMinimum", -301) + 1), schema.get("maximum", schema.get("exclusiveMaximum", 401) - 1)
    kind = schema.get("type")
    if kind == "array":
        return lists(schema, root)
    return {
        "string": text, "integer": lambda _: st.integers(low, high), "number": lambda _: st.integers(low, high) | st.integers(low * 100, high * 100).map(lambda n: n / 100),
        "boolean": lambda _: st.booleans(), "null": lambda _: st.none(), "object": lambda _: whole(schema, root),
    }.get(kind, lambda _: st.sampled_from([{"a": [1, "x", None]}, "文", 3.5, [], {}]))(schema)  # fmt: skip


def text(schema):
    if "pattern" in schema:
        return st.just(PATTERNS[schema["pattern"]])
    if "format" in schema:
        return st.sampled_from(FORMATS[schema["format"]])
    low, high = schema.get("minLength", 0), schema.get("maxLength", 9)
    return st.text(st.sampled_from('ab 中"\\\né/'), min_size=low, max_size=max(low, high))


def lists(schema, root):
    if "prefixItems" in schema:
        return st.tuples(*(values(item, root) for item in schema["prefixItems"])).map(list)
    low = schema.get("minItems", 0)
    return st.lists(values(schema.get("items", {}), root), min_size=low, max_size=min(schema.get("maxItems", 4), 4))


def whole(schema, root):
    if "properties" not in schema:
        return st.dictionaries(st.text("ab中", min_size=1, max_size=3), values(schema.get("additionalProperties", {}), root), max_size=3)
    parts = {key: values(part, root) for key, part in schema["properties"].items()}
    needed = {key: parts[key] for key in schema["required"]}
    return st.fixed_dictionaries(needed, optional={key: part for key, part in parts.items() if key not in needed}).map(
        lambda made: {key: made[key] for key in parts if key in made}  # in the schema's order
    )


def written(value):
    """JSON as models usually space it."""
    return json.dumps(value, ensure_ascii=False)


def made(gbnf, schema):
    rules = Rules(schema)
    return gbnf(rules.text(schema_rule(schema, rules)))


# ── for the kind ──────────────────────────────────────────────────────────────


@SOME
@given(schema=SCHEMAS, data=st.data())
def test_what_fits_belongs_to_the_grammar(gbnf, schema, data):
    value = data.draw(values(schema, schema))
    assume(fits(schema, value))
    assert made(gbnf, schema).accepts(written(value))


@SOME
@given(schema=SCHEMAS, random=st.randoms(use_true_random=False), data=st.data())
def test_what_the_grammar_makes_fits(gbnf, schema, random, data):
    data.draw(values(schema, schema))  # there is something that fits: else the grammar allows anything
    value = json.loads(made(gbnf, schema).sample(random))
    assert fits(schema, value)


@SOME
@given(schema=SCHEMAS, other=SCHEMAS, data=st.data())
def test_what_does_not_fit_is_refused(gbnf, schema, other, data):
    data.draw(values(schema, schema))
    value = data.draw(values(other, other))
    assume(not fits(schema, value))
    assert not made(gbnf, schema).accepts(written(value))


@pytest.mark.parametrize("text", ["", "{", '"a', "{'a': 1}", "nul", "01", '"a\nb"', '"\\x"', "[1,]", '{"a": 1,}', "NaN"])
def test_what_is_no_json_is_refused(gbnf, text):
    for schema in ({}, {"type": "string"}, {"type": "array"}, {"type": "object"}, {"type": "number"}):
        assert not made(gbnf, schema).accepts(text)


@pytest.mark.parametrize("value", [{"a": [1, -2.5, {"b": None}], "中": '文\n"\\'}, [], {}, "", 0, True, None, [[["x"]]]])
def test_anything_is_accepted_where_a_schema_says_nothing(gbnf, value):
    for schema in ({}, True, {"description": "anything"}, {"type": "strange"}):
        assert made(gbnf, schema).accepts(written(value))


# ── objects ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("needed", [[], ["a"], ["b"], ["c"], ["a", "c"], ["a", "b", "c"]])
def test_optional_members_in_all_combinations(gbnf, needed):
    schema = {"type": "object", "properties": {key: {"type": "integer"} for key in "abc"}, "required": needed}
    holds = made(gbnf, schema)
    for bits in range(8):
        value = {key: 1 for place, key in enumerate("abc") if bits >> place & 1}
        assert holds.accepts(written(value)) == (set(needed) <= set(value))
    assert not holds.accepts('{"b": 1, "a": 1, "c": 1}')  # in the schema's order
    assert not holds.accepts('{"a": 1, "b": 1, "c": 1, "d": 1}')


def test_white_space_where_tokens_carry_it(gbnf):
    holds = made(gbnf, {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}, "required": ["a"]})
    for text in ('{"a": [1, 2]}', '{"a":[1,2]}', '{\n"a": [1,\n2]\n}'):
        assert holds.accepts(text)


def test_a_required_member_without_a_schema_is_anything(gbnf):
    holds = made(gbnf, {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a", "b"]})
    assert holds.accepts('{"a": 1, "b": ["x"]}')
    assert not holds.accepts('{"a": 1}')


def test_further_members_where_the_schema_allows_them(gbnf):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": {"type": "string"}}
    holds = made(gbnf, schema)
    for text in ('{"a": 1, "b": "x"}', '{"b": "x"}', "{}", '{"a": 1}', '{"b": "x", "c": "y"}'):
        assert holds.accepts(text)
    assert not holds.accepts('{"a": 1, "b": 2}')
    assert not holds.accepts('{"a": "x"}')
    assert made(gbnf, {**schema, "required": ["a"]}).accepts('{"a": 1, "b": "x"}')


def test_members_by_pattern_and_by_names(gbnf):
    holds = made(gbnf, {"type": "object", "patternProperties": {"^x-": {"type": "integer"}, "^(?=no)": {}}})
    assert holds.accepts('{"x-1": 1, "x-2": 2}')
    assert not holds.accepts('{"y": 1}')
    named = made(gbnf, {"type": "object", "propertyNames": {"enum": ["a", "b"]}, "additionalProperties": {"type": "integer"}})
    assert named.accepts('{"a": 1, "b": 2}')
    assert not named.accepts('{"c": 1}')


def test_how_many_members(gbnf):
    holds = made(gbnf, {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1, "maxProperties": 2})
    assert [holds.accepts(text) for text in ("{}", '{"a": 1}', '{"a": 1, "b": 1}', '{"a": 1, "b": 1, "c": 1}')] == [False, True, True, False]
    assert not made(gbnf, {"type": "object", "additionalProperties": {}, "maxProperties": 0}).accepts('{"a": 1}')


def test_objects_without_members(gbnf):
    for schema in ({"type": "object", "properties": {}}, {"type": "object", "additionalProperties": False}, {"properties": {"a": False}}):
        assert made(gbnf, schema).accepts("{}")
        assert not made(gbnf, schema).accepts('{"a": 1}')
    assert object_rule((), Rules(), "x") == '"{" ws "}"'


# ── lists ─────────────────────────────────────────────────────────────────────


def test_lists_whose_items_differ(gbnf):
    schema = {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}, {"type": "boolean"}], "minItems": 1}
    holds = made(gbnf, schema)
    assert [holds.accepts(text) for text in ("[]", "[1]", '[1, "x"]', '[1, "x", true]', '["x"]', '[1, "x", true, 2]')] == [False, True, True, True, False, False]
    assert made(gbnf, {"items": [{"type": "integer"}, {"type": "null"}]}).accepts("[1, null]")


def test_how_many_items(gbnf):
    for low, high in ((0, 0), (0, 2), (1, 1), (2, 3), (3, 60)):
        holds = made(gbnf, {"type": "array", "items": {"type": "integer"}, "minItems": low, "maxItems": high})
        for count in (0, 1, 2, 3, 4, 60, 61):
            assert holds.accepts(written([1] * count)) == (low <= count <= high)
    assert made(gbnf, {"type": "array", "items": {}}).accepts(written([1] * grammar.ITEMS_LIMIT))
    assert not made(gbnf, {"type": "array", "items": {}}).accepts(written([1] * (grammar.ITEMS_LIMIT + 1)))


# ── unions, references ────────────────────────────────────────────────────────


TREE = {
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
                           "children": {"type": "array", "items": {"allOf": [{"$ref": "#/$defs/Node"}], "description": "below"}}},
            "required": ["name"],
        }
    },
    "$ref": "#/$defs/Node",
}  # fmt: skip


def test_a_schema_that_holds_itself(gbnf):
    value = {"name": "根", "next": {"name": "x", "next": None}, "children": [{"name": "y", "children": [{"name": "z"}]}]}
    assert made(gbnf, TREE).accepts(written(value))
    assert not made(gbnf, TREE).accepts('{"name": "x", "next": {"nom": "y"}}')
    holds = made(gbnf, {"type": "object", "properties": {"down": {"$ref": "#", "description": "again"}}})
    assert holds.accepts('{"down": {"down": {}}}')
    for seed in range(20):
        assert fits(TREE, json.loads(made(gbnf, TREE).sample(chance.Random(seed))))


def test_references_that_go_in_circles_or_nowhere(gbnf):
    assert made(gbnf, {"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "integer"}]}}, "$ref": "#/$defs/a"}).accepts("1")
    assert not made(gbnf, {"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "integer"}]}}, "$ref": "#/$defs/a"}).accepts('"x"')
    assert made(gbnf, {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}).accepts('"x"')
    for ref in ("#/$defs/none", "other.json#/x", "#/type/none", "#/list/7"):
        assert made(gbnf, {"list": [{"type": "null"}], "type": "object", "properties": {"x": {"$ref": ref}}}).accepts('{"x": [1]}')
    assert made(gbnf, {"items": [{"type": "null"}, {"$ref": "#/items/0"}]}).accepts("[null, null]")
    assert made(gbnf, {"$defs": {"a/b": {"type": "null"}}, "$ref": "#/$defs/a~1b"}).accepts("null")


def test_the_same_reference_in_two_schemas(gbnf):
    rules = Rules()
    parts = []
    for kind in ("integer", "string"):
        root = {"$defs": {"Item": {"type": kind}}, "type": "array", "items": {"$ref": "#/$defs/Item"}}
        rules.within(root)
        parts.append(schema_rule(root, rules))
    holds = gbnf(rules.text(" ".join(parts)))
    assert holds.accepts('[1]["x"]')
    assert not holds.accepts('["x"][1]')


def test_a_schema_that_was_looked_in_before(gbnf):
    rules, root = Rules(), {"$defs": {"a": {"type": "null"}}, "properties": {"x": {"$ref": "#/$defs/a"}, "y": {}, "z": True}}
    parts = []
    for schema in (root, {}, root):
        rules.within(schema)
        parts.append(schema_rule(schema, rules))
    holds = gbnf(rules.text(" ".join(parts)))
    assert holds.accepts('{"x": null, "y": 1, "z": [2]}"anything"{"x": null}')
    assert not holds.accepts('{"x": 1}"anything"{}')


def test_keywords_beside_a_union_hold_for_every_arm(gbnf):
    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    holds = made(gbnf, schema)
    assert holds.accepts('{"a": 1}')
    assert holds.accepts('{"b": 1}')
    assert not holds.accepts("{}")
    assert not holds.accepts('{"a": "x"}')


def test_parts_that_must_all_hold(gbnf):
    schema = {"allOf": [
        {"type": "object", "properties": {"a": {"type": "number", "minimum": 1}}, "required": ["a"]},
        {"properties": {"a": {"type": "integer", "minimum": 3, "maximum": 5}, "b": {"enum": ["x", "y"]}}, "required": ["b"]},
        {"properties": {"b": {"enum": ["y", "z"]}}, "additionalProperties": False},
    ]}  # fmt: skip
    holds = made(gbnf, schema)
    assert holds.accepts('{"a": 3, "b": "y"}')
    for text in ('{"a": 2, "b": "y"}', '{"a": 3.5, "b": "y"}', '{"a": 3, "b": "x"}', '{"a": 3}'):
        assert not holds.accepts(text)
    lists = {"allOf": [{"items": {"type": "integer"}}, {"items": {"minimum": 3}}, {"maxItems": 2}, {"maxItems": 4}]}
    assert made(gbnf, lists).accepts("[3, 4]")
    assert not made(gbnf, lists).accepts("[3, 2]")
    assert not made(gbnf, lists).accepts("[3, 4, 5]")


@pytest.mark.parametrize("schema", [
    False, {"enum": []}, {"type": "string", "enum": [1]}, {"allOf": [{"type": "string"}, {"type": "integer"}]}, {"anyOf": [False]},
    {"type": "integer", "minimum": 2, "maximum": 1}, {"type": "integer", "minimum": 4, "maximum": 5, "multipleOf": 3},
    {"allOf": [{"enum": [1]}, {"enum": [2]}]}, {"type": "number", "minimum": 2, "exclusiveMaximum": 2},
])  # fmt: skip
def test_what_nothing_fits_allows_anything_and_the_check_decides(gbnf, schema):
    assert made(gbnf, schema).accepts('{"any": ["thing"]}')


def test_too_many_alternatives_allow_anything(gbnf):
    few = {"anyOf": [{"const": n} for n in range(9)]}
    many = {"anyOf": [{"type": "object", "properties": {str(n): {}}} for n in range(90)]}
    assert made(gbnf, many).accepts('"x"')
    assert not made(gbnf, few).accepts('"x"')
    assert made(gbnf, {"allOf": [{"anyOf": [{"minimum": n} for n in range(60)]} for _ in range(3)]}).accepts('"x"')


def test_a_schema_without_a_type_is_read_by_its_keywords(gbnf):
    for schema, good, bad in (
        ({"properties": {"a": {}}}, "{}", "[]"), ({"items": {"type": "null"}}, "[null]", "{}"), ({"maxLength": 2}, '"ab"', '"abc"'),
        ({"minimum": 3}, "3.5", "2"), ({"required": ["a"]}, '{"a": 1}', "{}"),
    ):  # fmt: skip
        assert made(gbnf, schema).accepts(good)
        assert not made(gbnf, schema).accepts(bad)


# ── values ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("schema", "good", "bad"), [
    ({"type": "integer", "minimum": 5, "exclusiveMinimum": True}, ["6"], ["5"]),
    ({"type": "integer", "minimum": 0.5, "maximum": 2.5}, ["1", "2"], ["0", "3"]),
    ({"type": "integer", "minimum": 0, "maximum": 100, "multipleOf": 25}, ["0", "25", "100"], ["26"]),
    ({"type": "integer", "multipleOf": 5}, ["5", "3"], ["x"]),
    ({"type": "integer", "minimum": "three", "maximum": True}, ["-7"], []),
    ({"type": "number", "exclusiveMinimum": 0, "maximum": 0.5}, ["0.5", "0.01"], ["0", "0.51"]),
    ({"type": "number", "minimum": 1, "exclusiveMinimum": 2}, ["2.1"], ["1.5", "2"]),
    ({"type": "string", "minLength": 2, "maxLength": 3}, ['"ab"', '"中\\n\\u4e2d"'], ['"a"', '"abcd"']),
    ({"type": "string", "minLength": 5000}, [written("x" * 1900)], [written("x" * 1899)]),
    ({"type": "string", "pattern": "(?=x)", "maxLength": 2}, ['"ab"'], ['"abc"']),
    ({"type": "string", "format": "date"}, ['"2024-02-29"'], ['"2024-02-30"', '"2024-04-31"', '"2024-13-01"', '"0000-01-01"', '"2024-1-1"']),
    ({"type": "string", "format": "ipv4"}, ['"10.0.0.1"'], ['"10.0.0.256"', '"10.0.0"']),
    ({"type": "string", "format": "time"}, ['"09:30"'], ['"24:00"', '"9:30"']),
    ({"type": ["string", "null"], "enum": ["a", None, 3]}, ['"a"', "null"], ["3"]),
    ({"const": {"k": ["v", 1]}}, ['{"k": ["v", 1]}'], ["{}"]),
    ({"enum": ["一", 'say "x"', "back\\slash", "tab\t"]}, [written(v) for v in ("一", 'say "x"', "back\\slash", "tab\t")], ['"二"']),
    ({"enum": [True, 1]}, ["true", "1"], ["false"]),
    ({"type": "integer", "enum": [True, 1.0, 2, 2.5]}, ["1.0", "2"], ["true", "2.5"]),
])  # fmt: skip
def test_single_values(gbnf, schema, good, bad):
    holds = made(gbnf, schema)
    assert [text for text in good if not holds.accepts(text)] == []
    assert [text for text in bad if holds.accepts(text)] == []


# ── texts that differ from others ─────────────────────────────────────────────


def new_text(gbnf, used, barred=(), limit=20):
    rules = Rules()
    return gbnf(rules.text(text_except(used, rules, limit, barred)))


@SOME
@given(used=st.lists(st.text('abAB中^]-\\" ', max_size=4), max_size=4), barred=st.lists(st.text("abB中-", max_size=3), max_size=3), text=st.text('abAB中^]-\\" c', min_size=1, max_size=6))
@example(used=["ab", "abc"], barred=["ab", "abcd", "a"], text="b")
@example(used=[], barred=[], text="a")
def test_a_text_that_was_not_used_and_does_not_begin_as_barred(gbnf, used, barred, text):
    plain = [one.lower() for one in used if one and not set(one) & {'"', "\\"}]
    refused = text.lower() in plain or any(one and text.lower().startswith(one.lower()) for one in barred)
    assert new_text(gbnf, used, barred).accepts(written(text)) == (not refused)


def test_a_new_text_has_a_beginning_and_an_end(gbnf):
    for used in ([], ["ab"]):
        holds = new_text(gbnf, used)
        assert not holds.accepts('""')
        assert not holds.accepts(written("x" * 40))
        assert holds.accepts(written("x" * 20))


# ── names and literals ────────────────────────────────────────────────────────


@given(st.text(max_size=12))
@example("\x00\x1b\u2028\U000e0001")
def test_a_literal_is_exactly_its_text(gbnf, text):
    assume(not any(0xD800 <= ord(char) <= 0xDFFF for char in text))
    holds = gbnf(f"root ::= {literal(text)} [x]")
    assert holds.accepts(f"{text}x")
    assert not holds.accepts(f"{text}y")
    assert gbnf(f"root ::= {json_literal(text)} [x]").accepts(f"{written(text)}x")


@given(st.lists(st.tuples(st.text(max_size=70), st.text("ab", min_size=1, max_size=3)), max_size=12))
@example([("root", "a"), ("any", "b"), ("ws", "aa"), ("数据", "bb"), ("数-字", "ab"), ("2nd", "ba"), ("a.b c", "aaa"), ("A B-c", "bbb")])
def test_rules_have_names_of_their_own(gbnf, named):
    rules = Rules()
    names = [rules.add(hint, literal(body)) for hint, body in named]
    for name in names:
        assert re.fullmatch("[a-z][a-z0-9-]*", name)
        assert name not in grammar.SHARED
    assert len(set(names)) == len({body for _, body in named})
    gbnf(rules.text('"x"'))


@given(st.lists(st.text('ab中"\\', max_size=5), min_size=1, max_size=40), st.text('ab中"\\', max_size=5))
@example([""], "a")
@example([f"{n:02}" for n in range(50)], "49")
@example([*"abcdefghijklmnop", "", "ab", "abc"], "ab")
def test_one_of_many_texts(gbnf, texts, other):
    holds = gbnf(f"root ::= {one_of(texts)}")
    assert all(map(holds.accepts, texts))
    assert holds.accepts(other) == (other in texts)


def test_shared_rules_bring_what_they_mention(gbnf):
    for name in grammar.SHARED.keys() - {"root", "any"}:
        rules = Rules()
        gbnf(rules.text(rules.shared(name)))


# ── what llama.cpp refuses ────────────────────────────────────────────────────


BIG = {
    "lists of objects of lists of texts": {"type": "array", "maxItems": 50, "items": {"type": "object", "additionalProperties": {
        "type": "array", "maxItems": 100, "items": {"type": "string", "maxLength": 1000}}}},
    "a thousand values": {"enum": [f"value number {n}" for n in range(1000)]},
    "very many items": {"type": "array", "minItems": 3, "maxItems": 100000, "items": {"type": "array", "maxItems": 5000, "items": {"type": "string"}}},
    "very many members": {"type": "object", "minProperties": 5000, "additionalProperties": {"type": "object", "additionalProperties": {"type": "string"}}},
    "a hundred optional members": {"type": "object", "properties": {f"p{n}": {"type": "array", "items": {"type": "string"}} for n in range(100)}},
    "a pattern in a pattern": {"type": "array", "items": {"type": "string", "pattern": "^(([a-z]{1,60} ?){1,60}, ?){1,60}$"}},
    "deep": json.loads('{"type": "array", "items": ' * 40 + '{"type": "string"}' + "}" * 40),
    "anything in anything": {"type": "object", "additionalProperties": {"type": "array", "items": {}}},
    "a tree": TREE,
    "unions of unions": {"anyOf": [{"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}}] * 3},
}  # fmt: skip


@pytest.mark.parametrize("name", BIG)
def test_large_schemas_stay_within_what_llama_cpp_takes(gbnf, name):
    holds = made(gbnf, BIG[name])
    assert fits(BIG[name], json.loads(holds.sample(chance.Random(1), deepest=8))) or "very many" in name


# ── the real thing ────────────────────────────────────────────────────────────

PERSON = {"type": "object", "properties": {
    "名字": {"type": "string", "maxLength": 8}, "born": {"type": "string", "format": "date"}, "size": {"type": "integer", "minimum": 40, "maximum": 230},
    "code": {"type": "string", "pattern": r"^[A-Z]\d{3}$"}}, "required": ["名字", "born", "size", "code"]}  # fmt: skip
REAL = {
    **BIG,
    "a person": PERSON,
    "a number": {"type": "number", "minimum": 0.25, "exclusiveMaximum": 12},
    "printable": {"type": "string", "pattern": r"^[ -~]{1,12}$"},
    "Chinese": {"type": "string", "pattern": "^[一-龥]{2,6}$"},
    "quoted": {"enum": ['say "hi"', "back\\slash", "tab\t", "中文，，"]},
    "strange keys": {"type": "object", "properties": {'a "b"': {"type": "boolean"}, "c.d e": {"type": "null"}, "^]-": {"type": "integer"}}, "required": ['a "b"', "c.d e"]},
    "formats": {"type": "array", "prefixItems": [{"type": "string", "format": name} for name in grammar.FORMATS]},
    "a union": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 2}]},
    "further members": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": {"type": "boolean"}},
    "a new text": None,
}  # fmt: skip


@pytest.mark.model
@pytest.mark.parametrize("name", REAL)
async def test_llama_cpp_takes_it_and_holds_the_reply_to_it(gbnf, engine, name):
    rules = Rules(REAL[name])
    body = schema_rule(REAL[name], rules) if REAL[name] else text_except(["the cat", "a"], rules, 12, ["Ich", "[x]"])
    text = rules.text(f"{body} [ \\n]{{0,3}}")
    reply = await engine(Request((Message("user", "Write some JSON about a cat named 小花."),), grammar=text, max_tokens=48))
    assert reply.finish in {"stop", "length"}
    if reply.finish == "stop":
        assert gbnf(text).accepts(reply.text)
        assert REAL[name] is None or fits(REAL[name], json.loads(reply.text)) or "very many" in name
