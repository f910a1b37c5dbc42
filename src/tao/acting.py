"""How a call is done: the wrappers around the registry, in their order."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Literal

from tao.errors import ConfigError, both
from tao.messages import ToolSpec
from tao.models import connect
from tao.seams import Act, Model
from tao.stores.rates import SharedWindows
from tao.tools.declare import Tool
from tao.tools.registry import by_name, is_async, registry, validated
from tao.wrappers.breaker import States, breaker
from tao.wrappers.cache import cache
from tao.wrappers.fence import EXPLAINED, fence
from tao.wrappers.find_tool import finding
from tao.wrappers.grounding import Strictness, grounded
from tao.wrappers.limits import limits
from tao.wrappers.once import Claims, ClaimsInMemory, once
from tao.wrappers.rate_limit import Rate, Scope, Windows, rate, rate_limit
from tao.wrappers.retry import retry
from tao.wrappers.same_call import same_call
from tao.wrappers.strikes import strikes
from tao.wrappers.summarize import summarized
from tao.wrappers.timeout import timeout
from tao.wrappers.truncate import READ_MORE, read_more, truncate
from tao.wrappers.words import LOOKING, is_strange


@dataclass(frozen=True, slots=True)
class ToolLimits:
    """What holds for one tool in the place of what holds for all. None: as for all, or as the tool says itself.

    `at_once` calls of it run together. `rate` is how often it is called by everybody ("10/minute"), `user_rate` by one user,
    `tenant_rate` for one tenant. `cache` keeps what it said for so many seconds, `cache_for` each run, session or everybody.
    """

    timeout: float | None = None
    attempts: int | None = None
    strikes: int | None = None
    at_once: int | None = None
    rate: str = ""
    user_rate: str = ""
    tenant_rate: str = ""
    cache: float | None = None
    cache_for: Literal["run", "session", "everybody"] = "session"
    grounding: Strictness = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """How calls are held in bounds.

    `timeout` is in seconds (inf: none), for tools that say nothing else; `at_once` calls run together; of an observation
    `tokens` are shown. A tool is tried up to `attempts` times where that is harmless, taken away from a run after `strikes`
    failures (or the run handed to a person: `hand_over`), and left alone by all runs for `cool_down` seconds after `failures`
    of them within `window` seconds. Rates count all tools together, in this process or
    `rates_in` a place that several share ("redis://host:6379", extra `rates`). `fence` marks the text of "strange" tools, which fetch
    it from the network or are marked "untrusted", of "all" tools, or of "none". `summarize` is a model, or the name of one, that sums up
    what a tool gave where it is more than `summarize_over` tokens. `grounding` says what becomes of a call with values from nowhere:
    "strict" (it is refused), "advise" (it is noted), "off"; empty: strict for small models, else advise.
    """

    timeout: float = 60.0
    at_once: int = 8
    tokens: int = 1000
    attempts: int = 3
    strikes: int = 2
    hand_over: bool = False
    failures: int = 5
    window: float = 60.0
    cool_down: float = 30.0
    rate: str = ""
    user_rate: str = ""
    tenant_rate: str = ""
    rates_in: str = ""
    patience: float = 10.0
    fence: Literal["strange", "all", "none"] = "strange"
    summarize: Model | str | None = None
    summarize_over: int = 2000
    grounding: Strictness = ""
    tools: Mapping[str, ToolLimits] = field(default_factory=dict)


def acting(
    tools: Iterable[Tool], held: Limits | None = None, *, permitted: Callable[[Act], Act] | None = None, store: Any = None,
    windows: Windows | None = None, traced: Callable[[Act], Act] | None = None,
) -> Act:
    """The registry over these tools with everything around it; `permitted` decides what may be done at all.

    `store` is where claims and states of tools are shared, as far as it can keep them (a Journal can); else they are kept in
    memory. `windows` counts calls for rates. `traced` looks at every attempt from next to the tools. Below `permitted` nothing changes a call: what was allowed is what runs.
    Raises ConfigError for limits that make no sense, and for limits of a tool that there is not.
    """
    held = opened(held or Limits())
    known = by_name(tools)
    _check(held, known)
    timed = [_timed(tool, held) for tool in known.values()]
    own = held.tools
    harmless = {tool.name for tool in timed if tool.idempotent or tool.key}
    claims = store if isinstance(store, Claims) else ClaimsInMemory()
    states = store if isinstance(store, States) else None

    act = registry([replace(tool, timeout=None) if is_async(tool.fn) else tool for tool in timed], checked=True)
    act = traced(act) if traced else act
    act = timeout(act, None, per_tool={tool.name: tool.timeout for tool in timed if is_async(tool.fn)})
    act = breaker(act, held.failures, window=held.window, cool_down=held.cool_down, states=states)
    act = retry(act, idempotent=harmless, attempts=held.attempts, per_tool=_given(own, "attempts"))
    act = once(act, claims, repeatable=harmless)
    act = limits(act, held.at_once, per_tool=_given(own, "at_once"))
    windows = windows or (SharedWindows(held.rates_in) if held.rates_in else None)
    act = rate_limit(act, _rates(held), windows, patience=held.patience)
    everybody, each_run = ([name for name, one in own.items() if one.cache_for == whom] for whom in ("everybody", "run"))
    act = cache(act, _given(own, "cache"), everybody=everybody, each_run=each_run)
    act = permitted(act) if permitted else act
    act = grounded(act, held.grounding, _given(own, "grounding"))
    act = validated(act, timed)
    act = finding(act, held.tokens)
    if held.summarize and not isinstance(held.summarize, str):
        act = summarized(act, held.summarize, held.tokens, over=held.summarize_over)
    act = truncate(act, held.tokens)
    act = act if held.fence == "none" else fence(act, every=held.fence == "all")
    act = same_call(act, volatile=[tool.name for tool in timed if tool.volatile])
    return strikes(act, held.strikes, per_tool=_given(own, "strikes"), hand_over=held.hand_over)


def opened(held: Limits, traced: Callable[[Model], Model] | None = None) -> Limits:
    """The limits with the model itself in the place of its name, looked at by `traced`. Raises ConfigError."""
    if not held.summarize:
        return held
    model = connect(held.summarize) if isinstance(held.summarize, str) else held.summarize
    return replace(held, summarize=traced(model) if traced else model)


def explained(tools: Iterable[Tool], held: Limits, lang: str) -> str:
    """What the model is told about the marks around tool output; nothing where no tool's output is marked."""
    marked = held.fence == "all" or (held.fence == "strange" and any(is_strange(tool.spec) for tool in tools))
    return EXPLAINED["zh" if lang.startswith("zh") else "en"] if marked else ""


