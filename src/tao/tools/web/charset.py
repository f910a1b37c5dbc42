"""Bytes of a web page as text: byte order mark, the server's word, the page's own, and then what fits."""

import codecs
import re
from collections.abc import Iterator

ALIASES = {
    "gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "gb_2312-80": "gb18030", "x-x-big5": "big5hkscs", "big5": "big5hkscs",
    "big5-hkscs": "big5hkscs", "iso-8859-1": "cp1252", "latin1": "cp1252", "ascii": "cp1252", "us-ascii": "cp1252",
    "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "euc-kr": "cp949", "ks_c_5601-1987": "cp949",
    "iso-8859-9": "cp1254", "tis-620": "cp874", "iso-8859-11": "cp874", "unicode": "utf-16", "utf8": "utf-8",
}  # fmt: skip
"""Names as servers give them, and the superset that browsers read (WHATWG Encoding, "Names and labels")."""
GUESSES = ("gb18030", "big5hkscs", "cp932", "cp949")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_META = re.compile(rb"""<(?:meta\b[^>]{0,400}?charset|\?xml\b[^>]{0,200}?encoding)\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""", re.IGNORECASE)
_HEADER = re.compile(r"""charset\s*=\s*["']?([^"';,\s]+)""", re.IGNORECASE)
_COMMON = re.compile("[\u4e00-\u9fff\u3040-\u30ff\uac00-\ud7a3\u3000-\u303f\uff00-\uffef]")


def decode(body: bytes, content_type: str = "") -> tuple[str, str]:
    """The text, and the name of the encoding it was read in. A character cut off at the very end is dropped.

    A declared encoding counts where the bytes fit it; a declared single-byte one gives way to UTF-8 that fits, since every
    byte fits those. Without a word that fits: UTF-8, then the East Asian encodings by how common the characters are.
    """
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace"), name
    for name in _declared(body, content_type):
        if _single_byte(name) and not body.isascii() and (text := _fits(body, "utf-8")) is not None:
            return text, "utf-8"
        if (text := _fits(body, name)) is not None:
            return text, name
    if (text := _fits(body, "utf-8")) is not None:
        return text, "utf-8"
    fitting = [(name, text) for name in GUESSES if (text := _fits(body, name)) is not None]
    if fitting:
        name, text = max(fitting, key=lambda one: _likelihood(*one))
        if _likelihood(name, text) > 0.5:
            return text, name
    name = next(_declared(body, content_type), "utf-8")
    return body.decode(name, "replace"), name


def _declared(body: bytes, content_type: str) -> Iterator[str]:
    """What the server says, then what the page says, as names that Python knows."""
    header, meta = _HEADER.search(content_type), _META.search(body[:4096])
    for said in (header[1] if header else "", meta[1].decode("ascii") if meta else ""):
        name = ALIASES.get(said.strip().lower(), said.strip().lower())
        try:
            codec = codecs.lookup(name)
        except (LookupError, ValueError):
            continue
        if codec._is_text_encoding:  # noqa: SLF001 - "hex" and "zip" are codecs too
            yield codec.name


def _fits(body: bytes, name: str) -> str | None:
    """The text where all of it can be read, save a character cut off at the end."""
    try:
        return codecs.getincrementaldecoder(name)("strict").decode(body, False)  # noqa: FBT003 - not final: the end may be cut
    except (UnicodeError, LookupError):
        return None


def _single_byte(name: str) -> bool:
    return name.startswith(("cp125", "iso8859", "latin", "mac", "koi8", "ascii", "cp874"))


def _likelihood(name: str, text: str) -> float:
    """How well the text reads, 0 to 1: the share of common characters among those beyond ASCII.

    Korean is all Hangul, and the bytes of Hangul are also everyday Chinese characters (but only those up to pinyin R): so
    it goes first where it is pure and long enough to tell.
    """
    beyond = [char for char in text[:20_000] if not char.isascii()]
    if name == "cp949":
        hangul = sum(char in "·，。「」" or ("\uac00" <= char <= "\ud7a3" and _encodable(char, "euc_kr")) for char in beyond)
        return 1.01 if hangul == len(beyond) >= 8 else hangul / max(len(beyond), 1) - 0.1
    common = sum(1 if "\u4e00" <= char <= "\u9fff" and _everyday(char) else 0.6 for char in beyond if _COMMON.match(char))
    return common / len(beyond) if beyond else 0.0


def _encodable(char: str, name: str) -> bool:
    """Whether the character is one of the two-byte ones of this encoding."""
    try:
        return len(char.encode(name)) == 2
    except UnicodeEncodeError:
        return False


def _everyday(char: str) -> bool:
    """Whether the character is of GB 2312's first level: the 3,755 everyday ones."""
    return _encodable(char, "gb2312") and char.encode("gb2312")[0] < 0xD8
