"""Reading native markup from its opener on: any wrapper with any of the forms in it, several calls in a row."""

import re
from dataclasses import dataclass, replace

from tao.dialects.clean import SPACE, ZERO_WIDTH, fence_at
from tao.dialects.jsoncalls import wishes
from tao.dialects.later import later
from tao.dialects.leaks import harmony, python, tags
from tao.dialects.leaks.openers import CLOSER, OPENER, RESULT, SKIP, seek
from tao.dialects.names import Tools
from tao.dialects.repair import Fault, Read, read_json
from tao.dialects.wishes import Fails, Wish, opened

MAX_CALLS = 64
BETWEEN = 300
_NAME = later(r"[^\s<>{}\[\]()\"'`|｜✿,;=\\]{1,120}+")
_ARGS = later(
    r"(?:[ \t]*\[CALL_ID\][^\[\]\s]{0,60})?(?:[ \t]*\[ARGS\]|\s{0,9}<\|tool_call_argument_begin\|>"
    r"|\s{0,9}<\|tool_call:args\|>|\s{0,9}<[|｜]tool[_▁ ]sep[|｜]>"
    rf"|\s{{0,9}}<tool_sep>|\s{{0,9}}<\|(?:content|message)\|>|\s{{0,9}}✿ARGS✿[ \t]*[:：]?)?[\s{ZERO_WIDTH}]{{0,40}}",
    re.IGNORECASE,
)
_WRAPPED = later(r"<(?:\w{1,20}:)?(?:action|invoke)>\s{0,40}", re.IGNORECASE)
_FLOWER = later(r"✿(?:FUNCTION|RESULT|RETURN|ARGS|REPLY)✿")


@dataclass(frozen=True, slots=True)
class Leak:
    """Native markup: the calls in it in order, or why they cannot be read, and where it ends."""

    wishes: tuple[Wish, ...]
    fault: Fails | None
    end: int


def leak_at(text: str, start: int, tools: Tools) -> Leak | None:
    """The markup that opens at `start`, with the calls that follow it; None where it is none after all."""
    found: list[Wish] = []
    at = end = start
    while len(found) < MAX_CALLS:
        one = _one(text, at, tools)
        if one is None:
            break
        if isinstance(one, Fails):
            return Leak(tuple(found), one, len(text))
        found += one[0]
        end = CLOSER.match(text, one[1]).end()  # type: ignore[union-attr] # may be empty, always matches
        following = seek(text, end, min(len(text), end + BETWEEN))
        if following is not None and not RESULT.search(text, one[1], following):
            if not text[_end(SKIP, text, following) :].strip(SPACE):
                break
            at = following
        elif (more := _again(text, end, tools)) is not None:
            at = more
        else:
            break
    return Leak(tuple(found), None, end) if found else None


def _again(text: str, at: int, tools: Tools) -> int | None:
    """A further call that needs no opener of its own: JSON, or a known name with its arguments."""
    if text.startswith("{", at):
        return at
    name = _NAME.match(text, at)
    if name and tools.find(name[0]) and text[_end(_ARGS, text, name.end()) :][:1] in {"{", "<"}:
        return at
    return None


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _one(text: str, at: int, tools: Tools) -> tuple[list[Wish], int] | Fails | None:
    """The call, or the list of calls, behind what opens at `at`."""
    if text.startswith("✿FUNCTION✿", at):
        return _flower(text, at)
    if message := harmony.message_at(text, at):
        return _harmony(text, message) if message.recipient else None
    begin = _end(SKIP, text, at)
    if text.startswith("<", begin):
        tagged = tags.function(text, begin) or tags.named(text, begin)
        if tagged is not None:
            return tagged if isinstance(tagged, Fails) else ([tagged.wish], tagged.end)
    if wrapped := _WRAPPED.match(text, begin):
        inner = tags.named(text, wrapped.end())
        return inner if inner is None or isinstance(inner, Fails) else ([inner.wish], inner.end)
    if begin == at and text[at : at + 1] not in "{[":
        return _plain_name(text, at, tools) if at and not OPENER.match(text, at) else None
    if text[begin : begin + 1] in {"{", "["}:
        return _json(text, begin)
    return _plain_name(text, begin, tools)


def _json(text: str, begin: int) -> tuple[list[Wish], int] | Fails | None:
    """A call, or a list of calls, as JSON or as Python."""
    if text[begin] == "[" and python.LIST.match(text, begin):
        return python.calls(text, begin)
    value = _value(text, begin, _limit(text, begin))
    if isinstance(value, Fault):
        return Fails("truncated" if value.kind == "truncated" else "bad_json", text[begin:])
    if value.value == []:
        return [Wish("None", react=True)], value.end
    found = wishes(value.value, mended=value.mended)
    if not found:
        found = _by_name(value.value)
    if not found:
        return Fails("no_name", text[begin : value.end])
    found = [replace(wish, react=False) if wish.react else wish for wish in found]
    return opened(found, cut=value.cut and value.end == len(text)), value.end


def _value(text: str, begin: int, limit: int | None) -> Read | Fault:
    """JSON by its own end; where it is damaged, by the closing tag or token behind it."""
    value = read_json(text, begin)
    if isinstance(value, Fault) and limit is not None:
        return read_json(text, begin, limit, sealed=True)
    return value


