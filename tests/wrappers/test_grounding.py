"""Values of a call that come from nowhere: what is refused and how, what is not, and how often that is wrong."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from tao.acting import Limits, ToolLimits, acting
from tao.agent import Agent
from tao.errors import ConfigError
from tao.events import Asked, Decided, Nudged, Observed, Recalled, Replied, Ruled
from tao.messages import Call, Image, Message, Observation, Reply, ToolSpec
from tao.run import Run, args_hash
from tao.seams import Abilities
from tao.testing import FunctionAct, ScriptedModel, did, history
from tao.told import KIND, Told, told
from tao.tools.declare import tool
from tao.toolset import FIND_TOOL, SHOWN
from tao.wrappers.founded import unfounded
from tao.wrappers.grounding import grounded

sys.path.insert(0, str(Path(__file__).parents[1] / "replay"))
sys.path.insert(0, str(Path(__file__).parents[1] / "environments" / "bfcl"))
import bfcl_gold
import episodes

from tao.dialects.bracket import Bracket
from tao.loop import react
from tao.testing import ReplayAct, no_policy, silence, spec


def made(name, description="", required=(), **properties):
    return ToolSpec(name, description, {"type": "object", "properties": properties, "required": list(required or properties)})


TEXT, NUMBER = {"type": "string"}, {"type": "number"}
ADD_DAYS = made("add_days", 'Adds days to a date, for example {"date": "2025-01-01", "days": 30}.', date=TEXT, days={"type": "integer"})
ORDER = made("order_status", 'Status of an order. Example: {"order_id": "A10023"}', order_id=TEXT)
WEATHER = made("weather", 'Weather of a city, e.g. {"city": "Lisbon"}', city=TEXT)
CALC = made("calculate", 'Works out a sum: {"expression": "(614-55)*9"}', expression=TEXT)
PAY = made("pay", "", amount=NUMBER, to={"type": "string"}, limit={"type": "integer"})
MAIL = made("send_mail", "", to=TEXT, text=TEXT)
NOW = ToolSpec("current_date", "Today's date.", {"type": "object", "properties": {}})
FIND = made("find_customer", "Looks a customer up.", query=TEXT)
TOOLS = (ADD_DAYS, ORDER, WEATHER, CALC, PAY, MAIL, NOW, FIND)


def lost(question, name, *steps, tools=TOOLS, lang="en", **args):
    """The values of such a call that come from nowhere."""
    return [one.value for one in unfounded(Call("9.1", name, args), history(question, *steps, tools=tools, lang=lang))]


# ── what comes from nowhere ───────────────────────────────────────────────────


@pytest.mark.parametrize(("question", "name", "args", "value"), [
    ("When is 29 days after today?", "add_days", {"date": "2025-01-01", "days": 29}, "2025-01-01"),
    ("从今天起 29 天后是哪天？", "add_days", {"date": "2025-01-01", "days": 29}, "2025-01-01"),
    ("What day is 29 days from 2025-03-14?", "add_days", {"date": "2025-04-13", "days": 29}, "2025-04-13"),
    ("Where is my order?", "order_status", {"order_id": "A10023"}, "A10023"), ("我的订单到哪了？", "order_status", {"order_id": "A10023"}, "A10023"),
    ("Where is order B20001?", "order_status", {"order_id": "B20002"}, "B20002"),
    ("What is the weather like there?", "weather", {"city": "Lisbon"}, "Lisbon"),
    ("How much higher is Mount Orvik?", "calculate", {"expression": "5838 - 4120"}, "5838"),
    ("Pay the plumber.", "pay", {"amount": 250, "to": "plumber"}, "250"), ("给水管工付款。", "pay", {"amount": 250, "to": "水管工"}, "250"),
    ("Write to Li that it is done.", "send_mail", {"to": "li@example.com", "text": "It is done."}, "li@example.com"),
    ("深圳现在多少度？", "find_customer", {"query": "《哈姆雷特》 作者"}, "《哈姆雷特》"), ("Who wrote it?", "find_customer", {"query": "《 Blue Harbour 》 author"}, "《 Blue Harbour 》"),
    ("Ring Li.", "pay", {"amount": 3, "to": "x", "limit": 5}, None), ("Was it on 2025-03-14?", "add_days", {"date": "14/04/2025", "days": 1}, "14/04/2025"),
])  # fmt: skip
def test_values_from_nowhere(question, name, args, value):
    assert lost(question, name, **args) == ([value] if value else [])


def test_within_lists_and_objects_too():
    nested = made("book", "", guests={"type": "array", "items": {"type": "object", "properties": {"passport_no": {"type": "string"}, "born": {"type": "string"}}}})
    guests = [{"passport_no": "E1234567", "born": "1990-02-03"}, {"passport_no": "E7654321", "born": "1991-02-03"}]
    assert lost("Book for E1234567, born 1990-02-03, and her brother.", "book", tools=[nested], guests=guests) == ["E7654321", "1991-02-03"]


def test_what_an_image_shows_is_not_known_here():
    run = Run("x", [Asked("What is on this receipt?", TOOLS, images=(Image(url="https://example.com/a.png"),))])
    assert unfounded(Call("1.1", "order_status", {"order_id": "A99999"}), run) == ()
    assert unfounded(Call("1.1", "nobody_knows", {"id": "A99999"}), history("q")) == ()


# ── what does not ─────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("question", "name", "args"), [
    ("《哈姆雷特》是谁写的？", "find_customer", {"query": "《哈姆雷特》 作者"}), ("哈姆雷特是谁写的？", "find_customer", {"query": "《哈姆雷特》作者"}),
    ("推荐几本小说，记下来。", "find_customer", {"query": "一、《活着》，余华；二、《围城》，钱钟书；三、《边城》，沈从文；四、《骆驼祥子》，老舍；五、《家》，巴金；六、《子夜》，茅盾。"}),
    ("What day is 29 days from 2025-03-14?", "add_days", {"date": "2025-04-12", "days": 29}), ("2025年3月14日之后29天是哪天？", "add_days", {"date": "2025-03-14", "days": 29}),
    ("二〇二五年三月十四日之后两周是哪天？", "add_days", {"date": "2025-03-14", "days": 14}), ("3月14日之后是哪天？", "add_days", {"date": "2025-03-14", "days": 1}),
    ("It is 2025-03-14. What is on tomorrow?", "add_days", {"date": "2025-03-15", "days": 0}), ("What is on in March 2025?", "add_days", {"date": "2025-03-31", "days": 0}),
    ("Available on 19/03/2024?", "add_days", {"date": "2024-03-19", "days": 0}), ("Music on the 10th; it is March 2023.", "add_days", {"date": "2023-03-10", "days": 0}),
    ("today is 20230929; tomorrow?", "add_days", {"date": "2023-09-30", "days": 0}), ("A trip of 3 days from 2025-05-01.", "add_days", {"date": "2025-05-03", "days": 3}),
    ("Where is order a10023?", "order_status", {"order_id": "A10023"}), ("Where is order A-10023?", "order_status", {"order_id": "A10023"}),
    ("How is the weather in lisbon?", "weather", {"city": "Lisbon"}), ("How is the weather in the capital?", "weather", {"city": "Madrid"}),
    ("What is 10 % off 36 times 7?", "calculate", {"expression": "36 * 7 * 0.9"}), ("What is 10 % off 36 times 7?", "calculate", {"expression": "252 * (1 - 0.1)"}),
    ("1.2万的一半是多少？", "calculate", {"expression": "12000 / 2"}), ("十二加三十是多少？", "calculate", {"expression": "12+30"}), ("1,234,567 minus 67?", "calculate", {"expression": "1234567-67"}),
    ("How many seconds are 12.5 hours?", "calculate", {"expression": "12.5*3600"}), ("Half a dozen eggs a day, for a year?", "calculate", {"expression": "6*365"}),
    ("Pay 250 euros.", "pay", {"amount": 250.0, "to": "x"}), ("付二百五十元。", "pay", {"amount": 250, "to": "x"}), ("Pay two of them 125 each.", "pay", {"amount": 250, "to": "x"}),
    ("Pay 3 invoices.", "pay", {"amount": 3, "to": "x", "limit": 77}), ("Write to Li.", "send_mail", {"to": "Li", "text": "Room B52 at 14:35, 350 people"}),
    ("Write to LI@example.com.", "send_mail", {"to": "li@example.com", "text": "hi"}), ("Who is it?", "find_customer", {"query": "Boeing 747 GPT4 2019"}),
])  # fmt: skip
def test_no_alarm(question, name, args):
    assert lost(question, name, **args) == []


def test_whatever_was_said_or_came_back_is_known():
    seen = did(1, "find_customer", "Li, order B20002 of 2025-02-03", query="Li")
    assert lost("Where is Li's order?", "order_status", *seen, order_id="B20002") == []
    failed = did(1, "order_status", Observation("no such order; open are C30003 and D40004", ok=False, kind="error"), order_id="x")
    assert lost("Where is my order?", "order_status", *failed, order_id="C30003") == []
    refused = did(1, "order_status", Observation("A10023 stands neither in …", ok=False, kind="unfounded"), order_id="A10023")
    assert lost("Where is my order?", "order_status", *refused, order_id="A10023") == ["A10023"]
    call = Call("1.1", "order_status", {"order_id": "E50005"})
    earlier = Run("x", [Asked("And where is it?", TOOLS, history=(Message("user", "I ordered E50005"),))])
    told = Run("x", [Asked("Where is it?", TOOLS, instructions="The customer's order is E50005.")])
    assert (unfounded(call, earlier), unfounded(call, told)) == ((), ())


@pytest.mark.parametrize(("schema", "value"), [
    ({"type": "string", "enum": ["A10023"]}, "A10023"), ({"const": "A10023"}, "A10023"), ({"type": "string", "default": "A10023"}, "A10023"),
    ({"type": "integer", "description": "1: cleaning, 20: ironing"}, 20), ({"type": "string", "description": "K1, K2 or K3"}, "K2"), ({"type": "boolean"}, True), ({}, None),
])  # fmt: skip
def test_what_the_schema_itself_lists(schema, value):
    assert lost("q", "t", tools=[made("t", service_id=schema)], service_id=value) == []


@pytest.mark.parametrize(("schema", "description", "value"), [
    ({"description": "The city, e.g. Lisbon"}, "", "Lisbon"), ({"description": "The city, for example Lisbon or Oslo"}, "", "Oslo"), ({"description": "城市，例如 里斯本"}, "", "里斯本"),
    ({"description": "城市，如“杭州”"}, "", "杭州"), ({"examples": ["Lisbon", "Oslo"]}, "", "Oslo"), ({"description": "Name of the person, such as John Smith."}, "", "John Smith"),
    ({"description": "HH:MM, e.g. 14:30"}, "", "14:30"), ({"description": "lat,lon (e.g. 48.8566,2.3522)"}, "", "48.8566,2.3522"), ({}, "Status of a flight, e.g. CA1501.", "CA1501"),
    ({}, "Reads a file, e.g. /data/report.txt", "/data/report.txt"), ({}, "Fetches a page, e.g. https://example.com/a.", "https://example.com/a"), ({"description": "航班，形如 CA1501"}, "", "CA1501"),
    ({"description": "e.g. +1-415-555-2671"}, "", "+1-415-555-2671"),
])  # fmt: skip
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_name_that_stands_only_in_a_sentence_as_an_example_is_from_nowhere(schema, description, value, lang):
    tool = made("look", description, what={"type": "string", **schema})
    (one,) = unfounded(Call("9.1", "look", {"what": value}), history("How is it there?", tools=[tool], lang=lang))
    assert (one.value, one.example) == (value, True)
    assert lost(f"How is {value}?", "look", tools=[tool], what=value) == []
    assert lost("How is it there?", "look", *did(1, "look", f"It is {value}."), tools=[tool], what=value) == []
    choice = made("look", description, unit={"type": "string", **schema})
    assert lost("How is it there?", "look", tools=[choice], unit=value) == []


@pytest.mark.parametrize(("question", "args"), [
    ("Call +86 138 0013 8000.", {"phone": "+8613800138000"}), ("Call 13800138000.", {"phone": "+86 138-0013-8000"}), ("Call (415) 555-2671.", {"phone": "+1-415-555-2671"}),
    ("拨打 138-0013-8000", {"to": "13800138000"}), ("Text 13800138000.", {"to": "138-0013-8000"}), ("查订单一零零二三", {"order_id": "10023"}),
    ("一个半小时后提醒我", {"minutes": 90}), ("Wake me in an hour and a half.", {"minutes": 90}), ("两个半小时的会", {"minutes": 150}), ("It takes 1h30m.", {"minutes": 90}), ("1小时20分钟", {"minutes": 80}),
    ("She is 5 feet 11 inches.", {"inches": 71}), ("How far is 26.2 miles in km?", {"sum": "26.2*1.60934"}), ("10 kg in pounds?", {"sum": "10*2.2046"}), ("10 inches in cm?", {"sum": "10*2.54"}),
    ("5 km/h in m/s?", {"sum": "5/3.6"}), ("半径 5 的圆面积", {"sum": "3.14159265*5^2"}),
    ("Flights on Christmas", {"date": "2026-12-25"}), ("圣诞节的机票", {"date": "2026-12-25"}), ("Sales of last year", {"start": "2025-01-01", "end": "2025-12-31"}),
    ("去年的销售额", {"start": "2025-01-01", "end": "2025-12-31"}), ("过去半年的销售额", {"start": "2026-05-30", "end": "2026-11-30"}),
])  # fmt: skip
def test_no_alarm_for_what_people_say_in_other_ways(question, args):
    tool = made("do", **{name: {"type": "string" if isinstance(value, str) else "number"} for name, value in args.items()})
    assert lost(question, "do", *did(1, "current_date", "2026-11-30"), tools=(tool, NOW), **args) == []


def test_a_number_to_call_that_nobody_said_is_from_nowhere():
    tool = made("call", phone=TEXT)
    assert lost("Call him.", "call", tools=[tool], phone="+8613800138000") == ["+8613800138000"]
    assert lost("Call 13800138000.", "call", tools=[tool], phone="+86 139-0013-9000") == ["+86 139-0013-9000"]


# ── what becomes of it ────────────────────────────────────────────────────────


@pytest.mark.parametrize(("lang", "name", "args", "said"), [
    ("en", "add_days", {"date": "2025-01-01", "days": 1}, "2025-01-01 stands neither in the question nor in an observation, only in the description of add_days, as an example. Today's date comes from current_date;"),
    ("zh", "add_days", {"date": "2025-01-01", "days": 1}, "2025-01-01 既不在问题里，也不在任何观察结果里，只是 add_days 说明中的例子。今天的日期由 current_date 给出；"),
    ("en", "order_status", {"order_id": "B7"}, "B7 stands neither in the question nor in an observation. Take it from the question, or look it up first (add_days, weather, calculate, pay);"),
    ("zh", "pay", {"amount": 777, "to": "x"}, "777 既不在问题里，也不在任何观察结果里。请从问题或观察结果中取值，或先用工具算出来"),
])  # fmt: skip
async def test_strict_refuses_and_says_where_to_get_it(lang, name, args, said):
    act = FunctionAct()
    seen = await grounded(act, "strict")(Call("1.1", name, args), history("q", tools=TOOLS, lang=lang))
    assert (seen.ok, seen.kind, act.calls) == (False, "unfounded", [])
    assert seen.text.startswith(said)


async def test_advise_does_it_and_notes_it_and_off_says_nothing():
    act, call, run = FunctionAct(order_status=lambda order_id: order_id), Call("1.1", "order_status", {"order_id": "A10023"}), history("q", tools=TOOLS)
    assert await grounded(act, "advise")(call, run) == Observation("A10023", notes=("? order_id: A10023",))
    assert await grounded(act, "off")(call, run) == Observation("A10023")
    assert (await grounded(act, "off", {"order_status": "strict"})(call, run)).kind == "unfounded"
    assert (await grounded(act, "strict", {"order_status": "off"})(call, run)).ok


async def test_a_call_that_a_person_ruled_on_is_done():
    act, call = FunctionAct(order_status=lambda order_id: order_id), Call("1.1", "order_status", {"order_id": "A10023"})
    run = history("q", Decided(calls=(call,)), Ruled("1.1", args_hash(call.tool, call.args), "approve"), tools=TOOLS)
    assert (await grounded(act, "strict")(call, run)).ok


@pytest.mark.parametrize(("small", "ok"), [(True, False), (False, True)])
async def test_small_models_are_held_to_it_and_others_advised(small, ok):
    @tool
    def order_status(order_id: str) -> str:
        """Where an order is."""
        return f"{order_id} is on its way"

    reply = 'Thought: t\nAction: order_status\nAction Input: {"order_id": "A10023"}'
    model = ScriptedModel(reply, "Final Answer: unknown", "Final Answer: unknown", abilities=Abilities(tools=False, small=small))
    run = await Agent(model, [order_status]).run("Where is my order?")
    (seen,) = [event.observation for event in run.all(Observed)]
    assert (seen.ok, seen.kind) == (ok, "" if ok else "unfounded")
    assert (seen.notes == ("? order_id: A10023",)) is ok


async def test_settings_for_all_and_for_one_tool():
    @tool
    def order_status(order_id: str) -> str:
        """Where an order is."""
        return order_id

    call, run = Call("1.1", "order_status", {"order_id": "A10023"}), history("q", tools=[order_status.spec])
    assert (await acting([order_status], Limits(grounding="strict"))(call, run)).kind == "unfounded"
    assert (await acting([order_status], Limits(grounding="strict", tools={"order_status": ToolLimits(grounding="off")}))(call, run)).ok
    with pytest.raises(ConfigError, match="grounding is 'hard'; wanted: strict, advise or off") as caught:
        acting([order_status], Limits(grounding="hard"))
    assert "应为 strict、advise 或 off" in str(caught.value)


# ── how often it is wrong ─────────────────────────────────────────────────────


async def test_false_alarms_on_recorded_public_runs():
    """FEVER and FireAct: searches that models and people thought right. Not one is objected to."""
    calls = alarms = 0
    tools = {"fever": (spec("Search", entity="string"), spec("Lookup", string="string"))}
    recorded = [("fever", episodes.fever()), *((model, episodes.fireact(model)) for model in episodes.FIREACT)]
    for name, found in recorded:
        for episode in found:
            shown = {f"{step}.1": Observation(text) for step, text in enumerate(episode.observations, 1)}
            run = Run(episode.id, [Asked(episode.question, tools.get(name, (spec("search", query="string"),)), dialect="bracket")])
            await react(run, ScriptedModel(*episode.outputs), Bracket(), ReplayAct(shown), no_policy, silence)
            for place, event in enumerate(run.events):
                for call in event.calls if isinstance(event, Decided) else ():
                    calls += 1
                    alarms += bool(unfounded(call, Run(run.id, run.events[: place + 1])))
    assert (calls > 3500, alarms) == (True, 0)


def test_false_alarms_on_calculations_that_people_wrote():
    """GSM8K's own sums, each as a call of the calculator with the results before it as observations: under 1 % are objected to."""
    file = Path(os.environ.get("TAO_SHARED", Path(__file__).parents[3] / "shared"), "data", "gsm8k", "gsm8k_first660.jsonl")
    if not file.exists():
        pytest.skip(f"no problems at {file}; set TAO_SHARED to the folder that holds data/")
    sums = alarms = 0
    for line in file.read_text(encoding="utf-8").splitlines():
        problem = json.loads(line)
        run = history(problem["question"], tools=[CALC])
        for number, (left, right) in enumerate(re.findall("<<([^=<>]*)=([^<>]*)>>", problem["answer"]), 1):
            call = Call(f"{number}.1", "calculate", {"expression": left})
            alarms += bool(unfounded(call, run))
            run.events += [Replied(Reply("x")), Decided("", (call,)), Observed(call.id, Observation(right))]
            sums += 1
    assert sums > 2000
    assert alarms <= 0.01 * sums


