"""What stands outside every labelled value and may be a call all the same: JSON, fences, native markup, a tool's own tag."""

import re

from tao.dialects.clean import SPACE, fence_at, past_space
from tao.dialects.forms import Listed
from tao.dialects.jsoncalls import CALL_KEYS, THOUGHTS, answer_in, bare_key, certain, flat, wishes
from tao.dialects.labels import label_at
from tao.dialects.later import later
from tao.dialects.leaks import breaks_off, harmony, leak_at, python, seek, tags
from tao.dialects.leaks.openers import MARK, OPENER, SKIP
from tao.dialects.names import Tools, is_finish, is_null
from tao.dialects.repair import Fault, Read, read_json
from tao.dialects.state import MAX_TRIES, Scan
from tao.dialects.wishes import Acts, Fails, Nothing, Outcome, Says, Wish, opened, outcome

Step = tuple[Outcome | None, int]
"""What an item comes to (None: nothing, go on) and where to look on."""

COSTLY = 400
"""Damaged JSON that was read so far before that showed counts twice among the tries."""
REACH = 200
"""So many characters are looked back for a name."""
_BLANK = SPACE + "`"
_LINK = later(r"[\s;,]{0,40}(?=[{｛])")
_CUT = later(
    r"[{\[｛［\s]{0,20}[\"'“](?:action|tool|function|tool_?calls?"
    r"|name[\"'”]\s{0,9}:\s{0,9}[\"'“][^\"'”\n]{1,80}[\"'”]\s{0,9},\s{0,9}[\"'“](?:arg|par)\w*)",
    re.IGNORECASE,
)
_FIRST_KEY = later(r"[{\[｛［\s]{1,40}[\"'“]([^\"'”\n:]{0,30})(?:([\"'”])|$)")
_CUT_NAME = later(
    r"[{\[｛［\s]{0,20}[\"'“](?:action|tool|function|name)[\"'”]\s{0,9}:\s{0,9}[\"'“]([^\"'”\n]{1,80})[\"'”]",
    re.IGNORECASE,
)
_OWN_TAG = later(r"<([A-Za-z_\u4e00-\u9fff][\w.\-]{0,80})[ \t]{0,4}/?>")
_GENERIC = later(r"[ \t]*tool_call\(")
_TO = later(
    r"to=((?:functions?\.)?[\w.\-\u4e00-\u9fff]{1,120}+)[^{\n<]{0,40}+(?:<\|[^|>]{1,30}+\|>[^{\n<]{0,20}+){0,3}+\s{0,9}+(?=\{)"
)
_HEADLESS = later(rf"<\|start\|>assistant(?=\s{{0,9}}(?:[^<\s]|<[^|]|{MARK}))(?![ \t]{{0,4}}to?(?:=|$))")
"""The beginning of a Harmony message without a channel, with text behind it; it counts as the first that is no thinking."""
_FUNCTIONARY = later(r">>>[ \t]?([\w.\-\u4e00-\u9fff]{1,120})[ \t]*(?:\n|(?=\{)|$)")
ANSWER_TAG = later(r"<(final_answer|answer|最终答案)>", re.IGNORECASE)


def known(name: str, tools: Tools) -> bool:
    """Whether this is a tool's own name, with what models put around one."""
    return tools.find(name) is not None


def line_before(text: str, start: int) -> tuple[str, int]:
    """The last line with anything on it before `start`, and where it begins."""
    end = start
    while end > max(0, start - REACH) and text[end - 1] in _BLANK:
        end -= 1
    begin = text.rfind("\n", max(0, end - REACH), end) + 1
    return (text[begin:end].strip(SPACE), begin) if begin else ("", end)


def leaked(scan: Scan, result: Outcome, start: int) -> Outcome:
    """Note that a call came as native markup."""
    scan.keep(start, scan.mode, start)
    if isinstance(result, Acts | Says):
        scan.notes.append("leaked_call")
    return result


# ── JSON ──────────────────────────────────────────────────────────────────────


