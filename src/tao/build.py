"""From settings to an agent: the one module that knows every part and the order of the wrappers."""

import importlib.util
import json
import sys
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tao.acting import Limits, ToolLimits
from tao.agent import Agent
from tao.config import Settings, journal_address, state_folder
from tao.errors import ConfigError, both, unread
from tao.models import connect
from tao.models.connect import timeouts
from tao.models.pricing import finder
from tao.prices import Price, Prices, Rate
from tao.quotas import Quota
from tao.routing import USUAL, cascade
from tao.seams import Model
from tao.stores.sql import Journal
from tao.tools.builtin import GROUPS, NAMES, Places, builtin
from tao.tools.declare import Tool, declare
from tao.tools.mcp import mcp_tools
from tao.tools.openapi.entries import api_tools, fetched_api_tools, lies_elsewhere
from tao.tools.registry import by_name
from tao.tracing import Tracing, tracing
from tao.wrappers.models import repeating, surviving


def build(
    settings: Settings, env: Mapping[str, str], *, model: str | None = None, more: Iterable[Tool] = (),
) -> Agent:
    """The agent that these settings describe.

    `env` holds the providers' keys; `model` goes before the settings' own; `more` are further tools (see `assembled`).
    Nothing is sent, and no model loaded or journal opened, before the first run. Raises ConfigError or WeightsError.
    """
    trace = tracing(settings.trace.to, env, content=settings.trace.content)
    answers = answering(settings, env, model or settings.model, trace)
    if (hard := settings.cascade).large:
        answers = cascade(answers, answering(settings, env, hard.large, trace), hard.when or USUAL, stay=hard.stay)
    tools = [*toolbox(settings, env), *more]
    return Agent(
        answers,
        tools,
        limits=limits(settings, tools, env, trace),
        trace=trace,
        dialect=settings.dialect,
        lang=settings.lang,
        instructions=settings.instructions,
        max_steps=settings.max_steps,
        journal=journal(settings),
        permissions=settings.permissions.rules,
        settings={**budget(settings), "max_tools_shown": settings.max_tools_shown, **_back(settings)},
        prices=finder_of(settings),
        who=dict(settings.who.items()),
        quotas=[Quota(**one.told(settings.currency, settings.exchange)) for one in settings.quotas],
        output=None if settings.output is None else schema(settings.output),
        judge=answering(settings, env, settings.judge, trace) if settings.judge else None,
        triage=answering(settings, env, settings.triage_model, trace) if settings.triage and settings.triage_model else settings.triage,
    )


def _back(settings: Settings) -> dict[str, Any]:
    return {} if settings.reflect is None else {"reflect": settings.reflect}


