"""`${NAME}` and `${NAME:-default}` in texts of settings: values of the environment, so that no file need hold a secret."""

import re
from collections.abc import Mapping

from tao.errors import ConfigError, both

_VARIABLE = re.compile(r"\$\{(?:env:)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")


def filled(text: str, where: str, env: Mapping[str, str]) -> str:
    """The text with the values of its variables; one that is empty takes the default, where there is one.

    Raises ConfigError, which says `where`, for a variable that is not set.
    """

    def look_up(found: re.Match[str]) -> str:
        name, default = found["name"], found["default"]
        if (known := env.get(name)) or (default is None and known is not None):
            return known
        if default is not None:
            return default
        raise ConfigError(both(
            f"{where} needs the environment variable {name}, which is not set; set it, or write ${{{name}:-default}}",
            f"{where} 需要环境变量 {name}，但没有设置；请设置它，或写成 ${{{name}:-默认值}}",
        ))  # fmt: skip

    return _VARIABLE.sub(look_up, text)