def json_item(scan: Scan, start: int, *, own_line: bool, end: int | None = None, keep: int | None = None) -> Step:
    """JSON outside every value: `own_line` where it begins one; in a labelled thought only such counts."""
    text = scan.text
    scan.tries += 1
    in_code = text[start - 1] == "`" != text[start - 2 : start - 1]
    if scan.inside or scan.tries > MAX_TRIES or (not own_line and scan.mode != "prose") or in_code:
        return None, start + 1
    if text[start] == "[" and python.LIST.match(text, start):
        return _pythonic(scan, start, end, own_line=own_line)
    found = read_json(text, start, end, sealed=end is not None)
    if isinstance(found, Fault):
        scan.tries += found.at - start > COSTLY
        return _damaged(scan, start, found, own_line=own_line)
    name, begin = line_before(text, start)
    if own_line and isinstance(found.value, dict) and name in scan.tools.exact and not _named(found.value, scan.tools):
        return leaked(scan, outcome([Wish(name, found.value, "json", mended=found.mended)], scan.tools), begin), found.end
    wished = wishes(found.value, mended=found.mended)
    whole = _whole(text, start, found.end)
    if whole and (beside := flat(found.value, scan.tools, mended=found.mended)):
        wished = [beside]
    if found.cut and end is None and begins_call(text, start) and (not wished or any(wish.given is None for wish in wished)):
        return Fails("truncated", text[start:]), found.end
    if not wished:
        return _no_call(text, found, start, wished, scan.tools, whole=whole)
    if whole and (answer := answer_in(found.value)) and all(is_null(wish.name, scan.tools) for wish in wished):
        return Says(answer), found.end
    sure = own_line or wished[0].react or isinstance(wished[0].given, dict)
    if not sure or not all(certain(wish, scan.tools, alone=whole) for wish in wished):
        unmistakable = whole and any(wish.given is not None for wish in wished)
        return (Fails("unknown_tool", wished[0].name), found.end) if unmistakable else (None, found.end)
    if not own_line and wished[0].react:
        return Fails("no_step", text[start : found.end]), found.end
    wished = opened(wished, cut=found.cut and end is None)
    scan.keep(start if keep is None else keep, scan.mode, found.end)
    if wished[0].thought:
        scan.said.append(("thought", wished[0].thought))
    more, at = _linked(scan, wished, found.end, end)
    if not more[0].react and not scan.labelled:
        scan.notes.append("leaked_call")
    return outcome(more, scan.tools), at


def begins_call(text: str, start: int) -> bool:
    """Whether JSON that breaks off begins as calls do: its first key is, or may become, one of theirs."""
    found = _FIRST_KEY.match(text, start)
    if found is None:
        return not text[start:].strip(SPACE + "{[｛［")
    key = bare_key(found[1])
    return key in CALL_KEYS if found[2] else any(known_key.startswith(key) for known_key in CALL_KEYS)


def _damaged(scan: Scan, start: int, fault: Fault, *, own_line: bool) -> Step:
    """JSON that cannot be read: where it began as a call, nothing of it may be shown."""
    if own_line and line_before(scan.text, start)[0] in scan.tools.exact:
        return Fails("truncated" if fault.kind == "truncated" else "bad_json", scan.text[start:]), start
    if fault.kind == "truncated" and (own_line or scan.mode == "prose") and begins_call(scan.text, start):
        return Fails("truncated", scan.text[start:]), start
    cut = _CUT.match(scan.text, start)
    name = _CUT_NAME.match(scan.text, start)
    begins = not scan.text[:start].strip(SPACE + "`").removesuffix("json")
    if cut and (begins or own_line or scan.mode == "prose") and (name is None or begins or known(name[1], scan.tools)):
        return Fails("truncated" if fault.kind == "truncated" else "bad_json", scan.text[start:]), start
    return None, start + 1


def _whole(text: str, start: int, end: int | None) -> bool:
    """Whether nothing but a fence stands around."""
    around = SPACE + "`"
    return not text[:start].strip(around).removesuffix("json") and (end is None or not text[end:].strip(around))


def _named(value: dict[str, object], tools: Tools) -> bool:
    return any(certain(wish, tools) and wish.given is not None for wish in wishes(value) or ())


def _no_call(text: str, found: Read, start: int, wished: list[Wish] | None, tools: Tools, *, whole: bool) -> Step:
    """JSON that is no call, or one without a name."""
    if whole and isinstance(found.value, dict) and found.value and {bare_key(str(key)) for key in found.value} <= THOUGHTS:
        return Fails("no_step", text[start : found.end]), found.end
    if whole and wished is not None:
        return Fails("no_name", text[start : found.end]), found.end
    if whole and (answer := answer_in(found.value)):
        return Says(answer), found.end
    only = next(iter(found.value.items())) if isinstance(found.value, dict) and len(found.value) == 1 else None
    if whole and only and isinstance(only[1], dict) and known(only[0], tools):
        return Fails("no_name", text[start : found.end]), found.end
    return None, found.end


def _linked(scan: Scan, wished: list[Wish], at: int, end: int | None) -> tuple[list[Wish], int]:
    """Calls with those that follow, divided by nothing but commas and semicolons: one parallel form."""
    more = list(wished)
    while not wished[0].react and (link := _LINK.match(scan.text, at)):
        following = read_json(scan.text, link.end(), end)
        extra = wishes(following.value) if isinstance(following, Read) else None
        if not isinstance(following, Read) or not extra or not all(certain(wish, scan.tools) for wish in extra):
            break
        more, at = more + extra, following.end
    return more, at


