"""What the next reply may be, read off the run."""

import pytest

from tao.dialects.offer import MAX_FETCHES, kind, offer, plain, terms
from tao.events import Misread, Nudged, Observed, Replied
from tao.facts import gather
from tao.messages import Observation, Reply, ToolSpec
from tao.testing import did, history, spec
from tao.toolset import examples

SEARCH = spec("search", "Look something up.", query="string")
SUM = ToolSpec("calculator", 'Works out a sum, e.g. {"expression": "3 * 4"}', {"properties": {"expression": {"type": "string"}}, "required": ["expression"]})
ORDER = ToolSpec("order_status", 'The state of an order, e.g. {"order": "A10001"}', {"properties": {"order": {"type": "string"}}, "required": ["order"]})
PATTERN = ToolSpec("ticket", "", {"properties": {"id": {"type": "string", "pattern": r"^T\d+$", "examples": ["T12"]}}, "required": ["id"]})
DAYS = {"properties": {"start": {"type": "string", "format": "date"}, "end": {"type": "string", "format": "date"}}, "required": ["start", "end"]}
BETWEEN = ToolSpec("date_diff", "Days between two dates.", DAYS)
SHIFT = ToolSpec("date_add", "", {"properties": {"start": {"type": "string", "format": "date"}, "days": {"type": "integer"}}, "required": ["start", "days"]})
CLOCK = spec("today", "The date of today.")
CONVERT = ToolSpec("convert", "", {"properties": {"to": {"enum": ["km", "mile"]}}, "required": ["to"]})
WRITE = ToolSpec("note", "", {"properties": {"kind": {"enum": ["a", "b"]}}, "required": ["kind"]}, ("writes",))
PAGE = ToolSpec("page", "", {"properties": {"number": {"type": "integer"}, "part": True}, "required": ["number"]})


def may(run):
    """The names on offer, and whether an answer is."""
    now = offer(run)
    return [one.tool.name for one in now.tools], now.answer


def slot(run, tool, name):
    return next(one for one in offer(run).tools if one.tool.name == tool).slots[name]


def calls(run, tool):
    found = next(one for one in offer(run).tools if one.tool.name == tool).calls
    return None if found is None else [tuple(args.values()) for args in found]


# ── which tools ───────────────────────────────────────────────────────────────


def test_without_grounding_everything_is_offered_as_it_is():
    run = history("q", *did(1, "today", "2024-03-05"), tools=[ORDER, CLOCK, SUM])
    now = offer(run, grounded=False)
    assert [(one.tool, dict(one.slots), one.calls) for one in now.tools] == [(ORDER, {}, None), (CLOCK, {}, None), (SUM, {}, None)]
    assert now.answer


@pytest.mark.parametrize("grounded", [True, False])
def test_what_a_nudge_closes(grounded):
    def now(**closed):
        return offer(history("q", Nudged("", "x", **closed), tools=[SEARCH, CLOCK]), grounded=grounded)

    assert now(may_call=False).tools == ()
    assert now(may_call=False).answer
    assert [one.tool.name for one in now(without=("search",)).tools] == ["today"]
    assert not now(may_answer=False).answer
    assert offer(history("q", Nudged("", "x", may_answer=False), tools=[ORDER])).answer  # nothing else is left


def test_a_tool_that_cannot_be_filled_is_not_offered_yet():
    assert may(history("Where is my order?", tools=[ORDER, SEARCH])) == (["search"], True)
    assert may(history("Where is order A10023?", tools=[ORDER]))[0] == ["order_status"]
    assert may(history("Where is it?", *did(1, "search", "order A10023", query="x"), tools=[ORDER]))[0] == ["order_status"]


def test_a_tool_without_parameters_that_only_looks_is_asked_once():
    assert may(history("q", tools=[CLOCK]))[0] == ["today"]
    assert may(history("q", *did(1, "today", "2024-03-05"), tools=[CLOCK]))[0] == []


