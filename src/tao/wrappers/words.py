"""What wrappers share: the run's language, whom it is for, and which calls only look."""

from collections.abc import Mapping

from tao.messages import ToolSpec
from tao.permissions.effects import LOOKING, NEVER_RAN, UNTRUSTED, only_looks, say
from tao.run import Run

__all__ = ["LOOKING", "NEVER_RAN", "UNTRUSTED", "is_strange", "only_looks", "say", "who"]


def who(run: Run) -> Mapping[str, str]:
    """For whom the run is: user, tenant, role, session, as far as they are known."""
    known = run.asked.settings.get("who")
    return known if isinstance(known, Mapping) else {}


def is_strange(spec: ToolSpec | None) -> bool:
    """Whether the tool's text may have been written by anybody: it fetches it from the network, or is marked "untrusted"."""
    return spec is not None and not UNTRUSTED.isdisjoint(spec.effects)
