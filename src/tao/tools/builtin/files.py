"""The tools `read_file`, `write_file` and `list_files`: text files below one folder, and nothing outside it.

A path is walked from the folder down, one open directory at a time, and no symbolic link is followed on the way; so nothing
that is changed between looking and opening leads out.
"""

import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from pathlib import Path

from tao.errors import BadArguments, ConfigError, ToolError, both
from tao.tools.declare import Tool, declare
from tao.tools.results import clean
from tao.tools.words import say

NAMES = ("read_file", "write_file", "list_files")
LARGEST, MOST_WRITTEN, MOST_LISTED, PAGE = 5_000_000, 1_000_000, 200, 200
_DRAFT = re.compile(r"\.[0-9a-f]{16}\.tmp")
_ODD = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


def files(root: Path | str) -> list[Tool]:
    """The three tools over the folder `root`. Raises ConfigError where it is not a folder."""
    base = Path(root).expanduser().resolve()
    if not base.is_dir():
        raise ConfigError(both(f"the folder for files, {root}, is not there", f"文件工具的文件夹 {root} 不存在"))
    return [_reader(base), _writer(base), _lister(base)]


def _reader(base: Path) -> Tool:
    def run(path: str, start: int = 1, lines: int = PAGE) -> str:
        folder, name = _split(path)
        with _walked(base, folder) as at:
            text = decoded(_read(at, name, path), path)
        every = text.splitlines()
        first = max(1, start)
        shown = every[first - 1 : first - 1 + max(1, min(lines, 2000))]
        if first > 1 and not shown:
            raise ToolError(say(f"{path} has {len(every)} lines.", f"{path} 共 {len(every)} 行。"))
        last = first - 1 + len(shown)
        if len(shown) == len(every):
            return text or say("(empty file)", "（空文件）")
        more = say(f" · go on with start={last + 1}", f" · 继续请用 start={last + 1}") if last < len(every) else ""
        head = say(f"[{path}, lines {first} to {last} of {len(every)}{more}]", f"[{path}，第 {first} 至 {last} 行，共 {len(every)} 行{more}]")
        return "\n".join([head, *shown])

    return declare(
        run, name="read_file", idempotent=True,
        description="Read a text file.\n\nArgs:\n    path: e.g. notes/todo.md\n    start: first line\n    lines: how many lines",
        descriptions={"zh": "读取一个文本文件。\n\n参数：\n    path: 例如 notes/todo.md\n    start: 从第几行开始\n    lines: 读多少行"},
    )  # fmt: skip


def _writer(base: Path) -> Tool:
    def run(path: str, text: str, replace: bool = False) -> str:  # noqa: FBT001, FBT002 - a tool's parameter
        folder, name = _split(path)
        data = clean(text).encode()
        if len(data) > MOST_WRITTEN:
            raise ToolError(say(f"{len(data)} bytes are too many; at most {MOST_WRITTEN}.", f"内容有 {len(data)} 字节，超过上限 {MOST_WRITTEN}。"))
        with _walked(base, folder, make=True) as at:
            _write(at, name, data, path, replace=replace)
        return say(f"Wrote {path} ({len(text)} characters).", f"已写入 {path}（{len(text)} 个字符）。")

    return declare(
        run, name="write_file", effects=("writes",), idempotent=True,
        description="Write a text file, whole.\n\nArgs:\n    path: e.g. notes/todo.md\n    text: all that shall stand in it\n    replace: whether a file that is there may be replaced",
        descriptions={"zh": "写入一个文本文件（整个文件）。\n\n参数：\n    path: 例如 notes/todo.md\n    text: 文件的全部内容\n    replace: 文件已存在时是否允许替换"},
    )  # fmt: skip


def _lister(base: Path) -> Tool:
    def run(path: str = ".", pattern: str = "*") -> str:
        with _walked(base, _parts(path)) as at:
            found = sorted(_entries(at, pattern))
        shown = found[:MOST_LISTED]
        if not shown:
            return say(f"Nothing in {path} fits {pattern!r}.", f"{path} 中没有符合 {pattern!r} 的文件。")
        rest = [say(f"… and {len(found) - len(shown)} more; narrow the pattern", f"… 还有 {len(found) - len(shown)} 个；请缩小范围")]
        return "\n".join([*shown, *(rest if len(found) > len(shown) else [])])

    return declare(
        run, name="list_files", idempotent=True,
        description="List a folder: names, sizes in bytes, folders with / at the end.\n\nArgs:\n    path: e.g. notes\n    pattern: e.g. *.md",
        descriptions={"zh": "列出文件夹内容：名称、字节数，文件夹以 / 结尾。\n\n参数：\n    path: 例如 notes\n    pattern: 例如 *.md"},
    )  # fmt: skip


# ── paths ─────────────────────────────────────────────────────────────────────


