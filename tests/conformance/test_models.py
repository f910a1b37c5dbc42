"""What every model must do, whichever form its server speaks: one suite over all of them, over real HTTP."""

import asyncio
import importlib.util
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from tao.errors import ModelError, Refused, Transient
from tao.messages import Message, Request, ToolCall
from tao.models.connect import connect as connected
from tao.testing import spec

_spec = importlib.util.spec_from_file_location("provider_on_loopback", Path(__file__).parent.parent / "models" / "conftest.py")
loopback = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(loopback)

ASK = Request((Message("system", "简短回答"), Message("user", "三加四？")))
WITH_TOOLS = replace(ASK, tools=(spec("add", "Adds", a="integer", b="integer"), spec("查询 天气", "天气", 城市="string")))
NAMES = ("openai:gpt-5.5", "deepseek:deepseek-chat", "gemini:gemini-3.8-flash", "ollama:qwen3", "anthropic:claude-opus-5-5", "anthropic:claude-haiku-4-5")


class Chat:
    """A server of chat completions."""

    def said(self, text, *calls, streamed):
        entries = [
            {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(args, ensure_ascii=False)}}
            for n, (name, args) in enumerate(calls)
        ]
        finish = "tool_calls" if calls else "stop"
        if not streamed:
            return loopback.said(text, **({"tool_calls": entries} if entries else {}), finish=finish)
        pieces = [loopback.piece(text[at : at + 3]) for at in range(0, len(text), 3)]
        pieces += [loopback.piece(tool_calls=[{**entry, "index": n}]) for n, entry in enumerate(entries)]
        return [*pieces, loopback.piece(finish=finish), {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}]

    def broken(self):
        return loopback.stream(loopback.piece("one"), done=False)

    def error(self, message):
        return {"error": {"message": message}}

    def tools(self, body):
        return [entry["function"]["name"] for entry in body["tools"]]

    def results(self, body):
        """By the calls' ids: what was called, and what came back."""
        called = {call["id"]: call["function"]["name"] for message in body["messages"] for call in message.get("tool_calls", ())}
        return {called[message["tool_call_id"]]: message["content"] for message in body["messages"] if message["role"] == "tool"}


class Messages:
    """A server of Anthropic's messages."""

    def said(self, text, *calls, streamed):
        blocks = [{"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": args} for n, (name, args) in enumerate(calls)]
        whole = loopback.message(*([text] if text else []), *blocks, stop="tool_use" if calls else "end_turn")
        return loopback.stream(*loopback.events(whole), done=False) if streamed else whole

    def broken(self):
        return loopback.stream(*loopback.events(loopback.message("one"), until="message_delta"), done=False)

    def error(self, message):
        return {"type": "error", "error": {"type": "api_error", "message": message}}

    def tools(self, body):
        return [entry["name"] for entry in body["tools"]]

    def results(self, body):
        blocks = [block for message in body["messages"] if not isinstance(message["content"], str) for block in message["content"]]
        called = {block["id"]: block["name"] for block in blocks if block["type"] == "tool_use"}
        return {called[block["tool_use_id"]]: block["content"] for block in blocks if block["type"] == "tool_result"}


@pytest.fixture
async def provider() -> AsyncIterator[object]:
    async with loopback.serving() as fake:
        yield fake


@pytest.fixture(params=NAMES)
async def model(request, provider):
    head, _, rest = request.param.partition(":")
    made = connected(f"{head}:{provider.url}#{rest}", env={}, key="k")
    yield made
    await made.close()


@pytest.fixture
def server(model):
    return Messages() if model.name.startswith("anthropic") else Chat()


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def hear(request):
    if not request.param:
        return None
    heard = []

    def listen(text):
        heard.append(text)
        return False

    listen.heard = heard
    return listen


async def test_text_usage_times_and_a_name(model, server, provider, hear):
    provider.will(server.said("答案是七。", streamed=bool(hear)))
    reply = await model(ASK, hear)
    assert (reply.text, reply.calls, reply.finish) == ("答案是七。", (), "stop")
    assert (reply.usage.prompt, reply.usage.completion) == (7, 2)
    assert reply.seconds > 0
    assert reply.model == "served"
    assert model.name
    assert "三加四？".encode() in provider.raw[0]
    if hear:
        assert "".join(hear.heard) == reply.text
        assert reply.first_token is not None


