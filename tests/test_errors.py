"""The tree of what can go wrong and is not a bug."""

from tao import errors
from tao.errors import AgentError, ModelError, Pause, Refused, ToolError, ToolsUnsupported, Transient, both


def test_what_an_operator_can_mend_and_what_the_model_can():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    for kind in kinds:
        assert (issubclass(kind, AgentError), issubclass(kind, ToolError), kind is Pause).count(True) == 1
        assert kind.__name__ in errors.__doc__
        assert kind.__doc__
    assert issubclass(ToolsUnsupported, Refused)
    assert issubclass(Refused, ModelError)


def test_what_errors_carry():
    assert (str(Transient("busy", 3.5)), Transient("busy", 3.5).retry_after, Transient("busy").retry_after) == ("busy", 3.5, None)
    pause = Pause("approve?", "1.1")
    assert (str(pause), pause.reason, pause.call_id, Pause("x").call_id) == ("approve?", "approve?", "1.1", None)


def test_a_text_for_people_whose_language_is_not_known():
    assert both("It is full.", "已满。") == "It is full.\n已满。"
