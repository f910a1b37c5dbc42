"""Tasks to be measured on: a JSON Lines file, one task a line.

    {"id": "g001", "question": "…", "answer": "2025-04-12", "grader": "date", "kind": "date"}

`grader` is a name (`tao.evaluation.graders` lists them) or an object with its settings: {"type": "number", "tolerance": 0.5}.
Without `id` a task is named by its line, without `grader` it is compared as text; null is as good as nothing. Other fields are
kept and handed on.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tao.errors import ConfigError, both, unread


@dataclass(frozen=True, slots=True)
class Task:
    """One question with what is needed to say whether an answer is right. `kind` groups tasks in tables."""

    id: str
    question: str
    answer: Any = None
    grader: str = "exact"
    options: Mapping[str, Any] = field(default_factory=dict)
    kind: str = ""
    record: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def wanted(self) -> tuple[str, ...]:
        """The right answers as texts; any one of them will do."""
        answers = self.answer if isinstance(self.answer, list) else [self.answer]
        return tuple(answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False) for answer in answers)


def load_tasks(path: str | Path) -> list[Task]:
    """Every task of a file, in order. Raises ConfigError, which names the line, where something is missing or double."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(both(
            f"cannot read the tasks in {path}: {unread(error)[0]}; give a JSON Lines file in UTF-8",
            f"无法读取任务文件 {path}：{unread(error)[1]}；请提供 UTF-8 编码的 JSON Lines 文件",
        )) from error  # fmt: skip
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    tasks = [_task(number, line, path) for number, line in lines]
    if not tasks:
        raise ConfigError(both(f"there is no task in {path}", f"{path} 中没有任务"))
    twice = [name for name, count in Counter(task.id for task in tasks).items() if count > 1]
    if twice:
        names = ", ".join(twice[:5])
        raise ConfigError(both(f"{path}: several tasks have the id {names}; ids must differ", f"{path}：任务编号重复：{names}"))
    return tasks


def _task(number: int, line: str, path: str | Path) -> Task:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        at = error.colno if isinstance(error, json.JSONDecodeError) else 1
        raise _no_task(path, number, f"it is not JSON, from column {at} on", f"从第 {at} 列起不是 JSON") from error
    if not isinstance(record, Mapping):
        raise _no_task(path, number, f"it is {record!r:.60}, not an object", f"内容为 {record!r:.60}，而不是对象")
    given = {name: value for name, value in record.items() if value is not None}
    question, grader = given.get("question"), given.get("grader", "exact")
    if not isinstance(question, str) or not question.strip():
        raise _no_task(path, number, f"`question` is {question!r:.60}, not a text", f"`question` 为 {question!r:.60}，而不是文本")
    options = dict(grader) if isinstance(grader, Mapping) else {"type": grader}
    name = options.pop("type", None)
    if not isinstance(name, str):
        raise _no_task(
            path, number, f"`grader` is {grader!r:.60}, neither a name nor an object with a `type`", f"`grader` 为 {grader!r:.60}，既不是名称，也不是含 `type` 的对象",
        )  # fmt: skip
    return Task(str(given.get("id", number)), question, record.get("answer"), name, options, str(given.get("kind", "")), record)


def _no_task(path: str | Path, number: int, english: str, chinese: str) -> ConfigError:
    wanted = '{"id": …, "question": …, "answer": …, "grader": …}'
    return ConfigError(both(
        f"{path}:{number} is no task: {english}; wanted on each line: {wanted}", f"{path}:{number} 不是任务：{chinese}；每行应为：{wanted}",
    ))  # fmt: skip


def digest(tasks: Sequence[Task]) -> str:
    """Twelve hex digits that stand for the questions, answers and graders of these tasks, whatever their order."""
    texts = sorted(json.dumps([t.id, t.question, t.answer, t.grader, dict(t.options)], ensure_ascii=False) for t in tasks)
    return hashlib.sha256("\n".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:12]
