"""What a policy took away for a reply is not done: a text dialect can only ask the model to leave it."""

from tao.events import Decided, Nudged, Replied
from tao.messages import Call, Observation
from tao.run import Run
from tao.seams import Act
from tao.wrappers.words import say


def withheld(act: Act) -> Act:
    """Calls of tools that the nudge before the reply had taken away give an observation of kind "taken_away"; all others are carried out."""

    async def kept(call: Call, run: Run) -> Observation:
        nudge = nudge_before(call, run)
        if nudge is None or (nudge.may_call and call.tool not in nudge.without):
            return await act(call, run)
        if nudge.may_call:
            text = say(
                run, f"{call.tool} was not run: it was taken away for this step. Use another tool, or answer with what you know.",
                f"没有执行 {call.tool}：这一步不能使用它。请用其他工具，或根据已知信息回答。",
            )
        else:
            text = say(
                run, f"{call.tool} was not run: only an answer was asked for, no tool is left. Answer with what you know.",
                f"没有执行 {call.tool}：此时只要求回答，不能再用工具。请根据已知信息回答。",
            )
        return Observation(text, ok=False, kind="taken_away")

    return kept


def nudge_before(call: Call, run: Run) -> Nudged | None:
    """The nudge that held for the reply that decided on this call."""
    decided = replied = False
    for event in reversed(run.events):
        if replied:
            return event if isinstance(event, Nudged) else None
        if decided:
            replied = isinstance(event, Replied)
        else:
            decided = isinstance(event, Decided) and call in event.calls
    return None
