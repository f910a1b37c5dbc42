"""Chat completions against a provider on loopback that answers and refuses as real ones do."""

import asyncio
import json
import threading
from dataclasses import replace

import pytest

from tao.errors import Refused, TooLong, ToolsUnsupported, Transient
from tao.messages import Message, Request, ToolCall, Usage
from tao.models.openai import ChatModel
from tao.models.profiles import GENERIC, PROFILES
from tao.models.wire import Timeouts
from tao.testing import spec

ASK = Request((Message("system", "简短回答"), Message("user", "三加四？")))
TOOLS = (spec("add", "Adds", a="integer", b="integer"),)
WITH_TOOLS = replace(ASK, tools=TOOLS)


@pytest.fixture
async def connect(provider):
    models = []

    def make(profile="openai", model="m", **options):
        known = PROFILES[profile] if profile else GENERIC
        models.append(ChatModel(known, model, key="secret", base_url=provider.url, **options))
        return models[-1]

    yield make
    for model in models:
        await model.close()


async def test_a_plain_call_sends_chinese_unescaped_and_reads_text_usage_and_model(provider, connect):
    provider.will(provider.said("七", usage={"prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8}}))
    reply = await connect()(replace(ASK, max_tokens=9, temperature=0.5, stop=("\nObservation:",)))
    assert (reply.text, reply.finish, reply.model, reply.calls) == ("七", "stop", "served", ())
    assert reply.usage == Usage(12, 3, 8, None)
    assert reply.seconds > 0
    assert provider.bodies[0] == {
        "messages": [{"role": "system", "content": "简短回答"}, {"role": "user", "content": "三加四？"}],
        "model": "m", "stream": False, "max_tokens": 9, "temperature": 0.5, "stop": ["\nObservation:"],
    }  # fmt: skip
    assert "三加四？".encode() in provider.raw[0]
    assert provider.headers[0]["Authorization"] == "Bearer secret"
    assert "tool_choice" not in provider.bodies[0]


async def test_a_stream_is_told_piece_by_piece_and_usage_comes_with_it(provider, connect):
    usage = {"prompt_tokens": 5, "completion_tokens": 4, "completion_tokens_details": {"reasoning_tokens": 1}}
    provider.will([
        provider.piece("", role="assistant"), provider.piece(reasoning_content="想"), provider.piece("七"), provider.piece("。", "stop"),
        {"choices": [], "usage": usage},
    ])  # fmt: skip
    heard = []
    reply = await connect()(ASK, lambda text: bool(heard.append(text)))
    assert heard == ["七", "。"]
    assert (reply.text, reply.reasoning, reply.usage, reply.finish) == ("七。", "想", Usage(5, 4, None, 1), "stop")
    assert reply.first_token is not None
    assert provider.bodies[0]["stream_options"] == {"include_usage": True}


async def test_usage_absent_from_a_stream_is_not_zero(provider, connect):
    provider.will([provider.piece("hi"), provider.piece(finish="stop")])
    reply = await connect()(ASK, lambda _text: False)
    assert reply.usage == Usage()


async def test_hear_stops_the_stream_and_closes_the_connection(provider, connect):
    closed = asyncio.Event()

    async def forever(_request, response):
        try:
            while True:
                await response.write(b'data: {"choices":[{"delta":{"content":"x"}}]}\n\n')
                await asyncio.sleep(0.01)
        except (ConnectionError, asyncio.CancelledError):
            closed.set()
            raise

    provider.will(provider.stream(provider.piece("one "), provider.piece("two "), done=False, then=forever))
    heard = []
    reply = await connect()(ASK, lambda text: heard.append(text) or len(heard) == 2)
    assert (reply.text, reply.finish) == ("one two ", "stop")
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


async def test_one_connection_serves_call_after_call_streamed_or_not(provider, connect):
    provider.will("a", [provider.piece("b", "stop")], "c")
    model = connect()
    for hear in (None, lambda _text: False, None):
        await model(ASK, hear)
    assert len(set(provider.peers)) == 1


def test_one_model_serves_several_event_loops_at_once_and_each_closes_what_it_opened(provider_in_thread):
    model = ChatModel(PROFILES["openai"], "m", key="k", base_url=provider_in_thread)
    texts = []

    def run():
        texts.append(asyncio.run(model(ASK)).text)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == ["ok"] * 4
    asyncio.run(model(ASK))
    assert len(model.wire._opened) == 1


# ── tool calls in every shape ─────────────────────────────────────────────────


def call(name="add", arguments='{"a":3,"b":4}', **rest):
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **rest}


async def test_calls_come_back_with_text_arguments_and_their_ids(provider, connect):
    provider.will(provider.said(None, tool_calls=[call(id="c1"), call(id="c2", arguments='{"a":1,"b":1}')], finish="tool_calls"))
    reply = await connect()(WITH_TOOLS)
    assert reply.calls == (ToolCall("add", '{"a":3,"b":4}', "c1"), ToolCall("add", '{"a":1,"b":1}', "c2"))
    assert (reply.text, reply.finish) == ("", "tool_calls")
    assert provider.bodies[0]["tools"][0]["function"]["parameters"]["required"] == ["a", "b"]


async def test_pieces_of_calls_are_merged_by_index(provider, connect):
    def part(index, name=None, arguments=None, mark=None):
        return provider.piece(tool_calls=[{"index": index, "id": mark, "function": {"name": name, "arguments": arguments}}])

    provider.will([
        part(0, "add", "", "c1"), part(0, None, '{"a":'), part(0, None, "3}"), part(1, "add", '{"b"', "c2"), part(1, None, ":4}"),
        provider.piece(finish="tool_calls"),
    ])  # fmt: skip
    reply = await connect()(WITH_TOOLS, lambda _text: False)
    assert reply.calls == (ToolCall("add", '{"a":3}', "c1"), ToolCall("add", '{"b":4}', "c2"))


async def test_pieces_without_an_index_or_with_one_index_for_all_are_told_apart_by_id_and_name(provider, connect):
    whole = {"function": {"name": "add", "arguments": "{}"}}
    provider.will(
        [provider.piece(tool_calls=[{**whole, "id": "c1"}, {**whole, "id": "c2"}]), provider.piece(finish="tool_calls")],
        [
            provider.piece(tool_calls=[{"index": 0, **whole, "id": "c1"}]), provider.piece(tool_calls=[{"index": 0, **whole, "id": "c2"}]),
            provider.piece(finish="tool_calls"),
        ],
        [
            provider.piece(tool_calls=[{"function": {"name": "add"}}]), provider.piece(tool_calls=[{"function": {"arguments": '{"a"'}}]),
            provider.piece(tool_calls=[{"function": {"arguments": ":1}"}}]), provider.piece(finish="tool_calls"),
        ],
    )  # fmt: skip
    model = connect()
    for _ in range(2):
        assert [(c.name, c.arguments, c.id) for c in (await model(WITH_TOOLS, bool)).calls] == [("add", "{}", "c1"), ("add", "{}", "c2")]
    assert [(c.name, c.arguments) for c in (await model(WITH_TOOLS, lambda _text: False)).calls] == [("add", '{"a":1}')]


@pytest.mark.parametrize("ids", [(None, None), ("", ""), ("same", "same")])
async def test_missing_null_and_repeated_ids_become_ids_of_our_own(provider, connect, ids):
    provider.will(provider.said("", tool_calls=[call(id=mark) if mark is not None else call() for mark in ids]))
    first, second = (await connect(None)(WITH_TOOLS)).calls
    assert first.id
    assert second.id not in {None, "", first.id}


async def test_arguments_as_an_object_or_missing_become_text(provider, connect):
    nothing = {"type": "function", "function": {"name": "add"}}
    provider.will(provider.said(None, tool_calls=[call(arguments={"city": "北京"}), nothing, call(arguments=None), call(arguments="")]))
    reply = await connect("ollama")(WITH_TOOLS)
    assert [c.arguments for c in reply.calls] == ['{"city":"北京"}', "{}", "{}", "{}"]


async def test_the_old_function_call_field_is_read(provider, connect):
    provider.will(provider.said(None, function_call={"name": "add", "arguments": "{}"}))
    assert (await connect()(WITH_TOOLS)).calls[0].name == "add"


# ── what providers want otherwise ─────────────────────────────────────────────

DONE = (
    Message("user", "3+4?"),
    Message("assistant", "", (ToolCall("add", '{"a":3,"b":4}', "c1"),), reasoning="用工具"),
    Message("tool", "7", call_id="c1"),
)


def deepseek_checks(provider):
    """DeepSeek in thinking mode: 400 unless every assistant message with calls carries its reasoning_content."""

    async def handler(request):
        for message in json.loads(provider.raw[-1])["messages"]:
            if message.get("tool_calls") and "reasoning_content" not in message:
                return await provider.refuse(
                    400, {"error": {"message": "The `reasoning_content` in the thinking mode must be passed back to the API."}}
                )(request)
        return await provider.answer_ok(request)

    return handler


async def test_deepseek_gets_the_reasoning_back_beside_calls_even_an_empty_one(provider, connect):
    provider.will(deepseek_checks(provider))
    model = connect("deepseek")
    await model(replace(WITH_TOOLS, messages=DONE))
    assert provider.bodies[0]["messages"][1]["reasoning_content"] == "用工具"
    await model(replace(WITH_TOOLS, messages=(DONE[0], replace(DONE[1], reasoning=None), DONE[2])))
    assert provider.bodies[1]["messages"][1]["reasoning_content"] == ""
    with pytest.raises(Refused, match="must be passed back"):
        await connect("openai")(replace(WITH_TOOLS, messages=DONE))


@pytest.mark.parametrize("profile", ["deepseek", "dashscope"])
async def test_a_forced_choice_is_left_out_unless_thinking_is_off(provider, connect, profile):
    async def picky(request):
        body = json.loads(provider.raw[-1])
        off = body.get("enable_thinking") is False or body.get("thinking") == {"type": "disabled"}
        if body.get("tool_choice") not in (None, "auto", "none") and not off:
            return await provider.refuse(400, {"error": {"message": "tool_choice is not supported in thinking mode"}})(request)
        return await provider.answer_ok(request)

    provider.will(picky)
    forced = replace(WITH_TOOLS, tool_choice="required")
    await connect(profile)(forced)
    assert "tool_choice" not in provider.bodies[0]
    await connect(profile, thinking=False)(forced)
    assert provider.bodies[1]["tool_choice"] == "required"
    await connect(profile, extra={"tool_choice": {"type": "function", "function": {"name": "add"}}}, thinking=True)(WITH_TOOLS)
    assert "tool_choice" not in provider.bodies[2]
    await connect(profile, thinking=True)(replace(WITH_TOOLS, tool_choice="none"))
    assert provider.bodies[3]["tool_choice"] == "none"


async def test_later_system_messages_become_user_messages_and_leading_ones_are_joined(provider, connect):
    async def strict(request):
        roles = [message["role"] for message in json.loads(provider.raw[-1])["messages"]]
        if "system" in roles[1:]:
            return await provider.refuse(400, {"object": "error", "message": "System message must be at the beginning."})(request)
        return await provider.answer_ok(request)

    provider.will(strict)
    several = (Message("system", "A"), Message("system", "B"), Message("user", "q"), Message("system", "提醒"), Message("user", "r"))
    await connect("vllm")(Request(several))
    assert [(m["role"], m["content"]) for m in provider.bodies[0]["messages"]] == [
        ("system", "A\n\nB"), ("user", "q"), ("user", "提醒"), ("user", "r"),
    ]  # fmt: skip


async def test_tool_names_that_servers_refuse_are_mapped_there_and_back(provider, connect):
    odd = (spec("天气.查询"), spec("fine-name_1"), spec("x" * 80))

    async def strict(request):
        body = json.loads(provider.raw[-1])
        names = [tool["function"]["name"] for tool in body["tools"]]
        assert all(len(name) <= 64 and name.replace("_", "").replace("-", "").isascii() for name in names), names
        assert len(set(names)) == 3
        assert body["messages"][1]["tool_calls"][0]["function"]["name"] == names[0]
        answer = provider.said(None, tool_calls=[call(name, "{}") for name in names])
        return await provider.json(answer)(request)

    provider.will(strict)
    before = (DONE[0], Message("assistant", "", (ToolCall("天气.查询", "{}", "c1"),)), DONE[2])
    reply = await connect()(Request(before, tools=odd))
    assert [c.name for c in reply.calls] == ["天气.查询", "fine-name_1", "x" * 80]


async def test_ids_that_clash_in_a_history_are_told_apart_on_the_way_out(provider, connect):
    provider.will("ok")
    twice = Message("assistant", "", (ToolCall("add", "{}", "call_0"), ToolCall("add", "{}", None)))
    results = (Message("tool", "1", call_id="call_0"), Message("tool", "2", call_id=None))
    again = Message("assistant", "", (ToolCall("add", "not json", "call_0"),))
    await connect()(Request((DONE[0], twice, *results, again, Message("tool", "3", call_id="call_0"))))
    sent = provider.bodies[0]["messages"]
    marks = [c["id"] for message in sent for c in message.get("tool_calls", ())]
    assert len(set(marks)) == 3
    assert [message["tool_call_id"] for message in sent if message["role"] == "tool"] == marks
    assert json.loads(sent[4]["tool_calls"][0]["function"]["arguments"]) == {"text": "not json"}


async def test_empty_messages_are_filled_where_they_are_refused(provider, connect):
    provider.will("ok")
    holes = (Message("user", "q"), Message("assistant", " "), DONE[1], Message("tool", "", call_id="c1"))
    await connect("moonshot")(Request(holes))
    assert [message["content"] for message in provider.bodies[0]["messages"]] == ["q", "—", "", "—"]
    await connect("gemini")(Request(holes))
    assert provider.bodies[1]["messages"][2]["content"] is None


async def test_gemini_gets_the_signature_of_a_thought_back_with_its_call(provider, connect):
    signed = call(id="c9", extra_content={"google": {"thought_signature": "c2ln"}})
    provider.will(provider.said(None, tool_calls=[signed]), "ok")
    model = connect("gemini")
    reply = await model(WITH_TOOLS)
    after = (Message("user", "q"), Message("assistant", "", reply.calls), Message("tool", "7", call_id=reply.calls[0].id))
    await model(replace(WITH_TOOLS, messages=after))
    sent = provider.bodies[1]["messages"]
    assert sent[1]["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": "c2ln"}}
    assert sent[1]["tool_calls"][0]["id"] == sent[2]["tool_call_id"] == "c9"


async def test_openai_reasoners_get_their_own_limit_and_no_temperature(provider, connect):
    provider.will("42\nObservation: 7")
    asked = replace(ASK, max_tokens=50, temperature=0.0, stop=("\nObservation:",))
    reply = await connect(model="gpt-5.5")(asked)
    assert {"max_tokens", "temperature", "stop"} & set(provider.bodies[0]) == set()
    assert provider.bodies[0]["max_completion_tokens"] == 50
    assert (reply.text, reply.finish) == ("42", "stop")


async def test_stop_sequences_that_a_server_does_not_know_end_the_stream_here(provider, connect):
    provider.will(provider.stream(provider.piece("Thought: x\nObs"), provider.piece("ervation: fake"), provider.piece("more"), done=False))
    heard = []
    reply = await connect("minimax")(replace(ASK, stop=("\nObservation:", "\n观察：")), lambda text: bool(heard.append(text)))
    assert (reply.text, reply.finish, heard) == ("Thought: x", "stop", ["Thought: x\nObs"])
    assert "stop" not in provider.bodies[0]
    assert provider.bodies[0]["reasoning_split"] is True


async def test_temperature_stays_within_a_providers_bounds(provider, connect):
    provider.will("ok")
    for profile, asked, sent in (("minimax", 0.0, 0.01), ("moonshot", 1.5, 1.0), ("deepseek", 1.5, 1.5)):
        await connect(profile)(replace(ASK, temperature=asked))
        assert provider.bodies[-1]["temperature"] == sent


@pytest.mark.parametrize(
    ("profile", "grammar", "schema"),
    [
        ("llamacpp", {"grammar": 'root ::= "a"'}, {"json_schema": {"type": "object"}}),
        ("vllm", {"structured_outputs": {"grammar": 'root ::= "a"'}}, {"structured_outputs": {"json": {"type": "object"}}}),
        ("sglang", {"ebnf": 'root ::= "a"'}, None),
        ("ollama", {}, None),
        ("openai", {}, None),
    ],
)
async def test_each_server_gets_grammar_and_schema_its_own_way(provider, connect, profile, grammar, schema):
    provider.will("ok")
    plain = {"messages", "model", "stream"}
    await connect(profile)(replace(ASK, grammar='root ::= "a"'))
    assert {key: value for key, value in provider.bodies[0].items() if key not in plain} == grammar
    await connect(profile)(replace(ASK, schema={"type": "object"}))
    standard = {"response_format": {"type": "json_schema", "json_schema": {"name": "reply", "schema": {"type": "object"}}}}
    assert {key: value for key, value in provider.bodies[1].items() if key not in plain} == (schema or standard)


@pytest.mark.parametrize(
    ("profile", "on", "off"),
    [
        ("deepseek", {"thinking": {"type": "enabled"}}, {"thinking": {"type": "disabled"}}),
        ("dashscope", {"enable_thinking": True}, {"enable_thinking": False}),
        ("openrouter", {"reasoning": {"enabled": True}}, {"reasoning": {"enabled": False}}),
        ("gemini", {"reasoning_effort": "medium"}, {"reasoning_effort": "none"}),
    ],
)
async def test_thinking_is_switched_each_providers_own_way(provider, connect, profile, on, off):
    provider.will("ok")
    for wish, sent in ((True, on), (False, off)):
        await connect(profile, thinking=wish)(ASK)
        assert sent.items() <= provider.bodies[-1].items()


async def test_qwen_models_that_only_stream_are_streamed_and_open_ones_stop_thinking_otherwise(provider, connect):
    provider.will([provider.piece("a", "stop")], "b", [provider.piece("c", "stop")])
    assert (await connect("dashscope", "qwq-plus")(ASK)).text == "a"
    assert provider.bodies[0]["stream"] is True
    await connect("dashscope", "qwen3-8b")(ASK)
    assert provider.bodies[1]["enable_thinking"] is False
    await connect("dashscope", "qwen3-8b")(ASK, lambda _text: False)
    assert "enable_thinking" not in provider.bodies[2]


# ── odd answers ───────────────────────────────────────────────────────────────


async def test_content_as_parts_with_thoughts_is_read(provider, connect):
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "七"}]
    provider.will(provider.said(parts))
    reply = await connect()(ASK)
    assert (reply.text, reply.reasoning) == ("七", "hm")


