"""What a tool said a short while ago need not be asked for again, also by other runs."""

import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from tao.events import Decided, Observed
from tao.messages import Call, Observation
from tao.run import Run, canonical
from tao.seams import Act
from tao.wrappers.words import NEVER_RAN, only_looks, who

LONGEST = 200_000
"""Characters; a longer observation is not kept."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An observation, when it was made and until when it holds."""

    observation: Observation
    made: float
    until: float


class Shelf(OrderedDict[str, Kept]):
    """At most so many observations, the oldest let go of first."""

    def __init__(self, most: int = 1000) -> None:
        super().__init__()
        self.most = most

    def put(self, key: str, kept: Kept) -> None:
        """Keep it."""
        self[key] = kept
        self.move_to_end(key)
        while len(self) > self.most:
            self.popitem(last=False)


def cache(
    act: Act, lifetimes: Mapping[str, float], *, everybody: Collection[str] = (), each_run: Collection[str] = (), shelf: Shelf | None = None,
    clock: Callable[[], float] = time.time,
) -> Act:
    """Give a tool's good observation again for so many seconds (`lifetimes`, by tool), where it is called with the same arguments.

    Each user, tenant, role and session has observations of its own, and a run of which nobody says for whom it is; those of tools in
    `everybody` are for all, those in `each_run` for one run only. Only tools that change nothing are remembered, and nothing older than the last change that the run itself has made.
    """
    kept = Shelf() if shelf is None else shelf
    shared, alone, lasting = frozenset(everybody), frozenset(each_run), dict(lifetimes)

    async def remembered(call: Call, run: Run) -> Observation:
        seconds = lasting.get(call.tool)
        if seconds is None or not only_looks(call, run):
            return await act(call, run)
        whose = "" if call.tool in shared else f"run {run.id}" if call.tool in alone or not who(run) else canonical(who(run))
        key = f"{call.tool}\n{run.asked.lang}\n{canonical(call.args)}\n{whose}"
        found = kept.get(key)
        if found is not None and clock() < found.until and found.made > _changed(run):
            age = max(0.0, clock() - found.made)
            return replace(found.observation, notes=(*found.observation.notes, f"↺ {age:.0f} s"))
        observation = await act(call, run)
        if observation.ok and len(observation.text) <= LONGEST:
            kept.put(key, Kept(observation, clock(), clock() + seconds))
        return observation

    return remembered if lasting else act


def _changed(run: Run) -> float:
    """When the run last changed something; never is long ago."""
    for event in reversed(run.events):
        if isinstance(event, Observed) and event.observation.kind not in NEVER_RAN and not only_looks(_call(event, run), run):
            return event.at
    return float("-inf")


def _call(event: Observed, run: Run) -> Call:
    found = (call for decided in run.all(Decided) for call in decided.calls if call.id == event.call_id)
    return next(found, Call(event.call_id, "", {}))
