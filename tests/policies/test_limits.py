"""Budgets of a run."""

from decimal import Decimal

import pytest

from tao.errors import ConfigError
from tao.events import Asked, Decided, Ended, Misread, Nudged, Observed, Paused, Replied, Ruled
from tao.messages import Call, Observation, Reply, Usage
from tao.policies import budgets
from tao.policies.limits import (
    best_answer,
    deadline,
    elapsed,
    max_cost,
    max_model_calls,
    max_steps,
    max_tokens,
    max_tool_calls,
    until_wrapped,
    within,
    wrap_up,
)
from tao.prices import Price, Rate, to_json
from tao.run import NO_TOOLS, Run
from tao.testing import did, history, spec

NOTHING = {"en": "No answer was found within the limits that were set.", "zh": "在设定的限度内没有得到答案。"}


def steps(count, *after, lang="en"):
    """A run with so many replies, each of which made a call."""
    events = [event for number in range(1, count + 1) for event in (Replied(Reply("x")), *did(number, "t", "seen", n=number))]
    return history("q", *events, *after, lang=lang)


def answer(text):
    return Replied(Reply(text)), Decided(answer=text)


WRAP_UP = Nudged("", "wrap_up")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_before_the_last_reply_tools_are_taken_away(lang):
    policy = max_steps(3)
    assert policy(steps(0, lang=lang)) is None
    assert policy(steps(1, lang=lang)) is None
    nudge = policy(steps(2, lang=lang))
    assert (nudge.by, nudge.may_call, nudge.may_answer) == ("wrap_up", False, True)
    assert ("This is the last step" if lang == "en" else "这是最后一步") in nudge.text
    assert nudge.lead
    assert policy(steps(3, WRAP_UP, lang=lang)) == Ended("max_steps", None, NOTHING[lang])


def test_an_answer_near_the_end_is_accepted_without_more_questions():
    policy = max_steps(4)
    assert policy(steps(1, *answer("4"))) is None
    assert policy(steps(2, *answer("4"))) == Ended("answered", "4")
    end = policy(steps(2, Nudged("", "wrap_up"), *answer("4")))
    assert (end.reason, end.answer) == ("max_steps", "4")
    assert policy(steps(3, WRAP_UP, Replied(Reply("?")), Misread("empty"))) == Ended("max_steps", None, NOTHING["en"])


def test_the_wrap_up_is_said_once_and_not_before_a_single_reply():
    assert max_steps(2)(steps(1, WRAP_UP, Replied(Reply("?")), Misread("empty"))) == Ended("max_steps", None, NOTHING["en"])
    assert max_steps(1)(steps(0)) is None
    assert max_steps(1)(steps(0, *answer("4"))) == Ended("answered", "4")
    assert max_steps(3)(steps(2, WRAP_UP)) is None


def test_a_refusal_of_tools_takes_no_step():
    refused = (Replied(Reply("", finish=NO_TOOLS)), Misread(NO_TOOLS))
    assert max_steps(1)(history("q", *refused)) is None


def test_the_best_answer_is_the_latest_even_if_it_was_objected_to():
    run = history("q", *answer("4"), Nudged("no", "verify"), *answer("5"), Nudged("no", "verify"), *did(3, "t", "x"))
    assert best_answer(run) == "5"
    assert best_answer(history("q")) is None
    assert max_steps(2)(run).answer == "5"


def replies(*counts):
    """Replies that used so many prompt and completion tokens, each followed by something that could not be read."""
    return [event for usage in counts for event in (Replied(Reply("x", usage=Usage(*usage))), Misread("empty"))]


WRAPPED = ("wrap_up:max_tokens", False)


def verdict(policy, *counts):
    found = policy(history("q", *replies(*counts)))
    return (found.by, found.may_call) if isinstance(found, Nudged) else found


def test_tokens_are_wrapped_up_before_they_are_gone():
    tight = max_tokens(1000)
    assert verdict(tight) is None
    assert verdict(tight, (100, 20)) is None
    assert verdict(tight, (100, 20), (130, 20), (160, 20)) is None
    assert verdict(tight, (100, 20), (130, 20), (160, 20), (190, 20)) == WRAPPED  # the next takes 230, the one after 260, and 340 are left
    assert verdict(tight, (100, 20), (130, 20), (160, 20), (190, 20), (220, 20)) == Ended("max_tokens", None, NOTHING["en"])  # 100 are left
    assert verdict(tight, (900, 100)) == Ended("max_tokens", None, NOTHING["en"])
    assert verdict(max_tokens(100_000), (100, 20)) is None


