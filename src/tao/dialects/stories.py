"""Few-shot examples as runs: short stories told with the tools at hand where they fit, with neutral ones where none does.

Being runs, they are rendered by the dialect that shows them, and every call in them reads back as itself.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tao.dialects.offer import kind
from tao.events import Asked, Decided, Event, Observed
from tao.messages import Call, Observation, ToolSpec
from tao.run import Run
from tao.toolset import FIND_TOOL, examples, full, parameters, required


@dataclass(frozen=True)
class Role:
    """A tool in a story and the one parameter that it takes there."""

    tool: str
    parameter: str


QUERY = re.compile(r"query|q|keywords?|text|question|search(_?(query|term|text))?|查询|关键词|问题|检索词", re.IGNORECASE)
NEUTRAL = {"en": (Role("look_up", "what"), Role("compute", "formula")), "zh": (Role("查资料", "内容"), Role("算式", "式子"))}


def stories(tools: Sequence[ToolSpec], lang: str, *, finds: bool = False) -> tuple[Run, ...]:
    """A few finished runs: two things fetched and compared, one calculation, one answer without a tool.

    `finds`: there are more tools, to be looked up first; one run does so.
    """
    known = [tool for tool in tools if not (finds and tool.name == FIND_TOOL)]
    return _stories(_lookup(known), _compute(known), "zh" if lang == "zh" else "en", finds)


def _lookup(tools: Sequence[ToolSpec]) -> Role | None:
    """The tool that takes one free text to look for."""
    for tool in tools:
        properties, needed = parameters(tool), required(tool)
        (name,) = needed if len(needed) == 1 else (next(iter(properties), ""),)
        if len(needed) <= 1 and QUERY.fullmatch(name) and kind(properties.get(name), examples(tool).get(name)) == "":
            return Role(tool.name, name)
    return None


def _compute(tools: Sequence[ToolSpec]) -> Role | None:
    """The tool that takes one arithmetic expression."""
    for tool in tools:
        needed = required(tool)
        if len(needed) == 1 and kind(parameters(tool).get(name := min(needed)), examples(tool).get(name)) == "arithmetic":
            return Role(tool.name, name)
    return None


@lru_cache(maxsize=64)
def _stories(lookup: Role | None, compute: Role | None, lang: str, finds: bool) -> tuple[Run, ...]:  # noqa: FBT001 - a key of the cache
    if lookup is None and compute is None and not finds:
        lookup, compute = NEUTRAL[lang]
    told = [_found(lang)] if finds else []
    if lookup and compute:
        told += [_comparison(lookup, compute, lang), _price(lookup, compute, lang)]
    elif lookup:
        told.append(_fact(lookup, lang))
    elif compute:
        told.append(_sum(compute, lang))
    return (*told, *_plain(lang))


def _run(question: str, lang: str, steps: Sequence[tuple[str, Role, str, str]], thought: str, answer: str) -> Run:
    events: list[Event] = [Asked(question, lang=lang)]
    for number, (idea, role, value, seen) in enumerate(steps, 1):
        call = Call(f"{number}.1", role.tool, {role.parameter: value})
        events += [Decided(idea, (call,)), Observed(call.id, Observation(seen))]
    return Run("example", [*events, Decided(thought, answer=answer)])


def _comparison(lookup: Role, compute: Role, lang: str) -> Run:
    if lang == "zh":
        steps = [
            ("需要两本书的页数。先查《蓝港》。", lookup, "《蓝港》 页数", "《蓝港》共412页。\n《红草地》共254页。"),
            ("《蓝港》有412页。再查《旧园》。", lookup, "《旧园》 页数", "《旧园》共387页。"),
            ("两个数都有了，412和387，“多多少”要相减。", compute, "412 - 387", "25"),
        ]
        return _run("《蓝港》比《旧园》多多少页？", lang, steps, "我知道答案了。", "《蓝港》比《旧园》多25页。")
    steps = [
        ("I need the pages of both books. First Blue Harbour.", lookup, "pages of Blue Harbour", "Blue Harbour has 412 pages.\nRed Meadow has 254 pages."),
        ("Blue Harbour has 412 pages. Now Old Orchard.", lookup, "pages of Old Orchard", "Old Orchard has 387 pages."),
        ("I have both numbers, 412 and 387. More means the difference.", compute, "412 - 387", "25"),
    ]
    answer = "Blue Harbour has 25 more pages than Old Orchard."
    return _run("How many more pages has Blue Harbour than Old Orchard?", lang, steps, "I know the answer.", answer)


def _fact(lookup: Role, lang: str) -> Run:
    if lang == "zh":
        steps = [("需要查《蓝港》的页数。", lookup, "《蓝港》 页数", "《蓝港》是1931年的小说，共412页。")]
        return _run("《蓝港》有多少页？", lang, steps, "我知道答案了。", "《蓝港》有412页。")
    steps = [("I need the pages of Blue Harbour.", lookup, "pages of Blue Harbour", "Blue Harbour, a novel of 1931, has 412 pages.")]
    return _run("How many pages has Blue Harbour?", lang, steps, "I know the answer.", "Blue Harbour has 412 pages.")


def _found(lang: str) -> Run:
    find, depth = Role(FIND_TOOL, "query"), Role("lake_depth", "lake")
    shape = {"type": "object", "properties": {"lake": {"type": "string"}}, "required": ["lake"]}
    if lang == "zh":
        told = full(ToolSpec(depth.tool, "查询湖泊的深度，单位为米。", shape))
        steps = [("需要查湖泊深度的工具，先找一找。", find, "湖泊 深度", told), ("用 lake_depth 查铁湖。", depth, "铁湖", "48")]
        return _run("铁湖有多深？", lang, steps, "我知道答案了。", "铁湖深48米。")
    told = full(ToolSpec(depth.tool, "The depth of a lake in metres.", shape))
    steps = [("I need a tool that knows lakes. I look for one.", find, "depth of a lake", told), ("lake_depth tells it.", depth, "Iron Lake", "48")]
    return _run("How deep is Iron Lake?", lang, steps, "I know the answer.", "Iron Lake is 48 metres deep.")


def _price(lookup: Role, compute: Role, lang: str) -> Run:
    if lang == "zh":
        steps = [
            ("需要《铁湖》的价格。", lookup, "《铁湖》 价格", "《铁湖》每本14元。"),
            ("一本14元，30本打九五折：30乘以14乘以0.95。", compute, "30 * 14 * 0.95", "399"),
        ]
        return _run("30本《铁湖》打九五折要多少钱？", lang, steps, "我知道答案了。", "一共399元。")
    steps = [
        ("I need the price of Iron Lake.", lookup, "price of Iron Lake", "Iron Lake costs 14 euros."),
        ("One costs 14. 30 with 5% off are 30 times 14 times 0.95.", compute, "30 * 14 * 0.95", "399"),
    ]
    return _run("What do 30 copies of Iron Lake cost with 5% off?", lang, steps, "I know the answer.", "They cost 399 euros.")


def _sum(compute: Role, lang: str) -> Run:
    if lang == "zh":
        steps = [("30本，一本14元，打九五折：30乘以14乘以0.95。", compute, "30 * 14 * 0.95", "399")]
        return _run("14元一本的书，30本打九五折要多少钱？", lang, steps, "我知道答案了。", "一共399元。")
    steps = [("30 books at 14 euros with 5% off are 30 times 14 times 0.95.", compute, "30 * 14 * 0.95", "399")]
    return _run("What do 30 books at 14 euros each cost with 5% off?", lang, steps, "I know the answer.", "They cost 399 euros.")


def _plain(lang: str) -> tuple[Run, ...]:
    if lang == "zh":
        return (
            _run("《哈姆雷特》是谁写的？", lang, [], "这是常识，不用工具。", "莎士比亚。"),
            _run("你好", lang, [], "这是问候，不用工具。", "你好！想知道什么？"),
        )
    return (
        _run("Who wrote Hamlet?", lang, [], "This is general knowledge, no tool is needed.", "Shakespeare."),
        _run("Hello!", lang, [], "This is a greeting, no tool is needed.", "Hello! What would you like to know?"),
    )
