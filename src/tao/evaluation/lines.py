"""Lines of JSON in files: written so that they can be read, and read although the last was cut off."""

import codecs
import json
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

ASCII = json.JSONEncoder(default=str)
"""Only for text with half a surrogate pair in it."""
_LONG = re.compile(r"\d{19}")


def in_utf8(record: Mapping[str, Any]) -> str:
    """A line of JSON that UTF-8 can hold: where half a surrogate pair stands in it, written in ASCII, which reads back the same."""
    line = json.dumps(record, ensure_ascii=False, default=str)
    try:
        line.encode()
    except UnicodeEncodeError:
        return ASCII.encode(record)
    return line


def for_others(record: Mapping[str, Any]) -> str:
    """A line of JSON that every reader takes (RFC 8259): `strict`, whole numbers of more than 64 bits as floating ones."""
    line = strict(record)
    return strict(_sound(record, shorten=True)) if _LONG.search(line) else line


def strict(value: Any) -> str:
    """JSON in UTF-8 without what is none: for NaN and the infinities stands null, for half a surrogate pair "\ufffd"."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str, allow_nan=False)
        text.encode()
    except ValueError:
        return json.dumps(_sound(value), ensure_ascii=False, default=str)
    return text


def _sound(value: Any, *, shorten: bool = False) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {_sound(str(key)): _sound(item, shorten=shorten) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_sound(item, shorten=shorten) for item in value]
    return _short(value) if shorten and isinstance(value, int) else value


def _short(number: int) -> float | None:
    if number.bit_length() < 64:
        return number
    return float(number) if number.bit_length() < 1024 else None


def lines_of(path: str | Path) -> list[str]:
    """The lines of a file in UTF-8 whose end may have been cut off, even within a character. Raises OSError or UnicodeDecodeError."""
    return codecs.getincrementaldecoder("utf-8-sig")().decode(Path(path).read_bytes()).split("\n")


def mend_end(path: Path, file: TextIO) -> None:
    """What was cut off at the end goes; a line that lacks but its end gets that."""
    data = path.read_bytes()
    start = data.rfind(b"\n") + 1
    try:
        json.loads(data[start:] or "0")
    except (ValueError, RecursionError):
        file.truncate(start)
    else:
        file.write("\n" if data[start:] else "")
