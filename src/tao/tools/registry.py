"""The registry: a call looked up, checked, run, and turned into an observation, whatever happens."""

import asyncio
import difflib
import inspect
import itertools
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from tao.errors import AgentError, BadArguments, ConfigError, Pause, ToolError, Transient, both
from tao.messages import Call, Observation, ToolSpec
from tao.run import Run, once_key
from tao.seams import Act
from tao.tools.complaint import Problem, complain
from tao.tools.declare import Function, Tool, declare
from tao.tools.plain import plain
from tao.tools.results import clean, observe
from tao.tools.threads import in_thread
from tao.tools.validate import check
from tao.tools.words import say, speaking
from tao.toolset import described

LOG = logging.getLogger("tao.tools")
LONGEST_ERROR = 2000
MOST_ITEMS = 1000
"""Items taken from a generator."""
READY = frozenset({str, int, float, bool, list, dict, type(None)})
"""Types of values for which nobody has to wait."""


def registry(tools: Iterable[Tool | Function], *, checked: bool = False) -> Act:
    """An Act over these tools. Only those that the run's question came with may be called.

    `checked`: the call has been checked already (see `validated`), and nothing has changed it since.

    Every failure is an observation in the run's language that says what to do instead; `kind` is "unknown_tool",
    "bad_arguments", "refused_arguments" (the tool itself says so), "timeout", "transient" (trying again may help) or "error". Pause and AgentError go through.
    Raises ConfigError where two tools share a name.
    """
    known = by_name(tools)
    apart = {tool.name: not (tool.inline or is_async(tool.fn)) for tool in known.values()}

    async def act(call: Call, run: Run) -> Observation:
        with speaking(run.asked.lang):
            tool = known.get(call.tool)
            if tool is None or not (checked or run.tool(call.tool)):
                return _unknown(call, run)
            try:
                args, notes = (call.args, ()) if checked else check(tool.said(run.asked.lang).parameters, call.args, run.asked.lang, tool.example)
                positional, keywords = bind(tool, args, call, run)
            except BadArguments as error:
                return _refused(tool, error)
            observation = await _perform(tool, positional, keywords, apart=apart[call.tool])
            return replace(observation, notes=(*notes, *observation.notes)) if notes else observation

    return act


def validated(act: Act, tools: Iterable[Tool | Function]) -> Act:
    """Check and coerce arguments first, so that what comes after (permission, claims) sees what will really run.

    A call that the registry would refuse is refused here in the same words: nobody is asked about it, nothing is claimed.
    """
    known = by_name(tools)

    async def checked(call: Call, run: Run) -> Observation:
        tool = known.get(call.tool)
        if tool is None or run.tool(call.tool) is None:
            with speaking(run.asked.lang):
                return _unknown(call, run)
        spec = tool.said(run.asked.lang)
        if (form := plain(spec)) and form.fits(call.args):
            return await act(call, run)
        try:
            args, notes = check(spec.parameters, call.args, run.asked.lang, tool.example)
        except BadArguments as error:
            with speaking(run.asked.lang):
                return _refused(tool, error)
        observation = await act(replace(call, args=args) if notes else call, run)
        return replace(observation, notes=(*notes, *observation.notes)) if notes else observation

    return checked


def by_name(tools: Iterable[Tool | Function]) -> dict[str, Tool]:
    """The tools under their names, in order. Raises ConfigError where two share one."""
    known: dict[str, Tool] = {}
    for tool in map(declare, tools):
        if tool.name in known:
            raise ConfigError(both(
                f"two tools are named {tool.name!r}; give one of them another name: declare(fn, name=…)",
                f"有两个工具都叫 {tool.name!r}；请给其中一个另起名字：declare(fn, name=…)",
            ))  # fmt: skip
        known[tool.name] = tool
    return known


def specs(tools: Iterable[Tool | Function], lang: str = "en") -> tuple[ToolSpec, ...]:
    """The tools as the model sees them, in this language where a tool has a translation."""
    return tuple(tool.said(lang) for tool in by_name(tools).values())


