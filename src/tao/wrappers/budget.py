"""No more calls of tools than a run may make: what is over is refused before anything happens."""

from tao.errors import ConfigError, both
from tao.events import Decided
from tao.messages import Call, Observation
from tao.run import Run
from tao.seams import Act
from tao.wrappers.words import say


def at_most(act: Act, limit: int) -> Act:
    """Carry out the first `limit` calls of a run; those after them give an observation of kind "over_budget".

    Counted as the run decided on them, so several calls at once cannot overshoot it, and a resumed run counts the same.
    Raises ConfigError for a limit below 1.
    """
    if limit < 1:
        raise ConfigError(both(f"max_tool_calls is {limit}; it must be 1 or more", f"max_tool_calls 为 {limit}；应不小于 1"))

    async def counted(call: Call, run: Run) -> Observation:
        ids = [one.id for event in run.all(Decided) for one in event.calls]
        if call.id not in ids[:limit]:
            text = say(
                run,
                f"{call.tool} was not run: this run may make {limit} tool calls, and they are made. Answer with what you know.",
                f"没有执行 {call.tool}：本次运行最多可调用工具 {limit} 次，已经用完。请根据已知信息回答。",
            )
            return Observation(text, ok=False, kind="over_budget")
        return await act(call, run)

    return counted
