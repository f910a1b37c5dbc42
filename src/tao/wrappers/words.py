"""What wrappers share: the run's language, and which calls only look."""

from collections.abc import Mapping

from tao.messages import Call, ToolSpec
from tao.run import Run

LOOKING = frozenset({"reads", "network", "untrusted"})
"""Effects of a tool that changes nothing; "reads" must be among those that it declares."""

STRANGE = frozenset({"network", "untrusted"})
"""Effects of a tool whose text may have been written by anybody."""

NEVER_RAN = frozenset({
    "unknown_tool", "bad_arguments", "taken_away", "denied", "rejected", "ungrounded", "unavailable", "rate_limited",
})  # fmt: skip
"""Kinds of observations of calls that were not carried out; their text is ours, not the tool's."""


def say(run: Run, en: str, zh: str) -> str:
    """The text in the run's language."""
    return zh if run.asked.lang.startswith("zh") else en


def who(run: Run) -> Mapping[str, str]:
    """For whom the run is: user, tenant, role, session, as far as they are known."""
    known = run.asked.settings.get("who")
    return known if isinstance(known, Mapping) else {}


def only_looks(call: Call, run: Run) -> bool:
    """Whether the called tool declares that it changes nothing; a tool that the run does not know may change anything."""
    spec = run.tool(call.tool)
    return spec is not None and "reads" in spec.effects and LOOKING.issuperset(spec.effects)


def is_strange(spec: ToolSpec | None) -> bool:
    """Whether the tool's text may have been written by anybody: it fetches it from the network, or is marked "untrusted"."""
    return spec is not None and not STRANGE.isdisjoint(spec.effects)