def later(tools: Iterable[Tool], lang: str) -> tuple[ToolSpec, ...]:
    """Tools that a run offers once an observation was cut; none where one of the user's own has that name, or there are no tools."""
    names = [tool.name for tool in tools]
    return (read_more(lang),) if names and READ_MORE not in names else ()


def _timed(tool: Tool, held: Limits) -> Tool:
    """The tool with the time that holds for it: what the limits say of it, else its own, else that of all."""
    seconds = held.tools.get(tool.name, ToolLimits()).timeout or tool.timeout or held.timeout
    return replace(tool, timeout=seconds if seconds < float("inf") else None)


def _given(own: Mapping[str, ToolLimits], name: str) -> dict[str, Any]:
    return {tool: value for tool, one in own.items() if (value := getattr(one, name)) is not None}


def _rates(held: Limits) -> dict[tuple[str, Scope], Rate]:
    """Every rate that is set, by tool ("": all together) and scope."""
    texts: dict[tuple[str, Scope], str] = {}
    every: dict[str, Limits | ToolLimits] = {"": held, **held.tools}
    for name, one in every.items():
        texts |= {(name, "all"): one.rate, (name, "user"): one.user_rate, (name, "tenant"): one.tenant_rate}
    return {key: rate(text) for key, text in texts.items() if text}


# ── limits that make no sense ─────────────────────────────────────────────────


def _check(held: Limits, known: Mapping[str, Tool]) -> None:
    for name, one in held.tools.items():
        tool = known.get(name)
        if tool is None:
            near = get_close_matches(name, known, 1, 0.6)
            hint, hint_zh = (f"; did you mean {near[0]!r}?", f"；是否想写 {near[0]!r}？") if near else (".", "。")
            raise ConfigError(both(
                f"there are limits for a tool {name!r}, but no such tool{hint} Tools: {', '.join(known) or 'none'}",
                f"为工具 {name!r} 设了限制，但没有这个工具{hint_zh}现有工具：{'、'.join(known) or '无'}",
            ))  # fmt: skip
        _positive(one, f"{name}.")
        if one.cache and (tool.volatile or not LOOKING.issuperset(tool.spec.effects) or "reads" not in tool.spec.effects):
            raise ConfigError(both(
                f"what {name!r} says cannot be kept (cache = {one.cache:g}): it changes something, or may say something else a moment later",
                f"不能缓存 {name!r} 的结果（cache = {one.cache:g}）：它会改变数据，或结果随时会变",
            ))  # fmt: skip
    _positive(held, "")


def _positive(held: Limits | ToolLimits, prefix: str) -> None:
    for name in ("timeout", "at_once", "tokens", "attempts", "strikes", "failures", "window", "cool_down", "cache", "summarize_over"):
        value = getattr(held, name, None)
        if value is not None and not value > 0:
            raise ConfigError(both(f"the limit {prefix}{name} is {value}; it must be more than 0", f"限制 {prefix}{name} 为 {value}；必须大于 0"))
