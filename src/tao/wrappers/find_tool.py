"""Looking tools up, where a run has too many to describe them all."""

import json
from dataclasses import replace
from typing import Any

from tao.messages import Call, Observation
from tao.run import Run
from tao.seams import Act
from tao.toolset import FIND_TOOL, described, find, full, group, large, line
from tao.wrappers.truncate import cost
from tao.wrappers.words import say

LINES = 300
"""Tokens kept for the lines of tools that come near."""


def finding(act: Act, tokens: int = 1000) -> Act:
    """Answer `find_tool` from the run's own tools; a call of a tool that was not looked up, refused, is told how it is called.

    Of what is found, as many tools are described as about `tokens` take, at least one; the rest get a line.
    """

    async def found(call: Call, run: Run) -> Observation:
        if call.tool == FIND_TOOL and large(run):
            return _found(call, run, tokens)
        observation = await act(call, run)
        if observation.kind == "bad_arguments" and large(run) and (spec := run.tool(call.tool)) and spec not in described(run):
            return replace(observation, text=f"{observation.text}\n{full(spec)}")
        return observation

    return found


def _words(value: Any) -> str:
    """A text, or several as one."""
    listed = value if isinstance(value, list | tuple) else [value]
    return " ".join(one for one in listed if isinstance(one, str)).strip()


def _found(call: Call, run: Run, tokens: int) -> Observation:
    """The tools that fit, in full; `data` names them, so that the run knows what the model was told."""
    query = next(filter(None, (_words(call.args.get(name)) for name in ("query", "name"))), "")
    if not query:
        came = json.dumps(dict(call.args), ensure_ascii=False, default=str)[:200]
        text = say(
            run, f'find_tool was not run: got {came}; wanted in query a tool\'s name or keywords. Example: {{"query": "weather forecast"}}',
            f'没有执行 find_tool：收到 {came}；query 应为工具名或关键词。示例：{{"query": "天气预报"}}',
        )  # fmt: skip
        return Observation(text, ok=False, kind="bad_arguments")
    tools, near = find(run.asked.tools, query)
    if not tools:
        groups = ", ".join(dict.fromkeys(filter(None, (group(spec.name) for spec in run.asked.tools))))
        hint = say(run, f" Groups of tools: {groups[:400]}.", f"工具分组：{groups[:400]}。") if groups else ""
        text = say(
            run, f"No tool fits {query[:80]!r}. Try other words, in the language of the list, or a tool's name.{hint}",
            f"没有符合“{query[:80]}”的工具。请换用其他词（与列表语言一致）或直接给出工具名。{hint}",
        )  # fmt: skip
        return Observation(text, data={"tools": []})
    count = 1
    while count < len(tools) and sum(cost(full(tool)) for tool in tools[: count + 1]) + LINES <= tokens:
        count += 1
    tools, near = tools[:count], [*tools[count:], *near]
    also = say(run, "Also near:", "相近的还有：")
    parts = [*map(full, tools), *(["\n".join([also, *map(line, near)])] if near else [])]
    return Observation("\n\n".join(parts), data={"tools": [tool.name for tool in tools]})
