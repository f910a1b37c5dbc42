"""Anthropic's messages API, spoken with a server on loopback that answers as the documents say."""

import asyncio
import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao import Agent
from tao.errors import Declined, Refused, TooLong, Transient
from tao.messages import Image, Message, Request, ToolCall, Usage
from tao.models.anthropic import MessagesModel
from tao.models.blocks import Gathering
from tao.models.profiles import PROFILES
from tao.testing import spec
from tao.tools.declare import tool

_spec = importlib.util.spec_from_file_location("provider_on_loopback", Path(__file__).parent / "conftest.py")
loopback = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(loopback)

ASK = Request((Message("system", "简短回答"), Message("user", "三加四？")))
TOOLS = (spec("add", "Adds", a="integer", b="integer"),)
WITH_TOOLS = replace(ASK, tools=TOOLS)
THINKING = {"type": "thinking", "thinking": "三加四…", "signature": "c2ln"}
HIDDEN = {"type": "redacted_thinking", "data": "ZGF0YQ=="}
EPHEMERAL = {"type": "ephemeral"}
NEW, OLD = "claude-opus-5-5", "claude-sonnet-4-5"


def quiet(_text):
    return False


def use(mark="toolu_1", **args):
    return {"type": "tool_use", "id": mark, "name": "add", "input": args}


def without_marks(blocks):
    return [{key: value for key, value in block.items() if key != "cache_control"} for block in blocks]


@pytest.fixture
async def connect(provider):
    models = []

    def make(model=NEW, **options):
        models.append(MessagesModel(PROFILES["anthropic"], model, key="sk-ant-api-1", base_url=provider.url, **options))
        return models[-1]

    yield make
    for model in models:
        await model.close()


async def test_a_plain_call_sends_what_the_form_wants_and_reads_text_usage_and_model(provider, connect):
    provider.will(provider.message("七", usage={"input_tokens": 2, "cache_read_input_tokens": 8, "cache_creation_input_tokens": 5, "output_tokens": 3}))
    reply = await connect(OLD)(replace(ASK, max_tokens=9, temperature=0.5, stop=("\nObservation:", "\n\n")))
    assert (reply.text, reply.finish, reply.model, reply.calls, reply.kept) == ("七", "stop", "served", (), "")
    assert reply.usage == Usage(15, 3, 8, None, 5)
    assert provider.bodies[0] == {
        "model": OLD, "max_tokens": 9, "stream": False, "temperature": 0.5, "stop_sequences": ["\nObservation:"],
        "system": [{"type": "text", "text": "简短回答", "cache_control": EPHEMERAL}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "三加四？", "cache_control": EPHEMERAL}]}],
    }  # fmt: skip
    assert "三加四？".encode() in provider.raw[0]
    assert (provider.headers[0]["x-api-key"], provider.headers[0]["anthropic-version"]) == ("sk-ant-api-1", "2023-06-01")


async def test_a_limit_is_sent_where_none_was_asked_for_and_no_marks_where_no_cache_is_wanted(provider, connect):
    provider.will(provider.message("七"))
    await connect(cache=False)(ASK)
    assert provider.bodies[0]["max_tokens"] == 16_000
    assert "cache_control" not in provider.raw[0].decode()