async def test_reasoning_is_read_under_its_other_name(provider, connect):
    provider.will(provider.said("七", reasoning="hm"))
    assert (await connect("openrouter")(ASK)).reasoning == "hm"


async def test_empty_content_is_an_empty_reply_and_no_choices_an_error(provider, connect):
    provider.will(provider.said(None), {"choices": [], "id": "x"})
    model = connect()
    assert (await model(ASK)).text == ""
    with pytest.raises(Transient, match="no choices"):
        await model(ASK)


async def test_a_server_that_ignores_stream_is_heard_all_the_same(provider, connect):
    provider.will("whole")
    heard = []
    reply = await connect()(ASK, lambda text: bool(heard.append(text)))
    assert (reply.text, heard, reply.usage) == ("whole", ["whole"], Usage(7, 2))


async def test_a_refusal_is_the_reply(provider, connect):
    provider.will(provider.said(None, refusal="I can't help with that."))
    reply = await connect()(ASK)
    assert (reply.text, reply.finish) == ("I can't help with that.", "refusal")


# ── errors ────────────────────────────────────────────────────────────────────


async def test_every_refusal_becomes_the_right_error_with_the_servers_words(provider, connect):
    provider.will(
        provider.refuse(429, {"error": {"message": "Rate limit reached"}}, Retry_After="7"),
        provider.refuse(401, {"error": {"message": "Incorrect API key provided"}}),
        provider.refuse(400, {"error": {"message": "This model's maximum context length is 8192 tokens", "code": "context_length_exceeded"}}),
        provider.refuse(400, {"error": {"message": "registry.ollama.ai/library/gemma does not support tools"}}),
        provider.refuse(302, "", Location="https://elsewhere/v1"),
    )
    model = connect()
    with pytest.raises(Transient, match="openai: HTTP 429: Rate limit reached") as caught:
        await model(ASK)
    assert caught.value.retry_after == 7.0
    with pytest.raises(Refused, match=r"Incorrect API key provided \(check the API key"):
        await model(ASK)
    with pytest.raises(TooLong, match="8192 tokens"):
        await model(ASK)
    with pytest.raises(ToolsUnsupported, match="does not support tools"):
        await model(WITH_TOOLS)
    with pytest.raises(Refused, match="redirected to https://elsewhere/v1"):
        await model(ASK)


