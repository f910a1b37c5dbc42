"""Names under which a model calls the tools of a server: `server__tool`, as every provider takes them."""

import hashlib
import re
from collections.abc import Container

LONGEST = 64
_PUNCTUATION = re.compile(r"[./:\s]+")
_OTHER = re.compile(r"[^A-Za-z0-9_-]+")


def namespaced(server: str, tool: str, taken: Container[str] = ()) -> str:
    """`server__tool` in letters, digits, `_` and `-`, at most 64 of them.

    Points, slashes, colons and spaces become `_`. What had to be changed beyond that, is too long, or is `taken` already,
    gets eight hex digits of the whole name at its end, so that different tools keep different names from run to run.
    """
    plain = _PUNCTUATION.sub("_", f"{server}__{tool}")
    name = _OTHER.sub("_", plain)
    if name == plain and len(name) <= LONGEST and name not in taken:
        return name
    digits = hashlib.sha256(f"{server}\n{tool}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name[: LONGEST - 9]}_{digits}"
