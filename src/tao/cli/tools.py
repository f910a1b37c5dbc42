"""`tao tools`: what a model may call, and calling one by hand."""

import asyncio
import dataclasses
import json
import secrets
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import click

from tao.acting import acting
from tao.build import connected, limits, toolbox
from tao.cli import options as o
from tao.cli.exits import ANSWERED, FAILED, complain, finish
from tao.cli.help import Command, argument
from tao.cli.screen import Screen, Text
from tao.cli.words import LANG, say
from tao.config import Settings, environment, load
from tao.errors import BadArguments, ConfigError, Pause, both
from tao.events import Asked
from tao.messages import Call, Observation, Pairs, ToolSpec, doubled, paired
from tao.permissions import Rule, judge, looks, verdicts
from tao.rulings import fitted
from tao.run import Run
from tao.tools.builtin import FURTHER, GROUPS
from tao.tools.declare import Tool
from tao.toolset import find as find_tools
from tao.toolset import line


@click.command("tools", cls=Command, help=say(
    "List the tools that a model may call, as it sees them; `tao tools call NAME ARGS` tries one.",
    "列出模型可以调用的工具（与模型所见一致）；`tao tools call 名称 参数` 可以试用一个。",
))
@argument("words", "[call NAME [ARGS]]", say('ARGS: {"city": "Lima"} or city=Lima days=3', '参数：{"city": "Lima"} 或 city=Lima days=3'), nargs=-1)
@o.shared("docs", "tools", "mcp", "openapi", "offer", "lang")
@click.option("--yes", "-y", is_flag=True, help=say("Do not ask before a tool that does more than look.", "调用不只是读取的工具前不再询问。"))
@click.option("--find", metavar="TEXT", help=say("List only tools that fit a name or these words, the best first.", "只列出名称或用途符合的工具，最相近的在前。"))
@click.option("--json", "as_json", is_flag=True, help=say("One tool with its JSON schema a line.", "每行一个工具及其 JSON Schema。"))
def tools(words: Sequence[str], *, yes: bool, find: str | None, as_json: bool, **settings: Any) -> None:  # fmt: skip
    """List them, or call one."""
    options = o.given(**settings)
    if not words:
        finish(_listed(options, find, as_json=as_json))
    if find is not None or words[0] != "call" or len(words) < 2:
        finish(_misused)
    finish(_called(options, words[1], words[2:], yes=yes, as_json=as_json))


def _misused() -> int:
    raise ConfigError(both("wanted: tao tools [--find TEXT], or tao tools call NAME [ARGS]", "用法：tao tools [--find 文字]，或 tao tools call 名称 [参数]"))


# ── listing ───────────────────────────────────────────────────────────────────


async def _listed(options: Mapping[str, Any], wanted: str | None, *, as_json: bool) -> int:
    settings = load(options)
    async with connected(settings, environment()) as more:
        offered = [*toolbox(settings, environment()), *more]
    screen = Screen()
    specs = [tool.said(settings.lang or LANG) for tool in offered]
    found, near = (specs, []) if wanted is None else find_tools(specs, wanted)
    own = {tool.name: tool for tool in offered}
    for spec in found:
        if as_json:
            screen.file.write(json.dumps(dataclasses.asdict(spec), ensure_ascii=False) + "\n")
        else:
            _show(screen, own[spec.name], spec, settings.permissions.rules)
    if near and not as_json:
        screen.print(("\n".join([say("\nAlso near:", "\n相近的还有："), *map(line, near)]), "dim"))
    if wanted is not None and not found:
        complain(say(f"no tool on offer fits {wanted!r}; tao tools lists them all", f"没有符合“{wanted}”的工具；tao tools 列出全部"))
        return FAILED
    if not as_json and wanted is None:
        if not offered:
            screen.print(say("no tools", "没有工具"))
        _rest(screen, {tool.name for tool in offered})
    return ANSWERED


