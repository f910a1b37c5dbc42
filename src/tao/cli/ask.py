"""`tao ask`."""

import secrets
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click
from click.exceptions import Exit

from tao.agent import Agent, language
from tao.build import assembled
from tao.cli import options as o
from tao.cli.asking import at_a_terminal, described, settle
from tao.cli.exits import USAGE, code_of, complain, finish
from tao.cli.help import Command, argument
from tao.cli.screen import Screen
from tao.cli.view import meta, unreached, view
from tao.cli.words import EXITS, say
from tao.config import Settings, environment, load
from tao.events import Event
from tao.messages import Message
from tao.run import Run


@click.command("ask", cls=Command, epilog=EXITS, help=say(
    "Ask one question and watch it being answered, step by step.", "提一个问题，逐步看到思考、行动和答案。",
))
@argument("question", say("QUESTION", "问题"), say("The question; - reads it from standard input.", "问题；- 表示从标准输入读取。"))
@o.shared("model", "lang", "max_steps", "docs", "tools", "mcp", "openapi", "offer", "dialect", "output", "image", "journal", "json", "quiet")
def ask(question: str, *, images: Sequence[str], as_json: bool, quiet: bool, **settings: Any) -> None:  # fmt: skip
    """Answer one question."""
    text = (sys.stdin.read() if question == "-" else question).strip()
    if not text:
        complain(say("the question is empty", "问题为空"))
        raise Exit(USAGE)
    finish(_ask(text, o.given(**settings), images, as_json=as_json, quiet=quiet))


async def _ask(question: str, options: Mapping[str, Any], images: Sequence[str], *, as_json: bool, quiet: bool) -> int:
    settings = load(options)
    quiet = quiet or settings.output is not None
    async with assembled(settings, environment()) as agent:
        return code_of(await shown(agent, Run(secrets.token_hex(8)), settings, question, images=images, as_json=as_json, quiet=quiet))


async def shown(
    agent: Agent, run: Run, settings: Settings, question: str = "", *, history: Sequence[Message] = (), images: Sequence[str] = (),
    as_json: bool = False, quiet: bool = False,
) -> Run:
    """Ask the question (or go on with the run where there is none) before the user's eyes.

    What a person has to allow is asked about in a terminal; elsewhere the run waits. Interrupted, it says how to go on, and
    passes the interruption on.
    """
    lang = settings.lang or (language(question) if question else run.asked.lang)
    screen = view(Screen(), as_json=as_json, quiet=quiet, lang=lang, run=run.id, seq=len(run.events))
    recorded: list[Event] = list(run.events)

    def on_event(event: Event) -> None:
        recorded.append(event)
        screen.event(event)

    ended: Run | None = None
    try:
        if question:
            ended = await agent.run(question, history=history, id=run.id, on_event=on_event, on_delta=screen.delta, images=images)
        else:
            ended = await agent.resume(run, on_event=on_event, on_delta=screen.delta)
        while ended.state == "paused" and not as_json and at_a_terminal():
            screen.close(None)
            before = len(ended.events)
            if not await settle(agent, ended):
                break
            recorded += ended.events[before:]
            ended = await agent.resume(ended, on_event=on_event, on_delta=screen.delta)
    finally:
        screen.close(ended)
        if not as_json and not quiet:
            _afterwards(agent, ended, Run(run.id, recorded), settings)
    return ended


def _afterwards(agent: Agent, ended: Run | None, run: Run, settings: Settings) -> None:
    """What it took, and what can be done next, on standard error."""
    screen = Screen(err=True)
    if run.events:
        screen.print()
        screen.print(meta(run, screen.width if screen.is_terminal else None))
    if ended and unreached(ended) and not settings.model.startswith("local"):
        screen.print(say("What is wrong with it: ", "查明原因："), (f"tao doctor --model {shlex.quote(settings.model)}", "bold"))
    if run.events and (ended is None or ended.state == "paused"):
        where = o.again(settings)
        for waiting in agent.waiting(ended) if ended else ():
            screen.print(described(waiting, screen.width), end="")
        way = "approve" if ended else "resume"
        screen.print(say("Go on with: ", "继续运行："), (f"tao {way} {run.id[:8]}{where}", "bold"))