def test_a_tool_that_failed_twice_running_is_left_out():
    failed = Observation("no", ok=False)
    once = history("q", *did(1, "search", failed, query="a"), tools=[SEARCH, CLOCK])
    assert may(once) == (["search", "today"], False)  # to be mended first
    twice = history("q", *did(1, "search", failed, query="a"), *did(2, "search", failed, query="b"), tools=[SEARCH, CLOCK])
    assert may(twice)[0] == ["today"]
    between = history("q", *did(1, "search", failed, query="a"), *did(2, "search", "ok", query="b"), *did(3, "search", failed, query="c"), tools=[SEARCH])
    assert may(between)[0] == ["search"]


def test_nothing_is_computed_before_two_numbers_are_known():
    assert may(history("How high is Blue Harbour?", tools=[SEARCH, SUM]))[0] == ["search"]
    assert may(history("How high is it?", tools=[SEARCH, SUM]))[0] == ["search", "calculator"]
    known = history("What is 3 times the height of Blue Harbour?", *did(1, "search", "Blue Harbour is 800 m high.", query="x"), tools=[SEARCH, SUM])
    assert may(known)[0] == ["search", "calculator"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_is_missing_is_looked_up_first(lang):
    found = did(1, "search", "Blue Harbour has 412 pages.", query="Blue Harbour")
    run = history("How many more pages has Blue Harbour than Old Orchard?", *found, tools=[SEARCH, SUM], lang=lang)
    now = offer(run)
    assert ([one.tool.name for one in now.tools], now.answer) == (["search"], False)
    assert "Old Orchard" in now.lead
    many = [event for number in range(2, MAX_FETCHES + 3) for event in did(number, "search", f"nothing {number}", query=f"x{number}")]
    assert offer(history(run.asked.question, *found, *many, tools=[SEARCH, SUM], lang=lang)).answer


def test_a_sum_written_out_is_worked_out_first():
    run = history("What is (614-55)*9?", tools=[SEARCH, SUM])
    assert calls(run, "calculator") == [("(614-55)*9",)]
    assert not offer(run).answer
    done = history("What is (614-55)*9?", *did(1, "calculator", "5031", expression="(614-55)*9"), tools=[SEARCH, SUM])
    assert calls(done, "calculator") is None
    assert offer(done).answer


def test_the_day_is_asked_first_where_the_question_counts_from_it():
    run = history("How many days until 2026-01-01?", tools=[CLOCK, BETWEEN, SUM])
    assert may(run) == (["today"], False)
    known = history("How many days until 2026-01-01?", *did(1, "today", "2025-11-30"), tools=[CLOCK, BETWEEN])
    assert may(known)[0] == ["date_diff"]


# ── which values ──────────────────────────────────────────────────────────────


def test_codes_that_are_known_and_of_the_right_shape():
    run = history("Orders A10023 and B20001, T7?", tools=[ORDER, PATTERN])
    assert slot(run, "order_status", "order").values == ("A10023", "B20001")
    assert slot(run, "ticket", "id").values == ("T7",)
    made = history("Orders A10023 and B20001?", *did(1, "order_status", "sent", order="A10023"), tools=[ORDER])
    assert calls(made, "order_status") == [("B20001",)]


def test_two_dates_are_two_different_ones():
    assert may(history("How far is 2024-03-05?", tools=[BETWEEN]))[0] == []
    run = history("From 2024-03-05 to 2024-04-01?", tools=[BETWEEN])
    assert calls(run, "date_diff") == [("2024-03-05", "2024-04-01"), ("2024-04-01", "2024-03-05")]
    done = history("From 2024-03-05 to 2024-04-01?", *did(1, "date_diff", "27", start="2024-03-05", end="2024-04-01"), tools=[BETWEEN])
    assert calls(done, "date_diff") == [("2024-04-01", "2024-03-05")]


@pytest.mark.parametrize(("question", "days"), [
    ("What is 50 days after 2024-03-05?", {50, -50}), ("2024-03-05之后三十天是哪天？", {30, -30}), ("Two weeks after 2024-03-05?", {14, -14}), ("What date is 6 weeks from 2024-03-05?", {42, -42}), ("2024-03-05 的三个星期之后？", {21, -21}),
    ("2024-03-05 3周加4天之后？", {21, -21, 28, -28, 4, -4}), ("A week after 2024-03-05?", {7, -7, 1, -1}), ("2024-03-05 + 3.5", set()),
])  # fmt: skip
def test_a_day_is_moved_by_what_the_question_says(question, days):
    run = history(question, tools=[SHIFT])
    found = calls(run, "date_add") if may(run)[0] else []
    assert {by for _, by in found} == days


def test_a_day_is_moved_by_what_was_found_in_its_unit():
    run = history("When is it back, from 2024-03-05?", *did(1, "search", 'Returns within 14 days, costs 99 euros, "days": 3', query="x"), tools=[SHIFT])
    assert {by for _, by in calls(run, "date_add")} == {14, -14, 3, -3}


def test_choices_and_what_was_done_with_them():
    assert calls(history("q", tools=[CONVERT]), "convert") == [("km",), ("mile",)]
    assert calls(history("q", *did(1, "convert", "x", to="km"), tools=[CONVERT]), "convert") == [("mile",)]
    assert may(history("q", *did(1, "convert", "x", to="km"), *did(2, "convert", "y", to="mile"), tools=[CONVERT]))[0] == []
    assert calls(history("q", *did(1, "note", "x", kind="a"), tools=[WRITE]), "note") == [("a",), ("b",)]


def test_free_text_is_none_that_was_used_and_no_example():
    tool = ToolSpec("look", 'e.g. {"query": "weather in Lima"}', {"properties": {"query": {"type": "string"}}, "required": ["query"]})
    run = history("q", *did(1, "look", "x", query="first"), tools=[tool])
    assert (slot(run, "look", "query").used, slot(run, "look", "query").barred) == (("first",), ("weather in Lima",))
    assert slot(history("And the weather in Lima?", tools=[tool]), "look", "query").barred == ()
    assert slot(history("q", tools=[PAGE]), "page", "number").values is None
    assert slot(history("q", tools=[PAGE]), "page", "part").values is None


@pytest.mark.parametrize(("text", "values"), [
    ("Unknown city. Known cities: Beijing, Cairo or Lima.", ("Beijing", "Cairo", "Lima")), ("必须是可用的城市：北京、上海。", ("北京", "上海")), ('must be one of "a", "b"', ("a", "b")),
    ("one of Lima", None), ("no such city", None),
])  # fmt: skip
def test_values_that_a_tool_itself_names(text, values):
    tool = spec("weather", city="string")
    run = history("q", *did(1, "weather", Observation(text, ok=False), city="x"), tools=[tool])
    assert slot(run, "weather", "city").values == values
    assert slot(history("q", *did(1, "weather", text, city="x"), tools=[tool]), "weather", "city").values is None


CITY = spec("weather", "The weather of a city.", city="string")
REFUSED = Observation("unknown city: give one of Beijing, Cairo, Shanghai", ok=False)


@pytest.mark.parametrize(("question", "left"), [
    ("北京现在几度？", None),  # it was had as Beijing: nothing is left to be got there
    ("is it warmer in beijing or in cairo?", ("Beijing", "Cairo", "Shanghai")),
    ("北京和上海哪个更热？", ("Beijing", "Cairo", "Shanghai")), ("Which place is warmest?", ("Beijing", "Cairo", "Shanghai")),
])  # fmt: skip
def test_a_tool_that_listed_its_values_is_held_to_them_and_has_nothing_more_once_all_is_had(question, left):
    asked = next(name for name in ("北京", "beijing", "all") if name in question or name == "all")
    run = history(question, *did(1, "weather", REFUSED, city=asked), *did(2, "weather", "Beijing: 29", city="Beijing"), tools=[CITY, CLOCK])
    if left is None:
        assert may(run)[0] == ["today"]
    else:
        assert calls(run, "weather") == [(city,) for city in left if city != "Beijing"]


# ── what a parameter is ───────────────────────────────────────────────────────


@pytest.mark.parametrize(("schema", "example", "form"), [
    ({"format": "date"}, None, "date"), ({"format": "uuid"}, "2024-03-05", ""), ({"enum": ["a"]}, "2024-03-05", ""), ({}, "2024-03-05", "date"), ({}, "2024年3月5日", "date"),
    ({}, "A10023", "code"), ({}, "3 * 4", "arithmetic"), ({}, "(1+2)*3", "arithmetic"), ({}, "42", ""), ({}, "hello", ""), ({}, 7, ""), ({}, None, ""),
    ({"description": "as YYYY-MM-DD"}, None, "date"), (True, "A10023", ""), (None, None, ""), ({}, "trip of 2024-03-05", ""),
])  # fmt: skip
def test_the_form_of_a_parameter(schema, example, form):
    assert kind(schema, example) == form


def test_examples_from_the_schema_and_from_the_description():
    properties = {"a": {"examples": ["x", "y"]}, "b": {"example": 3}, "c": {}, "d": True}
    tool = ToolSpec("t", 'First {not json, then {"c": 1, "b": 9}, {"c": 2}, {"z": 1} and {}', {"properties": properties})
    assert examples(tool) == {"a": "x", "b": 3, "c": 1}
    assert examples(ToolSpec("t", "", {})) == {}


@pytest.mark.parametrize(("told", "question", "found", "missing"), [
    ("12% of 400", "", {"12", "0.12", "0.88", "1.12", "400"}, set()), ("12% of 400", "12% of 400", {"0.12", "0.88", "1.12", "400"}, {"12", "100"}),
    ("30 of 400", "How many percent is 30 of 400?", {"30", "400", "100"}, set()), ("12% off of 80% humid", "12% off of it", {"80", "0.8", "0.12"}, {"12", "100"}), ("526 million people", "How many?", {"526000000"}, {"526"}), ("526 million", "how many million?", {"526"}, set()),
    ("a dozen", "", {"12"}, set()), ("-5 degrees", "", {"(-5)"}, {"-5"}), ("built in 1931", "in 1931, how high?", set(), {"1931"}), ("in 1931", "How many years since 1931?", {"1931"}, set()),
    ("12% of 400", "12% off of 400", {"0.12", "0.88"}, {"1.12"}), ("12% of 400", "400 with 12% tax", {"0.12", "1.12"}, {"0.88"}), ("12%", "12% more, then 12% less", {"0.88", "1.12"}, set()),
    ("400 元打八折", "400 元打八折是多少？", {"0.8"}, {"1.8"}), ("400 元上涨 12%", "400 元上涨 12% 是多少？", {"1.12"}, {"0.88"}),
    ("", "how many weeks?", {"7"}, {"24"}), ("", "平均是多少？", {"2", "3", "4"}, {"7"}), ("", "q", set(), {"2", "7"}),
])  # fmt: skip
def test_the_numbers_of_a_calculation(told, question, found, missing):
    listed = set(terms(gather([told]), question))
    assert found <= listed
    assert not missing & listed


@pytest.mark.parametrize(("value", "text"), [(3.0, "3"), (0.05, "0.05"), (1e15, "1000000000000000"), (0.1 + 0.2, "0.3"), (2.5, "2.5")])
def test_numbers_in_digits(value, text):
    assert plain(value) == text


def test_a_misread_reply_changes_nothing():
    run = history("Where is order A10023?", tools=[ORDER, SEARCH])
    before = offer(run)
    run.events += [Replied(Reply("?")), Misread("no_step")]
    assert offer(run) == before
    assert Observed


@pytest.mark.parametrize(("seen", "computes"), [(("29 degrees", "29 degrees"), True), (("29 degrees", "rain"), False), (("29 degrees",), False)])
def test_two_observations_with_one_number_are_two_numbers(seen, computes):
    steps = [event for at, text in enumerate(seen, 1) for event in did(at, "search", text, query=f"weather in {'Oslo Lima'.split()[at - 1]}")]
    run = history("How much warmer is Oslo than Lima?", *steps, tools=[SEARCH, SUM, CLOCK])
    assert ("calculator" in may(run)[0]) == computes