@pytest.mark.parametrize("streamed", [False, True])
async def test_thoughts_text_and_several_calls_come_whole_or_in_events(provider, connect, streamed):
    whole = provider.message(
        THINKING, HIDDEN, "我来算。", use(a=3, b=4), use("toolu_2"), stop="tool_use",
        usage={"input_tokens": 5, "output_tokens": 40, "output_tokens_details": {"thinking_tokens": 12}},
    )  # fmt: skip
    provider.will(provider.stream(*provider.events(whole), done=False) if streamed else whole)
    heard = []
    reply = await connect()(WITH_TOOLS, (lambda text: bool(heard.append(text))) if streamed else None)
    assert (reply.text, reply.reasoning, reply.finish) == ("我来算。", "三加四…", "tool_calls")
    assert [(c.name, json.loads(c.arguments), c.id) for c in reply.calls] == [("add", {"a": 3, "b": 4}, "toolu_1"), ("add", {}, "toolu_2")]
    assert reply.usage == Usage(5, 40, None, 12, None)
    assert "".join(heard) == ("我来算。" if streamed else "")
    assert provider.bodies[0]["tools"] == [{"name": "add", "description": "Adds", "input_schema": TOOLS[0].parameters}]
    assert [block["type"] for block in json.loads(reply.kept)["anthropic"]["blocks"]] == ["thinking", "redacted_thinking", "text", "tool_use", "tool_use"]


async def test_one_connection_serves_call_after_call_streamed_or_not(provider, connect):
    provider.will(provider.message("a"), provider.stream(*provider.events(provider.message("b")), done=False), provider.message("c"))
    model = connect()
    for hear in (None, quiet, None):
        await model(ASK, hear)
    assert len(set(provider.peers)) == 1


async def test_hear_and_stop_words_end_a_stream_early_and_close_its_connection(provider, connect):
    closed = asyncio.Event()

    async def forever(_request, response):
        try:
            while True:
                await response.write(b'data: {"type":"ping"}\n\n')
                await asyncio.sleep(0.01)
        except (ConnectionError, asyncio.CancelledError):
            closed.set()
            raise

    begun = provider.events(provider.message("one\nObservation: two"), size=40, until="content_block_stop")
    provider.will(provider.stream(*begun, done=False, then=forever))
    heard = []
    reply = await connect()(replace(ASK, stop=("\nObservation:",)), lambda text: bool(heard.append(text)))
    assert (reply.text, reply.finish, "".join(heard)) == ("one", "stop", "one")
    await asyncio.wait_for(closed.wait(), 5)


async def test_cancelling_a_call_reaches_the_server(provider, connect):
    closed, begun = asyncio.Event(), asyncio.Event()

    async def hang(_request):
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            closed.set()
            raise

    provider.will(hang)
    task = asyncio.create_task(connect()(ASK))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(closed.wait(), 5)


# ── the history, sent back ────────────────────────────────────────────────────


CALLED = Message("assistant", "", (ToolCall("add", '{"a":1,"b":2}', "3.1"), ToolCall("add", "{broken", "3.2")))
RESULTS = (Message("tool", "3", call_id="3.1"), Message("tool", "", call_id="3.2"))


async def test_results_of_parallel_calls_stand_in_one_message_and_ids_fit_the_server(provider, connect):
    provider.will(provider.message("ok"))
    await connect(cache=False)(replace(WITH_TOOLS, messages=(*ASK.messages, CALLED, *RESULTS, Message("user", "weiter"), Message("system", "later"))))
    _, assistant, user = provider.bodies[0]["messages"]
    assert assistant["content"] == [use("3_1", a=1, b=2), use("3_2", text="{broken")]
    assert user["content"] == [
        {"type": "tool_result", "tool_use_id": "3_1", "content": "3"}, {"type": "tool_result", "tool_use_id": "3_2", "content": "—"},
        {"type": "text", "text": "weiter"}, {"type": "text", "text": "later"},
    ]  # fmt: skip


async def test_a_history_with_calls_keeps_its_tools_described_when_none_may_be_called(provider, connect):
    provider.will(provider.message("ok"))
    await connect()(replace(ASK, messages=(*ASK.messages, CALLED, *RESULTS)))
    body = provider.bodies[0]
    assert ([entry["name"] for entry in body["tools"]], body["tool_choice"]) == (["add"], {"type": "none"})


