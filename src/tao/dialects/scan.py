"""One reply from top to bottom: what decides it, and what was thought before that."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from tao.dialects.answers import announces, answer_end, no_tool_answer, tidy
from tao.dialects.clean import FENCE, SPACE, fence_at, lines, unfence, untoken
from tao.dialects.convert import missing
from tao.dialects.jsoncalls import answer_in, bare_key, certain, wishes
from tao.dialects.labels import LINE, MID_INPUT, Label, label_at
from tao.dialects.names import Tools
from tao.dialects.repair import Fault, read_json
from tao.dialects.steps import action, input_region
from tao.dialects.thoughts import OPEN, STRAY, block_at
from tao.dialects.wishes import Acts, Fails, Nothing, Outcome, Says, outcome

MAX_TRIES = 48
MARK = re.compile(rf"{LINE.pattern}|\n(?=[ \t]*[{{\[｛［])|\{{(?=\s{{0,20}}\\?[\"'“])|```(?=\w{{0,12}}\s{{0,9}}[{{\[])|{OPEN.pattern}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Judged:
    """What a reply comes to, the thought before it, and what was mended."""

    outcome: Acts | Says | Fails
    thought: str = ""
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Scan:
    """How far the reply was read. `text` begins with a newline, so every line has one in front."""

    text: str
    tools: Tools
    labelled: bool = False
    inside: bool = False
    thoughts: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)
    mode: str = "prose"
    since: int = 0
    skipped: bool = False
    tries: int = 0
    notes: list[str] = field(default_factory=list)

    def keep(self, end: int, then: str, since: int) -> None:
        """Put away what was said since the last mark, and go on in another mode."""
        said = self.text[self.since : end].strip(SPACE)
        if said:
            (self.thoughts if self.mode == "thought" else self.prose if self.mode == "prose" else []).append(said)
        self.mode, self.since = then, since

    @property
    def thought(self) -> str:
        """What was thought before the decision."""
        return "\n".join(self.prose + self.thoughts) or "\n".join(self.blocks)


def judge(text: str, tools: Tools) -> Judged:
    """What a reply means."""
    text = untoken(lines(text))
    whole = untoken(unfence(text)) if not text.startswith(("```tool_code", "```vis-thinking")) else text
    if not whole.strip(SPACE):
        return Judged(Fails("empty"))
    scan = Scan("\n" + whole, tools)
    found = run(scan)
    if found is None:
        found = unlabelled(scan)
    notes = (*(["unfenced"] if whole != text else []), *scan.notes, *(found.notes if isinstance(found, Acts | Says) else ()))
    return Judged(found, scan.thought, tuple(dict.fromkeys(notes)))


def run(scan: Scan) -> Acts | Says | Fails | None:
    """The first item that decides, or None."""
    at = _past_stray(scan)
    while mark := MARK.search(scan.text, at):
        result, at = _item(scan, mark)
        if result is not None and not isinstance(result, Nothing):
            return result
    scan.keep(len(scan.text), scan.mode, len(scan.text))
    return None


def _past_stray(scan: Scan) -> int:
    """Behind a closing think tag whose opening was in the prompt."""
    at = 0
    while stray := STRAY.search(scan.text, at):
        opened = OPEN.search(scan.text, 0, stray.start())
        if opened or scan.text[stray.start() - 1] == "`":
            break
        scan.blocks.append(scan.text[at : stray.start()].strip(SPACE))
        at = scan.since = stray.end()
    if at:
        scan.text = "\n" + scan.text[at:].lstrip(SPACE)
        scan.since = 0
    return 0


def _item(scan: Scan, mark: re.Match[str]) -> tuple[Outcome | None, int]:
    """What one mark comes to, and where to look on."""
    text, start = scan.text, mark.start()
    if block := block_at(text, start):
        scan.keep(start, scan.mode, block[1])
        scan.blocks.append(block[0].strip(SPACE))
        if text[block[1] : block[1] + 1] not in {"\n", ""}:
            scan.text = text[: block[1]] + "\n" + text[block[1] :]
        return None, block[1]
    line = start + 1
    if text[start] == "\n":
        bare = line
        while text[bare : bare + 1] in {" ", "\t"}:
            bare += 1
        if label := label_at(text, line):
            return HANDLERS[label.kind](scan, label)
        if FENCE.match(text, bare):
            return _fence(scan, bare)
        if text[bare : bare + 1] in {"{", "[", "｛", "［"}:
            return _json(scan, bare, own_line=True)
        return None, line
    if text[start] == "`":
        return _fence(scan, start)
    return _json(scan, start, own_line=False)


def _thought(scan: Scan, label: Label) -> tuple[Outcome | None, int]:
    scan.keep(label.start, "thought", label.value)
    scan.labelled = True
    return _one_line(scan, label)


def _one_line(scan: Scan, label: Label) -> tuple[Outcome | None, int]:
    """`… Action: X Action Input: Y` on the line of a thought, where X is a known tool."""
    return None, max(label.value - (scan.text[label.value - 1] == "\n"), label.start + 1)


def _aside(scan: Scan, label: Label) -> tuple[Outcome | None, int]:
    scan.keep(label.start, "aside", label.value)
    return None, max(label.value - (scan.text[label.value - 1] == "\n"), label.start + 1)


def _final(scan: Scan, label: Label) -> tuple[Outcome | None, int]:
    scan.keep(label.start, "final", label.value)
    end = answer_end(scan.text, label.value, scan.tools, label)
    answer = tidy(scan.text[label.value : end], bold=label.bold)
    return (Says(answer) if answer else Fails("no_answer")), end


def _action(scan: Scan, label: Label) -> tuple[Outcome | None, int]:
    scan.keep(label.start, "aside", label.value)
    result, end = action(scan.text, label, scan.tools)
    if isinstance(result, Nothing):
        scan.skipped = True
        scan.since = max(end, label.value)
    return result, max(end - 1, label.value - 1)


def _input(scan: Scan, label: Label) -> tuple[Outcome | None, int]:
    scan.keep(label.start, "aside", label.value)
    start, end = input_region(scan.text, label.value)
    if scan.skipped or missing(scan.text[start:end]):
        return None, max(end - 1, label.start + 1)
    return Fails("no_tool", scan.text[start:end]), end


HANDLERS: dict[str, Callable[[Scan, Label], tuple[Outcome | None, int]]] = {
    "thought": _thought, "question": _aside, "observation": _aside, "final": _final, "action": _action, "input": _input,
}  # fmt: skip


def _fence(scan: Scan, start: int) -> tuple[Outcome | None, int]:
    """A code fence outside every value: JSON in it may be a call; other code is prose."""
    found = fence_at(scan.text, start)
    if found is None:
        return None, start + 3
    inner = found[0]
    while inner < found[1] and scan.text[inner] in SPACE:
        inner += 1
    if scan.text[inner : inner + 1] in {"{", "[", "｛", "［"}:
        result, _ = _json(scan, inner, own_line=True, end=found[1], keep=start)
        if result is not None:
            return result, found[2]
    return None, max(found[2] - 1, start + 3)


def _json(scan: Scan, start: int, *, own_line: bool, end: int | None = None, keep: int | None = None) -> tuple[Outcome | None, int]:
    """JSON outside every value."""
    scan.tries += 1
    if scan.tries > MAX_TRIES or (not own_line and scan.mode != "prose"):
        return None, start + 1
    found = read_json(scan.text, start, end, sealed=end is not None)
    if isinstance(found, Fault):
        if own_line and found.kind == "truncated" and re.match(r"[{\[｛［\s]*[\"'](?i:action|name|tool|function|tool_call)[\"']", scan.text[start : start + 80]):
            return Fails("truncated", scan.text[start:]), start
        return None, start + 1
    wished = wishes(found.value, mended=found.mended)
    whole = not scan.text[:start].strip(SPACE + "`json") and not scan.text[found.end :].strip(SPACE + "`")
    if wished is None:
        if whole and (answer := answer_in(found.value)):
            return Says(answer), found.end
        return None, found.end
    if not wished:
        return (Fails("no_name", scan.text[start : found.end]), found.end) if whole else (None, found.end)
    if not all(certain(wish, scan.tools) for wish in wished):
        given = any(wish.given is not None for wish in wished)
        return (Fails("unknown_tool", wished[0].name), found.end) if whole and given else (None, found.end)
    if not own_line and wished[0].react:
        return Fails("no_step", scan.text[start : found.end]), found.end
    scan.keep(start if keep is None else keep, scan.mode, found.end)
    more = wished
    at = found.end
    while not wished[0].react and (link := re.compile(r"[\s;,]{0,40}(?=\{)").match(scan.text, at)):
        following = read_json(scan.text, link.end(), end)
        extra = wishes(following.value) if not isinstance(following, Fault) else None
        if isinstance(following, Fault) or not extra or not all(certain(wish, scan.tools) for wish in extra):
            break
        more, at = more + extra, following.end
    if wished[0].thought:
        scan.thoughts.append(wished[0].thought)
    return outcome(more, scan.tools), at


def unlabelled(scan: Scan) -> Says | Fails:
    """What a reply without a step means."""
    thought = "\n".join(scan.thoughts)
    if scan.labelled:
        answer = no_tool_answer(thought)
        return Says(tidy(answer)) if answer else Fails("no_step", thought)
    text = tidy("\n\n".join(scan.prose))
    if not text:
        return Fails("no_step", "\n".join(scan.blocks))
    if scan.skipped:
        return Fails("no_step", text)
    if announces(text, scan.tools):
        return Fails("announced", text)
    return Says(text, ("plain_answer",))