async def test_an_error_in_the_middle_of_a_stream_is_an_error(provider, connect):
    provider.will([provider.piece("half"), {"error": {"message": "overloaded", "code": 529}}])
    with pytest.raises(Transient, match="overloaded"):
        await connect()(ASK, lambda _text: False)


async def test_a_stream_that_breaks_off_is_an_error(provider, connect):
    async def cut(request, _response):
        request.transport.abort()

    provider.will(
        provider.stream(provider.piece("half"), done=False),
        provider.stream(provider.piece("half"), b'data: {"choices": [{"del\n\n'),
        provider.stream(provider.piece("half"), done=False, then=cut),
    )
    model = connect()
    for reason in ("broke off before the reply was finished", "is not JSON", "broke off"):
        with pytest.raises(Transient, match=reason):
            await model(ASK, lambda _text: False)


async def test_what_is_too_slow_is_named(provider, connect):
    async def hang(*_anything):
        await asyncio.sleep(30)

    async def crawl(_request, response):
        for _ in range(300):
            await asyncio.sleep(0.02)
            await response.write(b": still here\n\n")

    provider.will(hang)
    with pytest.raises(Transient, match=r"no answer within 0\.05 s"):
        await connect(timeouts=Timeouts(first=0.05))(ASK, lambda _text: False)
    with pytest.raises(Transient, match=r"not finished within 0\.05 s"):
        await connect(timeouts=Timeouts(whole=0.05))(ASK)
    provider.answers.clear()
    provider.will(provider.stream(provider.piece("a"), then=hang))
    with pytest.raises(Transient, match=r"nothing more came within 0\.05 s"):
        await connect(timeouts=Timeouts(quiet=0.05))(ASK, lambda _text: False)
    provider.answers.clear()
    provider.will(provider.stream(then=crawl))
    with pytest.raises(Transient, match=r"not finished within 0\.1 s"):
        await connect(timeouts=Timeouts(whole=0.1))(ASK, lambda _text: False)


