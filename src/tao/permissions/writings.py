r"""What a text says in another writing than letters as they stand: as mail, pages and JSON carry it, or from right to left. Pure.

Machines write "Müller" as "M&uuml;ller", "M%C3%BCller", "M=C3=BCller", "M\u00fcller" or "TcO8bGxlcg=="; who reads such a text takes the
name from it all the same.
"""

import base64
import binascii
import html
import re
from collections.abc import Iterator

LONGEST = 200_000
"""Characters of a text that are looked at."""

_CODED = re.compile(r"&#?\w{2,31};|(?:[%=][0-9A-Fa-f]{2})+|\\u[0-9A-Fa-f]{4}|\\[nrt]")
_PACKED = re.compile(r"(?<![\w+/-])(?:(?:[A-Za-z0-9+/_-]{60,}\r?\n)+[A-Za-z0-9+/_-]{2,}|[A-Za-z0-9+/_-]{12,})={0,2}(?![\w+/])")
"""Base64, also in lines as mail has it."""
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?((?:[0-9A-Fa-f]{2}[ :]?){7,}[0-9A-Fa-f]{2})(?![0-9A-Za-z])")


def undone(text: str) -> Iterator[str]:
    """What the text says where it is coded, if it is: once without its escapes, and every packed part of it unpacked."""
    text = text[:LONGEST]
    plain = _CODED.sub(_char, text)
    if plain != text:
        yield plain
    for match in _PACKED.finditer(text):
        lines = match[0].split()
        yield from [whole] if (whole := _said(_from_base64("".join(lines)))) else filter(None, map(_said, map(_from_base64, lines)))
    for match in _HEX.finditer(text):
        if said := _said(bytes.fromhex(re.sub("[ :]", "", match[1]))):
            yield said


def _char(match: re.Match[str]) -> str:
    """What one escape, or a row of bytes, stands for; what stands for nothing stays."""
    coded = match[0]
    if coded[0] == "&":
        return html.unescape(coded)
    if coded[0] == "\\":
        code = int(coded[2:6], 16) if coded[1] == "u" else 0x20
        return coded if 0xD800 <= code < 0xE000 else chr(code)
    try:
        return bytes.fromhex(re.sub("[%=]", "", coded)).decode()
    except UnicodeDecodeError:
        return coded


def _from_base64(packed: str) -> bytes:
    bare = packed.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4))
    except binascii.Error:
        return b""


def _said(unpacked: bytes) -> str:
    """The text that these bytes are; empty where they are none."""
    try:
        text = unpacked.decode()
    except UnicodeDecodeError:
        return ""
    return text if all(char.isprintable() or char.isspace() for char in text) else ""
