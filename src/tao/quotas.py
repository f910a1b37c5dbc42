"""Budgets of a session, a user or a tenant over a stretch of time: what their runs have used, read off the events.

Pure functions of many runs; `admit` looks the runs up. It is asked before a run starts, and gives that run no more than is left;
so it can be overshot only by the runs that are under way at that moment, each within its own budget.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal
from itertools import pairwise
from typing import Any, Literal, Protocol, runtime_checkable

from tao.errors import ConfigError, OverBudget, both
from tao.events import Observed, Paused, Replied, Ruled
from tao.prices import Cost, cost, money, worth
from tao.run import NO_TOOLS, Run

DAY = 86_400.0
NAMES = {"session": "会话", "user": "用户", "tenant": "租户"}
KINDS = {
    "runs": ("runs", "次运行"), "steps": ("steps", "步"), "model_calls": ("model calls", "次模型调用"), "tool_calls": ("tool calls", "次工具调用"),
    "tokens": ("tokens", "词元"), "prompt_tokens": ("prompt tokens", "提示词元"), "completion_tokens": ("completion tokens", "输出词元"),
    "reasoning_tokens": ("reasoning tokens", "思考词元"), "cached_tokens": ("cached tokens", "缓存词元"), "seconds": ("seconds", "秒"),
}  # fmt: skip
"""What is counted beside money, in English and Chinese."""


@dataclass(frozen=True, slots=True)
class Quota:
    """At most so much within the last `window` seconds for each session, user or tenant; None: no limit of that kind.

    `max_cost` is in `currency`; `exchange` says how much of it one unit of another is worth. `max_seconds` is the time that runs
    take, waiting for a person not counted. Raises ConfigError for a window or limit that is not above 0, and for money without a currency.
    """

    per: Literal["session", "user", "tenant"]
    window: float = DAY
    max_runs: int | None = None
    max_tokens: int | None = None
    max_cost: Decimal | None = None
    currency: str = ""
    exchange: Mapping[str, Any] = field(default_factory=dict)
    max_steps: int | None = None
    max_model_calls: int | None = None
    max_tool_calls: int | None = None
    max_prompt_tokens: int | None = None
    max_completion_tokens: int | None = None
    max_reasoning_tokens: int | None = None
    max_cached_tokens: int | None = None
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        worth(self.exchange)
        for name in ("window", *(one.name for one in fields(self) if one.name.startswith("max_"))):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise ConfigError(both(f"quota: {name} is {value}; it must be above 0", f"配额：{name} 为 {value}；应大于 0"))
        if self.per not in NAMES:
            raise ConfigError(both(f"quota: per is {self.per!r}; wanted: {', '.join(NAMES)}", f"配额：per 为 {self.per!r}；应为 {'、'.join(NAMES)}"))
        if self.max_cost is not None and not self.currency:
            raise ConfigError(both("quota: max_cost needs a currency such as CNY", "配额：max_cost 需要写明 currency，如 CNY"))


@dataclass(frozen=True, slots=True)
class Spent:
    """What was used: runs that were begun, tokens of prompts and completions, money, and what else a quota may limit."""

    runs: int = 0
    tokens: int = 0
    cost: Cost = field(default_factory=Cost)
    steps: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    seconds: float = 0.0


@runtime_checkable
class Past(Protocol):
    """A journal that lists its runs, the latest first, and gives them back."""

    async def list(self, limit: int | None = 20) -> Sequence[Any]:
        """Runs with `id`, `started` and `ended` (Unix seconds; None: not over)."""

    async def load(self, run: str) -> Run:
        """The run of that id."""


def spent(runs: Iterable[Run], per: str, name: str, since: float) -> Spent:
    """What the runs for this session, user or tenant have used since then (Unix seconds), by the moment of each event."""
    counts, amount, seconds = dict.fromkeys(KINDS, 0), Cost(), 0.0
    for run in runs:
        if str((run.asked.settings.get("who") or {}).get(per, "")) != name:
            continue
        late = [event for event in run.paid if event.at >= since]
        usages = [event.reply.usage for event in late]
        for kind in ("prompt", "completion", "reasoning", "cached"):
            counts[f"{kind}_tokens"] += sum(getattr(usage, kind) or 0 for usage in usages)
        counts["runs"] += run.asked.at >= since
        counts["model_calls"] += len(late)
        counts["steps"] += sum(event.at >= since and event.reply.finish != NO_TOOLS for event in run.all(Replied))
        counts["tool_calls"] += sum(event.at >= since for event in run.all(Observed))
        seconds += elapsed(run, since)
        amount += cost(Run(run.id, [run.asked, *late]))
    tokens = counts["prompt_tokens"] + counts["completion_tokens"]
    return Spent(**{**counts, "tokens": tokens, "seconds": seconds}, cost=amount)  # type: ignore[arg-type]


def elapsed(run: Run, since: float = float("-inf")) -> float:
    """Seconds from the question, or `since`, to the last event, without those in which the run waited for a person."""
    waited = sum(
        max(0.0, after.at - max(before.at, since)) for before, after in pairwise(run.events)
        if (isinstance(before, Paused) or isinstance(after, Ruled)) and before.at and after.at > before.at
    )
    return max(0.0, run.events[-1].at - max(run.asked.at, since)) - waited


def over(quota: Quota, used: Spent) -> tuple[str, str] | None:
    """What of the quota is used up, in English and Chinese; None where there is room. Money in a currency without exchange rate counts as used up."""
    for kind, (english, chinese) in KINDS.items():
        limit, count = getattr(quota, f"max_{kind}"), getattr(used, kind)
        if limit is not None and count >= limit:
            said, most = f"{round(count, 1):,}", f"{limit:,}"
            return f"{said} of {most} {english}", f"{said} / {most} {chinese}"
    if quota.max_cost is not None:
        whole = used.cost.within(quota.currency, quota.exchange)
        if whole is None or whole >= quota.max_cost:
            said, most = str(used.cost) if whole is None else money(whole, quota.currency), money(quota.max_cost, quota.currency)
            return f"{said} of {most}", f"{said} / {most}"
    return None


def narrowed(settings: Mapping[str, Any], quota: Quota, used: Spent) -> dict[str, Any]:
    """These settings of a run, with its budgets no larger than what is left of the quota."""
    found = dict(settings)
    for kind in KINDS.keys() - {"runs"}:
        if (limit := getattr(quota, f"max_{kind}")) is not None:
            name = "deadline" if kind == "seconds" else f"max_{kind}"
            left = limit - getattr(used, kind)
            found[name] = left if found.get(name) is None else min(found[name], left, key=float)
    if quota.max_cost is None:
        return found
    left = quota.max_cost - (used.cost.within(quota.currency, quota.exchange) or 0)
    if found.get("max_cost") is None:
        return {**found, "max_cost": str(left), "currency": quota.currency, "exchange": {name: str(rate) for name, rate in quota.exchange.items()}}
    own = Cost({str(found.get("currency") or quota.currency): Decimal(1)}).within(quota.currency, quota.exchange)
    return found if own is None else {**found, "max_cost": str(min(Decimal(str(found["max_cost"])), left / own))}


async def admit(
    journal: Past, quotas: Iterable[Quota], who: Mapping[str, Any], now: float | None = None, settings: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The settings of a run that is begun now, held to what the quotas of this session, user and tenant have left.

    Raises OverBudget where one of them is used up. Whom a quota does not know it does not hold.
    """
    found = dict(settings or {})
    held = [(quota, str(who[quota.per])) for quota in quotas if who.get(quota.per)]
    if not held:
        return found
    now = time.time() if now is None else now
    begin = now - max(quota.window for quota, _ in held)
    past = [await journal.load(listed.id) for listed in await journal.list(None) if listed.ended is None or listed.ended >= begin]
    for quota, name in held:
        used = spent(past, quota.per, name, now - quota.window)
        if used_up := over(quota, used):
            hours = f"{quota.window / 3600:g}"
            raise OverBudget(
                both(
                    f"{quota.per} {name!r} has used up what is agreed for {hours} hours: {used_up[0]}",
                    f"{NAMES[quota.per]} {name!r} 已用完 {hours} 小时内约定的用量：{used_up[1]}",
                )
            )
        found = narrowed(found, quota, used)
    return found
