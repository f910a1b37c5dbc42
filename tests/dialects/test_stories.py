"""Few-shot examples: told with the tools at hand where they fit, and every step in them reads back as itself."""

import pytest

from tao.dialects.auto import named
from tao.dialects.read import read
from tao.dialects.stories import stories
from tao.events import Decided
from tao.facts import numbers
from tao.messages import ToolSpec
from tao.seams import Abilities
from tao.testing import spec

LOOK = spec("search", query="string")
SUM = ToolSpec("calculator", 'Works it out, e.g. {"expression": "3 * 4"}', {"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]})
DATE = spec("date_add", start="string", days="integer")
HAN_LOOK, HAN_SUM = spec("查询", 关键词="string"), ToolSpec("算", "", {"properties": {"式": {"type": "string", "example": "1+2*3"}}, "required": ["式"]})
KITS = {
    "both": ([DATE, LOOK, SUM], {"search", "calculator"}), "look": ([DATE, LOOK], {"search"}), "sum": ([SUM, DATE], {"calculator"}), "none": ([DATE], None),
    "Chinese": ([HAN_LOOK, HAN_SUM], {"查询", "算"}), "nothing": ([], None), "optional": ([spec("find", q="string?")], {"find"}),
    "no schema": ([ToolSpec("x", "", {})], None), "odd": ([ToolSpec("x", "", {"required": ["query"], "properties": {"query": True}})], {"x"}),
    "missing": ([ToolSpec("x", "", {"required": ["sum"]})], None),
}  # fmt: skip


def calls(story):
    return [call for event in story.all(Decided) for call in event.calls]


@pytest.mark.parametrize("kit", KITS)
@pytest.mark.parametrize("lang", ["en", "zh", "fr"])
def test_they_are_told_with_the_tools_at_hand_or_with_neutral_ones(kit, lang):
    tools, used = KITS[kit]
    told = stories(tools, lang)
    assert 2 <= len(told) <= 5
    names = {call.tool for story in told for call in calls(story)}
    assert names == (used or {call.tool for story in stories([DATE], lang) for call in calls(story)})
    if used:
        known = {tool.name: tool.parameters.get("properties", {}) for tool in tools}
        assert all(set(call.args) <= set(known[call.tool]) for story in told for call in calls(story))
    else:
        assert not names & {tool.name for tool in tools}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_is_a_finished_run_and_one_needs_no_tool(lang):
    told = stories([LOOK, SUM], lang)
    assert any(not calls(story) for story in told)
    assert any(len(calls(story)) >= 3 for story in told)
    for story in told:
        last = story.events[-1]
        assert isinstance(last, Decided)
        assert last.answer
        assert [call.id for call in calls(story)] == [call.id for call, seen in story.observed if seen.ok]
        assert story.asked.lang == lang
        assert all(event.thought for event in story.all(Decided))
        assert ("\u4e00" <= story.asked.question[:40].strip("《30")[0] <= "\u9fff") == (lang == "zh")


@pytest.mark.parametrize("kit", KITS)
@pytest.mark.parametrize("name", ["react", "json", "bracket"])
@pytest.mark.parametrize("constraint", [None, "gbnf"])
def test_every_step_reads_back_as_itself(kit, name, constraint):
    dialect = named(name, Abilities(constraint=constraint))
    for lang in ("en", "zh"):
        for story in stories(KITS[kit][0], lang):
            tools = [ToolSpec(call.tool, "", {"properties": {key: {"type": "string"} for key in call.args}, "required": list(call.args)}) for call in calls(story)]
            for number, step in enumerate(story.all(Decided), 1):
                assert read(dialect.say(step), tools, step=number, lang=lang) == step


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_is_worked_out_is_right(lang):
    for story in stories([LOOK, SUM], lang):
        for call, seen in story.observed:
            if call.tool == "calculator":
                value = eval(call.args["expression"])
                assert value == pytest.approx(numbers(seen.text)[0].value)
                assert numbers(seen.text)[0].value in {number.value for number in numbers(story.events[-1].answer)}
