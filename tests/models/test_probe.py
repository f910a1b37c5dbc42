"""Trying an endpoint with three tiny calls."""

import pytest

from tao.errors import Refused, ToolsUnsupported
from tao.messages import Reply, ToolCall, Usage
from tao.models.probe import ADD, probe
from tao.testing import ScriptedModel

READY = Reply("ready", usage=Usage(10, 1))
ADDED = Reply("", (ToolCall("add", '{"a":317,"b":485}', "c1"),), finish="tool_calls", usage=Usage(30, 9))


async def test_three_calls_that_work_are_told_one_by_one():
    told, model = [], ScriptedModel(READY, ADDED, READY)
    tried = await probe(model, told.append)
    assert told == tried
    assert [(one.part, one.error, one.fault, one.pieces) for one in tried] == [("plain", None, "", 0), ("tools", None, "", 0), ("stream", None, "", 2)]
    assert [request.tools for request in model.requests] == [(), (ADD,), ()]
    assert all(request.max_tokens == 1000 for request in model.requests)


@pytest.mark.parametrize(("reply", "fault"), [
    (Reply("802", usage=Usage(1, 1)), "uncalled"), (Reply("", (ToolCall("add", '{"a":1,"b":2}'),)), "miscalled"),
    (Reply("", (ToolCall("sub", '{"a":317,"b":485}'),)), "miscalled"), (Reply("", (ToolCall("add", "{"),)), "miscalled"),
    (Reply("", finish="length"), "cut"),
])  # fmt: skip
async def test_what_is_wrong_with_a_call_has_a_name(reply, fault):
    assert (await probe(ScriptedModel(READY, reply, READY)))[1].fault == fault


@pytest.mark.parametrize(("reply", "fault"), [
    (Reply("", usage=Usage(1, 0)), "empty"), (Reply(" ", finish="length", usage=Usage(1, 1000)), "cut"), (Reply("ready"), "uncounted"),
])  # fmt: skip
async def test_what_is_wrong_with_a_text_has_a_name(reply, fault):
    tried = await probe(ScriptedModel(reply, ADDED, reply))
    assert [one.fault for one in tried] == [fault, "", fault]


async def test_where_the_plain_call_fails_no_other_is_made_and_a_refusal_of_tools_stops_nothing():
    model = ScriptedModel(Refused("no key"))
    assert [str(one.error) for one in await probe(model)] == ["no key"]
    assert len(model.requests) == 1
    refused = await probe(ScriptedModel(READY, ToolsUnsupported("no tools"), READY))
    assert [type(one.error) for one in refused] == [type(None), ToolsUnsupported, type(None)]


async def test_who_is_told_may_be_asynchronous():
    told = []

    async def tell(one):
        told.append(one.part)

    await probe(ScriptedModel(READY, ADDED, READY), tell)
    assert told == ["plain", "tools", "stream"]
