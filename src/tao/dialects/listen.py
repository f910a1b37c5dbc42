"""Reading a reply while it comes in: thoughts as they come, a call once its name is sure, the answer without its label.

Nothing is shown that the whole reply could make wrong: text that may still become a label, markup, or the end of an
answer is held back, and where a reply can only be judged as a whole, it is. What `close` adds makes the answer equal to
that of `read`, which has the last word. The name of a call is told before its arguments are there; where these turn out
damaged, the reply is read as if it had not been told.
"""

import re
from collections.abc import Sequence

from tao.dialects.answers import ASKS, NO_TOOL
from tao.dialects.clean import SPACE, SPEAKER
from tao.dialects.ending import TRAILING, Ending
from tao.dialects.holding import line_label, markup_hold
from tao.dialects.labels import MID_ACTION, MID_INPUT, Label
from tao.dialects.later import later
from tao.dialects.leaks.openers import OPENER, RESULT, SKIP
from tao.dialects.names import Tools, is_finish, is_null
from tao.dialects.read import read
from tao.dialects.scan import run
from tao.dialects.state import Scan
from tao.dialects.thoughts import OPEN, STRAY, block_at
from tao.events import Decided
from tao.messages import ToolSpec
from tao.seams import Delta

_RISKY = later(
    r"```|~~~|` ` `|[{｛✿]|>>>|^[ \t]*(?:[\[［]|tool_call\()|to=functions|\[ARGS\]|analysis(?=[A-Z])|functools|call:"
)
JSON_NAMES = 2
"""So many of the first groups of `_NAME` are names in JSON."""
_NAME = later(
    r"[{,]\s{0,40}\"(?:tool|action|tool_name)\"\s{0,9}:\s{0,9}\"([^\"\\\n]{1,100})\""
    r"|\{\s{0,40}\"name\"\s{0,9}:\s{0,9}\"([^\"\\\n]{1,100})\"\s{0,9},\s{0,9}\"(?:arg|par|inp)"
    r"|<(?:\w{1,9}:)?(?:function|invoke|tool)(?:=|[ \t]+name[ \t]*=)[ \t]*[\"']?([^\"'<>\n{(\s]{1,100})[\"']?\s{0,9}>"
    r"|begin\|>\s{0,9}(?:functions\.)?([\w.\-]{1,100}):\d"
    r"|to=functions\.([\w.\-]{1,100})[ <]|\[TOOL_CALLS\]\s{0,9}([\w.\-]{1,100})[\[{]"
    r"|<tool_call>\s{0,9}([\w.\-\u4e00-\u9fff]{1,100})\s{0,9}<arg_key>"
)
"""Where the name of a call stands."""
_FENCED = later(r"\s*(?:`{3,9}[\w-]{0,20}\s*)?")
_AHEAD = later(
    r"[\s\[{]*(?:\"(?:tool_calls?|functions?|function_calls?|type|id)\"\s{0,9}:\s{0,9}(?:\"[^\"\n]{0,60}\"\s{0,9},\s{0,9}|[\[{\s]{0,9})){0,4}"
    r"|\s*\{\s*\"(?:thoughts?|thinking|reasoning|思考)\"\s{0,9}:\s{0,9}\"(?:[^\"\\]|\\.){0,2000}\"\s*"
)
"""What may stand in the JSON of a call before its name."""
_LINE_END = later(r"[\[(（［{｛]")
_OPENINGS = frozenset("tool_call("[:length] for length in range(1, 10))
WINDOW = 4000
PREFACE = 24
"""So much of a line of prose is seen before it is told as the answer."""