async def test_a_conversation_begins_and_ends_with_the_user(provider, connect):
    provider.will(provider.message("ok"))
    await connect(cache=False)(Request((Message("assistant", "hello"), Message("user", " "), Message("assistant", "so"))))
    assert [(m["role"], m["content"][0]["text"]) for m in provider.bodies[0]["messages"]] == [
        ("user", "—"), ("assistant", "hello"), ("user", "—"), ("assistant", "so"), ("user", "—"),
    ]  # fmt: skip


async def test_the_ends_of_the_last_two_user_turns_and_of_the_system_text_are_marked_for_the_cache(provider, connect):
    provider.will(provider.message("ok"))
    steps = tuple(message for _ in range(3) for message in (CALLED, *RESULTS))
    await connect()(replace(WITH_TOOLS, messages=(*ASK.messages, *steps)))
    body = provider.bodies[0]
    marked = [
        (place, at) for place, message in enumerate(body["messages"]) for at, block in enumerate(message["content"]) if "cache_control" in block
    ]
    assert (marked, body["system"][0]["cache_control"]) == ([(4, 1), (6, 1)], EPHEMERAL)


@pytest.mark.parametrize("streamed", [False, True])
async def test_blocks_with_their_signatures_go_back_as_they_came_in_a_whole_run(provider, connect, streamed):
    @tool
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    blocks = [THINKING, HIDDEN, {"type": "text", "text": "First. "}, {**THINKING, "signature": "dA=="}, use(a=3, b=4), use("toolu_2", a=1, b=1)]
    answers = [provider.message(*blocks, stop="tool_use"), provider.message({**THINKING, "thinking": ""}, "Seven.")]
    provider.will(*(provider.stream(*provider.events(one), done=False) if streamed else one for one in answers))
    agent = Agent(connect(), [add], lang="en")
    run = await agent.run("3 + 4?", on_delta=(lambda _delta: None) if streamed else None)
    assert run.answer == "Seven."
    sent = provider.bodies[1]["messages"]
    assert without_marks(sent[1]["content"]) == blocks
    assert [block["tool_use_id"] for block in sent[2]["content"]] == ["toolu_1", "toolu_2"]
    assert without_marks(sent[0]["content"]) == without_marks(provider.bodies[0]["messages"][0]["content"])


async def talked(provider, model, request, *answers):
    """Send a request, and again with each reply and a result behind it; what was sent last."""
    provider.answers.clear()
    provider.will(*answers)
    for _ in answers:
        reply = await model(request)
        said = Message("assistant", reply.text.strip(), reply.calls, reasoning=reply.reasoning, kept=reply.kept)
        results = tuple(Message("tool", "3", call_id=call.id) for call in reply.calls) or (Message("user", "and?"),)
        request = replace(request, messages=(*request.messages, said, *results))
    return request


async def test_a_thought_whose_beginning_has_changed_is_left_out_and_what_was_thought_since_stays(provider, connect):
    model, call = connect(cache=False), provider.message(THINKING, use(a=1, b=2), stop="tool_use")
    request = await talked(provider, model, WITH_TOOLS, call)
    changed = replace(request, messages=(Message("system", "anders"), *request.messages[1:]))
    request = await talked(provider, model, changed, provider.message({**THINKING, "signature": "bmV3"}, use("toolu_9"), stop="tool_use"))
    provider.will(provider.message("ok"))
    await model(request)
    _, first, _, second, _ = provider.bodies[-1]["messages"]
    assert [block["type"] for block in first["content"]] == ["tool_use"]
    assert [block.get("signature") for block in second["content"]] == ["bmV3", None]


@pytest.mark.parametrize("model", ["claude-opus-5", "claude-sonnet-4-6", "deepseek-flash"])
async def test_models_that_do_not_bind_their_thoughts_get_them_back_whatever_has_changed(provider, connect, model):
    there = connect(model, cache=False)
    request = await talked(provider, there, WITH_TOOLS, provider.message(THINKING, use(a=1, b=2), stop="tool_use"))
    await there(replace(request, messages=(Message("system", "anders"), *request.messages[1:])))
    assert [block["type"] for block in provider.bodies[-1]["messages"][1]["content"]] == ["thinking", "tool_use"]


