"""A look at the answer before it is given."""

import pytest

from tao.events import Decided, Nudged, Replied
from tao.messages import Observation, Reply
from tao.policies.verify import refuses, verify
from tao.testing import did, history, spec

TOOLS = [spec("search", query="string"), spec("calculate", expression="string")]
LONG = "How many more pages has Blue Harbour than Old Orchard?"
LANG = "《蓝港》比《旧园》多多少页？"


def answered(question, answer, *steps, lang="en", tools=TOOLS, before=()):
    """A run that made these calls (tool, argument, what came back) and proposes an answer."""
    events = [event for number, (tool, value, seen) in enumerate(steps, 1) for event in did(number, tool, seen, query=value)]
    return history(question, *before, *events, Replied(Reply(answer)), Decided(answer=answer), tools=tools, lang=lang)


def objection(*run, **more):
    nudge = verify(answered(*run, **more))
    return nudge and nudge.by


BLUE = ("search", "Blue Harbour", "Blue Harbour has 412 pages.")
OLD = ("search", "Old Orchard", "Old Orchard has 387 pages.")
MINUS = ("calculate", "412 - 387", "25")


@pytest.mark.parametrize(("question", "answer", "steps"), [
    (LONG, "25 more.", [BLUE, OLD, MINUS]),
    (LANG, "多25页。", [("search", "蓝港", "《蓝港》共412页。"), ("search", "旧园", "《旧园》共387页。"), ("calculate", "412-387", "25")]),
    ("How many pages has Blue Harbour?", "412", [BLUE]),
    ("What colour is a ripe tomato?", "Red.", []),
    ("What is 17*23+5?", "396", [("calculate", "17*23+5", "396")]),
    ("What day is 50 days from now?", "2026-01-19", [("today", "", "2025-11-30"), ("add", "50", "2026-01-19")]),
    ("Where is Green Hill?", "It was not found.", [("search", "Green Hill", "nothing")]),
    ("What is half of 90?", "45", [("calculate", "90 / 2", "45")]),
])  # fmt: skip
def test_good_answers_pass(question, answer, steps):
    assert objection(question, answer, *steps) is None


@pytest.mark.parametrize(("check", "question", "answer", "steps"), [
    ("unsearched", "Where is Blue Harbour?", "I could not find it.", []),
    ("unsearched", "《蓝港》在哪里？", "没有找到相关信息。", []),
    ("uncovered", LONG, "25", [BLUE]),
    ("uncovered", LANG, "25", [("search", "蓝港", "《蓝港》共412页。")]),
    ("uncompared", LONG, "412", [BLUE, OLD]),
    ("overlooked", LONG, "It is 799.", [BLUE, OLD, MINUS]),
    ("overlooked", "What day is 50 days from now?", "2026-02-01", [("today", "", "2025-11-30"), ("add", "50", "2026-01-19")]),
    ("unused", "What do 30 copies of Iron Lake cost?", "They cost 14 euros.", [("search", "Iron Lake", "Iron Lake costs 14 euros.")]),
    ("unused", "三十本《铁湖》多少钱？", "14元", [("search", "铁湖", "《铁湖》每本14元。")]),
    ("unmentioned", "Who wrote Blue Harbour?", "A man.", [("search", "Blue Harbour", "Red Meadow is a novel.")]),
    ("ungrounded", "How high is Green Hill?", "It is 1234 m.", [("search", "Green Hill", "Green Hill is 900 m high.")]),
    ("ungrounded", "When was Green Hill built?", "On 2001-02-03.", [("search", "Green Hill", "Green Hill was built on 2001-02-04.")]),
])  # fmt: skip
def test_what_is_objected_to(check, question, answer, steps):
    assert objection(question, answer, *steps) == check


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_objection_hides_the_answer_and_closes_the_way_it_went(lang):
    nudge = verify(answered(LONG, "25", BLUE, lang=lang))
    assert (nudge.hide, nudge.may_answer, nudge.may_call) == (True, False, True)
    assert "Old Orchard" in nudge.text
    assert "Old Orchard" in nudge.lead
    result = verify(answered(LONG, "It is 799.", BLUE, OLD, MINUS, lang=lang))
    assert (result.may_answer, result.may_call, "25" in result.text) == (True, False, True)
    lost = verify(answered("Who wrote Blue Harbour?", "A man.", ("search", "Blue Harbour", "nothing"), lang=lang))
    assert (lost.may_answer, lost.may_call) == (True, True)


def test_each_objects_once():
    run = answered(LONG, "25", BLUE, before=(Nudged("", "uncovered", hide=True),))
    assert verify(run) is None or verify(run).by != "uncovered"
    assert verify(answered(LONG, "412", BLUE, OLD, before=(Nudged("", "uncompared", hide=True),))) is None


def test_there_is_nothing_to_look_at_without_an_answer_or_tools():
    assert verify(history("q", *did(1, "search", "x", query="y"), tools=TOOLS)) is None
    assert verify(answered("Where is it?", "I don't know.", tools=[])) is None


@pytest.mark.parametrize(("answer", "refusal"), [
    ("It was not found.", True), ("No information is available.", True), ("I couldn't find any data.", True), ("I don't know.", True), ("unknown", True),
    ("没有找到。", True), ("查不到。", True), ("没有相关数据。", True), ("无法确定。", True), ("不知道", True),
    ("It is 412.", False), ("共412页。", False), ("Nobody lives there.", False), ("没有人住在那里。", False), ("", False),
])  # fmt: skip
def test_which_answers_say_that_nothing_was_found(answer, refusal):
    assert refuses(answer) is refusal


def test_a_refusal_is_not_asked_for_numbers():
    assert objection(LONG, "It was not found.", BLUE) is None
    assert objection("What do 30 copies of Iron Lake cost?", "没有找到。", ("search", "Iron Lake", "nothing")) is None


def test_years_small_counts_and_plain_consequences_are_grounded():
    steps = [("search", "Green Hill", "Green Hill is 900 m high; its tower has 8% of that and was built in 1931.")]
    for answer in ("In 1998.", "3 of them.", "72 m"):
        assert objection("What about Green Hill?", answer, *steps) is None


def test_failed_calls_give_nothing():
    run = history(
        "How high is Green Hill?", *did(1, "search", Observation("1234 m is no query", ok=False), query="Green Hill"),
        Replied(Reply("x")), Decided(answer="1234 m"), tools=TOOLS,
    )  # fmt: skip
    assert verify(run).by == "ungrounded"
