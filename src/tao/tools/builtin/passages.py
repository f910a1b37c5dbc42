"""Files in passages: pieces of text that can be shown on their own, with the line where each begins and its heading."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

_SUFFIXES = (
    ".txt .text .md .markdown .mdx .rst .adoc .org .tex .csv .tsv .json .jsonl .ndjson .html .htm .xhtml .xml .yaml .yml .toml .ini "
    ".cfg .conf .log .srt .vtt .py .js .ts .java .go .rs .c .h .cpp .sql .sh"
)
SUFFIXES = frozenset(_SUFFIXES.split())
LARGEST = 20_000_000
"""Bytes; larger files are left out."""

WIDE_LINE = 1200
"""A line wider than this is cut at sentence ends."""

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.+?)\s*#*")
_UNDERLINE = re.compile(r"([=\-~^\"'*+#])\1{2,}\s*")
_SENTENCES = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])\s*|\n")
_ESCAPED = re.compile(r"(?:\\u[0-9a-fA-F]{4})+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a file: its lines with their numbers, counted from 1, and the heading above it.

    `goes_on`: it is a further piece of the paragraph (row, record) of which the passage before it is a piece.
    """

    lines: tuple[tuple[int, str], ...]
    heading: str = ""
    goes_on: bool = False

    @property
    def text(self) -> str:
        """The lines together."""
        return "\n".join(text for _, text in self.lines)


def width(text: str) -> int:
    """Room that a text takes: a Chinese character counts double."""
    return len(text) + sum(char > "\u2e7f" for char in text)


def decoded(data: bytes) -> str:
    """Text of a file in UTF-8, UTF-16 (with its mark) or GB 18030; "" for what is not text."""
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return data.decode("utf-16", "replace")
    if b"\x00" in data[:4096]:
        return ""
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace")


def passages(path: Path, text: str, room: int = 500) -> Iterator[Passage]:
    """The passages of a file, none much wider than `room`."""
    suffix = path.suffix.lower()
    if suffix in {".html", ".htm", ".xhtml"}:
        blocks = _html(text)
    elif suffix in {".csv", ".tsv"}:
        blocks = _table(text, "\t" if suffix == ".tsv" else ",")
    elif suffix in {".json", ".jsonl", ".ndjson"}:
        blocks = _json(text, by_line=suffix != ".json")
    else:
        blocks = _prose(text)
    for heading, lines in blocks:
        yield from _packed(heading, lines, room)


Block = tuple[str, list[tuple[int, str]]]
"""A heading and the lines of one paragraph under it."""


def _prose(text: str) -> Iterator[Block]:
    """Paragraphs of plain text, Markdown and reStructuredText."""
    heading, block = "", list[tuple[int, str]]()
    lines = text.splitlines()
    for at, line in enumerate(lines, 1):
        following = lines[at] if at < len(lines) else ""
        marked = _HEADING.fullmatch(line)
        underlined = bool(line.strip()) and not _UNDERLINE.fullmatch(line) and bool(_UNDERLINE.fullmatch(following)) and len(line) < 100
        if marked or (underlined and not block):
            if block:
                yield heading, block
            heading, block = (marked.group(1) if marked else line.strip()), []
            block.append((at, heading))
        elif line.strip() and not _UNDERLINE.fullmatch(line):
            block.append((at, line.strip()))
        elif block and not (len(block) == 1 and block[0][1] == heading):
            yield heading, block
            block = []
    if block:
        yield heading, block


def _packed(heading: str, lines: Iterable[tuple[int, str]], room: int) -> Iterator[Passage]:
    """Lines put together up to the room there is; a line that is too wide alone is cut at sentence ends."""
    held: list[tuple[int, str]] = []
    used, goes_on = 0, False
    for number, line in lines:
        for part in _cut(line, room):
            if held and used + width(part) > room:
                yield Passage(tuple(held), heading, goes_on)
                held, used, goes_on = [], 0, True
            held.append((number, part))
            used += width(part)
    if held:
        yield Passage(tuple(held), heading, goes_on)