async def test_calls_come_back_under_the_tools_own_names(model, server, provider, hear):
    provider.will(server.said("", ("add", {"a": 3, "b": 4}), ("x", {}), streamed=bool(hear)))
    await model(WITH_TOOLS, hear)
    safe = server.tools(provider.bodies[0])[1]
    assert safe.isascii()
    provider.answers.clear()
    provider.will(server.said("", ("add", {"a": 3, "b": 4}), (safe, {"城市": "北京"}), streamed=bool(hear)))
    reply = await model(WITH_TOOLS, hear)
    assert [(call.name, json.loads(call.arguments)) for call in reply.calls] == [("add", {"a": 3, "b": 4}), ("查询 天气", {"城市": "北京"})]
    assert reply.finish == "tool_calls"
    assert len({call.id for call in reply.calls} - {None}) == 2


async def test_results_find_their_calls_whatever_ids_the_history_has(model, server, provider):
    calls = (ToolCall("add", '{"a":1}', "3.1"), ToolCall("查询 天气", "{}", "3.1"))
    history = (*ASK.messages, Message("assistant", "", calls), Message("tool", "1", call_id="3.1"), Message("tool", "晴", call_id="3.1"))
    provider.will(server.said("ok", streamed=False))
    await model(replace(WITH_TOOLS, messages=history))
    assert list(server.results(provider.bodies[0]).values()) == ["1", "晴"]


async def test_a_listener_that_has_heard_enough_ends_the_reply(model, server, provider):
    provider.will(server.said("one two three", streamed=True))
    reply = await model(ASK, lambda _text: True)
    assert reply.text in "one two three"
    assert len(reply.text) < 13


async def test_a_stop_word_ends_the_reply_and_is_not_in_it(model, server, provider, hear):
    provider.will(server.said("one\nObservation: two", streamed=bool(hear)))
    reply = await model(replace(ASK, stop=("\nObservation:",)), hear)
    assert (reply.text, reply.finish) == ("one", "stop")


async def test_a_prompt_only_grows_at_its_end(model, server, provider):
    """What was sent before stands unchanged at the head of what is sent next, so that a server's cache finds it."""
    provider.will(server.said("", ("add", {"a": 1, "b": 2}), streamed=False))
    request, bodies = WITH_TOOLS, []
    for turn in range(3):
        reply = await model(request)
        bodies.append(provider.bodies[-1])
        said = Message("assistant", reply.text, reply.calls, reasoning=reply.reasoning, kept=reply.kept)
        request = replace(request, messages=(*request.messages, said, *(Message("tool", str(turn), call_id=c.id) for c in reply.calls)))

    def plain(body):
        messages = [
            {**message, "content": [{k: v for k, v in block.items() if k != "cache_control"} for block in message["content"]]}
            if isinstance(message["content"], list) else message
            for message in body["messages"]
        ]
        return body["tools"], body.get("system"), messages

    for before, after in pairwise(bodies):
        assert plain(after)[:2] == plain(before)[:2]
        assert plain(after)[2][: len(before["messages"])] == plain(before)[2]


@pytest.mark.parametrize(("status", "kind"), [(500, Transient), (529, Transient), (429, Transient), (408, Transient), (401, Refused), (403, Refused), (400, Refused)])
async def test_a_refusal_is_one_of_ours_in_the_servers_own_words(model, server, provider, status, kind, hear):
    provider.will(loopback.refuse(status, server.error("坏了 broken")))
    with pytest.raises(kind, match="坏了 broken"):
        await model(ASK, hear)


async def test_half_an_answer_is_none(model, server, provider):
    provider.will(server.broken())
    with pytest.raises(Transient):
        await model(ASK, lambda _text: False)


@pytest.mark.parametrize("body", ["<html>502</html>", '{"half": ', "[]", "{}", "null"])
async def test_what_is_no_answer_is_an_error_of_ours(model, provider, hear, body):
    provider.will(loopback.refuse(200, body, Content_Type="application/json"))
    with pytest.raises(ModelError):
        await model(ASK, hear)


async def test_cancelling_closes_the_connection(model, provider, hear):
    closed, begun = asyncio.Event(), asyncio.Event()

    async def hang(_request):
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            closed.set()
            raise

    provider.will(hang)
    task = asyncio.create_task(model(ASK, hear))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(closed.wait(), 5)


async def test_many_calls_at_once_each_get_their_own_answer(model, server, provider):
    async def echo(request):
        text = (await request.json())["messages"][-1]["content"]
        return await loopback.as_json(server.said(text if isinstance(text, str) else text[-1]["text"], streamed=False))(request)

    provider.will(echo)
    replies = await asyncio.gather(*(model(Request((Message("user", str(n)),))) for n in range(30)))
    assert [reply.text for reply in replies] == [str(n) for n in range(30)]
