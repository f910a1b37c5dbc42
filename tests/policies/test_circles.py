"""What counts as going in circles, and what only looks like it."""

import pytest

from tao.events import Decided, Observed
from tao.messages import Call, Observation, ToolSpec
from tao.policies.circles import circle, similar
from tao.policies.circles import steps as taken_steps
from tao.testing import did, history

LONG = "Mount Orvik is a mountain in the north of the country, 5838 metres high."
MORE = "The first people who climbed it came from the village of Tarn in May."
TOOLS = (ToolSpec("search", "", {}), ToolSpec("calc", "", {}), ToolSpec("act", "", {}, ("writes",)), ToolSpec("check", "", {}))


def of(*steps, question="q", lang="en"):
    """The kind of circle after these steps: (tool, argument, what came back) or (… , thought)."""
    events = []
    for number, (tool, arg, seen, *thought) in enumerate(steps, 1):
        events += did(number, tool, seen, *thought, of=arg)
    found = circle(history(question, *events, tools=TOOLS, lang=lang))
    return found and found.kind


def bad(text, kind="error"):
    return Observation(text, ok=False, kind=kind)


@pytest.mark.parametrize(("steps", "kind"), [
    ([("search", "a", "1"), ("search", "a", "1")], "same_call"),
    ([("search", "a", "1"), ("calc", "b", "2"), ("search", "a", "1")], "same_call"),
    ([("act", "a", "done"), ("act", "a", "done")], "same_call"),
    ([("search", "a", bad("no")), ("search", "a", bad("no"))], "same_call"),
    ([("check", "a", str(n)) for n in range(4)], "same_call"),
    ([("act", "on", "it is on"), ("act", "off", "it is off")] * 2, "cycle"),
    ([("act", "on", "it is on"), ("act", "off", "it is off"), ("act", "up", "it is up")] * 2, "cycle"),
    ([("search", "a", "nothing found"), ("search", "b", "nothing found")], "same_observation"),
    ([("search", "一", "没有找到相关结果"), ("search", "二", "没有找到相关结果")], "same_observation"),
    ([("search", "a", LONG), ("search", "b", LONG)], "same_observation"),
    ([("search", "a", bad("the index is locked")), ("search", "b", bad("the index is locked"))], "same_observation"),
    ([("check", n, "true") for n in "abcde"], "same_observation"),
    ([("search", f"2026-12-0{n}", "[]") for n in range(1, 6)], "same_observation"),  # one after the other, but for long
    ([("search", "Mount Orvik height", LONG), ("search", "height of the Mount Orvik", LONG[:-1])], "alike"),
    ([("search", "青岚山的高度是多少", "青岚山位于北部山区，海拔 5838 米。"), ("search", "青岚山 高度 多少", "青岚山 位于北部山区 海拔 5838 米")], "alike"),
    ([("search", "a", LONG, "I should find out how high it is."), ("search", "b", LONG[:-1], "I should find out  how high it is.")], "same_thought"),
    ([("search", "甲", "青岚山位于北部山区，海拔五千米。", "应该先查一查这座山到底有多高。"), ("search", "乙", "青岚山位于北部山区，海拔五千米", "应该先查一查这座山到底有多高。")], "same_thought"),
    ([("search", "a", LONG + MORE), ("search", "b", LONG), ("search", "c", MORE), ("search", "d", f"{MORE} {LONG}")], "stale"),
])  # fmt: skip
def test_circles(steps, kind):
    assert of(*steps) == kind


@pytest.mark.parametrize("steps", [
    [], [("search", "a", "1")], [("search", "a", "1"), ("search", "b", "2")],
    [("search", "a", bad("the line is busy", "transient")), ("search", "a", LONG)],  # tried again, and it worked
    [("check", "job", "30 %"), ("check", "job", "60 %"), ("check", "job", "done")],  # waited for
    [("search", "a", LONG), ("act", "b", "changed"), ("search", "a", LONG)],  # looked again after a change
    [("act", "a", "ok"), ("act", "b", "ok"), ("act", "c", "ok"), ("act", "d", "ok"), ("act", "e", "ok")],  # one after the other
    [("calc", "2+3", "5"), ("calc", "10/2", "5")], [("check", 5, "true"), ("check", 7, "true")],  # the same by chance
    [("check", "甲", "有货"), ("check", "乙", "有货"), ("check", "丙", "有货")],
    [("search", "a", "1"), ("calc", "a", "1")],  # another tool
    [("check", 1, "a"), ("check", True, "b")],
    [("search", "height of Mount Orvik", LONG), ("search", "height of Mount Serston", "Mount Serston, in the south, rises to 4120 metres; nobody lives near.")],
    [("search", "population of Norway in 2020", "In 2020 there were 5,379,475 inhabitants."), ("search", "population of Norway in 2021", "In 2021 there were 5,408,320 of them, a few more.")],
    [("act", "on", "it is on"), ("act", "off", "it is off"), ("act", "on", "it is on, and warm"), ("act", "off", "it is off, and cold")],
    [("search", "a", LONG, "Next."), ("search", "b", LONG[:-1], "Next.")],  # a phrase is no thought
    [("search", "a", LONG, "I should find out how high it is."), ("search", "b", MORE, "I should find out how high it is.")],  # and it led on
    [("act", "a", "placed the order", "Now for the next one of the list."), ("act", "b", "placed the order", "Now for the next one of the list.")],
    [("search", "a", LONG + MORE), ("search", "b", LONG), ("search", "c", MORE), ("search", "d", "Tarn is a village with a school, a mill and two inns.")],
    [("check", "next", f"Page {page}: " + " ".join(f"word{page}{n}" for n in range(9))) for page in range(1, 8)],  # read on
    [("search", f"2026-12-0{n}", "[]") for n in range(1, 5)], [("search", n, LONG) for n in range(3)],  # one after the other
    [("search", f"order {n}", f"The order is open, it was paid by card and goes to Austin in Texas; the price is {n * 371} dollars.") for n in range(1, 8)],  # in one form
    [("search", f"员工{n}号", f"该员工在职，合同有效，属于研发部门，没有其他备注；月薪 {n * 371} 元。") for n in range(1, 8)],
    [("search", "a", LONG + MORE), ("search", "b", LONG), ("act", "c", MORE), ("search", "d", f"{MORE} {LONG}")],
])  # fmt: skip
def test_what_leads_on(steps):
    assert of(*steps) is None


