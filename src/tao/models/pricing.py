"""The price of a model, by its name: one's own table, then ours in CNY, then the package genai-prices (extra `prices`, offline)."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date
from decimal import Decimal
from functools import cache
from typing import Any

from tao.errors import ConfigError, both
from tao.models.profiles import PROFILES
from tao.models.profiles import profile as known_profile
from tao.models.tariffs import TARIFFS
from tao.prices import FREE, Price, Prices, Rate, is_local, to_json, worth

GENAI = {
    "openai": "openai", "deepseek": "deepseek", "moonshot": "moonshotai", "zhipu": "zhipuai", "minimax": "minimax",
    "openrouter": "openrouter", "gemini": "google", "anthropic": "anthropic",
}  # fmt: skip
"""Our names of providers in that package; those that are not here it does not have (or not in this part of the world)."""
ARK_VERSION = re.compile(r"-\d{6}$")


def price_of(name: str, *, own: Mapping[str, Price] | None = None, currency: str = "") -> Price | None:
    """The price of a model ("provider:model", an address, "local"); None where nobody says it.

    `own` prices go before all. Where a price is known in several currencies, the one in `currency` is taken.
    """
    if own and name in own:
        return own[name]
    provider, _, model = name.partition(":")
    found = known_profile(provider)
    provider = provider if found is None else found.name
    if own and (named := next((one for one in own if one.endswith(model) and _same(one, provider, model)), None)):
        return own[named]
    if is_local(name) or is_local(f"{provider}:{model}"):
        return FREE
    ours = tariff(provider, model)
    if ours is not None and currency in {"", ours.currency}:
        return ours
    return packaged(provider, model) or ours


def _same(name: str, provider: str, model: str) -> bool:
    """Whether the name means that provider's model, under whatever name of the provider and at whatever address."""
    found, _, one = name.partition(":")
    return (one.partition("#")[2] if "://" in one else one) == model and (known := known_profile(found)) is not None and known.name == provider


def tariff(provider: str, model: str) -> Price | None:
    """The price in our own table."""
    table = TARIFFS.get(provider, {})
    return table.get(model) or table.get(ARK_VERSION.sub("", model) if provider == "volcengine" else model)


def finder(own: Mapping[str, Price] | None = None, currency: str = "") -> Prices:
    """`price_of` with these prices of one's own. Raises ConfigError for a name that cannot be a model's."""
    for name in own or {}:
        provider, _, model = name.partition(":")
        if not model or not (is_local(name) or provider in {"http", "https", *GENAI} or known_profile(provider)):
            known = ", ".join(PROFILES)
            text = both(
                f"prices: {name!r} is no model; write provider:model (providers: {known})",
                f"prices：{name!r} 不是模型；请写 provider:model（provider 可为 {known}）",
            )
            raise ConfigError(text)
    return lambda name: price_of(name, own=own, currency=currency)


def priced(model: Any, prices: Prices, settings: Mapping[str, Any]) -> dict[str, Any]:
    """What a run of this model records of money: "prices" by the name of each model that may answer, and "currency" of the budget.

    Models that cost nothing by their nature are left out: a run knows them by their name. Raises ConfigError where
    `settings` have a "max_cost" and what a call costs is not known, or not in that currency.
    """
    wanted = str(settings.get("currency") or "")
    found = {name: price for name in names_of(model) if (price := prices(name)) is not FREE or not is_local(name)}
    known = {name: price for name, price in found.items() if price is not None}
    record: dict[str, Any] = {"prices": {name: to_json(price) for name, price in known.items()}} if known else {}
    if settings.get("max_cost") is None:
        return record
    currency = wanted or next((price.currency for price in known.values() if price.currency), "")
    exchange = settings.get("exchange") or {}
    worth(exchange)
    if not names_of(model):
        raise ConfigError(both("max_cost is set, and the model has no `name` by which its price is known", "设置了 max_cost，但模型没有可据以查价的 `name`"))
    for name, price in found.items():
        if price is None:
            raise ConfigError(both(*_unknown(name)))
        if price.currency not in {"", currency, *exchange}:
            raise ConfigError(both(*_foreign(name, price.currency, currency)))
    return {**record, "currency": currency}