def test_false_alarms_on_the_right_calls_of_a_benchmark_and_invented_values_there():
    """BFCL: under 1 % of its right calls are objected to; of dates, ids and amounts that stand nowhere nine in ten are seen."""
    calls = alarms = invented = seen = 0
    for category in ("simple_python", "multiple", "parallel", "live_simple", "live_multiple", "live_parallel"):
        for task, question in zip(bfcl_gold.tasks(category), _questions(category), strict=True):
            run = Run(task.id, [Asked(question, tuple(one.spec for one in task.tools))])
            for name, args in next(task.calls()):
                spec = next((one.spec for one in task.tools if one.spec.name == name), None)
                call = Call("1.1", name, args)
                calls += 1
                alarms += bool(unfounded(call, run))
                if spec and (wrong := _invented(args, spec)):
                    invented += 1
                    seen += bool(unfounded(Call("1.1", name, wrong), run))
    assert calls > 1000
    assert alarms <= 0.01 * calls
    assert (invented > 300, seen >= 0.9 * invented) == (True, True), (seen, invented)


def _questions(category):
    data = Path(bfcl_gold.find_spec("bfcl_eval").submodule_search_locations[0], "data", f"BFCL_v4_{category}.json")
    return ["\n".join(part["content"] for part in json.loads(line)["question"][0]) for line in data.read_text(encoding="utf-8").splitlines()]


