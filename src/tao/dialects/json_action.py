"""JSON actions: `Action: {"tool": …, "args": …}`, the rest as in text ReAct."""

import json
from dataclasses import dataclass

from tao.dialects.react import React
from tao.events import Decided


@dataclass(frozen=True)
class JsonAction(React):
    """The dialect."""

    name = "json"

    def say(self, step: Decided) -> str:
        """A step in this dialect."""
        parts = [f"Thought: {step.thought}"] if step.thought else []
        for call in step.calls:
            parts.append("Action: " + json.dumps({"tool": call.tool, "args": call.args}, ensure_ascii=False))
        return "\n".join([*parts, *([f"Final Answer: {step.answer}"] if step.answer is not None else [])])

    def frame(self, tool: str, arguments: str) -> str:
        """An action as a grammar rule."""
        return f'"Action: {{\\"tool\\": \\"{tool}\\", \\"args\\": " {arguments} "}}"'