async def test_a_server_that_is_not_there_is_named_with_what_to_do(connect):
    model = ChatModel(PROFILES["ollama"], "m", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(Transient, match=r"cannot connect to http://127\.0\.0\.1:9/v1/chat/completions.*is the server running"):
        await model(ASK)
    await model.close()


async def test_what_the_server_says_of_its_rate_limits_is_kept_also_with_a_no(provider, connect):
    provider.will(provider.refuse(429, "slow down", x_ratelimit_remaining_requests="0", x_ratelimit_reset_requests="7s"), "hello")
    model = connect()
    assert model.allowance is None
    with pytest.raises(Transient):
        await model(ASK)
    assert model.allowance == (0, 7.0)
    await model(ASK)
    assert model.allowance is None


@pytest.mark.parametrize("odd", [b"data: {}\n\n", b"data: null\n\n", b"data: []\n\n", b": still there\n\n", b"data:\n\n"])
async def test_an_empty_piece_is_not_the_end_of_a_stream(provider, connect, odd):
    provider.will(provider.stream(provider.piece("half "), odd, provider.piece("and half", "stop"), {"choices": [], "usage": {"prompt_tokens": 7}}))
    reply = await connect()(ASK, lambda text: False)
    assert (reply.text, reply.usage.prompt) == ("half and half", 7)


async def test_a_byte_order_mark_costs_no_piece(provider, connect):
    first = json.dumps(provider.piece("七"), ensure_ascii=False).encode()
    provider.will(provider.stream(b"\xef", b"\xbb\xbfdata: " + first + b"\n\n", provider.piece("。", "stop")))
    assert (await connect()(ASK, lambda text: False)).text == "七。"


async def test_a_connection_that_breaks_off_after_the_last_word_has_said_everything(provider, connect):
    async def gone(request, response):
        await response.write(b"data: [DONE]\n\n")
        await asyncio.sleep(0.05)
        request.transport.abort()

    async def gone_before_that(request, _response):
        await asyncio.sleep(0.05)
        request.transport.abort()

    for then in (gone, gone_before_that):
        provider.answers.clear()
        provider.will(provider.stream(provider.piece("whole", "stop"), done=False, then=then))
        assert (await connect()(ASK, lambda text: False)).text == "whole"


@pytest.mark.parametrize("reason", ["insufficient_system_resource", "network_error", "error", "abort"])
@pytest.mark.parametrize("listen", [None, lambda text: False])
async def test_half_a_reply_that_its_server_could_not_finish_is_none(provider, connect, reason, listen):
    provider.will(provider.said("Final Answer: 2", finish=reason) if listen is None else [provider.piece("Final Answer: 2", reason)])
    with pytest.raises(Transient, match=rf"broke the reply off \({reason}\)\n.*中断了回复（{reason}）"):
        await connect()(ASK, listen)
