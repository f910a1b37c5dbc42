"""Names of tools as every provider takes them: 1 to 64 letters, digits, `_` and `-`."""

import hashlib
import re
from collections.abc import Container

LONGEST = 64
_PUNCTUATION = re.compile(r"[./:\s]+")
_OTHER = re.compile(r"[^A-Za-z0-9_-]+")


def provider_name(wanted: str, whole: str, taken: Container[str] = ()) -> str:
    """The wanted name in letters, digits, `_` and `-`, at most 64 of them.

    Points, slashes, colons and spaces become `_`. What had to be changed beyond that, is too long, or is `taken` already,
    gets eight hex digits of `whole` (all that tells it from others) at its end, so that it has the same name in every run.
    """
    plain = _PUNCTUATION.sub("_", wanted)
    name = _OTHER.sub("_", plain)
    if name == plain and 0 < len(name) <= LONGEST and name not in taken:
        return name
    digits = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name[: LONGEST - 9]}_{digits}"
