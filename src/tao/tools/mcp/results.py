"""What a server sent back for a call, as an observation: text for the model, plain JSON values for people."""

import base64
import binascii
import json
from typing import Any

from tao.messages import Observation
from tao.tools.mcp.wire import MISFIT
from tao.tools.results import clean
from tao.tools.words import say

LARGEST = 1_000_000
"""Characters of base64 that are kept for people; of a larger image or file only the size is."""


def observation(tool: str, result: Any) -> Observation:
    """The observation of a CallToolResult: every kind of content in its order, and structured content that no text says.

    `data` is {"content": [blocks as they came], "structured": …}, or nothing where there was only text.
    """
    blocks = list(result.content or ())
    structured = result.structured_content
    texts = [block.text for block in blocks if block.type == "text"]
    parts = [_shown(block) for block in blocks]
    if structured is not None and not _says(texts, structured):
        parts.append(_json(structured))
    text = clean("\n".join(part for part in parts if part)).strip("\n")
    only_text = structured is None and len(texts) == len(blocks)
    data = None if only_text else {"content": [_kept(block) for block in blocks], **({"structured": structured} if structured is not None else {})}
    if result.is_error:
        said = text or say("it gave no reason", "没有说明原因")
        return Observation(say(f"{tool} failed: {said}", f"{tool} 出错：{said}"), ok=False, kind="error", data=data)
    if misfit := (result.meta or {}).get(MISFIT):
        said = say(f"[this does not fit the tool's own output schema: {misfit}]", f"[该结果不符合工具自己的输出 Schema：{misfit}]")
        text = clean(f"{text}\n{said}").strip()
    return Observation(text or say("Done (nothing to report).", "已完成（没有返回内容）。"), data=data)


def _says(texts: list[str], structured: Any) -> bool:
    """Whether the texts say what is structured already: as its JSON, or as the bare value under "result"."""
    bare = structured["result"] if isinstance(structured, dict) and set(structured) == {"result"} else structured
    values = [_parsed(text) for text in texts]
    whole = values[0] if len(values) == 1 else ...
    plain = texts[0] if len(texts) == 1 else ...
    return any(value in (structured, bare) for value in (whole, plain, values, texts) if value is not ...)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return ...


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def readable(text: str) -> str:
    r"""JSON with escapes (\u4e2d) written in plain characters, which cost a third of the tokens; other text as it is."""
    if "\\u" not in text or text.lstrip()[:1] not in {"{", "[", '"'}:
        return text
    value = _parsed(text)
    return text if value is ... else json.dumps(value, ensure_ascii=False, indent=2 if "\n" in text.strip() else None)


def _shown(block: Any) -> str:
    """One block in words. What is not text is described; a resource says where it lies."""
    if block.type == "text":
        return readable(block.text)
    if block.type == "image":
        return say(f"[image, {block.mime_type}, {_size(block.data)}]", f"[图像，{block.mime_type}，{_size(block.data)}]")
    if block.type == "audio":
        return say(f"[audio, {block.mime_type}, {_size(block.data)}]", f"[音频，{block.mime_type}，{_size(block.data)}]")
    if block.type == "resource":
        return _resource(block.resource)
    if block.type == "resource_link":
        facts = [block.name, str(block.uri), block.mime_type, f"{block.size} B" if block.size is not None else "", block.description]
        joined = say(", ", "，").join(str(fact) for fact in facts if fact)
        return say(f"[resource: {joined}]", f"[资源：{joined}]")
    return say(f"[{block.type}]", f"[{block.type}]")


def _resource(resource: Any) -> str:
    text = getattr(resource, "text", None)
    kind = resource.mime_type or ""
    if text is None and kind.split("/")[0] == "text":
        text = _decoded(resource.blob)
    if text is not None:
        return say(f"[resource: {resource.uri}]", f"[资源：{resource.uri}]") + "\n" + readable(text)
    facts = say(", ", "，").join(fact for fact in (str(resource.uri), kind, _size(resource.blob)) if fact)
    return say(f"[resource: {facts}]", f"[资源：{facts}]")


def _decoded(blob: str) -> str | None:
    try:
        return base64.b64decode(blob).decode()
    except (binascii.Error, ValueError):
        return None


def _size(data: str) -> str:
    return f"{len(data) * 3 // 4 - data[-2:].count('=')} B"


def _kept(block: Any) -> dict[str, Any]:
    """A block as it came, for people; what is too large is left out."""
    kept: dict[str, Any] = block.model_dump(mode="json", by_alias=True, exclude_none=True)
    for holder in (kept, kept.get("resource", {})):
        for key in ("data", "blob"):
            if len(holder.get(key, "")) > LARGEST:
                holder[key] = f"({_size(holder[key])})"
    return kept
