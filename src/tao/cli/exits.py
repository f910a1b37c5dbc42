"""Exit codes, and how a command ends."""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

from click.exceptions import Exit

from tao.cli.screen import Screen
from tao.cli.words import mine, say
from tao.errors import AgentError, ConfigError, unread
from tao.output import INVALID
from tao.run import Run

ANSWERED, FAILED, USAGE, LIMIT, PAUSED, INTERRUPTED = 0, 1, 2, 3, 4, 130


def code_of(run: Run) -> int:
    """The exit code that tells how a run stands."""
    if run.ended is None:
        return PAUSED if run.state == "paused" else INTERRUPTED
    return {"answered": ANSWERED, "failed": FAILED, INVALID: FAILED}.get(run.ended.reason, LIMIT)


def finish(work: Coroutine[Any, Any, int] | Callable[[], int]) -> NoReturn:
    """Do a command's work, in an event loop of its own where it is a coroutine, and exit with what it returns.

    An AgentError is said in one sentence, without a traceback; anything else is a bug and shows itself.
    """
    try:
        code = asyncio.run(work) if isinstance(work, Coroutine) else work()
    except AgentError as error:
        complain(error)
        code = USAGE if isinstance(error, ConfigError) else FAILED
    except KeyboardInterrupt:
        code = INTERRUPTED
    raise Exit(code)


def unwritten(error: OSError) -> int:
    """Say that what was to be written had no room (not where nobody reads on), and write no more to standard output; the exit code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    why = unread(error)
    if not isinstance(error, BrokenPipeError):
        complain(say(f"the output cannot be written: {why[0]}", f"无法写入输出：{why[1]}"))
    return FAILED


def complain(error: Exception | str) -> None:
    """Say on standard error what went wrong."""
    sys.stdout.flush()
    Screen(err=True).print((f"{say('Error', '错误')}: {mine(str(error))}", "red"))
