"""The tools that come with tao."""

import importlib
import importlib.util
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tao.errors import ConfigError, both
from tao.tools.builtin import calendar_cn, files, notes
from tao.tools.builtin.ask_human import ask_human
from tao.tools.builtin.calculator import calculator
from tao.tools.builtin.dates import dates
from tao.tools.builtin.python import python
from tao.tools.builtin.search import search
from tao.tools.builtin.units import convert_units
from tao.tools.declare import Tool
from tao.tools.web import NAMES as WEB
from tao.tools.web import web_tools

NAMES = ("current_date", "date_add", "date_diff", "calculator", "search")
"""Offered by default (`search` with `docs`): they need no setting up and change nothing, and small models get along with them."""


@dataclass(frozen=True, slots=True)
class Group:
    """Further tools that one word switches on: what they do, the setting that they need, and the extra with its packages."""

    names: tuple[str, ...]
    effects: tuple[str, ...]
    needs: str = ""
    extra: str = ""
    packages: tuple[str, ...] = ()

    @property
    def installed(self) -> bool:
        """Whether the packages are there."""
        return all(importlib.util.find_spec(package) for package in self.packages)


FURTHER: Mapping[str, Group] = {
    "files": Group(files.NAMES, ("reads", "writes"), 'root = "./data"'),
    "sql": Group(("sql_query", "sql_schema"), ("reads",), 'database = "sqlite:///shop.db"', "sql", ("sqlalchemy", "sqlglot")),
    "notes": Group(notes.NAMES, ("reads", "writes")),
    "units": Group(("convert_units",), ("reads",), "", "units", ("pint",)),
    "calendar": Group(calendar_cn.NAMES, ("reads",), "", "calendar", ("chinese_calendar", "lunardate")),
    "python": Group(("python",), ("executes",), "", "python", ("pydantic_monty",)),
    "ask_human": Group(("ask_human",), ("reads",)),
    "web": Group(WEB[:2], ("reads", "network"), "", "web", ("ddgs", "trafilatura")),
    "http": Group(WEB[2:], ("reads", "writes", "network"), 'web.hosts = ["api.example.com"]'),
}
"""By the word that switches them on; the name of a single tool does it for that tool alone."""
GROUPS: Mapping[str, tuple[str, ...]] = {word: group.names for word, group in FURTHER.items()}


@dataclass(frozen=True, slots=True)
class Places:
    """What the further tools need.

    `root` is the folder for `files`, `database` the URL for `sql`, `notes` the file for `notes`; for the web `env` holds the
    services' keys, and `web` keywords of `web_tools`.
    """

    root: Path | str | None = None
    database: str | None = None
    notes: Path | str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    web: Mapping[str, Any] = field(default_factory=dict)


def builtin(
    names: Collection[str] | None = None, *, docs: Path | str | None = None, clock: Callable[[], float] = time.time, places: Places | None = None,
) -> list[Tool]:
    """The built-in tools of these names or groups, in their own order; by default those of `NAMES`.

    `search` needs `docs`, a folder with text files, and is left out by default without it. `clock` gives Unix time in
    seconds. Raises ConfigError for a name that there is not, and where a tool lacks what it needs.
    """
    known = [*NAMES, *GROUPS, *(name for group in GROUPS.values() for name in group)]
    if unknown := sorted(set(names or ()) - set(known)):
        listed = ", ".join(map(repr, unknown))
        there = [*NAMES, *GROUPS]
        raise ConfigError(both(
            f"no built-in tool {listed}; there are: {', '.join(there)}", f"没有内置工具 {listed}；现有：{'、'.join(there)}",
        ))  # fmt: skip
    if names and "search" in names and docs is None:
        raise ConfigError(both(
            "the tool 'search' needs a folder with text files: pass docs=…", "工具 'search' 需要一个含文本文件的文件夹：请传入 docs=…",
        ))  # fmt: skip
    usual = [*dates(clock), calculator(), *([search(docs)] if docs is not None else [])]
    wanted = list(dict.fromkeys(name for given in names or () for name in GROUPS.get(given, (given,))))
    return [*(tool for tool in usual if names is None or tool.name in wanted), *_further(wanted, places or Places(), clock)]


def _further(wanted: Collection[str], places: Places, clock: Callable[[], float]) -> list[Tool]:
    makers: dict[tuple[str, ...], Callable[[], list[Tool]]] = {
        files.NAMES: lambda: files.files(_needed(places.root, "files", "root", "./data")),
        GROUPS["sql"]: lambda: _database(str(_needed(places.database, "sql", "database", "sqlite:///shop.db"))),
        notes.NAMES: lambda: notes.notes(_needed(places.notes, "notes", "notes", "./notes.db"), clock=clock),
        calendar_cn.NAMES: calendar_cn.chinese_calendar,
        GROUPS["units"]: lambda: [convert_units()],
        GROUPS["python"]: lambda: [python()],
        GROUPS["ask_human"]: lambda: [ask_human()],
        WEB: lambda: web_tools(places.env, [name for name in WEB if name in wanted], **places.web),
    }
    return [tool for group, make in makers.items() if set(group) & set(wanted) for tool in make() if tool.name in wanted]


def _database(url: str) -> list[Tool]:
    """The tools over a database; their module needs an extra, so it is loaded only for them."""
    tools: list[Tool] = importlib.import_module("tao.tools.builtin.sql").database(url)
    return tools


def _needed(value: Any, group: str, setting: str, example: str) -> Any:
    if value is None:
        raise ConfigError(both(
            f"the tools of {group!r} need the setting {setting!r}, such as {setting} = {example!r}",
            f"{group!r} 的工具需要设置 {setting!r}，例如 {setting} = {example!r}",
        ))  # fmt: skip
    return value
