"""Help pages in our own words and both languages, and what a command takes."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click
from wcwidth import width

from tao.cli.screen import Column, Screen, Table, Text, styled
from tao.cli.words import say

WORDS = {
    "[OPTIONS]": say("[OPTIONS]", "[选项]"),
    "COMMAND [ARGS]...": say("COMMAND …", "命令 …"),
    "required": say("required", "必填"),
    "default: ": say("default: ", "默认："),
    "; ": say("; ", "；"),
}


def _help(ctx: click.Context, param: click.Parameter, asked: bool) -> None:  # noqa: ARG001, FBT001 - click calls it
    if asked and not ctx.resilient_parsing:
        page(ctx, Screen())
        ctx.exit()


HELP = click.Option(
    ["-h", "--help"], is_flag=True, is_eager=True, expose_value=False, callback=_help, help=say("Show this help and exit.", "显示本帮助并退出。"),
)  # fmt: skip


class Command(click.Command):
    """A command with our help page."""

    def get_help_option(self, ctx: click.Context) -> click.Option:  # noqa: ARG002
        """The option that prints it."""
        return HELP


class Group(click.Group):
    """A group of commands with our help page."""

    def get_help_option(self, ctx: click.Context) -> click.Option:  # noqa: ARG002
        """The option that prints it."""
        return HELP

    def listed(self) -> Mapping[str, Iterable[tuple[str, str]]]:
        """The commands and what they do, under their headings."""
        return {say("Commands", "命令"): [(name, (command.help or "").split("\n\n")[0]) for name, command in self.commands.items()]}


class Argument(click.Argument):
    """An argument whose name may be Chinese; in brackets where it may be left out."""

    def make_metavar(self, ctx: click.Context) -> str:  # noqa: ARG002
        """As it is written in the usage."""
        name = self.human_readable_name
        return name if self.required or name.startswith("[") else f"[{name}]"


def argument(name: str, metavar: str, told: str, **more: Any) -> Callable[[Any], Any]:
    """Adds an argument to a command: its name in the program, in the help page, and what it is."""
    return click.argument(name, cls=Argument, metavar=metavar, help=told, **more)


def page(ctx: click.Context, screen: Screen) -> None:
    """Print the help page of a command: usage, what it does, arguments and options, commands under their headings, and the epilogue."""
    command = ctx.command
    sections: dict[str, list[tuple[str, str]]] = {}
    if isinstance(command, Group):
        sections = {heading: list(rows) for heading, rows in command.listed().items()}
    for param in command.get_params(ctx):
        heading = say("Arguments", "参数") if isinstance(param, click.Argument) else say("Options", "选项")
        if row := _row(param, ctx):
            sections.setdefault(heading, []).append(row)
    screen.print((say("Usage", "用法"), "dim"), "  ", (ctx.command_path, "bold"), " ", " ".join(pieces(command, ctx)), wrap=True)
    if command.help:
        screen.print("\n", command.help, wrap=True)
    column = max((width(name) for rows in sections.values() for name, _ in rows), default=0)
    for heading, rows in sections.items():
        screen.print("\n", (heading, "bold"))
        screen.table(_listed(rows, column))
    if command.epilog:
        screen.print("\n", (command.epilog, "dim"), wrap=True)


def _listed(rows: Iterable[tuple[str, str]], column: int) -> Table:
    """Names, with so many cells, and what they mean."""
    cells: list[tuple[Text | str, ...]] = [("", styled((name + " " * (column - width(name)), "cyan")), text) for name, text in rows]
    return Table((Column(), Column(), Column(fit="fold")), cells)


def _row(param: click.Parameter, ctx: click.Context) -> tuple[str, str] | None:
    """How a parameter is written, and what it means; None where it is not told."""
    if isinstance(param, click.Argument):
        usual = param.get_default(ctx, call=False)
        more = "  [required]" if param.required else f"  [default: {usual}]" if isinstance(usual, str) else ""
        return param.human_readable_name, _in_our_words(f"{param.help or ''}{more}")
    record = param.get_help_record(ctx)
    return record and (record[0], _in_our_words(record[1]))


def pieces(command: click.Command, ctx: click.Context) -> list[str]:
    """What a command is followed by, as its help page writes it."""
    return [WORDS.get(piece, piece) for piece in command.collect_usage_pieces(ctx)]


def _in_our_words(text: str) -> str:
    for theirs, ours in WORDS.items():
        text = text.replace(theirs, ours)
    return text