def schema(path: Path) -> Any:
    """The JSON schema in a file. Raises ConfigError."""
    try:
        found = json.loads(path.expanduser().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(both(f"no JSON schema can be read from {path}: {unread(error)[0]}", f"无法从 {path} 读取 JSON Schema：{unread(error)[1]}")) from error
    if not isinstance(found, dict):
        raise ConfigError(both(
            f'{path} holds {found!r:.60}; wanted: a JSON schema, as in {{"type": "object", "properties": …}}',
            f'{path} 的内容为 {found!r:.60}；应为 JSON Schema，例如 {{"type": "object", "properties": …}}',
        ))  # fmt: skip
    return found


def finder_of(settings: Settings) -> Prices:
    """What models cost by these settings. Raises ConfigError."""
    return finder({name: Price((Rate(**one.model_dump()),)) for name, one in settings.prices.items()}, settings.currency or "")


def answering(settings: Settings, env: Mapping[str, str], name: str, trace: Tracing | None = None) -> Model:
    """The model of that name, and what stands in for it: retried, paced, behind a circuit breaker. A model file is not, by itself.

    `trace` makes a span of every attempt.
    """
    how, local = settings.models, settings.local.model_dump()
    given: dict[str, Any] = {} if how.connect is None and how.first is None else {"timeouts": timeouts(how.connect, how.first)}
    found = [connect(one, env=env, thinking=settings.thinking, local=local, **given) for one in (name, *how.fallback)]
    first, *others = [trace.model(one) if trace else one for one in found]
    if len(found) == 1 and found[0].name.startswith("local:") and not (how.timeout or how.first or how.hedge or how.hedge_after):
        return repeating(first, how.cache, thinking=settings.thinking)
    whole = surviving(
        first, others, attempts=how.attempts, whole=how.timeout, first=how.first, requests_per_minute=how.requests_per_minute,
        tokens_per_minute=how.tokens_per_minute, hedge=how.hedge, hedge_after=how.hedge_after,
    )
    return repeating(whole, how.cache, thinking=settings.thinking)


def budget(settings: Settings) -> dict[str, Any]:
    """The limits of a run as it records them; exact numbers are texts."""
    names = (
        "max_tokens", "max_model_calls", "max_tool_calls", "max_prompt_tokens", "max_completion_tokens", "max_reasoning_tokens",
        "max_cached_tokens", "deadline",
    )
    limits = {name: value for name in names if (value := getattr(settings, name)) is not None}
    if settings.max_cost is not None:
        limits |= {"max_cost": str(settings.max_cost), "exchange": {name: str(value) for name, value in settings.exchange.items()}}
        limits |= {"currency": settings.currency} if settings.currency else {}
    return limits


@asynccontextmanager
async def connected(settings: Settings, env: Mapping[str, str]) -> AsyncGenerator[Sequence[Tool]]:
    """The tools of the MCP servers that these settings name, and of APIs whose documents have to be fetched. Raises ConfigError."""
    fetched = [tool for one in _apis(settings, elsewhere=True) for tool in await fetched_api_tools(one, env)]
    if settings.mcp is None:
        yield fetched
        return
    async with mcp_tools(settings.mcp, env=env) as tools:
        yield [*fetched, *tools] if fetched else tools


@asynccontextmanager
async def assembled(settings: Settings, env: Mapping[str, str], *, model: str | None = None) -> AsyncGenerator[Agent]:
    """`build` with the servers of its tools connected; all is closed when the block is left."""
    async with connected(settings, env) as more, build(settings, env, model=model, more=more) as agent:
        yield agent


def journal(settings: Settings) -> Journal:
    """Where these settings keep runs."""
    return Journal(journal_address(settings), synchronous=settings.synchronous)


def limits(settings: Settings, tools: Iterable[Tool], env: Mapping[str, str] | None = None, trace: Tracing | None = None) -> Limits:
    """How calls are held in bounds; what is set for one of our own tools that is not on offer holds for nothing.

    `env` holds the key of the model that sums up; without it nothing is summed up.
    """
    idle = {*NAMES, *(name for group in GROUPS.values() for name in group)} - {tool.name for tool in tools}
    own = {name: ToolLimits(**one.model_dump()) for name, one in settings.calls.tools.items() if name not in idle}
    brief = settings.calls.summarize if env is not None else ""
    one = connect(brief, env=env, thinking=False, local=settings.local.model_dump()) if brief else None
    small = surviving(trace.model(one) if trace else one) if one else None
    return Limits(**settings.calls.model_dump(exclude={"tools", "summarize"}), tools=own, summarize=small)


def toolbox(settings: Settings, env: Mapping[str, str]) -> list[Tool]:
    """The tools on offer: the user's own, those of APIs, then the built-in ones whose names they leave free. Raises ConfigError.

    `env` holds the keys of search services.
    """
    given = [tool for where in settings.tools for tool in tools_of(where)]
    own = by_name([*given, *(tool for one in _apis(settings, elsewhere=False) for tool in api_tools(one, env))])
    usual = builtin(docs=settings.docs) if settings.builtins else builtin(["search"], docs=settings.docs) if settings.docs else []
    places = Places(settings.root, settings.database, settings.notes or state_folder() / "notes.db", env, settings.web.model_dump())
    further = builtin(settings.offer, docs=settings.docs, places=places) if settings.offer else []
    ours = {tool.name: tool for tool in [*usual, *further]}
    return [*own.values(), *(tool for name, tool in ours.items() if name not in own)]


def _apis(settings: Settings, *, elsewhere: bool) -> list[dict[str, Any]]:
    """The APIs whose documents lie elsewhere, or those whose documents are files here."""
    return [table for one in settings.openapi if lies_elsewhere(table := one.model_dump()) is elsewhere]


def tools_of(where: str) -> list[Tool]:
    """The tools of a Python file, which is run: what `FILE.py:factory` returns, else the list `TOOLS`, else every `@tool` in it.

    Raises ConfigError where the file or the factory is not there, fails, or gives no tools.
    """
    path, _, factory = where.rpartition(":") if where.rpartition(":")[0].endswith(".py") else (where, "", "")
    names = _run(Path(path).expanduser())
    if factory and factory not in names:
        near = ", ".join(name for name, value in names.items() if callable(value) and not name.startswith("_")) or "-"
        raise ConfigError(both(f"{path} has no function {factory!r}; it has: {near}", f"{path} 中没有函数 {factory!r}；其中有：{near}"))
    try:
        found = (
            names[factory]() if factory else names.get("TOOLS", [value for value in names.values() if isinstance(value, Tool)])
        )
        tools = [declare(tool) for tool in (found if isinstance(found, Iterable) else [found])]
    except ConfigError:
        raise
    except Exception as error:
        raise ConfigError(
            both(f"the tools of {where} cannot be made: {_said(error)}", f"无法得到 {where} 的工具：{_said(error)}")
        ) from error
    if not tools:
        raise ConfigError(
            both(
                f"{where} gives no tools: decorate functions with tao.tool, list them in TOOLS, or name a factory: FILE.py:make",
                f"{where} 没有给出工具：请用 tao.tool 装饰函数，或列入 TOOLS，或指定工厂函数（FILE.py:factory）",
            )
        )
    return tools


def _run(path: Path) -> dict[str, Any]:
    """Run a Python file as a module of its own, with its folder importable; gives its names."""
    spec = importlib.util.spec_from_file_location(f"tao_tools_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ConfigError(both(f"there is no Python file {path} to take tools from", f"没有可提供工具的 Python 文件 {path}"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses and annotations look their module up
    if (folder := str(path.resolve().parent)) not in sys.path:
        sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ConfigError(both(f"{path} cannot be run: {_said(error)}", f"无法运行 {path}：{_said(error)}")) from error
    return vars(module)


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
