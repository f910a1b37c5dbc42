"""What is known in a run, and what a question is about."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao.events import Decided, Observed, Recalled
from tao.facts import findings, gather, known, mentions, missing, names, numbers, paired, to_show, to_the_point, year
from tao.messages import Call, Message, Observation, ToolSpec
from tao.policies import empty_handed
from tao.policies.verify import unmentioned
from tao.run import Run
from tao.testing import did, history

BOTH = "How many more pages has Blue Harbour than Old Orchard?"
BEIDE = "《蓝港》比《旧园》多多少页？"


def looked_up(question, *steps):
    """A run in which these texts came back: (arguments' text, observation)."""
    events = [event for number, (what, text) in enumerate(steps, 1) for event in did(number, "search", text, query=what)]
    return history(question, *events)


# ── names ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("text", "found"), [
    (BOTH, ("Blue Harbour", "Old Orchard")), (BEIDE, ("蓝港", "旧园")), ("白石山比青岚山高多少米？", ("白石山", "青岚山")), ("上海和北京的人口", ("上海", "北京", "人口")),
    ("What's the height of Mount Fuji in metres?", ("Mount Fuji",)), ("I'm looking for Anna Lee's number", ("Anna Lee",)), ("Don't tell John.", ("John",)),
    ('Who wrote "The Old Man and the Sea"?', ("The Old Man and the Sea",)), ("《大话西游》是哪年的？", ("大话西游",)), ("What is “Blue Harbour”?", ("Blue Harbour",)),
    ("São Paulo or Élan", ("São Paulo", "Élan")), ("The Hague, Rome", ("Hague", "Rome")), ("Is it in March 2024?", ()), ("Galaxy S24", ("Galaxy",)),
    ("What is 17*23+5?", ()), ("今天是几号？50天之后是几号？", ()), ("", ()), ("hello there", ()), ("Rome, Rome", ("Rome",)), ("ask NASA", ("NASA",)),
])  # fmt: skip
def test_what_a_question_is_about(text, found):
    assert names(text) == found


@pytest.mark.parametrize(("text", "pairs"), [
    (BOTH, ["Blue Harbour", "Old Orchard"]), (BEIDE, ["蓝港", "旧园"]), ("白石山比青岚山高多少米？", ["白石山", "青岚山"]), ("Rome and Paris", ["Rome", "Paris"]),
    ("from Rome to Paris", ["Rome", "Paris"]), ("Is Rome older than Paris?", ["Rome", "Paris"]), ("Rome, Paris and the Hague", ["Rome", "Paris", "Hague"]),
    ("上海和北京的人口", ["上海", "北京"]), ("Who is the mayor of Rome in Italy?", []), ("《蓝港》的作者是谁？", []), ("João in Curaçao", []),
])  # fmt: skip
def test_names_that_stand_side_by_side(text, pairs):
    assert [name for name in names(text) if paired(name, text)] == pairs


@given(st.text(max_size=60))
def test_names_stand_in_the_text_and_nothing_raises(text):
    for name in names(text):
        assert mentions([text], name)
        assert isinstance(paired(name, text), bool)


def test_a_name_is_mentioned_by_all_its_words_in_any_case():
    assert mentions(["the HARBOUR", "is blue"], "Blue Harbour")
    assert not mentions(["the harbour"], "Blue Harbour")
    assert mentions(["《蓝港》共412页"], "蓝港")
    assert not mentions([], "x")


# ── what is known ─────────────────────────────────────────────────────────────


def test_all_that_was_said_counts_but_no_failed_observation():
    run = history("On 2024-03-05 order A10023 cost 3.5 million?", Recalled(("about 12%",)), *did(1, "look", "B-7: 40"), *did(2, "look", Observation("99", ok=False)))
    run.events[0] = type(run.asked)(**{**{name: getattr(run.asked, name) for name in ("question", "tools", "lang")}, "history": (Message("user", "and 8?"),)})
    have = known(run)
    assert have.dates == ("2024-03-05",)
    assert have.codes == ("A10023", "B-7")
    assert have.values == {3.5, 3.5e6, 12, 0.12, 40, 8}
    assert "99" not in have.text


def test_values_once_each():
    have = gather(["3 and 3", "3 of A1 on 2024-03-05", "A1, 2024-03-05"])
    assert (len(have.numbers), have.codes, have.dates) == (1, ("A1",), ("2024-03-05",))
    assert gather([]).values == frozenset()


def test_only_the_lines_to_the_point():
    text = "Blue Harbour has 412 pages.\nRed Meadow has 254 pages."
    assert to_the_point(text, ("Blue Harbour",)) == "Blue Harbour has 412 pages."
    assert to_the_point(text, ("Green Hill",)) == text
    assert to_the_point(text, ()) == text
    assert to_the_point("", ("x",)) == ""
    assert known(looked_up("How long is Blue Harbour?", ("x", text)), relevant=True).values == {412}
    assert known(looked_up("How long is Blue Harbour?", ("x", text))).values == {412, 254}


def test_what_is_shown_of_an_observation():
    text = "Blue Harbour has 412 pages.\nRed Meadow has 254 pages."
    assert to_show(text, ("Blue Harbour",)) == "Blue Harbour has 412 pages."
    for whole in ("Blue Harbour: 412\nRed Meadow: 254", "Blue Harbour has 412 pages.", '{"Blue Harbour": 412,\n"x": 1}'):
        assert to_show(whole, ("Blue Harbour",)) == whole


