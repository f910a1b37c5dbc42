"""Grounding of arguments: a value from nowhere is not acted on, and the model is told where to get it. No model call."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal

from tao.errors import ConfigError, both
from tao.messages import Call, Observation, ToolSpec
from tao.permissions.effects import looks
from tao.run import Run
from tao.seams import Act
from tao.told import KIND
from tao.toolset import described, required, tells_time
from tao.wrappers.founded import Unfounded, unfounded
from tao.wrappers.words import say

Strictness = Literal["", "strict", "advise", "off"]
LEVELS = ("", "strict", "advise", "off")
MOST_NAMED = 4
"""So many tools are named to look a value up with."""


def grounded(act: Act, level: Strictness = "", per_tool: Mapping[str, Strictness] | None = None) -> Act:
    """Look where the values of a call come from before it is done.

    "strict": one from nowhere makes an observation of kind "unfounded". "advise": the call is done, and the observation's notes
    say so ("? start: 2025-01-01"). "off": nothing. "": strict in runs of small models, else advise. `per_tool` goes before it. A call
    that a person has ruled on is done. Raises ConfigError for any other level.
    """
    own = {name: one for name, one in (per_tool or {}).items() if one}
    for one in (level, *own.values()):
        if one not in LEVELS:
            raise ConfigError(both(f"grounding is {one!r}; wanted: strict, advise or off", f"grounding 为 {one!r}；应为 strict、advise 或 off"))

    async def checked(call: Call, run: Run) -> Observation:
        held = own.get(call.tool) or level or usual(run)
        found = () if held == "off" or run.ruling(call) else unfounded(call, run)
        if found and held == "strict":
            return Observation(refusal(found, call, run), ok=False, kind=KIND)
        seen = await act(call, run)
        return replace(seen, notes=(*seen.notes, *(f"? {one.parameter}: {one.value}" for one in found))) if found else seen

    return checked


def usual(run: Run) -> Strictness:
    """What holds where nothing was set."""
    abilities = run.asked.settings.get("abilities")
    return "strict" if isinstance(abilities, Mapping) and abilities.get("small") else "advise"


def refusal(found: tuple[Unfounded, ...], call: Call, run: Run) -> str:
    """What comes from nowhere, and where to get it, in the run's language."""
    parts = [say(run, *_nowhere(one, call.tool)) for one in found]
    kinds = dict.fromkeys(one.kind for one in found)
    hints = [say(run, *_where(kind, call, run)) for kind in kinds]
    return "".join(parts + hints) if run.asked.lang.startswith("zh") else " ".join(parts + hints)


def _nowhere(one: Unfounded, tool: str) -> tuple[str, str]:
    if one.example:
        return (
            f"{one.value} stands neither in the question nor in an observation, only in the description of {tool}, as an example.",
            f"{one.value} 既不在问题里，也不在任何观察结果里，只是 {tool} 说明中的例子。",
        )
    return f"{one.value} stands neither in the question nor in an observation.", f"{one.value} 既不在问题里，也不在任何观察结果里。"


def _where(kind: str, call: Call, run: Run) -> tuple[str, str]:
    """Where a value of this kind is to be had."""
    others = [tool for tool in described(run) if tool.name != call.tool]
    clock = next((tool.name for tool in others if tells_time(tool)), "")
    if kind == "date" and clock:
        return f"Today's date comes from {clock}; take any other from the question or look it up.", f"今天的日期由 {clock} 给出；其他日期取自问题，或先查出来。"
    finders = _named(others, lambda tool: looks(tool.effects) and bool(required(tool)))
    with_them, zh = (f" ({', '.join(finders)})", f"（{'、'.join(finders)}）") if finders else ("", "")
    if kind == "number":
        return f"Take it from the question or an observation, or work it out with a tool first{with_them}.", f"请从问题或观察结果中取值，或先用工具算出来{zh}。"
    return f"Take it from the question, or look it up first{with_them}; if it cannot be had, say what is missing.", f"请从问题中取值，或先查出来{zh}；如果得不到，请说明缺少什么。"


def _named(tools: list[ToolSpec], wanted: Callable[[ToolSpec], bool]) -> list[str]:
    return [tool.name for tool in tools if wanted(tool)][:MOST_NAMED]
