"""One reply from top to bottom: what decides it, and what was thought before that."""

import re
from collections.abc import Callable
from itertools import islice

from tao.dialects import found as items
from tao.dialects.answers import announces, answer_end, no_tool_answer, tidy, turn_end
from tao.dialects.clean import FENCE, SPACE, ZERO_WIDTH, lines, past_space, unfence, unspoken, untoken
from tao.dialects.convert import missing
from tao.dialects.found import ANSWER_TAG, Step
from tao.dialects.labels import LABEL_LINE, MID_ACTION, MID_INPUT, Label, fences, first_line_label, label_at, next_label, unveiled
from tao.dialects.later import later
from tao.dialects.leaks import OPENER, SOUGHT, begun, breaks_off, harmony, opener_from
from tao.dialects.leaks.python import LIST
from tao.dialects.names import Tools, is_finish
from tao.dialects.others import ours, untagged
from tao.dialects.repair import Read, read_strict
from tao.dialects.state import Judged, Scan
from tao.dialects.steps import action, ends_in_call, input_region, with_input, written_call
from tao.dialects.thoughts import OPEN, STRAY, THINKING, block_at
from tao.dialects.wishes import Acts, Fails, Nothing, Says

_PLACES = {
    "\n": rf"(?={LABEL_LINE}|[ \t{ZERO_WIDTH}]*+(?:```|~~~|[{{\[｛［]|<[A-Za-z_\u4e00-\u9fff]|tool_call\())",
    "<": rf"(?=[a-z最]|[|｜][a-z])(?:(?P<opener>{SOUGHT['<']})|(?P<answer>{ANSWER_TAG.pattern.removeprefix('<')})|{THINKING})",
    "{": r"(?=\s{0,20}\\?[\"'“])",
    "`": r"``(?=\w{0,12}\s{0,9}[{\[]|(?:vis-thinking|thinking|thought)[ \t]*\n)",
    "[": rf"(?:{SOUGHT['[']}|ARGS\]|THINK\]|(?=[A-Za-z_\u4e00-\u9fff][\w.\-]{{0,80}}\())",
    "✿": SOUGHT["✿"],
    ":": SOUGHT[":"],
    "◁": "think▷",
    ">": r">>(?=[ \t]?\w)",
    "=": r"(?<=to=)(?=functions?\.)",
}
_CASED = "\n{"
"""Marks whose rest says itself which letters may be of either case: most marks are these, and so they are looked at faster."""
MARK = later("|".join(f"{re.escape(mark)}{rest if mark in _CASED else f'(?i:{rest})'}" for mark, rest in _PLACES.items()))
"""Every place where something may begin that decides a reply; each begins with a character of its own, so the pass over a text is quick."""


MAX_BLOCKS = 16
"""So many blocks of thinking are looked for in one answer."""
_INDENT = " \t" + ZERO_WIDTH
_ZH_GIVEN = ("输入", "輸入", "参数", "參數", "入力")
MAX_MARKS = 1200
"""So many marks are looked at; a reply with more is no reply."""
_NO_STEP = frozenset({"unknown_tool", "no_tool", "no_step", "empty"})
"""Why there is no step at all, rather than a damaged one."""
_UNTOLD = frozenset({"unknown_tool", "no_input", "no_step"})
"""What is said of a step in tags that are none of a model's native ones."""
QUESTIONS = ("Question", "question", "QUESTION", "问题", "用户问题")
_RETURN = later(r"\A\s*✿(?:RETURN|REPLY)✿[ \t]*[:：]?")


def judge(text: str, tools: Tools) -> Judged:
    """What a reply means."""
    text = untoken(unveiled(lines(text)))
    kept = text.startswith(("```tool_code", "```vis-thinking", "```thinking"))
    inner = text if kept else untoken(unfence(text))
    whole = unspoken(inner)
    if not whole.strip(SPACE):
        return Judged(Fails("empty"))
    scan = Scan("\n" + whole, tools)
    if bare := harmony.stripped(whole):
        scan = _unchannelled(scan, whole, bare)
    first = run(scan)
    if (first is None or isinstance(first, Fails)) and (again := _in_other_words(whole, tools, first)):
        scan, first = again
    found = first or unlabelled(scan)
    notes = (*(["unfenced"] if inner != text else []), *scan.notes, *(found.notes if isinstance(found, Acts | Says) else ()))
    return Judged(found, scan.thought, tuple(dict.fromkeys(notes)))