class Listening:
    """Reads a growing reply. `stop` becomes true once the model makes up an observation: nothing behind it is believed.

    `thinks` says that the prompt may have opened a block of thinking: then an answer behind unlabelled text is held back
    to the end, because all of it may turn out to be thought. `plain` says that prose is the answer, as with function
    calling: it is told as it comes, at the risk that a structured call follows and makes it a thought.
    """

    def __init__(self, tools: Sequence[ToolSpec] = (), *, lang: str = "en", thinks: bool = True, plain: bool = False) -> None:
        self.tools = tools
        self.index = Tools(tools)
        self.lang = lang
        self.thinks = thinks
        self.plain = plain
        self.stop = False
        self._raw: list[str] = []
        self._text = "\n"
        self._phase = self._before
        self._at = 1
        self._carriage = False
        self._mode = "prose"
        self._prose = False
        self._shown = ""
        self._thought = False
        self._called: list[str] = []
        self._repeating = False
        self._ending: Ending | None = None
        self._seen = 0

    def feed(self, text: str) -> list[Delta]:
        """Take the next piece of text; return what is now certain."""
        if self.stop or not text:
            return []
        self._raw.append(text)
        self._text += self._lines(text)
        said: list[Delta] = []
        while True:
            phase, at = self._phase, self._at
            said += self._phase()
            if (self._phase, self._at) == (phase, at) or self.stop:
                return _joined(said)

    def close(self) -> list[Delta]:
        """The reply is over: what its end makes certain."""
        whole = read("".join(self._raw), self.tools, lang=self.lang)
        said: list[Delta] = []
        if not isinstance(whole, Decided):
            return said
        if whole.thought and not self._thought:
            said.append(Delta("thought", whole.thought))
        said += [Delta("call", call.tool) for call in whole.calls[len(self._called) :]]
        if whole.answer is not None and whole.answer.startswith(self._shown) and len(whole.answer) > len(self._shown):
            said.append(Delta("answer", whole.answer[len(self._shown) :]))
        return said

    def _lines(self, text: str) -> str:
        """CRLF and CR as LF, also where a pair is cut in two."""
        if self._carriage and text.startswith("\n"):
            text = text[1:]
        self._carriage = text.endswith("\r")
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def _line(self) -> tuple[str, int]:
        """The line at hand and where the next one begins; -1 while it is not over."""
        end = self._text.find("\n", self._at)
        return (self._text[self._at :], -1) if end < 0 else (self._text[self._at : end], end + 1)

    def _hold(self) -> list[Delta]:
        self._phase = self._held
        self._seen = self._at
        return []

    # ── before anything is decided ────────────────────────────────────────────

    def _before(self) -> list[Delta]:
        """At the start of a line."""
        line, after = self._line()
        bare = line.lstrip(SPACE)
        if not bare:
            if after >= 0:
                self._at = after
            return []
        label = line_label(self._text, self._at)
        if label is False:
            return []
        if isinstance(label, Label):
            return self._labelled(label)
        if after < 0 and (bare in _OPENINGS or (bare[0] in "`~>" and len(bare) < 4)):
            return []
        if bare[0] == "<":
            place = self._at + len(line) - len(bare)
            if block_at(self._text, place):
                self._phase, self._at = self._thinking, OPEN.match(self._text, place).end()  # type: ignore[union-attr]
                return []
            return self._hold() if after >= 0 or len(bare) > 24 or OPENER.match(self._text, place) else []
        return self._unlabelled(line, after)

    def _labelled(self, label: Label) -> list[Delta]:
        """A line that begins with a label."""
        if label.kind == "thought":
            self._mode, self._phase = "thought", self._rest
            self._at = label.value
            return []
        if label.kind == "action":
            self._at = label.value
            self._phase = self._acting
            return []
        if label.kind == "final" and not (self._prose and self.thinks) and self._undecided(label.start):
            self._ending = Ending(self.index, label)
            self._at = label.value
            self._phase = self._answering
            return []
        if label.kind in {"question", "observation"} and self._mode == "prose" and not self._prose:
            self._at = label.value
            self._phase = self._quoted
            return []
        self._at = label.start - 1  # with its newline: it may be a result that was made up
        return self._hold()

    def _undecided(self, end: int) -> bool:
        """Whether nothing before this place decides the reply; the same scan that reads the whole says so."""
        scan = Scan(self._text[:end], self.index)
        return run(scan) is None and not scan.skipped

    def _quoted(self) -> list[Delta]:
        """The rest of a line that nobody is told."""
        line, after = self._line()
        if _RISKY.search(line) or "<" in line or "[" in line:
            self._repeating = True
            return self._hold()
        if after >= 0:
            self._at, self._phase = after, self._before
        return []

    def _unlabelled(self, line: str, after: int) -> list[Delta]:
        """A line without a label: thought where one is open, otherwise prose, of which nobody knows yet what it is."""
        if self._mode == "thought" and not _RISKY.match(line.lstrip(SPACE)):
            self._phase = self._rest
            return []
        if stray := STRAY.search(line):
            place = self._at + stray.end()
            said = self._think(self._text[1 : self._at + stray.start()])
            self._prose, self._at, self.thinks = False, place, False
            return said
        whole = not self._prose and (ASKS.match(line) or SPEAKER.match(line))
        if whole or _RISKY.search(line) or markup_hold(self._text, self._at, self._at + len(line))[1] or MID_INPUT.search(line):
            return self._hold()
        if self.plain and not self._prose and (after >= 0 or len(line) > PREFACE):
            self._ending, self._phase = Ending(self.index, None), self._answering
        elif after >= 0:
            self._prose, self._at = True, after
        return []

    def _rest(self) -> list[Delta]:
        """The rest of a line of a labelled thought, as it comes."""
        line, after = self._line()
        if NO_TOOL.search(line) or MID_INPUT.search(line) or "```" in line:
            return self._hold()
        end = self._at + len(line)
        place, sure = markup_hold(self._text, self._at, end)
        if sure:
            said = self._think(self._text[self._at : place])
            self._at = place
            return said + self._hold()
        if after < 0:
            words = MID_ACTION.search(line)
            place = min(place, self._at + words.start() if words else place, self._at + len(line.rstrip(SPACE)) - _partial(line))
            said = self._think(self._text[self._at : place])
            self._at = max(self._at, place)
            return said
        said = self._think(self._text[self._at : after])
        self._at, self._phase = after, self._before
        return said

    def _thinking(self) -> list[Delta]:
        """Within a block of thinking that the reply itself opened."""
        closed = STRAY.search(self._text, self._at)
        if closed is None:
            safe = self._text.rfind("<", self._at)
            place = len(self._text) if safe < 0 or len(self._text) - safe > 24 else safe
            said = self._think(self._text[self._at : place])
            self._at = place
            return said
        said = self._think(self._text[self._at : closed.start()])
        self._at, self._phase, self.thinks = closed.end(), self._before, False
        return said

    def _think(self, text: str) -> list[Delta]:
        self._thought = self._thought or bool(text.strip(SPACE))
        return [Delta("thought", text)] if text else []

    # ── an action ─────────────────────────────────────────────────────────────

    def _acting(self) -> list[Delta]:
        """Behind `Action:`, until its name is sure."""
        while self._at < len(self._text) and self._text[self._at] in SPACE:
            self._at += 1
        line, after = self._line()
        if line[:1] in {"{", "[", "`", "｛", "<", "~"}:
            return self._hold()
        opened = _LINE_END.search(line)
        given = MID_INPUT.search(line)
        if after < 0 and not given and not (opened and opened[0] in "[［"):
            return []
        name = line[: min(mark.start() for mark in (opened, given) if mark)] if opened or given else line
        tool = self.index.resolve(line if after >= 0 and not given else name) or self.index.resolve(name)
        said = []
        if tool and not is_null(name, self.index) and not is_finish(name, self.index):
            said = self._call(tool.name)
        return said + self._hold()

    def _call(self, name: str) -> list[Delta]:
        self._called.append(name)
        return [Delta("call", name)]

    def _held(self) -> list[Delta]:
        """Until the end, because only the whole can be judged; a call's name is told, a made-up result ends it."""
        said: list[Delta] = []
        if not self._called and not self._repeating and len(self._text) - self._at < WINDOW and (found := _NAME.search(self._text, self._at)):
            name = next(filter(None, found.groups()))
            tool = self.index.find(name)
            if tool and self._sure(found):
                said = self._call(tool.name)
        if result := RESULT.search(self._text, max(self._at, self._seen - 40)):
            whole = read(self._text[1 : result.end()], self.tools, lang=self.lang)
            self.stop = isinstance(whole, Decided) and bool(whole.calls) and whole.answer is None
        self._seen = len(self._text)
        return said

    def _sure(self, found: re.Match[str]) -> bool:
        """Whether a name found in JSON or markup is that of a call.

        JSON must begin the line or a fence, or stand behind an opener, with nothing in front of the name but what calls have.
        """
        before = self._text[self._at : found.start()]
        if (found.lastindex or 0) > JSON_NAMES:
            return not found[0].startswith("to=") or "<|channel|>" in before or "<|start|>" in before
        opener = OPENER.search(before)
        begun = SKIP.match(before, opener.start()) if opener else _FENCED.match(before)
        return begun is not None and _AHEAD.fullmatch(before, begun.end()) is not None

    # ── the answer ────────────────────────────────────────────────────────────

    def _answering(self) -> list[Delta]:
        """Behind the label of an answer: everything up to where it may end."""
        assert self._ending is not None, "set with this phase"
        if not self._shown:
            self._at, over = self._ending.begin(self._text, self._at)
            if over is not False:
                self._phase = self._over if over else self._phase
                return []
        end, over = self._ending.certain(self._text, self._at)
        piece = self._text[self._at : end].rstrip(TRAILING)
        self._at += len(piece)
        self._shown += piece
        if over:
            self._phase = self._over
        return [Delta("answer", piece)] if piece else []

    def _over(self) -> list[Delta]:
        """The answer may have ended; what follows decides it, and `close` tells."""
        return []


_ACTION_BEGINS = frozenset("a ac act acti actio action 行 行动 行動 动 動 动作 動作".split()) | {"action "}


def _partial(line: str) -> int:
    """How much of the end of a line may be the beginning of a label within it."""
    for length in range(min(len(line), 8), 0, -1):
        if line[-length:].lower() in _ACTION_BEGINS:
            return length
    return 0


def _joined(said: list[Delta]) -> list[Delta]:
    """Neighbours of one kind as one."""
    result: list[Delta] = []
    for delta in said:
        if result and result[-1].kind == delta.kind != "call":
            result[-1] = Delta(delta.kind, result[-1].text + delta.text)
        else:
            result.append(delta)
    return result
