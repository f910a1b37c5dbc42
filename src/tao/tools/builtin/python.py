"""The tool `python`: a snippet of Python in a sandbox that has no files, no network and no processes (pydantic-monty)."""

import importlib.util
from typing import Any

from tao.errors import ConfigError, ToolError, both
from tao.tools.declare import Tool, declare
from tao.tools.words import say

SECONDS, MEMORY, OUTPUT = 5.0, 100_000_000, 8000


def python(*, seconds: float = SECONDS, memory: int = MEMORY, output: int = OUTPUT) -> Tool:
    """A tool that runs Python code in a worker process of its own, for at most so many seconds and bytes.

    What it prints comes back, then the value of its last line; together at most `output` characters. Nothing is kept from one
    call to the next. Raises ConfigError where `pydantic-monty` is not installed.
    """
    if importlib.util.find_spec("pydantic_monty") is None:
        raise ConfigError(both(
            "the tool 'python' needs the package pydantic-monty: pip install 'tao-agent[python]'",
            "工具 'python' 需要 pydantic-monty：pip install 'tao-agent[python]'",
        ))  # fmt: skip

    def run(code: str) -> str:
        printed, value = _run(unfenced(code), seconds, memory, output)
        shown = "" if value is None else repr(value)
        text = "\n".join(part for part in (printed.rstrip("\n"), shown) if part)
        if not text:
            return say(
                "Ran without output. Print what you want to see, or end with an expression.",
                "运行完毕，没有输出。请用 print 输出，或以一个表达式结尾。",
            )
        return text if len(text) <= output else text[:output] + say("\n[… cut]", "\n[… 已截断]")

    return declare(
        run, name="python", effects=("executes",), idempotent=True, timeout=seconds + 10,
        description="Run a short Python program without files, network or other packages than the standard ones (math, json, re, datetime …).\n\n"
        "Args:\n    code: the program; print results, or end with an expression",
        descriptions={"zh": "运行一小段 Python 程序；不能访问文件和网络，只有标准库的一部分（math、json、re、datetime 等）。\n\n"
                            "参数：\n    code: 程序；用 print 输出结果，或以一个表达式结尾"},
    )  # fmt: skip


def unfenced(code: str) -> str:
    """The code without a Markdown fence around it."""
    lines = code.strip().splitlines()
    if len(lines) >= 2 and lines[0].strip().lower() in {"```", "```python", "```py"} and lines[-1].strip() == "```":
        return "\n".join(lines[1:-1])
    return code


def _run(code: str, seconds: float, memory: int, most: int) -> tuple[str, object]:
    """What the code printed, and the value of its last line. Raises ToolError with what went wrong."""
    import pydantic_monty as monty  # noqa: PLC0415 - optional and heavy: loaded on first use, only here

    printed: list[str] = []
    room = most

    def hear(_stream: str, text: str) -> None:
        nonlocal room
        if room > 0:
            printed.append(text[:room])
        room -= len(text)

    limits = monty.ResourceLimits(max_feed_duration_secs=seconds, max_memory=memory, max_total_sleep_secs=seconds)
    try:
        with monty.Monty(max_processes=1, request_timeout=seconds + 2) as pool, pool.checkout(limits=limits) as session:
            value = session.feed_run(code, print_callback=hear)
    except monty.MontyError as error:
        before = "".join(printed).rstrip("\n")
        raise ToolError("\n".join(part for part in (before, _said(error), _advice(str(error))) if part)) from None
    return "".join(printed), value


def _said(error: Any) -> str:
    """The error with the line where it happened."""
    frames = error.traceback() if hasattr(error, "traceback") else []
    kind = type(error.exception()).__name__
    said = str(error) if str(error).startswith(kind) else f"{kind}: {error}"
    if not frames:
        return said
    source = (frames[-1].source_line or "").strip()[:100]
    where = say(f"line {frames[-1].line}", f"第 {frames[-1].line} 行")
    return f"{where}, {source}: {said}" if source else f"{where}: {said}"


def _advice(error: str) -> str:
    if error.startswith("PermissionError"):
        return say("There are no files here; put the data into the code.", "这里没有文件；请把数据写进代码。")
    if error.startswith(("ModuleNotFoundError", "ImportError")):
        return say("Only part of the standard library is here.", "这里只有标准库的一部分。")
    if error.startswith(("TimeoutError", "MemoryError")):
        return say("Do less at once, or find a shorter way.", "请减少计算量，或换一种更省的方法。")
    return ""
