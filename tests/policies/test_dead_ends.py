"""Tools that keep failing, and models that will not answer."""

import pytest

from tao.events import Decided, Ended, Misread, Observed, Replied
from tao.messages import Call, Observation, Reply
from tao.policies.dead_ends import refused, tool_failures
from tao.testing import did, history


def failing(*kinds, lang="en", after=()):
    events = [event for number, kind in enumerate(kinds, 1) for event in (Replied(Reply("x")), *did(number, "t", Observation("no", ok=not kind, kind=kind), n=number))]
    return history("q", *events, *after, lang=lang)


@pytest.mark.parametrize(("lang", "said"), [("en", "Stopped because the tools kept failing"), ("zh", "工具一再失败")])
def test_after_four_steps_of_nothing_but_failures_the_answer_is_asked_for(lang, said):
    policy = tool_failures()
    assert policy(failing("error", "timeout", "unavailable", lang=lang)) is None
    nudge = policy(failing("error", "timeout", "unavailable", "taken_away", lang=lang))
    assert (nudge.by, nudge.may_call) == ("wrap_up:tool_failures", False)
    end = policy(failing(*["error"] * 4, lang=lang, after=(nudge, Replied(Reply("x")), Decided(answer="about 4"))))
    assert (end.reason, end.answer) == ("tool_failures", "about 4")
    assert end.detail.startswith(said)
    assert policy(failing(*["error"] * 4, lang=lang, after=(nudge, Replied(Reply("")), Misread("empty")))).reason == "tool_failures"


@pytest.mark.parametrize("kinds", [("error", "error", "", "error", "error"), ("error",) * 3 + ("bad_arguments",), ("denied",) * 5, ("",) * 5])
def test_what_is_not_the_tools_fault_alone(kinds):
    assert tool_failures()(failing(*kinds)) is None


def test_a_step_failed_where_all_of_its_calls_did():
    calls = (Call("5.1", "t", {}), Call("5.2", "u", {}))
    half = (Replied(Reply("x")), Decided(calls=calls), Observed("5.1", Observation("no", ok=False, kind="error")), Observed("5.2", Observation("yes")))
    assert tool_failures()(failing(*["error"] * 3, after=half)) is None
    assert tool_failures()(failing(*["error"] * 4, after=half[:3])) is None  # one is still to come


@pytest.mark.parametrize("finish", ["content_filter", "refusal", "SAFETY", "sensitive"])
@pytest.mark.parametrize(("lang", "said"), [("en", "The model or its provider's filter declined to answer: I cannot help."), ("zh", "模型或服务商的内容过滤拒绝回答：I cannot help.")])
def test_a_reply_that_was_refused_is_the_end(finish, lang, said):
    reply = Replied(Reply("I cannot\nhelp.", finish=finish))
    assert refused(history("q", reply, Decided(answer="I cannot help."), lang=lang)) == Ended("refused", None, said)
    assert refused(history("q", Replied(Reply("")), Decided(answer="4"), reply, Misread("no_answer"), lang=lang)).answer == "4"
    assert refused(history("q", Replied(Reply("", finish=finish)), Misread("empty"), lang=lang)).detail == said.partition(":" if lang == "en" else "：")[0]


def test_any_other_reply_is_none_of_that():
    for finish in ("stop", "length", "tool_calls", ""):
        assert refused(history("q", Replied(Reply("4", finish=finish)), Decided(answer="4"))) is None
    assert refused(history("q")) is None