def _in_other_words(text: str, tools: Tools, first: Fails | None) -> tuple[Scan, Acts | Says | Fails] | None:
    """The reply read once more with the label words of other forms, where that makes a step of it."""
    words = ours(text) if first is None or first.reason == "no_input" else None
    words = words or (untagged(text) if first is None or first.reason in _UNTOLD else None)
    scan = Scan("\n" + (words or ""), tools)
    found = run(scan) if words else None
    if isinstance(found, Acts | Says) or (first is None and isinstance(found, Fails) and found.reason not in _NO_STEP):
        return scan, found
    return None


def thought_in(text: str, tools: Tools) -> str:
    """The thought in a text that stands beside structured calls: without labels, tags and steps."""
    text = untoken(lines(text))
    if not text or _plain("\n" + text):
        return text  # as mostly
    scan = Scan("\n" + text, tools)
    run(scan)
    return scan.thought


def _plain(text: str) -> bool:
    """Whether nothing stands in the text where a pass over it would stop."""
    return not (("/" in text and STRAY.search(text)) or _may_give(text) or MARK.search(text))


def _unchannelled(scan: Scan, text: str, bare: harmony.Message) -> Scan:
    """A Harmony reply without its tokens, put back into one."""
    scan.think(text[: bare.begin])
    to = f"<|channel|>commentary to={bare.recipient}<|message|>" if bare.recipient else ""
    scan.text = "\n" + to + text[bare.begin :]
    return scan


def run(scan: Scan) -> Acts | Says | Fails | None:
    """The first item that decides, or None."""
    past_stray(scan)
    at = 0
    text, inline = scan.text, _inline(scan)
    for _ in range(MAX_MARKS):
        if inline and (inline[0] < at or scan.mode not in {"prose", "thought"}):
            inline = _inline(scan, max(at, inline[2]))
        mark = MARK.search(scan.text, at)
        if mark is None or (inline and mark.start() >= inline[0]):
            break
        result, at = _item(scan, mark)
        if result is not None and not isinstance(result, Nothing):
            following = next_label(scan.text, at) if isinstance(result, Acts) else None
            scan.notes += ["cut_observation"] * (following is not None and following.kind == "observation")
            return result
        if isinstance(result, Nothing):
            scan.skipped = True
        if scan.skipped:
            inline = None
        elif scan.text is not text:
            text, inline = scan.text, _inline(scan, at)
    else:
        return Fails("no_step", scan.text)
    if inline and scan.mode in {"prose", "thought"}:
        scan.keep(inline[0], "aside", inline[0])
        result = with_input(scan.text, inline[1], inline[2], scan.tools)[0]
        return result if not isinstance(result, Nothing) else None
    scan.keep(len(scan.text), scan.mode, len(scan.text))
    return None


def past_stray(scan: Scan) -> None:
    """Leave out what stands before a closing think tag whose opening was in the prompt.

    A labelled answer before such a tag, in a reply that began with a label, was no thinking: there the tag is residue.
    """
    if "/" not in scan.text:
        return
    opened = OPEN.search(scan.text)
    at = 0
    for stray in STRAY.finditer(scan.text, 0, opened.start() if opened else len(scan.text)):
        if scan.text[stray.start() - 1] == "`" or _in_value(scan.text, at, stray.start()):
            break
        scan.think(scan.text[at : stray.start()])
        at = stray.end()
    if at:
        scan.text = "\n" + scan.text[at:].lstrip(SPACE)


def _in_value(text: str, start: int, place: int) -> bool:
    """Whether a place lies in a JSON string or in a parameter's tag, where everything is data."""
    brace = text.find("{", start, place)
    for _ in range(4):
        if brace < 0:
            break
        found = read_strict(text, brace)
        if isinstance(found, Read):
            if found.end > place:
                return True
            brace = found.end
        brace = text.find("{", brace + 1, place)
    opened = text.rfind("<parameter", start, place)
    return opened >= 0 and text.find("</parameter", opened, place) < 0 <= text.find("</parameter", place)


def _may_give(text: str) -> bool:
    """Whether a part of the label of an input stands in the text."""
    given = "nput" in text or "rg" in text or "aram" in text or "NPUT" in text
    return given or (not text.isascii() and any(word in text for word in _ZH_GIVEN))


