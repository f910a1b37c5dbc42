"""Pictures beside a question: from a file, bytes or an address, checked before anything is sent or recorded.

Their bytes go into the run's record, so that it can be gone on with and replayed anywhere; hence the limits.
"""

import base64
import binascii
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tao.errors import ConfigError, both, unread
from tao.messages import Image
from tao.seams import Abilities

Source = str | Path | bytes | Image
MOST_BYTES = 8_000_000
"""Bytes of one picture; providers take 5 to 20 MB, base64 and all."""
MOST_IMAGES = 20


def pictures(sources: Iterable[Source], model: Any) -> tuple[Image, ...]:
    """The pictures of these sources, for this model. Raises ConfigError where one is none, is too large, or the model takes none."""
    if isinstance(sources, str | bytes | Path | Image):
        sources = (sources,)
    found = tuple(map(picture, sources))
    if found and not getattr(model, "abilities", Abilities()).images:
        name = getattr(model, "name", "") or type(model).__name__
        raise ConfigError(
            both(
                f"{name} takes no images; ask a model that does, such as openai:gpt-5.5, anthropic:claude-sonnet-5-5 or dashscope:qwen3-vl-plus",
                f"{name} 不支持图片；请换用支持图片的模型，如 openai:gpt-5.5、anthropic:claude-sonnet-5-5 或 dashscope:qwen3-vl-plus",
            )
        )
    if len(found) > MOST_IMAGES:
        raise ConfigError(both(f"{len(found)} images; at most {MOST_IMAGES} may be given", f"图片共 {len(found)} 张；最多 {MOST_IMAGES} 张"))
    return found


def picture(source: Source) -> Image:
    """One picture: a path, bytes, an http(s) address (left to the model's server to fetch), or a data URL. Raises ConfigError."""
    if isinstance(source, Image):
        return source
    if isinstance(source, bytes | bytearray):
        return _of(bytes(source), "the bytes given", "所给的字节")
    text = str(source)
    if text.startswith(("http://", "https://")) and not isinstance(source, Path):
        return Image(url=text)
    if text.startswith("data:") and not isinstance(source, Path):
        return _of(_decoded(text), "the data URL", "data URL")
    path = Path(source).expanduser()
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= MOST_BYTES else b""
    except OSError as error:
        english, chinese = unread(error)
        raise ConfigError(both(f"image {text!r:.200} cannot be read: {english}", f"无法读取图片 {text!r:.200}：{chinese}")) from error
    if size > MOST_BYTES:
        raise _too_large(size, text, text)
    return _of(data, text, text)


def media(data: bytes) -> str:
    """What kind of picture these bytes are, by how they begin; empty for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else ""


def _of(data: bytes, name: str, called: str) -> Image:
    if len(data) > MOST_BYTES:
        raise _too_large(len(data), name, called)
    kind = media(data)
    if not kind:
        raise ConfigError(
            both(f"{name:.200} is no image that models take; wanted: PNG, JPEG, GIF or WebP", f"{called:.200} 不是模型支持的图片；应为 PNG、JPEG、GIF 或 WebP")
        )
    return Image(kind, base64.b64encode(data).decode("ascii"))


def _decoded(url: str) -> bytes:
    head, _, data = url.partition(",")
    try:
        return base64.b64decode(data, validate=True) if head.endswith(";base64") else b""
    except binascii.Error:
        return b""


def _too_large(size: int, name: str, called: str) -> ConfigError:
    return ConfigError(
        both(
            f"image {name:.200} has {size / 1e6:.1f} MB; at most {MOST_BYTES / 1e6:g} MB may be given: make it smaller",
            f"图片 {called:.200} 有 {size / 1e6:.1f} MB；最多 {MOST_BYTES / 1e6:g} MB：请先缩小",
        )
    )