def test_at_fifteen_percent_of_the_tokens():
    wide = max_tokens(100_000)
    run = history("q", *replies(*[(1000, 100)] * 77))
    assert wide(run) is None
    run.events += replies((1000, 100))
    assert wide(run).by == "wrap_up:max_tokens"


def test_tokens_that_were_not_counted_are_estimated():
    text = "a long reply of many words " * 40  # 270 units
    events = [Replied(Reply(text)), *did(1, "t", text), Replied(Reply(text)), *did(2, "t", text)]
    assert max_tokens(300)(history("q", *events)).reason == "max_tokens"
    assert max_tokens(1_000_000)(history("q", *events)) is None


@pytest.mark.parametrize(("kind", "usage", "others"), [
    ("prompt", Usage(400, 10, 10, 10), {"completion", "cached", "reasoning"}),
    ("completion", Usage(10, 400, 10, 10), {"cached", "reasoning"}),  # what was said stands in the next prompt
    ("cached", Usage(400, 10, 400, 10), {"completion", "reasoning"}),
    ("reasoning", Usage(10, 400, 10, 400), {"prompt", "cached"}),
])  # fmt: skip
def test_tokens_of_each_kind_have_a_budget_of_their_own(kind, usage, others):
    run = history("q", *[Replied(Reply("x", usage=usage)), Misread("empty")] * 2)
    assert max_tokens(800, kind)(run).reason == f"max_{kind}_tokens"
    assert max_tokens(1300, kind)(run).by == f"wrap_up:max_{kind}_tokens"
    assert max_tokens(2000, kind)(run) is None
    assert {other for other in others if max_tokens(800, other)(run) is None} == others


def test_a_first_prompt_that_cannot_fit_is_not_sent():
    question = "数" * 500
    assert max_tokens(300)(history(question)) == Ended("max_tokens", None, NOTHING["en"])
    assert max_tokens(300, "completion")(history(question)) is None
    assert max_tokens(600)(history(question)) is None


def test_an_answer_after_the_wrap_up_is_the_end_and_says_why():
    events = [*replies((100, 20), (130, 20), (160, 20), (190, 20)), Nudged("", "wrap_up:max_tokens"), *answer("4")]
    assert max_tokens(1000)(history("q", *events)) == Ended(
        "max_tokens", "4", "Stopped at the limit of tokens; this is the best answer so far. It was not checked any further."
    )
    assert max_steps(50)(history("q", *events)) is None


def test_after_the_wrap_up_there_is_no_second_one():
    start = [*replies((100, 20), (130, 20), (160, 20), (190, 20)), Nudged("", "wrap_up:max_tokens")]
    failed = history("q", *start, *replies((10, 1)))
    assert max_tokens(1000)(failed) == Ended("max_tokens", None, NOTHING["en"])
    refused = history("q", *start, Replied(Reply("", finish=NO_TOOLS)), Misread(NO_TOOLS))
    assert max_tokens(1000)(refused).by == "wrap_up:max_tokens"  # the model has not seen it yet
    assert max_tokens(1000)(history("q", *start)) is None


def test_an_answer_that_leaves_no_room_for_an_objection_is_taken():
    run = history("q", *replies((100, 20), (130, 20), (160, 20), (190, 20)), *answer("4"))
    assert max_tokens(1000)(run) == Ended("answered", "4")
    assert max_tokens(10_000)(run) is None


def test_time():
    def run(now, *events):
        return Run("x", [Asked("q", lang="zh", at=1000.0), *events, Misread("empty", at=now)])

    one = Replied(Reply("x"))
    assert deadline(60)(run(1061.0)) is None  # nothing was tried yet
    assert deadline(60)(run(1019.0, one)) is None
    assert deadline(60)(run(1021.0, one)).by == "wrap_up:deadline"  # another step of 21 s, and none after it
    assert deadline(60)(run(1050.0, *[one] * 20)) is None
    assert deadline(60)(run(1051.0, *[one] * 20)).by == "wrap_up:deadline"
    assert deadline(60)(run(1060.1, one)) == Ended("deadline", None, NOTHING["zh"])
    late = run(2000.0, one)
    late.events.append(Decided(answer="4", at=2001.0))
    assert deadline(60)(late) == Ended("answered", "4")


