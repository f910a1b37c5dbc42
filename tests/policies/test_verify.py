"""A look at the answer before it is given."""

from dataclasses import replace

import pytest

from tao.events import Decided, Nudged, Replied
from tao.messages import Observation, Reply, ToolSpec
from tao.policies.verify import refuses, slipped, ungrounded, verify
from tao.run import Run
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
    ("overlooked", "What day is 50 days from now?", "It is March 14, 2025.", [("today", "", "2025-03-14"), ("add", "2025-03-14 50", "2025-05-03"), ("between", "2025-03-14 2025-05-03", "50")]),
    ("ungrounded", "订单A96419是多少天以前下的？", "订单A9641914天以前下的。", [("search", "A96419", "A96419：14 天以前")]),
    ("strayed", "How many employees do North Mill and Grey Gull have together?", "4500", [
        ("search", "North Mill", "North Mill, sales of 1200 million in 2024, has 310 employees."),
        ("search", "Grey Gull", "Grey Gull, sales of 3300 million in 2024, employees: 95."), ("calculate", "1200 + 3300", "4500")]),
    ("strayed", "蓝港公司和旧园公司一共有多少员工？", "4048", [
        ("search", "蓝港公司", "蓝港公司2024年的销售额是347万元，员工520人。"), ("search", "旧园公司", "旧园公司2024年销售757万元，有660名员工。"),
        ("calculate", "2024 + 2024", "4048")]),
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


# ── no false alarms ───────────────────────────────────────────────────────────


@pytest.mark.parametrize(("question", "answer", "steps"), [
    ("When does the train to Leeds leave?", "It leaves at 14:35.", [("search", "train Leeds", "Leeds: departs 14:35, platform 7")]),
    ("开往杭州的火车几点开？", "14:35开。", [("search", "杭州 火车", "杭州：14:35 发车，7站台")]),
    ("What is the temperature in Oslo?", "It is -4 °C in Oslo.", [("search", "Oslo", "Oslo: -4 °C, snow")]),
    ("奥斯陆现在多少度？", "零下4度。", [("search", "奥斯陆", "奥斯陆：-4℃")]),
    ("How many lamps are in stock?", "None is available.", [("search", "lamps", "lamps: 0 in stock")]),
    ("12.5元一张，买3张票要多少钱？", "37.5元", [("calculate", "3 * 12.5", "37.5")]),
    ("How much is 15% of 240?", "36", [("calculate", "240 * 0.15", "36")]),
    ("What is the population of Norway?", "5.5 million", [("search", "Norway", "Norway has 5,488,984 inhabitants")]),
    ("挪威人口多少万？", "约549万", [("search", "挪威", "挪威人口5488984")]),
    ("How many books have Ann and Bob each?", "Ann has 12, Bob has 7.", [("search", "Ann", "Ann has 12 books."), ("search", "Bob", "Bob has 7 books.")]),
    ("安娜和鲍勃各有多少本书？", "安娜12本，鲍勃7本。", [("search", "安娜", "安娜有12本书"), ("search", "鲍勃", "鲍勃有7本书")]),
    ("Who has more books, Ann or Bob?", "Ann.", [("search", "Ann", "Ann has 12 books."), ("search", "Bob", "Bob has 7 books.")]),
    ("挪威的人口是多少？", "548万", [("search", "挪威 人口", "挪威有548万居民")]), ("杭州的火车什么时候开？", "14:35", [("search", "杭州 火车", "杭州：14:35")]),
    ("Can you book a table for 4 at 19:30?", "Booked for 4 at 19:30.", [("book", "table 4 19:30", "confirmed")]),
    ("2026-05-21的20天之前是几号？", "2026年5月1日", [("calculate", "-20", "2026-05-01")]),
    ("How many days is 6 weeks?", "42 days", [("calculate", "42", "42")]), ("三周加2天是多少天？", "23天", [("calculate", "21 + 2", "23")]),
    ("订单A96419是多少天以前下的？", "订单A96419，14天以前下的，同A100。", [("search", "A96419", "A96419：14 天以前")]),
    ("How many days ago was order A96419 placed?", "14 days ago.", [("search", "A96419", "A96419: 2026-05-07"), ("calculate", "7 - 21", "-14")]),
    ("订单A96419是多少天以前下的？", "14天以前。", [("search", "A96419", "A96419：2026-05-07"), ("calculate", "7 - 21", "-14")]),
    ("How many employees have Mill and Gull together?", "405", [("search", "Mill", "Mill has 310 employees, sales 12"), ("search", "Gull", "Gull has 95 employees"), ("calculate", "310 + 95", "405")]),
    ("蓝港和旧园一共有多少员工？", "1.18万", [("search", "蓝港", "蓝港有员工1万人"), ("search", "旧园", "旧园有1800名员工"), ("calculate", "10000 + 1800", "11800")]),
    ("蓝港公司和旧园公司的销售额一共是多少万元？", "1042万元", [
        ("search", "蓝港公司", "蓝港公司2024年的销售额是725万元，员工590人。\n翠屏公司2024年的销售额是350万元。"), ("search", "旧园公司", "旧园公司的销售额是317万元。"),
        ("calculate", "725 + 317", "1042")]),
    ("How many employees has Blue Harbour more than Old Orchard?", "80", [
        ("search", "Blue Harbour", "Blue Harbour has 170 employees.\nGrey Gull has 500 employees."), ("search", "Old Orchard", "Old Orchard: 90 employees"), ("calculate", "170 - 90", "80")]),
    ("How many tickets can Ann and Bob buy at 5 euros each?", "9", [("search", "Ann", "Ann: 3 tickets, 20 euros"), ("search", "Bob", "Bob: 1 ticket, 25 euros"), ("calculate", "(20 + 25) / 5", "9")]),
    ("Hello", "Hi! How can I help?", []), ("写一首关于雪的诗", "雪落千山。", []), ("What is 7 times 8?", "56", []),
    ("When is it due?", "On 5 January 2027.", [("search", "loan", "due 2027-01-05")]), ("什么时候到期？", "2027年1月5日", [("search", "借书", "due 2027-01-05")]),
])  # fmt: skip
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_ordinary_answers_pass(question, answer, steps, lang):
    assert objection(question, answer, *steps, lang=lang) is None


