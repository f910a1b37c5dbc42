"""Recorded runs, wherever they are: a file of results, lines of events, or a journal."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tao.errors import ConfigError, StoreError, both, unread
from tao.evaluation.lines import lines_of
from tao.evaluation.results import load_results
from tao.events import Asked, Event, from_json
from tao.run import Run
from tao.stores.database import Sqlite, address
from tao.stores.sql import Journal

SQLITE = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run with what is known of it. `task` is what runs of the same question share; `right` None: not graded."""

    run: Run
    task: str
    kind: str = ""
    right: bool | None = None
    score: float | None = None


async def load_runs(where: str | Path, *, limit: int | None = None) -> list[Recorded]:
    """Every run in a file or journal (a SQLite file, or a database URL), or in those of a folder or a pattern such as "runs/*.jsonl".

    Raises ConfigError, also where there is no run at all, or StoreError.
    """
    places = _places(where)
    if places is None:
        return await _load(where, limit)
    return [it for place in places for it in await _load(place, limit)]


async def _load(where: str | Path, limit: int | None) -> list[Recorded]:
    if not is_journal(where):
        return read_runs(Path(where))
    async with Journal(where) as journal:
        listed = await journal.list(limit)
        runs = [await journal.load(it.id) for it in reversed(listed)]
        if not runs:
            raise ConfigError(both(f"there is no run in {journal.database.place}", f"{journal.database.place} 中没有运行记录"))
    return [_plain(run) for run in runs]


def _places(where: str | Path) -> list[Path] | None:
    """The files of a folder, at any depth, that hold runs, or those that a pattern names; None where it is neither. Raises ConfigError."""
    if "://" in str(where):
        at = address(where)
        if isinstance(at, Sqlite) and not at.path.startswith("file:") and not Path(at.path).exists():
            raise ConfigError(both(f"there is no journal {at.path}", f"没有运行记录库 {at.path}"))
        return None
    path = Path(where)
    if path.is_dir():
        found = [file for file in sorted(path.rglob("*")) if file.is_file() and (is_journal(file) or _begins_runs(file))]
    elif not path.exists() and set(str(where)) & set("*?["):
        root = Path(path.anchor or ".")
        found = [file for file in sorted(root.glob(str(path.relative_to(path.anchor)))) if file.is_file()]
    else:
        return None
    if not found:
        raise ConfigError(both(f"there is no run in {where}", f"{where} 中没有运行记录"))
    return found


def _begins_runs(path: Path) -> bool:
    """Whether a file of lines begins as one of runs does: a folder of results holds tasks and cards, too."""
    if path.suffix != ".jsonl":
        return False
    with suppress(OSError, ValueError, RecursionError), path.open(encoding="utf-8-sig") as file:
        first = json.loads(next((line for line in file if line.strip()), "null"))
        return isinstance(first, dict) and ("events" in first or "tao_eval" in first or {"run", "kind"} <= first.keys())
    return False


def is_journal(where: str | Path) -> bool:
    """Whether this is a database rather than a text file."""
    if "://" in str(where):
        return True
    with suppress(OSError), Path(where).open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE
    return False


def read_runs(path: Path) -> list[Recorded]:
    """Every run of a JSON Lines file: results of `tao eval`, events as `tao … --json` writes them, or objects with `events`."""
    try:
        lines = [line for line in lines_of(path) if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(both(f"cannot read runs from {path}: {unread(error)[0]}", f"无法读取运行记录 {path}：{unread(error)[1]}")) from error
    if lines and '"tao_eval"' in lines[0]:
        return _results(path, lines)
    found: dict[str, dict[int, Event]] = defaultdict(dict)
    whole: list[Recorded] = []
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
            if not isinstance(record, dict) or not (record.keys() & {"events", "run"}):
                raise ValueError("an object with run and kind, or with events, was wanted")  # noqa: TRY301 - said with its line below
            if "events" in record:
                whole.append(_whole(record, str(number)))
            else:
                events = found[str(record["run"])]
                place = record.get("seq", len(events))
                events[int(place)] = from_json({key: value for key, value in record.items() if key not in {"run", "seq"}})
        except (ValueError, KeyError, TypeError, AttributeError, StoreError, RecursionError) as error:
            if number == len(lines) and isinstance(error, json.JSONDecodeError):
                continue  # cut off
            raise ConfigError(both(
                f"{path}:{number} is no event of a run ({type(error).__name__}: {error})", f"{path}:{number} 不是运行事件（{type(error).__name__}: {error}）",
            )) from error  # fmt: skip
    runs = whole + [_from_lines(path, name, events) for name, events in found.items() if events]
    if not runs:
        raise ConfigError(both(f"there is no run in {path}", f"{path} 中没有运行记录"))
    return runs


def _results(path: Path, lines: Sequence[str]) -> list[Recorded]:
    """The runs in a file of results; only its last line may break off. Raises ConfigError."""
    for number, line in enumerate(lines[:-1], 1):
        try:
            json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ConfigError(both(f"{path}:{number} is no outcome ({error})", f"{path}:{number} 不是评测结果（{error}）")) from error
    outcomes = [it for it in load_results(path).outcomes if it.events]
    if not outcomes:
        raise ConfigError(both(f"there is no run in {path}", f"{path} 中没有运行记录"))
    for it in outcomes:
        if not isinstance(it.events[0], Asked):
            raise ConfigError(both(f"{path}: run {it.run} does not begin with its question", f"{path}：运行 {it.run} 不以提问开头"))
    return [Recorded(Run(it.run, it.events), it.task, it.kind, it.right, it.score) for it in outcomes]


def _from_lines(path: Path, name: str, events: Mapping[int, Event]) -> Recorded:
    """The run whose events stand in a file, by their places in it: an event that was written twice counts once. Raises ConfigError."""
    places = sorted(events)
    if places != list(range(len(places))) or not isinstance(events[0], Asked):
        lacking = next((place for place in range(len(places)) if place not in events), 0)
        raise ConfigError(both(
            f"{path}: run {name} is not whole, its event {lacking} is missing; `tao show {name[:8]} --json` writes all of it",
            f"{path}：运行 {name} 不完整，缺少第 {lacking} 个事件；`tao show {name[:8]} --json` 可写出全部事件",
        ))  # fmt: skip
    return _plain(Run(name, [events[place] for place in places]))


def _whole(record: Mapping[str, Any], name: str) -> Recorded:
    """A line that holds a whole run, as `events`, and perhaps its task and grade."""
    run = Run(str(record.get("run", record.get("id", name))), [from_json(event) for event in record["events"]])
    if not run.events or not isinstance(run.events[0], Asked):
        raise ValueError("its events do not begin with `asked`")
    right = record.get("right")
    task = str(record.get("task", record.get("id", run.asked.question)))
    return Recorded(run, task, str(record.get("kind", "")), right, record.get("score", None if right is None else float(right)))


def _plain(run: Run) -> Recorded:
    return Recorded(run, run.asked.question)


def distinct(recorded: Sequence[Recorded]) -> list[Recorded]:
    """Without later runs that asked and did the same as an earlier one; times, ids and counts do not matter."""
    seen: dict[str, Recorded] = {}
    for it in recorded:
        seen.setdefault(_gist(it.run), it)
    return list(seen.values())


def _gist(run: Run) -> str:
    parts: list[object] = [run.asked.question, run.asked.instructions]
    parts += [[call.tool, dict(call.args), seen.text] for call, seen in run.observed]
    return json.dumps([*parts, run.answer], ensure_ascii=False, sort_keys=True, default=str)