def test_waiting_for_a_person_takes_no_time():
    events = [Asked("q", at=1000.0), Replied(Reply("x"), at=1002.0), Paused("may I?", at=1003.0), Misread("empty", at=9003.0), Misread("empty", at=9005.0)]
    assert elapsed(Run("x", events)) == 5.0
    rulings = [Ruled("1.1", "", "approve", at=5003.0), Ruled("1.2", "", "approve", at=9003.0)]  # one after the other
    assert elapsed(Run("x", [*events[:3], *rulings, *events[3:]])) == 5.0


def test_calls_of_the_model_count_refusals_of_tools_too():
    refused = (Replied(Reply("", finish=NO_TOOLS)), Misread(NO_TOOLS))
    run = history("q", *refused, *replies((1, 1)))
    assert max_model_calls(4)(run) is None
    assert max_model_calls(3)(run).by == "wrap_up:max_model_calls"
    assert max_model_calls(2)(run) == Ended("max_model_calls", None, NOTHING["en"])


def test_calls_of_tools():
    two = steps(2)
    assert max_tool_calls(3)(two) is None
    assert max_tool_calls(2)(two).by == "wrap_up:max_tool_calls"
    assert max_tool_calls(2)(steps(2, *answer("4"))) is None  # nothing was asked for: the answer is what it is
    told = Nudged("", "wrap_up:max_tool_calls")
    assert max_tool_calls(2)(steps(2, told)) is None
    assert max_tool_calls(2)(steps(2, told, *answer("4"))).reason == "max_tool_calls"
    assert max_tool_calls(2)(steps(2, told, Replied(Reply("?")), Misread("empty"))) == Ended("max_tool_calls", None, NOTHING["en"])
    assert max_tool_calls(2)(steps(2, Nudged("", "wrap_up"))) is None


def priced(*counts, rates=None, model="p:m", at=1_780_000_000.0):
    price = Price(rates or (Rate(Decimal(1000), Decimal(10000), Decimal(100), currency="CNY"),))
    run = history("q", *replies(*counts))
    run.events[0] = Asked("q", model=model, settings={"prices": {"p:m": to_json(price)}}, at=at)
    return run


def test_money():
    spent = [(100, 10), (130, 10), (160, 10)]  # 0.1 + 0.1, 0.13 + 0.1, 0.16 + 0.1: 0.69 in all; the next takes 0.27, the one after 0.30
    def at(limit, run=None):
        return max_cost(Decimal(limit), "CNY")(run or priced(*spent))

    assert at("1.27") is None
    assert at("1.25").by == "wrap_up:max_cost"
    assert at("0.96").by == "wrap_up:max_cost"
    assert at("0.95") == Ended("max_cost", None, NOTHING["en"])
    assert at("0.5") == Ended("max_cost", None, NOTHING["en"])
    assert at("0.0001", priced()) == Ended("max_cost", None, NOTHING["en"])  # not even the question
    assert at("1", priced()) is None


def test_cached_tokens_make_it_cheaper():
    fresh, reused = (priced(*[(100, 10, cached, None)] * 3) for cached in (0, 90))
    assert max_cost(Decimal("0.8"), "CNY")(fresh).reason == "max_cost"
    assert max_cost(Decimal("0.8"), "CNY")(reused) is None


def test_money_that_cannot_be_counted_is_not_spent():
    assert max_cost(Decimal(1), "CNY")(priced(model="p:other")).reason == "max_cost"
    assert max_cost(Decimal(1), "USD")(priced((1, 1))).reason == "max_cost"
    assert max_cost(Decimal(1), "USD", {"CNY": "0.14"})(priced((1, 1))) is None
    assert max_cost(Decimal(1), "USD")(priced((10_000, 1000), model="ollama:qwen3")) is None


def test_money_for_replies_without_usage_is_estimated():
    assert max_cost(Decimal("0.0001"), "CNY")(priced((None, None))).reason == "max_cost"