async def test_with_a_budget_for_thinking_calls_without_a_thought_are_answered_without_thinking(provider, connect):
    def strict(body):
        return body.get("thinking", {}).get("type") == "enabled"

    provider.will(provider.message("ok"))
    model = connect(OLD, thinking=True)
    bare = (*ASK.messages, CALLED, *RESULTS)
    await model(replace(WITH_TOOLS, messages=bare))
    await model(replace(WITH_TOOLS, messages=(*bare, Message("user", "ja?"))))
    await model(replace(WITH_TOOLS, messages=(*bare, Message("assistant", "3"), Message("user", "Und 4 + 4?"))))
    assert [strict(body) for body in provider.bodies] == [False, False, True]
    request = await talked(provider, model, WITH_TOOLS, provider.message(THINKING, use(a=1, b=2), stop="tool_use"))
    await model(request)
    assert strict(provider.bodies[-1])


async def test_a_reply_that_was_changed_since_is_told_without_its_blocks(provider, connect):
    model = connect(cache=False)
    request = await talked(provider, model, WITH_TOOLS, provider.message(THINKING, use(a=1, b=2), stop="tool_use"))
    edited = replace(request.messages[2], calls=(ToolCall("add", '{"a":9,"b":9}', "toolu_1"),))
    await model(replace(request, messages=(*request.messages[:2], edited, request.messages[3])))
    assert provider.bodies[-1]["messages"][1]["content"] == [use(a=9, b=9)]


async def test_what_another_provider_kept_means_nothing_here(provider, connect):
    provider.will(provider.message("ok"))
    for kept in ('{"reasoning_details":[]}', "no json", '{"anthropic":7}', '{"anthropic":{"prefix":"x","blocks":[{"type":"tool_use"}]}}', '{"anthropic":{"prefix":"x","blocks":[7]}}'):
        await connect(cache=False)(replace(ASK, messages=(*ASK.messages, Message("assistant", "so", kept=kept), Message("user", "?"))))
        assert provider.bodies[-1]["messages"][1]["content"] == [{"type": "text", "text": "so"}]


# ── what a model takes ────────────────────────────────────────────────────────


@pytest.mark.parametrize(("model", "thinking", "fields", "warm", "forced"), [
    ("claude-haiku-4-5-20251001", None, {}, True, True),
    ("claude-haiku-4-5", True, {"thinking": {"type": "enabled", "budget_tokens": 4096}}, False, False),
    ("claude-opus-4-1-20250805", False, {"thinking": {"type": "disabled"}}, True, True),
    ("claude-sonnet-4-20250514", None, {}, True, True),
    ("claude-opus-4-6", None, {}, True, True),
    ("claude-opus-4-8", None, {}, False, True),
    ("claude-opus-4-8", True, {"thinking": {"type": "adaptive", "display": "summarized"}}, False, False),
    ("claude-opus-5", False, {"thinking": {"type": "disabled"}}, False, True),
    ("claude-sonnet-5", None, {}, False, False),
    ("claude-sonnet-5-5", False, {"thinking": {"type": "between_tools"}}, False, False),
    ("claude-opus-5-5", False, {"output_config": {"effort": "low"}}, False, False),
    ("claude-fable-5-2", True, {"thinking": {"type": "adaptive", "display": "summarized"}}, False, False),
    ("claude-nobody-knows-9", None, {}, False, False),
    ("kimi-k3", True, {"thinking": {"type": "enabled", "budget_tokens": 4096}}, False, False),
    ("deepseek-chat", None, {}, True, True),
])  # fmt: skip
async def test_each_kind_of_model_gets_the_fields_that_it_takes(provider, connect, model, thinking, fields, warm, forced):
    provider.will(provider.message("ok"))
    await connect(model, thinking=thinking)(replace(WITH_TOOLS, temperature=1.5, tool_choice="required"))
    body = provider.bodies[0]
    assert {key: body[key] for key in ("thinking", "output_config") if key in body} == fields
    assert body.get("temperature") == (1.0 if warm else None)
    assert body.get("tool_choice") == ({"type": "any"} if forced else None)


