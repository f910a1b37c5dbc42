"""Prices of Chinese providers in CNY per million tokens: what they bill in there, with tiers and peak hours.

Each row says where the figures stand and when they were read there; what is not in it is not known. A provider changes
its prices when it likes: a price in `tao.toml` goes before these. Where a page says "32K" without more, it is taken to be 32,000
tokens, the dearer reading. What is billed beside tokens (keeping a cache, searching the web) is not in these prices.
"""

from decimal import Decimal

from tao.prices import Price, Rate

DEEPSEEK = "https://api-docs.deepseek.com/zh-cn/quick_start/pricing"
ALIYUN = "https://help.aliyun.com/zh/model-studio/models, as quoted in May 2026; cached: /context-cache (20 % of input)"
ZHIPU = "https://docs.bigmodel.cn/cn/guide/start/pricing, a copy from before 2026-09-09"
MINIMAX = "https://platform.minimaxi.com/docs/guides/pricing-paygo, a copy from before June 2026"
MOONSHOT = "https://platform.kimi.com/docs/pricing/chat-k3, as quoted in July 2026"
SILICONFLOW = "https://siliconflow.cn/pricing, as quoted on 2026-02-08"
ARK = "https://www.volcengine.com/docs/82379/1544106 and the models' own pages"


def _rate(
    prices: str, *, over: int = 0, most: int | None = None, short: int | None = None, hours: str = "", weekdays: bool = False, thinking: str = "",
    written: str = "",
) -> Rate:
    """A rate from "input cached output"; "-" for cached: there is no other price for it."""
    fresh, reused, said = prices.split()
    return Rate(
        Decimal(fresh), Decimal(said), None if reused == "-" else Decimal(reused), Decimal(thinking) if thinking else None, "CNY", over, most, short,
        hours=hours, weekdays=weekdays, written=Decimal(written) if written else None,
    )


def _deepseek(peak: str, rest: str) -> Price:
    """Peak hours are 9 to 12 and 14 to 18 o'clock in Beijing from Monday to Friday; public holidays are not known here and count as peak."""
    hours = ("01:00-04:00", "06:00-10:00")
    return Price((*(_rate(peak, hours=span, weekdays=True) for span in hours), _rate(rest)), DEEPSEEK, "2026-10-17")


def _tiers(source: str, seen: str, *tiers: tuple[int, str, str], most: int | None = None) -> Price:
    """Rates by the length of the prompt: tokens above which the tier begins, prices, price of a completion with thinking.

    Nothing is said of prompts of more than `most` tokens.
    """
    return Price(tuple(_rate(prices, over=over, most=most, thinking=thinking) for over, prices, thinking in reversed(tiers)), source, seen)


def _qwen(*tiers: tuple[int, str, str], most: int | None = None) -> Price:
    return _tiers(ALIYUN, "2026-05-31", *tiers, most=most)


def _ark(*tiers: tuple[int, str], short: str = "") -> Price:
    """`short`: the price where the prompt has at most 32,000 tokens and the completion at most 200."""
    rates = _tiers(ARK, "2025-12-19", *((over, prices, "") for over, prices in tiers)).rates
    quick = (_rate(short, short=200),) if short else ()
    return Price((*rates[:-1], *quick, rates[-1]), ARK, "2025-12-19")


def _flat(prices: str, source: str, seen: str, written: str = "") -> Price:
    return Price((_rate(prices, written=written),), source, seen)


def _flow(fresh: str, said: str) -> Price:
    return Price((_rate(f"{fresh} - {said}"),), SILICONFLOW, "2026-02-08")


_FLASH = _deepseek("2 0.04 8", "1 0.02 4")
_SEED = _ark((0, "0.80 0.16 8.00"), (32_000, "1.20 0.16 16.00"), (128_000, "2.40 0.16 24.00"), short="0.80 0.16 2.00")
_SEED_THINKING = _ark((0, "0.80 0.16 8.00"), (32_000, "1.20 0.16 16.00"), (128_000, "2.40 0.16 24.00"))

