"""`tao model pull|list|rm|path`: the files of local models."""

from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.table import Table
from rich.text import Text

from tao.cli.exits import ANSWERED, finish
from tao.cli.help import Command, Group
from tao.cli.words import say
from tao.config import environment
from tao.models.weights import CATALOGUE, CHANNELS, DEFAULT, installed, locate, pull, remove

app = typer.Typer()
model = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None)
app.add_typer(model, name="model", help=say("Fetch, list and remove model files.", "下载、列出和删除模型文件。"))


@app.callback()
def _root() -> None:
    """Make the group a group."""


Name = Annotated[
    str, typer.Argument(metavar=say("NAME", "名称"), help=say("A name from `tao model list`.", "`tao model list` 中的名称。"))
]
Channel = Annotated[
    list[str] | None,
    typer.Option("--channel", metavar="NAME", help=say(
        f"Where from, in this order; may be repeated: {', '.join(CHANNELS)}.", f"下载渠道，按顺序尝试，可重复：{'、'.join(CHANNELS)}。",
    )),
]  # fmt: skip


@model.command("pull", cls=Command, help=say(
    "Fetch a model file, verify it, and put it into the cache. What is there already is not fetched again.",
    "下载模型文件，校验后放入缓存；已有的部分不会重复下载。",
))  # fmt: skip
def pull_(name: Name = DEFAULT, channel: Channel = None) -> None:
    """Fetch."""
    finish(lambda: _pull(name, channel or []))


def _pull(name: str, channels: list[str]) -> int:
    columns = (
        TextColumn("{task.description}"), BarColumn(bar_width=None, complete_style="cyan", finished_style="green"),
        DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    screen = Console(stderr=True, highlight=False)
    with Progress(*columns, console=screen, disable=not screen.is_terminal) as bars:
        task = bars.add_task(name, total=None)

        def progress(done: int, total: int, by: str) -> None:
            bars.update(task, completed=done, total=total, description=f"{name} · {by}" if by else name)

        path = pull(name, env=environment(), channels=channels, progress=progress)
    screen.print(say("Ready: ", "就绪："), end="")
    Console(highlight=False, soft_wrap=True).print(Text(str(path)))
    return ANSWERED


@model.command("list", cls=Command, help=say("What can be fetched, and what is there.", "可下载的模型与已有的文件。"))
def list_() -> None:
    """List."""
    finish(_list)


def _list() -> int:
    there = {entry.name: entry for entry in installed(environment())}
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in (say("name", "名称"), say("size", "大小"), say("state", "状态"), say("where", "位置")):
        table.add_column(heading, overflow="fold")
    states = {
        "ready": Text(say("ready", "就绪"), "green"), "partial": Text(say("partly fetched", "部分下载"), "yellow"),
        "foreign": Text(say("your own", "自备"), "cyan"),
    }  # fmt: skip
    for name, known in CATALOGUE.items():
        entry = there.pop(name, None)
        mark = say(" (default)", "（默认）") if name == DEFAULT else ""
        table.add_row(
            name + mark, f"{known.size / 1e6:,.0f} MB", states[entry.state] if entry else Text("-", "dim"),
            Text(str(entry.path) if entry else "", "dim"),
        )  # fmt: skip
    for entry in there.values():
        table.add_row(entry.name, f"{entry.size / 1e6:,.0f} MB", states[entry.state], Text(str(entry.path), "dim"))
    Console(highlight=False).print(table)
    return ANSWERED


@model.command("rm", cls=Command, help=say("Remove a model file from the cache.", "从缓存中删除模型文件。"))
def rm(
    name: Annotated[
        str, typer.Argument(metavar=say("NAME", "名称"), help=say("A name from `tao model list`.", "`tao model list` 中的名称。"))
    ],
) -> None:
    """Remove."""
    finish(lambda: _rm(name))


def _rm(name: str) -> int:
    for path in remove(name, env=environment()):
        Console(highlight=False, soft_wrap=True).print(Text(say(f"removed {path}", f"已删除 {path}")))
    return ANSWERED


@model.command("path", cls=Command, help=say("Print where a model's file is.", "输出模型文件的路径。"))
def path_(name: Name = DEFAULT) -> None:
    """Print the path."""
    finish(lambda: _path(name))


def _path(name: str) -> int:
    Console(highlight=False, soft_wrap=True).print(Text(str(locate(name, env=environment()))))
    return ANSWERED


