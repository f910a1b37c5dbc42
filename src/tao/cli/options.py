"""Options that several commands share."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tao.cli.words import say
from tao.config import Settings, load

SHARED: dict[str, Callable[[Any], Any]] = {
    "model": click.option("--model", "-m", metavar="NAME", help=say(
        "Who answers: local, local:NAME, a .gguf file, provider:model, http://host/v1#name.",
        "由谁回答：local、local:名称、.gguf 文件、provider:model、http://host/v1#name。",
    )),
    "lang": click.option("--lang", metavar="zh|en", help=say(
        "Language of the answer and of messages; default: the question's.", "回答和界面的语言；默认与问题一致。",
    )),
    "max_steps": click.option("--max-steps", type=int, metavar="N", help=say("Model replies that a run may take (8).", "一次运行最多的模型回复数（8）。")),
    "dialect": click.option("--dialect", metavar="NAME", help=say(
        "How calls are written: auto, react, json, bracket, native.", "调用的写法：auto、react、json、bracket、native。",
    )),
    "docs": click.option("--docs", type=Path, metavar="DIR", help=say("A folder of text files to search in.", "可供检索的文本文件夹。")),
    "tools": click.option("--tools", multiple=True, metavar="FILE.py[:factory]", help=say(
        "More tools from a Python file; may be repeated.", "从 Python 文件添加工具；可重复。",
    )),
    "offer": click.option("--offer", multiple=True, metavar="NAME", help=say(
        "Further tools of tao: files, sql, notes, units, calendar, python, ask_human, web, http; may be repeated.",
        "添加 tao 自带的其他工具：files、sql、notes、units、calendar、python、ask_human、web、http；可重复。",
    )),
    "mcp": click.option("--mcp", type=Path, metavar="FILE.json", help=say("Tools of the MCP servers in a JSON file.", "JSON 文件中 MCP 服务器的工具。")),
    "openapi": click.option("--openapi", multiple=True, metavar="FILE", help=say(
        "What may be looked up with an OpenAPI document, a file or an address; may be repeated.", "OpenAPI 文档（文件或网址）中的查询操作；可重复。",
    )),
    "output": click.option("--output", type=Path, metavar="SCHEMA.json", help=say(
        "Answer in JSON that fits the JSON schema in a file; prints that JSON and nothing else.",
        "以符合文件中 JSON Schema 的 JSON 回答；只输出该 JSON。",
    )),
    "image": click.option("--image", "images", multiple=True, metavar="FILE", help=say(
        "A picture beside the question: a file or an address; may be repeated.", "随问题附上的图片：文件或网址；可重复。",
    )),
    "journal": click.option("--journal", metavar="PATH", help=say("Where runs are kept: a file or a database URL.", "运行记录的位置：文件或数据库 URL。")),
    "json": click.option("--json", "as_json", is_flag=True, help=say("One JSON event a line.", "每行一个 JSON 事件。")),
    "quiet": click.option("--quiet", "-q", is_flag=True, help=say("The answer and nothing else.", "只输出答案。")),
}  # fmt: skip


def shared(*names: str) -> Callable[[Any], Any]:
    """Adds these options to a command, in this order. Those that are settings go to `given`."""

    def add(command: Any) -> Any:
        for name in reversed(names):
            command = SHARED[name](command)
        return command

    return add


def given(**options: Any) -> dict[str, Any]:
    """Options as settings; what was not given is left out."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in options.items() if value not in (None, ())}


def again(settings: Settings) -> str:
    """The options by which another command finds the same run and the same tools: what no settings file says."""
    usual = load({})
    told = {name: getattr(settings, name) for name in ("docs", "tools", "offer", "mcp") if getattr(settings, name) != getattr(usual, name)}
    told |= {"openapi": [one.document for one in settings.openapi if one not in usual.openapi], "journal": settings.journal}
    pairs = [(name, one) for name, value in told.items() for one in (value if isinstance(value, list | tuple) else [value]) if one]
    return "".join(f" --{name} {shlex.quote(str(one))}" for name, one in pairs)
