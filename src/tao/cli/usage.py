"""What is wrong with a command line, said in the language of the command line. Click's own texts are in English only."""

import re

import click
from click.exceptions import NoArgsIsHelpError

from tao.cli.exits import INTERRUPTED, complain
from tao.cli.help import page, pieces
from tao.cli.screen import Screen
from tao.cli.words import LANG, say

_CHINESE = (
    (r"Missing argument '(.+)'\.?", r"缺少参数：\1"),
    (r"Missing option (.+?)\.?", r"缺少选项：\1"),
    (r"Missing command\.", "缺少命令"),
    (r"No such command '(.+?)'\.(?: \(?Did you mean (?:one of: )?(.+)\?\)?)?", r"没有命令 \1|；是否想用 \2？"),
    (r"No such option '(.+?)'\.(?: \(?Did you mean (?:one of: )?(.+)\?\)?)?", r"没有选项 \1|；相近的有：\2"),
    (r"Option '(.+)' requires (?:an|\d+) arguments?\.", r"选项 \1 后面要有值"),
    (r"Option '(.+)' does not take a value\.", r"选项 \1 不带值"),
    (r"Got unexpected extra arguments?(?:\(s\))? \((.+)\)", r"多出的参数：\1（含空格的文字请加引号）"),
    (r"Invalid value for (.+?): (.+)", r"\1 的值不对：\2"),
)  # fmt: skip
_WANTED = (
    (r"'.+' is not a valid integer( range)?\.", "需要整数"), (r"'.+' is not a valid (float|number)( range)?\.", "需要数字"),
    (r"\S+ is not in the range (\S+)<=x<=(\S+)\.", r"需要 \1 到 \2 之间的数"), (r"\S+ is not in the range x>=(\S+)\.", r"需要不小于 \1 的数"),
    (r"\S+ is not in the range x<=(\S+)\.", r"需要不大于 \1 的数"),
)  # fmt: skip


def refused(error: click.ClickException | click.Abort) -> int:
    """Say on standard error what is wrong with the command line, and what it should look like; the exit code."""
    if isinstance(error, click.Abort):  # Ctrl-C or the end of input where something was asked
        return INTERRUPTED
    if isinstance(error, NoArgsIsHelpError):  # no complaint: whoever says nothing may want to know what there is
        page(error.ctx, Screen())
        return error.exit_code
    told = error.format_message()
    complain(chinese(told) if LANG == "zh" else told)
    if ctx := error.ctx if isinstance(error, click.UsageError) else None:
        form, more = " ".join([ctx.command_path, *pieces(ctx.command, ctx)]), f"{ctx.command_path} --help"
        Screen(err=True).print(say(f"Usage: {form}   (more: {more})", f"用法：{form}  （详见 {more}）"))
    return error.exit_code


def chinese(told: str) -> str:
    """A complaint of Click's in Chinese; one that is not known stays as it is."""
    for pattern, form in _CHINESE:
        if found := re.fullmatch(pattern, told, re.DOTALL):
            whole, _, maybe = form.partition("|")
            text = found.expand(whole) + (found.expand(maybe) if maybe and found[2] else "")
            return _wanted(text)
    return told


def _wanted(text: str) -> str:
    for pattern, wanted in _WANTED:
        text = re.sub(f"(?<=：){pattern}$", wanted, text)
    return text.replace("' / '", "/").replace("'", "")
