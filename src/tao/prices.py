"""What a run costs: prices per million tokens, and reading the cost off the events. Decimal arithmetic, standard library only.

Where prices come from is the business of `tao.models.pricing`. A run carries those that held when it was asked (in
`Asked.settings["prices"]`, by our name of the model), so that its cost is the same whenever it is worked out. A price or
a usage that is not known makes a reply's cost unknown; it is never taken to be nothing.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlsplit

from tao.errors import ConfigError, both
from tao.events import Replied
from tao.messages import Usage
from tao.run import NO_TOOLS, Run

MILLION = 1_000_000
LOCAL = frozenset({"local", "ollama", "vllm", "sglang", "llamacpp", "lmstudio"})
"""Providers whose models run on one's own machine: a token costs nothing there."""
SIGNS = {"CNY": "¥", "USD": "$", "EUR": "€", "GBP": "£"}


@dataclass(frozen=True, slots=True)
class Rate:
    """What a million tokens cost: `input`, `output`, `cached` of a prompt read from a cache, `written` into one (None: as input).

    `thinking` is the price of the whole completion where the model thought (None: as output). The rate holds for prompts
    of more than `over` and at most `most` tokens, completions of at most `short` tokens (None: any), replies asked for from `since` (a date,
    UTC) on, within `hours` ("01:00-04:00", UTC) and, with `weekdays`, from Monday to Friday.
    """

    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    thinking: Decimal | None = None
    currency: str = "USD"
    over: int = 0
    most: int | None = None
    short: int | None = None
    since: str = ""
    hours: str = ""
    weekdays: bool = False
    written: Decimal | None = None

    def holds(self, usage: Usage, at: float) -> bool:
        """Whether it is the rate for this usage at this Unix time in seconds."""
        moment = datetime.fromtimestamp(at, UTC)
        return (
            (not self.over or (usage.prompt or 0) > self.over)
            and (self.most is None or (usage.prompt or 0) <= self.most)
            and (self.short is None or (usage.completion or 0) <= self.short)
            and (not self.since or moment.date() >= date.fromisoformat(self.since))
            and (not self.weekdays or moment.isoweekday() <= 5)
            and (not self.hours or _within(self.hours, moment.time()))
        )

    def amount(self, usage: Usage) -> Decimal | None:
        """What this usage costs; None where prompt or completion was not counted.

        Tokens read from a cache or written into it are part of the prompt, reasoning tokens of the completion: none is charged twice.
        """
        if usage.prompt is None or usage.completion is None:
            return None
        cached = min(usage.cached or 0, usage.prompt)
        stored = min(usage.written or 0, usage.prompt - cached)
        reused = self.input if self.cached is None else self.cached
        storing = self.input if self.written is None else self.written
        said = self.thinking if self.thinking is not None and usage.reasoning else self.output
        return (self.input * (usage.prompt - cached - stored) + reused * cached + storing * stored + said * usage.completion) / MILLION


@dataclass(frozen=True, slots=True)
class Price:
    """A model's rates, of which the first that holds counts; `source` says where they stand, `seen` the day they were read there."""

    rates: tuple[Rate, ...]
    source: str = ""
    seen: str = ""

    @property
    def currency(self) -> str:
        """What it is billed in."""
        return self.rates[0].currency

    def of(self, usage: Usage, at: float) -> Decimal | None:
        """What this usage cost at this Unix time; None where that is not known."""
        rate = next((rate for rate in self.rates if rate.holds(usage, at)), None)
        return None if rate is None else rate.amount(usage)


FREE = Price((Rate(Decimal(0), Decimal(0), currency=""),))
AMOUNTS = frozenset({"input", "output", "cached", "thinking", "written"})
Prices = Callable[[str], Price | None]
"""The price of the model of that name ("provider:model"); None where it is not known."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Amounts by currency, and the number of replies whose cost is not known (and so in no amount)."""

    amounts: Mapping[str, Decimal] = field(default_factory=dict)
    unknown: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        """Both together."""
        amounts = dict(self.amounts)
        for currency, amount in other.amounts.items():
            amounts[currency] = amounts.get(currency, Decimal(0)) + amount
        return Cost(amounts, self.unknown + other.unknown)

    def within(self, currency: str, exchange: Mapping[str, Any] | None = None) -> Decimal | None:
        """All of it in one currency; `exchange` says how much of it one unit of another is worth. None where that is not said."""
        total = Decimal(0)
        for name, amount in self.amounts.items():
            rate = 1 if name == currency else (exchange or {}).get(name)
            if rate is None:
                return None
            total += amount * Decimal(str(rate))
        return total

    def __str__(self) -> str:
        """Such as "¥0.0123 + $1.50"; empty where there is no amount."""
        return " + ".join(money(amount, currency) for currency, amount in self.amounts.items())