def _inline(scan: Scan, at: int = 0) -> tuple[int, str, int] | None:
    """The first `… Action: X Action Input: Y` within a line from `at` on, with a known X: place, name, start of the input."""
    text = scan.text
    if not _may_give(text):
        return None
    for _ in range(8):
        given = MID_INPUT.search(text, at)
        if given is None:
            return None
        at = given.end()
        line = text.rfind("\n", 0, given.start()) + 1
        label = label_at(text, line)
        if label and label.kind in {"action", "input", "final"}:
            continue
        named = list(MID_ACTION.finditer(text, max(line, given.start() - 400), given.start()))
        if named and text[named[-1].start() - 1] != "`":
            name = text[named[-1].end() : given.start()].strip(SPACE + ",;。.")
            if scan.tools.resolve(name) or is_finish(name, scan.tools):
                return named[-1].start(), name, given.end()
    return None


def _item(scan: Scan, mark: re.Match[str]) -> Step:
    """What one mark comes to, and where to look on."""
    text, start = scan.text, mark.start()
    if text[start] == "\n":
        return _line(scan, start + 1)
    if text[start - 1] != "`" and (block := block_at(text, start)):
        scan.keep(start, scan.mode, block[1])
        scan.think(block[0])
        if text[block[1] : block[1] + 1] not in {"\n", ""}:
            scan.turn(text[: block[1]] + "\n" + text[block[1] :])
        return None, block[1]
    if scan.mode == "quoted" and _observed(text, start):
        return None, start + 1
    if mark["answer"]:
        return items.answer_tag_item(scan, start)
    if text.startswith("[ARGS]", start):
        return items.args_item(scan, start)
    if text[start] == "[" and LIST.match(text, start):
        return items.json_item(scan, start, own_line=False)
    if text[start] in "<[✿:":
        return items.markup_item(scan, opener_from(text, start))
    if text[start] == "`":
        return items.fence_item(scan, start)
    if text[start] == ">":
        return items.functionary_item(scan, start)
    if text[start] == "=":
        return items.recipient_item(scan, start - 2)
    if text[start] in "{｛":
        return items.json_item(scan, start, own_line=False)
    return None, start + 1


def _observed(text: str, start: int) -> bool:
    """Whether this stands on the line of an observation that is repeated: whoever wrote that, it was not the model."""
    label = label_at(text, text.rfind("\n", 0, start) + 1)
    return label is not None and label.kind == "observation"


def _line(scan: Scan, line: int) -> Step:
    """What the beginning of a line comes to."""
    text, bare = scan.text, line
    while bare < len(text) and text[bare] in _INDENT:
        bare += 1
    if label := label_at(text, line):
        return HANDLERS[label.kind](scan, label)
    if OPEN.match(text, bare):
        return None, line
    if FENCE.match(text, bare):
        return items.fence_item(scan, bare)
    if text[bare : bare + 1] in {"{", "[", "｛", "［"} and not OPENER.match(text, bare):
        return items.json_item(scan, bare, own_line=True)
    if text.startswith("<", bare) and (tag := items.own_tag_item(scan, bare)):
        return tag
    if text.startswith("tool_call(", bare) and not scan.inside and scan.turn(text[:bare] + "```\n" + text[bare:] + "\n```"):
        return items.fence_item(scan, bare)
    return None, line


def _on(scan: Scan, label: Label) -> int:
    """Where to look on behind a label: the newline in front of its value, where it has one, is a mark again."""
    return max(label.value - (scan.text[label.value - 1] == "\n"), label.start)


def _thought(scan: Scan, label: Label) -> Step:
    scan.keep(label.start, "thought", label.value)
    scan.labelled = True
    return None, _on(scan, label)


def _aside(scan: Scan, label: Label) -> Step:
    """A question or an observation repeated before any step; in plain prose it is a line like any other.

    An observation behind a line that is a call and nothing else is that call's result, made up.
    """
    if label.kind == "observation" and (called := _called_above(scan, label.start)):
        return called, label.start
    scan.keep(label.start, "quoted", label.start)
    return None, _on(scan, label)


def _called_above(scan: Scan, end: int) -> Acts | Says | Fails | None:
    """The call that the line above `end` is, written in prose or as the last line of a labelled thought."""
    said = scan.text[scan.since : end].rstrip(SPACE)
    line = said.rfind("\n") + 1
    if scan.inside or scan.mode not in {"prose", "thought"} or not (called := written_call(said[line:].strip(SPACE), scan.tools)):
        return None
    scan.keep(scan.since + line, "aside", end)
    return called


