import pytest

from tao.errors import ModelError, ToolsUnsupported
from tao.messages import Message, Request
from tao.testing import ScriptedModel
from tao.wrappers.no_tools import without_tools

ASK = Request((Message("user", "hello"),))


async def test_a_server_that_takes_no_tools_is_a_reply_that_says_so():
    reply = await without_tools(ScriptedModel(ToolsUnsupported("no tools here")))(ASK)
    assert (reply.text, reply.finish, reply.calls) == ("", "no_tools", ())


async def test_all_else_passes_through():
    heard = []
    reply = await without_tools(ScriptedModel("hello you"))(ASK, lambda text: bool(heard.append(text)))
    assert reply.text == "".join(heard) == "hello you"
    with pytest.raises(ModelError, match="asked for one more"):
        await without_tools(ScriptedModel())(ASK)
