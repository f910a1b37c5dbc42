"""How it is said: what a model is shown, and how its reply is read."""

from tao.dialects.auto import NAMES, Auto, named
from tao.dialects.bracket import Bracket
from tao.dialects.json_action import JsonAction, JsonReply
from tao.dialects.native import Native
from tao.dialects.react import React
from tao.errors import ConfigError, both
from tao.seams import Abilities, Dialect

__all__ = ["NAMES", "choose"]

_OURS = {Auto: "auto", React: "react", JsonAction: "json", JsonReply: "json", Bracket: "bracket", Native: "native"}
_OF_CLASS = {cls.__name__: name for cls, name in _OURS.items()}
"""A run that was asked in a dialect's object records the name of its class."""


def choose(name: str, abilities: Abilities, start: str = "") -> Dialect:
    """The dialect of that name, or of the class of ours with that name, for a model with these abilities; "auto" begins in `start`.

    Raises ConfigError.
    """
    name = _OF_CLASS.get(name, name)
    if name not in NAMES:
        known = ", ".join(NAMES)
        raise ConfigError(both(f"unknown dialect {name!r}; there are: {known}", f"没有名为 {name!r} 的对话格式；可用：{known}"))
    if start and start not in NAMES[1:]:
        known = ", ".join(NAMES[1:])
        raise ConfigError(both(f"cannot start in dialect {start!r}; there are: {known}", f"无法从对话格式 {start!r} 开始；可用：{known}"))
    return Auto(abilities, start) if name == "auto" else named(name, abilities)
