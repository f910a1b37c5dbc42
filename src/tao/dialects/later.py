"""Regular expressions that are compiled when they are first used: there are more than a hundred, and a reply needs few of them.

Compiling all of them would take longer than everything else that an `import tao.Agent` does.
"""

import re
from typing import Any, cast

METHODS = ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "subn")


def later(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile`, on the first call of a method. A pattern that is wrong is found only then: tests compile all."""
    return cast("re.Pattern[str]", Later(pattern, flags))


class Later:
    """Stands for the compiled pattern, and has its methods as soon as one of them is asked for."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self.flags)
        self.__dict__.update({method: getattr(compiled, method) for method in METHODS})
        return getattr(compiled, name)
