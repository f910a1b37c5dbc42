"""Budgets of a session, a user or a tenant over a stretch of time: what their runs have used, read off the events.

Pure functions of many runs; `admit` looks the runs up. It is asked before a run starts, so that what is used up can be overshot
by the runs that are under way at that moment, each within its own budget.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, Protocol, runtime_checkable

from tao.errors import ConfigError, OverBudget, both
from tao.prices import Cost, cost, money
from tao.run import Run

DAY = 86_400.0
NAMES = {"session": "会话", "user": "用户", "tenant": "租户"}


@dataclass(frozen=True, slots=True)
class Quota:
    """At most so much within the last `window` seconds for each session, user or tenant; None: no limit of that kind.

    `max_cost` is in `currency`; `exchange` says how much of it one unit of another is worth. Raises ConfigError for a
    window or limit that is not above 0, and for money without a currency.
    """

    per: Literal["session", "user", "tenant"]
    window: float = DAY
    max_runs: int | None = None
    max_tokens: int | None = None
    max_cost: Decimal | None = None
    currency: str = ""
    exchange: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        limits = {"window": self.window, "max_runs": self.max_runs, "max_tokens": self.max_tokens, "max_cost": self.max_cost}
        for name, value in limits.items():
            if value is not None and not value > 0:
                raise ConfigError(both(f"quota: {name} is {value}; it must be above 0", f"配额：{name} 为 {value}；应大于 0"))
        if self.per not in NAMES:
            raise ConfigError(both(f"quota: per is {self.per!r}; wanted: {', '.join(NAMES)}", f"配额：per 为 {self.per!r}；应为 {'、'.join(NAMES)}"))
        if self.max_cost is not None and not self.currency:
            raise ConfigError(both("quota: max_cost needs a currency such as CNY", "配额：max_cost 需要写明 currency，如 CNY"))


@dataclass(frozen=True, slots=True)
class Spent:
    """What was used: runs that were begun, tokens of prompts and completions, money."""

    runs: int = 0
    tokens: int = 0
    cost: Cost = field(default_factory=Cost)


@runtime_checkable
class Past(Protocol):
    """A journal that lists its runs, the latest first, and gives them back."""

    async def list(self, limit: int | None = 20) -> Sequence[Any]:
        """Runs with `id`, `started` and `ended` (Unix seconds; None: not over)."""

    async def load(self, run: str) -> Run:
        """The run of that id."""


def spent(runs: Iterable[Run], per: str, name: str, since: float) -> Spent:
    """What the runs for this session, user or tenant have used since then (Unix seconds), by the moment of each reply."""
    count, tokens, amount = 0, 0, Cost()
    for run in runs:
        if str((run.asked.settings.get("who") or {}).get(per, "")) != name:
            continue
        count += run.asked.at >= since
        late = [event for event in run.paid if event.at >= since]
        tokens += sum((event.reply.usage.prompt or 0) + (event.reply.usage.completion or 0) for event in late)
        amount += cost(Run(run.id, [run.asked, *late]))
    return Spent(count, tokens, amount)


def over(quota: Quota, used: Spent) -> tuple[str, str] | None:
    """What of the quota is used up, in English and Chinese; None where there is room. Money in a currency without exchange rate counts as used up."""
    if quota.max_runs is not None and used.runs >= quota.max_runs:
        return f"{used.runs} of {quota.max_runs} runs", f"{used.runs} / {quota.max_runs} 次运行"
    if quota.max_tokens is not None and used.tokens >= quota.max_tokens:
        return f"{used.tokens:,} of {quota.max_tokens:,} tokens", f"{used.tokens:,} / {quota.max_tokens:,} 词元"
    if quota.max_cost is not None:
        whole = used.cost.within(quota.currency, quota.exchange)
        if whole is None or whole >= quota.max_cost:
            said, most = str(used.cost) if whole is None else money(whole, quota.currency), money(quota.max_cost, quota.currency)
            return f"{said} of {most}", f"{said} / {most}"
    return None


async def admit(journal: Past, quotas: Iterable[Quota], who: Mapping[str, Any], now: float | None = None) -> None:
    """Raise OverBudget where a quota of this session, user or tenant is used up. Whom a quota does not know it does not hold."""
    held = [(quota, str(who[quota.per])) for quota in quotas if who.get(quota.per)]
    if not held:
        return
    now = time.time() if now is None else now
    begin = now - max(quota.window for quota, _ in held)
    past = [await journal.load(listed.id) for listed in await journal.list(None) if listed.ended is None or listed.ended >= begin]
    for quota, name in held:
        if used_up := over(quota, spent(past, quota.per, name, now - quota.window)):
            hours = f"{quota.window / 3600:g}"
            raise OverBudget(
                both(
                    f"{quota.per} {name!r} has used up what is agreed for {hours} hours: {used_up[0]}",
                    f"{NAMES[quota.per]} {name!r} 已用完 {hours} 小时内约定的用量：{used_up[1]}",
                )
            )
