"""What was taken away for a reply is not done."""

import pytest

from tao.events import Decided, Nudged, Replied
from tao.messages import Call, Reply
from tao.testing import FunctionAct, history
from tao.wrappers.withheld import withheld

CALL = Call("1.1", "send", {"to": "li"})
DONE = (Replied(Reply("x")), Decided(calls=(CALL,)))


@pytest.mark.parametrize(("lang", "nudge", "said"), [
    ("en", Nudged("", "wrap_up", may_call=False), "send was not run: only an answer was asked for"), ("zh", Nudged("", "wrap_up", may_call=False), "没有执行 send：此时只要求回答"),
    ("en", Nudged("", "loop_guard", without=("send",)), "send was not run: it was taken away for this step"), ("zh", Nudged("", "loop_guard", without=("send",)), "没有执行 send：这一步不能使用它"),
])  # fmt: skip
async def test_it_says_so_and_nothing_happens(lang, nudge, said):
    act = FunctionAct(send=lambda to: f"sent to {to}")
    seen = await withheld(act)(CALL, history("q", nudge, *DONE, lang=lang))
    assert (seen.ok, seen.kind, act.calls) == (False, "taken_away", [])
    assert seen.text.startswith(said)


@pytest.mark.parametrize("before", [(), (Nudged("", "reflect"),), (Nudged("", "x", without=("other",)),), (Nudged("", "x", may_answer=False),), (Nudged("", "x", may_call=False), *DONE)])
async def test_everything_else_is_done(before):
    act = FunctionAct(send=lambda to: f"sent to {to}")
    call = Call("2.1", "send", {"to": "wu"})
    assert (await withheld(act)(call, history("q", *before, Replied(Reply("y")), Decided(calls=(call,))))).text == "sent to wu"
