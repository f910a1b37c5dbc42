"""A fetched document as text for a model: the main text of a page as markdown, data and plain text as they are."""

import importlib.util
import json
from dataclasses import dataclass
from typing import Any

from tao.errors import ConfigError, ToolError, both
from tao.tools.results import MAGIC
from tao.tools.web.charset import decode
from tao.tools.web.fetching import Fetched
from tao.tools.words import say

HTML = frozenset({"text/html", "application/xhtml+xml"})
PLAIN = ("text/", "application/xml", "application/javascript", "application/yaml", "application/x-yaml", "application/toml")
LARGEST_PAGE = 1_500_000
"""Characters of HTML that are looked through for the main text; the rest is left out."""
NAMED = {
    "application/pdf": ("a PDF", "PDF 文件"), "application/zip": ("a ZIP archive", "ZIP 压缩包"),
    "application/msword": ("a Word document", "Word 文档"), "application/vnd.ms-excel": ("an Excel workbook", "Excel 表格"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ("a Word document", "Word 文档"),
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ("an Excel workbook", "Excel 表格"),
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ("a PowerPoint presentation", "PowerPoint 演示文稿"),
    "image": ("an image", "图片"), "video": ("a video", "视频"), "audio": ("a sound recording", "音频"), "font": ("a font", "字体"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Document:
    """What was found: the text, and title and date (YYYY-MM-DD) where the page names them."""

    text: str
    title: str = ""
    date: str = ""


def needs_trafilatura() -> None:
    """Raises ConfigError where the package that finds a page's main text is not installed."""
    if importlib.util.find_spec("trafilatura") is None:
        raise ConfigError(both(
            "the tool `fetch_page` needs the extra `web`: pip install 'tao-agent[web]'",
            "工具 `fetch_page` 需要安装附加组件 `web`：pip install 'tao-agent[web]'",
        ))  # fmt: skip


def read(fetched: Fetched) -> Document:
    """The document's text. Raises ToolError for what is no text; its message names the kind and says what to do."""
    kind = fetched.kind
    if _binary(fetched.body, kind):
        raise _unreadable(fetched)
    text, _ = decode(fetched.body, fetched.headers.get("content-type", ""))
    if kind in HTML or (kind in {"", "text/plain", "application/octet-stream"} and _looks_like_html(text)):
        return _page(text[:LARGEST_PAGE], fetched.place.url)
    if kind.endswith(("/json", "+json")):
        return Document(_json(text))
    return Document(text.replace("\r\n", "\n").strip())


def _binary(body: bytes, kind: str) -> bool:
    """Whether it is no text: by its first bytes, by its type, and by bytes that no text has."""
    if any(body.startswith(head) for head in MAGIC if head != b"BM"):
        return True
    if kind in HTML or kind.startswith(PLAIN) or kind.endswith(("/json", "+json", "+xml")):
        return False
    return kind not in {"", "application/octet-stream"} or (b"\0" in body[:4096] and not body.startswith((b"\xff\xfe", b"\xfe\xff")))


def _unreadable(fetched: Fetched) -> ToolError:
    kind = fetched.kind
    names = NAMED.get(kind) or NAMED.get(kind.partition("/")[0])
    if names is None:
        found = next((name for head, name in MAGIC.items() if fetched.body.startswith(head)), "")
        found = found or kind.replace("application/octet-stream", "")
        names = (found or "binary data", found or "二进制数据")
    return ToolError(say(
        f"{fetched.place.url} is {names[0]} and cannot be read here; look for a web page that says the same",
        f"{fetched.place.url} 是{' ' if names[1][0].isascii() else ''}{names[1]}，这里无法读取；请寻找内容相同的网页",
    ))  # fmt: skip


def _looks_like_html(text: str) -> bool:
    head = text[:1000].lstrip().lower()
    return head.startswith(("<!doctype html", "<html", "<head", "<body"))


def _json(text: str) -> str:
    """JSON with its characters as they are, not as escapes; damaged JSON stays as it came."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    except (ValueError, RecursionError):
        return text.strip()


def _page(html: str, url: str) -> Document:
    """The main text as markdown, or all text where no main part is found."""
    if not html.strip():
        return Document("")
    trafilatura = _trafilatura()
    text = trafilatura.extract(html, url=url, output_format="markdown", include_comments=False, include_tables=True, favor_recall=True)
    said = trafilatura.extract_metadata(html, default_url=url)
    title = (said and said.title) or ""
    text = (text or trafilatura.html2txt(html) or "").strip()
    return Document(text.removeprefix(f"# {title}\n").strip() if title else text, title, (said and said.date) or "")


def _trafilatura() -> Any:
    needs_trafilatura()
    import trafilatura  # noqa: PLC0415 - heavy, optional, and only here

    return trafilatura
