"""Whose turn it is in a run, by name, and that a budget of money reckons with it."""

from dataclasses import replace
from decimal import Decimal

import pytest

from tao.agent import Agent, recorded_dialect, recorded_policy
from tao.events import Decided, Misread, Nudged, Replied
from tao.messages import Reply, Usage
from tao.prices import Price, Rate
from tao.replay import replay
from tao.routing import cascade, turn
from tao.routing.rules import rules
from tao.testing import ScriptedModel, history

SMALL, LARGE, SORTER = "deepseek:small", "openai:large", "zhipu:sorter"
PRICES = {name: Price((Rate(Decimal(price), Decimal(0), currency="CNY"),)) for name, price in ((SMALL, 1000), (LARGE, 10_000), (SORTER, 100))}


def lookup(name: str) -> str:
    """What is known of a name."""
    return f"{name} is 7 years old"


def model(name, *replies):
    made = ScriptedModel(*(Reply(one, usage=Usage(100, 1)) for one in replies))
    made.name = name
    return made


def run(*events, when=("after_misread",), stay=False, **settings):
    shared = {"cascade": {"large": LARGE, "when": list(when), "stay": stay}} if when else {}
    made = history("q", *events)
    made.events[0] = replace(made.asked, model=SMALL, settings={**settings, **shared})
    return made


def by(name=""):
    return Replied(Reply("x", by=name))


def names(*events, **settings):
    made = run(*events, **settings)
    found = turn(made.asked)
    return found and found(made)


def test_one_model_alone_needs_no_telling():
    assert names(when=()) is None
    assert names(when=(), triage={"way": "direct", "rule": "talk"}) is None


def test_whose_turn_it_is_stands_first():
    stumbled = by(), Misread("empty")
    assert names() == (SMALL, LARGE)
    assert names(by(), Decided()) == (SMALL, LARGE)
    assert names(*stumbled) == (LARGE, SMALL)
    assert names(*stumbled, by(LARGE), Decided()) == (SMALL, LARGE)
    assert names(*stumbled, by(LARGE), Decided(), stay=True) == (LARGE,)
    assert names(by(), Decided(answer="7"), Nudged("", "cascade"), when=("final_answer",)) == (LARGE, SMALL)


def test_who_stood_in_is_expected_to_do_so_again():
    assert names(by("zhipu:other"), Decided()) == ("zhipu:other", LARGE)
    assert names(by(), Misread("empty"), by("zhipu:other"), Decided()) == (SMALL, "zhipu:other")


def test_a_model_that_sorts_does_it_once():
    sort = {"way": "ask", "model": SORTER}
    sorted_ = by(SORTER), Decided(notes=("triage:tools:0.9",))
    assert names(when=(), triage=sort) == (SORTER, SMALL)
    assert names(*sorted_, when=(), triage=sort) == (SMALL,)
    assert names(triage=sort) == (SORTER, SMALL, LARGE)
    assert names(*sorted_, triage=sort) == (SMALL, LARGE)


def test_rules_of_ones_own_are_asked_too():
    def often(run):
        return run.steps > 0

    made = run(by(), Decided(), when=("often",))
    assert turn(made.asked, cascade(model(SMALL), model(LARGE), rules([often])))(made) == (LARGE, SMALL)


# ── money ─────────────────────────────────────────────────────────────────────

STUMBLE, CALL, DONE = "Action: lookup", 'Action: lookup\nAction Input: {"name": "Ann"}', "Final Answer: 7"


async def went(limit, small, large, when=("after_misread",)):
    """A call costs 0.1 with the small model and 1 with the large one."""
    one, two = model(SMALL, *small), model(LARGE, *large)
    settings = {"max_cost": limit, "currency": "CNY", "verify": False, "reflect": 0}
    found = await Agent(cascade(one, two, when), [lookup], dialect="react", lang="en", prices=PRICES.get, settings=settings).run("How old is Ann?")
    assert await replay(found, recorded_dialect(found.asked), recorded_policy(found.asked)) == []
    return found, len(one.requests), len(two.requests)


async def test_a_large_model_that_the_rest_does_not_pay_for_is_not_asked():
    found, small, large = await went("0.5", [STUMBLE], [DONE])
    assert (found.ended.reason, small, large) == ("max_cost", 1, 0)
    found, small, large = await went("0.3", [], [DONE], ["first_step"])
    assert (found.ended.reason, small, large) == ("max_cost", 0, 0)


async def test_a_large_model_that_is_paid_for_is_asked():
    found, small, large = await went("5", [STUMBLE], [DONE])
    assert (found.ended.reason, found.answer, small, large) == ("answered", "7", 1, 1)


async def test_the_answer_is_asked_for_while_it_can_be_paid():
    """The rest pays for one reply of the large model, and not for two."""
    found, small, large = await went("2.0", [STUMBLE], [DONE])
    assert [nudge.by for nudge in found.all(Nudged)] == ["wrap_up:max_cost"]
    assert (found.answer, small, large) == ("7", 1, 1)


@pytest.mark.parametrize("limit", ["0.5", "5"])
async def test_a_small_model_that_does_not_stumble_is_not_stopped_for_the_price_of_the_large(limit):
    found, small, large = await went(limit, [CALL, DONE], [])
    assert (found.answer, small, large) == ("7", 2, 0)
