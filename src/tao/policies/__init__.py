"""Whether a run goes on: pure functions of what happened. `default` puts the usual ones together."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from typing import Any

from tao.errors import ConfigError, both
from tao.policies.checks import checked
from tao.policies.dead_ends import REASON as FAILING
from tao.policies.dead_ends import failing, refused, tool_failures
from tao.policies.first_of import first_of
from tao.policies.limits import deadline, max_cost, max_model_calls, max_steps, max_tokens, max_tool_calls, until_wrapped, within
from tao.policies.loop_guard import LOOP, circling, empty_handed, guard, loop_guard
from tao.policies.misreads import misreads
from tao.policies.reflect import every, reflect
from tao.policies.verify import verify
from tao.run import Run
from tao.seams import Abilities, Policy

__all__ = [
    "budgets", "checked", "deadline", "default", "empty_handed", "first_of", "guard", "loop_guard", "max_cost", "max_model_calls", "max_steps",
    "max_tokens", "max_tool_calls", "misreads", "reflect", "refused", "tool_failures", "verify", "within",
]  # fmt: skip

BUDGETS: dict[str, Callable[[Any], Policy]] = {
    "max_model_calls": lambda limit: max_model_calls(int(limit)),
    "max_tool_calls": lambda limit: max_tool_calls(int(limit)),
    "max_tokens": lambda limit: max_tokens(int(limit)),
    "max_prompt_tokens": lambda limit: max_tokens(int(limit), "prompt"),
    "max_completion_tokens": lambda limit: max_tokens(int(limit), "completion"),
    "max_reasoning_tokens": lambda limit: max_tokens(int(limit), "reasoning"),
    "max_cached_tokens": lambda limit: max_tokens(int(limit), "cached"),
    "deadline": lambda limit: deadline(float(limit)),
}
"""By the name of the setting, beside "max_steps" and "max_cost"."""
LIMITS = frozenset({*BUDGETS, "max_steps", "max_cost", "max_misreads", "max_tools_shown"})
"""Every setting of a run that begins with "max_"; another one would limit nothing."""


Turn = Callable[[Run], Sequence[str]]
"""The models that may answer a run, the one whose turn it is first."""


def default(settings: Mapping[str, Any], abilities: Abilities, turn: Turn | None = None) -> Policy:
    """The usual policies, from a run's recorded settings: refusals, budgets, circles and failing tools, misreads, looking back, and a look at the answer.

    `verify` is on for small models unless the settings say otherwise; `reflect` where they say how often; `turn`: see `max_cost`.
    """
    held = abilities.small and abilities.constraint == "gbnf"
    stuck = until_wrapped({FAILING: failing(), LOOP: circling(held=held)})
    parts: list[Policy] = [refused, within(budgets(settings, turn), stuck), misreads(int(settings.get("max_misreads", 2)))]
    careful = settings.get("verify", abilities.small)
    parts += [empty_handed] if careful else []
    parts += [reflect(often)] if (often := every(settings)) else []
    parts += [verify] if careful else []
    return first_of(*parts)


def budgets(settings: Mapping[str, Any], turn: Turn | None = None) -> Policy:
    """The budgets that a run's recorded settings name, as one policy. Raises ConfigError for a limit that is no number above 0, or is none."""
    for name in settings:
        if name.startswith("max_") and name not in LIMITS:
            near = get_close_matches(name, LIMITS, 1, 0.6) or sorted(LIMITS)
            raise ConfigError(both(f"{name} limits nothing; did you mean {', '.join(near)}?", f"没有名为 {name} 的限制；是否想写 {'、'.join(near)}？"))
    parts = [max_steps(int(settings.get("max_steps", 8)))]
    parts += [make(_above_zero(settings, name)) for name, make in BUDGETS.items() if settings.get(name) is not None]
    if settings.get("max_cost") is not None:
        parts.append(max_cost(_above_zero(settings, "max_cost"), str(settings.get("currency", "")), settings.get("exchange"), turn))
    return within(*parts)


def _above_zero(settings: Mapping[str, Any], name: str) -> Decimal:
    given = settings[name]
    try:
        limit = Decimal(str(given))
    except InvalidOperation:
        limit = Decimal(0)
    whole = name not in {"max_cost", "deadline"}
    if not (limit.is_finite() and limit > 0 and (not whole or limit == int(limit))):
        kind, kind_zh = ("a whole number", "整数") if whole else ("a number", "数")
        raise ConfigError(both(f"{name} is {given!r}; it must be {kind} above 0", f"{name} 为 {given!r}；应为大于 0 的{kind_zh}"))
    return limit
