"""Which tool a name means: exact, then case, then separators, then the only known name in a phrase. Never a guess.

Also the names that are not tools: those that finish a run, and those that say "no action".
"""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from tao.dialects.clean import SPACE, STRUCTURE, visible
from tao.dialects.later import later
from tao.messages import ToolSpec

FINISH = frozenset(
    "finalanswer answer finish finished terminate final done finalresponse respond 结束 完成 最终答案 最终回答 回答 答案 最后的回应 最终回复 最后回答 回答用户 結束 最終答案 最終回答".split()
)
NULL = later(
    r"(?:n/?\.?a\.?|none|null|nil|nothing|no|not?[ _-](?:tools?|actions?|further|more|need)\b.*|-+|无|無|空|没有|沒有|不需要|无需.*|没有.*"
    r"|不(?:需要|用|使用|必).*|直接(?:回复|回答|作答|答复).*|(?:none|no|not|n/?a)\b(?![_\-.\w]).*)",
    re.IGNORECASE | re.DOTALL,
)
NEGATED = later(
    r"\b(?:no|not|don'?t|do not|without|never|cannot|can'?t|instead of|rather than|other than|except|avoid|skip|refuse|neither)\b|不(?:用|要|需|必|使用|调用|能|应该?|再)|没(?:有|必要)|无需|无须"
    r"|别(?:用|再|调)|并非|而非|而不是|禁止|避免|拒绝|跳过|放弃|除了",
    re.IGNORECASE,
)
MAX_NAME = 400
"""No name, and no phrase around one, is longer."""
_WORD = later(r"[\s_\-]+")
_LEAD = later(r"(?:functions?|tools?|default_api|multi_tool_use)[.:](?=\w)", re.IGNORECASE)
_COUNT = later(r"(?::\d{1,4}|\[\d{1,4}\])$")
_REMARK = later(r"[ \t]*[(（\[][^()（）\[\]]{0,200}[)）\]]$")
_USE = later(
    r"(?:use|call|using|invoke|run|调用|使用|采用|运行)[ \t]*(?:the[ \t]+)?(?:tools?\b|function\b|工具)?[ \t]*[:：]?[ \t]*", re.IGNORECASE
)
_TOOL = later(r"[ \t]*(?:tool|function|工具|函数)$", re.IGNORECASE)
_CALLED = later(r"([^\s\[\](（）)［］]+)[\[(（［].*[\])）］]$", re.DOTALL)
"""One word with brackets straight behind it, to the end: the word is the name, what the brackets hold is its input."""
_QUOTES = "\"'`“”‘’「」『』*<>[]【】{}"


def squeeze(name: str) -> str:
    """A name without case, spaces, `_` and `-`."""
    return _WORD.sub("", name).lower()


class Tools:
    """The tools at hand, by name and (made when first needed) by squeezed name."""

    def __init__(self, specs: Sequence[ToolSpec]) -> None:
        self.specs = specs
        self.exact: Mapping[str, ToolSpec] = {spec.name: spec for spec in specs}

    @cached_property
    def squeezed(self) -> Mapping[str, list[ToolSpec]]:
        """The tools by their names without case, spaces, `_` and `-`."""
        found: dict[str, list[ToolSpec]] = {}
        for spec in self.specs:
            found.setdefault(squeeze(spec.name), []).append(spec)
        return found

    def get(self, name: str) -> ToolSpec | None:
        """By name: exact, else ignoring case, else ignoring spaces, `_` and `-`; only where one tool fits."""
        if name in self.exact:
            return self.exact[name]
        if len(name) > MAX_NAME:
            return None
        found = self.squeezed.get(squeeze(name), ())
        same = [spec for spec in found if spec.name.lower() == name.lower()]
        return same[0] if len(same) == 1 else found[0] if len(found) == 1 else None

    def find(self, name: str) -> ToolSpec | None:
        """By name, with what models put around one; no phrase."""
        name = name.strip(SPACE)
        return self.exact.get(name) or next(filter(None, map(self.get, peeled(name))), None)

    def resolve(self, phrase: str) -> ToolSpec | None:
        """The tool that an action line names, stripped of what models put around a name; None where that is not certain."""
        if phrase in self.exact:
            return self.exact[phrase]
        if len(phrase) > MAX_NAME:
            return None
        phrase = visible(phrase).strip(SPACE)
        for name in peeled(phrase):
            if found := self.get(name):
                return found
        if NEGATED.search(phrase):
            return None
        called = _CALLED.match(phrase)
        return self._contained(called[1] if called else phrase)

    def _contained(self, phrase: str) -> ToolSpec | None:
        """The only tool whose name stands in the phrase as a whole word; a name within a longer name does not count."""
        lower = phrase.lower()
        spans = [(span, spec) for spec in self.specs for span in _spans(lower, spec.name.lower())]
        if any(_denied(lower, span[0]) for span, _ in spans):
            return None
        outer = {
            spec.name
            for (a, b), spec in spans
            if not any(c <= a and b <= d and (c, d) != (a, b) for (c, d), _ in spans)
        }
        return self.exact[outer.pop()] if len(outer) == 1 else None


