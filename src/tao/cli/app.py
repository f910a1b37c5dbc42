"""The commands' names, what they do in one line, and where they are. Listing them imports none of them."""

import errno
import importlib
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from tao import __version__
from tao.cli.help import Group
from tao.cli.words import EXITS, say


@dataclass(frozen=True, slots=True)
class Entry:
    """A command: its module in this folder, one line of help, and the heading it stands under."""

    module: str
    help: str
    panel: str


ASKING, RECORDS, PARTS = say("Ask", "提问"), say("Recorded runs", "运行记录"), say("Parts and set-up", "组件与设置")
MEASURED = say("Measure", "评测")
COMMANDS = {
    "ask": Entry("ask", say("Ask one question and watch it being answered, step by step.", "提一个问题，逐步看到思考、行动和答案。"), ASKING),
    "chat": Entry("chat", say("A conversation: every question knows what was said before.", "对话：每个问题都记得前面说过的内容。"), ASKING),
    "run": Entry("batch", say("Answer every question of a file.", "回答文件中的每一个问题。"), ASKING),
    "runs": Entry("runs", say("List the latest runs.", "列出最近的运行。"), RECORDS),
    "show": Entry("runs", say("Show what happened in a run.", "显示一次运行的全过程。"), RECORDS),
    "resume": Entry("runs", say("Go on with an interrupted run from its last event.", "从最后一个事件继续被中断的运行。"), RECORDS),
    "cancel": Entry("runs", say("End for good a run that waits or was interrupted.", "彻底结束一次等待中或被中断的运行。"), RECORDS),
    "approve": Entry("approve", say("See what waits for a person, rule on it, and go on.", "查看等待人工处理的调用，作出裁定并继续。"), RECORDS),
    "replay": Entry(
        "runs", say("Decide a recorded run again, without model or tools, and say where it differs.",
                    "不调用模型和工具，按记录重新决策一次运行，指出不同之处。"), RECORDS,
    ),
    "compare": Entry("compare", say("Set two runs beside each other, and say where they part.", "对照两次运行，指出从何处分开。"), RECORDS),
    "eval": Entry("evaluate", say("Run tasks, grade the answers, and say how many are right at what price.", "运行任务并为答案评分，给出成功率和代价。"), MEASURED),
    "export": Entry("export", say("Turn recorded runs into data for training.", "将运行记录导出为训练数据。"), MEASURED),
    "model": Entry("model", say("Fetch, list and remove model files.", "下载、列出和删除模型文件。"), PARTS),
    "tools": Entry("tools", say("List the tools that a model may call.", "列出模型可以调用的工具。"), PARTS),
    "doctor": Entry("doctor", say("Check what is installed and set, and say what to do next.", "检查安装与设置，并给出下一步建议。"), PARTS),
    "corpus": Entry("corpus", say("Measure a parser on difficult model outputs.", "用难解析的模型输出来测评解析器。"), PARTS),
}  # fmt: skip


class Lazy(Group):
    """A group that imports a command's module when the command is used, and none to list them."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.commands = {name: click.Command(name, help=entry.help) for name, entry in COMMANDS.items()}

    def get_command(self, ctx: click.Context | None, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command itself."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"tao.cli.{COMMANDS[cmd_name].module}")
        return next(it for it in vars(module).values() if isinstance(it, click.Command) and it.name == cmd_name)

    def listed(self) -> dict[str, list[tuple[str, str]]]:
        """The commands and what they do, from the table above."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for name, entry in COMMANDS.items():
            panels.setdefault(entry.panel, []).append((name, entry.help))
        return panels


def _version(ctx: click.Context, param: click.Parameter, asked: bool) -> None:  # noqa: ARG001, FBT001 - click calls it
    if asked:
        click.echo(f"tao {__version__}")
        ctx.exit()


@click.group("tao", cls=Lazy, no_args_is_help=True, context_settings={"show_default": True}, epilog=EXITS, help=say(
    "Thought, Action, Observation: an agent that answers with tools, and shows its work.",
    "思考、行动、观察：会用工具回答问题、并展示全过程的智能体。",
))  # fmt: skip
@click.option("--lang", expose_value=False, metavar="zh|en", help=say("Language of help and messages.", "界面语言。"))
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help=say("Show the version and exit.", "显示版本并退出。"))
def app() -> None:
    """Options before the command. `lang` was read before this, see words.py."""


OWN = {"ask", "chat", "run", "eval", "tools"}
"""Commands with an option `--lang` of their own: to them it is also the language of the run, or of the tools."""


def arguments(argv: Sequence[str]) -> list[str]:
    """What follows `tao`, where `--lang`, which words.py has read, may also stand behind a command that knows no such option."""
    if next((it for it in argv if it in COMMANDS), None) in OWN:
        return list(argv)
    end = argv.index("--") if "--" in argv else len(argv)
    kept = [it for at, it in enumerate(argv[:end]) if not it.startswith("--lang=") and "--lang" not in (it, *argv[max(at - 1, 0) : at])]
    return [*kept, *argv[end:]]


FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EPIPE}
"""What is wrong where output goes to a file that cannot grow, or to nobody any more."""


def main() -> None:
    """Entry point of the command `tao`. What the output cannot hold (half a surrogate pair, Chinese on an old console) is escaped as in JSON."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, open(os.open(os.devnull, os.O_RDWR), mode, closefd=False))  # noqa: SIM115 - open as long as we run
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = app(arguments(sys.argv[1:]), standalone_mode=False)
        sys.stdout.flush()
    except (click.ClickException, click.Abort) as error:
        code = importlib.import_module("tao.cli.usage").refused(error)
    except OSError as error:
        if error.errno not in FULL or error.filename is not None:
            raise
        code = importlib.import_module("tao.cli.exits").unwritten(error)
    sys.exit(code)
