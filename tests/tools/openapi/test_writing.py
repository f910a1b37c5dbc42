"""What arrives at a server equals what was given, in every style that OpenAPI knows."""

import json
from email import message_from_bytes
from email.policy import HTTP
from urllib.parse import parse_qsl, unquote, unquote_plus

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tao.errors import ToolError
from tao.tools.openapi.operations import Body, Parameter
from tao.tools.openapi.writing import in_body, in_cookie, in_header, in_path, in_query

COLORS, RGB = ["blue", "black", "brown"], {"R": 100, "G": 200, "B": 150}


def param(place, style, explode=False, *, name="color", reserved=False, media=""):
    return Parameter(name, place, True, style, explode, reserved, {}, "", media=media)


@pytest.mark.parametrize(("style", "explode", "one", "many", "table"), [
    ("simple", False, "blue", "blue,black,brown", "R,100,G,200,B,150"), ("simple", True, "blue", "blue,black,brown", "R=100,G=200,B=150"),
    ("label", False, ".blue", ".blue,black,brown", ".R,100,G,200,B,150"), ("label", True, ".blue", ".blue.black.brown", ".R=100.G=200.B=150"),
    ("matrix", False, ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"),
    ("matrix", True, ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"),
])  # fmt: skip
def test_styles_of_a_path(style, explode, one, many, table):
    for value, wanted in (("blue", one), (COLORS, many), (RGB, table)):
        assert in_path("/a/{color}/b", {"color": (param("path", style, explode), value)}) == f"/a/{wanted}/b"


@pytest.mark.parametrize(("style", "explode", "one", "many", "table"), [
    ("form", False, "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"), ("form", True, "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"),
    ("spaceDelimited", False, "color=blue", "color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"),
    ("pipeDelimited", False, "color=blue", "color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"),
    ("deepObject", True, "color=blue", "color=blue&color=black&color=brown", "color[R]=100&color[G]=200&color[B]=150"),
])  # fmt: skip
def test_styles_of_a_query(style, explode, one, many, table):
    for value, wanted in (("blue", one), (COLORS, many), (RGB, table)):
        assert "&".join(in_query(param("query", style, explode), value)) == wanted


def test_other_values():
    assert in_query(param("query", "form", explode=True), []) == []
    assert in_query(param("query", "form", explode=True), [True, None, 1.5, {"a": "京"}])[3] == "color=%7B%22a%22%3A%22%E4%BA%AC%22%7D"
    assert in_query(param("query", "form", reserved=True), "a/b?c&d=e") == ["color=a/b?c%26d%3De"]
    assert in_query(param("query", "deepObject", explode=True), {"price": {"from": 1}, "in": ["a", "b"]}) == ["color[price][from]=1", "color[in]=a", "color[in]=b"]
    assert in_query(param("query", "form", media="application/json"), {"a": [1]}) == ["color=%7B%22a%22%3A%5B1%5D%7D"]
    assert in_header(param("header", "simple"), RGB) == "R,100,G,200,B,150"
    assert in_header(param("header", "simple", explode=True), RGB) == "R=100,G=200,B=150"
    assert in_header(param("header", "simple", media="application/json"), {"a": "京"}) == '{"a": "\\u4eac"}'
    assert in_cookie(param("cookie", "form", explode=True), ["a;b", "c"]) == ["color=a%3Bb", "color=c"]
    for text in ("a\r\nX: y", "a\0"):
        with pytest.raises(ToolError, match="cannot hold line breaks"):
            in_header(param("header", "simple"), text)


# ── what arrives, read by the rules of the styles ─────────────────────────────

TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
SAFE = TEXT.filter(lambda text: not any(part in {".", "..", ""} for part in text.replace("\\", "/").split("/")))
SCALAR = st.one_of(TEXT, st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))
ITEMS = st.lists(TEXT, min_size=1, max_size=4)
TABLE = st.dictionaries(TEXT, TEXT, min_size=1, max_size=4)
EVERY = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def said(value):
    return value if isinstance(value, str) else json.dumps(value)


@EVERY
@given(st.one_of(SAFE, st.integers(), st.booleans()), st.lists(SAFE.filter(lambda text: "." not in text), min_size=1, max_size=4), st.sampled_from(["simple", "label", "matrix"]))
def test_a_path_says_what_was_given(value, items, style):
    lead = {"simple": "", "label": ".", "matrix": ";p="}[style]
    path = in_path("/a/{p}/{q}", {"p": (param("path", style, name="p"), value), "q": (param("path", "simple", name="q"), items)})
    assert path.count("/") == 3
    first, second = path.split("/")[2:]
    assert first[: len(lead)] == lead
    assert unquote(first[len(lead) :]) == said(value)
    assert [unquote(part) for part in second.split(",")] == items


@EVERY
@given(SCALAR, ITEMS, TABLE)
def test_a_query_says_what_was_given(value, items, table):
    parts = [*in_query(param("query", "form", explode=True, name="a b"), value), *in_query(param("query", "form", explode=True, name="l"), items)]
    parts += in_query(param("query", "deepObject", explode=True, name="d"), table)
    found = parse_qsl("&".join(parts), keep_blank_values=True, max_num_fields=99)
    assert found == [("a b", said(value)), *(("l", item) for item in items), *((f"d[{key}]", item) for key, item in table.items())]
    for style, delimiter in (("form", ","), ("spaceDelimited", "%20"), ("pipeDelimited", "%7C")):
        plain = [item for item in items if not set(item) & {" ", "|"}] or ["x"]
        name, _, joined = in_query(param("query", style, name="l"), plain)[0].partition("=")
        assert (name, [unquote(part) for part in joined.split(delimiter)]) == ("l", plain)


@EVERY
@given(ITEMS, TABLE)
def test_cookies_and_headers_say_what_was_given(items, table):
    pairs = [*in_cookie(param("cookie", "form", name="l"), items), *in_cookie(param("cookie", "form", explode=True), table)]
    read = [pair.partition("=") for pair in "; ".join(pairs).split("; ")]
    assert [unquote(part) for part in read[0][2].split(",")] == items
    assert {unquote(name): unquote(value) for name, _, value in read[1:]} == table


@EVERY
@given(st.dictionaries(TEXT, st.one_of(SCALAR, ITEMS), min_size=1, max_size=5))
def test_a_form_says_what_was_given(table):
    data, kind = in_body(Body("application/x-www-form-urlencoded", {}, "", required=True, description="", encoding={}), table)
    pairs = [(key, said(one)) for key, value in table.items() for one in (value if isinstance(value, list) else [value])]
    assert kind == "application/x-www-form-urlencoded"
    assert [tuple(map(unquote_plus, part.split("="))) for part in data.decode().split("&")] == pairs


@EVERY
@given(st.recursive(st.one_of(st.none(), SCALAR), lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)), max_leaves=12))
def test_json_says_what_was_given(value):
    data, kind = in_body(Body("application/json", {}, "", required=True, description="", encoding={}), value)
    assert (json.loads(data), kind) == (value, "application/json")


