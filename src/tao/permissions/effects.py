"""What tools declare that they do, as far as rules and wrappers ask for it."""

from collections.abc import Mapping
from typing import Any

from tao.messages import Call
from tao.permissions.addresses import named
from tao.run import Run

LOOKING = frozenset({"reads", "network", "untrusted"})
"""Effects of a tool that changes nothing; "reads" must be among those that it declares."""

UNTRUSTED = frozenset({"network", "untrusted"})
"""A tool with one of these brings back text that strangers may have written."""

NEVER_RAN = frozenset({
    "unknown_tool", "bad_arguments", "taken_away", "denied", "rejected", "ungrounded", "unfounded", "unavailable", "rate_limited", "over_budget",
})  # fmt: skip
"""Kinds of observations of calls that were not carried out; their text is ours, not the tool's."""


def looks(effects: tuple[str, ...]) -> bool:
    """Whether a tool with these effects changes nothing. A tool that declares nothing may change anything."""
    return "reads" in effects and LOOKING.issuperset(effects)


def reaching(effects: tuple[str, ...], args: Mapping[str, Any]) -> tuple[str, ...]:
    """What a tool declares, with "network" where it must be meant: what brings back strangers' text for an address goes there for it."""
    if "network" in effects or "untrusted" not in effects or all(place.bare for _, place in named(args)):
        return effects
    return (*effects, "network")


def only_looks(call: Call, run: Run) -> bool:
    """Whether the called tool declares that it changes nothing; a tool that the run does not know may change anything."""
    spec = run.tool(call.tool)
    return spec is not None and looks(spec.effects)


def say(run: Run, en: str, zh: str) -> str:
    """The text in the run's language."""
    return zh if run.asked.lang.startswith("zh") else en
