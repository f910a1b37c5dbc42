import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from wcwidth import width

from tao.cli.app import COMMANDS, arguments
from tao.cli.words import CJK, LABELS, LANG, language, mine
from tao.errors import both

COMMAND_LINES = [
    [],
    *[[name] for name in COMMANDS],
    ["model", "pull"],
    ["model", "list"],
    ["model", "rm"],
    ["model", "path"],
    ["corpus", "run"],
]


def test_help_lists_every_command_in_its_first_screenful(tao):
    done = tao("--help")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert all(any(line.strip().startswith(name) for line in lines) for name in COMMANDS)
    assert len(lines) <= 40
    assert "130 interrupted" in done.stdout


PAGES = """
import json, sys
from click.testing import CliRunner
from tao.cli.app import app
print(json.dumps([CliRunner().invoke(app, [*command, "--help"]).stdout for command in json.loads(sys.argv[1])]))
"""


@pytest.fixture(scope="module")
def pages():
    """Every help page, in English and in Chinese."""

    def read(lang):
        env = {**os.environ, "TAO_LANG": lang, "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"}
        command = [sys.executable, "-c", PAGES, json.dumps(COMMAND_LINES)]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, env=env).stdout)

    return list(zip(read("en"), read("zh"), strict=True))


@pytest.mark.parametrize("number", range(len(COMMAND_LINES)), ids=[" ".join(command) or "tao" for command in COMMAND_LINES])
def test_every_help_page_is_whole_in_both_languages(pages, number):
    english, chinese = pages[number]
    assert not CJK.search(english)
    assert english.startswith("Usage")
    assert chinese.startswith("用法")
    options = [set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", page)) for page in (english, chinese)]
    assert options[0] == options[1]
    told = [line for line in chinese.splitlines()[1:] if re.search(r"[A-Za-z]{3,} [a-z]{2,} [a-z]{2,} [a-z]{2,}", line)]
    assert told == []
    assert "; " not in chinese


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_line_of_a_help_page_is_wider_than_the_terminal(tao, lang):
    done = tao("tools", "--help", TAO_LANG=lang, COLUMNS="40")
    assert max(width(line) for line in done.stdout.splitlines()) <= 40


def test_help_loads_no_command_and_nothing_heavy():
    code = """
import sys
sys.argv = ["tao", "--help"]
from tao.cli import main
try:
    main()
except SystemExit:
    pass
heavy = {"sqlalchemy", "pydantic", "aiohttp", "sqlite3", "asyncio", "tao.cli.ask", "tao.agent", "tqdm"} & set(sys.modules)
print(sorted(heavy), file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, "TAO_LANG": "en"}
    )
    assert done.stderr.strip() == "[]"


def test_importing_tao_loads_nothing_heavy():
    code = "import sys, tao; print(sorted({'asyncio', 'pydantic', 'sqlalchemy', 'aiohttp', 'tao.agent', 'click', 'wcwidth'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_version(tao):
    assert re.fullmatch(r"tao \d+\.\d+\.\d+\S*\n", tao("--version").stdout)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
@pytest.mark.parametrize(("lang", "said"), [("en", "Error: the output cannot be written: No space left on device"), ("zh", "错误: 无法写入输出：磁盘已满")])
@pytest.mark.parametrize("argv", [["--help"], ["tools"], ["ask", "q"], ["ask", "-q", "q"]], ids=" ".join)
def test_output_that_has_no_room_is_said_in_one_sentence(tao, argv, lang, said):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([sys.executable, "-m", "tao", *argv], stdout=full, stderr=subprocess.PIPE, text=True, check=False, env={**tao.env, "TAO_LANG": lang})
    assert (done.returncode, done.stderr.strip().splitlines()[-1]) == (1, said)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("argv", [["tools"], ["ask", "-q", "q"]], ids=" ".join)
def test_where_nobody_reads_on_nothing_is_said(tao, argv):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.executable, "-m", "tao", *argv], stdout=write, stderr=subprocess.PIPE, text=True, check=False, env=tao.env)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("stream", [0, 1, 2])
def test_a_stream_may_be_closed(tao, stream):
    command = f'exec "$0" -m tao ask -q q {stream}>&-'
    done = subprocess.run(["sh", "-c", command, sys.executable], capture_output=True, text=True, check=False, env=tao.env)
    assert (done.returncode, done.stdout, done.stderr) == (0, "" if stream == 1 else "ok\n", "")


def test_no_color_is_respected(tao):
    for options in ({"NO_COLOR": "1", "FORCE_COLOR": ""}, {"TERM": "dumb"}):
        assert "\x1b" not in tao("doctor", **options).stdout


@pytest.mark.parametrize(("argv", "env", "lang"), [
    ([], {}, "en"),
    ([], {"LANG": "zh_CN.UTF-8"}, "zh"),
    ([], {"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, "en"),
    ([], {"LANG": "en_US", "TAO_LANG": "zh"}, "zh"),
    (["tao", "ask", "--lang", "en"], {"TAO_LANG": "zh"}, "en"),
    (["tao", "ask", "--lang=zh"], {}, "zh"),
    (["tao", "--lang"], {}, "en"),
    ([], {"LC_ALL": "", "LANG": "zh"}, "zh"),
    (["tao", "ask", "今天是几号？"], {"LANG": "C.UTF-8"}, "zh"),
    (["tao", "ask", "--model", "local", "17*23 等于多少？"], {}, "zh"),
    (["tao", "ask", "今天是几号？"], {"TAO_LANG": "en"}, "en"),
    (["tao", "ask", "--lang", "en", "今天是几号？"], {"LANG": "C.UTF-8"}, "en"),
    (["tao", "ask", "How do you say 水 in English?"], {}, "en"),
    (["tao", "show", "运行"], {}, "en"),
    (["tao", "ask", "What is in it?", "--docs", "资料"], {}, "en"),
    (["tao", "ask", "--quiet", "今天是几号？"], {}, "zh"),
])  # fmt: skip
def test_the_language_of_the_command_line(argv, env, lang):
    assert language(argv, env) == lang


def test_of_a_text_in_both_languages_one_is_shown():
    ours = {"en": 0, "zh": 1}[LANG]
    assert mine(both("one more thing", "还有一件事")) == ("one more thing", "还有一件事")[ours]
    assert mine(both("no such model '通义'", "没有模型 '通义'")) == ("no such model '通义'", "没有模型 '通义'")[ours]
    two = both("first it went wrong", "先出了错") + "\n" + both("then it burnt", "然后烧了")
    assert mine(two) == ("first it went wrong\nthen it burnt", "先出了错\n然后烧了")[ours]
    tired = "server: HTTP 502: Bad Gateway\n" + both("(tried 3 times)", "（共尝试 3 次）")
    assert mine(tired) == "server: HTTP 502: Bad Gateway\n" + ("(tried 3 times)", "（共尝试 3 次）")[ours]
    assert mine("one line") == "one line"
    assert mine("two lines\nof English") == "two lines\nof English"
    assert mine("两行\n中文的文字") == "两行\n中文的文字"
    assert LABELS["zh"].keys() == LABELS["en"].keys()


@pytest.mark.parametrize(("argv", "kept"), [
    (["doctor", "--lang", "zh", "--json"], ["doctor", "--json"]), (["runs", "--lang=zh"], ["runs"]), (["--lang", "zh", "runs"], ["runs"]),
    (["ask", "--lang", "zh", "q"], ["ask", "--lang", "zh", "q"]), (["tools", "--lang", "zh"], ["tools", "--lang", "zh"]),
    (["approve", "3f2a", "--reject", "no", "--", "--lang"], ["approve", "3f2a", "--reject", "no", "--", "--lang"]), ([], []),
])  # fmt: skip
def test_the_language_may_be_said_behind_every_command(argv, kept):
    assert arguments(argv) == kept