def bind(tool: Tool, args: Mapping[str, Any], call: Call, run: Run) -> tuple[list[Any], dict[str, Any]]:
    """Checked JSON arguments as the function takes them: in its own types, by place or by name. Raises BadArguments."""
    shape = tool.shape
    once = {tool.key: once_key(run, call)} if tool.key else {}
    if tool.adapter is None:
        return [], {**args, **once}
    properties = tool.spec.parameters.get("properties", {})
    try:
        values = dict(tool.adapter.validate_python({key: value for key, value in args.items() if key in properties}))
        if shape.further is not None:
            values |= {key: shape.further.validate_python(value) for key, value in args.items() if key not in properties}
    except ValidationError as error:
        raise _misfit(tool, args, error, run) from None
    if not (shape.fills or shape.run or shape.call or once or shape.positional or shape.spread):  # as mostly
        return [], values
    values |= {key: info.get_default(call_default_factory=True) for key, info in shape.fills.items() if key not in values}
    values |= {**dict.fromkeys(shape.run, run), **dict.fromkeys(shape.call, call), **once}
    positional: list[Any] = []
    for at, key in enumerate(shape.positional):
        if key in values:
            positional.append(values.pop(key))
        elif values.get(shape.spread or "") or any(later in values for later in shape.positional[at:]):
            positional.append(inspect.signature(tool.fn).parameters[key].default)
        else:
            break
    return positional + list(values.pop(shape.spread, ()) if shape.spread else ()), values


def _misfit(tool: Tool, args: Mapping[str, Any], error: ValidationError, run: Run) -> BadArguments:
    """What pydantic found beyond the schema (validators of one's own), in our words."""
    properties = tool.spec.parameters.get("properties", {})
    problems, wrong = [], set()
    for one in error.errors(include_url=False, include_context=False):
        path = ".".join(str(step) for step in one["loc"])
        wrong.add(str(one["loc"][0]) if one["loc"] else "")
        problems.append(Problem(path, "custom", one["input"], {}, one["msg"].removeprefix("Value error, ")))
    good = {key: value for key, value in args.items() if key in properties and key not in wrong}
    return complain(problems, tool.said(run.asked.lang).parameters, good, run.asked.lang, tool.example)


# ── running it ────────────────────────────────────────────────────────────────


async def _perform(tool: Tool, positional: list[Any], keywords: dict[str, Any], *, apart: bool) -> Observation:
    """Run the function within its time, `apart` in a thread, and observe what it gave or how it failed."""
    done = False
    try:
        async with asyncio.timeout(tool.timeout) as scope:
            value = await in_thread(_called, tool.fn, positional, keywords) if apart else _called(tool.fn, positional, keywords)
            if type(value) not in READY:
                value = await _whole(value)
        done = True
        return observe(value)
    except (Pause, AgentError) as error:
        if not isinstance(error, Transient):
            raise
        return _failed(tool, error)
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return _failed(tool, error)  # the tool cancelled itself
    except TimeoutError as error:
        return _late(tool, apart=apart) if scope.expired() else _failed(tool, error)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a tool raises is information for the model
        return _unshown(tool, error) if done else _failed(tool, error)


def is_async(fn: Function) -> bool:
    """Whether it runs in the event loop, from where it can be stopped; anything else runs in a thread."""
    return inspect.iscoroutinefunction(fn) or inspect.isasyncgenfunction(fn) or inspect.iscoroutinefunction(getattr(fn, "__call__", None))  # noqa: B004


async def _whole(value: Any) -> Any:
    """What a function gave, waited for where it has to be."""
    if inspect.isawaitable(value):
        return await value
    return await _gathered(value) if inspect.isasyncgen(value) else value


def _called(fn: Callable[..., Any], positional: list[Any], keywords: dict[str, Any]) -> Any:
    value = fn(*positional, **keywords)
    return list(itertools.islice(value, MOST_ITEMS)) if inspect.isgenerator(value) else value


async def _gathered(stream: Any) -> list[Any]:
    items: list[Any] = []
    async for item in stream:
        items.append(item)
        if len(items) == MOST_ITEMS:
            break
    await stream.aclose()
    return items


# ── saying what went wrong ────────────────────────────────────────────────────


