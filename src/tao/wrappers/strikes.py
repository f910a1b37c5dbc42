"""A tool that keeps failing is taken away for the rest of the run."""

import time
from collections.abc import Callable, Collection, Mapping

from tao.errors import ConfigError, Pause, both
from tao.messages import Call, Observation
from tao.run import Run
from tao.seams import Act
from tao.toolset import described
from tao.wrappers.approval import in_force
from tao.wrappers.past import past
from tao.wrappers.words import say

FAILURES = frozenset({"error", "timeout", "transient"})


def strikes(
    act: Act, most: int = 2, *, per_tool: Mapping[str, int] | None = None, kinds: Collection[str] = FAILURES, hand_over: bool = False,
    clock: Callable[[], float] = time.time,
) -> Act:
    """After `most` failures of a tool in a run (observations of these kinds), answer its calls with "taken_away".

    `per_tool` has other numbers for some. Counted from the run itself, so that a resumed run goes on counting. `hand_over` pauses for a person instead, who may
    let the call through ("approve", or "edit" with other arguments) or answer in the tool's place ("answer"); "reject" takes the tool away.
    A ruling counts until it expires, and only where this was the question: what was allowed before is no leave to try on.
    """
    own = dict(per_tool or {})
    if (low := min([most, *own.values()])) < 1:
        raise ConfigError(both(f"the number of failures must be 1 or more, not {low}", f"失败次数必须不小于 1，而不是 {low}"))
    counted = frozenset(kinds)

    async def guarded(call: Call, run: Run) -> Observation:
        failed = past(run).failed
        failures = sum(failed[call.tool, kind] for kind in counted) if failed else 0
        if failures < own.get(call.tool, most):
            return await act(call, run)
        if hand_over:
            ruling = in_force(call, run, {_failed(call, run, count) for count in range(1, failures + 1)})
            if ruling is None or (ruling.expires is not None and ruling.expires <= clock()):
                raise Pause(_failed(call, run, failures), call.id)
            if ruling.verdict in {"approve", "edit"}:
                return await act(call, run)
            if ruling.verdict == "answer":
                return Observation(ruling.text)
        others = [spec.name for spec in described(run) if spec.name != call.tool]
        text = say(
            run,
            f"{call.tool} has failed {failures} times in this run and is no longer available. "
            f"Use another tool ({', '.join(others) or 'none'}), or answer with what you know and say what is missing.",
            f"{call.tool} 在本次运行中已失败 {failures} 次，不再可用。请用其他工具（{'、'.join(others) or '无'}），或根据已知信息回答并说明缺少什么。",
        )
        return Observation(text, ok=False, kind="taken_away")

    return guarded


def _failed(call: Call, run: Run, failures: int) -> str:
    return say(run, f"{call.tool} has failed {failures} times", f"{call.tool} 已失败 {failures} 次")
