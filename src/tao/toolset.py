"""Large sets of tools: which of them a prompt describes in full, and how the rest are found. Pure; standard library only.

A run with more tools than `max_tools_shown` records at its start which few are described at once (`Asked.settings`,
"tools_shown") and which are listed in a line each ("tools_listed"), of hundreds only the likeliest; and offers `find_tool`. What `find_tool` told of, and what was called, is described from then on. All that is read off the run's events, and
what a prompt says of tools grows only at its end.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from tao.errors import ConfigError, both
from tao.messages import Kept, ToolSpec
from tao.run import Run

FIND_TOOL = "find_tool"
SHOWN, LISTED = "tools_shown", "tools_listed"
MOST_SHOWN = 12
"""Up to so many tools are all described in full."""
AT_ONCE = 3
"""Of more, the likeliest so many are."""
MOST_LINES = 24
MOST_GROUPS = 20
LONGEST_LINE = 80
MOST_FOUND = 5
FAIR = 0.4
"""What scores less than this share of the best is not told of."""

ALONE = 0.3
"""How much one Chinese character in common says, beside a pair in common (开票, 开具发票)."""

_EMPTY = frozenset("的了吗呢吧啊我你您他她它们要想把被在到是有给从和与或个这那请帮让对为用去来一下不能可以会怎么什哪里谁几多少")
_HAN = re.compile(r"[\u3400-\u9fff]+")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_ENDING = re.compile(r"(?<=\w{3})(?:ies|es|s|ing|ed|y|e)$")
_VERBS = frozenset("add create delete do fetch find get list make post put query read remove run search send set show update write".split())
_COMMON = frozenset("a an and are at by can do does for from give how i in is it me my of on or please s the this to tool tools use what which who with you".split())


def most_shown(settings: Mapping[str, Any]) -> int:
    """How many tools a prompt may describe in full. Raises ConfigError where the setting is no whole number above 0."""
    given = settings.get("max_tools_shown", MOST_SHOWN)
    if type(given) is not int or given < 1:
        raise ConfigError(both(
            f"max_tools_shown is {given!r}; it must be a whole number above 0", f"max_tools_shown 为 {given!r}；应为大于 0 的整数",
        ))  # fmt: skip
    return given


def gathered(tools: Sequence[ToolSpec], question: str, lang: str, settings: Mapping[str, Any]) -> tuple[tuple[ToolSpec, ...], dict[str, Any]]:
    """The tools of a new run, with `find_tool` where they are many, and what to record in its settings: nothing where they are few.

    A tool of the user's own that is named `find_tool` stands for itself: then all are described.
    """
    if len(tools) <= (most := most_shown(settings)) or any(tool.name == FIND_TOOL for tool in tools):
        return tuple(tools), {}
    likely = ranked(tools, question)
    shown = [tool for tool, score in likely[: min(AT_ONCE, most)] if score >= FAIR * likely[0][1] > 0]
    listed = [tool.name for tool, _ in likely if tool not in shown][:MOST_LINES]
    return (*tools, finder(lang)), {SHOWN: [tool.name for tool in shown], LISTED: listed}


def finder(lang: str) -> ToolSpec:
    """The tool that finds tools. The others are not listed in it: some servers take no description of more than 1,024 characters."""
    about = (
        "查找工具：给出工具名，或用几个词说明要做什么；返回工具的完整说明和参数。" if lang.startswith("zh")
        else "Look up tools, by name or by a few words for what is to be done; gives their full descriptions and parameters."
    )  # fmt: skip
    return ToolSpec(FIND_TOOL, about, {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]})


def listing(tools: Sequence[ToolSpec], more: Sequence[ToolSpec], lang: str) -> str:
    """A line for each of these tools; of `more` only how many there are, by group. Its size has a bound."""
    zh = lang.startswith("zh")
    lines = [f"还有下列工具，调用之前先用 {FIND_TOOL} 查看说明：" if zh else f"More tools; look one up with {FIND_TOOL} before you call it:"]
    lines += map(line, tools)
    if more:
        groups = Counter(topic(tool.name) for tool in more)
        named = [f"{name} ({count})" for name, count in groups.most_common(MOST_GROUPS) if name and count > 1]
        listed = (("：" if zh else ": ") + ("、" if zh else ", ").join(named)) if named else ""
        lines.append(f"……另有 {len(more)} 个工具，请用 {FIND_TOOL} 查找{listed}" if zh else f"… and {len(more)} more, to be found with {FIND_TOOL}{listed}")
    return "\n".join(lines)


def line(tool: ToolSpec) -> str:
    """A tool's name and the beginning of what it does."""
    said = re.split(r"(?<=[.!?])\s|(?<=[。！？])|\n", tool.description.strip(), maxsplit=1)[0]
    whole = f"  {tool.name}: {said}" if said else f"  {tool.name}"
    width = sum(2 if char > "\u2e7f" else 1 for char in whole)
    return whole if width <= LONGEST_LINE else f"{whole[: LONGEST_LINE * len(whole) // width - 1]}…"


