"""`tao tools`: what a model may call."""

import dataclasses
import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from tao.build import toolbox
from tao.cli import options as o
from tao.cli.exits import ANSWERED, finish
from tao.cli.help import Command
from tao.cli.words import LANG, say
from tao.config import load
from tao.messages import ToolSpec

app = typer.Typer()


@app.command(cls=Command, help=say("List the tools that a model may call, as it sees them.", "列出模型可以调用的工具（与模型所见一致）。"))
def tools(
    *,
    docs: o.Docs = None,
    files: o.Tools = None,
    lang: o.Lang = None,
    as_json: Annotated[
        bool, typer.Option("--json", help=say("One tool with its JSON schema a line.", "每行一个工具及其 JSON Schema。"))
    ] = False,
) -> None:
    """List them."""
    finish(lambda: _tools(o.given(docs=docs, tools=files, lang=lang), as_json=as_json))


def _tools(options: Mapping[str, Any], *, as_json: bool) -> int:
    settings = load(options)
    specs = [tool.said(settings.lang or LANG) for tool in toolbox(settings)]
    console = Console(highlight=False)
    for spec in specs:
        if as_json:
            console.file.write(json.dumps(dataclasses.asdict(spec), ensure_ascii=False) + "\n")
            continue
        console.print(Text.assemble((spec.name, "bold"), "  ", (_signature(spec), "dim")))
        console.print(Padding(Text(spec.description), (0, 0, 0, 2), expand=False))
        for name, schema in spec.parameters.get("properties", {}).items():
            if schema.get("description"):
                console.print(Padding(Text.assemble((name, "cyan"), "  ", schema["description"]), (0, 0, 0, 4), expand=False))
    if not specs and not as_json:
        console.print(say("no tools", "没有工具"))
    return ANSWERED


def _signature(spec: ToolSpec) -> str:
    required = spec.parameters.get("required", ())
    parts = [
        f"{name}: {_kind(schema)}" + ("" if name in required else "?")
        for name, schema in spec.parameters.get("properties", {}).items()
    ]
    return f"({', '.join(parts)})" + "".join(f" · {effect}" for effect in spec.effects if effect != "reads")


def _kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return "|".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    kind = schema.get("format") or schema.get("type") or "any"
    return "|".join(kind) if isinstance(kind, list) else str(kind)
