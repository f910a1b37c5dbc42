"""The tool `ask_human`: a question to the person behind the run, who may answer at once, or days later."""

import time

from tao.errors import Pause
from tao.events import Ruled
from tao.messages import Call
from tao.run import Run
from tao.tools.declare import Tool, declare
from tao.tools.words import say


def ask_human() -> Tool:
    """A tool that pauses the run with a question; the ruling "answer" on the call is what the model is told."""

    def run(question: str, run: Run, call: Call) -> str:
        ruling = next((event for event in reversed(run.events) if isinstance(event, Ruled) and event.call_id == call.id), None)
        if ruling is None or (ruling.expires is not None and ruling.expires <= time.time()):
            raise Pause(question, call.id)
        if ruling.verdict == "answer":
            return ruling.text
        return say("The person gave no answer. Go on without it.", "对方没有回答。请在没有答案的情况下继续。")

    return declare(
        run, name="ask_human", inline=True, volatile=True,
        description="Ask the person you work for, where only they can know or decide.\n\nArgs:\n    question: one clear question",
        descriptions={"zh": "向用户提问：只在只有用户知道或能决定时使用。\n\n参数：\n    question: 一个清楚的问题"},
    )  # fmt: skip
