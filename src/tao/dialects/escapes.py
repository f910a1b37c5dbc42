"""Escapes in the strings of damaged JSON: valid ones are decoded, wrong ones keep their backslash."""

import re

from tao.dialects.later import later

_ESCAPE = later(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_KNOWN = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "'": "'", "_": "_", "`": "`"}
_DRIVE = later(r"[A-Za-z]:\\(?!\\)")
_WRONG = later(r"\\(?:\\|(?P<wrong>[^\"\\/bfnrtu'_`]|u(?![0-9a-fA-F]{4})))")


def unescape(text: str) -> str:
    r"""Decode what JSON and Python know, keep the backslash of the rest: `\d` and `C:\Program` stay as they are.

    Where a wrong escape shows that nobody escaped anything, `\b` and `\f` are kept too (a regular expression, not a
    backspace), and in a Windows path every backslash.
    """
    if "\\" not in text:
        return text
    raw = any(found["wrong"] for found in _WRONG.finditer(text))
    if raw and _DRIVE.match(text):
        return text

    def one(found: re.Match[str]) -> str:
        mark = found[1]
        if len(mark) == 5:
            return chr(int(mark[1:], 16))
        if raw and mark in "bf":
            return found[0]
        return _KNOWN.get(mark, found[0])

    decoded = _ESCAPE.sub(one, text)
    return _pairs(decoded) if any("\ud800" <= char <= "\udfff" for char in decoded) else decoded


def _pairs(text: str) -> str:
    """Two halves of a character above U+FFFF joined; a lone half stays."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass" if _lone(text) else "strict")


def _lone(text: str) -> bool:
    try:
        text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        return True
    return False