def _final(scan: Scan, label: Label) -> Step:
    scan.keep(label.start, "aside", label.value)
    start = label.value
    while block := block_at(scan.text, past_space(scan.text, start)):
        scan.think(block[0])
        start = block[1]
    if (first := first_line_label(scan.text, start)) and first.kind in {"thought", "observation"}:
        return Fails("no_answer"), start
    end = answer_end(scan.text, start, scan.tools, label)
    answer = tidy(_unthought(scan, scan.text[start:end]), bold=label.bold)
    if (place := begun(answer)) is not None and not answer[answer.rfind("\n", 0, place) + 1 : place].strip(SPACE):
        answer = tidy(answer[:place], bold=label.bold)
    return (Says(answer) if answer else Fails("no_answer")), end


def _unthought(scan: Scan, answer: str) -> str:
    """An answer without the closed blocks of thinking in it; in code they are data."""
    if not OPEN.search(answer):
        return answer
    kept = fences(answer, 0)
    done, pieces = 0, []
    for opened in islice(OPEN.finditer(answer), MAX_BLOCKS):
        at = opened.start()
        block = block_at(answer, at) if at >= done and answer[at - 1 : at] != "`" and not any(a <= at < b for a, b in kept) else None
        if block and not block[2]:
            break
        if block:
            pieces.append(answer[done:at])
            scan.think(block[0])
            done = block[1]
    return "".join(pieces) + answer[done:]


def _action(scan: Scan, label: Label) -> Step:
    scan.keep(label.start, "aside", label.value)
    result, end = action(scan.text, label, scan.tools)
    return result, max(end - 1, label.start)


def _input(scan: Scan, label: Label) -> Step:
    scan.keep(label.start, "aside", label.value)
    start, end = input_region(scan.text, label.value)
    if scan.skipped or missing(scan.text[start:end]):
        return None, max(end - 1, _on(scan, label))
    return Fails("no_tool", scan.text[start:end]), end


HANDLERS: dict[str, Callable[[Scan, Label], Step]] = {
    "thought": _thought, "question": _aside, "observation": _aside, "final": _final, "action": _action, "input": _input,
}  # fmt: skip


def unlabelled(scan: Scan) -> Acts | Says | Fails:
    """What a reply without a step means."""
    thought = scan.pieces("thought")
    if scan.labelled:
        return _thought_only(scan, thought)
    text = _RETURN.sub("", "".join(piece for mode, piece in scan.said if mode != "thought"))
    text = tidy(text[: turn_end(text, 0)])
    if not text or (scan.said[0][0] == "quoted" and not text.startswith(QUESTIONS)):
        return _recovered(scan)
    if scan.skipped or scan.inside:
        return Fails("no_step", text)
    if (answer := no_tool_answer(text, alone=True)) is not None:
        return Says(tidy(answer)) if answer else Fails("no_step", text)
    if announces(text, scan.tools):
        return Fails("announced", text)
    if breaks_off(text):
        return Fails("truncated", text)
    if (called := written_call(text, scan.tools)) is None and ends_in_call(text, scan.tools):
        return Fails("announced", text)
    scan.said.clear()
    return called or Says(text, ("plain_answer",))


def _thought_only(scan: Scan, thought: str) -> Acts | Says | Fails:
    """What a labelled thought means that no label follows: the text behind "no tool", or the call that is its last line."""
    if answer := no_tool_answer(thought):
        return Says(tidy(answer))
    mode, last = scan.said[-1] if scan.said else ("", "")
    before, _, line = last.rstrip(SPACE).rpartition("\n")
    called = written_call(line.strip(SPACE), scan.tools) if mode == "thought" and before.strip(SPACE) and not scan.skipped else None
    if called is None:
        return Fails("no_step", thought)
    scan.said[-1] = (mode, before)
    return called


def _recovered(scan: Scan) -> Acts | Says | Fails:
    """A labelled step inside a block of thinking, where nothing else is left."""
    if scan.inside or not scan.blocks or scan.said:
        return Fails("no_step", scan.pieces("quoted") or "\n".join(scan.blocks))
    inner = Scan("\n" + "\n".join(scan.blocks), scan.tools, inside=True)
    found = run(inner)
    if not isinstance(found, Acts | Says):
        return Fails("no_step", "\n".join(scan.blocks))
    scan.blocks = [inner.thought] if inner.thought else []
    scan.notes.append("step_in_thinking")
    return found
