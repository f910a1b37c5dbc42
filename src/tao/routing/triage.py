"""Sorting questions before the loop: what can be answered directly gets a short prompt, the rest the tools.

A dialect around a run's own: it asks the sorting question where the rules do not know (one token, with its probability where the
server gives it), then for a direct answer, and leaves everything else to the dialect inside. A direct answer that asks for
tools, says that it does not know or cannot be read is no answer: the run goes on in the loop, and only a short call was lost.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tao.dialects.grammar import literal
from tao.dialects.listen import Listening
from tao.dialects.prompts import texts
from tao.dialects.read import read_calls
from tao.dialects.window import merged
from tao.events import Decided, Misread, Replied
from tao.messages import Message, Reply, Request, ToolSpec
from tao.policies.verify import refuses
from tao.routing.kinds import kind
from tao.routing.route import NEEDED, TRIAGE, replies
from tao.routing.texts import EXAMPLES, NEED_TOOLS, say
from tao.run import Run
from tao.seams import Abilities, Delta, Dialect, Listener

THRESHOLD = 0.3
"""A model's "known" counts from this probability on. Measured for a model of 1.5B parameters, which is shy of the word (docs: routing)."""
LABELS = {"known": "direct", "search": "tools"}
LIKELY = 10
"""So many of the likeliest first tokens are asked for."""
LABEL = re.compile(r"\b(?:known|search)\b", re.IGNORECASE)
SHORT = 200
"""Characters; a longer direct answer is not looked through for "I do not know", and is told as it comes."""
MOST_NAMES, MOST_QUESTION, MOST_BEFORE = 40, 2000, 300
"""How many tools are named in the short prompts, and how many characters are shown of the question and of what was said before."""
LIMIT = 800
"""Tokens of a direct answer of a small model, which may not find an end."""
ROOM = 3
"""Replies that a run must be allowed for its question to be sorted: sorting, a direct answer, and another where that will not do."""

Phase = Literal["sort", "direct", "loop"]


def sorted_by_rules(
    question: str, tools: tuple[ToolSpec, ...], settings: Mapping[str, Any], *, follows: bool = False, threshold: float = THRESHOLD,
) -> dict[str, Any]:
    """What a run records of its question's kind: "way", "rule", and the threshold for a model's word. Empty where all is done in the loop.

    There is nothing to gain without tools, and no room for it in a run of one or two replies; an answer that has to fit a schema
    is asked for in the loop.
    """
    if not tools or settings.get("output") is not None or int(settings.get("max_steps", ROOM)) < ROOM:
        return {}
    found = kind(question, tools, follows=follows)
    return {"way": found.way, "rule": found.rule, **({"threshold": threshold} if found.way == "ask" else {})}


@dataclass(frozen=True)
class Triaged:
    """The dialect. `record` is what `sorted_by_rules` gave; `sorter` and `answerer` are what the models can do that are asked.

    Pictures cannot be sorted by words, so such a question goes into the loop.
    """

    inner: Dialect
    record: Mapping[str, Any]
    answerer: Abilities = field(default_factory=Abilities)
    sorter: Abilities = field(default_factory=Abilities)

    def render(self, run: Run) -> Request:
        """The prompt for the next reply."""
        phase = self.phase(run)
        if phase == "loop":
            return self.inner.render(run)
        return self._sort(run) if phase == "sort" else self._direct(run)

    def parse(self, run: Run) -> Decided | Misread:
        """Read the last reply."""
        phase = self.phase(Run(run.id, run.events[:-1]))
        if phase == "loop":
            return self.inner.parse(run)
        last = run.events[-1]
        assert isinstance(last, Replied)
        if phase == "sort":
            return Decided(notes=(label(last.reply, float(self.record.get("threshold", THRESHOLD))),))
        reading = read_calls(last.reply.calls, last.reply.text, run.tools, step=run.steps, lang=run.asked.lang)
        if isinstance(reading, Misread) or reading.answer is None or wants_tools(last.reply.text):
            return Decided(notes=(NEEDED,))
        return reading

    def listen(self, run: Run) -> Listener:
        """A reader for the reply that is coming in."""
        phase = self.phase(run)
        if phase == "loop":
            return self.inner.listen(run)
        return Silent() if phase == "sort" else Patient(Listening(run.tools, lang=run.asked.lang, plain=True))

    def phase(self, run: Run) -> Phase:
        """What the next reply is for."""
        done, way = replies(run), self.record.get("way")
        if run.nudge or run.asked.images or way not in {"ask", "direct"}:
            return "loop"
        if way == "ask":
            return "sort" if done == 0 else "direct" if done == 1 and _noted(run) else "loop"
        return "direct" if done == 0 else "loop"

    def _sort(self, run: Run) -> Request:
        asked = run.asked
        lang = "zh" if asked.lang == "zh" else "en"
        shots = (turn for question, word in EXAMPLES[lang] for turn in (Message("user", question), Message("assistant", word)))
        before = [f"{message.role}: {message.content[:MOST_BEFORE]}" for message in asked.history[-2:]]
        question = "\n".join([*before, asked.question[:MOST_QUESTION]])
        grammar = f'root ::= {" | ".join(map(literal, LABELS))}' if self.sorter.constraint == "gbnf" else None
        return Request(
            (Message("system", say(lang, "sort")), *shots, Message("user", question)), grammar=grammar, max_tokens=1 if grammar else 64,
            temperature=0.0, likely=LIKELY if self.sorter.logprobs else 0,
        )

    def _direct(self, run: Run) -> Request:
        asked = run.asked
        told = say(asked.lang, "direct", tools=say(asked.lang, "direct.tools", tools=tool_names(run)))
        system = "\n\n".join(filter(None, [asked.instructions, told]))
        notes = "".join(f"\n{texts(asked.lang)['note']}{note}" for note in run.notes)
        messages = merged([Message("system", system), *asked.history, Message("user", asked.question + notes, images=asked.images)])
        return Request(messages, max_tokens=LIMIT if self.answerer.small else None, temperature=0.0 if self.answerer.small else None)