TARIFFS: dict[str, dict[str, Price]] = {
    "deepseek": {
        "deepseek-flash": _FLASH,
        "deepseek-v4-flash": _FLASH,
        "deepseek-v4-flash-vision-exp": _FLASH,
        "deepseek-v4-pro": _deepseek("9.0 0.30 27.0", "4.5 0.15 13.5"),
    },
    "dashscope": {
        "qwen3-max": _qwen((0, "2.5 0.5 10", ""), (32_000, "4 0.8 16", ""), (128_000, "7 1.4 28", ""), most=256_000),
        "qwen3.6-plus": _qwen((0, "2 0.4 12", ""), most=256_000),
        "qwen3.5-plus": _qwen((0, "0.8 0.16 4.8", ""), (128_000, "2 0.4 12", ""), most=256_000),
        "qwen-plus": _qwen((0, "0.8 0.16 2", "8"), (128_000, "2.4 0.48 20", "24"), (256_000, "4.8 0.96 48", "64")),
        "qwen-flash": _qwen((0, "0.15 0.03 1.5", ""), (128_000, "0.6 0.12 6", ""), (256_000, "1.2 0.24 12", "")),
        "qwen-max": _qwen((0, "2.4 0.48 9.6", "")),
        "qwen-turbo": _qwen((0, "0.3 0.06 0.6", "3")),
        "qwen-long": _qwen((0, "0.5 - 2", "")),
        "qwq-plus": _qwen((0, "1.6 - 4", "")),
    },
    "zhipu": {
        "glm-5.3": _flat("8 2 28", ZHIPU, "2026-09-08"),
        "glm-5.3-flash": _flat("0.8 0.23 2.8", ZHIPU, "2026-09-08"),
    },
    "minimax": {
        "MiniMax-M2.7": _flat("2.1 0.42 8.4", MINIMAX, "2026-05-31", "2.625"),
        "MiniMax-M2.7-highspeed": _flat("4.2 0.42 16.8", MINIMAX, "2026-05-31", "2.625"),
        "MiniMax-M2.5": _flat("2.1 0.21 8.4", MINIMAX, "2026-05-31", "2.625"),
        "MiniMax-M2.5-highspeed": _flat("4.2 0.21 16.8", MINIMAX, "2026-05-31", "2.625"),
    },
    "moonshot": {
        "kimi-k3": _flat("20 2 100", MOONSHOT, "2026-07-18"),
    },
    "siliconflow": {
        "deepseek-ai/DeepSeek-V3": _flow("2", "8"),
        "deepseek-ai/DeepSeek-V3-0324": _flow("2", "8"),
        "deepseek-ai/DeepSeek-V3.1": _flow("2", "8"),
        "deepseek-ai/DeepSeek-R1": _flow("4", "16"),
        "deepseek-ai/DeepSeek-R1-0528": _flow("4", "16"),
        "Qwen/Qwen3-8B": _flow("0", "0"),
        "Qwen/Qwen2.5-7B-Instruct": _flow("0", "0"),
        "THUDM/GLM-4-9B-0414": _flow("0", "0"),
        "THUDM/GLM-Z1-9B-0414": _flow("0", "0"),
        "deepseek-ai/DeepSeek-R1-0528-Qwen3-8B": _flow("0", "0"),
    },
    "volcengine": {
        "doubao-seed-2-1-pro": _flat("6 - 30", "https://www.volcengine.com/article/2605349", "2026-11-16"),
        "doubao-seed-1-8": _SEED,
        "doubao-seed-1-6": _SEED,
        "doubao-seed-1-6-thinking": _SEED_THINKING,
        "doubao-seed-1-6-vision": _SEED_THINKING,
        "doubao-seed-1-6-lite": _ark(
            (0, "0.30 0.06 2.40"), (32_000, "0.60 0.06 4.00"), (128_000, "1.20 0.06 12.00"), short="0.30 0.06 0.60",
        ),
        "doubao-seed-1-6-flash": _ark((0, "0.15 0.03 1.50"), (32_000, "0.30 0.03 3.00"), (128_000, "0.60 0.03 6.00")),
        "doubao-seed-code-preview": _ark((0, "1.20 0.24 8.00"), (32_000, "1.40 0.24 12.00"), (128_000, "2.80 0.24 16.00")),
        "doubao-1-5-pro-32k": _ark((0, "0.80 0.16 2.00")),
        "doubao-1-5-lite-32k": _ark((0, "0.30 - 0.60")),
        "deepseek-v3-2": _ark((0, "2.00 0.40 3.00"), (32_000, "4.00 0.40 6.00")),
        "deepseek-v3-1": _ark((0, "4.00 0.80 12.00")),
        "deepseek-v3": _ark((0, "2.00 0.40 8.00")),
        "deepseek-r1": _ark((0, "4.00 0.80 16.00")),
        "kimi-k2": _ark((0, "4.00 0.80 16.00")),
        "kimi-k2-thinking": _ark((0, "4.00 0.80 16.00")),
    },
}
"""By provider and model. Ark's models are named without the date of their version ("-251215"): a page holds for all of them."""
