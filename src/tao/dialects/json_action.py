"""JSON actions: `Action: {"tool": …, "args": …}`, the rest as in text ReAct."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from tao.dialects.grammar import literal
from tao.dialects.react import React
from tao.events import Decided
from tao.messages import ToolSpec


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
