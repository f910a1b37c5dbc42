"""Whole replies against what a run offers: right ones fit the grammar, made-up ones do not; and no schema makes it fail."""

import json

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tao.dialects.held import reply_grammar
from tao.dialects.offer import MAX_COMBINATIONS, kind, offer, terms
from tao.dialects.react import React
from tao.dialects.stories import stories
from tao.events import Decided, Nudged
from tao.facts import gather
from tao.messages import Observation, ToolSpec
from tao.policies.verify import verify
from tao.testing import did, history, spec

TEXT = {"type": "string"}
DAY = {"type": "string", "format": "date"}


def tool(name, description="", needed=None, effects=("reads",), **properties):
    return ToolSpec(name, description, {"type": "object", "properties": properties, "required": list(properties) if needed is None else needed}, effects)


LOANS = tool("loans", 'Books lent under a card, e.g. {"card": "LC4471"}', card=TEXT)
CATALOGUE = tool("catalogue", 'Finds books, e.g. {"keywords": "moby dick"}', keywords=TEXT)
TIMETABLE = tool("timetable", "Trains of a day.", day=DAY, station=TEXT)
GAP = tool("gap", "Days from one day to another.", begins=DAY, ends=DAY)
LATER = tool("later", "", begins=DAY, days={"type": "integer"})
WORK_OUT = tool("work_out", 'e.g. {"formula": "7 * (2 + 1)"}', formula=TEXT)
NOW = spec("current_day", "Tells what day it is.")
STOCK = tool("stock", "What is left in the store.", item=TEXT)
HAN = [tool("馆藏", '查书，例如 {"关键词": "红楼梦"}', 关键词=TEXT), tool("算一算", '例如 {"算式": "7*(2+1)"}', 算式=TEXT), tool("借阅", "查借书证", 证号={**TEXT, "examples": ["LC4471"]})]


def call(name, **args):
    return f"Thought: I go on.\nAction: {name}\nAction Input: {json.dumps(args, ensure_ascii=False)}"


ANSWER = "Thought: I know.\nFinal Answer: 42"


def holds(gbnf, run):
    now = offer(run)
    return gbnf(reply_grammar(now, React().frame, run.asked.lang, run.nudge.lead if run.nudge else now.lead)), now


def check(gbnf, run, fits, fails):
    """All of the first and none of the second are replies that the run allows."""
    grammar, now = holds(gbnf, run)
    lead = f"Thought: {now.lead}" if now.lead else "Thought: I go on."
    assert [text for text in fits if not grammar.accepts(text.replace("Thought: I go on.", lead))] == []
    assert [text for text in fails if grammar.accepts(text.replace("Thought: I go on.", lead))] == []


# ── ordinary questions ────────────────────────────────────────────────────────


def test_known_codes_and_no_invented_tool(gbnf):
    run = history("What is lent under LC9031 or LC0007?", *did(1, "loans", "Two books.", card="LC9031"), tools=[LOANS, CATALOGUE])
    check(gbnf, run, [call("loans", card="LC0007"), call("catalogue", keywords="sea"), ANSWER], [
        call("loans", card="LC4471"), call("loans", card="LC9031"), call("lend", card="LC0007"), call("catalogue", keywords="Moby Dick"), call("loans"),
    ])  # fmt: skip


def test_the_same_in_chinese(gbnf):
    run = history("借书证LC9031借了哪些书？", tools=HAN, lang="zh")
    check(gbnf, run, [call("借阅", 证号="LC9031"), call("馆藏", 关键词="航海"), ANSWER], [call("借阅", 证号="LC4471"), call("馆藏", 关键词="红楼梦"), call("借书", 证号="LC9031")])
    sums = history("一本书412页，另一本387页，一共多少页？", tools=HAN, lang="zh")
    check(gbnf, sums, [call("算一算", 算式="412 + 387"), call("算一算", 算式="(412 + 387) + 412")], [call("算一算", 算式="7*(2+1)"), call("算一算", 算式="412 + 388"), call("算一算", 算式="412")])


