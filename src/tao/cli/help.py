"""Help pages in our own words and both languages.

Typer's own pages cost 0.1 s more (they load a Markdown parser and a traceback printer) and are in English only.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from typer import core

from tao.cli.words import say

WORDS = {
    "[OPTIONS]": say("[OPTIONS]", "[选项]"),
    "COMMAND [ARGS]...": say("COMMAND …", "命令 …"),
    "Show this message and exit.": say("Show this help and exit.", "显示本帮助并退出。"),
    "required": say("required", "必填"),
    "default: ": say("default: ", "默认："),
}


class Command(core.TyperCommand):
    """A command with our help page."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Print it."""
        page(self, ctx)


class Group(core.TyperGroup):
    """A group of commands with our help page."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Print it."""
        page(
            self,
            ctx,
            {say("Commands", "命令"): [(name, (command.help or "").split("\n\n")[0]) for name, command in self.commands.items()]},
        )


def page(command: Any, ctx: Any, commands: Mapping[str, Iterable[tuple[str, str]]] | None = None) -> None:
    """Print a help page: usage, what it does, arguments and options, commands under their headings, and the epilogue."""
    console = Console(highlight=False)
    console.print(Text.assemble((say("Usage", "用法") + "  ", "dim"), (ctx.command_path, "bold"), " ", " ".join(pieces(command, ctx))))
    if command.help:
        console.print(Padding(Text(command.help), (1, 0, 0, 0)))
    sections: dict[str, list[tuple[str, str]]] = {name: list(rows) for name, rows in (commands or {}).items()}
    for param in command.get_params(ctx):
        heading = say("Arguments", "参数") if param.param_type_name == "argument" else say("Options", "选项")
        if record := param.get_help_record(ctx):
            sections.setdefault(heading, []).append((re.sub(r" <\w+>$", "", record[0]), record[1]))
    width = min(34, max((len(name) for rows in sections.values() for name, _ in rows), default=0))
    for heading, rows in sections.items():
        table = Table.grid(padding=(0, 2))
        table.add_column(width=width, style="cyan")
        table.add_column(overflow="fold")
        for name, text in rows:
            table.add_row(Text(name), Text(_in_our_words(text)))
        console.print(Padding(Text(heading, "bold"), (1, 0, 0, 0)))
        console.print(Padding(table, (0, 0, 0, 2)))
    if command.epilog:
        console.print(Padding(Text(command.epilog, "dim"), (1, 0, 0, 0)))


def pieces(command: Any, ctx: Any) -> list[str]:
    """What a command is followed by, as its help page writes it."""
    return [WORDS.get(piece, piece.strip("{}")) for piece in command.collect_usage_pieces(ctx)]


def _in_our_words(text: str) -> str:
    for theirs, ours in WORDS.items():
        text = text.replace(theirs, ours)
    return text