def test_years_of_our_time():
    assert [year(number) for number in numbers("1899 1900 2024 2100 2101 1950.5 2000%")] == [False, True, True, True, False, False, False]


# ── what is missing ───────────────────────────────────────────────────────────


@pytest.mark.parametrize(("steps", "names_left"), [
    ([], ()),
    ([("Blue Harbour", "Blue Harbour has 412 pages.")], ("Old Orchard",)),
    ([("Blue Harbour", "Blue Harbour has 412 pages."), ("Old Orchard", "Old Orchard has 387 pages.")], ()),
    ([("Blue Harbour", "Blue Harbour has 412 pages."), ("Old Orchard", "nothing"), ("pages of Old Orchard", "nothing")], ()),
    ([("Blue Harbour", "Blue Harbour has 412 pages."), ("Old Orchard", "nothing")], ("Old Orchard",)),
    ([("x", "nothing")], ()),
])  # fmt: skip
def test_a_name_beside_one_that_was_found(steps, names_left):
    assert missing(looked_up(BOTH, *steps)) == names_left


def test_a_failed_observation_finds_nothing():
    call = Call("1.1", "search", {"query": "《蓝港》"})
    run = Run("x", [*history(BEIDE).events, Decided(calls=(call,)), Observed("1.1", Observation("蓝港", ok=False))])
    assert missing(run) == ()
    assert missing(looked_up(BEIDE, ("蓝港", "《蓝港》共412页。"))) == ("旧园",)


def test_names_that_are_not_side_by_side_are_not_missing():
    assert missing(looked_up("Who is the mayor of Rome in Italy?", ("Rome", "Rome has a mayor."))) == ()


def looked(*tries):
    """Calls of one tool, one after the other: (name, kind of the failure or None)."""
    return [
        event for number, (name, kind) in enumerate(tries, 1)
        for event in did(number, "people", Observation("a text", ok=kind is None, kind=kind or ""), city=name)
    ]  # fmt: skip


@pytest.mark.parametrize(("question", "tries", "spoken_of"), [
    ("上海有多少人？", [("上海", "error"), ("Shanghai", None)], ["上海"]),
    ("上海和北京哪个人多？", [("上海", "bad_arguments"), ("北京", "bad_arguments"), ("Shanghai", None)], ["上海"]),
    ("上海和北京哪个人多？", [("上海", "error"), ("上海", "error"), ("北京", "error"), ("Shanghai", None), ("Beijing", None)], ["上海", "北京"]),
    ("Has New York City more people than Boston?", [("New York City", "refused_arguments"), ("New York", None)], ["New York City"]),
    ("Has Lyon more people than Paris?", [("Lyon", "error"), ("Paris", None)], [""]),
    ("Has Lyon more people than Paris?", [("Lyon", "error"), ("Paris, France", None)], [""]),
    ("has lyon more people than paris?", [("lyon", "error"), ("paris", None)], [""]),
    ("里昂和巴黎哪个人多？", [("里昂", "error"), ("巴黎", None)], [""]),
    ("How many live in Lyon?", [("Lyon", "timeout"), ("Lyons", None)], [""]),
])  # fmt: skip
def test_a_call_that_mended_a_refused_name_speaks_of_it_and_one_for_another_name_does_not(question, tries, spoken_of):
    assert [text for _, text in findings(history(question, *looked(*tries)))] == [f"a text\n{name}" if name else "a text" for name in spoken_of]


@pytest.mark.parametrize("text", [
    "12", "12.5", "-3", "true", "12 packs", "12包", "48,213", "35.5 EUR", "25 °C", "3 of 4", "3:45 pm", "2026-12-24", "库存12包", "quantity: 12", "12 in stock", "[12, 13]", "24 December 2026", "7 PM",
    '{"quantity": 12}', '{"quantity": 12, "reserved": 3, "open": true}',
])  # fmt: skip
def test_a_value_alone_speaks_of_what_was_asked_for(text):
    tools = (ToolSpec("stock", "How many of an item are left. 某种商品的库存。 The quantity in packs.", {"type": "object"}),)
    for question, name in (("How many packs of Darjeeling are there?", "Darjeeling"), ("茶叶还有多少包？", "茶叶")):
        run = Run("x", [replace(history(question).asked, tools=tools), *did(1, "stock", text, item=name)])
        assert [mentions([found], name) for _, found in findings(run)] == [True]
        assert empty_handed(run) is None
        assert unmentioned(run, "12") is None


@pytest.mark.parametrize("text", [
    "Red Meadow has 3 seats", "0 results", "no 12", "404 not found", "nothing", "null", "[]", "{}", '{"results": []}', '{"error": "no such item"}', "没有12", "青岚山海拔1200米", "库存不存在 3",
    "In 1912 somebody wrote a long sentence about other things", "12\n13",
])  # fmt: skip
def test_what_names_something_else_or_says_that_nothing_is_there_is_no_value(text):
    for question, name in (("How many packs of Darjeeling are there?", "Darjeeling"), ("茶叶还有多少包？", "茶叶")):
        assert [mentions([found], name) for _, found in findings(history(question, *did(1, "stock", text, item=name)))] == [False]


def test_the_other_name_of_a_question_is_still_missing_where_the_first_was_not_found():
    found = [*did(1, "people", Observation("unknown", ok=False), city="Lyon"), *did(2, "people", "Paris: 2 million", city="Paris")]
    assert missing(history("Has Lyon more people than Paris?", *found)) == ("Lyon",)
