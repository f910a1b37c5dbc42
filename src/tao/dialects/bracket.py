"""The paper's form: `Action: tool[param]`, the rest as in text ReAct (Yao et al., 2022, "ReAct")."""

import json
from dataclasses import dataclass

from tao.dialects.grammar import literal
from tao.dialects.react import React
from tao.events import Decided


@dataclass(frozen=True)
class Bracket(React):
    """The dialect. One text argument stands bare in the brackets, anything else as a JSON object; held to a grammar, always an object."""

    name = "bracket"

    def say(self, step: Decided) -> str:
        """A step in this dialect."""
        parts = [f"Thought: {step.thought}"] if step.thought else []
        parts += [f"Action: {call.tool}[{_inside(dict(call.args), bare=not self.constrained)}]" for call in step.calls]
        return "\n".join([*parts, *([f"Final Answer: {step.answer}"] if step.answer is not None else [])])

    def frame(self, tool: str, arguments: str) -> str:
        """An action as a grammar rule."""
        return f"{literal(f'Action: {tool}[')} {arguments} {literal(']')}"


def _inside(args: dict[str, object], *, bare: bool) -> str:
    values = list(args.values())
    plain = bare and len(values) == 1 and isinstance(values[0], str) and values[0].strip() == values[0] != ""
    if plain and not set(str(values[0])) & set("[]{}()\"'`\n=:："):
        return str(values[0])
    return json.dumps(args, ensure_ascii=False) if args or not bare else ""