def parted(data, kind):
    message = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + data, policy=HTTP)
    return [(part.get_param("name", header="Content-Disposition"), part.get_filename(), part.get("Content-Type"), part.get_payload(decode=True)) for part in message.get_payload()]


def test_multipart_says_files_objects_and_lists():
    schema = {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}, "more": {"type": "array", "items": {"format": "binary"}}}}
    body = Body("multipart/form-data", schema, "", required=True, description="", encoding={"file": {"contentType": "text/csv"}})
    data, kind = in_body(body, {"file": "城市,3\r\n", "more": ["a"], "about": {"x": "茶"}, "tags": ["p", "q"], "n": 3, "none": None})
    assert parted(data, kind) == [
        ("file", "file", "text/csv", "城市,3\r\n".encode()), ("more", "more", "application/octet-stream", b"a"),
        ("about", None, "application/json", '{"x":"茶"}'.encode()), ("tags", None, None, b"p"), ("tags", None, None, b"q"), ("n", None, None, b"3"), ("none", None, None, b""),
    ]  # fmt: skip


def test_a_name_or_value_cannot_end_its_part():
    body = Body("multipart/form-data", {}, "", required=True, description="", encoding={"a": {"contentType": "x/y\r\nX: y"}})
    data, kind = in_body(body, {'a"\r\nX: y': "--tao-\r\n--x--", "a": "b"})
    assert [(name, value) for name, _, _, value in parted(data, kind)] == [("a%22%0D%0AX: y", b"--tao-\r\n--x--"), ("a", b"b")]


def test_a_form_may_have_styles_and_other_texts_are_sent_as_they_are():
    body = Body("application/x-www-form-urlencoded", {}, "", required=True, description="", encoding={"ids": {"style": "pipeDelimited"}, "deep": {"style": "deepObject", "explode": True}})
    assert in_body(body, {"ids": [1, 2], "deep": {"a": 1}, "o": {"b": 2}, "n": None})[0] == b"ids=1%7C2&deep[a]=1&o=%7B%22b%22%3A2%7D&n="
    assert in_body(Body("text/csv", {}, "", required=True, description="", encoding={}), "城") == ("城".encode(), "text/csv; charset=utf-8")
    assert in_body(Body("application/xml", {}, "", required=True, description="", encoding={}), "<a/>") == (b"<a/>", "application/xml")