def test_a_text_was_used_and_a_form_is_kept(gbnf):
    run = history("Is there a lamp?", *did(1, "stock", "none", item="lamp"), tools=[STOCK])
    check(gbnf, run, [call("stock", item="lamps"), call("stock", item="light")], [call("stock", item="lamp"), call("stock", item="LAMP"), call("stock", item=5)])
    page = tool("page", count={"type": "integer"})
    check(gbnf, history("q", *did(1, "page", "text", count=5), tools=[page]), [call("page", count=6)], [call("page", count="6")])
    coin = tool("coin", code={"type": "string", "pattern": "^[A-Z]{3}$", "examples": ["EUR"]})
    check(gbnf, history("q", *did(1, "coin", "x", code="SEK"), tools=[coin]), [call("coin", code="NOK")], [call("coin", code="krone")])
    label = tool("label", text={"type": "string", "maxLength": 3, "minLength": 2})
    check(gbnf, history("q", *did(1, "label", "x", text="ab"), tools=[label]), [call("label", text="abc")], [call("label", text="abcd"), call("label", text="a")])


def test_days_and_two_of_them(gbnf):
    run = history("Trains from Leeds on 2026-12-24, and how long from then to 5 January 2027?", tools=[TIMETABLE, GAP])
    check(gbnf, run, [call("timetable", day="2027-01-05", station="Leeds"), call("gap", begins="2026-12-24", ends="2027-01-05")], [
        call("timetable", day="2025-01-01", station="Leeds"), call("gap", begins="2026-12-24", ends="2026-12-24"), call("gap", begins="2026-12-25", ends="2027-01-05"),
    ])  # fmt: skip


def test_a_day_counted_from_today(gbnf):
    tools = [NOW, LATER, WORK_OUT]
    check(gbnf, history("What is the date 45 days from now?", tools=tools), [call("current_day")], [call("later", begins="2025-01-01", days=45)])
    told = did(1, "current_day", "2026-11-30")
    run = history("What is the date 45 days from now?", *told, tools=tools)
    check(gbnf, run, [call("later", begins="2026-11-30", days=45), ANSWER], [call("current_day"), call("later", begins="2026-11-30", days=44), call("later", begins="2026-12-30", days=45)])


@pytest.mark.parametrize(("question", "days"), [
    ("What date is tomorrow?", {1}), ("What date was yesterday?", {1}), ("昨天是几号？", {1}), ("后天是几号？", {2}), ("What is the date a week from today?", {7, 1}), ("下周今天是几号？", {7, 1}),
    ("What is the date next Monday?", set()),
])  # fmt: skip
def test_days_that_words_tell(question, days):
    run = history(question, *did(1, "current_day", "2026-11-30"), tools=[NOW, LATER])
    found = [one for one in offer(run).tools if one.tool.name == "later"]
    assert {abs(args["days"]) for one in found for args in one.calls} == days


def test_a_shift_keeps_the_limits_of_its_schema():
    nights = tool("book", day=DAY, nights={"type": "integer", "minimum": 1, "maximum": 30}, effects=("writes",))
    (booking,) = offer(history("A room from 2026-12-24 for 3 nights, 45 euros", tools=[nights])).tools
    assert {args["nights"] for args in booking.calls} == {3}


def test_an_answer_once_the_clock_has_spoken_even_where_it_may_be_asked_again(gbnf):
    zoned = tool("clock", "The time now", needed=[], zone=TEXT)
    question = "How long until the shop opens at 9?"
    check(gbnf, history(question, tools=[zoned, WORK_OUT]), [call("clock", zone="UTC"), call("clock")], [ANSWER])
    check(gbnf, history(question, *did(1, "clock", "07:30"), tools=[zoned, WORK_OUT]), [ANSWER], [])
    broken = did(1, "clock", Observation("no", ok=False))
    assert not offer(history(question, *broken, tools=[zoned, WORK_OUT])).answer


