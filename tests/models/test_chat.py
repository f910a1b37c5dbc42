"""Requests as bytes, and usage in every provider's shape."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao.messages import Message, Request, ToolCall, Usage
from tao.models import blocks
from tao.models.chat import Gather, Writing, body, described, read_likely, read_usage
from tao.testing import spec


def test_a_growing_history_is_written_once_and_correctly():
    messages = [Message("system", 'Say "hi"\n你好')]
    for step in range(30):
        messages.append(Message("user" if step % 2 else "assistant", f"step {step} …"))
        sent = json.loads(body(Request(tuple(messages), tools=(spec("t", "x"),)), {"model": "m"}))
        assert [(m["role"], m["content"]) for m in sent["messages"]] == [(m.role, m.content) for m in messages]
        assert sent["tools"][0]["function"]["name"] == "t"


def test_lone_surrogates_do_not_break_the_body():
    assert json.loads(body(Request((Message("user", "a\ud83d b"),)), {}))["messages"][0]["content"] == "a? b"


def test_the_same_message_is_written_differently_for_different_providers():
    message = Message("assistant", "", reasoning="r")
    assert "reasoning_content" not in json.loads(body(Request((message,)), {}))["messages"][0]
    assert json.loads(body(Request((message,)), {}, Writing("kept")))["messages"][0]["reasoning_content"] == "r"


@pytest.mark.parametrize(
    ("raw", "usage"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}, Usage(10, 5, None, None)),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}, "completion_tokens_details": {"reasoning_tokens": 2}},
            Usage(10, 5, 4, 2),
        ),
        ({"prompt_tokens": 10, "completion_tokens": 5, "prompt_cache_hit_tokens": 8, "prompt_cache_miss_tokens": 2}, Usage(10, 5, 8, None)),
        ({"prompt_tokens": 10, "completion_tokens": 5, "cached_tokens": 3}, Usage(10, 5, 3, None)),
        ({"input_tokens": 10, "output_tokens": 5, "total_tokens": 15, "cache_read_input_tokens": 7}, Usage(10, 5, 7, None)),
        ({"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 7}, Usage(17, 5, 7, None)),
        ({"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 1000, "cache_creation_input_tokens": 50}, Usage(1060, 5, 1000, None, 50)),
        ({"prompt_tokens": 10, "completion_tokens": 5, "cache_read_input_tokens": 7}, Usage(10, 5, 7)),
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 1015, "prompt_tokens_details": {"cached_tokens": 1000}}, Usage(1010, 5, 1000)),
        (
            {"prompt_tokens": 8, "completion_tokens": 62, "total_tokens": 70, "prompt_tokens_details": {"cached_tokens": 900}, "cache_creation_input_tokens": 50},
            Usage(958, 62, 900, None, 50),
        ),
        ({"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14, "completion_tokens_details": {"reasoning_tokens": 20}}, Usage(9, 25, None, 20)),
        ({"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 0}, "prompt_cache_hit_tokens": 90}, Usage(100, 5, 90)),
        ({"prompt_tokens": 10, "completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 20}}, Usage(10, 25, None, 20)),
        ({"prompt_tokens": "100", "completion_tokens": " 5 ", "prompt_tokens_details": {"cached_tokens": "90"}}, Usage(100, 5, 90)),
        ({"prompt_tokens": -1, "completion_tokens": -5, "total_tokens": "many"}, Usage()), ({"prompt_tokens": True}, Usage()),
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, Usage()),
        ({"prompt_tokens": 40, "total_tokens": 50}, Usage(40, 10)), ({"completion_tokens": 10, "total_tokens": 50}, Usage(40, 10)),
        ({"total_tokens": 50}, Usage()),
        ({"input_tokens": 9, "output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 1}}, Usage(9, 5, None, 1)),
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 115}, Usage(10, 105, None, 100)),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 35, "completion_tokens_details": {"reasoning_tokens": 20}},
            Usage(10, 25, None, 20),
        ),
        ({"prompt_tokens": 10, "completion_tokens": 0, "total_tokens": 10, "prompt_tokens_details": None}, Usage(10, 0, None, None)),
        ({"prompt_tokens": None}, Usage()), ({"prompt_tokens": 3.0, "completion_tokens": float("nan"), "total_tokens": float("inf")}, Usage(3)),
    ],
)
def test_usage_in_every_shape(raw, usage):
    assert read_usage(raw) == usage


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf"), 10**400, -(10**400), True])
def test_odd_numbers_are_no_probabilities(number):
    told = {"content": [{"top_logprobs": [{"token": "a", "logprob": number}, {"token": "b", "logprob": 0}]}]}
    assert {token: share for token, share in read_likely(told).items() if token != "a" or number is not True} == {"b": 1.0}


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"a":' * 100_000])
def test_arguments_too_deep_to_be_read_go_back_as_text(deep):
    sent = Request((Message("assistant", "", calls=(ToolCall("add", deep, "c1"),)),))
    assert json.loads(json.loads(body(sent, {}))["messages"][0]["tool_calls"][0]["function"]["arguments"]) == {"text": deep}
    assert json.loads(blocks.body(sent, {"model": "m"}).body)["messages"][1]["content"][0]["input"] == {"text": deep}


def test_usage_inside_a_choice_or_a_group_is_found():
    for piece in ({"choices": [{"delta": {}, "usage": {"prompt_tokens": 3}}]}, {"choices": [], "x_groq": {"usage": {"prompt_tokens": 3}}}):
        gather = Gather()
        gather.feed(piece)
        assert gather.usage.prompt == 3


@pytest.mark.parametrize("after", [
    {"prompt_tokens": None, "completion_tokens": None}, {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, {"total_tokens": 14}, {}, None, [1],
])  # fmt: skip
def test_what_a_stream_told_of_its_tokens_is_not_taken_back(after):
    gather = Gather()
    for usage in ({"prompt_tokens": 10, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 8}}, {"completion_tokens": 4}, after):
        gather.feed({"choices": [{"delta": {"content": "a"}}], "usage": usage})
    assert gather.usage == Usage(10, 4, 8)


@pytest.mark.parametrize("kind", ["chat.completion", "chat.completion.chunk"])
def test_a_whole_message_at_the_end_of_a_stream_is_not_said_twice(kind):
    gather = Gather()
    call = {"id": "a", "function": {"name": "look", "arguments": '{"n": 1}'}}
    details = {"type": "reasoning.text", "index": 0, "text": "想想"}
    for delta in ({"reasoning_content": "想想", "reasoning_details": [details]}, {"content": "你"}, {"content": "好"}, {"tool_calls": [{"index": 0, **call}]}):
        gather.feed({"object": "chat.completion.chunk", "choices": [{"delta": delta}], "usage": {"total_tokens": 0, "total_characters": 0}})
    whole = {"role": "assistant", "content": "你好", "reasoning_content": "想想", "reasoning_details": [details]}
    whole |= {"tool_calls": [call]} if kind == "chat.completion" else {}
    usage = {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30}
    assert gather.feed({"object": kind, "choices": [{"finish_reason": "tool_calls", "message": whole}], "usage": usage}) == ""
    reply = gather.reply()
    assert (reply.text, reply.reasoning, reply.calls, reply.usage) == ("你好", "想想", (ToolCall("look", '{"n": 1}', "a"),), Usage(20, 10))
    assert json.loads(reply.kept) == {"reasoning_details": [details]}


def test_what_only_the_whole_message_at_the_end_of_a_stream_says_is_heard():
    gather = Gather()
    gather.feed({"choices": [{"delta": {"content": "你"}}]})
    whole = {"content": "你好", "reasoning_content": "想想", "tool_calls": [{"id": "a", "function": {"name": "look", "arguments": "{}"}}]}
    assert gather.feed({"object": "chat.completion", "choices": [{"message": whole}]}) == "好"
    reply = gather.reply()
    assert (reply.text, reply.reasoning, len(reply.calls)) == ("你好", "想想", 1)
    pieces = Gather()
    for text in ("a", "b", "a"):  # a stream of messages, not of deltas
        pieces.feed({"choices": [{"message": {"content": text}}]})
    assert pieces.reply().text == "aba"


def test_a_long_description_is_cut_for_the_wire_where_a_sentence_ends():
    said = "A sentence of some words. " * 60
    sent = described(said)
    assert (len(sent) <= 1024, sent[-12:]) == (True, "some words.…")
    assert described("短句。" * 400)[-3:] == "句。…"
    assert described("x" * 2000) == "x" * 1023 + "…"
    assert described(said[:1024]) == said[:1024]


TEXTS = st.text(max_size=8)
ODD = st.recursive(st.one_of(st.none(), st.booleans(), st.integers(-3, 3), TEXTS), lambda inner: st.one_of(
    st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(
        "index id type function name arguments content text thinking reasoning reasoning_content reasoning_details tool_calls summary data extra_content google "
        "thought_signature format".split()
    ), inner, max_size=5),
), max_leaves=12)  # fmt: skip
DELTA = st.dictionaries(st.sampled_from("content refusal reasoning reasoning_content reasoning_details tool_calls function_call role".split()), ODD)
CHOICE = st.fixed_dictionaries({}, optional={"delta": st.one_of(DELTA, ODD), "message": st.one_of(DELTA, ODD), "finish_reason": ODD, "usage": ODD, "logprobs": ODD})


@given(st.lists(st.fixed_dictionaries({}, optional={"choices": st.one_of(ODD, st.lists(CHOICE, max_size=2)), "usage": ODD, "model": ODD, "x_groq": ODD}), max_size=5))
def test_no_piece_however_odd_is_a_bug(pieces):
    gather = Gather()
    for piece in pieces:
        gather.feed(piece)
    reply = gather.reply()
    assert isinstance(reply.text, str)
    assert all(isinstance(call.name, str) and isinstance(call.arguments, str) for call in reply.calls)