@pytest.mark.parametrize("found", ["nothing found", LONG])
def test_names_that_the_question_lists_are_gone_through(found):
    steps = [("search", name, found) for name in ("Ann", "Bob", "Carl")]
    assert of(*steps, question="Which of Ann, Bob and Carl are customers?") is None
    assert of(*steps[:2], question="Who is a customer?") == "same_observation"


def test_a_rhythm_counts_whatever_it_gives_once_it_has_gone_on_for_long():
    steps = [("act", name, f"{name} {number}") for number in range(4) for name in ("wait", "look")]
    assert of(*steps[:-1]) is None
    assert of(*steps) == "cycle"


def test_one_new_call_beside_others_is_progress():
    first = did(1, "search", LONG, of="a")
    calls = (Call("2.1", "search", {"of": "a"}), Call("2.2", "search", {"of": "b"}))
    both = (Decided("", calls), Observed("2.2", Observation(MORE)), Observed("2.1", Observation(LONG)))
    assert circle(history("q", *first, *both, tools=TOOLS)) is None
    twice = (Decided("", calls[:1]), Observed("2.1", Observation("(You made this very call before; it gave:)", notes=("= 1.1",))))
    assert circle(history("q", *first, *twice, tools=TOOLS)).earlier == Call("1.1", "search", {"of": "a"})


@pytest.mark.parametrize(("a", "b", "same"), [
    ({"q": "Mount Orvik height"}, {"q": "the height of Mount Orvik"}, True), ({"q": "a b c d"}, {"q": "a b c e"}, False),
    ({"q": "weather Oslo 2024"}, {"q": "weather Oslo 2025"}, False), ({"q": "12/3"}, {"q": "3/12"}, False), ({"q": "SELECT (a)"}, {"q": "SELECT (a) "}, False),
    ({"q": "查询青岚山的高度"}, {"q": "青岚山高度"}, True), ({"q": "青岚山高度"}, {"q": "白石山高度"}, False), ({"q": "lamps", "n": 1}, {"q": "lamp", "n": 1}, True),
    ({"q": "lamps", "n": 1}, {"q": "lamp", "n": 2}, False), ({"q": "lamps"}, {"q": "lamp", "n": 2}, False), ({"q": "the"}, {"q": "of"}, False),
])  # fmt: skip
def test_queries_that_ask_the_same(a, b, same):
    assert similar(Call("1", "t", a), Call("2", "t", b)) is same


def test_a_circle_is_looked_for_in_a_long_run_with_little_more_work_than_in_a_short_one(work):
    def added(steps):
        run = history("q", tools=TOOLS)
        for number in range(steps):
            run.events += did(number, "search", f"The {number}th entry has {number * 7919} inhabitants, and {number * 104729} trees stand in it.", of=f"entry {number}")
            last = work(lambda: circle(run))
        assert circle(run) is None
        return last

    assert added(110) - added(10) < 100


def test_calls_side_by_side_are_new_to_each_other():
    calls = tuple(Call(f"2.{number}", "search", {"of": f"b {number}"}) for number in (1, 2))
    both = (Decided("as I thought, once more", calls), *(Observed(call.id, Observation(MORE)) for call in calls))
    assert [step.fresh for step in taken_steps(history("q", *did(1, "search", LONG, of="a"), *both, tools=TOOLS))] == [(True,), (True, True)]
    again = history("q", *did(1, "search", MORE, of="a"), *both, tools=TOOLS)
    assert [step.fresh for step in taken_steps(again)] == [(True,), (False, False)]
    assert circle(again).kind == "same_observation"
