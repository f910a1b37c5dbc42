"""Calls in tags: `<function=f><parameter=a>…`, `<invoke name="f">`, `<arg_key>`, `<tool_name>`, and a tool's own tag.

Values in tags are untyped text; the schema says what they become. A value ends at the closing tag behind which the
markup goes on, so that the same tag inside a value is data.
"""

import re
from dataclasses import dataclass

from tao.dialects.clean import SPACE, past_space
from tao.dialects.later import later
from tao.dialects.repair import Read, read_json
from tao.dialects.wishes import Fails, Wish
from tao.messages import Pairs

_PREFIX = r"(?:minimax:|seed:|antml:|steptml:|xai:|[|｜]DSML[|｜])?"
_CALLS = r"(?:function_call|tool_call|tool_use|function|invoke|tool)"
FUNCTION = later(
    rf"<{_PREFIX}{_CALLS}(?:[ \t]*=|[ \t]+(?:name|tool_name)[ \t]*=)[ \t]*[\"']?([^\"'<>\n/]{{1,120}})[\"']?[^<>\n]{{0,80}}>",
    re.IGNORECASE,
)
LOOSE = later(r"<function[=(][ \t]*[\"']?([\w.\-\u4e00-\u9fff]{1,120})[\"']?\)?>?[,: \t]{0,9}\(?(?=[{\[])")
"""`<function=name{json}`: the closing bracket of the tag forgotten (Llama behind some servers)."""
PARAMETER = later(
    rf"<(?P<tag>{_PREFIX}(?:parameter|param|arg|argument))(?:[ \t]*=|[ \t]+(?:name"
    rf"|key)[ \t]*=)[ \t]*[\"']?(?P<name>[^\"'<>\n]{{1,120}}?)[\"']?"
    r"(?P<more>[ \t]+[^<>\n]{0,80})?>",
    re.IGNORECASE,
)
_BROKEN = later(r"<[^<>\n]{0,200}$")
_NEXT = later(
    rf"\n(?={PARAMETER.pattern.replace('?P<tag>', '?:').replace('?P<name>', '?:').replace('?P<more>', '?:')})",
    re.IGNORECASE,
)
ENDS = later(
    rf"</(?=[a-z|｜]){_PREFIX}(?:arguments|parameters|args|action|tool_use|tool_input|function|invoke|tool|tool_call|function_calls?"
    rf"|tool_calls|longcat_tool_call)>|<[|｜]tool[_▁ ]call",
    re.IGNORECASE,
)
KEY = later(
    r"<(?P<family>longcat_)?arg_key>\s{0,20}([^<>\n]{1,120}?)\s{0,20}</(?:longcat_)?arg_key>\s{0,40}<(?:longcat_)?arg_value>",
    re.IGNORECASE,
)
KEY_END = later(r"</(?:longcat_)?arg_value>", re.IGNORECASE)
NAME_TAG = later(
    r"<(function|tool|tool_name|function_name|name|action)>\s{0,20}([^<>\n]{1,120}?)\s{0,20}</\1>",
    re.IGNORECASE,
)
INPUT_TAG = later(
    r"<(arguments|parameters|args|tool_input|input|action_input|params|tool_args|function_args)>",
    re.IGNORECASE,
)
CHILD = later(r"<([A-Za-z_\u4e00-\u9fff][\w.\-]{0,80})>")


@dataclass(frozen=True, slots=True)
class Found:
    """One call in markup and where it ends."""

    wish: Wish
    end: int


def function(text: str, start: int) -> Found | Fails | None:
    """`<function=name>` or `<invoke name="name">` with parameters in tags, JSON, or nothing."""
    if loose := LOOSE.match(text, start):
        return body(text, loose[1], loose.end())
    found = FUNCTION.match(text, start)
    if found is None:
        return Fails("truncated", text[start:]) if ">" not in text[start : start + 200] else None
    return body(text, found[1].strip(SPACE), found.end())


def body(text: str, name: str, at: int) -> Found | Fails:
    """Parameters of a call whose name has been read, up to its closing tag."""
    at = past_space(text, at)
    if text[at : at + 1] in {"{", "["}:
        value = read_json(text, at)
        if not isinstance(value, Read) and (until := _until(text, at)):
            value = read_json(text, at, until, sealed=True)
        if isinstance(value, Read):
            return Found(Wish(name, value.value, "json", mended=value.mended), value.end)
        return Fails("truncated" if value.kind == "truncated" else "bad_json", text[at:], name)
    if INPUT_TAG.match(text, at):
        return _input(text, name, at)
    pairs = Pairs()
    while parameter := PARAMETER.match(text, at):
        end, after = _value_end(text, parameter.end(), rf"</{re.escape(parameter['tag'])}>")
        if end is None:
            return Fails("truncated", text[parameter.start() :], name)
        raw = text[parameter.end() : end]
        typed = read_json(raw.strip(SPACE)) if 'string="false"' in (parameter["more"] or "") else None
        pairs.put(parameter["name"].strip(SPACE), typed.value if isinstance(typed, Read) else _one_newline(raw))
        at = past_space(text, after)
    if text[at : at + 1] and not text.startswith("<", at) and not pairs:
        return _text_only(text, name, at)
    if _BROKEN.match(text, at):
        return Fails("truncated", text[at:], name)
    return Found(Wish(name, pairs.plain(), "wire", open=not ENDS.match(text, at)), at)