def _refused(tool: Tool, error: BadArguments) -> Observation:
    text = say(f"{tool.name} was not run: {error}", f"没有执行 {tool.name}：{error}")
    return Observation(clean(text), ok=False, kind="bad_arguments")


def _unknown(call: Call, run: Run) -> Observation:
    names = [spec.name for spec in run.tools]
    listed = [spec.name for spec in described(run)]
    if not names:
        text = say("There are no tools here. Answer directly.", "这里没有工具可用。请直接回答。")
    elif call.tool in names:
        others = [name for name in listed if name != call.tool]
        text = say(
            f'The tool "{call.tool}" is not available now. Use another tool ({", ".join(others) or "none"}) or answer with what you know.',
            f"工具“{call.tool}”现在不可用。请用其他工具（{'、'.join(others) or '无'}）或根据已知信息回答。",
        )
    else:
        near = difflib.get_close_matches(call.tool.lower(), {name.lower(): name for name in names}, 1, 0.6)
        hint = next((name for name in names if near and name.lower() == near[0]), "")
        text = say(
            f'There is no tool "{call.tool[:80]}". {f"Did you mean {hint}? " if hint else ""}Tools: {", ".join(listed)}.',
            f"没有名为“{call.tool[:80]}”的工具。{f'是不是 {hint}？' if hint else ''}可用工具：{'、'.join(listed)}。",
        )
    return Observation(clean(text), ok=False, kind="unknown_tool")


def _late(tool: Tool, *, apart: bool) -> Observation:
    seconds = f"{tool.timeout:g}"
    text = say(f"{tool.name} took longer than {seconds} s and was stopped.", f"{tool.name} 超过 {seconds} 秒没有完成，已停止。")
    if apart:
        text = say(
            f"{tool.name} took longer than {seconds} s. It cannot be stopped and may still finish in the background; its result is lost.",
            f"{tool.name} 超过 {seconds} 秒没有完成。它无法被中断，可能仍在后台运行，但结果不会返回。",
        )
    return Observation(f"{text} {_instead()}" if text[-1] == "." else text + _instead(), ok=False, kind="timeout")


def _unshown(tool: Tool, error: BaseException) -> Observation:
    """It was carried out: "failed" would have it done again."""
    LOG.info("what tool %s gave cannot be shown", tool.name, exc_info=error)
    said = f"{type(error).__name__}: {str(error)[:LONGEST_ERROR]}".rstrip(": ")
    text = say(
        f"{tool.name} was carried out, but what it gave cannot be shown ({said}). Do not repeat it for that; go on without its result.",
        f"{tool.name} 已执行，但无法显示它返回的结果（{said}）。不要因此重复调用；请在没有该结果的情况下继续。",
    )
    return Observation(clean(text), ok=False, kind="error")


def _failed(tool: Tool, error: BaseException) -> Observation:
    LOG.info("tool %s failed", tool.name, exc_info=error)
    said = str(error).strip()
    plainly = isinstance(error, ValueError | ToolError | Transient) and not isinstance(error, UnicodeError)
    said = said if said and plainly else f"{type(error).__name__}: {said}".rstrip(": ")
    said = said if len(said) <= LONGEST_ERROR else said[: LONGEST_ERROR - 1] + "…"
    stop = "" if said[-1:] in ".。!！?？…" else say(".", "。")
    if isinstance(error, BadArguments):
        text = say(f"{tool.name} does not take these arguments: {said}{stop} {_instead()}", f"{tool.name} 不接受这些参数：{said}{stop}{_instead()}")
        return Observation(clean(text), ok=False, kind="refused_arguments")
    text = say(f"{tool.name} failed: {said}{stop} {_instead()}", f"{tool.name} 出错：{said}{stop}{_instead()}")
    kind = "transient" if isinstance(error, (*tool.transient, Transient)) else "error"
    wait = getattr(error, "retry_after", None)
    return Observation(clean(text), ok=False, kind=kind, data={"retry_after": wait} if kind == "transient" and wait else None)


def _instead() -> str:
    return say("Change the arguments or try another way.", "请修改参数或换一种方法。")
