"""A labelled action: its name or call, and its input."""

import re

from tao.dialects import labels
from tao.dialects.arguments import Args, Bad, from_call, from_list, from_text
from tao.dialects.clean import SPACE, TURN, fence_at
from tao.dialects.convert import missing, parameters
from tao.dialects.forms import Listed, closing, listed
from tao.dialects.jsoncalls import flat, wishes
from tao.dialects.labels import MID_INPUT, Label, next_label
from tao.dialects.later import later
from tao.dialects.leaks import OPENER, leak_at, python
from tao.dialects.names import Tools, is_finish, is_null
from tao.dialects.repair import Fault, Read, read_json
from tao.dialects.wishes import Acts, Fails, Nothing, Outcome, Says, finish, opened, outcome
from tao.messages import ToolSpec

_OPEN = later(r"[\[(［（{｛]")
_JSON = later(r"[{｛]|[\[［]\s{0,40}[{｛\"'“]")
_BREAK = later(
    r"(?m)^[ \t]*</?(?:think(?:ing)?|action|tool_call|tool_response|function_calls)\b[^>\n]{0,40}>",
    re.IGNORECASE,
)
_CUTS = (
    (("Action ", "Tool ", "Output ", "Function "), labels.JUNK),
    (("<",), labels.TAG_OBSERVATION),
    (("<",), _BREAK),
    (("bservation", "BSERVATION", "察", "<observation>"), labels.MID_OBSERVATION),
    (("<",), TURN),
)
"""What ends an input, each behind words without which it cannot be there; the last two not where JSON begins."""
_CUTTING = later("<|Action |Tool |Output |Function |bservation|BSERVATION|察")
"""All those words: most inputs have none."""
_NAMES_TOOL = later(r"[\"'“](?:name|action|tool|function|tool_call)", re.IGNORECASE)
_KEYWORD = later(r"\s{0,9}\w{1,60}[ \t]{0,3}=[ \t]{0,3}[\"'“\d\[{-]")
_BESIDE = later(
    r"(?P<name>[^\s:：\[(（{｛\"'“]{1,80})"
    r"(?:[ \t]*[:：][ \t]*(?P<text>\S[^\n]*)|[ \t]+(?P<quoted>\"[^\"\n]+\"|'[^'\n]+'|“[^”\n]+”))"
)
_FOLLOWS = later(r"[ \t]*[.,;:。，；]?\s*(?=[{｛]|```)")


def input_region(text: str, start: int) -> tuple[int, int]:
    """Where an input begins and ends: at the next label, at a line that only a log or a tag begins, or with the text."""
    while start < len(text) and text[start] in SPACE:
        start += 1
    at = start
    if fence := fence_at(text, start):
        at = fence[2]
    back = start
    while back and text[back - 1] in " \t":
        back -= 1
    following = next_label(text, back if back and text[back - 1] == "\n" and at == start else at)
    if following and following.kind == "question" and not _cycle(text, following):
        following = _past_questions(text, following)
    end = following.start if following else len(text)
    cuts = _CUTS if text[start : start + 1] not in {"{", "[", "｛"} else _CUTS[:3]
    for words, cut in cuts if _CUTTING.search(text, at, end) else ():
        if any(text.find(word, at, end) >= 0 for word in words) and (found := cut.search(text, at, end)):
            end = found.start()
    return start, max(start, end)


def _cycle(text: str, question: Label) -> bool:
    """Whether a step or an answer follows a question, which then was made up; any other is part of the input."""
    return any(label.kind in {"action", "final"} for label in labels.outside_fences(text, question.value))


def _past_questions(text: str, label: Label) -> Label | None:
    """The first label that is no question."""
    return next((other for other in labels.outside_fences(text, label.value) if other.kind != "question"), None)


def action(text: str, label: Label, tools: Tools) -> tuple[Outcome, int]:
    """What a labelled action comes to, and where what belongs to it ends."""
    start = label.value
    while start < len(text) and text[start] in SPACE:
        start += 1
    following = next_label(text, label.value)
    if (OPENER.match(text, start) or text.startswith("<action>", start)) and (leak := leak_at(text, start, tools)):
        return leak.fault or outcome(leak.wishes, tools), leak.end
    if fence := fence_at(text, start):
        inner = text[fence[0] : fence[1]].strip(SPACE)
        if _JSON.match(inner):
            return _json(inner, 0, tools, sealed=fence[1] < len(text)), fence[2]
        following = next_label(text, fence[2])
        return _named(text, inner.split("\n")[0] if "(" not in inner and "[" not in inner else inner, None, following, tools)
    if following and following.start < start:
        return (Fails("no_tool"), following.start) if following.kind != "observation" else (Nothing(), following.start)
    if _JSON.match(text, start) and not _listed_name(text, start, tools):
        return _json(text, start, tools, end=following.start if following else None), start
    end = text.find("\n", start)
    end = min(len(text) if end < 0 else end, following.start if following else len(text))
    return _named(text, text[start:end], start, following, tools)