@pytest.mark.parametrize(("most", "thinking"), [(8000, 4096), (3000, 1500), (1500, 1024), (1000, None)])
async def test_a_thinking_budget_leaves_room_for_the_answer(provider, connect, most, thinking):
    provider.will(provider.message("ok"))
    await connect(OLD, thinking=True)(replace(ASK, max_tokens=most))
    assert provider.bodies[0].get("thinking", {}).get("budget_tokens") == thinking


async def test_a_schema_holds_the_reply_and_says_nothing_that_the_server_refuses(provider, connect):
    schema = {
        "type": "object", "required": ["n"],
        "properties": {"n": {"type": "integer", "minimum": 3}, "tags": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {}}}},
    }  # fmt: skip
    provider.will(provider.message("{}"))
    await connect(NEW, thinking=False)(replace(ASK, schema=schema))
    held = provider.bodies[0]["output_config"]
    assert held["effort"] == "low"
    assert held["format"] == {"type": "json_schema", "schema": {
        "type": "object", "required": ["n"], "additionalProperties": False, "properties": {
            "n": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "object", "properties": {}, "additionalProperties": False}},
        },
    }}  # fmt: skip


async def test_what_is_extra_goes_into_the_body_as_it_is(provider, connect):
    provider.will(provider.message("ok"))
    await connect(extra={"max_tokens": 5, "metadata": {"user_id": "u"}})(ASK)
    assert (provider.bodies[0]["max_tokens"], provider.bodies[0]["metadata"]) == (5, {"user_id": "u"})


async def test_images_go_before_the_words_as_bytes_or_address(provider, connect):
    provider.will(provider.message("a cat"))
    images = (Image("image/png", "iVBO"), Image(url="https://example.com/cat.jpg"))
    await connect(cache=False)(Request((Message("user", "what?", images=images),)))
    assert provider.bodies[0]["messages"][0]["content"] == [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}},
        {"type": "image", "source": {"type": "url", "url": "https://example.com/cat.jpg"}}, {"type": "text", "text": "what?"},
    ]  # fmt: skip


# ── how it ends, and when it fails ────────────────────────────────────────────


@pytest.mark.parametrize(("stop", "finish"), [
    ("end_turn", "stop"), ("stop_sequence", "stop"), ("pause_turn", "stop"), ("max_tokens", "length"),
    ("model_context_window_exceeded", "length"), ("something_new", "something_new"),
])  # fmt: skip
@pytest.mark.parametrize("streamed", [False, True])
async def test_every_stop_reason_has_a_name(provider, connect, stop, finish, streamed):
    whole = provider.message("ok", stop=stop)
    provider.will(provider.stream(*provider.events(whole), done=False) if streamed else whole)
    assert (await connect()(ASK, quiet if streamed else None)).finish == finish


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_model_that_declines_is_an_error_with_its_reason(provider, connect, streamed):
    details = {"type": "refusal", "category": "bio", "explanation": "not this"}
    whole = provider.message("Par", stop="refusal", stop_details=details)
    provider.will(provider.stream(*provider.events(whole), done=False) if streamed else whole)
    with pytest.raises(Declined, match=r"anthropic: the model declined to answer \(bio: not this\); put it differently") as caught:
        await connect()(ASK, quiet if streamed else None)
    assert "模型拒绝回答" in str(caught.value)


