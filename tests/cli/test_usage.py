"""What a wrong command line is told, in both languages."""

import re

import pytest

from tao.cli.usage import chinese
from tao.cli.words import CJK

WRONG = [
    (["ask"], "Missing argument 'QUESTION'.", "缺少参数：问题"),
    (["asd"], "No such command 'asd'. Did you mean 'ask'?", "没有命令 asd；是否想用 ask？"),
    (["model", "nope"], "No such command 'nope'.", "没有命令 nope"),
    (["ask", "--nope", "x"], "No such option '--nope'.", "没有选项 --nope"),
    (["--qiet"], "No such option '--qiet'.", "没有选项 --qiet"),
    (["ask", "x", "y", "z"], "unexpected extra arguments (y z)", "多出的参数：y z（含空格的文字请加引号）"),
    (["ask", "x", "--max-steps", "abc"], "Invalid value for '--max-steps'", "--max-steps 的值不对：需要整数"),
    (["runs", "-n", "0"], "0 is not in the range x>=1.", "--limit/-n 的值不对：需要不小于 1 的数"),
    (["ask", "x", "--model"], "Option '--model' requires an argument.", "选项 --model 后面要有值"),
    (["show", "--json=3"], "Option '--json' does not take a value.", "选项 --json 不带值"),
]


@pytest.mark.parametrize(("argv", "english", "zh"), WRONG, ids=[" ".join(case[0]) for case in WRONG])
def test_a_wrong_command_line_is_told_in_the_readers_language_with_code_2(tao, argv, english, zh):
    done, here = tao(*argv), tao(*argv, TAO_LANG="zh")
    assert (done.returncode, done.stdout, here.returncode, here.stdout) == (2, "", 2, "")
    assert done.stderr.startswith("Error: ")
    assert english in done.stderr
    assert not CJK.search(done.stderr)
    assert here.stderr.startswith(f"错误: {zh}")
    assert "Error" not in here.stderr


def test_it_says_how_the_command_is_written(tao):
    assert re.search(r"\nUsage: .*tao ask \[OPTIONS\] QUESTION   \(more: .*tao ask --help\)\n$", tao("ask").stderr)
    assert re.search(r"\n用法：.*tao ask \[选项\] 问题  （详见 .*tao ask --help）\n$", tao("ask", TAO_LANG="zh").stderr)


def test_without_a_command_there_is_the_help_page_and_no_complaint(tao):
    done = tao()
    assert done.returncode == 2
    assert "Error" not in done.stdout + done.stderr


@pytest.mark.parametrize(("told", "zh"), [
    ("Invalid value for '--rate': 'x' is not a valid float range.", "--rate 的值不对：需要数字"),
    ("Invalid value for '--share': 2.0 is not in the range 0<=x<=1.", "--share 的值不对：需要 0 到 1 之间的数"),
    ("Missing option '--to'.", "缺少选项：--to"),
    ("No such command 'sh'. (Did you mean one of: 'export', 'show'?)", "没有命令 sh；是否想用 export, show？"),
    ("Something that nobody has met yet", "Something that nobody has met yet"),
])  # fmt: skip
def test_each_kind_of_complaint_has_its_sentence(told, zh):
    assert chinese(told) == zh
