"""What wrappers share: the run's language, and which calls only look."""

from tao.messages import Call
from tao.run import Run

LOOKING = frozenset({"reads", "network"})
"""Effects of a tool that changes nothing; "reads" must be among those that it declares."""

NEVER_RAN = frozenset({"unknown_tool", "bad_arguments", "taken_away"})
"""Kinds of observations of calls that were not carried out; their text is ours, not the tool's."""


def say(run: Run, en: str, zh: str) -> str:
    """The text in the run's language."""
    return zh if run.asked.lang.startswith("zh") else en


def only_looks(call: Call, run: Run) -> bool:
    """Whether the called tool declares that it changes nothing; a tool that the run does not know may change anything."""
    spec = run.tool(call.tool)
    return spec is not None and "reads" in spec.effects and LOOKING.issuperset(spec.effects)