@pytest.mark.parametrize("other", [
    tool("update_stock", "Sometimes needed.", needed=[], item=TEXT), tool("candidates", "Lists people."), tool("estimate", "", needed=[], item=TEXT), tool("day_of", "The date of a feast", feast=TEXT),
])
def test_what_only_sounds_like_a_clock(other):
    assert offer(history("How many days until the shop opens?", tools=[other])).answer


@pytest.mark.parametrize("clock", [NOW, spec("getTime"), spec("x", "几号"), spec("server_time"), spec("datetime"), tool("now", needed=[], zone=TEXT)])
def test_what_is_a_clock(clock):
    assert not offer(history("还有多少天过年？", tools=[clock])).answer
    assert offer(history("过年吃什么？", tools=[clock])).answer


def test_many_choices_are_all_on_offer(gbnf):
    kinds = [f"K{number}" for number in range(MAX_COMBINATIONS + 30)]
    one = tool("swap", old={"enum": kinds}, new={"enum": kinds})
    check(gbnf, history("q", tools=[one]), [call("swap", old=kinds[-1], new=kinds[0]), call("swap", old=kinds[0], new=kinds[-1])], [call("swap", old="K", new="K1")])
    few = tool("swap", old={"enum": kinds[:11]}, new={"enum": kinds[:11]})
    check(gbnf, history("q", tools=[few]), [call("swap", old="K10", new="K9")], [call("swap", old="K9", new="K9")])


def test_choices_of_any_type(gbnf):
    level = tool("level", to={"enum": [1, 2.5, None, True, {"a": [1]}, ["x"], "gross"]}, effects=("writes",))
    check(gbnf, history("q", tools=[level]), [call("level", to=value) for value in (1, 2.5, None, True, {"a": [1]}, ["x"], "gross")], [call("level", to=2), call("level", to="1")])


@pytest.mark.parametrize(("text", "values"), [
    ("must be one of: 'north', 'south'", ("north", "south")), ("Give one of the known stores: Leeds, York.", ("Leeds", "York")), ("one of A, B, or C", ("A", "B", "C")),
    ("Valid stores: Leeds, York and Hull", ("Leeds", "York and Hull", "York", "Hull")), ("没有这家店。可选的店：东店、西店和南店。", ("东店", "西店和南店", "西店", "南店")), ("只能是：东店或西店", ("东店", "西店")),
    ("Choose from [a, b]; not c", ("a", "b")), (f"one of {'x' * 50}, y", None), ("one of them is wrong", None), ("Known: nothing", None),
])  # fmt: skip
def test_a_refusal_that_lists_what_would_do(gbnf, text, values):
    run = history("Is there a lamp?", *did(1, "stock", Observation(text, ok=False), item="somewhere"), tools=[STOCK])
    (one,) = offer(run).tools
    assert one.slots["item"].values == values
    grammar, _ = holds(gbnf, run)
    for value in values or ():
        assert grammar.accepts(call("stock", item=value))
    assert grammar.accepts(call("stock", item="elsewhere")) == (values is None)
    assert not grammar.accepts(ANSWER)  # the call is mended first


def test_what_a_nudge_closes_and_how_it_begins(gbnf):
    closed = Nudged("", "x", may_call=False, lead="没有找到关于灯的信息。")
    grammar, _ = holds(gbnf, history("灯在哪里？", *did(1, "stock", "无", item="灯"), closed, tools=[STOCK], lang="zh"))
    assert grammar.accepts("Thought: 没有找到关于灯的信息。\nFinal Answer: 没有找到。")
    assert not grammar.accepts("Thought: 我想想。\nFinal Answer: 没有找到。")
    assert not grammar.accepts('Thought: 没有找到关于灯的信息。\nAction: stock\nAction Input: {"item": "灯具"}')


def test_two_names_and_one_looked_up(gbnf):
    run = history("Which has more pages, Grey Gull or Salt Road?", *did(1, "catalogue", "Grey Gull: 412 pages", keywords="Grey Gull"), tools=[CATALOGUE, WORK_OUT])
    check(gbnf, run, [call("catalogue", keywords="Salt Road")], [ANSWER, call("work_out", formula="412 - 412"), call("catalogue", keywords="Grey Gull")])


