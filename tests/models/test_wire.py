"""The HTTP client against a real server on loopback: event streams in every lawful shape, sessions, proxies, addresses."""

import asyncio
import gc

import pytest

from tao.errors import ConfigError, Transient
from tao.models.wire import Target, Wire


@pytest.fixture
async def wire():
    made = Wire()
    yield made
    await made.close()


def target(provider):
    return Target(f"{provider.url}/chat/completions", {"Content-Type": "application/json"}, "fake")


async def pieces(wire, provider):
    return [piece async for piece in wire.stream(target(provider), b"{}")]


async def test_events_with_comments_crlf_names_several_lines_and_split_characters(provider, wire):
    raw = ': hello\r\n\r\nevent: x\r\nid: 1\r\ndata: {"a":\r\ndata:  "你好"}\r\n\r\ndata:{"b": 1}\n\n: ping\n\ndata: [DONE]\n\n'.encode()
    for size in (1, 3, 7, len(raw)):
        provider.answers.clear()
        provider.will(provider.stream(*(raw[at : at + size] for at in range(0, len(raw), size)), done=False))
        assert await pieces(wire, provider) == [{"a": "你好"}, {"b": 1}, {}]


async def test_a_stream_without_done_ends_with_the_last_event_also_without_its_empty_line(provider, wire):
    provider.will(provider.stream(b'data: {"a": 1}\n\ndata: {"b": 2}', done=False))
    assert await pieces(wire, provider) == [{"a": 1}, {"b": 2}]


async def test_what_is_no_json_is_shown(provider, wire):
    provider.will(provider.refuse(200, "<html>login</html>"))
    with pytest.raises(Transient, match=r"fake: the answer is not JSON .*<html>login"):
        await wire.post(target(provider), b"{}")


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"a":' * 100_000])
async def test_json_too_deep_to_be_read_is_no_json(provider, wire, deep):
    provider.will(provider.refuse(200, deep), provider.refuse(500, deep), provider.stream(f"data: {deep}\n\n".encode()))
    for ask in (wire.post(target(provider), b"{}"), wire.post(target(provider), b"{}"), pieces(wire, provider)):
        with pytest.raises(Transient, match="fake: "):
            await ask


async def test_a_closed_wire_opens_again(provider, wire):
    provider.will("a")
    await wire.post(target(provider), b"{}")
    await wire.close()
    await wire.close()
    await wire.post(target(provider), b"{}")


async def test_leaving_a_stream_early_leaves_nothing_open(provider, wire):
    provider.will(provider.stream(*({"n": n} for n in range(50))))
    stream = wire.stream(target(provider), b"{}")
    assert await anext(stream) == {"n": 0}
    await stream.aclose()
    gc.collect()
    assert (await wire.session()).connector._acquired == set()


def test_a_loop_that_ends_closes_its_session(provider_in_thread):
    wire = Wire()
    sessions = []

    async def once():
        await wire.post(Target(f"{provider_in_thread}/chat/completions", {}, "fake"), b"{}")
        sessions.append(await wire.session())

    asyncio.run(once())
    asyncio.run(once())
    assert [session.closed for session in sessions] == [True, True]
    assert sessions[0] is not sessions[1]


async def test_a_proxy_is_used(provider):
    provider.will("through the proxy")
    wire = Wire(proxy=provider.url.removesuffix("/v1"))
    answer = await wire.post(Target("http://nowhere.invalid/v1/chat/completions", {}, "fake"), b"{}")
    assert answer["choices"][0]["message"]["content"] == "through the proxy"
    assert provider.headers[0]["Host"] == "nowhere.invalid"
    await wire.close()


async def test_an_address_that_is_none_is_a_setting_to_mend(wire):
    with pytest.raises(ConfigError, match="is not an http"):
        await wire.post(Target("htp:/x", {}, "fake"), b"{}")
