"""From a name to a model: "local", "openai:gpt-5.5", "ollama:qwen3", a path to a GGUF file, "http://127.0.0.1:8000/v1#name"."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Protocol
from urllib.parse import urlsplit, urlunsplit

from tao.errors import ConfigError, both
from tao.messages import Reply, Request
from tao.models.catalogue import CATALOGUE, DEFAULT, cache_folder, locate
from tao.models.profiles import ALIASES, GENERIC, PROFILES, Profile, profile
from tao.seams import Abilities, Hear


class Connected(Protocol):
    """A model with a name, that says what it can do and can be closed."""

    name: str
    abilities: Abilities

    async def __call__(self, request: Request, hear: Hear | None = None) -> Reply:
        """Answer one request. Raises ModelError."""

    async def close(self) -> None:
        """Let go of what this event loop holds open for it."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a model name leads: a GGUF file (by name or path), or a model at an endpoint."""

    file: str = ""
    profile: Profile = GENERIC
    base_url: str = ""
    model: str = ""


SPOKEN = {"chat": ("tao.models.openai", "ChatModel"), "messages": ("tao.models.anthropic", "MessagesModel")}
# The modules of the models themselves are imported when one is connected: aiohttp alone takes 0.3 s, and `tao --help` needs none.


def connect(
    name: str,
    *,
    env: Mapping[str, str] | None = None,
    key: str | None = None,
    thinking: bool | None = None,
    extra: Mapping[str, Any] | None = None,
    local: Mapping[str, Any] | None = None,
    **options: Any,
) -> Connected:
    """The model of that name. `env` holds keys, base URLs and proxies (None: the environment of this process).

    `key` goes before the environment's; `thinking`, `extra` and further options are those of `ChatModel` or `MessagesModel`; `local` has
    fields of `LocalSettings` (threads, context …). Nothing is sent and no file loaded yet. Raises ConfigError (unknown provider, missing key) or WeightsError.
    """
    env = os.environ if env is None else env  # the one place beside config.py: an Agent made without settings
    address = resolve(name, env)
    if address.file:
        path = locate(address.file, env=env)
        known = next((entry.name for entry in CATALOGUE.values() if entry.file == path.name), path.stem)
        inside = import_module("tao.models.local")
        settings = inside.LocalSettings(**{"keep": cache_folder(env).parent / "prompts", **(local or {})})
        ready: Connected = inside.LocalModel(path, name=f"local:{known}", settings=settings)
        return ready
    base_url = address.base_url or _base_url(address.profile, env)
    home, kind = SPOKEN[address.profile.speaks]
    model: Connected = getattr(import_module(home), kind)(
        address.profile,
        address.model,
        key=key or _key(address, env),
        base_url=base_url,
        name=_name(address),
        thinking=thinking,
        extra=extra,
        proxy=proxy_for(base_url, env),
        **options,
    )
    return model


def timeouts(connecting: float | None = None, first: float | None = None) -> Any:
    """Seconds to connect, and until the first word of an answer, for the option `timeouts`; what is not said stays as it is."""
    given = {"connect": connecting, "first": first}
    return import_module("tao.models.wire").Timeouts(**{name: value for name, value in given.items() if value is not None})


def resolve(name: str, env: Mapping[str, str]) -> Address:
    """Read a model's name; nothing is opened. Raises ConfigError."""
    name = name.strip()
    head, colon, rest = name.partition(":")
    if name in {"local", "local:"}:
        return Address(file=DEFAULT)
    if head == "local" or name.lower().endswith(".gguf"):
        return Address(file=rest if head == "local" else name)
    if head in {"http", "https"} and colon:
        return _at(name, None)
    if colon and (found := profile(head)) and rest:
        return _at(rest, found) if rest.startswith(("http://", "https://")) else Address("", _seen_by_url(found, env), "", rest)
    head, slash, rest = name.partition("/")
    if slash and (found := profile(head)) and rest:
        return Address("", _seen_by_url(found, env), "", rest)
    if name in CATALOGUE:
        return Address(file=name)
    raise _unknown(name)


def _at(url: str, given: Profile | None) -> Address:
    """An address `http://host/v1#model`; its host may tell the provider. A local server's bare host gets "/v1"."""
    bare, _, model = url.partition("#")
    parts = urlsplit(bare)
    if not parts.hostname or not model:
        raise ConfigError(
            both(
                f"model address {url!r} needs a host and the model's name behind '#', such as http://127.0.0.1:8000/v1#qwen3",
                f"模型地址 {url!r} 需要主机名，并在 '#' 之后写明模型名，例如 http://127.0.0.1:8000/v1#qwen3",
            )
        )
    found = given or _by_host(parts.hostname) or GENERIC
    return Address("", found, _with_v1(bare, found), model)


