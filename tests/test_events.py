"""Events as JSON: every event comes back as it was, an older form is brought up, a newer or damaged one is refused by name."""

import json
from contextlib import suppress
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao import events
from tao.errors import StoreError
from tao.events import (
    KINDS,
    SCHEMA_VERSION,
    Asked,
    Decided,
    Ended,
    Event,
    Misread,
    Nudged,
    Observed,
    Paused,
    Recalled,
    Replied,
    Ruled,
    from_json,
    to_json,
)
from tao.messages import Call, Message, Observation, Reply, ToolCall, ToolSpec, Usage

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NAME = st.none() | TEXT
PLAIN = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
JSON = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=5)
ARGS = st.dictionaries(TEXT, JSON, max_size=3)
SECONDS = st.floats(0, 1e9)
COUNT = st.none() | st.integers(0, 10**9)


def some(strategy):
    return st.lists(strategy, max_size=3).map(tuple)


SPEC = st.builds(ToolSpec, TEXT, TEXT, ARGS, some(TEXT))
CALL = st.builds(Call, TEXT, TEXT, ARGS, NAME)
TOOL_CALL = st.builds(ToolCall, TEXT, TEXT, NAME)
MESSAGE = st.builds(Message, st.sampled_from(["system", "user", "assistant", "tool"]), TEXT, some(TOOL_CALL), NAME, NAME)
USAGE = st.builds(Usage, COUNT, COUNT, COUNT, COUNT)
REPLY = st.builds(Reply, TEXT, some(TOOL_CALL), NAME, TEXT, USAGE, TEXT, SECONDS, st.none() | SECONDS)
OBSERVATION = st.builds(Observation, TEXT, st.booleans(), JSON, TEXT, some(TEXT), TEXT)
EVENTS = st.one_of(
    st.builds(Asked, TEXT, some(SPEC), TEXT, TEXT, TEXT, TEXT, some(MESSAGE), ARGS, at=SECONDS),
    st.builds(Recalled, some(TEXT), at=SECONDS),
    st.builds(Nudged, TEXT, TEXT, some(TEXT), st.booleans(), st.booleans(), st.booleans(), TEXT, at=SECONDS),
    st.builds(Replied, REPLY, TEXT, at=SECONDS),
    st.builds(Decided, TEXT, some(CALL), NAME, some(TEXT), at=SECONDS),
    st.builds(Misread, TEXT, TEXT, TEXT, at=SECONDS),
    st.builds(Observed, TEXT, OBSERVATION, at=SECONDS),
    st.builds(Ruled, TEXT, TEXT, TEXT, TEXT, st.none() | ARGS, TEXT, st.none() | SECONDS, at=SECONDS),
    st.builds(Paused, TEXT, NAME, at=SECONDS),
    st.builds(Ended, TEXT, NAME, TEXT, at=SECONDS),
)


def whole(event):
    """The event with its time, which `==` leaves out."""
    return event, event.at


@given(EVENTS)
def test_every_event_comes_back_as_it_was(event):
    record = json.loads(json.dumps(to_json(event), ensure_ascii=False))
    assert whole(from_json(record)) == whole(event)
    assert record["kind"] in KINDS
    assert record["v"] == SCHEMA_VERSION


@given(EVENTS)
def test_what_is_empty_is_left_out(event):
    record = to_json(event)
    for field in fields(event):
        given_up = field.default_factory() if callable(field.default_factory) else field.default
        assert (field.name in record) == (getattr(event, field.name) != given_up)


def test_chinese_stays_chinese_and_mappings_become_plain():
    event = Asked("今天几号？", (ToolSpec("查询", "查", {"type": "object", 3: ("a",)}),))
    record = to_json(event)
    assert record["tools"] == [{"name": "查询", "description": "查", "parameters": {"type": "object", "3": ["a"]}}]
    assert "今天几号？" in json.dumps(record, ensure_ascii=False)


def test_two_events_that_differ_only_in_time_are_equal():
    assert Paused("x", at=1.0) == Paused("x", at=2.0) != Paused("y", at=1.0)


def test_there_is_a_name_for_every_kind():
    assert {cls.__name__.lower() for cls in Event.__subclasses__()} == set(KINDS)
    assert list(KINDS) == ["asked", "recalled", "nudged", "replied", "decided", "misread", "observed", "ruled", "paused", "ended"]


