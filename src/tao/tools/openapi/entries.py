"""One API as settings name it: a table whose texts may hold `${NAME}`, and the tools that it gives."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tao.tools.declare import Tool
from tao.tools.openapi.document import Document, fetch_document, is_address
from tao.tools.openapi.tools import openapi_tools
from tao.tools.variables import filled
from tao.tools.web.fetching import Limits
from tao.tools.web.urls import parse


def api_tools(entry: Mapping[str, Any], env: Mapping[str, str]) -> list[Tool]:
    """The tools of an API whose document is a file. `entry` has the keys of `openapi_tools`, and `timeout`. Raises ConfigError."""
    table = _values(entry, env)
    return _tools(Path(table["document"]), table)


async def fetched_api_tools(entry: Mapping[str, Any], env: Mapping[str, str]) -> list[Tool]:
    """The tools of an API whose document lies at an address. Its headers go along where the API itself is there. Raises ConfigError."""
    table = _values(entry, env)
    own = not table["base_url"] or parse(table["base_url"]).origin == parse(table["document"]).origin
    return _tools(await fetch_document(table["document"], headers=table["headers"] if own and not table["hosts"] else None), table)


def lies_elsewhere(entry: Mapping[str, Any]) -> bool:
    """Whether the document has to be fetched."""
    return is_address(str(entry["document"]))


def _values(entry: Mapping[str, Any], env: Mapping[str, str]) -> dict[str, Any]:
    where = f"openapi → {entry['document']}"
    texts = {key: filled(str(entry.get(key) or ""), f"{where} → {key}", env) for key in ("document", "base_url")}
    tables = {
        key: {name: filled(value, f"{where} → {key} → {name}", env) for name, value in (entry.get(key) or {}).items()}
        for key in ("headers", "credentials", "variables")
    }  # fmt: skip
    return {**entry, **texts, **tables, "hosts": tuple(entry.get("hosts") or ())}


def _tools(document: Path | Document, table: Mapping[str, Any]) -> list[Tool]:
    seconds = table.get("timeout")
    return openapi_tools(
        document, allow=table.get("allow") or ("GET", "HEAD"), deny=table.get("deny") or (), name=table.get("name") or "", base_url=table["base_url"],
        hosts=table["hosts"], headers=table["headers"], credentials=table["credentials"], variables=table["variables"],
        limits=Limits(size=1_000_000, seconds=seconds or 20.0),
    )  # fmt: skip