def _listed_name(text: str, start: int, tools: Tools) -> bool:
    """`["search"]`: a name in brackets, not JSON."""
    line = text[start : start + 120].split("\n", 1)[0]
    return len(line) < 120 and '":' not in line and tools.find(line) is not None


def _json(text: str, start: int, tools: Tools, *, end: int | None = None, sealed: bool = False) -> Outcome:
    """A labelled action that is JSON."""
    found = read_json(text, start, end, sealed=sealed or end is not None)
    if isinstance(found, Fault):
        return Fails("truncated" if found.kind == "truncated" else "bad_json", text[start:])
    beside = flat(found.value, tools, mended=found.mended)
    wished = [beside] if beside else wishes(found.value, mended=found.mended)
    if not wished:
        return Fails("no_name", text[start : found.end])
    return outcome(opened(wished, cut=found.cut and not sealed and end is None), tools, phrase=True)


def _named(text: str, line: str, at: int | None, following: Label | None, tools: Tools) -> tuple[Outcome, int]:
    """An action line: a name, perhaps with its input on the line, as a call or on the lines that follow."""
    if at is not None and (same := MID_INPUT.search(line)):
        name, value = line[: same.start()], at + same.end()
        return with_input(text, name, value, tools)
    opened = _OPEN.search(line)
    if at is not None and (cut := labels.MID_OBSERVATION.search(line)) and (not opened or cut.start() < opened.start()):
        line, opened = line[: cut.start()], None
    given = following if following and following.kind == "input" else None
    explicit = opened and given and not missing(text[slice(*input_region(text, given.value))])
    if opened and at is not None and not explicit and (called := _called(text, at, at + opened.start(), following, tools)):
        return called
    if opened and at is None and (called := _called(line, 0, opened.start(), None, tools)):
        return called
    name = line[: opened.start()] if opened and opened[0] not in "{｛" and opened.start() and explicit else line
    if given is not None:
        return with_input(text, name if tools.resolve(line) is None else line, given.value, tools, bold=given.bold)
    end = following.start if following else len(text)
    if at is not None and (inline := _OPEN.search(line)) and inline[0] in "{｛":
        return with_input(text, line[: inline.start()], at + inline.start(), tools)
    behind = at + len(line) if at is not None else end
    if (json := _FOLLOWS.match(text, behind, end)) and not is_null(line, tools):
        return with_input(text, line, json.end(), tools)
    if following and following.kind == "final" and is_finish(line, tools) and tools.resolve(line) is None:
        return Nothing(), following.start
    return _beside(line, tools) or _bare(line, tools), end


def _beside(line: str, tools: Tools) -> Outcome | None:
    """`tool: input` and `tool "input"`, where the line begins with the name itself."""
    found = _BESIDE.fullmatch(line.strip(SPACE))
    tool = tools.get(found["name"]) if found else None
    if found is None or is_null(line, tools):
        return None
    given = found["text"] or found["quoted"]
    if is_null(given, tools):
        return None
    if tool is None:
        return finish(given, name=found["name"], sealed=True) if found["text"] and is_finish(found["name"], tools) else None
    args = from_text(tool, given, sealed=True)
    return _call(tool, args, found["name"], 0)[0]


def _bare(line: str, tools: Tools) -> Outcome:
    """An action without any input."""
    if tool := tools.get(line.strip(SPACE)) or (None if is_null(line, tools) else tools.resolve(line)):
        return Fails("no_input", "", tool.name) if parameters(tool).required else Acts(((tool, {}),), _renamed(tool, line))
    if is_finish(line, tools):
        return Fails("no_answer", line)
    return Nothing() if is_null(line, tools) else Fails("unknown_tool", line.strip(SPACE))


def _renamed(tool: ToolSpec, name: str) -> tuple[str, ...]:
    return ("name_resolved",) if name.strip(SPACE) != tool.name else ()


def with_input(text: str, name: str, value: int, tools: Tools, *, bold: bool = False) -> tuple[Outcome, int]:
    """A named action with an input that begins at `value`."""
    start, end = input_region(text, value)
    given = text[start:end]
    sealed = end < len(text)
    behind = labels.label_at(text, end) if sealed else None
    if not sealed or (behind and behind.kind == "observation"):
        given = labels.residue(given.rstrip(SPACE))
    if bold and given.rstrip(SPACE).endswith("**") and given.count("**") % 2:
        given = given.rstrip(SPACE)[:-2]
    tool = tools.get(name.strip(SPACE)) or (None if is_null(name, tools) else tools.resolve(name))
    if tool is None:
        if is_finish(name, tools):
            return finish(given, name=name, sealed=sealed), end
        return (Nothing() if is_null(name, tools) else Fails("unknown_tool", name.strip(SPACE))), end
    if (inner := _call_as_input(text, start, end, tool, tools)) is not None:
        return inner, end
    args = from_text(tool, given, sealed=sealed, rest=text[start:])
    if isinstance(args, Bad):
        return Fails(args.reason, args.quote, tool.name), end
    return Acts(((tool, args.values),), _renamed(tool, name) + ("json_repaired",) * args.mended), end


