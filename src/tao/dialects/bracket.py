"""The paper's form: `Action: tool[param]`, the rest as in text ReAct (Yao et al., 2022, "ReAct")."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tao.dialects.grammar import literal
from tao.dialects.react import React
from tao.dialects.read import read
from tao.events import Decided
from tao.messages import ToolSpec


@dataclass(frozen=True)
class Bracket(React):
    """The dialect. The text of a tool's only parameter stands bare in the brackets, anything else as a JSON object.

    Held to a grammar it is always an object.
    """

    name = "bracket"

    def say(self, step: Decided, tools: Sequence[ToolSpec] = ()) -> str:
        """A step in this dialect; `tools` are those that its calls may be of."""
        several = {tool.name for tool in tools if len(tool.parameters.get("properties", {})) > 1}
        parts = [f"Thought: {step.thought}"] if step.thought else []
        parts += [f"Action: {call.tool}[{_inside(dict(call.args), bare=not self.constrained and call.tool not in several)}]" for call in step.calls]
        return "\n".join([*parts, *([f"Final Answer: {step.answer}"] if step.answer is not None else [])])

    def frame(self, tool: str, arguments: str) -> str:
        """An action as a grammar rule."""
        return f"{literal(f'Action: {tool}[')} {arguments} {literal(']')}"


def _inside(args: dict[str, object], *, bare: bool) -> str:
    (value,) = args.values() if len(args) == 1 else (None,)
    if bare and isinstance(value, str) and _stands_bare(value):
        return value
    return json.dumps(args, ensure_ascii=False) if args or not bare else ""


@lru_cache(maxsize=1024)
def _stands_bare(text: str) -> bool:
    """Whether a text without quotes around it is read as itself, whatever the parameter's type."""
    if not text.strip() or set(text) & set("[]{}()\"'`\n=:："):
        return False
    readings = [read(f"Action: look[{text}]", [ToolSpec("look", "", {"properties": {"it": form}, "required": ["it"]})]) for form in ({}, {"type": "string"})]
    return all(isinstance(reading, Decided) and [call.args for call in reading.calls] == [{"it": text}] for reading in readings)
