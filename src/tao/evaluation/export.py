"""From recorded runs to lines for training: filters, doubles, redaction, and the forms."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from tao.evaluation.atif import trajectory
from tao.evaluation.card import Made
from tao.evaluation.chats import chat, preference
from tao.evaluation.lines import for_others
from tao.evaluation.records import Recorded, distinct
from tao.evaluation.redact import redacted
from tao.evaluation.reward import DEFAULT, Rewards, reward
from tao.events import to_json

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wish:
    """What to export. `right` keeps only what was graded right (of pairs: the better one), `steps` runs of at most so many replies.

    `margin` is by how much the better of a pair must be worth more where grades do not tell; `pairs` how many a task may give.
    """

    form: str
    right: bool = False
    steps: int | None = None
    redact: bool = True
    doubles: bool = False
    rewards: Rewards = DEFAULT
    margin: float = 1.0
    pairs: int = 4

    @property
    def filters(self) -> tuple[str, ...]:
        """The filters as the card names them."""
        own = {"events": [], "sft": ["ended", "with an answer"]}.get(self.form, ["ended"])
        return (*own, *(["right"] if self.right else []), *([f"steps ≤ {self.steps}"] if self.steps is not None else []))


@dataclass(frozen=True, slots=True)
class Exported:
    """The lines, the runs that they were made of, and how."""

    lines: tuple[Line, ...]
    runs: tuple[Recorded, ...]
    made: Made


def export(recorded: Sequence[Recorded], wish: Wish, *, sources: Sequence[str] = (), day: str = "") -> Exported:
    """The lines of one form. Runs that have not ended are left out, except as events."""
    kept = [it for it in recorded if _wanted(it, wish)]
    runs = kept if wish.doubles else distinct(kept)
    counts: Counter[str] = Counter()
    clean = [replace(it, run=redacted(it.run, counts)) if wish.redact else it for it in runs]
    lines = tuple(LINES[wish.form](clean, wish))
    made = Made(
        wish.form, tuple(sources), len(recorded), len(recorded) - len(kept), len(kept) - len(runs), len(lines), wish.filters,
        dict(sorted(counts.items())) if wish.redact else None, wish.rewards, day,
    )  # fmt: skip
    return Exported(lines, tuple(clean), made)


def _wanted(it: Recorded, wish: Wish) -> bool:
    if wish.form != "events" and it.run.ended is None:
        return False
    if wish.form == "sft" and not (it.run.answer or "").strip():
        return False
    if wish.steps is not None and it.run.steps > wish.steps:
        return False
    return it.right is True or not wish.right or wish.form == "dpo"


def _worth(it: Recorded, wish: Wish) -> float:
    return reward(it.run, right=it.right, score=it.score, rewards=wish.rewards).total


def _facts(it: Recorded, wish: Wish) -> dict[str, Any]:
    """What is known beside the text; trainers leave these columns alone."""
    return {"run": it.run.id, "task": it.task, "kind": it.kind, "right": it.right, "reward": round(_worth(it, wish), 6)}


def _sft(runs: Sequence[Recorded], wish: Wish) -> Iterator[Line]:
    for it in runs:
        yield {**chat(it.run), "metadata": _facts(it, wish)}


def _dpo(runs: Sequence[Recorded], wish: Wish) -> Iterator[Line]:
    """Pairs of each task, the widest apart first."""
    tasks: dict[tuple[str, str], list[Recorded]] = defaultdict(list)
    for it in runs:
        tasks[it.task, it.run.asked.question].append(it)
    for group in tasks.values():
        couples = [(better, worse) for better, worse in product(group, group) if _better(better, worse, wish)]
        couples.sort(key=lambda couple: _worth(couple[1], wish) - _worth(couple[0], wish))
        given = 0
        for better, worse in couples:
            if given < wish.pairs and (pair := preference(better.run, worse.run)):
                given += 1
                yield {**pair, "metadata": {"chosen": _facts(better, wish), "rejected": _facts(worse, wish)}}


def _better(a: Recorded, b: Recorded, wish: Wish) -> bool:
    """Right beats wrong; among ungraded or equally graded ones, what is worth more by the margin. With `right` only right beats wrong."""
    if not (a.run.answer or "").strip() or (wish.right and a.right is not True):
        return False
    if a.right is not None and b.right is not None and a.right != b.right:
        return a.right
    return not wish.right and _worth(a, wish) - _worth(b, wish) >= wish.margin


def _atif(runs: Sequence[Recorded], wish: Wish) -> Iterator[Line]:
    for it in runs:
        yield trajectory(it.run, right=it.right, score=it.score, rewards=wish.rewards)


def _events(runs: Sequence[Recorded], wish: Wish) -> Iterator[Line]:  # noqa: ARG001
    for it in runs:
        for seq, event in enumerate(it.run.events):
            yield {"run": it.run.id, "seq": seq, **to_json(event)}


LINES: Mapping[str, Callable[[Sequence[Recorded], Wish], Iterator[Line]]] = {"sft": _sft, "dpo": _dpo, "atif": _atif, "events": _events}


BLOCK = 8_000_000
"""Bytes. `datasets` takes the columns of a whole file from its first 10 MiB, and fails where a later line has others."""


def text(lines: Sequence[Line]) -> str:
    """The lines as JSON Lines; in a large file those come first (whole runs of events) that bring a field or a type of value of their own."""
    whole = [for_others(line) + "\n" for line in lines]
    if sum(len(line.encode()) for line in whole) > BLOCK:
        whole = [whole[place] for place in columns_first(lines)]
    return "".join(whole)


def columns_first(lines: Sequence[Line]) -> list[int]:
    """The places of the lines, as they are, but for those ahead that have something that none before them has."""
    together: dict[object, list[int]] = defaultdict(list)
    for place, line in enumerate(lines):
        together[line["run"] if "seq" in line else place].append(place)
    known: set[str] = set()
    ahead: list[int] = []
    rest: list[int] = []
    for places in together.values():
        shapes = {shape for place in places for shape in _shapes(lines[place])}
        (rest if shapes <= known else ahead).extend(places)
        known |= shapes
    return [*ahead, *rest]


def _shapes(value: Any, path: str = "") -> Iterator[str]:
    """Every field in a JSON value with the type of what it holds; what is empty says nothing."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _shapes(item, f"{path}.{name}")
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _shapes(item, f"{path}[]")
    elif value is not None:
        yield f"{path}:{type(value).__name__}"