def _call_as_input(text: str, start: int, end: int, tool: ToolSpec, tools: Tools) -> Outcome | None:
    """An input that is a whole call once more, in JSON or markup: unwrapped where it calls the same tool, else a fault."""
    if OPENER.match(text, start):
        leak, cut = leak_at(text, start, tools), False
        wished = list(leak.wishes) if leak and not leak.fault else None
    elif text.startswith(("{", "｛"), start) and _NAMES_TOOL.search(text, start, min(end, start + 400)):
        found = read_json(text, start, end)
        keys = found.value if isinstance(found, Read) and isinstance(found.value, dict) else {}
        wished = None if any(map(parameters(tool).known, keys)) else wishes(keys)
        cut = isinstance(found, Read) and found.cut
    else:
        return None
    if not wished or len(wished) != 1 or not tools.find(wished[0].name):
        return None
    if wished[0].given is None:
        return Fails("truncated", text[start:end], tool.name) if cut else None
    same = tools.find(wished[0].name) is tool
    return outcome(wished, tools) if same else Fails("no_input", text[start:end], tool.name)


def _called(text: str, at: int, opened: int, following: Label | None, tools: Tools) -> tuple[Outcome, int] | None:
    """`tool[input]` and `tool(…)`; None where the bracket is a remark or part of a phrase."""
    name = text[at:opened]
    spaced = name.endswith((" ", "\t"))
    tool = tools.find(name)
    finishing = tool is None and is_finish(name, tools)
    if not (tool or finishing) or not name.strip(SPACE + "*`\"'") or text[opened] in "{｛":
        return None
    limit = following.start if following else len(text)
    closed = closing(text, opened, limit)
    inside = text[opened + 1 : opened + 200].lstrip(SPACE)[:1]
    written = inside in {"{", '"', "'", ")", "“"} or _KEYWORD.match(text, opened + 1)
    if spaced and text[opened] in "(（" and (closed is None or not written):
        return None
    if closed is None:
        args = _unclosed(tool, text, opened, limit) if tool else None
        if tool and args:
            return _call(tool, args, name, limit)
        return Fails("truncated", text[at:limit], tool.name if tool else name), limit
    if tool is None:
        return finish(text[opened + 1 : closed], name=name, bracketed=text[opened] in "[［"), closed + 1
    return _call(tool, from_call(tool, text, opened, closed), name, closed + 1)


def _call(tool: ToolSpec, args: Args | Bad, name: str, end: int) -> tuple[Outcome, int]:
    if isinstance(args, Bad):
        return Fails(args.reason, args.quote, tool.name), end
    return Acts(((tool, args.values),), _renamed(tool, name) + ("json_repaired",) * args.mended), end


def _unclosed(tool: ToolSpec, text: str, opened: int, limit: int) -> Args | None:
    """The arguments where only the call's own bracket is missing: what stands before its place is surely whole."""
    shape = parameters(tool)
    if text[opened] in "(（" and isinstance(found := listed(text, opened, limit), Listed):
        args = from_list(shape, found)
        return args if args and all(name in args.values for name in shape.required) else None
    inner = text[opened + 1 : limit].strip(SPACE)
    whole = read_json(inner) if inner.startswith("{") and inner.endswith("}") else None
    return Args(whole.value, mended=True) if isinstance(whole, Read) and isinstance(whole.value, dict) else None


def written_call(text: str, tools: Tools) -> Acts | Says | Fails | None:
    """A reply that is nothing but `tool[input]` or `tool(…)` of a known tool."""
    if text.startswith("print(") and "print" not in tools.exact:
        return _several(text, tools)
    opened = _OPEN.search(text[:200])
    if opened is None or opened[0] in "{｛" or text[: opened.start()] != text[: opened.start()].strip(SPACE):
        return None
    name = text[: opened.start()].removeprefix("functions.")
    if tools.get(name) is None and not (name.isalpha() and is_finish(name, tools)):
        return None
    if text.startswith(("[ARGS]", "[CALL_ID]"), opened.start()):
        return Fails("truncated", text, name)
    closed = closing(text, opened.start(), len(text))
    if closed is not None and closed + 1 < len(text.rstrip(SPACE + ".。;")):
        return _several(text, tools)
    called = _called(text, opened.start() - len(name), opened.start(), None, tools)
    return called[0] if called and not isinstance(called[0], Nothing) else None


def ends_in_call(text: str, tools: Tools) -> bool:
    """Whether the last of several lines is `tool[input]` and nothing else: what a model shows that forgot the label."""
    _, above, line = text.rpartition("\n")
    found = _OPEN.search(line[:200])
    written = found is not None and found[0] in "[［" and line.endswith(("]", "］"))
    return bool(above and found and written and tools.get(line[: found.start()].strip(SPACE)))


def _several(text: str, tools: Tools) -> Acts | Says | Fails | None:
    """A reply that is nothing but calls of known tools, one after the other."""
    found = python.calls(text, 0)
    if not isinstance(found, tuple) or text[found[1] :].strip(SPACE + ";") or not all(tools.find(wish.name) for wish in found[0]):
        return None
    result = outcome(found[0], tools)
    return None if isinstance(result, Nothing) else result
