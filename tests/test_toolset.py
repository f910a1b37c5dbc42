"""Large sets of tools: what a prompt tells of them, how the rest are found; in every dialect, and again in a replay."""

import json
from itertools import pairwise

import pytest

from tao import toolset
from tao.acting import acting
from tao.agent import Agent, recorded_abilities, recorded_dialect
from tao.dialects.read import read
from tao.errors import ConfigError
from tao.evaluation.chats import chat
from tao.events import Misread, Nudged, Observed
from tao.messages import Call, Message, Reply, Request, ToolCall, ToolSpec
from tao.policies import default
from tao.replay import replay
from tao.seams import Abilities
from tao.testing import ScriptedModel, spec
from tao.tools.declare import Tool
from tao.toolset import FIND_TOOL, described, find, finder, gathered, group, listing, ranked, terms
from tao.wrappers.truncate import cost

NOUNS = "invoice customer order branch ticket event folder role refund shipment price stock channel chart table backup server alert secret policy".split()
VERBS = "create get list search update delete archive restore export import approve assign".split()


def many(count: int, lang: str = "en") -> list[Tool]:
    """So many tools of several servers, and one that tells the weather."""
    tools = [Tool(spec("meteo__forecast", "天气预报：某城市未来几天的天气。" if lang == "zh" else "Weather of a city for the coming days.", city="string", days="integer?"),
                  lambda city, days=1: f"{city}: rain for {days} d")]  # fmt: skip
    for at in range(count - 1):
        verb, noun = VERBS[at % 12], NOUNS[at // 12 % len(NOUNS)]
        about = f"{verb.title()} one {noun}, with all of its history. Gives back the {noun} as it is then, such as 2025-01-31 or A10023."
        tools.append(Tool(spec(f"srv{at // 50}__{verb}_{noun}_{at}", about, id="string", limit="integer?"), lambda **_: "done"))
    return tools


def native(*calls: tuple[str, dict]) -> Reply:
    return Reply("", tuple(ToolCall(name, json.dumps(args), f"c{at}") for at, (name, args) in enumerate(calls)))


def said(dialect: str, name: str, **args: object) -> Reply | str:
    """A reply that calls this tool, in this dialect."""
    if dialect == "native":
        return native((name, args))
    if dialect == "react":
        return f"Thought: on\nAction: {name}\nAction Input: {json.dumps(args)}"
    if dialect == "bracket":
        return f"Thought: on\nAction: {name}[{json.dumps(args)}]"
    return f"Thought: on\nAction: {json.dumps({'tool': name, 'args': args})}"


def answer(dialect: str) -> str:
    return "It rains." if dialect == "native" else "Thought: done\nFinal Answer: It rains."


def prompt(request: Request) -> str:
    tools = "".join(json.dumps([tool.name, tool.description, dict(tool.parameters)], ensure_ascii=False) for tool in request.tools)
    return "\n".join(message.content for message in request.messages) + tools


@pytest.mark.parametrize("dialect", ["native", "react", "json", "bracket"])
async def test_up_to_the_limit_nothing_changes(dialect):
    prompts = []
    for settings in ({}, {"max_tools_shown": 12}, {"max_tools_shown": 1000}):
        model = ScriptedModel(answer(dialect))
        run = await Agent(model, many(12), dialect=dialect, settings=settings).run("Is it raining in Lima?")
        assert len(run.asked.tools) == 12
        assert toolset.SHOWN not in run.asked.settings
        prompts.append(model.requests[0])
    assert prompts[0] == prompts[1] == prompts[2]


@pytest.mark.parametrize("dialect", ["native", "react", "json", "bracket"])
async def test_a_tool_is_looked_up_and_called_and_the_prompt_only_grows(dialect):
    model = ScriptedModel(said(dialect, FIND_TOOL, query="weather forecast"), said(dialect, "meteo__forecast", city="Lima", days="3"), answer(dialect))
    run = await Agent(model, many(60), dialect=dialect).run("Should we take an umbrella to Lima?")
    assert run.answer == "It rains."
    found, done = (event.observation for event in run.all(Observed))
    assert "meteo__forecast: Weather of a city" in found.text
    assert '"city": {"type": "string"}' in found.text
    assert (done.text, done.notes) == ("Lima: rain for 3 d", ('days: "3" → 3',))
    assert [tool.name for tool in described(run)].count("meteo__forecast") == 1
    for one, other in pairwise(model.requests):
        assert other.messages[: len(one.messages) - 1] == one.messages[:-1]
        assert other.messages[len(one.messages) - 1].content.startswith(one.messages[-1].content)
        assert other.tools[: len(one.tools)] == one.tools
    if dialect == "native":
        assert "meteo__forecast" not in {tool.name for tool in model.requests[0].tools}
        assert "meteo__forecast" in {tool.name for tool in model.requests[1].tools}


@pytest.mark.parametrize("dialect", ["native", "react", "json", "bracket"])
async def test_a_replay_agrees(dialect):
    model = ScriptedModel(said(dialect, FIND_TOOL, query="refund"), said(dialect, "meteo__forecast", city="Lima"), answer(dialect))
    run = await Agent(model, many(80), dialect=dialect).run("Rain?")
    assert len(run.events) > 7
    assert await replay(run, recorded_dialect(run.asked), default(run.asked.settings, recorded_abilities(run.asked))) == []


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("dialect", ["native", "react", "json", "bracket"])
async def test_prompts_do_not_grow_with_the_number_of_tools(dialect, lang):
    costs = []
    for count in (50, 200, 1000):
        model = ScriptedModel(answer(dialect))
        await Agent(model, many(count, lang), dialect=dialect, lang=lang).run("Approve the refund of order A1, 天气")
        costs.append(cost(prompt(model.requests[0])))
    assert max(costs) < costs[0] * 1.2
    assert max(costs) < 2000


async def test_a_tool_that_was_not_looked_up_runs_where_its_arguments_fit_and_else_is_explained():
    model = ScriptedModel(native(("meteo__forecast", {"town": "Lima"})), native(("meteo__forecast", {"city": "Lima"})), "It rains.")
    run = await Agent(model, many(40), dialect="native").run("Umbrella?")
    refused, done = (event.observation for event in run.all(Observed))
    assert refused.kind == "bad_arguments"
    assert refused.text.endswith('"required": ["city"]}')
    assert done.text == "Lima: rain for 1 d"
    assert "meteo__forecast" in {tool.name for tool in model.requests[1].tools}


async def test_an_unknown_tool_is_answered_without_listing_hundreds():
    model = ScriptedModel(native(("meteo__forcast", {})), "Sorry.")
    run = await Agent(model, many(300), dialect="native").run("Umbrella?")
    text = next(run.all(Misread)).detail
    assert "The tools are: meteo__forecast, find_tool." in text
    refused = await acting(many(300))(Call("1.1", "meteo__forcast", {}), run)
    assert "Did you mean meteo__forecast?" in refused.text
    assert FIND_TOOL in refused.text
    assert len(refused.text) < 300


async def test_a_reply_held_to_a_schema_offers_what_is_described():
    model = ScriptedModel(
        json.dumps({"thought": "", "tool": FIND_TOOL, "args": {"query": "weather"}}), json.dumps({"thought": "", "tool": "finish", "args": {"answer": "Rain."}}),
        abilities=Abilities(tools=False, constraint="json_schema"),
    )  # fmt: skip
    await Agent(model, many(50), dialect="json").run("Umbrella?")
    names = [[arm["properties"]["tool"]["enum"][0] for arm in request.schema["anyOf"]] for request in model.requests]
    assert FIND_TOOL in names[0]
    assert "meteo__forecast" not in names[0]
    assert "meteo__forecast" in names[1]


async def test_a_grammar_offers_what_is_described_and_examples_in_descriptions_are_no_facts():
    model = ScriptedModel(
        'Thought: look\nAction: find_tool\nAction Input: {"query": "chart"}', "Thought: so\nFinal Answer: no",
        abilities=Abilities(tools=False, constraint="gbnf", small=True),
    )  # fmt: skip
    run = await Agent(model, many(300), dialect="react", settings={"verify": False}).run("Which chart is it?")
    assert "2025-01-31" in next(run.all(Observed)).observation.text
    assert FIND_TOOL in model.requests[0].grammar
    assert len(model.requests[0].grammar) < 12_000
    from_descriptions = toolset.looked_up(run)
    assert from_descriptions == {"1.1"}


@pytest.mark.parametrize("value", [0, -1, "12", True, 2.5])
def test_a_limit_that_makes_no_sense_is_refused(value):
    with pytest.raises(ConfigError, match="max_tools_shown"):
        Agent(ScriptedModel(), settings={"max_tools_shown": value})


def test_a_tool_of_ones_own_with_that_name_stands_for_itself():
    tools = [*(spec(f"t{n}") for n in range(20)), spec(FIND_TOOL, "Finds hammers.")]
    assert gathered(tools, "?", "en", {}) == (tuple(tools), {})


# ── finding ───────────────────────────────────────────────────────────────────


def specs(count: int = 200) -> list[ToolSpec]:
    return [tool.spec for tool in many(count)]


def names(found: tuple[list[ToolSpec], list[ToolSpec]]) -> list[str]:
    return [tool.name for tool in found[0]]


@pytest.mark.parametrize("query", ["meteo__forecast", "METEO FORECAST", "meteoForecast", "forecast of the weather", "which tool tells weather?", "meteo"])
def test_a_tool_is_found_by_its_name_its_group_and_its_words(query):
    assert names(find(specs(), query))[0] == "meteo__forecast"


def test_several_names_are_found_together():
    assert names(find(specs(), "meteo__forecast, srv0__get_invoice_1")) == ["meteo__forecast", "srv0__get_invoice_1"]


@pytest.mark.parametrize(("query", "first"), [("删除发票", "remove"), ("查天气", "weather"), ("邮件", "send"), ("发票", "remove"), ("票", "remove"), ("天上有雨吗", "weather"), ("寄邮包", "send")])
def test_chinese_is_searched(query, first):
    tools = [spec("weather", "查询某个城市的天气。"), spec("remove", "删除一张发票。"), spec("send", "发送电子邮件。"), spec("other", "其他事情。")]
    assert names(find(tools, query))[0] == first


def test_nothing_is_found_where_nothing_fits():
    assert find(specs(), "zzz qqq") == ([], [])
    assert find(specs(), "") == ([], [])
    assert find([spec("pay", "收款或付款的事。")], "我要的") == ([], [])


def test_near_ones_are_named_and_not_described():
    found, near = find(specs(), "refund")
    assert len(found) == 5
    assert near
    assert not {tool.name for tool in found} & {tool.name for tool in near}


@pytest.mark.parametrize(("name", "expected"), [("github__search", "github"), ("mail.send", "mail"), ("fs/read", "fs"), ("get_weather", ""), ("__init", "")])
def test_a_group_is_read_off_a_name(name, expected):
    assert group(name) == expected


def test_words():
    assert terms("getWeatherReports HTTPServer cities 天气预报") == ["get", "weather", "report", "http", "server", "cit", "天气", "气预", "预报"]


def test_a_list_has_a_bound_and_says_how_many_more_there_are():
    tools = specs(1000)
    text = listing(tools[:24], tools[24:], "en")
    assert len(text) < 24 * 82 + 600
    assert "… and 976 more, to be found with find_tool: srv" in text
    assert "另有 976 个工具，请用 find_tool 查找：srv" in listing(tools[:24], tools[24:], "zh")
    assert listing([spec("one", "It is. More."), spec("two")], [], "en").splitlines()[1:] == ["  one: It is.", "  two"]


def test_tools_without_groups_are_counted_by_what_they_are_about():
    more = [spec(name) for name in ("get_invoice", "createInvoice", "list_invoices", "delete_user", "set_user", "ping")]
    assert listing([], more, "en").endswith("… and 6 more, to be found with find_tool: invoice (2), user (2)")


def test_a_long_chinese_line_is_cut():
    assert len(listing([spec("one", "很" * 500)], [], "zh").splitlines()[1]) < 45


def test_rare_words_count_more():
    tools = [spec("a", "order order"), spec("b", "order of umbrellas"), spec("c", "order")]
    assert ranked(tools, "order umbrella")[0][0].name == "b"


def test_the_finder_speaks_the_runs_language():
    assert finder("zh").description.startswith("查找工具")
    assert finder("en").description.startswith("Look up tools")


@pytest.mark.parametrize(("lang", "part"), [("en", "No tool fits 'zzz'"), ("zh", "没有符合“zzz”的工具")])
async def test_finding_nothing_says_so(lang, part):
    model = ScriptedModel(native((FIND_TOOL, {"query": "zzz"})), native((FIND_TOOL, {"q": 7})), "Nothing.")
    run = await Agent(model, many(60), dialect="native", lang=lang).run("?", history=[Message("user", "a"), Message("assistant", "b")])
    nothing, missing = (event.observation for event in run.all(Observed))
    assert part in nothing.text
    assert "srv0" in nothing.text
    assert missing.kind == "bad_arguments"
    assert 'got {"q": 7}; wanted in query' in missing.text or '收到 {"q": 7}；query 应为' in missing.text


# ── what stands around it ─────────────────────────────────────────────────────


async def test_no_description_is_longer_than_servers_take_however_many_tools_there_are():
    tools = [Tool(spec(f"t{at}", "It does a thing. " + "Very well indeed. " * 8, x="string"), lambda x: x) for at in range(400)]
    model = ScriptedModel("Done.")
    await Agent(model, tools, dialect="native", instructions="Be brief.").run("?")
    request = model.requests[0]
    assert max(len(tool.description) for tool in request.tools) <= 1024
    assert request.messages[0].role == "system"
    assert request.messages[0].content.startswith("Be brief.\n\nMore tools; look one up with find_tool")
    assert "  t0: It does a thing." in request.messages[0].content


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("dialect", ["react", "json", "bracket"])
async def test_an_example_shows_how_a_tool_is_looked_up(dialect, lang):
    model = ScriptedModel(answer(dialect))
    await Agent(model, many(40), dialect=dialect, lang=lang).run("?")
    story = [message.content for message in model.requests[0].messages[1:]]
    called = [read(text, [finder(lang), spec("lake_depth", lake="string")]) for text in story[1:4:2]]
    assert [call.tool for decided in called for call in decided.calls] == [FIND_TOOL, "lake_depth"]
    assert sum(FIND_TOOL in text for text in story) == 1  # and none looks facts up with it
    assert '{"type": "object", "properties": {"lake": {"type": "string"}}, "required": ["lake"]}' in story[2]


async def test_of_what_is_found_only_what_fits_is_described_and_the_rest_gets_a_line():
    tools = [Tool(spec(f"chart{at}", "Draws a chart. " + "With many words. " * 60, **{f"p{n}": "string" for n in range(20)}), lambda **_: "") for at in range(30)]
    model = ScriptedModel(native((FIND_TOOL, {"query": "chart"})), "Done.")
    run = await Agent(model, tools, dialect="native", settings={"max_tools_shown": 1}).run("Hm?")
    seen = next(run.all(Observed)).observation
    assert not seen.full
    assert seen.data == {"tools": ["chart0"]}
    assert "Also near:\n  chart1: Draws a chart." in seen.text
    assert [tool.name for tool in described(run)] == [FIND_TOOL, "chart0"]


async def test_looking_a_tool_up_is_not_looking_a_fact_up():
    """The query names Lima and the descriptions do not; that says nothing about Lima."""
    model = ScriptedModel(native((FIND_TOOL, {"query": "umbrella weather Lima"})), native(("meteo__forecast", {"city": "Lima"})), "In Lima it rains.")
    run = await Agent(model, many(60), dialect="native").run("Is it raining in Lima?")
    assert run.answer == "In Lima it rains."
    assert run.last(Nudged) is None


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_what_a_failing_tool_is_replaced_by_is_not_a_list_of_hundreds(lang):
    def fails(**_: object) -> str:
        raise ValueError("no")

    tools = [Tool(tool.spec, fails) for tool in many(300)]
    model = ScriptedModel(*(native(("meteo__forecast", {"city": city})) for city in "abc"), "Sorry.")
    run = await Agent(model, tools, dialect="native", lang=lang).run("?")
    texts = [event.observation.text for event in run.all(Observed)]
    assert FIND_TOOL in texts[-1]
    assert max(map(len, texts)) < 400


async def test_a_chat_for_training_holds_what_the_model_was_told():
    model = ScriptedModel(native((FIND_TOOL, {"query": "weather"})), native(("meteo__forecast", {"city": "Lima"})), "It rains.")
    told = chat(await Agent(model, many(300), dialect="native").run("Umbrella?"))
    assert [tool["function"]["name"] for tool in told["tools"]][:2] == [FIND_TOOL, "meteo__forecast"]
    assert len(told["tools"]) < 8
    assert "More tools" in told["messages"][0]["content"]