def _invented(args, spec):
    """The arguments with a date or a number of several digits that has to be given replaced by one from nowhere."""
    needed = spec.parameters.get("required", ())
    for name, value in args.items():
        if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", value):
            return {**args, name: "1987-06-17"}
        tuned = re.search("limit|max|min|page|size|count|width|height|radius|position|num|steps|precision|k$|n$", name)
        if isinstance(value, int) and not isinstance(value, bool) and value > 99 and name in needed and not tuned:
            return {**args, name: 74913}
    return None


def test_a_run_that_grows_has_told_what_one_that_is_read_as_a_whole_has():
    grown = Run("r", [Asked("Is order A-10023 of 3 March 2025 paid?", instructions="Be brief.", history=(Message("user", "I ordered 17 chairs"),), settings={SHOWN: []})])
    later = [
        *did(1, "search", "It cost 412.50 EUR"), *did(2, FIND_TOOL, "order 77 of 2024-01-01"), Nudged("The price is 19 EUR", "check:price"), Nudged("Take 5 steps", "reflect"),
        *did(3, "search", Observation("order 99", ok=False, kind=KIND)), Recalled(("Ann has 6 dogs",)), *did(4, "search", Observation("cut", full="cut, and 1234 more")),
    ]  # fmt: skip
    for event in later:
        grown.events.append(event)
        one, whole = told(grown), told(Run("r", grown.events))
        assert (one.texts, one.values, one.days) == (whole.texts, whole.values, whole.days)
    assert {*told(grown).values} >= {17, 412.5, 19, 6, 1234}
    assert not {77.0, 5.0, 99.0} & set(told(grown).values)


