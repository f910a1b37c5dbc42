"""The file that names MCP servers, in the form that other clients read too, and what each entry means."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NoReturn

from tao.errors import ConfigError, both, unread
from tao.tools.variables import filled

STDIO, HTTP = "stdio", "http"
TYPES = {
    "stdio": STDIO, "http": HTTP, "streamable-http": HTTP, "streamable_http": HTTP, "streamablehttp": HTTP,
}  # fmt: skip
KEYS = (
    "command", "args", "env", "cwd", "type", "transport", "url", "headers", "timeout", "connect_timeout", "allow", "deny", "trust",
    "optional", "disabled",
)  # fmt: skip
"""What an entry may say. Keys that only other clients know are left alone; one that is nearly ours is a slip of the pen."""


@dataclass(frozen=True, slots=True)
class Server:
    """One MCP server: a `command` that is started and spoken to over its standard input and output, or a `url`.

    `timeout` is in seconds for one call (None: as for all tools), `connect` for starting it and asking for its tools.
    `allow` and `deny` are patterns (`*`, `?`) of the server's own tool names; deny wins. `trusted`: what it says of its
    tools is believed. `optional`: without it, the others are used all the same.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    cwd: str | None = None
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float | None = None
    connect: float = 30.0
    allow: tuple[str, ...] = ("*",)
    deny: tuple[str, ...] = ()
    trusted: bool = False
    optional: bool = False

    def offers(self, tool: str) -> bool:
        """Whether this tool of the server may be used."""
        return any(fnmatchcase(tool, one) for one in self.allow) and not any(fnmatchcase(tool, one) for one in self.deny)