@pytest.mark.parametrize(("status", "kind", "message", "error"), [
    (529, "overloaded_error", "Overloaded", Transient), (429, "rate_limit_error", "slow down", Transient), (500, "api_error", "oops", Transient),
    (504, "timeout_error", "late", Transient), (401, "authentication_error", "invalid x-api-key", Refused),
    (403, "permission_error", "no", Refused), (404, "not_found_error", "model: x", Refused), (402, "billing_error", "pay", Refused),
    (400, "invalid_request_error", "Your credit balance is too low to access the API.", Refused),
    (400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", TooLong),
    (413, "request_too_large", "Request exceeds the maximum size", TooLong),
])  # fmt: skip
@pytest.mark.parametrize("inside", [False, True])
async def test_errors_are_named_alike_by_status_and_in_the_middle_of_a_stream(provider, connect, status, kind, message, error, inside):
    body = {"type": "error", "error": {"type": kind, "message": message}}
    begun = provider.events(provider.message("one two"), until="message_delta")
    provider.will(provider.stream(*begun, body, done=False) if inside else provider.refuse(status, body, retry_after="7"))
    with pytest.raises(error, match=message.split(":")[0]) as caught:
        await connect()(ASK, quiet)
    assert type(caught.value) is error
    if error is Transient and not inside:
        assert caught.value.retry_after == 7


@pytest.mark.parametrize("until", ["content_block_start", "content_block_stop", "message_delta"])
async def test_a_stream_that_breaks_off_is_worth_trying_again(provider, connect, until):
    provider.will(provider.stream(*provider.events(provider.message("ok"), until=until), done=False))
    with pytest.raises(Transient, match="broke off"):
        await connect()(ASK, quiet)


async def test_an_answer_that_is_no_message_is_said_to_be_none(provider, connect):
    provider.will(provider.json({"hello": 1}))
    with pytest.raises(Transient, match="is no message"):
        await connect()(ASK)


async def test_rate_limit_headers_are_read(provider, connect):
    headers = {"anthropic-ratelimit-requests-remaining": "3", "anthropic-ratelimit-requests-reset": "2020-01-01T00:00:00Z"}
    provider.will(provider.refuse(429, {"type": "error", "error": {"type": "rate_limit_error", "message": "x"}}, **headers))
    model = connect()
    with pytest.raises(Transient):
        await model(ASK)
    assert model.allowance == (3, 0.0)


@pytest.mark.parametrize(("base", "url", "bearer"), [
    ("", "https://api.anthropic.com/v1/messages", False), ("https://api.anthropic.com/v1/", "https://api.anthropic.com/v1/messages", False),
    ("https://api.deepseek.com/anthropic", "https://api.deepseek.com/anthropic/v1/messages", True),
])  # fmt: skip
def test_the_address_is_that_of_the_api_or_of_whoever_speaks_its_form(base, url, bearer):
    model = MessagesModel(PROFILES["anthropic"], "m", key="sk-1", base_url=base)
    assert (model.url, "Authorization" in model.headers) == (url, bearer)


# ── however it comes ──────────────────────────────────────────────────────────


TEXTS = st.text(max_size=12)
BLOCKS = st.lists(st.one_of(
    TEXTS.map(lambda text: {"type": "text", "text": text}),
    st.tuples(TEXTS, TEXTS).map(lambda pair: {"type": "thinking", "thinking": pair[0], "signature": pair[1]}),
    st.just(HIDDEN),
    st.tuples(st.sampled_from(["add", "x"]), st.dictionaries(TEXTS, st.one_of(TEXTS, st.integers(), st.none(), st.lists(st.booleans())), max_size=3)).map(
        lambda pair: {"type": "tool_use", "id": "toolu_1", "name": pair[0], "input": pair[1]}
    ),
), max_size=5)  # fmt: skip


@given(blocks=BLOCKS, size=st.integers(1, 9))
def test_an_answer_in_events_is_the_same_reply_as_the_whole_answer(blocks, size):
    whole = loopback.message(*blocks, stop="tool_use", usage={"input_tokens": 3, "cache_read_input_tokens": 2, "output_tokens": 9})
    first, second, heard = Gathering("p"), Gathering("p"), ""
    first.feed(whole)
    for event in loopback.events(whole, size):
        heard += second.feed(json.loads(event.decode().split("data: ", 1)[1]))
    one, other = first.reply(), second.reply()
    assert heard == one.text == other.text
    assert [(c.name, json.loads(c.arguments), c.id) for c in one.calls] == [(c.name, json.loads(c.arguments), c.id) for c in other.calls]
    assert (one.reasoning, one.finish, one.usage, one.kept) == (other.reasoning, other.finish, other.usage, other.kept)


ODD = st.recursive(st.one_of(st.none(), st.booleans(), st.integers(-3, 3), TEXTS), lambda inner: st.one_of(
    st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(
        "type index delta content_block message usage content text thinking signature partial_json stop_reason stop_details input name id model".split()
    ), inner, max_size=5),
), max_leaves=12)  # fmt: skip
KINDS = st.sampled_from("message message_start message_delta message_stop content_block_start content_block_delta content_block_stop ping new".split())


