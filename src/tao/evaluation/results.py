"""A file of results: JSON Lines, first what was measured, then one outcome a line, added as each rollout ends.

A line that was cut off (the process was killed) is left out; of several outcomes of one rollout the last counts.
"""

import fcntl
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from tao.errors import ConfigError, StoreError, both, unread
from tao.evaluation.lines import in_utf8, lines_of, mend_end
from tao.evaluation.outcomes import Outcome, from_record, to_record

VERSION = 1


@dataclass(frozen=True, slots=True)
class Results:
    """What was measured (`about`: model, tasks, settings …) and what came of it."""

    about: Mapping[str, Any] = field(default_factory=dict)
    outcomes: Sequence[Outcome] = ()


def load_results(path: str | Path) -> Results:
    """Read a file of results. Raises ConfigError where it cannot be read or is none, or a line is whole and yet no outcome."""
    try:
        lines = lines_of(path)
        first = json.loads(lines[0])
        version = first["tao_eval"]
    except OSError as error:
        raise ConfigError(both(f"cannot read the results in {path}: {unread(error)[0]}", f"无法读取评测结果 {path}：{unread(error)[1]}")) from error
    except (UnicodeDecodeError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ConfigError(both(
            f"{path} is no file of results ({type(error).__name__}: {error}); `tao eval TASKS --out FILE` writes one",
            f"{path} 不是评测结果文件（{type(error).__name__}: {error}）；`tao eval 任务文件 --out 文件` 会生成",
        )) from error  # fmt: skip
    if version != VERSION:
        raise ConfigError(both(
            f"{path} has results of version {version!r}; this tao reads {VERSION}: use a newer one",
            f"{path} 的结果版本为 {version!r}；当前 tao 只能读取版本 {VERSION}，请使用更新的版本",
        ))  # fmt: skip
    found: dict[tuple[str, int], Outcome] = {}
    for number, line in enumerate(lines[1:], 2):
        try:
            it = from_record(json.loads(line))
        except (ValueError, RecursionError):
            continue
        except StoreError as error:
            raise ConfigError(both(f"{path}:{number}: {error}", f"{path}:{number}：{error}")) from error
        found[it.task, it.rollout] = it
    return Results(first, list(found.values()))


@contextmanager
def appending(path: Path, about: Mapping[str, Any]) -> Iterator[TextIO]:
    """The file, open at its end and locked; a new one, or one without any outcome, begins with `about`.

    Raises ConfigError where an old one measured something else, another process writes to it, or it cannot be written.
    """
    with written(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        opened = path.open("a", encoding="utf-8")
    with opened as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ConfigError(both(
                f"another `tao eval` writes to {path}; wait for it, or give another --out", f"另一个 `tao eval` 正在写入 {path}；请等待其结束，或另选 --out",
            )) from error  # fmt: skip
        old = load_results(path) if path.stat().st_size else Results()
        if old.outcomes:
            _agree(path, old.about, about)
            mend_end(path, file)
        else:
            file.truncate(0)
            file.write(in_utf8({"tao_eval": VERSION, **about}) + "\n")
        file.flush()
        yield file


@contextmanager
def written(path: Path) -> Iterator[None]:
    """For whoever writes this file: raises ConfigError where that cannot be done."""
    try:
        yield
    except OSError as error:
        why, chinese = unread(error)
        raise ConfigError(both(f"cannot write {path}: {why}; give another place", f"无法写入 {path}：{chinese}；请换一个位置")) from error


def write(path: Path, text: str) -> None:
    """Write a whole file, in UTF-8, with the folders that it lies in. Raises ConfigError where that cannot be done."""
    with written(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace")


def add(file: TextIO, it: Outcome) -> None:
    """Write one outcome, so that it survives the end of this process."""
    file.write(in_utf8(to_record(it)) + "\n")
    file.flush()


def _agree(path: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """What decides the results must be the same."""
    plain = json.loads(json.dumps(new, ensure_ascii=False, default=str))
    differ = [name for name, value in plain.items() if name != "version" and value != old.get(name)]
    if differ:
        told = "; ".join(f"{name}: {old.get(name)!r:.60} → {new[name]!r:.60}" for name in differ)
        raise ConfigError(both(
            f"{path} holds results of something else ({told}); give another --out, or remove the file",
            f"{path} 中的结果来自不同的设置（{told}）；请另选 --out，或删除该文件",
        ))  # fmt: skip
