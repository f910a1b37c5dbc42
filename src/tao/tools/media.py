"""Images, files and tables that a function returned: words for the model, the thing itself for people.

What people get has the form of MCP's content blocks ({"type": "image", "data": base64, "mimeType": …}), whatever tool it came from.
"""

import base64
import dataclasses
import io
import math
import mimetypes
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from tao.tools.words import say

MAGIC = {
    b"\x89PNG": "PNG image", b"\xff\xd8\xff": "JPEG image", b"GIF8": "GIF image", b"%PDF": "PDF", b"PK\x03\x04": "ZIP", b"BM": "BMP image",
}  # fmt: skip
TYPES = {
    b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"%PDF": "application/pdf", b"PK\x03\x04": "application/zip",
    b"BM": "image/bmp",
}  # fmt: skip
LARGEST = 750_000
"""Bytes that are kept for people; of more only the size is."""
MOST_ROWS = 1000
"""Rows of a table that are taken."""

Seen = tuple[str, Any]
"""Words for the model, and JSON values for people (None: there are none beside the words)."""


def seen(value: Any) -> Seen | None:
    """The two forms of bytes, of a picture (PIL, matplotlib, `_repr_png_`), of a file's path, of a table (pandas, polars); None for others."""
    if isinstance(value, bytes | bytearray | memoryview):
        return _bytes(bytes(value))
    if isinstance(value, Path):
        return _file(value)
    if isinstance(value, (str, int, float, list, dict, tuple, type)):
        return None
    if _is_picture(value):
        return _picture(value)
    return _table(value) if callable(getattr(value, "to_dict", None)) and hasattr(value, "columns") else None


def described(value: Any) -> Any:
    """A value in which bytes and pictures, wherever they stand, are described; the very same where there are none."""
    if isinstance(value, str | int | float | type(None)):
        return value
    if isinstance(value, Mapping):
        new = {key: described(item) for key, item in value.items()}
        return new if any(new[key] is not value[key] for key in new) else value
    if isinstance(value, list | tuple):
        items = [described(item) for item in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if isinstance(value, BaseModel):
        return _fields(value, dict(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _fields(value, {field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
    found = seen(value) if not isinstance(value, Path) else None
    return value if found is None else found[0]


def _fields(value: Any, fields: dict[str, Any]) -> Any:
    new = described(fields)
    return value if new is fields else new


# ── bytes and files ───────────────────────────────────────────────────────────


def _bytes(value: bytes) -> Seen:
    head = next((head for head in MAGIC if value.startswith(head)), b"")
    if not head and b"\0" not in value:
        try:
            return value.decode() or say("(empty text)", "（空文本）"), None
        except UnicodeDecodeError:
            pass
    kind = MAGIC.get(head, "")
    words = say(f"[{kind or 'binary data'}, {len(value)} bytes]", f"[{kind or '二进制数据'}，{len(value)} 字节]")
    return words, {"content": [block(value, TYPES.get(head, "application/octet-stream"))]}


def block(value: bytes, media: str, uri: str = "") -> dict[str, Any]:
    """Bytes of this media type as a content block for people; of too many, their number."""
    kept = base64.b64encode(value).decode() if len(value) <= LARGEST else f"({len(value)} B)"
    if media.startswith("image/"):
        return {"type": "image", "data": kept, "mimeType": media}
    return {"type": "resource", "resource": {**({"uri": uri} if uri else {}), "mimeType": media, "blob": kept}}


def _file(path: Path) -> Seen | None:
    """A file that is there: where it lies, its kind and size. What is in it is read by a tool that reads files."""
    try:
        if not path.is_file():
            return None
        size, media = path.stat().st_size, mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    except (OSError, ValueError):
        return None
    link = {"type": "resource_link", "uri": path.absolute().as_uri(), "name": path.name, "mimeType": media, "size": size}
    return say(f"{path} ({media}, {size} bytes)", f"{path}（{media}，{size} 字节）"), {"content": [link]}


# ── pictures ──────────────────────────────────────────────────────────────────


def _is_picture(value: Any) -> bool:
    sized = isinstance(getattr(value, "size", None), tuple) and isinstance(getattr(value, "mode", None), str)
    return sized or callable(getattr(value, "savefig", None)) or callable(getattr(value, "_repr_png_", None))


def _picture(value: Any) -> Seen:
    """A picture as PNG, where the object can write itself so."""
    size, drawn = getattr(value, "size", None), _png(value)
    if isinstance(size, tuple) and len(size) == 2:
        words = say(f"[image, {size[0]}×{size[1]} pixels]", f"[图像，{size[0]}×{size[1]} 像素]")
    else:
        words = say(f"[image, {len(drawn)} bytes]", f"[图像，{len(drawn)} 字节]")
    return words, {"content": [block(drawn, "image/png")]} if drawn else None


def _png(value: Any) -> bytes:
    for write in (_saved("savefig"), _saved("save"), lambda it: it._repr_png_()):
        try:
            drawn = write(value)
        except Exception:  # noqa: BLE001, S112 - it cannot be drawn in this way; what it is stays said
            continue
        if isinstance(drawn, bytes) and drawn.startswith(b"\x89PNG"):
            return drawn
    return b""


def _saved(name: str) -> Callable[[Any], bytes]:
    def write(value: Any) -> bytes:
        into = io.BytesIO()
        getattr(value, name)(into, format="png")
        return into.getvalue()

    return write


# ── tables ────────────────────────────────────────────────────────────────────


def _missing(cell: Any) -> bool:
    return (isinstance(cell, float) and math.isnan(cell)) or type(cell).__name__ in {"NaTType", "NAType"}


def _table(value: Any) -> Seen | None:
    """Rows as lines for the model, columns and rows for people; the first rows of very many."""
    try:
        columns = [str(name) for name in value.columns]
        head = value.head(MOST_ROWS)
        rows = [list(row) for row in (head.rows() if hasattr(head, "rows") else head.itertuples(index=False, name=None))]
        total = int(value.shape[0])
    except (AttributeError, TypeError, ValueError):
        return None
    rows = [[None if _missing(cell) else cell for cell in row] for row in rows]
    lines = [" | ".join(columns), *(" | ".join("" if cell is None else str(cell) for cell in row) for row in rows)]
    if total > len(rows):
        lines.append(say(f"({total} rows; these are the first {len(rows)})", f"（共 {total} 行；以上是前 {len(rows)} 行）"))
    elif not rows:
        lines.append(say("(no rows)", "（没有行）"))
    return "\n".join(lines), {"columns": columns, "rows": rows}