def servers(where: str | Path | Mapping[str, Any], env: Mapping[str, str]) -> tuple[Server, ...]:
    """The servers of a JSON file, or of what such a file holds: {"mcpServers": {name: entry}}; also under "servers", or bare.

    `${NAME}` and `${NAME:-default}` in texts are values of `env`. A disabled server is left out.
    Raises ConfigError that says where, what came and what is wanted.
    """
    if isinstance(where, Mapping):
        return _read(where, Place("mcpServers"), env, None)
    path = Path(where).expanduser()
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(both(f"cannot read the MCP servers of {path}: {unread(error)[0]}", f"无法读取 MCP 服务器文件 {path}：{unread(error)[1]}")) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(both(f"{path} is not valid JSON: {error}", f"{path} 不是有效的 JSON：{error}")) from error
    return _read(found, Place(str(path)), env, path.parent)


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the file a value stands, for complaints."""

    path: str

    def __truediv__(self, key: object) -> "Place":
        return Place(f"{self.path} → {key}")

    def wrong(self, came: Any, english: str, chinese: str) -> NoReturn:
        """Say what came and what was wanted. Raises ConfigError."""
        shown = json.dumps(came, ensure_ascii=False, default=str)
        shown = shown if len(shown) <= 80 else shown[:79] + "…"
        raise ConfigError(both(f"{self.path}: got {shown}, wanted {english}", f"{self.path}：收到 {shown}，应为{chinese}"))


def _read(found: Any, place: Place, env: Mapping[str, str], folder: Path | None) -> tuple[Server, ...]:
    if not isinstance(found, Mapping):
        place.wrong(found, 'an object {"mcpServers": {name: {"command": …} or {"url": …}}}', '对象 {"mcpServers": {名称: {"command": …} 或 {"url": …}}}')
    key = next((key for key in ("mcpServers", "servers") if isinstance(found.get(key), Mapping)), None)
    entries = found[key] if key else found
    inner = place / key if key and place.path != key else place
    read = [_server(name, entry, inner / name, env, folder) for name, entry in entries.items() if not _disabled(entry, inner / name)]
    return tuple(read)


def _disabled(entry: Any, place: Place) -> bool:
    if not isinstance(entry, Mapping):
        place.wrong(entry, 'an object with "command" or "url"', '含 "command" 或 "url" 的对象')
    return _flag(entry, "disabled", place)


def _server(name: str, entry: Mapping[str, Any], place: Place, env: Mapping[str, str], folder: Path | None) -> Server:
    for key in entry:
        if key not in KEYS and (near := get_close_matches(key.lower(), KEYS, 1, 0.8)):
            raise ConfigError(both(f"{place.path}: there is no {key!r}; did you mean {near[0]!r}?", f"{place.path}：没有 {key!r}；是否想写 {near[0]!r}？"))
    kind = _kind(entry, place)
    values = {key: _filled(entry[key], place / key, env) for key in ("command", "args", "env", "cwd", "url", "headers") if entry.get(key) is not None}
    cwd = _text(values, "cwd", place)
    cwd = str(folder / Path(cwd).expanduser()) if cwd and folder else cwd
    common: dict[str, Any] = {
        "timeout": _seconds(entry, "timeout", place), "allow": _texts(entry, "allow", place, ("*",)), "deny": _texts(entry, "deny", place),
        "trusted": _flag(entry, "trust", place), "optional": _flag(entry, "optional", place),
        "connect": _seconds(entry, "connect_timeout", place) or 30.0,
    }  # fmt: skip
    if kind == HTTP:
        url = _text(values, "url", place) or ""
        if not re.match(r"https?://[^/\s]", url):
            (place / "url").wrong(url, "an address that begins with http:// or https://", "以 http:// 或 https:// 开头的地址")
        return Server(name, url=url, headers=_named(values, "headers", place), **common)
    command = _text(values, "command", place)
    if not command:
        (place / "command").wrong(command, "the program to start", "要启动的程序")
    return Server(name, command, _texts(values, "args", place), _named(values, "env", place), cwd, **common)


def _kind(entry: Mapping[str, Any], place: Place) -> str:
    said = entry.get("type", entry.get("transport"))
    if said is None:
        if ("command" in entry) == ("url" in entry):
            place.wrong(sorted(entry), '"command" (a program) or "url" (an address), one of the two', '"command"（程序）或 "url"（地址）二者之一')
        return STDIO if "command" in entry else HTTP
    kind = TYPES.get(said.lower()) if isinstance(said, str) else None
    if kind is None:
        (place / "type").wrong(
            said, '"stdio" or "http" (the older "sse" is not spoken; most such servers also offer "http")',
            '"stdio" 或 "http"（不支持旧的 "sse"；此类服务器大多也提供 "http"）',
        )  # fmt: skip
    return kind


# ── values ────────────────────────────────────────────────────────────────────


def _filled(value: Any, place: Place, env: Mapping[str, str]) -> Any:
    """The value with variables written out, in lists and objects too."""
    if isinstance(value, list):
        return [_filled(item, place / number, env) for number, item in enumerate(value)]
    if isinstance(value, Mapping):
        return {key: _filled(item, place / key, env) for key, item in value.items()}
    if not isinstance(value, str):
        return value

    text = filled(value, place.path, env)
    if "${input:" in text:
        place.wrong(value, "a value without ${input:…}, which only an editor can ask for; use ${NAME}", "不含 ${input:…} 的值（只有编辑器能询问）；请用 ${NAME}")
    return text


def _text(entry: Mapping[str, Any], key: str, place: Place) -> str | None:
    value = entry.get(key)
    if value is not None and not isinstance(value, str):
        (place / key).wrong(value, "a text", "文本")
    return value


def _texts(entry: Mapping[str, Any], key: str, place: Place, default: tuple[str, ...] = ()) -> tuple[str, ...]:
    value = entry.get(key)
    if value is None:
        return default
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        (place / key).wrong(value, 'a list of texts, such as ["a", "b"]', '文本列表，例如 ["a", "b"]')
    return tuple(value)


def _named(entry: Mapping[str, Any], key: str, place: Place) -> dict[str, str]:
    value = entry.get(key, {})
    if not isinstance(value, Mapping):
        (place / key).wrong(value, 'an object of texts, such as {"NAME": "value"}', '值为文本的对象，例如 {"NAME": "value"}')
    for name, item in value.items():
        if not isinstance(item, str):
            (place / key / name).wrong(item, "a text", "文本")
    return dict(value)


def _seconds(entry: Mapping[str, Any], key: str, place: Place) -> float | None:
    def good(value: Any) -> bool:
        return isinstance(value, int | float) and not isinstance(value, bool) and value > 0

    found: float | None = _checked(entry, key, place, good, "a number of seconds, more than 0", "大于 0 的秒数")
    return found


def _flag(entry: Mapping[str, Any], key: str, place: Place) -> bool:
    return bool(_checked(entry, key, place, lambda value: isinstance(value, bool), "true or false", "true 或 false"))


def _checked(entry: Mapping[str, Any], key: str, place: Place, good: Callable[[Any], bool], english: str, chinese: str) -> Any:
    value = entry.get(key)
    if value is not None and not good(value):
        (place / key).wrong(value, english, chinese)
    return value
