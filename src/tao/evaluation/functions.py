"""A user's own grader: a function in a Python file, `FILE.py:function`.

It is called as f(task, answer), `task` being the task's JSON object and `answer` the final answer or None, and returns true or
false, a score from 0 to 1 (1 is right), or a pair of either with a line that says why.
"""

import importlib.util
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tao.errors import ConfigError, both
from tao.evaluation.graders import Grade
from tao.evaluation.tasks import Task

Function = Callable[[Mapping[str, Any], str | None], Any]


def function_of(task: Task, folder: Path) -> str:
    """Where the task's function is, as an absolute `FILE.py:function`. Raises ConfigError where the task does not say so."""
    where = task.options.get("function", task.record.get("function"))
    if not isinstance(where, str) or ".py:" not in where:
        example = '{"type": "python", "function": "graders.py:near"}'
        raise ConfigError(both(
            f"task {task.id}: grader python wants {example}, not {where!r}", f"任务 {task.id}：评分方式 python 需要 {example}，而不是 {where!r}",
        ))  # fmt: skip
    path, _, name = where.rpartition(":")
    return f"{(folder / Path(path).expanduser()).resolve()}:{name}"


def load_function(where: str) -> Function:
    """The function; its file is run. Raises ConfigError where there is none."""
    path, _, name = where.rpartition(":")
    spec = importlib.util.spec_from_file_location(f"tao_grader_{Path(path).stem}", path)
    try:
        if spec is None or spec.loader is None or not Path(path).is_file():
            raise FileNotFoundError(path)  # noqa: TRY301
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found: Function = getattr(module, name)
    except Exception as error:
        raise ConfigError(both(
            f"there is no grader {where}: {type(error).__name__}: {error}", f"没有评分函数 {where}：{type(error).__name__}: {error}",
        )) from error  # fmt: skip
    return found


async def graded(function: Function, task: Task, answer: str | None) -> Grade:
    """What the function says. Raises ConfigError where it fails or says something else."""
    try:
        said = function(task.record, answer)
        said = await said if inspect.isawaitable(said) else said
    except Exception as error:
        raise _wrong(task, f"{type(error).__name__}: {error}") from error
    verdict, why = said if isinstance(said, tuple) and len(said) == 2 else (said, "")
    verdict = verdict.item() if hasattr(verdict, "item") else verdict  # of NumPy, whose bool is none of Python's
    if isinstance(verdict, bool):
        return Grade(verdict, float(verdict), str(why))
    if isinstance(verdict, int | float) and 0 <= verdict <= 1:
        return Grade(verdict >= 1, float(verdict), str(why))
    raise _wrong(task, f"returned {said!r:.80}")


def _wrong(task: Task, what: str) -> ConfigError:
    return ConfigError(both(
        f"task {task.id}: the grader's function {what}; wanted: true, false, or a score from 0 to 1",
        f"任务 {task.id}：评分函数出错（{what}）；应返回 true、false 或 0 到 1 的分数",
    ))  # fmt: skip