# ── other versions ────────────────────────────────────────────────────────────


@pytest.fixture
def newer():
    """A tao whose events are at version 3: version 2 renamed `text`, version 3 merged two kinds."""
    kept = events.SCHEMA_VERSION, dict(events.UPGRADES)
    events.SCHEMA_VERSION = 3
    events.UPGRADES[1] = lambda record: {("question" if key == "text" else key): value for key, value in record.items()}
    events.UPGRADES[2] = lambda record: {**record, "kind": "asked" if record["kind"] == "question" else record["kind"]}
    yield
    events.SCHEMA_VERSION = kept[0]
    events.UPGRADES.clear()
    events.UPGRADES.update(kept[1])


@pytest.mark.usefixtures("newer")
def test_an_older_record_is_brought_up_step_by_step():
    assert from_json({"v": 1, "kind": "question", "text": "hello"}) == Asked("hello")
    assert from_json({"kind": "question", "text": "hello"}) == Asked("hello")
    assert from_json({"v": 2, "kind": "question", "question": "hello"}) == Asked("hello")
    assert from_json(to_json(Asked("hello"))) == Asked("hello")


@pytest.mark.parametrize("version", [SCHEMA_VERSION + 1, 99, 0, -1, "1", None, 1.5])
def test_a_version_that_is_not_known_is_refused_by_name(version):
    with pytest.raises(StoreError, match=rf"event schema version {version!r}; this tao reads 1 to {SCHEMA_VERSION}: use a newer one"):
        from_json({**to_json(Asked("x")), "v": version})


def test_fields_that_are_not_known_are_left_out():
    assert from_json({**to_json(Paused("x")), "colour": "blue"}) == Paused("x")


# ── damaged records ───────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", [None, "", "dreamt", 7, ["asked"]])
def test_a_kind_that_is_not_known_is_refused(kind):
    with pytest.raises(StoreError, match=r"unknown event kind .*; known: asked, recalled"):
        from_json({"v": 1, "kind": kind, "question": "x"})


@pytest.mark.parametrize("record", [
    {"kind": "asked"}, {"kind": "asked", "question": 7}, {"kind": "asked", "question": "x", "tools": ["a"]},
    {"kind": "asked", "question": "x", "tools": 5}, {"kind": "replied", "reply": "text"}, {"kind": "replied", "reply": {}},
    {"kind": "replied", "reply": {"text": "x", "usage": None}}, {"kind": "observed", "call_id": "1", "observation": {"text": "x", "ok": "yes"}},
    {"kind": "decided", "calls": [{"id": "1"}]}, {"kind": "decided", "answer": 3}, {"kind": "ended", "reason": "x", "at": "noon"},
    {"kind": "nudged", "text": "x", "by": "y", "may_call": 1}, {"kind": "ruled", "call_id": "1", "args_hash": "2", "verdict": None},
    {"kind": "replied", "reply": {"text": "x", "usage": {"prompt": True}}}, {"kind": "recalled", "notes": "abc"},
    {"kind": "decided", "calls": [{"id": "1", "tool": "t", "args": [1]}]}, {"kind": "observed", "call_id": "1", "observation": "text"},
])  # fmt: skip
def test_a_damaged_record_says_which_kind_and_what(record):
    with pytest.raises(StoreError, match=f"damaged '{record['kind']}' event: .+"):
        from_json(record)


@given(EVENTS, st.data())
def test_a_record_with_a_part_replaced_never_raises_anything_else(event, data):
    record = json.loads(json.dumps(to_json(event)))
    key = data.draw(st.sampled_from(sorted(record)))
    record[key] = data.draw(JSON)
    with suppress(StoreError):
        from_json(record)


@pytest.mark.parametrize("record", [[], "asked", None, 3])
def test_a_record_that_is_no_object(record):
    with pytest.raises(StoreError, match="an event is an object with its kind, not"):
        from_json(record)


def test_whole_numbers_are_read_as_seconds():
    assert from_json({"kind": "paused", "reason": "x", "at": 3}).at == 3.0
    assert replace(Paused("x"), at=3.0).at == 3.0
