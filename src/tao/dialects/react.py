"""Text ReAct: Thought, Action, Action Input, Observation, Final Answer."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from tao.dialects.grammar import literal
from tao.dialects.held import reply_grammar
from tao.dialects.listen import Listening
from tao.dialects.offer import offer
from tao.dialects.output import described, found, wanted
from tao.dialects.prompts import texts
from tao.dialects.read import read
from tao.dialects.window import merged, opening, transcript
from tao.events import Decided, Misread, Replied
from tao.messages import Request, ToolSpec
from tao.run import Run
from tao.seams import Listener

STOP = ("\nObservation", "\n观察")
REPLY_LIMIT = 400
JSON_LIMIT = 1200
"""Tokens of a reply whose answer may be a whole JSON object."""


@dataclass(frozen=True)
class React:
    """The dialect, and the frame of the other text dialects, which write an action differently.

    With `constrained` a grammar holds each reply to the form and the tools' schemas; with `grounded` also to values that
    are known (see offer.py). `few_shot` shows worked examples first; without them the
    instructions are brief, too.
    """

    constrained: bool = False
    grounded: bool = False
    few_shot: bool = True

    name: ClassVar[str] = "react"

    def render(self, run: Run) -> Request:
        """The prompt for the next reply."""
        lang = run.asked.lang
        form = texts(lang)[f"{self.name}.form"] + described(run)
        say = partial(self.say, tools=run.tools)
        schema = wanted(run)
        opened = opening(run, self.name, say, few_shot=self.few_shot)
        messages = merged([*opened, *transcript(run, say, form, quiet=self.constrained, focus=self.grounded)])
        if not self.constrained:
            return Request(messages, stop=STOP)
        may = offer(run, grounded=self.grounded)
        grammar = reply_grammar(may, self.frame, lang, run.nudge.lead if run.nudge else may.lead, schema)
        limit = REPLY_LIMIT if schema is None else JSON_LIMIT
        return Request(messages, stop=STOP, grammar=grammar, max_tokens=limit, temperature=0.0)

    def parse(self, run: Run) -> Decided | Misread:
        """Read the last reply."""
        last = run.events[-1]
        assert isinstance(last, Replied)
        text = last.reply.text
        return found(run, text, read(text, run.tools, step=run.steps, lang=run.asked.lang))

    def listen(self, run: Run) -> Listener:
        """A reader for the reply that is coming in."""
        return Listening(run.tools, lang=run.asked.lang)

    def say(self, step: Decided, tools: Sequence[ToolSpec] = ()) -> str:  # noqa: ARG002 - some dialects need them
        """A step in this dialect; `tools` are those that its calls may be of."""
        parts = [f"Thought: {step.thought}"] if step.thought else []
        parts += [f"Action: {call.tool}\nAction Input: {json.dumps(call.args, ensure_ascii=False)}" for call in step.calls]
        return "\n".join([*parts, *([f"Final Answer: {step.answer}"] if step.answer is not None else [])])

    def frame(self, tool: str, arguments: str) -> str:
        """An action as a grammar rule."""
        begin = f"Action: {tool}\nAction Input: "
        return f"{literal(begin)} {arguments}"