def _limit(text: str, begin: int) -> int | None:
    """Where damaged JSON must end: at a closing tag or token; the strict reader does not ask."""
    found = _ENDING.search(text, begin)
    return found.start() if found else None


_ENDING = later(
    r"\n?</(?:\w{1,20}:)?[\w]{1,40}>|<[|｜](?:tool[_▁ ]|call|eot|eom|im_end|action_end|END_ACTION|tools_suffix|end)"
    r"|<end_function_call>|\n```|\[TOOL_CALLS\]|\[END_TOOL", re.IGNORECASE
)


def _by_name(value: object) -> list[Wish]:
    """`{"name of a tool": {arguments}}`, alone or in a list (Apertus)."""
    items = value if isinstance(value, list) else [value]
    pairs = [next(iter(item.items())) for item in items if isinstance(item, dict) and len(item) == 1]
    if len(pairs) != len(items) or not all(isinstance(given, dict) for _, given in pairs):
        return []
    return [Wish(str(name), given, "json") for name, given in pairs]


def _plain_name(text: str, begin: int, tools: Tools) -> tuple[list[Wish], int] | Fails | None:
    """A name with its arguments behind it, in any of the families' ways."""
    if begin >= len(text):
        return Fails("truncated", text)
    if text.startswith("call:", begin):
        return _gemma(text, begin + 5)
    name = _NAME.match(text, begin)
    if name is None:
        return None
    known = tools.find(name[0]) is not None
    at = _end(_ARGS, text, name.end())
    marked = text[name.end() : at].strip(SPACE) != ""
    if tags.PARAMETER.match(text, at):
        body = tags.body(text, name[0], at)
        return body if isinstance(body, Fails) else ([body.wish], body.end)
    if tags.KEY.match(text, at):
        found = tags.keyed(text, name[0], at)
        return found if isinstance(found, Fails) else ([found.wish], found.end)
    if text[name.end() : name.end() + 1] == "(":
        return python.calls(text, begin)
    if fence := fence_at(text, at):
        inner = text[fence[0] : fence[1]].strip(SPACE)
        if inner.startswith("{"):
            return _arguments(text, name[0], text.index("{", fence[0]), fence[1] if fence[1] < len(text) else None)
    if text.startswith("{", at):
        return _arguments(text, name[0], at, _limit(text, at))
    if marked:
        unfinished = text.startswith("[CALL_ID]", name.end()) and "[ARGS]" not in text[name.end() : at]
        if unfinished or "[ARGS]".startswith(text[at:].strip(SPACE)[:6]):
            return Fails("truncated", text[begin:], name[0])
        if _FLOWER.match(text, at) or at >= len(text):
            return Fails("truncated", text[begin:], name[0])
        end = _limit(text, at)
        given = text[at : len(text) if end is None else end].strip(SPACE)
        return ([Wish(name[0], given, "text")], len(text) if end is None else end) if known else Fails("unknown_tool", name[0])
    if known or text.startswith("</", at):
        return [Wish(name[0], None, "none")], at
    return None


def _arguments(text: str, name: str, at: int, limit: int | None) -> tuple[list[Wish], int] | Fails:
    """JSON arguments behind a name."""
    value = _value(text, at, limit)
    if isinstance(value, Read):
        return [Wish(name, value.value, "json", mended=value.mended, open=value.cut and value.end == len(text))], value.end
    return Fails("truncated" if value.kind == "truncated" else "bad_json", text[at:], name)


def _flower(text: str, at: int) -> tuple[list[Wish], int] | Fails:
    """`✿FUNCTION✿: name`, `✿ARGS✿: input` (Qwen-Agent)."""
    begin = at + len("✿FUNCTION✿")
    end = text.find("✿", begin)
    end = len(text) if end < 0 else end
    name = text[begin:end].strip(SPACE + ":：")
    if not text.startswith("✿ARGS✿", end):
        return [Wish(name, None, "none")], end
    begin = end + len("✿ARGS✿")
    while begin < len(text) and text[begin] in SPACE + ":：":
        begin += 1
    following = _FLOWER.search(text, begin)
    end = following.start() if following else len(text)
    if text.startswith("{", begin):
        return _arguments(text, name, begin, end if following else None)
    return [Wish(name, text[begin:end].strip(SPACE), "text")], end


def _harmony(text: str, message: harmony.Message) -> tuple[list[Wish], int] | Fails:
    """A Harmony message to a tool."""
    begin = message.begin
    while begin < message.finish and text[begin] in SPACE:
        begin += 1
    if text.startswith("{", begin):
        return _arguments(text, message.recipient, begin, message.finish if message.finish < len(text) else None)
    return [Wish(message.recipient, text[begin : message.finish].strip(SPACE), "text")], message.finish


def _gemma(text: str, begin: int) -> tuple[list[Wish], int] | Fails | None:
    """`call:name{key:<escape>text<escape>}` (Gemma)."""
    name = _NAME.match(text, begin)
    opened = name.end() if name else -1
    if name is None or not text.startswith("{", opened):
        return None
    end = _limit(text, opened)
    body = text[opened : len(text) if end is None else end]
    quoted = re.sub(r"<escape>|<\|\"\|>", '"', body)
    value = read_json(quoted, sealed=end is not None)
    if isinstance(value, Read):
        return [Wish(name[0], value.value, "json")], opened + len(body)
    return Fails("truncated" if value.kind == "truncated" else "bad_json", body, name[0])
