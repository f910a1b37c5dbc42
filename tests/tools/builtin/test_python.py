"""Code in the sandbox: what it gives, what it cannot reach, and where it is stopped. The real sandbox runs."""

import pytest

from tao.messages import Call
from tao.testing import history
from tao.tools.builtin.python import python, unfenced
from tao.tools.registry import registry

pytest.importorskip("pydantic_monty")


async def ran(code, lang="en", **limits):
    tool = python(**limits)
    return await registry([tool])(Call("1.1", "python", {"code": code}), history("q", tools=[tool.spec], lang=lang))


@pytest.mark.parametrize(("code", "text"), [
    ("1 + 1", "2"), ("print('a')\nprint('b')", "a\nb"), ("print('sum')\nsum([1, 2])", "sum\n3"), ("'中文'", "'中文'"), ("[n * n for n in range(4)]", "[0, 1, 4, 9]"),
    ("```python\n2 ** 10\n```", "1024"), ("import math\nmath.comb(5, 2)", "10"), ("import re\nre.sub('a', 'b', 'aa')", "'bb'"), ("float('inf')", "inf"),
    ("import datetime\nprint(datetime.date(2024, 2, 28) + datetime.timedelta(days=2))", "2024-03-01"), ("def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nf(20)", "2432902008176640000"),
    ("import json\njson.loads('{\"a\": [1]}')['a']", "[1]"), ("sorted({'b': 1, 'a': 2})", "['a', 'b']"),
])  # fmt: skip
async def test_what_is_printed_and_the_last_value(code, text):
    found = await ran(code)
    assert (found.ok, found.text) == (True, text)


@pytest.mark.parametrize(("lang", "said"), [("en", "Ran without output"), ("zh", "没有输出")])
async def test_no_output_says_what_to_do(lang, said):
    assert said in (await ran("x = 1", lang)).text


@pytest.mark.parametrize("code", [
    "open('/etc/passwd').read()", "open('x', 'w').write('y')", "import os\nos.system('id')", "import os\nos.listdir('/')", "import os\nos.environ['PATH']", "import os\nos.getenv('PATH')",
    "import subprocess", "import socket", "import urllib.request", "import ctypes", "import shutil", "__import__('os').system('id')", "eval('open(\"/etc/passwd\")')", "exec('import socket')", "import builtins",
    "from pathlib import Path\nPath('/etc/passwd').read_text()", "from pathlib import Path\nPath('x').write_text('y')", "().__class__.__bases__[0].__subclasses__()",
    "(lambda: 0).__globals__", "print.__self__", "import sys\nsys.modules['os'].system('id')", "breakpoint()", "input()", "import importlib\nimportlib.import_module('os')",
    "import pydantic_monty", "import tao", "import threading", "import multiprocessing", "import asyncio\nasyncio.create_subprocess_shell('id')",
    "(n for n in [1]).gi_frame.f_back.f_globals", "try:\n    1/0\nexcept Exception as e:\n    e.__traceback__.tb_frame.f_globals", "'{0.__class__.__mro__}'.format(1)",
])  # fmt: skip
async def test_nothing_of_the_host_can_be_reached(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = await ran(code)
    assert not found.ok or "root:" not in found.text
    assert not found.ok, found.text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("code", "said"), [
    ("while True:\n    pass", "TimeoutError"), ("import time\ntime.sleep(1000)", "TimeoutError"), ("'x' * 10 ** 9", "MemoryError"), ("a = []\nwhile True:\n    a.append('x' * 1000)", "MemoryError"),
    ("def f():\n    return f()\nf()", "RecursionError"), ("2 ** 10 ** 10", "Error"), ("list(range(10 ** 9))", "MemoryError"),
])  # fmt: skip
async def test_time_and_memory_are_limited(code, said):
    found = await ran(code, seconds=1, memory=20_000_000)
    assert (found.ok, said in found.text) == (False, True), found.text


async def test_output_is_cut():
    found = await ran("for n in range(1000):\n    print('x' * 99)", output=500)
    assert (found.ok, found.text.count("x") <= 500, found.text.endswith("[… cut]") or len(found.text) <= 500) == (True, True, True)


@pytest.mark.parametrize(("code", "lang", "said"), [
    ("x = 1\n1 / 0", "en", "line 2, 1 / 0: ZeroDivisionError"), ("x = 1\n1 / 0", "zh", "第 2 行, 1 / 0: ZeroDivisionError"), ("x = (", "en", "SyntaxError"),
    ("print('so far')\nnope", "en", "so far"), ("open('x')", "en", "There are no files here"), ("open('x')", "zh", "这里没有文件"), ("import numpy", "en", "Only part of the standard library"),
])  # fmt: skip
async def test_errors_say_where_and_what_to_do(code, lang, said):
    found = await ran(code, lang)
    assert (found.ok, said in found.text) == (False, True), found.text


async def test_nothing_is_kept_between_calls():
    assert (await ran("kept = 1\nkept")).text == "1"
    assert "NameError" in (await ran("kept")).text


def test_it_declares_that_it_executes():
    assert python().spec.effects == ("executes",)


@pytest.mark.parametrize(("code", "bare"), [("```\n1\n```", "1"), ("```py\n1\n2\n```\n", "1\n2"), ("1", "1"), ("'```'", "'```'"), ("```\n1", "```\n1")])
def test_fences(code, bare):
    assert unfenced(code) == bare