def group(name: str) -> str:
    """The group that a tool's name says it is of: `github__search` is of `github`; "" where it says none."""
    found = re.match(r"([^.:/]+?)(?:__|[.:/])", name)
    return found[1] if found else ""


def topic(name: str) -> str:
    """Its group, else the first word that says more than that something is done: `get_invoice` is about `invoice`."""
    return group(name) or next((word.casefold() for word in _WORD.findall(name) if word.casefold() not in _VERBS), "")


def full(tool: ToolSpec) -> str:
    """All that there is to know of a tool, for any dialect: name, description, and its parameters as a JSON schema."""
    return f"{tool.name}: {tool.description}\n{json.dumps(tool.parameters, ensure_ascii=False, separators=(', ', ': '))}"


# ── what a run describes ──────────────────────────────────────────────────────


def large(run: Run) -> bool:
    """Whether not all of the run's tools are described at once."""
    return SHOWN in run.asked.settings


def opening(run: Run) -> tuple[ToolSpec, ...]:
    """The tools that the beginning of a prompt describes; the same at every step of the run."""
    asked = run.asked
    return _named(asked.tools, [*asked.settings[SHOWN], FIND_TOOL]) if large(run) else asked.tools


@Kept
def listed(run: Run) -> str:
    """What the beginning of a prompt says of the tools that it does not describe; "" where it describes all."""
    if not large(run):
        return ""
    asked = run.asked
    lines = asked.settings.get(LISTED, ())
    known = {FIND_TOOL, *asked.settings[SHOWN], *lines}
    return listing(_named(asked.tools, lines), [tool for tool in asked.tools if tool.name not in known], asked.lang)


def described(run: Run) -> tuple[ToolSpec, ...]:
    """The tools that the model knows in full by now, in the order in which it learnt of them; where tools are few, all."""
    if not large(run):
        return run.tools
    asked = run.asked
    known = [*asked.settings[SHOWN], FIND_TOOL]
    for call, seen in run.observed:
        if call.tool == FIND_TOOL:
            known += seen.data.get("tools", ()) if isinstance(seen.data, Mapping) else ()
        else:
            known.append(call.tool)
    return (*_named(asked.tools, known), *run.tools[len(asked.tools) :])


def looked_up(run: Run) -> frozenset[str]:
    """The ids of calls that gave descriptions of tools; what is in them is no fact about the world."""
    return frozenset(call.id for call, _ in run.observed if call.tool == FIND_TOOL) if large(run) else frozenset()


def to_name(tools: Sequence[ToolSpec], wanted: str) -> list[str]:
    """The names to tell a model that named no tool, or one that there is not; of many, those like `wanted` and `find_tool`."""
    names = {tool.name.lower(): tool.name for tool in tools}
    if len(names) <= MOST_LINES or FIND_TOOL not in names:
        return [tool.name for tool in tools]
    near = get_close_matches(wanted[:64].lower(), names, 3, 0.6)
    return list(dict.fromkeys([*(names[name] for name in near), FIND_TOOL]))


def _named(tools: Sequence[ToolSpec], names: Sequence[str]) -> tuple[ToolSpec, ...]:
    known = {tool.name: tool for tool in tools}
    return tuple(known[name] for name in dict.fromkeys(names) if name in known)


# ── finding ───────────────────────────────────────────────────────────────────


def find(tools: Sequence[ToolSpec], query: str) -> tuple[list[ToolSpec], list[ToolSpec]]:
    """The tools that a query means, and those that come near: names first, then words; of a group, its members."""
    tools = [tool for tool in tools if tool.name != FIND_TOOL]
    asked = {_squeezed(part) for part in (query, *re.split(r"[\s,，、;；|]+", query))} - {""}
    exact = [tool for tool in tools if _squeezed(tool.name) in asked]
    members = [tool for tool in tools if _squeezed(group(tool.name)) in asked]
    scored = [(tool, score) for tool, score in ranked(tools, query) if score > 0]
    words = [tool for tool, score in scored if score >= FAIR * scored[0][1]]
    order = list({tool.name: tool for tool in (exact or [*(tool for tool in words if tool in members), *members, *words])}.values())
    near = [tool for tool in [*order[MOST_FOUND:], *words] if tool not in order[:MOST_FOUND]]
    return order[:MOST_FOUND], list({tool.name: tool for tool in near}.values())[:MOST_LINES]


