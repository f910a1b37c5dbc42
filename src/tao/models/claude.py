"""Which Claude takes which fields: thinking, forced calls, temperature. Pure.

Sources, read in November 2026: platform.claude.com/docs, "Thinking" and the migration guides of Opus 5, Sonnet 5 and Sonnet 5.5.
A name that is not known is taken to be the newest kind, which takes the least; a model that is no Claude (other providers
offer the same form) takes what the form has.
"""

import re
from typing import Any

Fields = dict[str, Any]

BUDGET = 4096
"""Tokens that a model may think where it wants a budget."""
LEAST = 1024
_MANUAL = re.compile(r"claude-3|claude-(opus|sonnet|haiku)-4(-[0-5])?(-\d{8}|$|@|-v)")
_QUIET = re.compile(r"claude-(opus|sonnet|haiku)-4-[6-9]")
"""Think only where they are told to."""
_SWITCHED = re.compile(r"claude-(opus|sonnet)-5(-\d{8}|$|@|-v)")
"""Think unless they are told not to."""
_UNBOUND = re.compile(r"claude-3|claude-(opus|sonnet|haiku)-4|claude-(opus|sonnet|fable|mythos)-5(-\d{8}|$|@|-v)|claude-mythos-preview")
"""Take a thought back whatever stands before it."""
_BETWEEN = re.compile(r"claude-sonnet-5-5")
_WARM = re.compile(r"claude-(opus|sonnet)-4-6")
"""The last ones that take a temperature."""


def is_claude(model: str) -> bool:
    """Whether that is a model of Anthropic's own."""
    return "claude" in model


def thinking(model: str, on: bool) -> Fields:  # noqa: FBT001 - the one thing it is about
    """The fields that switch thinking on or off, as far as this model lets itself be switched; else, less of it."""
    if _MANUAL.search(model) or not is_claude(model):
        return {"thinking": {"type": "enabled", "budget_tokens": BUDGET} if on else {"type": "disabled"}}
    if on:
        return {"thinking": {"type": "adaptive", "display": "summarized"}}
    if _QUIET.search(model) or _SWITCHED.search(model):
        return {"thinking": {"type": "disabled"}}
    return {"thinking": {"type": "between_tools"}} if _BETWEEN.search(model) else {"output_config": {"effort": "low"}}


def thinks(fields: Fields, model: str) -> bool:
    """Whether it may think with these fields."""
    kind = (fields.get("thinking") or {}).get("type")
    if kind is not None:
        return bool(kind != "disabled")
    return is_claude(model) and not (_MANUAL.search(model) or _QUIET.search(model))


def bound(model: str) -> bool:
    """Whether its thoughts are bound to what stands before them, so that they must be left out where that has changed."""
    return is_claude(model) and not _UNBOUND.search(model)


def fitting(fields: Fields, model: str) -> Fields:
    """The fields that this model takes: no temperature and no forced call where it thinks or is of the newer kind, room for thoughts."""
    kept = dict(fields)
    thought = kept.get("thinking")
    if isinstance(thought, dict) and "budget_tokens" in thought and thought["budget_tokens"] >= kept["max_tokens"]:
        if kept["max_tokens"] > LEAST:
            kept["thinking"] = {**thought, "budget_tokens": max(LEAST, kept["max_tokens"] // 2)}
        else:
            del kept["thinking"]
    free = not thinks(kept, model)
    warm = free and (not is_claude(model) or bool(_MANUAL.search(model) or _WARM.search(model)))
    if "temperature" in kept:
        kept["temperature"] = min(max(kept["temperature"], 0.0), 1.0)
        if not warm:
            del kept["temperature"]
    if not free and (kept.get("tool_choice") or {}).get("type") in {"any", "tool"}:
        del kept["tool_choice"]
    return kept


_KEYWORDS = frozenset(
    "type properties required items enum const anyOf allOf $ref $defs definitions description title default format additionalProperties".split()
)


def held_to(schema: Any) -> Any:
    """A JSON schema as the server holds a reply to it: every object closed, no keyword that it refuses (lengths, bounds, patterns)."""
    if isinstance(schema, list):
        return [held_to(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept: Fields = {}
    for key, value in schema.items():
        if key in {"properties", "$defs", "definitions"} and isinstance(value, dict):
            kept[key] = {name: held_to(inner) for name, inner in value.items()}
        elif key == "oneOf":
            kept["anyOf"] = held_to(value)
        elif key in _KEYWORDS:
            kept[key] = value if key in {"enum", "const", "default", "required"} else held_to(value)
    if kept.get("type") == "object":
        kept["additionalProperties"] = False
    return kept
