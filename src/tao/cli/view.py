"""What `tao ask` shows of a run: every step as it happens, the answer alone, or one JSON event a line."""

import json
from typing import IO, Protocol

from tao.cli.pens import Pen, pen_for
from tao.cli.screen import Screen, Text, styled
from tao.cli.words import LABELS, many, mine, packed, say
from tao.errors import AgentError, ModelError
from tao.evaluation.lines import in_utf8
from tao.events import Asked, Decided, Ended, Event, Misread, Nudged, Observed, Paused, Ruled, to_json
from tao.messages import Call, Observation
from tao.output import INVALID
from tao.policies.uncertain import LIMITS
from tao.prices import cost
from tao.quotas import elapsed
from tao.run import Run
from tao.seams import Delta

LINES, CHARACTERS = 12, 2000
"""As much of an observation is shown; `tao show` has it all."""


def _names(kind: type[Exception]) -> frozenset[str]:
    return frozenset({kind.__name__}.union(*map(_names, kind.__subclasses__())))


ERRORS, UNREACHED = _names(AgentError), _names(ModelError)
"""Names that stand before the words of an error in the record; they tell people nothing."""

VERDICTS = {
    "approve": say("approved", "已批准"), "reject": say("rejected", "已拒绝"), "edit": say("arguments changed", "已修改参数"),
    "answer": say("answered in its place", "已代为回答"),
}  # fmt: skip
"""What was ruled, for reading."""


class View(Protocol):
    """Is told a run's events and the pieces of its replies, and that it is over."""

    def event(self, event: Event) -> None:
        """Something happened."""

    def delta(self, delta: Delta) -> None:
        """A reply is coming in."""

    def close(self, run: Run | None) -> None:
        """Nothing more will come; the run where there is one."""


def view(screen: Screen, *, as_json: bool, quiet: bool, lang: str, run: str, seq: int = 0) -> View:
    """The view that fits options and screen. `lang` is the run's language, `run` its id, `seq` the number of its next event."""
    if as_json:
        return JsonView(screen.file, run, seq)
    if quiet:
        return QuietView(screen)
    return Story(pen_for(screen, LABELS[lang]))


class JsonView:
    """One event a line, as it is in the journal, with the run's id and its place in the run."""

    def __init__(self, file: IO[str], run: str, seq: int = 0) -> None:
        self.file, self.run, self.seq = file, run, seq

    def event(self, event: Event) -> None:
        """Write the line."""
        line = in_utf8({"run": self.run, "seq": self.seq, **to_json(event)})
        self.file.write(line + "\n")
        self.file.flush()
        self.seq += 1

    def delta(self, delta: Delta) -> None:
        """Pieces are no events."""

    def close(self, run: Run | None) -> None:
        """Nothing to say."""