@given(st.lists(st.tuples(KINDS, st.dictionaries(st.sampled_from("index delta content_block message usage content stop_reason".split()), ODD)), max_size=6))
def test_no_event_however_odd_is_a_bug(odd):
    gather = Gathering()
    for kind, event in odd:
        gather.feed({**event, "type": kind})
    reply = gather.reply()
    assert isinstance(reply.text, str)
    assert all(isinstance(call.arguments, str) for call in reply.calls)


@pytest.mark.parametrize(("start", "end", "usage"), [
    ({"input_tokens": 100, "cache_read_input_tokens": 50, "output_tokens": 1}, {"input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 20}, Usage(150, 20, 50)),
    ({"input_tokens": 0, "output_tokens": 0}, {"input_tokens": 100, "output_tokens": 20}, Usage(100, 20)),
    ({"input_tokens": 0, "output_tokens": 0}, {"input_tokens": 0, "output_tokens": 0}, Usage()),
    ({"input_tokens": "100", "output_tokens": 1.0}, {"output_tokens": "20"}, Usage(100, 20)),
    ({"input_tokens": -1, "output_tokens": 1}, {"output_tokens": 20}, Usage(None, 20)),
])  # fmt: skip
def test_tokens_are_told_at_the_start_or_the_end_of_a_stream_and_never_taken_back(start, end, usage):
    gather = Gathering()
    gather.feed({"type": "message_start", "message": {"usage": start}})
    gather.feed({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": end})
    assert gather.reply().usage == usage


@pytest.mark.parametrize("kind", ["text", "thinking"])
def test_what_a_block_began_with_is_not_said_twice(kind):
    gather = Gathering()
    gather.feed({"type": "content_block_start", "index": 0, "content_block": {"type": kind, kind: "你"}})
    for text in ("你", "好", "好"):
        gather.feed({"type": "content_block_delta", "index": 0, "delta": {"type": f"{kind}_delta", kind: text}})
    reply = gather.reply()
    assert (reply.text or reply.reasoning) == "你好好"


async def test_a_connection_that_breaks_off_after_the_reply_has_said_everything(provider, connect):
    async def gone(request, _response):
        await asyncio.sleep(0.05)
        request.transport.abort()

    for until in ("", "message_stop"):
        provider.answers.clear()
        provider.will(provider.stream(*provider.events(provider.message("whole"), until=until), done=False, then=gone))
        reply = await connect()(ASK, lambda text: False)
        assert (reply.text, reply.finish, reply.usage) == ("whole", "stop", Usage(7, 2))
    provider.answers.clear()
    provider.will(provider.stream(*provider.events(provider.message("half"), until="message_delta"), done=False, then=gone))
    with pytest.raises(Transient, match="the connection broke off"):
        await connect()(ASK, lambda text: False)
