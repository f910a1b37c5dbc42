"""What came back in a run: failures by tool and kind, and what was seen that still holds."""

from tao.events import Decided, Observed
from tao.messages import Call, Observation, ToolSpec
from tao.run import call_key
from tao.testing import history
from tao.wrappers.past import mark, past

TOOLS = [ToolSpec("look", "", {}), ToolSpec("save", "", {}, ("writes",))]
LOOK, AGAIN, SAVE = Call("1.1", "look", {"a": 1}), Call("2.1", "look", {"a": 1.0}), Call("3.1", "save", {"a": 1})
OK, BAD = Observation("ok"), Observation("no", ok=False, kind="error")


def after(*events):
    return past(history("q", *events, tools=TOOLS))


def test_failures_are_counted_by_tool_and_kind():
    found = after(Decided(calls=(LOOK, SAVE)), Observed("1.1", BAD), Observed("3.1", BAD), Decided(calls=(AGAIN,)), Observed("2.1", BAD), Observed("9.9", BAD))
    assert found.failed == {("look", "error"): 2, ("save", "error"): 1}


def test_what_was_seen_holds_until_something_is_changed():
    seen = [Decided(calls=(LOOK,)), Observed("1.1", OK)]
    assert after(*seen).latest == {call_key(LOOK): (LOOK, OK)}
    assert after(*seen, Decided(calls=(SAVE,)), Observed("3.1", Observation("no", ok=False, kind="denied"))).latest
    assert not after(*seen, Decided(calls=(SAVE,)), Observed("3.1", BAD)).latest
    assert not after(Decided(calls=(LOOK,)), Observed("1.1", BAD)).latest
    told = Observation("ok", notes=(mark(LOOK),))
    assert after(*seen, Decided(calls=(AGAIN,)), Observed("2.1", told)).latest == {call_key(LOOK): (LOOK, OK)}


def test_a_call_is_known_by_its_own_arguments_whatever_else_had_its_id():
    found = after(Decided(calls=(LOOK,)))
    other = Call("1.1", "look", {"a": 2})
    assert (found.key(LOOK), found.key(other), found.key(SAVE)) == (call_key(LOOK), call_key(other), call_key(SAVE))
    assert after(Decided(calls=(LOOK,)), Decided(calls=(other,)), Observed("1.1", OK)).latest == {call_key(other): (other, OK)}