def cost(run: Run, prices: Prices | None = None) -> Cost:
    """What the replies of a run cost, by the prices that it carries, or by `prices` where they are given.

    A server's refusal of structured tools is not billed. Models on one's own machine cost nothing, unless a price says otherwise.
    """
    total = Cost()
    find = prices or recorded(run)
    for event in run.paid:
        if event.reply.finish != NO_TOOLS:
            price = find(answered_by(run, event))
            total += _cost(price, event.reply.usage, event.at - event.reply.seconds)
    return total


def answered_by(run: Run, event: Replied) -> str:
    """Our name of the model that gave this reply: the run's own, unless another one stood in for it."""
    return event.reply.by or run.asked.model


def recorded(run: Run) -> Prices:
    """The prices that a run carries."""
    known = run.asked.settings.get("prices", {})

    def find(name: str) -> Price | None:
        if name in known:
            return from_json(known[name])
        return FREE if is_local(name) else None

    return find


def worth(exchange: Mapping[str, Any] | None) -> None:
    """Raise ConfigError where what a currency is worth is no number above 0."""
    for name, given in (exchange or {}).items():
        try:
            sound = Decimal(str(given)).is_finite() and Decimal(str(given)) > 0
        except InvalidOperation:
            sound = False
        if not sound:
            raise ConfigError(both(f"exchange: {name} is {given!r}; it must be a number above 0", f"汇率：{name} 为 {given!r}；应为大于 0 的数"))


def total(costs: Iterable[Cost]) -> Cost:
    """All of them together."""
    return sum(costs, Cost())


def is_local(name: str) -> bool:
    """Whether the model of that name runs on one's own machine."""
    if name.startswith(("http://", "https://")):
        return urlsplit(name).hostname in {"localhost", "127.0.0.1", "::1", "0.0.0.0"}  # noqa: S104 - an address to compare with
    return name.partition(":")[0] in LOCAL


def money(amount: Decimal, currency: str) -> str:
    """An amount to show: two decimals, or four where it is less than one."""
    sign = SIGNS.get(currency, f"{currency} ")
    return f"{sign}{amount:.2f}" if amount >= 1 or not amount else f"{sign}{amount:.4f}"


# ── as JSON ───────────────────────────────────────────────────────────────────


def to_json(price: Price) -> dict[str, Any]:
    """The price as plain JSON values, exact numbers as texts; what is as by default is left out."""
    rates = [
        {f.name: str(value) if isinstance(value, Decimal) else value for f in fields(rate) if (value := getattr(rate, f.name)) != f.default}
        for rate in price.rates
    ]
    return {"rates": rates, **({"source": price.source} if price.source else {}), **({"seen": price.seen} if price.seen else {})}


def from_json(record: Mapping[str, Any]) -> Price:
    """The price that `to_json` wrote. Raises ConfigError for anything else."""
    try:
        rates = tuple(map(_rate, record["rates"]))
        _ = rates[0], [rate.holds(Usage(), 0.0) for rate in rates]
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, InvalidOperation) as error:
        text = both(
            f"{record!r:.200} is no price ({error}): wanted {{'rates': [{{'input': …, 'output': …}}]}}, per million tokens",
            f"{record!r:.200} 不是有效的价格（{error}）：应为 {{'rates': [{{'input': …, 'output': …}}]}}，单位为每百万词元",
        )
        raise ConfigError(text) from error
    return Price(rates, str(record.get("source", "")), str(record.get("seen", "")))


def _rate(record: Mapping[str, Any]) -> Rate:
    known: dict[str, Any] = {f.name: record[f.name] for f in fields(Rate) if f.name in record}
    known |= {key: Decimal(str(known[key])) for key in AMOUNTS & known.keys()}
    return Rate(**known)


def _cost(price: Price | None, usage: Usage, at: float) -> Cost:
    amount = None if price is None else price.of(usage, max(at, 0.0))
    if price is None or amount is None:
        return Cost(unknown=1)
    return Cost({price.currency: amount} if price.currency else {})


def _within(hours: str, moment: time) -> bool:
    start, end = (time.fromisoformat(part) for part in hours.split("-"))
    return start <= moment < end if start <= end else moment >= start or moment < end
