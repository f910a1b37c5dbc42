"""How it is said: what a model is shown, and how its reply is read."""

from tao.dialects.auto import NAMES, Auto, named
from tao.errors import ConfigError, both
from tao.seams import Abilities, Dialect

__all__ = ["NAMES", "choose"]


def choose(name: str, abilities: Abilities, start: str = "") -> Dialect:
    """The dialect of that name, for a model with these abilities; `start` is where "auto" begins. Raises ConfigError."""
    if name not in NAMES:
        known = ", ".join(NAMES)
        raise ConfigError(both(f"unknown dialect {name!r}; there are: {known}", f"没有名为 {name!r} 的对话格式；可用：{known}"))
    if start and start not in NAMES[1:]:
        known = ", ".join(NAMES[1:])
        raise ConfigError(both(f"cannot start in dialect {start!r}; there are: {known}", f"无法从对话格式 {start!r} 开始；可用：{known}"))
    return Auto(abilities, start) if name == "auto" else named(name, abilities)