def ranked(tools: Sequence[ToolSpec], query: str) -> list[tuple[ToolSpec, float]]:
    """All tools with how well the words of the query fit them, best first; rare words count more, and more in a name."""
    characters = set("".join(_HAN.findall(query))) - _EMPTY
    wanted = {**dict.fromkeys(characters, ALONE), **dict.fromkeys(terms(query), 1.0)}
    having = Counter(term for tool in tools for term in wanted.keys() & _terms_of(tool).keys())
    weights = {term: wanted[term] * math.log(1 + len(tools) / count) for term, count in having.items()}
    scores = [sum(weight * _terms_of(tool).get(term, 0.0) for term, weight in weights.items()) for tool in tools]
    return sorted(zip(tools, scores, strict=True), key=lambda pair: -pair[1])


def terms(text: str) -> list[str]:
    """Words without case and ending, common ones left out; of Chinese, pairs of characters, a character that stands alone as it is."""
    found: list[str] = []
    for word in _WORD.findall(text):
        if _HAN.fullmatch(word):
            found += [word[at : at + 2] for at in range(len(word) - 1)] or [word]
        elif (plain := word.casefold()) not in _COMMON:
            found.append(_ENDING.sub("", plain))
    return found


@Kept
def _terms_of(tool: ToolSpec) -> dict[str, float]:
    """The words of a tool, each with how much it says of it."""
    properties = tool.parameters.get("properties")
    named = " ".join(properties) if isinstance(properties, Mapping) else ""
    first, _, rest = tool.description.partition("\n")
    weights: dict[str, float] = {}
    for text, weight in ((rest, 0.5), (named, 0.5), (first, 1.0), (tool.name, 2.5)):
        for term in (*terms(text), *"".join(_HAN.findall(text))):
            weights[term] = max(weights.get(term, 0.0), weight)
    return weights


def _squeezed(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()


# ── what a tool's own words say ───────────────────────────────────────────────


def tells_time(tool: ToolSpec) -> bool:
    """Whether the tool tells what day or time it is: it asks for nothing and speaks of it."""
    said = re.sub(r"[_\W]+", " ", re.sub("([a-z])([A-Z])", r"\1 \2", f"{tool.name} {tool.description}")).lower()
    return not required(tool) and re.search(r"\b(?:date|time|datetime|today|day|now|clock)\b|日期|时间|今天|几号", said) is not None


def parameters(tool: ToolSpec) -> Mapping[str, Any]:
    """Its parameters' schemas by name; none where its schema has no such table."""
    found = tool.parameters.get("properties")
    return found if isinstance(found, Mapping) else {}


@Kept
def required(tool: ToolSpec) -> frozenset[str]:
    """The names of the parameters that a call must have; none where its schema does not list them."""
    found = tool.parameters.get("required")
    return frozenset(name for name in found if isinstance(name, str)) if isinstance(found, list | tuple) else frozenset()


_TOLD_OF = re.compile(r"(?:\be\.\s?g\.|\bfor (?:example|instance)\b|\bsuch as\b|\bexamples?\s*:|例如|比如|譬如|诸如|形如|(?<![一-鿿])如(?=[：:“\"'「]|[A-Z0-9\u4e00-\u9fff]))[,，:：]?\s*([^\n;；。）)]{1,120})", re.IGNORECASE)
_ONE_OF = re.compile(r"\s*(?:,|，|、|\bor\b|\band\b|或者?|和|等|\.(?=\s|$))\s*", re.IGNORECASE)


@lru_cache(maxsize=1024)
def told_examples(description: str) -> frozenset[str]:
    """Examples that a description gives in its sentences ("e.g. Lisbon or Oslo", 例如“杭州”), without case and quotes: each, and all of a list."""
    lists = [found[1].strip(" .") for found in _TOLD_OF.finditer(description)]
    parts = [part for one in lists for part in (one, *_ONE_OF.split(one))]
    return frozenset(bare for part in parts if (bare := part.strip(" .`'\"“”‘’「」").casefold()))


@lru_cache(maxsize=256)
def _examples(description: str, keys: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    decoder = json.JSONDecoder()
    for match in re.finditer(r"\{", description):
        try:
            value, _ = decoder.raw_decode(description, match.start())
        except ValueError:
            continue
        if isinstance(value, dict) and value and set(value) <= set(keys):
            found = {**value, **found}
    return found


@Kept
def examples(tool: ToolSpec) -> Mapping[str, Any]:
    """Example values by parameter, from the schema (`examples`, `example`) or from a JSON object in the description."""
    properties = parameters(tool)
    found = dict(_examples(tool.description, tuple(properties)))
    for name, schema in properties.items():
        if isinstance(schema, Mapping):
            listed = schema.get("examples") or ([schema["example"]] if "example" in schema else [])
            if listed and isinstance(listed, list | tuple):
                found[name] = listed[0]
    return found
