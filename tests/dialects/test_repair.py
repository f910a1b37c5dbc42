"""Damaged JSON: what is mended, what is refused, and where reading ends."""

import pytest

from tao.dialects.escapes import unescape
from tao.dialects.repair import MAX_DEPTH, Fault, Read, read_json, read_loose, read_strict


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1} and more', {"a": 1}),
        ("{'a': 'b'}", {"a": "b"}),
        ("{a: b c, d: True, e: null}", {"a": "b c", "d": True, "e": None}),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
        ('{"a": 1; "b": 2}', {"a": 1, "b": 2}),
        ('{"a" = 1}', {"a": 1}),
        ('{"a" => 1}', {"a": 1}),
        ('{"a": ["x" "y",]}', {"a": ["x", "y"]}),
        ("{'a': ('x', 1)}", {"a": ["x", 1]}),
        ('{"a": [1, 2}', {"a": [1, 2]}),
        ('[{"a": 1]', [{"a": 1}]),
        ('{"a": {"b": "c"', {"a": {"b": "c"}}),
        ('{"a": true', {"a": True}),
        ('{"a": [', None),
        ('{"a":', None),
        ('{"a": "b', None),
        ('{"a": 12', None),
        ('{"a": 12,', None),
        ("", None),
        ("{'a': -0.5e3}", {"a": -500.0}),
        ("{'a': 007}", {"a": "007"}),
        ("{'a': 2024-06-27}", {"a": "2024-06-27"}),
        ("{'a': https://x.y/z}", {"a": "https://x.y/z"}),
        ('{"a": "b" /* c */, // d\n "e": 1}', {"a": "b", "e": 1}),
        ('{"a": “b”，“c”：“d”}', {"a": "b", "c": "d"}),
        ('{“a": "b”}', {"a": "b"}),
        ('{"a": \'x "y" z\'}', {"a": 'x "y" z'}),
        ("{'a': 'don't'}", {"a": "don't"}),
        ('{"a": "say "hi" to", "b": 1}', {"a": 'say "hi" to', "b": 1}),
        ('{"a": "say "hi", "b": 1}', {"a": 'say "hi', "b": 1}),
        ('{"a": "x" + "y"}', None),
        ('{"a": f(x)}', None),
        ('{"a": "b", "c", "d": 1}', None),
        ('{"a": "b "c", "d": "e"f"}', None),
    ],
)
def test_mended_or_refused(text, value):
    found = read_json(text)
    assert (found.value if isinstance(found, Read) else None) == value


@pytest.mark.parametrize(
    ("text", "kind"),
    [('{"a": "b', "truncated"), ('{"a": 1', "truncated"), ('{"a": b', "truncated"), ('{"a": [1, 2', "truncated"), ("{a b}", "damaged"), ('{"a": b(', "damaged")],
)
def test_what_may_go_on_is_told_from_what_is_damaged(text, kind):
    found = read_json(text)
    assert isinstance(found, Fault)
    assert found.kind == kind


def test_a_text_that_the_model_itself_ended_may_end_in_a_number():
    assert read_json('{"a": 1') == Fault("truncated", 7)
    assert read_json('{"a": 1\n</tool_call>', 0, 7, sealed=True) == Read({"a": 1}, 7, mended=True, cut=True)


def test_strict_json_is_not_touched():
    assert read_json('{"a": "it\'s // no # comment", "b": "“”"}') == Read({"a": "it's // no # comment", "b": "“”"}, 40)
    assert read_json('{"a": "x\ny"}') == Read({"a": "x\ny"}, 12)


def test_the_missing_opening_brace():
    assert read_loose('"a": 1, "b": "c"}', body=True) == Read({"a": 1, "b": "c"}, 17, mended=True)


@pytest.mark.parametrize("bracket", ["[", '{"a":', "(", "{{'a':"])
def test_depth_is_bounded(bracket):
    assert isinstance(read_json(bracket * 100_000), Fault)
    assert isinstance(read_strict("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)), Fault)
    assert isinstance(read_strict("[" * MAX_DEPTH + "]" * MAX_DEPTH), Read)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (r"a\nb", "a\nb"),
        (r"it\'s a\_b", "it's a_b"),
        (r"\d+\.\w", r"\d+\.\w"),
        (r"\bx\d", r"\bx\d"),
        (r"\u00e9\u12", "é\\u12"),
        (r"C:\new\Temp", r"C:\new\Temp"),
        (r"\ud83d\ude00", "😀"),
        ("\\ud83d", "\ud83d"),
        ("\\", "\\"),
    ],
)
def test_escapes(raw, text):
    assert unescape(raw) == text