def test_an_end_goes_before_a_wrap_up_and_a_limit_before_an_answer():
    run = steps(2)
    assert within(max_steps(3), max_model_calls(2))(run).reason == "max_model_calls"
    assert within(max_steps(3))(run).by == "wrap_up"
    answered = steps(2, Nudged("", "wrap_up"), *answer("4"))
    assert within(max_model_calls(3), max_steps(3))(answered).reason == "max_steps"
    assert within(max_steps(9))(run) is None


def test_a_call_that_will_not_fit_is_not_made_where_the_prompt_shrank_either():
    replies = (Replied(Reply("", usage=Usage(prompt, 10))) for prompt in (2000, 500))
    events = [event for number, reply in enumerate(replies, 1) for event in (reply, *did(number, "t", "seen", n=number))]
    assert max_tokens(3000)(history("q", *events)).reason == "max_tokens"
    assert max_tokens(4000)(history("q", *events)) is None


def test_one_budget_alone_is_itself():
    alone = max_steps(3)
    assert within(alone) is alone
    assert within()(steps(9)) is None


def test_who_asked_for_the_answer_closes_and_the_others_are_not_asked_again():
    asked = []
    policy = until_wrapped({"a": lambda run: asked.append("a"), "b": lambda run: asked.append("b") or wrap_up(run, "b")})
    assert policy(steps(1)).by == "wrap_up:b"
    assert policy(steps(0)) is policy(steps(1, *answer("4"))) is policy(steps(1, Replied(Reply("")), Misread("empty"))) is None
    assert policy(steps(1, Replied(Reply("x")), Decided(calls=(Call("2.1", "t", {}),)))) is None
    assert policy(steps(1, Nudged("", "wrap_up:b"), *answer("4"))).reason == "b"
    assert policy(steps(1, Nudged("", "wrap_up:c"), *answer("4"))) is None
    assert asked == ["a", "b"]


def test_what_is_uncertain_is_said():
    tools = [spec("search", query="string"), spec("mail", to="string")]
    failed = Observation("broken", ok=False, kind="error")
    events = [*did(1, "search", "Lake Mendi lies at 238 m."), Replied(Reply("x")), Decided(calls=(Call("2.1", "mail", {"to": "x"}),)), Observed("2.1", failed)]
    last = [Nudged("", "wrap_up"), *answer("Lake Mendi lies at 238 m and Lake Orla at 4711 m.")]
    end = max_steps(3)(history("How high do Lake Mendi and Lake Orla lie?", *events, *last, tools=tools))
    assert end.reason == "max_steps"
    assert "Lake Orla" in end.detail
    assert "4711 stands in no observation" in end.detail
    assert "mail did not work" in end.detail
    chinese = max_steps(3)(history("门迪湖有多高？", *events, *last, tools=tools, lang="zh"))
    assert "步数已到上限" in chinese.detail
    assert "mail 没有成功" in chinese.detail


def test_budgets_are_read_off_the_settings():
    for name, limit in (("max_tokens", "nan"), ("max_tokens", float("inf")), ("max_tokens", 0.5), ("max_steps_", 3), ("max_tool_call", 3)):
        with pytest.raises(ConfigError, match=rf"{name} (is .*; it must be a whole number above 0|limits nothing; did you mean max_)"):
            budgets({name: limit})
    for name, limit in (("deadline", "inf"), ("max_cost", "nan"), ("max_cost", "Infinity")):
        with pytest.raises(ConfigError, match=rf"{name} is .*; it must be a number above 0\n{name} 为 .*；应为大于 0 的数"):
            budgets({name: limit, "currency": "CNY"})
    with pytest.raises(ConfigError, match="deadline is -1; it must be a number above 0"):
        budgets({"deadline": -1})
    with pytest.raises(ConfigError, match="max_cost 为 'much'；应为大于 0 的数"):
        budgets({"max_cost": "much"})
    assert budgets({"max_tool_calls": 2})(steps(2)).by == "wrap_up:max_tool_calls"
    assert budgets({})(steps(7)).by == "wrap_up"
    assert budgets({"max_cost": "0.5", "currency": "CNY"})(priced((100, 10), (100, 10), (100, 10))).reason == "max_cost"