def _show(screen: Screen, tool: Tool, spec: ToolSpec, rules: Sequence[Rule]) -> None:
    _put(screen, (spec.name, "bold"), "  ", (_signature(spec), "dim"), (_bounds(tool, rules), "dim"))
    _put(screen, spec.description, indent=2)
    for name, schema in spec.parameters.get("properties", {}).items():
        if isinstance(schema, Mapping) and schema.get("description"):
            _put(screen, (name, "cyan"), "  ", schema["description"], indent=4)


def _put(screen: Screen, *parts: Text | str | tuple[str, str], indent: int = 0) -> None:
    """Print it behind so many blanks: on a screen wrapped between words, elsewhere every line whole."""
    screen.print(*parts, wrap=screen.is_terminal, indent=indent)


def _rest(screen: Screen, offered: Collection[str]) -> None:
    """The built-in tools that are not on offer: what each does, and what switches it on."""
    _put(screen, (say('\nMore, with --offer NAME or offer = ["NAME"] in tao.toml:', '\n更多工具：用 --offer 名称，或在 tao.toml 中写 offer = ["名称"]：'), "dim"))
    if "search" not in offered:
        _put(screen, ("search", "bold"), ("     reads · --docs DIR", "dim"), indent=2)
    for word, group in FURTHER.items():
        if set(group.names) <= set(offered):
            continue
        parts = [", ".join(group.names), " ".join(group.effects), *([group.needs] if group.needs else [])]
        if not group.installed:
            parts.append(f"pip install 'tao-agent[{group.extra}]'")
        _put(screen, (f"{word:9}", "bold"), ("  " + " · ".join(parts), "dim"), indent=2)


def _signature(spec: ToolSpec) -> str:
    required = spec.parameters.get("required", ())
    parts = [
        f"{name}: {_kind(schema)}" + ("" if name in required else "?")
        for name, schema in spec.parameters.get("properties", {}).items()
    ]
    return f"({', '.join(parts)})"


def _bounds(tool: Tool, rules: Sequence[Rule]) -> str:
    """What it does to the world, the limits that it sets itself, and what the rules say of it."""
    parts = list(tool.spec.effects)
    if tool.timeout is not None:
        parts.append(f"≤ {tool.timeout:g} s")
    found = verdicts(tool.spec, rules)
    if found != {"allow"}:
        words = {"allow": say("allowed", "允许"), "ask": say("asks first", "先询问"), "deny": say("denied", "禁止")}
        listed = [word for verdict, word in words.items() if verdict in found]
        parts.append(listed[0] if len(listed) == 1 else say(f"depends on arguments: {' / '.join(listed)}", f"取决于参数：{' / '.join(listed)}"))
    return "".join(f" · {part}" for part in parts)


def _kind(schema: Any) -> str:
    if not isinstance(schema, Mapping):  # true: anything goes
        return "any"
    if "enum" in schema:
        return "|".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    kind = schema.get("format") or schema.get("type") or "any"
    return "|".join(kind) if isinstance(kind, list) else str(kind)


# ── calling one ───────────────────────────────────────────────────────────────


async def _called(options: Mapping[str, Any], name: str, words: Sequence[str], *, yes: bool, as_json: bool) -> int:
    settings = load(options)
    if any(name in group for group in GROUPS.values()):
        settings = settings.model_copy(update={"offer": (*settings.offer, name)})
    async with connected(settings, environment()) as more:
        return await _tried(settings, [*toolbox(settings, environment()), *more], name, words, yes=yes, as_json=as_json)


