"""Going in circles, and coming back with empty hands."""

import pytest

from tao.events import Decided, Misread, Nudged, Observed, Replied
from tao.messages import Call, Observation, Reply, ToolSpec
from tao.policies.loop_guard import empty_handed, guard, loop_guard
from tao.testing import did, history


def run(*steps, question="Where is Blue Harbour?", after=(), lang="en"):
    """A run of searches: (query, what came back)."""
    events = [event for number, (query, seen) in enumerate(steps, 1) for event in did(number, "search", seen, query=query)]
    return history(question, *events, *after, lang=lang)


# ── in circles ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("lang", "said", "known"), [
    ("en", "You already made this call", 'You already have this: search {"query":"a"} → 1'), ("zh", "这个调用已经做过", '已知：search {"query":"a"} → 1'),
])  # fmt: skip
def test_first_it_is_said_and_what_is_known_is_quoted(lang, said, known):
    nudge = loop_guard(run(("a", "1"), ("b", "2"), ("a", "1"), lang=lang))
    assert (nudge.by, nudge.without, nudge.may_call, nudge.may_answer, nudge.hide) == ("loop_guard", (), True, True, False)
    assert said in nudge.text
    assert known in nudge.text
    assert nudge.lead


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_then_the_tool_is_taken_away_and_then_the_answer_is_asked_for(lang):
    events = [Replied(Reply("x")), *did(1, "search", "1", query="a"), Replied(Reply("x")), *did(2, "search", "1", query="a")]
    first = loop_guard(history("q", *events, lang=lang))
    events += [first, Replied(Reply("x")), *did(3, "search", "1", query="a")]
    second = loop_guard(history("q", *events, lang=lang))
    assert (first.without, second.without) == ((), ("search",))
    assert second.text == first.text + (" search is not available for the next step." if lang == "en" else "下一步不能使用 search。")
    events += [second, Replied(Reply("x")), *did(4, "search", "1", query="a")]
    third = loop_guard(history("q", *events, lang=lang))
    assert (third.by, third.may_call) == ("wrap_up:loop", False)
    end = loop_guard(history("q", *events, third, Replied(Reply("x")), Decided(answer="1"), lang=lang))
    assert (end.reason, end.answer) == ("loop", "1")
    assert end.detail.startswith("Stopped because the run went in circles" if lang == "en" else "运行在原地打转")
    lost = loop_guard(history("q", *events, third, Replied(Reply("?")), Misread("empty"), lang=lang))
    assert (lost.reason, lost.answer) == ("loop", None)
    assert lost.detail


def test_a_model_that_is_held_to_a_grammar_loses_the_tool_at_once():
    again = run(("a", "1"), ("a", "1"))
    assert guard(held=True)(again).without == ("search",)
    again.events += [guard(held=True)(again), Replied(Reply("x")), *did(3, "search", "1", query="a")]
    assert guard(held=True)(again).without == ("search",)
    again.events += [guard(held=True)(again), Replied(Reply("x")), *did(4, "search", "1", query="a")]
    assert guard(held=True)(again).by == "wrap_up:loop"


@pytest.mark.parametrize("held", [False, True])
def test_a_call_repeated_now_and_then_between_steps_that_lead_on_never_ends_the_run(held):
    events, policy = [], guard(held=held)
    for number in range(1, 31):
        repeated = number % 3 == 0
        query, seen = ("today", "2026-11-29") if repeated else (f"town {number}", f"town {number} has {number}00 people and {number * 7} dogs")
        events += [Replied(Reply("x")), *did(number, "date" if repeated else "search", seen, query=query)]
        if spoken := policy(history("How many?", *events)):
            assert (spoken.by, spoken.may_call) == ("loop_guard", True)
            events.append(spoken)


def test_what_is_quoted_is_the_first_observation_and_not_a_reminder_of_it():
    events = [Replied(Reply("x")), *did(1, "search", "1", query="a")]
    for number in (2, 3):
        call, _ = did(number, "search", "", query="a")
        told = Observation("(You made this very call before; it gave:)\n1", notes=("= 1.1",))
        events += [Replied(Reply("x")), call, Observed(f"{number}.1", told)]
        assert loop_guard(history("q", *events)).text.endswith("→ 1")


def test_circles_of_long_ago_are_forgotten():
    events = [*did(1, "search", "1", query="a"), *did(2, "search", "1", query="a"), Nudged("", "loop_guard"), Nudged("", "loop_guard")]
    for number in range(3, 10):
        events += [Replied(Reply("x")), *did(number, "search", f"something new, number {number}", query=f"b{number}")]
    again = [Replied(Reply("x")), *did(10, "search", "something new, number 9", query="b9")]
    assert loop_guard(history("q", *events, *again)).without == ()


def test_what_strangers_may_have_written_is_not_quoted():
    tools = [ToolSpec("search", "", {"type": "object"}, ("reads", "network"))]
    found = loop_guard(history("q", *did(1, "search", "do as I say", query="a"), *did(2, "search", "do as I say", query="a"), tools=tools))
    assert "You already made this call" in found.text
    assert "do as I say" not in found.text
    marked = "<tool_output 12345678>\ndo as I say\n</tool_output 12345678>"
    assert "do as I say" not in loop_guard(run(("a", marked), ("a", marked))).text
    assert len(loop_guard(run(("a", "long " * 500), ("a", "long " * 500))).text) < 400


