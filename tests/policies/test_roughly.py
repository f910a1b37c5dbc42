"""A known value said in another way raises no alarm; another value does."""

import pytest

from tao.events import Decided
from tao.policies.verify import verify
from tao.testing import did, history, spec

TOOLS = (spec("search", query="string"), spec("calculate", expression="string"))
ORVIK = ("search", "Orvik", "Mount Orvik is 5838 m high.")
ZH = ("search", "青岚山", "青岚山海拔5838米。")
TIMES = ("calculate", "5838*4", "23352")


def objection(question, answer, *steps):
    lang = "zh" if any(char > "\u3400" for char in question) else "en"
    events = [event for number, (tool, given, seen) in enumerate(steps, 1) for event in did(number, tool, seen, of=given)]
    nudge = verify(history(question, *events, Decided(answer=answer), tools=TOOLS, lang=lang))
    return nudge and nudge.by


@pytest.mark.parametrize(("question", "answer", "steps"), [
    ("青岚山高度的4倍是多少米？", "23,352米", [ZH, TIMES]), ("青岚山高度的4倍是多少米？", "约2.3万米", [ZH, TIMES]), ("青岚山高度的4倍是多少米？", "二万三千三百五十二米", [ZH, TIMES]),
    ("挪威有多少人？", "五百四十八万多人", [("search", "挪威", "挪威人口5488984")]), ("挪威有多少人？", "约549万", [("search", "挪威", "挪威人口5488984")]),
    ("What is the population of Norway?", "about 5,490,000", [("search", "Norway", "Norway has 5,488,984 inhabitants")]), ("How high is Mount Orvik in km?", "5.838 km", [ORVIK]),
    ("What is the population of Norway?", "more than 5 million", [("search", "Norway", "Norway has 5,488,984 inhabitants")]), ("青岚山有多少公里高？", "约5.8公里", [ZH]),
    ("什么时候？", "3月14日", [("search", "它", "在2025-03-14")]), ("When was it?", "On March 14.", [("search", "it", "It was on 2025-03-14.")]),
    ("When was it?", "On the 14th of March", [("search", "it", "It was on 14 March 2025.")]), ("When does it leave?", "At 2:35 pm.", [("search", "it", "Departure 14:35")]),
    ("When did it end?", "February 14, 1859", [("search", "it", "It existed until February 14, 1859, when it became a state.")]),
    ("几点开？", "下午2点35分", [("search", "它", "14:35 开")]), ("What is pi?", "3.14159", []),
    ("How high is it?", "330 m (1,083 ft)", [("search", "it", "It is 330 m high.")]), ("它多高？", "330米（约1083英尺）", [("search", "它", "高330米")]), ("How high is it?", "10 feet, or 3.05 m", [("search", "it", "10 feet")]),
    ("How warm is it?", "21.4 °C (70.5 °F)", [("search", "it", '{"temp_c": 21.4}')]), ("How big is it?", "1.5 MB", [("search", "it", "1536000 bytes")]),
    ("How long is it?", "2 hours 15 minutes", [("search", "it", '{"minutes": 135}')]), ("它有多长？", "2小时15分钟", [("search", "它", "用时135分钟")]), ("How long is it?", "1 h 30 min", [("search", "it", '{"seconds": 5400}')]),
    ("When is it?", "Tuesday, 1 December 2026, 15:30", [("search", "it", "2026-12-01T15:30:00")]), ("What is his phone number?", "13800138000", [("search", "Bob", "Bob: +86 138-0013-8000")]),
    ("How many minutes is it?", "150 minutes", [("search", "it", "It takes 2.5 hours.")]),
])  # fmt: skip
def test_no_alarm(question, answer, steps):
    assert objection(question, answer, *steps) is None


@pytest.mark.parametrize(("question", "answer", "steps", "check"), [
    ("挪威有多少人？", "约560万", [("search", "挪威", "挪威人口5488984")], "ungrounded"), ("What is the population of Norway?", "about 6,100,000", [("search", "Norway", "Norway has 5,488,984 inhabitants")], "ungrounded"),
    ("How high is Mount Orvik in km?", "6.838 km", [ORVIK], "ungrounded"), ("什么时候？", "3月15日", [("search", "它", "在2025-03-14")], "ungrounded"),
    ("When was it?", "On April 14.", [("search", "it", "It was on 2025-03-14.")], "ungrounded"), ("When does it leave?", "At 3:47 pm.", [("search", "it", "Departure 14:35")], "ungrounded"),
    ("When does it leave?", "At 15:47.", [("search", "it", "Departure 14:35")], "ungrounded"), ("How high is it?", "330 m (1,183 ft)", [("search", "it", "It is 330 m high.")], "ungrounded"),
    ("How long is it?", "2 hours 25 minutes", [("search", "it", '{"minutes": 135}')], "ungrounded"), ("How warm is it?", "21.4 °C (72.5 °F)", [("search", "it", '{"temp_c": 21.4}')], "ungrounded"),
    ("What is his phone number?", "13900139000", [("search", "Bob", "Bob: +86 138-0013-8000")], "ungrounded"),
    ("青岚山高度的4倍是多少米？", "约3.3万米", [ZH, TIMES], "overlooked"),
])  # fmt: skip
def test_another_value_is_one(question, answer, steps, check):
    assert objection(question, answer, *steps) == check