async def _tried(settings: Settings, offered: Sequence[Tool], name: str, words: Sequence[str], *, yes: bool, as_json: bool) -> int:
    lang = settings.lang or LANG
    run = Run(f"by-hand-{secrets.token_hex(8)}", [Asked(" ".join(words), tuple(tool.said(lang) for tool in offered), lang)])
    call = Call("1.1", name, arguments(words, run.tool(name)))
    spec = run.tool(name)
    denied = _judged(call, run, offered, settings) if spec is not None else None
    if denied is None and spec is not None and not looks(spec.effects) and not yes and not await _agreed(call, spec):
        return FAILED
    try:
        seen = denied or await acting(offered, limits(settings, offered))(call, run)
    except Pause as pause:
        seen = Observation(pause.reason, ok=False, kind="paused")
    if as_json:
        sys.stdout.write(json.dumps(dataclasses.asdict(seen), ensure_ascii=False) + "\n")
    else:
        screen = Screen()
        for note in seen.notes:
            screen.print((f"· {note}", "dim"))
        screen.print((seen.text, "" if seen.ok else "red"))
    return ANSWERED if seen.ok else FAILED


def _judged(call: Call, run: Run, offered: Sequence[Tool], settings: Settings) -> Observation | None:
    """What the rules deny is not done by hand either, and says why. For all else a line on standard error says what a run would do with the call."""
    try:
        fit = fitted(offered)(call, run)
    except BadArguments:
        return None  # it will not be done, and be said
    found = judge(fit, run, settings.permissions.rules)
    if found.verdict == "deny":
        text = say(f"{call.tool} was not run: the permission rules deny this call ({found.reason})", f"没有执行 {call.tool}：权限规则禁止这次调用（{found.reason}）")
        return Observation(text, ok=False, kind="denied")
    if found.verdict == "ask":
        text = say(f"In a run a person would be asked first: {found.reason}", f"在运行中会先询问：{found.reason}")
    elif found.rule is not None:
        text = say("In a run this would be done without asking: a rule allows it", "在运行中会直接执行：规则允许")
    else:
        return None
    Screen(err=True).print((f"· {text}", "dim"))
    return None


def arguments(words: Sequence[str], spec: ToolSpec | None) -> dict[str, Any]:
    """The arguments as given: one JSON object, or name=value pairs, where a value that is JSON counts as such unless text is wanted.

    Raises ConfigError for anything else.
    """
    if not words:
        return {}
    if words[0].lstrip().startswith("{"):
        try:
            found = json.loads(" ".join(words), object_pairs_hook=paired)
        except (ValueError, RecursionError) as error:
            raise ConfigError(both(f"the arguments are not a JSON object: {error}", f"参数不是 JSON 对象：{error}")) from None
        return _once(found)
    pairs = [word.partition("=") for word in words]
    if wrong := next((name for name, sign, _ in pairs if not sign or not name), None):
        raise ConfigError(both(f"arguments are name=value or a JSON object, not {wrong!r}", f"参数应为 名称=值 或 JSON 对象，而不是 {wrong!r}"))
    kinds = spec.parameters.get("properties", {}) if spec else {}
    return _once(Pairs((name, _value(text, kinds.get(name, {}))) for name, _, text in pairs).plain())


def _once(found: dict[str, Any]) -> dict[str, Any]:
    if (key := doubled(found)) is not None:
        raise ConfigError(both(f"the arguments give {key!r} twice, with different values; give each name once", f"参数把 {key!r} 写了两次，值却不同；每个参数名只写一次"))
    return found


def _value(text: str, schema: Any) -> Any:
    if isinstance(schema, Mapping) and schema.get("type") == "string":
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


async def _agreed(call: Call, spec: ToolSpec) -> bool:
    shown = json.dumps(dict(call.args), ensure_ascii=False)
    if not sys.stdin.isatty():
        text = both(f"{call.tool} does more than look ({', '.join(spec.effects)}); give --yes to run it", f"{call.tool} 不只是读取（{'、'.join(spec.effects)}）；确认执行请加 --yes")
        raise ConfigError(text)
    question = say(f"Run {call.tool} {shown}?", f"执行 {call.tool} {shown}？")
    return await asyncio.to_thread(click.confirm, question)