def _parts(path: str) -> list[str]:
    """The path's steps below the folder. Raises ToolError for what could lead out of it."""
    parts = [part for part in path.strip().split("/") if part not in ("", ".")]
    wrong = (
        path.strip().startswith(("/", "~")) or "\\" in path or any(part == ".." for part in parts) or len(path) > 1000
        or any(not char.isprintable() for char in path) or any(len(part) == 2 and part[1] == ":" for part in parts[:1])
    )
    if wrong:
        raise ToolError(say(
            f"{path[:200]!r} is not a path here: give one below the folder, such as notes/todo.md, without .., ~, \\ or a leading /.",
            f"{path[:200]!r} 不是可用的路径：请给出文件夹内的相对路径，如 notes/todo.md，不要用 ..、~、\\ 或以 / 开头。",
        ))  # fmt: skip
    return parts


def _split(path: str) -> tuple[list[str], str]:
    parts = _parts(path)
    if not parts or path.rstrip().endswith("/"):
        raise BadArguments(say(f"{path!r} is a folder; name a file.", f"{path!r} 是文件夹；请给出文件名。"))
    return parts[:-1], parts[-1]


@contextmanager
def _walked(base: Path, parts: list[str], *, make: bool = False) -> Iterator[int]:
    """The open folder at the end of the path; with `make`, folders that are missing are made. Raises ToolError."""
    at = os.open(base, _FOLDER)
    try:
        for part in parts:
            try:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(part, 0o755, dir_fd=at)
                below = os.open(part, _FOLDER, dir_fd=at)
            except OSError as error:
                raise _unreachable(part, error) from None
            os.close(at)
            at = below
        yield at
    finally:
        os.close(at)


def _unreachable(name: str, error: OSError) -> ToolError:
    if error.errno in (errno.ELOOP, errno.EMLINK):
        return ToolError(say(f"{name} is a link; links are not followed here.", f"{name} 是链接；这里不跟随链接。"))
    if error.errno == errno.ENOTDIR:  # a link to a folder is refused in this way too
        return ToolError(say(f"{name} is not a folder (links are not followed).", f"{name} 不是文件夹（不跟随链接）。"))
    if error.errno == errno.ENOENT:
        return BadArguments(say(f"there is no {name}; list_files shows what there is", f"没有 {name}；可用 list_files 查看"))
    return ToolError(f"{name}: {error.strerror}")


# ── contents ──────────────────────────────────────────────────────────────────


def _read(at: int, name: str, path: str) -> bytes:
    try:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
    except OSError as error:
        raise _unreachable(path, error) from None
    with os.fdopen(file, "rb") as opened:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode):
            raise ToolError(say(f"{path} is not a file", f"{path} 不是文件"))
        if found.st_size > LARGEST:
            raise ToolError(say(f"{path} has {found.st_size} bytes; at most {LARGEST} are read", f"{path} 有 {found.st_size} 字节；最多读取 {LARGEST}"))
        return opened.read(LARGEST)


def decoded(data: bytes, path: str) -> str:
    """The text of a file in UTF-8, UTF-16 with its mark, or GB 18030. Raises ToolError for what is no text."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    for encoding in ("utf-8-sig", "gb18030"):
        with suppress(UnicodeDecodeError):
            if not _ODD.search(text := data.decode(encoding)):
                return text
    raise ToolError(say(f"{path} is not a text file ({len(data)} bytes)", f"{path} 不是文本文件（{len(data)} 字节）"))


def _write(at: int, name: str, data: bytes, path: str, *, replace: bool) -> None:
    """Write beside it, then put it in its place at once: nothing half-written is ever seen."""
    draft = f".{secrets.token_hex(8)}.tmp"
    mode = 0o644
    with suppress(FileNotFoundError):
        there = os.stat(name, dir_fd=at, follow_symlinks=False)
        if not stat.S_ISREG(there.st_mode):
            raise ToolError(say(f"{path} is not a file; it is left as it is.", f"{path} 不是普通文件，未作改动。"))
        mode = stat.S_IMODE(there.st_mode)
    try:
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode, dir_fd=at)
        with os.fdopen(file, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(file)
        if replace:
            os.rename(draft, name, src_dir_fd=at, dst_dir_fd=at)
        else:
            os.link(draft, name, src_dir_fd=at, dst_dir_fd=at, follow_symlinks=False)
    except FileExistsError:
        raise ToolError(say(
            f"{path} is there already. Read it first; with replace=true it is replaced.", f"{path} 已存在。请先读取；replace=true 时会替换它。",
        )) from None  # fmt: skip
    except OSError as error:
        raise _unreachable(path, error) from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=at)


def _entries(at: int, pattern: str) -> Iterator[str]:
    with os.scandir(at) as found:
        for entry in found:
            if not fnmatch(entry.name, pattern) or _DRAFT.fullmatch(entry.name):
                continue
            if entry.is_symlink():
                yield say(f"{entry.name}  (link, not followed)", f"{entry.name}  （链接，不跟随）")
            elif entry.is_dir(follow_symlinks=False):
                yield f"{entry.name}/"
            else:
                with suppress(FileNotFoundError):  # it may be gone by now
                    yield f"{entry.name}  {entry.stat(follow_symlinks=False).st_size}"