# ── numbers ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("told", "question", "found", "barred"), [
    ("20k were sold", "How many do they take?", {"20000"}, {"20"}), ("20k were sold", "How many k are left?", {"20"}, {"20000"}), ("3.2万册", "一共多少册？", {"32000"}, {"3.2"}),
    ("3.2万册", "一共多少万册？", {"3.2"}, {"32000"}), ("降了8%", "现在多少？", {"8", "0.08", "0.92", "1.08"}, set()), ("-4 at night, 11 by day", "", {"(-4)", "11"}, {"-4"}), ("5‰", "", {"5", "0.005"}, set()),
    ("9" * 400, "", set(), {"inf"}), ("1e999 and 2", "", {"2"}, {"inf"}), ("九" * 5000, "", set(), set()),
])  # fmt: skip
def test_numbers_as_they_may_stand_in_a_sum(told, question, found, barred):
    listed = set(terms(gather([told]), question))
    assert found <= listed
    assert not barred & listed


@pytest.mark.parametrize(("example", "form"), [
    ("020-555-0123", ""), ("555 0123", ""), ("2026-11", ""), ("15%", ""), ("3-1", ""), ("(020) 7946-0000", ""), ("(020)-7946", ""), ("12,5", ""),
    ("7 * (2 + 1)", "arithmetic"), ("12 - 5", "arithmetic"), ("100/4", "arithmetic"), ("2**3", "arithmetic"), ("(88+12)*3", "arithmetic"), ("100/(4-1)", "arithmetic"), ("17 % 5", "arithmetic"),
])  # fmt: skip
def test_sums_and_what_only_looks_like_one(example, form):
    assert kind(TEXT, example) == form


# ── odd schemas ───────────────────────────────────────────────────────────────

SOME = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
PARTS = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["string", "integer", "date", "date-time", "2026-11-30", "A12", "3 * 4", "(", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "enum", "format", "pattern", "example", "examples", "minimum", "items", "a"]), inner, max_size=4),
    max_leaves=6,
)
SPECS = st.dictionaries(st.sampled_from(["query", "a", "days", "", "算式"]), PARTS, max_size=3) | PARTS
QUESTIONS = st.sampled_from(["What is (3+4)*5 of Rome and Paris?", "2026-11-30之后3天是几号？", "Where is A12?", "How many days until tomorrow?", "", "1e999"])


@SOME
@given(properties=SPECS, needed=PARTS | st.lists(st.sampled_from(["query", "a", "none"])), question=QUESTIONS, failed=st.booleans(), value=PARTS, lang=st.sampled_from(["en", "zh"]))
@example({"a": {"pattern": "(", "example": "A12"}}, ["a"], "Where is A12?", False, None, "en")
@example({"a": {"enum": "xyz"}, "query": {"enum": None}}, ["a", 3, None, ["x"]], "", True, [], "en")
@example({"a": {"examples": {"x": 1}}, "query": {"examples": True}}, True, "", False, {}, "zh")
@example({"query": {"enum": [False], "type": []}}, [], "", False, None, "en")
@example(None, None, "", False, None, "en")
@example([{"name": "a"}], {"a": True}, "", False, None, "en")
def test_no_schema_makes_an_offer_fail(gbnf, properties, needed, question, failed, value, lang):
    odd = ToolSpec("odd", 'e.g. {"a": [], "query": {}}', {"properties": properties, "required": needed})
    seen = Observation("one of a, b" if failed else "A12 on 2026-11-30: 1e999", ok=not failed)
    run = history(question, *did(1, "odd", seen, a=value), tools=[odd, ToolSpec("bare", "", {})], lang=lang)
    for grounded in (True, False):
        gbnf(reply_grammar(offer(run, grounded=grounded), React().frame, lang))
    assert stories(run.asked.tools, lang)
    verify(history(question, *did(1, "odd", seen, a=value), Decided(answer="1e999"), tools=[odd], lang=lang))
