"""Tasks to be measured on: a JSON Lines file, one task a line.

    {"id": "g001", "question": "…", "answer": "2025-04-12", "grader": "date", "kind": "date"}

`grader` is a name (`tao.evaluation.graders` lists them) or an object with its settings: {"type": "number", "tolerance": 0.5}.
Without `id` a task is named by its line, without `grader` it is compared as text. Other fields are kept and handed on.
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
        question = record["question"]
        if not isinstance(question, str) or not question.strip():
            raise TypeError("`question` is not a text")  # noqa: TRY301
        grader = record.get("grader", "exact")
        options = dict(grader) if isinstance(grader, Mapping) else {"type": grader}
        name = options.pop("type")
        if not isinstance(name, str):
            raise TypeError("`grader` is neither a name nor an object with a `type`")  # noqa: TRY301
        given = str(record.get("id", number))
        return Task(given, question, record.get("answer"), name, options, str(record.get("kind", "")), record)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        wanted = '{"id": …, "question": …, "answer": …, "grader": …}'
        raise ConfigError(both(
            f"{path}:{number} is no task ({type(error).__name__}: {error}); wanted: {wanted}",
            f"{path}:{number} 不是任务（{type(error).__name__}: {error}）；应为：{wanted}",
        )) from error  # fmt: skip


def digest(tasks: Sequence[Task]) -> str:
    """Twelve hex digits that stand for the questions, answers and graders of these tasks, whatever their order."""
    texts = sorted(json.dumps([t.id, t.question, t.answer, t.grader, dict(t.options)], ensure_ascii=False) for t in tasks)
    return hashlib.sha256("\n".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:12]
