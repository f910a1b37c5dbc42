"""A call that changes something is carried out once, whatever happens to the process that does it."""

import time
from collections.abc import Callable, Collection
from typing import Protocol, runtime_checkable
from weakref import WeakKeyDictionary

from tao.errors import Pause
from tao.events import Paused, Ruled
from tao.messages import Call, Observation
from tao.permissions.effects import looks
from tao.run import Run
from tao.seams import Act
from tao.wrappers.words import say


@runtime_checkable
class Claims(Protocol):
    """Where it is written down that a call is about to be carried out."""

    async def claim(self, run: Run, call_id: str, number: int) -> bool:
        """Claim the call's `number`-th carrying out (from 0): true the first time. Durable when it returns; raises StoreError."""


class ClaimsInMemory:
    """Claims as long as the run's object lives: enough where the run itself is kept nowhere."""

    def __init__(self) -> None:
        self._taken: WeakKeyDictionary[Run, set[tuple[str, int]]] = WeakKeyDictionary()

    async def claim(self, run: Run, call_id: str, number: int) -> bool:
        """True the first time."""
        taken = self._taken.setdefault(run, set())
        first = (call_id, number) not in taken
        taken.add((call_id, number))
        return first


def once(act: Act, claims: Claims, *, repeatable: Collection[str] = (), clock: Callable[[], float] = time.time) -> Act:
    """Claim a call before it changes anything. A claim without an observation means: it may have been carried out, or not.

    Such a call pauses for a person. "approve" carries it out once more, "answer" puts the person's text in its place, "reject"
    leaves it at that; other arguments ("edit") would make it another call, so that it pauses again. Tools that only look, and `repeatable` ones (idempotent, or told an idempotency key), just run again.
    Claims are numbered by the rulings on an unknown outcome, so that a permission given before the crash is not taken for one.
    """
    harmless = frozenset(repeatable)

    async def claimed(call: Call, run: Run) -> Observation:
        spec = run.tool(call.tool)
        if spec is None or call.tool in harmless or looks(spec.effects):
            return await act(call, run)
        rulings = _rulings(call, run)
        last = rulings[-1] if rulings else None
        if last is not None and last.verdict in {"answer", "reject"}:
            return _instead(last, call, run)
        if last is not None and (last.verdict != "approve" or (last.expires is not None and last.expires <= clock())):
            raise Pause(unknown(call, run), call.id)
        if await claims.claim(run, call.id, len(rulings)):
            return await act(call, run)
        raise Pause(unknown(call, run), call.id)

    return claimed


def unknown(call: Call, run: Run) -> str:
    """Why the run waits; by this very text a ruling on an unknown outcome is told from a permission."""
    return say(
        run,
        f"unknown outcome: {call.tool} (call {call.id}) was interrupted, and it may or may not have been carried out. "
        "Look for its effect; then approve (carry it out again), answer (it was carried out; this is the result) or reject",
        f"结果未知：{call.tool}（调用 {call.id}）被中断，可能已执行，也可能没有。请先查看实际结果，再选择：批准（再执行一次）、代答（已执行，给出结果）或拒绝",
    )


def _rulings(call: Call, run: Run) -> list[Ruled]:
    """The rulings on an unknown outcome of this call: those where that was the question."""
    if run.last(Ruled) is None:  # as in most runs
        return []
    reason, question, found = unknown(call, run), "", []
    for event in run.events:
        if isinstance(event, Paused) and event.call_id == call.id:
            question = event.reason
        elif isinstance(event, Ruled) and event.call_id == call.id and (event.reason or question) == reason:
            found.append(event)
    return found


def _instead(ruling: Ruled, call: Call, run: Run) -> Observation:
    if ruling.verdict == "answer":
        return Observation(ruling.text)
    why = say(run, f" ({ruling.text})", f"（{ruling.text}）") if ruling.text else ""
    text = say(
        run,
        f"{call.tool} was interrupted and is not carried out again{why}. It may have had an effect; say so in your answer.",
        f"{call.tool} 被中断，不再执行{why}。它可能已产生影响，请在回答中说明。",
    )
    return Observation(text, ok=False, kind="rejected")
