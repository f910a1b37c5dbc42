"""Thought, Action, Observation: a ReAct agent that people can read, run and trust.

    from tao import Agent, tool

    @tool
    def add(a: int, b: int) -> int:
        "Add two numbers."
        return a + b

    print(Agent("local", [add]).run_sync("What is 17 + 25?").answer)

Importing does nothing; a name's module is loaded when the name is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tao.agent import Agent
    from tao.errors import (
        AgentError,
        BadArguments,
        ConfigError,
        InvalidOutput,
        ModelError,
        Pause,
        RulingError,
        StoreError,
        ToolError,
    )
    from tao.events import Asked, Decided, Ended, Event, Misread, Nudged, Observed, Paused, Recalled, Replied, Ruled
    from tao.messages import Call, Message, Observation, Reply, Request, ToolSpec, Usage
    from tao.models import connect
    from tao.permissions import Rule
    from tao.run import Run
    from tao.seams import Abilities, Act, Delta, Dialect, Emit, Model, Policy
    from tao.stores.sql import Journal
    from tao.tools.declare import Tool, tool
    from tao.wrappers.approval import Ruling

__all__ = [
    "Abilities", "Act", "Agent", "AgentError", "Asked", "BadArguments", "Call", "ConfigError", "Decided", "Delta", "Dialect", "Emit",
    "Ended", "Event", "InvalidOutput", "Journal", "Message", "Misread", "Model", "ModelError", "Nudged", "Observation", "Observed", "Pause",
    "Paused", "Policy", "Recalled", "Replied", "Reply", "Request", "Rule", "Ruled", "Ruling", "RulingError", "Run",
    "StoreError", "Tool", "ToolError", "ToolSpec", "Usage", "connect", "tool",
]  # fmt: skip

__version__ = "0.1.0"

_HOMES = {
    "agent": ("Agent",),
    "errors": ("AgentError", "BadArguments", "ConfigError", "InvalidOutput", "ModelError", "Pause", "RulingError", "StoreError", "ToolError"),
    "events": ("Asked", "Decided", "Ended", "Event", "Misread", "Nudged", "Observed", "Paused", "Recalled", "Replied", "Ruled"),
    "messages": ("Call", "Message", "Observation", "Reply", "Request", "ToolSpec", "Usage"),
    "models": ("connect",),
    "permissions": ("Rule",),
    "run": ("Run",),
    "seams": ("Abilities", "Act", "Delta", "Dialect", "Emit", "Model", "Policy"),
    "stores.sql": ("Journal",),
    "tools.declare": ("Tool", "tool"),
    "wrappers.approval": ("Ruling",),
}
_HOME = {name: f"tao.{module}" for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Load a public name's module on first use (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module 'tao' has no attribute {name!r}")
    return globals().setdefault(name, getattr(import_module(_HOME[name]), name))


def __dir__() -> list[str]:
    return sorted(__all__)
