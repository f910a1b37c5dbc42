"""`tao chat`: question after question, each with what was said before."""

import asyncio
import contextlib
import secrets
import sys
from collections.abc import Mapping
from typing import Any

import click

from tao.build import assembled
from tao.cli import options as o
from tao.cli.ask import shown
from tao.cli.exits import ANSWERED, complain, finish
from tao.cli.help import Command
from tao.cli.screen import Screen
from tao.cli.words import say
from tao.config import environment, load
from tao.errors import AgentError
from tao.messages import Message
from tao.run import Run

with contextlib.suppress(ImportError):
    import readline  # noqa: F401 - gives input() its line editing and history


@click.command("chat", cls=Command, help=say("A conversation: every question knows what was said before.", "对话：每个问题都记得前面说过的内容。"))
@o.shared("model", "lang", "max_steps", "docs", "tools", "mcp", "openapi", "offer", "dialect", "journal", "quiet")
def chat(*, quiet: bool, **settings: Any) -> None:
    """Talk."""
    finish(lambda: _chat(o.given(**settings), quiet=quiet))


def _chat(options: Mapping[str, Any], *, quiet: bool) -> int:
    settings = load(options)
    if sys.stdin.isatty():
        Screen(err=True).print((say("An empty line or Ctrl-D ends it, /new forgets what was said.", "空行或 Ctrl-D 结束，/new 忘记前面的内容。"), "dim"))
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
