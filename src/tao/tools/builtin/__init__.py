"""The tools that come with tao."""

import time
from collections.abc import Callable, Collection
from pathlib import Path

from tao.errors import ConfigError
from tao.tools.builtin.calculator import calculator
from tao.tools.builtin.dates import dates
from tao.tools.declare import Tool


def builtin(names: Collection[str] | None = None, *, clock: Callable[[], float] = time.time) -> list[Tool]:
    """The built-in tools of these names, in their own order; all of them by default.

    `clock` gives Unix time in seconds. Raises ConfigError for a name that there is not.
    """
    tools = {tool.name: tool for tool in (*dates(clock), calculator())}
    if unknown := sorted(set(names or ()) - set(tools)):
        raise ConfigError(f"no built-in tool {', '.join(map(repr, unknown))}; there are: {', '.join(tools)}")
    return [tool for name, tool in tools.items() if names is None or name in names]