def _pythonic(scan: Scan, start: int, end: int | None, *, own_line: bool) -> Step:
    """`[f(a=1), g()]` where every name is known; within a line of prose only with arguments by name."""
    found = python.calls(scan.text, start, end)
    whole = _whole(scan.text, start, None)
    if not own_line and not (isinstance(found, tuple) and all(_keyed(wish) for wish in found[0])):
        return None, start + 1
    if isinstance(found, Fails):
        name = python.CALL.search(scan.text, start)
        return (found, start) if name and known(name["name"], scan.tools) else (None, start + 1)
    if not found:
        return None, start + 1
    if not all(known(wish.name, scan.tools) or is_finish(wish.name, scan.tools) for wish in found[0]):
        alone = whole and not scan.text[found[1] :].strip(SPACE)
        return (Fails("unknown_tool", found[0][0].name) if alone else None), found[1]
    return leaked(scan, outcome(found[0], scan.tools), start), found[1]


def _keyed(wish: Wish) -> bool:
    """Whether a call in Python gives its arguments by name, as calls do and running text does not."""
    return isinstance(wish.given, Listed) and bool(wish.given.named) and not wish.given.values


# ── fences ────────────────────────────────────────────────────────────────────


def fence_item(scan: Scan, start: int) -> Step:
    """A code fence outside every value: a call in it counts; a labelled step too, where the fence begins or ends the reply.

    Where it begins it, what comes behind it is no part of the step: the model waits, or makes up what follows.
    """
    found = fence_at(scan.text, start)
    if found is None:
        return None, start + 3
    begin, end, after = found
    inner = begin
    while inner < end and scan.text[inner] in SPACE:
        inner += 1
    head = scan.text[start:begin]
    if not scan.inside:
        result: Outcome | None = None
        if "tool_code" in head or _GENERIC.match(scan.text, inner):
            result = _code(scan, start, inner, end)
        elif OPENER.match(scan.text, inner):
            return None, inner - 1
        elif scan.text[inner : inner + 1] in {"{", "[", "｛", "［"}:
            result, _ = json_item(scan, inner, own_line=True, end=end if end < len(scan.text) else None, keep=start)
        if result is not None:
            return result, after
    behind = past_space(scan.text, after)
    if label := label_at(scan.text, inner):
        last = behind == len(scan.text) or label_at(scan.text, behind) is not None
        first = label.kind in {"thought", "action"} and not scan.said and not scan.text[scan.since : start].strip(SPACE)
        rest = scan.text[after:] if last else ""
        if (last or first) and scan.turn(scan.text[:start] + "\n" + scan.text[inner:end] + "\n" + rest):
            return None, start
    return None, max(after - 1, start + 3)


def _code(scan: Scan, start: int, inner: int, end: int) -> Outcome | None:
    """Calls in `tool_code` (Gemini), or `tool_call(…)` under a tool's name (ChatGLM3)."""
    found = python.calls(scan.text, inner, end)
    if found is None:
        return Fails("bad_json", scan.text[inner:end])
    if isinstance(found, Fails):
        return found
    name, begin = line_before(scan.text, start)
    if _GENERIC.match(scan.text, inner):
        name = re.split(r"[>\s]", name)[-1]
        found = ([Wish(name if wish.name == "tool_call" else wish.name, wish.given, wish.form) for wish in found[0]], found[1])
        start = begin
    return leaked(scan, outcome(found[0], scan.tools), start)


# ── markup ────────────────────────────────────────────────────────────────────


def markup_item(scan: Scan, start: int) -> Step:
    """Native call markup."""
    text = scan.text
    if scan.inside or text[start - 1] == "`":
        return None, start + 1
    if message := harmony.message_at(text, start):
        if not message.recipient:
            return _channel(scan, start, message)
    elif (bare := _HEADLESS.match(text, start)) and not scan.said and not text[scan.since : start].strip(SPACE):
        scan.keep(start, scan.mode, start)
        turned = scan.turn(text[:start] + "\n" + text[bare.end() :])
        return (None, start) if turned else (Fails("truncated", text[start:]), start)
    elif text.startswith(("<|channel|>", "<|start|>assistant"), start):
        return Fails("truncated", text[start:]), start
    leak = leak_at(text, start, scan.tools)
    if leak is not None:
        result = leak.fault or outcome(leak.wishes, scan.tools)
        if isinstance(result, Nothing):
            scan.keep(start, scan.mode, leak.end)
            return None, leak.end
        return leaked(scan, result, start), leak.end
    skipped = SKIP.match(text, start)
    after = max(start + 1, skipped.end() if skipped else 0)
    if not text[after:].strip(SPACE):
        return Fails("truncated", text[start:]), after
    opener = OPENER.match(text, start)
    if opener and re.match(r"[ \t][a-z\u4e00-\u9fff]", text[opener.end() : opener.end() + 2]):
        return None, opener.end()
    return Fails("bad_json", text[start:]), after


