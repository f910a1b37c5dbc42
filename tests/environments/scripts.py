"""Replies of a scripted model that makes given calls one after the other, in two dialects."""

import json

from tao.messages import Reply, ToolCall
from tao.testing import ScriptedModel


def native(calls, answer):
    """A model that makes structured calls: (tool, arguments) in turn, then the answer."""
    made = [ToolCall(tool, json.dumps(args, ensure_ascii=False), f"call_{at}") for at, (tool, args) in enumerate(calls)]
    return ScriptedModel(*(Reply("", (call,), finish="tool_calls") for call in made), answer)


def react(calls, answer):
    """A model that writes them as text."""
    steps = [f"Thought: The next step.\nAction: {tool}\nAction Input: {json.dumps(args, ensure_ascii=False)}" for tool, args in calls]
    return ScriptedModel(*steps, f"Thought: That is all.\nFinal Answer: {answer}")


SCRIPTS = {"native": native, "react": react}
