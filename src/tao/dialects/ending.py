"""Where an answer that is still coming in may end: up to there it is certain, and can be shown."""


from tao.dialects.answers import same_strength, step_begins
from tao.dialects.clean import FENCE, SPACE, ZERO_WIDTH, closing_marks
from tao.dialects.holding import line_label, markup_hold, maybe_label
from tao.dialects.labels import Label
from tao.dialects.later import later
from tao.dialects.names import Tools

LONG = 200
"""A line of fence marks that is longer is none."""
TRAILING = SPACE + "*_`~"
"""Held back at the end of a piece: more of it may turn out to be a mark that belongs to the label or to a fence."""
_CALL_LINE = later(r"[ \t]*(?:[{\[｛［]|>>>|tool_call\(|```[\w-]{0,12}\s{0,9}[{\[])")
_CALL = later(r"[{｛]\s{0,9}(?:[\"'“]|$)|to=functions|\[ARGS\]")
OPEN_BRACES = "{｛ \t\n"


class Ending:
    """Looks for the end of one answer. `label` is the one that it stands behind; None for prose, which any label ends."""

    def __init__(self, tools: Tools, label: Label | None) -> None:
        self.tools = tools
        self.label = label
        self.fenced = ""
        self.seen = 0

    def begin(self, text: str, at: int) -> tuple[int, bool | None]:
        """Past leading white space: where the answer begins, and whether it is over before; None while that is open."""
        first = at
        while at < len(text) and text[at] in SPACE:
            at += 1
        line = text.rfind("\n", first, at) + 1
        if at == len(text):
            return first, None
        if line:
            verdict = self._next_line(text, line)
        elif text[at] in "`~":
            verdict = None if text.find("\n", at) < 0 and len(text) - at < LONG else self._fence(text, at) and False
        else:
            verdict = False
        return (at if verdict is False else first), verdict

    def certain(self, text: str, at: int) -> tuple[int, bool]:
        """How far the answer is certain from `at` on, and whether it may have ended there."""
        end, over = self._certain(text, at)
        veiled = next((place for place in range(at, end) if text[place] in ZERO_WIDTH), end)
        return veiled, over or veiled < end

    def _certain(self, text: str, start: int) -> tuple[int, bool]:
        at = max(start, self.seen)
        while True:
            end = text.find("\n", at)
            stop = len(text) if end < 0 else end
            place, sure = markup_hold(text, at, stop)
            if self.label is None and (call := _CALL.search(text, at, place)):
                return call.start(), call.end() < len(text) or call[0][-1] not in OPEN_BRACES
            if sure or place < stop or end < 0:
                return place, sure
            verdict = self._next_line(text, end + 1)
            if verdict is None:
                return end, False
            if verdict:
                return end, True
            at = self.seen = end + 1

    def _next_line(self, text: str, line: int) -> bool | None:
        """Whether the answer may end before this line; None while that cannot be told."""
        end = text.find("\n", line)
        bare = line
        while text[bare : bare + 1] in {" ", "\t"}:
            bare += 1
        if bare >= len(text):
            return None
        if self.label is None and not self.fenced and (verdict := self._calls(text, bare, end)) is not False:
            return verdict
        if text[bare] in "`~":
            if end < 0 and len(text) - bare < LONG:
                return None
            if self._fence(text, bare):
                return False
        if self.fenced:
            return False
        label = line_label(text, line)
        if label is False:
            return None
        if isinstance(label, Label):
            return self._ends(text, label)
        return None if end < 0 and maybe_label(text[line:]) else False

    def _calls(self, text: str, bare: int, end: int) -> bool | None:
        """Whether a line of prose may begin a call."""
        if _CALL_LINE.match(text, bare) or (text[bare] == "<" and (end >= 0 or len(text) - bare > 24)):
            return True
        fence = text[bare] in "`~" and not text[end:].strip(SPACE)
        return None if (end < 0 and len(text) - bare < 12) or fence else False

    def _fence(self, text: str, bare: int) -> bool:
        """Whether a line opens or closes a code fence."""
        if self.fenced:
            closes = closing_marks(self.fenced).match(text, text.rfind("\n", 0, bare))
            self.fenced = "" if closes else self.fenced
            return True
        opened = FENCE.match(text, bare)
        self.fenced = opened["mark"] if opened else ""
        return opened is not None

    def _ends(self, text: str, label: Label) -> bool | None:
        """Whether a label within an answer may end it."""
        if self.label is None:
            return True
        if label.kind == "action":
            return None if text.find("\n", label.value) < 0 else step_begins(text, label, self.tools)
        if label.kind == "final":
            return same_strength(label, self.label)
        return label.kind in {"thought", "question", "observation"}
