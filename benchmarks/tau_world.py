"""What the two worlds of τ-bench share: their data, their tasks, and how a state is told from another.

The data are those of github.com/sierra-research/tau-bench (MIT): `db_json.tar.xz` with `<domain>/data/<table>.json`, and
`<domain>_tasks_<split>.json` with `instruction`, `actions` (`name`, `kwargs`) and `outputs`. The tools are written anew.
"""

import functools
import hashlib
import json
import tarfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tao.errors import ConfigError
from tao.messages import Observation
from tao.tools.builtin.arithmetic import calculate as work_out
from tao.tools.declare import Tool, declare

Data = dict[str, dict[str, Any]]
"""Tables ("users", "orders" …) of records by their id."""


class Refusal(Exception):
    """A tool will not do what it was asked; nothing has been changed. The text says why, to the model."""


@dataclass(frozen=True)
class Task:
    """What a customer wants (`instruction`), the calls that do it right, and what has to be said to the customer."""

    instruction: str
    actions: tuple[tuple[str, Mapping[str, Any]], ...]
    outputs: tuple[str, ...]


def tables(folder: Path, domain: str) -> dict[str, str]:
    """The tables of a domain ("airline", "retail") as JSON texts by name. Raises ConfigError."""
    file = folder / "db_json.tar.xz"
    if not file.exists():
        raise ConfigError(f"no {file}; give the folder that holds τ-bench's data")
    with tarfile.open(file) as packed:
        members = [member for member in packed if member.name.removeprefix("./").startswith(f"{domain}/") and member.name.endswith(".json")]
        texts = {Path(member.name).stem: packed.extractfile(member) for member in members}
        return {name: text.read().decode() for name, text in sorted(texts.items()) if text}


def fresh(texts: Mapping[str, str]) -> Data:
    """The data as they are before anything is done."""
    return {name: json.loads(text) for name, text in texts.items()}


def tasks(folder: Path, domain: str, split: str = "test") -> list[Task]:
    """The tasks of a domain."""
    found = json.loads((folder / f"{domain}_tasks_{split}.json").read_text(encoding="utf-8"))
    return [Task(one["instruction"], tuple((act["name"], act["kwargs"]) for act in one["actions"]), tuple(one["outputs"])) for one in found]


# ── states ────────────────────────────────────────────────────────────────────


def digest(data: Data) -> str:
    """The state as 64 hex digits, by the benchmark's own rule: SHA-256 of Python's text of nested tuples with sorted keys."""
    return hashlib.sha256(str(_tuples(data)).encode()).hexdigest()


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((key, _tuples(item)) for key, item in sorted(value.items()))
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def changed(before: Data, after: Data) -> Data:
    """The records that are new or not what they were; a record that is gone is None."""
    found: Data = {}
    for name, table in after.items():
        old = before[name]
        differ = {key: record for key, record in table.items() if key not in old or old[key] != record}
        gone: dict[str, Any] = dict.fromkeys(old.keys() - table.keys())
        if differ or gone:
            found[name] = differ | gone
    return found


def told(outputs: Iterable[str], said: str) -> list[str]:
    """Of the outputs, those that the text does not hold, by the benchmark's rule: in any case, commas left out."""
    plain = said.lower().replace(",", "")
    return [output for output in outputs if output.lower() not in plain]


# ── tools ─────────────────────────────────────────────────────────────────────


def offered(fn: Callable[..., Any], effects: str = "reads") -> Tool:
    """A tool of the function; a Refusal becomes an observation of kind "refused", which is no failure of the tool."""

    @functools.wraps(fn)
    def answered(*args: Any, **kwargs: Any) -> Any:
        try:
            return fn(*args, **kwargs)
        except Refusal as error:
            return Observation(f"Error: {error}", ok=False, kind="refused")

    return declare(answered, effects=effects, inline=True)


def record(table: Mapping[str, Any], key: str, what: str) -> Any:
    """The record of that id. Raises Refusal."""
    if key not in table:
        raise Refusal(f"{what} {key} not found")
    return table[key]


def calculate(expression: str) -> str:
    """Calculate the result of a mathematical expression, rounded to two decimals.

    Args:
        expression: The mathematical expression to calculate, such as '2 + 2': numbers, + - * /, parentheses and spaces.
    """
    if strange := set(expression) - set("0123456789+-*/(). "):
        raise Refusal(f"invalid characters in expression: {' '.join(sorted(strange))}")
    try:
        return str(round(float(work_out(expression)), 2))
    except (ValueError, ArithmeticError) as error:
        raise Refusal(str(error)) from error


def think(thought: str) -> str:  # noqa: ARG001 - it is enough that it has been written down
    """Think about something. It brings no new information and changes nothing; the thought is only written down.

    Args:
        thought: A thought to think about.
    """
    return ""


def transfer_to_human_agents(summary: str) -> str:  # noqa: ARG001 - nobody is there to read it
    """Transfer the user to a human agent, if the user asks for one or no tool can do what is needed.

    Args:
        summary: A summary of the user's issue.
    """
    return "Transfer successful"
