"""Whether a run goes on: pure functions of what happened. `default` puts the usual ones together."""

from collections.abc import Mapping
from typing import Any

from tao.policies.first_of import first_of
from tao.policies.limits import deadline, max_steps, max_tokens
from tao.policies.loop_guard import empty_handed, loop_guard
from tao.policies.misreads import misreads
from tao.policies.verify import verify
from tao.seams import Abilities, Policy

__all__ = ["deadline", "default", "empty_handed", "first_of", "loop_guard", "max_steps", "max_tokens", "misreads", "verify"]


def default(settings: Mapping[str, Any], abilities: Abilities) -> Policy:
    """The usual policies, from a run's recorded settings: budgets first, then misreads, the loop guard, and a look at the answer.

    `verify` is on for small models unless the settings say otherwise.
    """
    parts: list[Policy] = [max_steps(int(settings.get("max_steps", 8)))]
    if settings.get("max_tokens"):
        parts.append(max_tokens(int(settings["max_tokens"])))
    if settings.get("deadline"):
        parts.append(deadline(float(settings["deadline"])))
    parts += [misreads(int(settings.get("max_misreads", 2))), loop_guard]
    if settings.get("verify", abilities.small):
        parts += [empty_handed, verify]
    return first_of(*parts)
