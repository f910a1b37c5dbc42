"""No more calls of tools than a run may make."""

import pytest

from tao.errors import ConfigError
from tao.events import Decided
from tao.messages import Call
from tao.testing import FunctionAct, did, history
from tao.wrappers.budget import at_most


@pytest.mark.parametrize(("lang", "words"), [("en", "may make 2 tool calls, and they are made"), ("zh", "最多可调用工具 2 次，已经用完")])
async def test_calls_at_once_cannot_overshoot(lang, words):
    calls = tuple(Call(f"2.{n}", "t", {"n": n}) for n in range(1, 4))
    run = history("q", *did(1, "t", "seen", n=0), Decided(calls=calls), lang=lang)
    act = FunctionAct(t=lambda n: n)
    held = at_most(act, 2)
    seen = [await held(call, run) for call in calls]
    assert [one.kind for one in seen] == ["", "over_budget", "over_budget"]
    assert [call.id for call in act.calls] == ["2.1"]
    assert words in seen[1].text


def test_a_budget_of_no_calls_is_refused():
    with pytest.raises(ConfigError, match="max_tool_calls is 0; it must be 1 or more"):
        at_most(FunctionAct(), 0)