def _unknown(name: str) -> tuple[str, str]:
    table, more = f'[prices."{name}"]', "pip install 'tao-agent[prices]'"
    english = f"max_cost is set, and the price of {name} is not known: say it in tao.toml, {table} with input, output and currency per million tokens"
    chinese = f"设置了 max_cost，但不知道 {name} 的价格：请在 tao.toml 的 {table} 中写明每百万词元的 input、output 和 currency"
    return (english, chinese) if installed() else (f"{english}, or install more prices: {more}", f"{chinese}，或安装更多价格：{more}")


def _foreign(name: str, billed: str, wanted: str) -> tuple[str, str]:
    return (
        f"max_cost is in {wanted}, and {name} is billed in {billed}: say in tao.toml what one {billed} is worth, [exchange] {billed} = …",
        f"max_cost 以 {wanted} 计，而 {name} 以 {billed} 计费：请在 tao.toml 的 [exchange] 中写明 1 {billed} 值多少 {wanted}：{billed} = …",
    )


def names_of(model: Any) -> tuple[str, ...]:
    """The names of every model that may answer where this one is asked; of wrappers and tuples, what is in them."""
    inner = model if isinstance(model, tuple) else getattr(model, "parts", None)
    if not isinstance(inner, tuple):
        return tuple(filter(None, [str(getattr(model, "name", ""))]))
    return tuple(dict.fromkeys(name for part in inner for name in names_of(part)))


# ── genai-prices ──────────────────────────────────────────────────────────────


@cache
def packaged(provider: str, model: str) -> Price | None:
    """The price in the package genai-prices, in USD; None where it has none, or is not installed."""
    snapshot = _snapshot() if provider in GENAI else None
    if snapshot is None:
        return None
    try:
        _, info = snapshot.find_provider_model(model, None, GENAI[provider], None)
    except LookupError:
        return None
    entries = list(reversed(info.prices)) if isinstance(info.prices, list) else [info.prices]
    rates: list[Rate] = []
    for entry in entries:
        limits = _limits(getattr(entry, "constraint", None))
        if limits is None:
            return None
        rates += _rates(getattr(entry, "prices", entry), limits)
    if isinstance(info.prices, list):  # where no condition holds, its first entry counts
        rates += _rates(info.prices[0].prices, {})
    return Price(tuple(rates), f"genai-prices: {GENAI[provider]}, {info.id}") if rates else None


@cache
def _snapshot() -> Any:
    try:
        from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - heavy, optional, and only here
    except ImportError:
        return None
    return get_snapshot()


def installed() -> bool:
    """Whether the package is there."""
    return _snapshot() is not None


def _limits(condition: Any) -> dict[str, Any] | None:
    """When an entry holds, as fields of `Rate`; None for a condition that we do not know."""
    if condition is None:
        return {}
    if hasattr(condition, "start_date"):
        since: date = condition.start_date
        return {"since": since.isoformat()}
    if hasattr(condition, "start_time"):
        spans = [moment if moment.tzinfo is None else moment.replace(tzinfo=UTC) for moment in (condition.start_time, condition.end_time)]
        plain = all(moment.tzinfo is None or not moment.utcoffset() for moment in (condition.start_time, condition.end_time))
        return {"hours": f"{spans[0]:%H:%M}-{spans[1]:%H:%M}"} if plain else None
    return None


def _rates(prices: Any, limits: Mapping[str, Any]) -> list[Rate]:
    """A model's prices as rates, the longest prompts first; none where they say no price of input or output."""
    fresh, said, reused, stored = prices.input_mtok, prices.output_mtok, prices.cache_read_mtok, prices.cache_write_mtok
    if fresh is None or said is None:
        return []
    starts = sorted({tier.start for price in (fresh, said, reused, stored) for tier in getattr(price, "tiers", ())}, reverse=True)
    at: Callable[[Any, int], Decimal | None] = _tier
    return [
        Rate(
            at(fresh, start) or Decimal(0), at(said, start) or Decimal(0), at(reused, start), over=start, written=at(stored, start), **limits
        )
        for start in (*starts, 0)
    ]


def _tier(price: Any, start: int) -> Decimal | None:
    """What holds for prompts of more than `start` tokens."""
    if price is None or isinstance(price, Decimal):
        return price
    return next((Decimal(tier.price) for tier in reversed(price.tiers) if start >= tier.start), Decimal(price.base))