def _spans(text: str, name: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = text.find(name) if name else -1
    while at >= 0 and len(found) < 8:
        end = at + len(name)
        if not (_inside(text[at - 1 : at], name[0]) or _inside(text[end : end + 1], name[-1]) or _dotted(text, at, end)):
            found.append((at, end))
        at = text.find(name, end)
    return found


def _denied(text: str, at: int) -> bool:
    """Whether a Chinese word of denial stands right before a name (`不运行`, `别删除`, but not `识别图像`)."""
    before = text[max(0, at - 2) : at].rstrip(" ")
    return before.endswith(tuple("不没沒未勿莫")) or (before.endswith("别") and not before.endswith(("识别", "分别", "区别", "特别", "鉴别")))


def _inside(neighbour: str, edge: str) -> bool:
    """Whether a neighbouring character makes the name a part of a longer word (Chinese has no word gaps)."""
    return edge.isascii() and neighbour.isascii() and (neighbour.isalnum() or neighbour in {"_", "-"}) and neighbour != ""


def _dotted(text: str, at: int, end: int) -> bool:
    """Part of a dotted name, such as `search` in `fs.search` or `df` in `df.head`."""
    before = at >= 2 and text[at - 1] == "." and text[at - 2].isalnum()
    return before or (text[end : end + 1] == "." and text[end + 1 : end + 2].isalnum())


def peeled(phrase: str) -> list[str]:
    """A phrase with ever more stripped from around the name; nothing where it is too long for one."""
    if len(phrase) > MAX_NAME:
        return []
    seen: list[str] = []
    name = phrase
    for _ in range(6):
        if name and name not in seen:
            seen.append(name)
        shorter = _peel(name)
        if shorter == name:
            break
        name = shorter
    return seen


def _peel(name: str) -> str:
    name = name.strip(SPACE).strip(_QUOTES).strip(SPACE).rstrip(".。,，:：;；!！|").strip(_QUOTES).strip(SPACE)
    if count := _COUNT.search(name):  # before the lead, which may be how the name itself begins: functions.functions.zero:0
        return name[: count.start()]
    if lead := _LEAD.match(name):
        return name[lead.end() :]
    if remark := _REMARK.search(name):
        return name[: remark.start()]
    if (use := _USE.match(name)) and use.end() < len(name) and (not name[0].isascii() or name[use.end() - 1] in " \t:："):
        return name[use.end() :]
    if (tool := _TOOL.search(name)) and tool.start():
        return name[: tool.start()]
    return name


def is_finish(phrase: str, tools: Tools) -> bool:
    """Whether the name finishes the run; a real tool of that name is a tool."""
    names = [squeeze(name) for name in peeled(visible(phrase.strip(SPACE)))]
    return any(name in FINISH for name in names) and not any(tools.get(name) for name in names)


def is_null(phrase: str, tools: Tools) -> bool:
    """Whether the name says that nothing is to be done (`None`, `N/A`, `no tool needed`, `无`, `直接回复`)."""
    name = visible(phrase[: MAX_NAME + 1]).strip(SPACE).strip(_QUOTES + "()（）").strip(SPACE).rstrip(".。").translate(STRUCTURE)
    return bool(NULL.fullmatch(name[:300])) and tools.get(name) is None