def _channel(scan: Scan, start: int, message: harmony.Message) -> Step:
    """A Harmony message to nobody: thinking, a preamble, or the answer."""
    if message.channel == "analysis":
        scan.keep(start, scan.mode, message.end)
        scan.think(scan.text[message.begin : message.finish])
        return None, message.end
    scan.keep(start, "prose", message.begin)
    if message.channel == "final":
        scan.text = scan.text[: message.begin] + "\n" + scan.text[message.begin : message.finish]
        scan.said.clear()
        return None, message.begin
    scan.keep(message.finish, "prose", message.end)
    return None, message.end


def own_tag_item(scan: Scan, start: int) -> Step | None:
    """A line that begins with a tool's own tag."""
    found = _OWN_TAG.match(scan.text, start)
    if found is None or found[1] not in scan.tools.exact or scan.inside:
        return None
    call = tags.own_tag(scan.text, start, found[1])
    if isinstance(call, Fails):
        return call, start
    return leaked(scan, outcome([call.wish], scan.tools), start), call.end


def functionary_item(scan: Scan, start: int) -> Step:
    """`>>>name` with JSON on the next line, `>>>all` with text (Functionary)."""
    found = _FUNCTIONARY.match(scan.text, start)
    if found is None or scan.inside:
        return None, start + 3
    if found[1] == "all":
        scan.keep(start, "prose", found.end())
        return None, found.end() - 1
    wished: list[Wish] = []
    value: Read | Fault | None = None
    at = start
    while (more := _FUNCTIONARY.match(scan.text, at)) and scan.text.startswith("{", more.end()):
        value = read_json(scan.text, more.end())
        if isinstance(value, Fault):
            break
        wished.append(Wish(more[1], value.value, "json", mended=value.mended))
        at = value.end
        while at < len(scan.text) and scan.text[at] in SPACE:
            at += 1
    if wished and not isinstance(value, Fault):
        return leaked(scan, outcome(wished, scan.tools), start), at
    if isinstance(value, Fault):
        return Fails("truncated" if value.kind == "truncated" else "bad_json", scan.text[start:]), start
    if known(found[1], scan.tools):
        return leaked(scan, outcome([Wish(found[1], scan.text[found.end() :], "text")], scan.tools), start), len(scan.text)
    return None, start + 3


def recipient_item(scan: Scan, start: int) -> Step:
    """`… to=functions.f json{…}`: Harmony without its tokens."""
    found = _TO.match(scan.text, start)
    if found is None or scan.inside:
        return None, start + 3
    value = read_json(scan.text, found.end())
    if isinstance(value, Fault):
        return Fails("truncated" if value.kind == "truncated" else "bad_json", scan.text[start:]), start
    return leaked(scan, outcome([Wish(found[1], value.value, "json", mended=value.mended)], scan.tools), start), value.end


def args_item(scan: Scan, start: int) -> Step:
    """`name[ARGS]{json}` whose opener is missing (Mistral)."""
    name, begin = line_before(scan.text, start)
    name = name.split()[-1] if name else ""
    at = start + len("[ARGS]")
    if scan.inside or not known(name, scan.tools) or not scan.text.startswith("{", at):
        return None, at
    value = read_json(scan.text, at)
    if isinstance(value, Fault):
        return Fails("truncated" if value.kind == "truncated" else "bad_json", scan.text[begin:]), at
    return leaked(scan, outcome([Wish(name, value.value, "json", mended=value.mended)], scan.tools), start - len(name)), value.end


def answer_tag_item(scan: Scan, start: int) -> Step:
    """`<answer>…</answer>`."""
    found = ANSWER_TAG.match(scan.text, start)
    if found is None or scan.text[start - 1] == "`":
        return None, start + 1
    close = re.compile(f"</{found[1]}>", re.IGNORECASE).search(scan.text, found.end())
    end = close.start() if close else len(scan.text)
    opener = seek(scan.text, found.end(), end)
    if opener is not None and leak_at(scan.text, opener, scan.tools):
        scan.keep(start, scan.mode, found.end())
        return None, found.end()
    scan.keep(start, "aside", end)
    answer = scan.text[found.end() : end].strip(SPACE)
    if close is None and breaks_off(answer):
        return Fails("truncated", answer), end
    return (Says(answer) if answer else Fails("no_answer")), end
