"""JSON actions: `Action: {"tool": …, "args": …}`, the rest as in text ReAct."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tao.dialects.grammar import literal
from tao.dialects.output import enveloped, wanted
from tao.dialects.react import React
from tao.events import Decided
from tao.messages import Request, ToolSpec
from tao.run import Run
from tao.toolset import described


@dataclass(frozen=True)
class JsonAction(React):
    """The dialect."""

    name = "json"

    def say(self, step: Decided, tools: Sequence[ToolSpec] = ()) -> str:  # noqa: ARG002 - React's form
        """A step in this dialect."""
        parts = [f"Thought: {step.thought}"] if step.thought else []
        parts += ["Action: " + json.dumps({"tool": call.tool, "args": call.args}, ensure_ascii=False) for call in step.calls]
        return "\n".join([*parts, *([f"Final Answer: {step.answer}"] if step.answer is not None else [])])

    def frame(self, tool: str, arguments: str) -> str:
        """An action as a grammar rule."""
        begin = 'Action: {"tool": ' + json.dumps(tool, ensure_ascii=False) + ', "args": '
        return f"{literal(begin)} {arguments} {literal('}')}"


FINISH = "Final Answer"


@dataclass(frozen=True)
class JsonReply(React):
    """The whole reply as one JSON object, for servers that hold a reply to a JSON schema and to nothing else."""

    name = "object"

    def render(self, run: Run) -> Request:
        """The prompt for the next reply, with the schema that the reply has to fit."""
        return replace(super().render(run), schema=reply_schema(run), stop=())

    def say(self, step: Decided, tools: Sequence[ToolSpec] = ()) -> str:  # noqa: ARG002 - React's form
        """A step in this dialect."""
        said = [{"thought": step.thought, "tool": call.tool, "args": call.args} for call in step.calls]
        if step.answer is not None:
            said.append({"thought": step.thought, "tool": FINISH, "args": {"answer": step.answer}})
        return "\n".join(json.dumps(one, ensure_ascii=False) for one in said)


def reply_schema(run: Run) -> dict[str, Any]:
    """A JSON schema for the next reply: a thought, then one tool on offer with its arguments, or the answer."""
    nudge = run.nudge
    tools = [tool for tool in described(run) if not nudge or (nudge.may_call and tool.name not in nudge.without)]
    arms = [_arm(tool.name, dict(tool.parameters)) for tool in tools]
    if nudge is None or nudge.may_answer or not arms:
        answer = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"], "additionalProperties": False}
        schema = wanted(run)
        whole = answer if schema is None else enveloped(schema)
        shared = {key: whole.pop(key) for key in ("$defs", "definitions") if key in whole}
        arms.append(_arm(FINISH, whole))
        return {**(arms[0] if len(arms) == 1 else {"anyOf": arms}), **shared}
    return arms[0] if len(arms) == 1 else {"anyOf": arms}


def _arm(tool: str, args: dict[str, Any]) -> dict[str, Any]:
    properties = {"thought": {"type": "string"}, "tool": {"type": "string", "enum": [tool]}, "args": args}
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}
