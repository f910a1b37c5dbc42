"""`tao model pull|list|rm|path`: the files of local models."""

from collections.abc import Sequence

import click

from tao.cli.exits import ANSWERED, finish
from tao.cli.help import Command, Group, argument
from tao.cli.progress import bar
from tao.cli.screen import Column, Screen, Table, Text, styled
from tao.cli.words import say
from tao.config import environment
from tao.models.weights import CATALOGUE, CHANNELS, DEFAULT, installed, locate, pull, remove

BAR, NARROW = "{desc} {bar} {n_fmt}B/{total_fmt}B {rate_fmt} {remaining}", "{desc} {bar} {n_fmt}B/{total_fmt}B {remaining}"


@click.group("model", cls=Group, no_args_is_help=True, help=say("Fetch, list and remove model files.", "下载、列出和删除模型文件。"))
def model() -> None:
    """Model files."""


NAME = (say("NAME", "名称"), say("A name from `tao model list`.", "`tao model list` 中的名称。"))


@model.command("pull", cls=Command, help=say(
    "Fetch a model file, verify it, and put it into the cache. What is there already is not fetched again.",
    "下载模型文件，校验后放入缓存；已有的部分不会重复下载。",
))
@argument("name", *NAME, default=DEFAULT)
@click.option("--channel", multiple=True, metavar="NAME", help=say(
    f"Where from, in this order; may be repeated: {', '.join(CHANNELS)}.", f"下载渠道，按顺序尝试，可重复：{'、'.join(CHANNELS)}。",
))
def pull_(name: str, channel: Sequence[str]) -> None:  # fmt: skip
    """Fetch."""
    finish(lambda: _pull(name, channel))


def _pull(name: str, channels: Sequence[str]) -> int:
    screen = Screen(err=True)
    wide = screen.width >= 64
    with bar(screen, name, BAR if wide else NARROW, total=None, unit="B", unit_scale=True) as shown:

        def progress(done: int, total: int, by: str) -> None:
            if shown.total is None:  # what was there already is not counted into the speed
                shown.initial = shown.n = shown.last_print_n = done
            shown.total = total
            shown.set_description_str(f"{name} · {by}" if by and wide else name, refresh=False)
            shown.update(done - shown.n)

        path = pull(name, env=environment(), channels=channels, progress=progress)
    screen.print(say("Ready: ", "就绪："), end="")
    Screen().print(str(path))
    return ANSWERED


@model.command("list", cls=Command, help=say("What can be fetched, and what is there.", "可下载的模型与已有的文件。"))
def list_() -> None:
    """List."""
    finish(_list)


def _list() -> int:
    there = {entry.name: entry for entry in installed(environment())}
    states = {
        "ready": styled((say("ready", "就绪"), "green")), "partial": styled((say("partly fetched", "部分下载"), "yellow")),
        "foreign": styled((say("your own", "自备"), "cyan")),
    }  # fmt: skip
    rows: list[list[Text | str]] = []
    for name, known in CATALOGUE.items():
        entry = there.pop(name, None)
        mark = say(" (default)", "（默认）") if name == DEFAULT else ""
        state, path = (states[entry.state], str(entry.path)) if entry else (styled(("-", "dim")), "")
        rows.append([name + mark, f"{known.size / 1e6:,.0f} MB", state, styled((path, "dim"))])
    rows += [[entry.name, f"{entry.size / 1e6:,.0f} MB", states[entry.state], styled((str(entry.path), "dim"))] for entry in there.values()]
    headings = (say("name", "名称"), say("size", "大小"), say("state", "状态"), say("where", "位置"))
    Screen().table(Table([Column(heading, right=at == 1, fit="whole" if at == 1 else "fold") for at, heading in enumerate(headings)], rows))
    return ANSWERED


@model.command("rm", cls=Command, help=say("Remove a model file from the cache.", "从缓存中删除模型文件。"))
@argument("name", *NAME)
def rm(name: str) -> None:
    """Remove."""
    finish(lambda: _rm(name))


def _rm(name: str) -> int:
    for path in remove(name, env=environment()):
        Screen().print(say(f"removed {path}", f"已删除 {path}"))
    return ANSWERED


@model.command("path", cls=Command, help=say("Print where a model's file is.", "输出模型文件的路径。"))
@argument("name", *NAME, default=DEFAULT)
def path_(name: str) -> None:
    """Print the path."""
    finish(lambda: _path(name))


def _path(name: str) -> int:
    Screen().print(str(locate(name, env=environment())))
    return ANSWERED