def _text_only(text: str, name: str, at: int) -> Found | Fails:
    end = ENDS.search(text, at)
    if end is None:
        return Fails("truncated", text[at:], name)
    return Found(Wish(name, text[at : end.start()].strip(SPACE), "text"), end.start())


def _until(text: str, at: int) -> int | None:
    """Where damaged JSON in tags must end at the latest: before the last closing tag that can be its own."""
    end = ENDS.search(text, at)
    return end.start() if end else None


def _value_end(text: str, at: int, close: str) -> tuple[int | None, int]:
    """Where a value ends and where the markup goes on: at the first closing tag with markup behind it."""
    closing = re.compile(close, re.IGNORECASE)
    first = None
    following = _NEXT.search(text, at)
    end = ENDS.search(text, at)
    for found in closing.finditer(text, at):
        if following and following.start() < found.start():
            return following.start(), following.start() + 1
        first = first or found
        after = past_space(text, found.end())
        if after >= len(text) or PARAMETER.match(text, after) or ENDS.match(text, after):
            return found.start(), found.end()
    if first is not None:
        return first.start(), first.end()
    stops = [mark.start() for mark in (following, end) if mark]
    return (min(stops), min(stops)) if stops else (None, len(text))


def _one_newline(text: str) -> str:
    return text.removeprefix("\n").removesuffix("\n")


def keyed(text: str, name: str, at: int) -> Found | Fails:
    """`<arg_key>…</arg_key><arg_value>…</arg_value>` pairs behind a name (GLM)."""
    pairs = Pairs()
    while found := KEY.match(text, at):
        closed = KEY_END.search(text, found.end())
        while closed and not _goes_on(text, closed.end()):
            closed = KEY_END.search(text, closed.end())
        if closed is None:
            end = ENDS.search(text, found.end())
            if end is None:
                return Fails("truncated", text[found.start() :], name)
            pairs.put(found[2], text[found.end() : end.start()].strip("\n"))
            at = end.start()
            break
        pairs.put(found[2], text[found.end() : closed.start()])
        at = past_space(text, closed.end())
    if _BROKEN.match(text, at):
        return Fails("truncated", text[at:], name)
    return Found(Wish(name, pairs.plain(), "wire", open=not ENDS.match(text, at)), at)


def _goes_on(text: str, at: int) -> bool:
    after = past_space(text, at)
    return after >= len(text) or text[after] == "<" or not text.find("</arg_value>", after) > 0


def named(text: str, start: int) -> Found | Fails | None:
    """`<tool_name>f</tool_name>` with its arguments in tags behind it, or a name tag with parameter tags."""
    found = NAME_TAG.match(text, start)
    if found is None:
        return None
    at = past_space(text, found.end())
    if at >= len(text):
        return Found(Wish(found[2], None, "none"), at)
    if INPUT_TAG.match(text, at):
        return _input(text, found[2], at)
    if PARAMETER.match(text, at):
        return body(text, found[2], at)
    children = children_of(text, at)
    if isinstance(children, Fails):
        return children
    pairs, end = children
    return Found(Wish(found[2], pairs, "wire" if pairs else "none"), end)


def _input(text: str, name: str, at: int) -> Found | Fails:
    """Arguments in one tag: JSON, tags, or text."""
    found = INPUT_TAG.match(text, at)
    assert found, "the caller saw the tag"
    end = text.find(f"</{found[1]}>", found.end())
    if end < 0:
        whole = read_json(text, past_space(text, found.end()))
        if isinstance(whole, Read) and isinstance(whole.value, dict):
            return Found(Wish(name, whole.value, "json", mended=whole.mended), whole.end)
        return Fails("truncated", text[at:], name)
    inner = past_space(text, found.end())
    if text[inner : inner + 1] == "{":
        value = read_json(text, inner, end, sealed=True)
        if isinstance(value, Read):
            return Found(Wish(name, value.value, "json", mended=value.mended), max(end, value.end))
        return Fails("truncated" if value.kind == "truncated" else "bad_json", text[inner:end], name)
    if PARAMETER.match(text, inner):
        return body(text, name, inner)
    if CHILD.match(text, inner):
        children = children_of(text, inner)
        return children if isinstance(children, Fails) else Found(Wish(name, children[0], "wire"), children[1])
    return Found(Wish(name, text[found.end() : end].strip(SPACE), "text"), end + len(found[1]) + 3)


def children_of(text: str, at: int) -> tuple[dict[str, str], int] | Fails:
    """The tags that follow one another from `at`, by name."""
    pairs = Pairs()
    while child := CHILD.match(text, at):
        close = f"</{child[1]}>"
        end = text.find(close, child.end())
        if end < 0:
            return Fails("truncated", text[at:])
        pairs.put(child[1], _one_newline(text[child.end() : end]))
        at = past_space(text, end + len(close))
    return pairs.plain(), at


def own_tag(text: str, start: int, name: str) -> Found | Fails:
    """A call in a tag named like its tool: `<read_file><path>a</path></read_file>`."""
    at = text.index(">", start) + 1
    if text[at - 2] == "/":
        return Found(Wish(name, None, "none"), at)
    inner = past_space(text, at)
    if CHILD.match(text, inner):
        children = children_of(text, inner)
        if isinstance(children, Fails):
            return children
        return Found(Wish(name, children[0], "wire"), children[1])
    if PARAMETER.match(text, inner):
        return body(text, name, inner)
    end = text.find(f"</{name}>", at)
    if end < 0:
        return Fails("truncated", text[start:], name)
    content = text[at:end].strip(SPACE)
    return Found(Wish(name, content, "text") if content else Wish(name), end + len(name) + 3)