def test_not_while_calls_are_pending_or_an_answer_stands_or_nothing_came_since():
    again = (("a", "1"), ("a", "1"))
    assert loop_guard(run(*again, after=(Replied(Reply("x")), Decided(answer="1")))) is None
    assert loop_guard(run(*again, after=(Replied(Reply("x")), Decided(calls=(Call("3.1", "search", {}),))))) is None
    assert loop_guard(run(*again, after=(Nudged("", "loop_guard"), Replied(Reply("?")), Misread("empty")))) is None
    assert loop_guard(run(*again, after=(Nudged("", "wrap_up"),))) is None
    assert empty_handed(run(("Blue Harbour", "no"), after=(Decided(answer="1"),))) is None
    assert empty_handed(run(("Blue Harbour", "no"), after=(Decided(calls=(Call("3.1", "search", {}),)),))) is None


# ── empty hands ───────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("lang", "question", "query"), [("en", "Where is Blue Harbour?", "Blue Harbour"), ("zh", "《蓝港》是谁写的？", "蓝港")])
def test_what_was_looked_for_is_not_mentioned(lang, question, query):
    nudge = empty_handed(run((query, "nothing"), question=question, lang=lang))
    assert (nudge.by, nudge.without, nudge.may_call) == ("empty_handed", ("search",), True)
    assert query in nudge.text
    lost = empty_handed(run((query, "nothing"), (f"{query} x", "none"), question=question, lang=lang, after=(nudge,)))
    assert lost is not None
    assert query in lost.text


def test_the_second_time_it_is_to_be_said():
    nudge = Nudged("", "empty_handed")
    events = [*did(1, "search", "nothing", query="Blue Harbour"), nudge, *did(2, "find", "none", query="Blue Harbour")]
    lost = empty_handed(history("Where is Blue Harbour?", *events))
    assert (lost.may_call, lost.without) == (False, ())


@pytest.mark.parametrize("steps", [
    (), (("Blue Harbour", "Blue Harbour is in Wales."),), (("something else", "nothing"),), (("Blue Harbour", "Blue Harbour is in Wales."), ("Blue Harbour again", "x")),
])  # fmt: skip
def test_nothing_to_say(steps):
    assert empty_handed(run(*steps)) is None


def test_a_failed_call_is_not_an_empty_hand():
    failed = history("Where is Blue Harbour?", *did(1, "search", Observation("query is missing", ok=False), query="Blue Harbour"))
    assert empty_handed(failed) is None


@pytest.mark.parametrize(("refused", "taken"), [
    ({"city": "上海"}, {"city": "Shanghai"}), ({"q": "Blue Harbor", "limit": 3}, {"q": "Blue Harbour", "limit": 3}),
])  # fmt: skip
def test_a_name_that_a_tool_wants_otherwise_is_the_same_name(refused, taken):
    name = next(iter(refused.values()))
    tried = [*did(1, "look", Observation("unknown", ok=False), **refused), *did(2, "look", "it is 35", **taken)]
    assert empty_handed(history(f"“{name}”?", *tried, *did(3, "search", "No results.", query=name))) is None
    other = [*did(1, "look", Observation("unknown", ok=False), **refused), *did(2, "see", "it is 35", **taken)]
    assert empty_handed(history(f"“{name}”?", *other, *did(3, "search", "No results.", query=name))) is not None


def test_after_the_warning_another_name_that_was_found_is_enough():
    question = "How far is Blue Harbour from Old Orchard?"
    events = [*did(1, "search", "nothing", query="Blue Harbour"), Nudged("", "empty_handed"), *did(2, "search", "Old Orchard is in Wales.", query="Blue Harbour x")]
    assert empty_handed(history(question, *events)) is None
    assert isinstance(events[-1], Observed)


@pytest.mark.parametrize(("question", "query", "seen"), [
    ("When does the train to Leeds leave?", "departures leeds", "York 14:35\nHull 15:10"), ("杭州的火车什么时候开？", "杭州 火车", "上海 14:35"), ("有名的青岚山在哪里？", "青岚山", "白石山在北边"), ("“Salt Road”还有几本？", "salt", "Grey Gull: 3"),
    ("Who wrote Grey Gull?", "gull author", "nothing"), ("How much higher is Mount Orvik than Mount Serston?", "mount serston", "The road is open."),
])  # fmt: skip
@pytest.mark.parametrize(("lang", "words"), [("en", "Look with other words"), ("zh", "换个说法再查")])
def test_what_came_back_is_about_something_else(question, query, seen, lang, words):
    nudge = empty_handed(run((query, seen), question=question, lang=lang))
    assert nudge.without == ("search",)
    assert words in nudge.text
    lost = empty_handed(run((query, seen), (f"{query} again", seen), question=question, lang=lang, after=(nudge,)))
    assert (lost.may_call, lost.may_answer) == (False, True)


@pytest.mark.parametrize(("question", "query", "seen"), [
    ("How much higher is Mount Orvik than Mount Serston?", "height of Mount Orvik", "Mount Orvik is 5838 metres high."), ("Is Lake Como larger than Lake Garda?", "lake como", "Lake Como: 146 km2"),
    ("When does the train to Leeds leave?", "departures", "York 14:35"), ("What is 17 * 23?", "17 * 23", "391"), ("今天多少度？", "今天", "11℃"), ("How warm is it in Oslo?", "Oslo", "OSLO: -4 °C"),
    ("《盐路》还有几本？", "盐路", "《盐路》：3本"), ("杭州的火车什么时候开？", "杭州 火车", "杭州 14:35"), ("挪威的人口是多少？", "挪威 人口", "挪威有548万居民"), ("how many lamps are left?", "lamps", "0"), ("Who wrote Grey Gull?", "a", "nothing"),
])  # fmt: skip
def test_no_alarm_where_nothing_was_lost(question, query, seen):
    assert empty_handed(run((query, seen), question=question)) is None
