"""`tao chat`: question after question, each with what was said before."""

import asyncio
import contextlib
import secrets
import sys
from collections.abc import Mapping
from typing import Any

import typer
from rich.console import Console

from tao.build import assembled
from tao.cli import options as o
from tao.cli.ask import shown
from tao.cli.exits import ANSWERED, complain, finish
from tao.cli.help import Command
from tao.cli.words import say
from tao.config import environment, load
from tao.errors import AgentError
from tao.messages import Message
from tao.run import Run

with contextlib.suppress(ImportError):
    import readline  # noqa: F401 - gives input() its line editing and history

app = typer.Typer()


@app.command(cls=Command, help=say("A conversation: every question knows what was said before.", "对话：每个问题都记得前面说过的内容。"))
def chat(
    *, model: o.Model = None, lang: o.Lang = None, max_steps: o.Steps = None, docs: o.Docs = None, tools: o.Tools = None, mcp: o.Mcp = None, openapi: o.OpenApi = None, offer: o.Offer = None,
    dialect: o.Dialect = None, journal: o.JournalAt = None, quiet: o.Quiet = False,
) -> None:
    """Talk."""
    options = o.given(model=model, lang=lang, max_steps=max_steps, docs=docs, tools=tools, mcp=mcp, openapi=openapi, offer=offer, dialect=dialect, journal=journal)
    finish(lambda: _chat(options, quiet=quiet))


def _chat(options: Mapping[str, Any], *, quiet: bool) -> int:
    settings = load(options)
    console = Console(stderr=True, highlight=False)
    if sys.stdin.isatty():
        console.print(
            say("An empty line or Ctrl-D ends it, /new forgets what was said.", "空行或 Ctrl-D 结束，/new 忘记前面的内容。"),
            style="dim",
        )
    history: list[Message] = []
    with asyncio.Runner() as runner:
        stack = contextlib.AsyncExitStack()
        agent = runner.run(stack.enter_async_context(assembled(settings, environment())))
        try:
            while (question := _asked()) is not None:
                if question == "/new":
                    history.clear()
                    continue
                run = Run(secrets.token_hex(8))
                try:
                    told = shown(agent, run, settings, question, history=history, quiet=quiet)
                    ended = runner.run(told)
                except KeyboardInterrupt:
                    continue  # that answer is not wanted any more; the conversation goes on
                except AgentError as error:
                    complain(error)
                    continue
                if ended.answer is not None:
                    history += [Message("user", question), Message("assistant", ended.answer)]
        finally:
            runner.run(stack.aclose())
    return ANSWERED


def _asked() -> str | None:
    """The next question; None at the end."""
    try:
        text = input("\n> " if sys.stdin.isatty() else "").strip()
    except (EOFError, KeyboardInterrupt):
        return None
    return text or None
