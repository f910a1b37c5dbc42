"""What a set of outcomes says, per kind of task and in all; and what two sets say beside each other."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tao.evaluation.outcomes import AGAIN, Outcome
from tao.evaluation.stats import mean, quantile, share, sign_test, spread
from tao.events import Replied


@dataclass(frozen=True, slots=True)
class Row:
    """Some outcomes together. Means are per rollout; None where nothing is known. `low` to `high` is the 95 % interval of `rate`.

    `any` and `every` are the shares of tasks that were right in any, and in every, rollout. `stopped` ended by a limit, `failed`
    by an error. `first_token` and `seconds` are medians, `slow` is the 95th percentile of `seconds`. `interventions` counts by
    (who, effect).
    """

    kind: str
    tasks: int
    rollouts: int
    right: int
    rate: float
    low: float
    high: float
    any: float
    every: float
    calls: float | None
    acts: float | None
    prompt: float | None
    completion: float | None
    cached: float | None
    cost: float | None
    first_token: float | None
    seconds: float | None
    slow: float | None
    misreads: int
    coercions: int
    failed_acts: int
    stopped: int
    failed: int
    interventions: Counter[tuple[str, str]]


def row(kind: str, outcomes: Sequence[Outcome]) -> Row:
    """These outcomes as one row."""
    groups = list(by_task(outcomes).values())
    rate, low, high = share([[float(it.right) for it in group] for group in groups])

    def average(name: str) -> float | None:
        return mean(getattr(it, name) for it in outcomes)

    def total(name: str) -> int:
        return sum(getattr(it, name) for it in outcomes)

    return Row(
        kind, len(groups), len(outcomes), total("right"), rate, low, high,
        any=mean(float(any(it.right for it in group)) for group in groups) or 0.0,
        every=mean(float(all(it.right for it in group)) for group in groups) or 0.0,
        calls=average("calls"), acts=average("acts"), prompt=average("prompt"), completion=average("completion"),
        cached=average("cached"), cost=average("cost"), first_token=quantile((it.first_token for it in outcomes), 0.5),
        seconds=quantile((it.seconds for it in outcomes), 0.5), slow=quantile((it.seconds for it in outcomes), 0.95),
        misreads=total("misreads"), coercions=total("coercions"), failed_acts=total("failed_acts"),
        stopped=sum(it.reason not in {"answered", "paused", *AGAIN} for it in outcomes),
        failed=sum(it.reason in AGAIN for it in outcomes),
        interventions=Counter((one.by, one.effect) for it in outcomes for one in it.interventions),
    )  # fmt: skip


def rows(outcomes: Sequence[Outcome]) -> list[Row]:
    """One row per kind, by name, and last the row of all, whose kind is ""; only that where there is but one kind."""
    kinds: dict[str, list[Outcome]] = defaultdict(list)
    for it in outcomes:
        kinds[it.kind].append(it)
    parts = [row(kind or "-", group) for kind, group in sorted(kinds.items())] if len(kinds) > 1 else []
    return [*parts, row("", outcomes)]


def by_task(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """Outcomes by task, tasks in order of appearance, rollouts in order."""
    found: dict[str, list[Outcome]] = defaultdict(list)
    for it in sorted(outcomes, key=lambda it: it.rollout):
        found[it.task].append(it)
    order = dict.fromkeys(it.task for it in outcomes)
    return {task: found[task] for task in order}


# ── two beside each other ─────────────────────────────────────────────────────

MEASURES: dict[str, Callable[[Outcome], float | None]] = {
    "calls": lambda it: it.calls, "others": lambda it: sum(bool(event.reply.by) for event in it.events if isinstance(event, Replied)), "acts": lambda it: it.acts, "prompt": lambda it: it.prompt, "cached": lambda it: it.cached,
    "completion": lambda it: it.completion, "cost": lambda it: it.cost, "seconds": lambda it: it.seconds,
    "first_token": lambda it: it.first_token, "misreads": lambda it: it.misreads, "coercions": lambda it: it.coercions,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of two sets, over the tasks where both know it: the means, and the mean difference (b - a) with its interval."""

    name: str
    a: float
    b: float
    difference: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Paired:
    """Two sets of outcomes over the tasks that both hold. `better` and `worse` are the tasks that b solves more, or less, often.

    `p` is the two-sided probability of so uneven a split by chance (for one rollout a task: McNemar's exact test).
    """

    tasks: int
    only_a: int
    only_b: int
    rate_a: float
    rate_b: float
    difference: float
    low: float
    high: float
    better: tuple[str, ...]
    worse: tuple[str, ...]
    p: float
    measures: tuple[Measure, ...]


def paired(a: Sequence[Outcome], b: Sequence[Outcome]) -> Paired:
    """The second against the first, task by task. What has the same id and another question is not the same task."""
    ours, theirs = by_task(a), by_task(b)
    common = [task for task in ours if task in theirs and ours[task][0].question == theirs[task][0].question]
    rates = {task: (_rate(ours[task]), _rate(theirs[task])) for task in common}
    better = tuple(task for task, (old, new) in rates.items() if new > old)
    worse = tuple(task for task, (old, new) in rates.items() if new < old)
    difference, low, high = spread([new - old for old, new in rates.values()])
    if len(common) > 1:  # rates differ by one at most, which the approximation does not know
        low, high = max(-1.0, low), min(1.0, high)
    measures = []
    for name, read in MEASURES.items():
        pairs = [(mean(map(read, ours[task])), mean(map(read, theirs[task]))) for task in common]
        known = [(old, new) for old, new in pairs if old is not None and new is not None]
        if known and (name != "others" or any(map(any, known))):  # most runs have one model
            olds, news = zip(*known, strict=True)
            measures.append(Measure(name, mean(olds) or 0.0, mean(news) or 0.0, *spread([new - old for old, new in known])))
    return Paired(
        len(common), len(ours) - len(common), len(theirs) - len(common), mean(old for old, _ in rates.values()) or 0.0,
        mean(new for _, new in rates.values()) or 0.0, difference, low, high, better, worse,
        sign_test(len(better), len(worse)), tuple(measures),
    )  # fmt: skip


def _rate(outcomes: Sequence[Outcome]) -> float:
    return sum(it.right for it in outcomes) / len(outcomes)