class QuietView:
    """The answer and nothing else; where there is none, why, on standard error."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen

    def event(self, event: Event) -> None:
        """Only the end matters."""

    def delta(self, delta: Delta) -> None:
        """Only the end matters."""

    def close(self, run: Run | None) -> None:
        """Write the answer."""
        if run is None or run.ended is None:
            return
        unfit = run.ended.reason == INVALID  # what reads our output wants JSON that fits or nothing
        if run.answer is not None and not unfit:
            self.screen.file.write(run.answer.strip() + "\n")
            return
        told = "\n".join(filter(None, [why(run.ended), run.answer if unfit else ""]))
        Screen(err=True).print(told)


class Story:
    """Thought, action, observation, answer, each as soon as it is known."""

    def __init__(self, pen: Pen, *, whole: bool = False, live: bool = True) -> None:
        self.pen = pen
        self.whole = whole         # observations in full
        self.live = live           # things take time
        self.open = ""             # the part that is being written
        self.told: set[str] = set()  # parts of the coming decision that came in as pieces
        self.called = ""           # the tool's name among them
        self.answered = ""         # the answer as far as it is on the screen
        self.calls: dict[str, Call] = {}  # those that have not come back
        self.several = False       # more than one at once
        self.begun = False         # something is on the screen
        self.fresh = True          # a new step begins with the next part

    def delta(self, delta: Delta) -> None:
        """Write what is certain of the reply that is coming in."""
        if delta.kind == "call":
            if not self.called:
                self.called = delta.text
                self._part("action", delta.text)
                self._end()
        else:
            if self.open != delta.kind:
                self._part(delta.kind)
            self.pen.write(delta.text)
            self.told.add(delta.kind)
            if delta.kind == "answer":
                self.answered += delta.text

    def event(self, event: Event) -> None:
        """Write what is not there yet."""
        match event:
            case Asked():
                if not self.live:
                    beside = len(event.images)
                    self._part("question", event.question + (say(f" [images: {beside}]", f" [图片：{beside}]") if beside else ""))
                    self._end()
                self._next()
            case Ruled():
                self._part("note", ruled(event))
                self._end()
            case Decided():
                self._decided(event)
            case Observed():
                call = self.calls.pop(event.call_id, None)
                several = f"[{call.tool}] " if call and self.several else ""
                self._part("seen", several + self._short(event.observation))
                self._end()
                if not self.calls:
                    self._next()
            case Misread():
                self._part("note", say("the reply could not be read", "无法解析回复") + (f": {event.detail}" if event.detail else ""))
                self._reset()
                self._next()
            case Nudged():
                self._reset()
                if event.text:
                    self._part("note", event.text)
                    self._end()
                self._next()
            case Ended():
                self._ended(event)
            case Paused():
                self._part("note", say("waits for a person", "等待人工处理") + f": {event.reason}")
                self._end()
            case _:
                pass

    def close(self, run: Run | None) -> None:  # noqa: ARG002
        """End the line that is open."""
        self._end()
        self.pen.close()

    def _decided(self, event: Decided) -> None:
        if event.thought.strip() and "thought" not in self.told:
            self._part("thought", event.thought)
        for number, call in enumerate(event.calls):
            self.calls[call.id] = call
            if number or call.tool != self.called:
                self._part("action", call.tool)
            self._part("input", json.dumps(call.args, ensure_ascii=False, default=str))
        self.several = len(event.calls) > 1
        self._end()
        if event.answer is None:
            self._reset()
        if event.calls:
            self._wait(", ".join(call.tool for call in event.calls))

    def _ended(self, event: Ended) -> None:
        if event.answer is not None and event.answer.strip() != self.answered.strip():
            self._part("answer", event.answer)
        if event.reason != "answered" and (event.answer is None or event.detail):
            self._part("note", why(event))
        self._end()

    def _short(self, observation: Observation) -> str:
        text = observation.text.strip()
        if self.whole:
            return text
        lines = text[:CHARACTERS].split("\n")
        if len(lines) <= LINES and len(text) <= CHARACTERS:
            return text
        return "\n".join(lines[:LINES]) + "\n" + say("… (`tao show` has it all)", "……（完整内容见 `tao show`）")

    def _part(self, part: str, text: str = "") -> None:
        """Begin a part, with what is known of it; the answer stands apart."""
        self._end()
        self.pen.close()
        if self.begun and (self.fresh or part == "answer"):
            self.pen.gap()
        self.begun, self.fresh = True, False
        self.pen.begin(part)
        self.open = part
        self.pen.write(text)

    def _end(self) -> None:
        if self.open:
            self.pen.end()
            self.open = ""

    def _next(self) -> None:
        self.fresh = True
        self._wait(say("thinking", "思考中"))

    def _wait(self, what: str) -> None:
        if self.live:
            self.pen.wait(what)

    def _reset(self) -> None:
        self._end()
        self.told.clear()
        self.called = self.answered = ""


def ruled(event: Ruled) -> str:
    """What a person decided about a call, who, and in which words."""
    by = say(f" ({event.by})", f"（{event.by}）") if event.by else ""
    return VERDICTS.get(event.verdict, event.verdict) + by + (say(": ", "：") + event.text if event.text else "")


def why(ended: Ended) -> str:
    """For people: the end's detail in their language, without the name of our class before an error's words, and with the limit that it does not name."""
    name, _, said = ended.detail.partition(": ")
    detail = mine(said if name in ERRORS else ended.detail)
    if ended.answer is None and ended.reason in LIMITS and detail:
        end = detail[-1] if detail[-1] in ".。" else ""
        return detail.removesuffix(end) + (f"（{ended.reason}）" if end == "。" else f" ({ended.reason})") + end
    return detail or ended.reason


def unreached(run: Run) -> bool:
    """Whether the run failed because its model could not answer."""
    return run.ended is not None and run.ended.reason == "failed" and run.ended.detail.partition(": ")[0] in UNREACHED


def meta(run: Run, width: int | None = None) -> Text:
    """What the run took and cost, and its id: dim, on one line, or in lines of at most so many cells. A person's time is not counted."""
    usage = run.usage
    parts = [say(many(run.steps, "step"), f"{run.steps} 步")]
    if usage.prompt is not None or usage.completion is not None:
        cached = say(f" ({usage.cached:,} cached)", f"（缓存 {usage.cached:,}）") if usage.cached else ""
        parts.append(say(
            f"{usage.prompt or 0:,}{cached} + {usage.completion or 0:,} tokens",
            f"{usage.prompt or 0:,}{cached} + {usage.completion or 0:,} 词元",
        ))  # fmt: skip
    spent = cost(run)
    if spent.amounts:
        more = say(f" (and {spent.unknown} of unknown cost)", f"（另有 {spent.unknown} 次回复费用未知）") if spent.unknown else ""
        parts.append(f"{spent}{more}")
    parts.append(f"{elapsed(run):.1f} s")
    parts += [part for part in (run.asked.model, say(f"run {run.id[:8]}", f"运行 {run.id[:8]}")) if part]
    return styled((packed(parts, width, " · ") if width else " · ".join(parts), "dim"))