def _by_host(host: str) -> Profile | None:
    loopback = {"127.0.0.1", "localhost"}
    return next((known for known in PROFILES.values() if host not in loopback and urlsplit(known.base_url).hostname == host), None)


def _seen_by_url(found: Profile, env: Mapping[str, str]) -> Profile:
    """OPENAI_BASE_URL often points at somebody else: then with that provider's ways, and its own key names as well."""
    if found.name != "openai" or not env.get("OPENAI_BASE_URL"):
        return found
    host = urlsplit(env["OPENAI_BASE_URL"]).hostname or ""
    other = _by_host(host) or GENERIC
    keys = (*found.keys, *other.keys)
    return found if other is found else replace(other, urls=found.urls, keys=keys, needs_key=other.needs_key)


def _base_url(found: Profile, env: Mapping[str, str]) -> str:
    given = next((env[name] for name in found.urls if env.get(name)), "")
    return _with_v1(given if "://" in given else f"http://{given}", found) if given else found.base_url


def _with_v1(url: str, found: Profile) -> str:
    parts = urlsplit(url.rstrip("/"))
    host = parts.netloc.replace("0.0.0.0", "127.0.0.1")  # noqa: S104 - a server's "everywhere" is no address to call
    path = parts.path if parts.path or found.needs_key else "/v1"
    return urlunsplit((parts.scheme, host, path, parts.query, ""))


def _key(address: Address, env: Mapping[str, str]) -> str | None:
    """The key for that endpoint; a server known only by its address gets none (no key goes to a stranger)."""
    found = address.profile
    if found is GENERIC:
        return None
    if key := next((env[name] for name in found.keys if env.get(name)), None):
        return key
    if not found.needs_key:
        return None
    first, *others = found.keys
    also, also_zh = (f" (or {', '.join(others)})", f"（或 {'、'.join(others)}）") if others else ("", "")
    raise ConfigError(
        both(
            f"{found.label} needs an API key: set {first}{also} in the environment or in .env; without any key, --model local works",
            f"{found.label} 需要 API 密钥：请在环境变量或 .env 中设置 {first}{also_zh}；没有密钥时可用 --model local",
        )
    )


def _name(address: Address) -> str:
    return f"{address.base_url}#{address.model}" if address.profile is GENERIC and address.base_url else ""


def _unknown(name: str) -> ConfigError:
    provider = name.partition(":")[0].partition("/")[0].lower()
    near = get_close_matches(provider, [*PROFILES, *ALIASES, "local"], 1, 0.7)
    hint, hint_zh = (f"; did you mean {near[0]!r}?", f"；是否想用 {near[0]!r}？") if near else (".", "。")
    known = ", ".join(PROFILES)
    return ConfigError(
        both(
            f"cannot tell what model {name!r} is{hint} Write local, local:NAME, a path to a .gguf file, provider:model (providers:"
            f" {known}), or an address such as http://127.0.0.1:8000/v1#name",
            f"无法识别模型 {name!r}{hint_zh}可写 local、local:NAME、.gguf 文件路径、provider:model（provider 可为 {known}），"
            f"或地址，例如 http://127.0.0.1:8000/v1#name",
        )
    )


def proxy_for(url: str, env: Mapping[str, str]) -> str | None:
    """The proxy that HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY name for this address. Raises ConfigError: SOCKS."""
    proxies = {name[:-6].lower(): value for name, value in env.items() if name.lower().endswith("_proxy") and value}
    parts = urlsplit(url)
    found = proxies.get(parts.scheme) or proxies.get("all")
    if not found or parts.hostname in {"127.0.0.1", "localhost", "::1"}:
        return None
    host = f".{parts.hostname or ''}"
    if any(name == "*" or host.endswith("." + name.lstrip("*.")) for name in proxies.get("no", "").replace(" ", "").split(",") if name):
        return None
    if not found.startswith(("http://", "https://")):
        if "://" in found:
            raise ConfigError(
                both(f"proxy {found!r} is not an HTTP proxy: set HTTPS_PROXY to one", f"代理 {found!r} 不是 HTTP 代理：请将 HTTPS_PROXY 设为 HTTP 代理")
            )
        found = f"http://{found}"
    return found