def _noted(run: Run) -> bool:
    return any(note.startswith(f"{TRIAGE}:direct") for event in run.all(Decided) for note in event.notes)


def tool_names(run: Run) -> str:
    """The names of the tools, as many as a short prompt bears."""
    names = [tool.name for tool in run.asked.tools]
    return ", ".join([*names[:MOST_NAMES], *(["…"] if len(names) > MOST_NAMES else [])])


def label(reply: Reply, threshold: float) -> str:
    """The note that stands for a reply to the sorting: "triage:direct:0.93", or "triage:tools" where the server tells no probability.

    The probability is that of "known" among the two words, as the server gave it before any grammar; below the threshold the
    question goes into the loop. What cannot be read does, too.
    """
    known = probability(reply)
    if known is not None:
        return f"{TRIAGE}:{'direct' if known >= threshold else 'tools'}:{known:.2f}"
    text = reply.text.strip().lower()
    found = LABEL.search(text)
    word = found[0].lower() if found else next((word for word in LABELS if text and word.startswith(text)), "search")
    return f"{TRIAGE}:{LABELS[word]}"


def probability(reply: Reply) -> float | None:
    """How likely "known" was as the first word, of the two; None where the server did not say. A token may be only the word's beginning."""
    shares = dict.fromkeys(LABELS, 0.0)
    for token, share in reply.likely.items():
        begun = token.strip().lower()
        for word in shares:
            shares[word] += share if begun and word.startswith(begun) else 0.0
    total = sum(shares.values())
    return shares["known"] / total if total > 0 else None


def wants_tools(text: str) -> bool:
    """Whether a direct answer asks for tools, or says shortly that it does not know."""
    return NEED_TOOLS in text or (len(text) <= SHORT and refuses(text))


class Silent:
    """A Listener of what nobody needs to hear."""

    def __init__(self) -> None:
        self.stop = False

    def feed(self, text: str) -> list[Delta]:  # noqa: ARG002
        """Nothing."""
        return []

    def close(self) -> list[Delta]:
        """Nothing."""
        return []


class Patient:
    """A Listener that keeps a reply back until it is sure to be an answer: it may only ask for tools."""

    def __init__(self, inner: Listener) -> None:
        self.inner = inner
        self.kept = ""
        self.open = self.stop = False

    def feed(self, text: str) -> list[Delta]:
        """Keep it, or pass on what is certain."""
        if not self.open:
            self.kept += text
            if len(self.kept) <= SHORT or NEED_TOOLS in self.kept:
                return []
            self.open, text = True, self.kept
        found = self.inner.feed(text)
        self.stop = self.inner.stop
        return found

    def close(self) -> list[Delta]:
        """The reply is over."""
        if not self.open and wants_tools(self.kept):
            return []
        return [*([] if self.open else self.inner.feed(self.kept)), *self.inner.close()]

