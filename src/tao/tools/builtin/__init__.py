"""The tools that come with tao."""

import time
from collections.abc import Callable, Collection
from pathlib import Path

from tao.errors import ConfigError, both
from tao.tools.builtin.calculator import calculator
from tao.tools.builtin.dates import dates
from tao.tools.builtin.search import search
from tao.tools.declare import Tool

NAMES = ("current_date", "date_add", "date_diff", "calculator", "search")


def builtin(
    names: Collection[str] | None = None, *, docs: Path | str | None = None, clock: Callable[[], float] = time.time,
) -> list[Tool]:
    """The built-in tools of these names, in their own order; all of them by default.

    `search` needs `docs`, a folder with text files, and is left out by default without it. `clock` gives Unix time in
    seconds. Raises ConfigError for a name that there is not, and for `search` without a folder.
    """
    if unknown := sorted(set(names or ()) - set(NAMES)):
        listed = ", ".join(map(repr, unknown))
        raise ConfigError(both(
            f"no built-in tool {listed}; there are: {', '.join(NAMES)}", f"没有内置工具 {listed}；现有：{'、'.join(NAMES)}",
        ))  # fmt: skip
    if names and "search" in names and docs is None:
        raise ConfigError(both(
            "the tool 'search' needs a folder with text files: pass docs=…", "工具 'search' 需要一个含文本文件的文件夹：请传入 docs=…",
        ))  # fmt: skip
    tools = [*dates(clock), calculator(), *([search(docs)] if docs is not None else [])]
    return [tool for tool in tools if names is None or tool.name in names]
