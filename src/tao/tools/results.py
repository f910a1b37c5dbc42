"""What a function returned, as an observation: text for the model, plain JSON values for people."""

import json
import math
from dataclasses import replace
from typing import Any

from pydantic_core import to_jsonable_python

from tao.messages import Observation
from tao.permissions.effects import NEVER_RAN
from tao.tools import media
from tao.tools.media import MAGIC
from tao.tools.words import say

__all__ = ["MAGIC", "clean", "observe", "plain"]


def observe(value: Any) -> Observation:
    """The observation of a returned value.

    A text stays as it is; other values become JSON (`data` holds them, for a text it stays empty); None is a clear word;
    bytes, images, files and tables are described, and `data` holds them (see `tao.tools.media`); an Observation is taken over, but not
    a kind of those that say that nothing was run: a tool's text must not pass for ours.
    """
    if type(value) is str:
        return Observation(clean(value) or say("(empty text)", "（空文本）"))
    if isinstance(value, Observation):
        return replace(value, kind="" if value.ok else "error") if value.kind in NEVER_RAN else value
    if value is None:
        return Observation(say("Done (nothing to report).", "已完成（没有返回内容）。"))
    if (found := media.seen(value)) is not None:
        return Observation(clean(found[0]), data=None if found[1] is None else plain(found[1]))
    data, told = plain(value), media.described(value)
    shown = data if told is value else plain(told)
    text = shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False)
    return Observation(clean(text) or say("(empty text)", "（空文本）"), data=data)


def plain(value: Any) -> Any:
    """The value as JSON has it: models and dataclasses as objects, dates and decimals as text, the unknown as its text."""
    try:
        return _finite(to_jsonable_python(value, fallback=_fallback, bytes_mode="base64"))
    except (ValueError, TypeError, RecursionError):  # contains itself, or fails to print itself
        return f"{type(value).__name__}: {str(value)[:2000]}"


def clean(text: str) -> str:
    """Text that every database and wire takes: no lone surrogates, no NUL."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _finite(value: Any) -> Any:
    """The value with infinities and NaN as text: JSON has no such numbers."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _fallback(value: Any) -> Any:
    as_list = getattr(value, "tolist", None)
    return as_list() if callable(as_list) else str(value)