@pytest.mark.parametrize(("check", "question", "answer", "steps"), [
    ("ungrounded", "What is the population of Norway?", "5.7 million", [("search", "Norway", "Norway has 5,488,984 inhabitants")]),
    ("ungrounded", "挪威人口多少万？", "约560万", [("search", "挪威", "挪威人口5488984")]),
    ("ungrounded", "How many lamps are in stock?", "0 million", [("search", "lamps", "some")]),
    ("ungrounded", "How many lamps are in stock?", f"{'9' * 400} of them", [("search", "lamps", "lamps: 17 in stock")]),
    ("unused", "How much do 3 tickets cost with 20% off?", "37.5 euros", [("calculate", "3 * 12.5", "37.5")]),
    ("unused", "三张票打八折多少钱？", "37.5元", [("calculate", "3 * 12.5", "37.5")]),
    ("overlooked", "12.5元一张，买3张票要多少钱？", "36.5元", [("calculate", "3 * 12.5", "37.5")]),
    ("overlooked", "今天是几号？50天之后是几号？", "今天是2025年3月14日。", [("add", "2025-03-14 50", "2025-05-03")]),
    ("unmentioned", "Is the Grey Gull open?", "Yes.", [("search", "Grey Gull", "The Salt Road is open.")]),
    ("uncovered", "How warm is it in Oslo and Lima?", "-4 °C", [("search", "Oslo", "Oslo: -4 °C")]),
])  # fmt: skip
def test_wrong_answers_do_not(check, question, answer, steps):
    assert objection(question, answer, *steps) == check


@pytest.mark.parametrize(("lang", "question", "answer"), [("en", "Where is Blue Harbour?", "It is unknown."), ("zh", "蓝港在哪里？", "不知道。")])
def test_each_objection_speaks_the_language_of_the_run(lang, question, answer):
    nudge = verify(answered(question, answer, lang=lang))
    for text in (nudge.text, nudge.lead):
        assert any("\u4e00" <= char <= "\u9fff" for char in text) == (lang == "zh")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(("thought", "sum_", "slip"), [
    ("315+354=669", "60 + 590", "315+354"), ("Both: 315 + 354.", "60 + 590", "315 + 354"), ("Both: 315 + 354.", "315 + 354", None), ("Both: 315 + 354.", "354 + 315 + 0", None),
    ("The sum, 315 and 354.", "60 + 590", None), ("The sum is 400 + 500.", "60 + 590", None), ("It is 669 * 2.", "(315 + 354) * 2", None), ("It is 669 * 2.", "60 * 2", "669 * 2"),
])  # fmt: skip
def test_the_sum_that_was_meant_is_the_sum_that_is_done(lang, thought, sum_, slip):
    found = did(1, "search", "A sells for 315 with 60 people; B for 354 with 590; 2 firms", query="A B")
    step, seen = did(2, "calculate", "650", thought=thought, expression=sum_)
    run = history("How much do A and B sell?", *found, step, seen, Replied(Reply("650")), Decided(answer="650"), tools=TOOLS, lang=lang)
    assert slipped(run, "650") == (slip and {"expression": slip, "tool": "calculate"})
    if slip:
        assert slip in verify(run).lead
        assert not verify(run).may_answer
        assert {tool.name for tool in TOOLS} - set(verify(run).without) == {"calculate"}


@pytest.mark.parametrize(("question", "answer", "objected"), [
    ("How many packs of tea are in stock?", "There are 10 packs.", True), ("茶叶库存还有多少包？", "还有10包。", True),
    ("How many legs does a spider have?", "8", False), ("一周有几天？", "7", False), ("How many packs of tea are in stock?", "That is not known.", False),
    ("Is tea in stock?", "Yes, 10 packs.", False),
])  # fmt: skip
def test_a_small_number_is_objected_to_where_a_tool_counts_what_is_asked_for_and_was_not_called(question, answer, objected):
    tools = (ToolSpec("stock", "How many of an item are in stock. 某种商品的库存有多少。", {"type": "object"}),)
    run = Run("x", [replace(history(question).asked, tools=tools), Decided(answer=answer)])
    assert (ungrounded(run, answer) is not None) is objected
