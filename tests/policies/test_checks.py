"""A user's own checks: said once or twice, then the answer stands."""

import pytest

from tao import Agent
from tao.errors import ConfigError
from tao.events import Decided, Ended, Nudged
from tao.policies import checked
from tao.run import Run
from tao.testing import ScriptedModel, history, no_policy


def longer(run: Run) -> str | None:
    """An answer has more than one character."""
    return None if len(run.proposed or "") > 1 else " Say more. "


def polite(run: Run) -> str | None:
    """An answer is polite."""
    return None if "please" in (run.proposed or "") else "Say please."


def answered(answer, *before, lang="en"):
    return history("q", *before, Decided(answer=answer), lang=lang)


SAID = Nudged("Say more.", "check:longer")


def test_an_objection_is_a_nudge():
    policy = checked(no_policy, [longer, polite])
    assert policy(answered("a")) == SAID
    assert policy(answered("aa")) == Nudged("Say please.", "check:polite")
    assert policy(answered("please")) is None
    assert policy(answered("a", SAID)) == Nudged("Say please.", "check:polite")
    assert policy(history("q")) is None


@pytest.mark.parametrize(("lang", "detail"), [("en", "Objections that stand: longer: Say more."), ("zh", "仍有异议：longer: Say more.")])
@pytest.mark.parametrize("times", [1, 2])
def test_after_that_the_answer_stands_and_the_end_says_so(times, lang, detail):
    policy = checked(no_policy, [longer], times)
    before = [SAID] * (times - 1)
    assert policy(answered("a", *before, lang=lang)) == SAID
    assert policy(answered("a", *before, SAID, lang=lang)) == Ended("answered", "a", detail)
    assert policy(answered("aa", *before, SAID, lang=lang)) is None


def test_what_the_policy_says_goes_before_and_an_end_is_annotated():
    nudge, end = Nudged("x", "other"), Ended("max_steps", "a", "Stopped.")
    assert checked(lambda run: nudge, [longer])(answered("a")) == nudge
    assert checked(lambda run: end, [longer])(answered("a")) == Ended("max_steps", "a", "Stopped. Objections that stand: longer: Say more.")
    assert checked(lambda run: end, [longer])(answered("aa")) == end
    assert checked(lambda run: end, [longer])(history("q")) == end


def test_without_checks_the_policy_is_itself():
    assert checked(no_policy, []) is no_policy


def test_checks_of_one_name_are_told_apart():
    policy = checked(no_policy, [lambda run: "one", lambda run: "two"])
    first = policy(answered("a"))
    second = policy(answered("a", first))
    assert [(nudge.text, nudge.by) for nudge in (first, second)] == [("one", "check:<lambda>"), ("two", "check:<lambda>-2")]


async def waits(run: Run) -> str | None:
    return None


@pytest.mark.parametrize("check", ["text", waits], ids=["no function", "coroutine"])
def test_what_cannot_be_a_check_is_refused(check):
    with pytest.raises(ConfigError, match="wanted: a plain function") as caught:
        Agent(ScriptedModel(), checks=[check])
    assert "应为普通函数" in str(caught.value)


@pytest.mark.parametrize("times", [0, 3])
def test_a_check_objects_once_or_twice(times):
    with pytest.raises(ConfigError, match=f"1 or 2 times, not {times}"):
        Agent(ScriptedModel(), checks=[longer], settings={"check_times": times})


async def test_a_check_that_gives_no_text_ends_the_run_with_its_name():
    run = await Agent(ScriptedModel("Final Answer: a"), dialect="react", checks=[lambda run: 3]).run("q")
    assert run.ended.reason == "failed"
    assert "the check '<lambda>' returned 3" in run.ended.detail


async def test_a_check_that_breaks_is_loud():
    with pytest.raises(ZeroDivisionError):
        await Agent(ScriptedModel("Final Answer: a"), dialect="react", checks=[lambda run: 1 / 0]).run("q")


@pytest.mark.parametrize("times", [1, 2])
async def test_in_a_run(times):
    model = ScriptedModel(*["Final Answer: a"] * 4)
    run = await Agent(model, dialect="react", checks=[longer], settings={"check_times": times}, lang="en").run("q")
    assert [nudge.by for nudge in run.all(Nudged)] == ["check:longer"] * times
    assert run.ended == Ended("answered", "a", "Objections that stand: longer: Say more.")
    assert "Say more." in model.requests[1].messages[-1].content