def test_texts_that_are_looked_through_together_do_not_run_into_each_other():
    told = Told()
    told.texts += ["on 3", "月5日", "the 12", "March 4", "1/", "2", "2025-", "03-14"]
    assert (told.days.full, told.days.named, told.days.slashed, told.days.years) == (set(), {(3, 4), (3, 0)}, {(3, 14), (14, 3)}, {2025})
    told.texts += ["5/6/2025", "圣诞"]
    assert (told.days.full, told.days.named - {(3, 4), (3, 0)}) == ({"2025-05-06", "2025-06-05"}, {(12, 25)})


@pytest.mark.parametrize("digits", ["1" + "0" * 309, "-" + "9" * 400, "7" * 4000])
@pytest.mark.parametrize("kind", ["integer", "number"])
@pytest.mark.parametrize("name", ["amount", "order_id", "limit"])
def test_numbers_larger_than_floats_are_looked_at_like_others(digits, kind, name):
    wanted = ToolSpec("pay", "", {"type": "object", "properties": {name: {"type": kind}}, "required": [name]})
    call = Call("1.1", "pay", {name: int(digits)})
    assert [one.kind for one in unfounded(call, Run("r", [Asked("Pay it.", (wanted,))]))] == ([] if name == "limit" else ["number"])
    assert unfounded(call, Run("r", [Asked(f"Pay {digits}.", (wanted,))])) == ()