def _cut(line: str, room: int) -> Iterator[str]:
    if width(line) <= room:
        yield line
        return
    held = ""
    for sentence in sentences(line):
        for start in range(0, len(sentence), WIDE_LINE):
            part = sentence[start : start + WIDE_LINE]
            if held and width(held) + width(part) > room:
                yield held
                held = part
            else:
                held = f"{held} {part}" if held and held[-1] < "\u2e80" else held + part
    if held:
        yield held


def sentences(text: str) -> list[str]:
    """The sentences of a text, Chinese and Latin."""
    return [part for part in _SENTENCES.split(text) if part and part.strip()]


def _table(text: str, delimiter: str) -> Iterator[Block]:
    """Rows as "column: value", so that a row says what it is about."""
    rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    lines: list[tuple[int, str]] = []
    try:
        header = next(rows, [])
        start = rows.line_num + 1
        for row in rows:
            pairs = [f"{name.strip()}: {value.strip()}" for name, value in zip(header, row, strict=False) if value.strip()]
            pairs += [value.strip() for value in row[len(header) :] if value.strip()]
            if pairs:
                lines.append((start, "; ".join(pairs)))
            start = rows.line_num + 1
    except csv.Error:
        yield from _prose(text)
        return
    for line in lines or ([(1, delimiter.join(header))] if header else []):
        yield "", [line]


def _json(text: str, *, by_line: bool) -> Iterator[Block]:
    r"""One block per record; escapes (\u4e2d) are written out, so that they can be found."""
    if by_line:
        for at, line in enumerate(text.splitlines(), 1):
            if line.strip():
                yield "", [(at, _unescaped(line.strip()))]
        return
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        yield from _prose(_unescaped(text))
        return
    lines = text.splitlines()
    if len(lines) > 3 and max(map(len, lines)) <= WIDE_LINE:
        yield "", [(at, _unescaped(line.strip())) for at, line in enumerate(lines, 1) if line.strip(" []{},\t")]
        return
    records: Iterable[Any] = value if isinstance(value, list) else ({key: item} for key, item in value.items()) if isinstance(value, dict) else [value]
    for record in records:
        yield "", [(1, record if isinstance(record, str) else json.dumps(record, ensure_ascii=False))]


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: json.loads(f'"{match.group()}"').encode("utf-16", "surrogatepass").decode("utf-16", "replace"), text)


_BREAKS = "p div br li tr h1 h2 h3 h4 h5 h6 section article table ul ol dl dt dd pre blockquote title body header footer"


class _Html(HTMLParser):
    """Collects the text of a page in blocks, with lines and headings; scripts and styles are left out."""

    BREAKS = frozenset(_BREAKS.split())
    SILENT = frozenset({"script", "style", "template", "noscript"})

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[Block] = []
        self.heading = ""
        self.held: list[str] = []
        self.line = 1
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - HTMLParser's signature
        self.silent += tag in self.SILENT
        if tag in self.BREAKS:
            self.flush()
        elif tag in {"td", "th"} and self.held:
            self.held.append(" | ")

    def handle_endtag(self, tag: str) -> None:
        self.silent -= tag in self.SILENT and self.silent > 0
        if tag in {"h1", "h2", "h3", "h4", "h5", "h6", "title"}:
            self.heading = " ".join("".join(self.held).split()) or self.heading
        if tag in self.BREAKS:
            self.flush()

    def handle_data(self, data: str) -> None:
        if not self.silent:
            if not "".join(self.held).strip():
                self.line = self.getpos()[0] + len(data) - len(data.lstrip("\n"))
            self.held.append(data)

    def flush(self) -> None:
        """End the block."""
        text = " ".join("".join(self.held).split()).strip(" |")
        if text:
            self.blocks.append((self.heading, [(self.line, text)]))
        self.held = []


def _html(text: str) -> Iterator[Block]:
    page = _Html()
    page.feed(text)
    page.close()
    page.flush()
    merged: list[Block] = []
    for heading, lines in page.blocks:
        if merged and merged[-1][0] == heading and sum(width(line) for _, line in merged[-1][1]) < WIDE_LINE // 4:
            merged[-1][1].extend(lines)
        else:
            merged.append((heading, list(lines)))
    yield from merged
