import gc
import hashlib
import json

import pytest

from tao.messages import Kept, Message, Request, ToolCall
from tao.testing import spec

CALL = ToolCall("search", '{"q": "上海"}', "c1")
MESSAGES = (
    Message("system", 'Say "hello".'),
    Message("user", "上海有多少人？"),
    Message("assistant", "", (CALL,), reasoning="Look it up."),
    Message("tool", "24,870,895", call_id="c1"),
)


def test_a_digest_is_that_of_the_whole_request_as_compact_json():
    """Recorded runs hold digests: another way of writing the same request would make all of them differ."""
    request = Request(MESSAGES, (spec("search", "Search.", q="string"),), ("\nObservation",), schema={"a": 1}, temperature=0.5)
    whole = [
        [[m.role, m.content, m.reasoning, m.call_id, [[c.id, c.name, c.arguments] for c in m.calls]] for m in request.messages],
        [[t.name, t.description, t.parameters] for t in request.tools],
        [request.stop, request.grammar, request.schema, request.max_tokens, request.temperature, request.tool_choice],
    ]
    text = json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
    assert request.digest() == request.digest() == hashlib.sha256(text.encode()).hexdigest()[:16]
    assert Request(()).digest() == hashlib.sha256(b'[[],[],[[],null,null,null,null,"auto"]]').hexdigest()[:16]


def test_what_is_kept_is_made_once_for_each_value():
    made = []
    kept = Kept(lambda message: made.append(message.content) or len(made))
    first, second = Message("user", "same"), Message("user", "same")
    assert [kept(first), kept(second), kept(first), kept(second)] == [1, 2, 1, 2]
    assert made == ["same", "same"]


def test_what_is_kept_goes_with_the_value():
    kept = Kept(lambda message: message.content.upper())
    for number in range(100):
        assert kept(Message("user", f"a{number}")) == f"A{number}"
    gc.collect()
    assert kept._known == {}


def test_a_function_that_fails_is_asked_again():
    kept = Kept(lambda message: 1 // len(message.content))
    empty = Message("user", "")
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            kept(empty)
    assert kept._known == {}
