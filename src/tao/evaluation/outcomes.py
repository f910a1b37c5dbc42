"""What came of one rollout: its grade, what it took, and who stepped in. Read off the run; nothing is measured twice."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from tao.agent import recorded_abilities
from tao.dialects.auto import Auto
from tao.errors import StoreError
from tao.evaluation.graders import Grade
from tao.evaluation.tasks import Task
from tao.events import Asked, Decided, Event, Misread, Nudged, Observed, Replied, from_json, to_json
from tao.messages import Usage
from tao.prices import cost as spent_on
from tao.run import NO_TOOLS, Run, call_key

Price = Callable[[str, Usage], float | None]
"""US dollars for the tokens of one reply of the model of that name; None where the price is not known."""
Right = Callable[[str | None], bool]
AGAIN = frozenset({"failed", "ungraded"})
"""Reasons of outcomes that say nothing about the task; such rollouts are run again."""


@dataclass(frozen=True, slots=True)
class Intervention:
    """A policy spoke up (`by`). `effect` is "helped", "harmed", "nothing", or "unknown" where an answer could not be graded."""

    by: str
    effect: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """One rollout of one task. Tokens are None where no server counted them; times are seconds, `cost` US dollars.

    `calls` counts replies of the model, `acts` calls of tools, `failed_acts` those that went wrong, `coercions` what was mended
    in reading replies and arguments. `first_token` is from the first request to its first token, where that was measured.
    """

    task: str
    rollout: int
    kind: str
    question: str
    wanted: str
    answer: str | None
    right: bool
    score: float
    why: str
    reason: str
    run: str
    calls: int
    acts: int
    failed_acts: int
    prompt: int | None
    completion: int | None
    cached: int | None
    cost: float | None
    first_token: float | None
    seconds: float
    misreads: int
    coercions: int
    interventions: tuple[Intervention, ...] = ()
    events: tuple[Event, ...] = field(default=(), compare=False, repr=False)


def outcome(task: Task, rollout: int, run: Run, grade: Grade, *, price: Price | None = None, right: Right | None = None) -> Outcome:
    """Read everything off the run. `right` grades other answers than the last one, to say whether an intervention helped."""
    ended, usage, usual = run.ended, run.usage, _usual(run.asked)
    replies, seen = list(run.all(Replied)), list(run.all(Observed))
    decided = list(run.all(Decided))
    return Outcome(
        task.id, rollout, task.kind, task.question, " | ".join(task.wanted) if task.answer is not None else "", run.answer,
        grade.right, grade.score, grade.why, ended.reason if ended else run.state, run.id,
        calls=run.steps, acts=len(seen), failed_acts=sum(not event.observation.ok for event in seen),
        prompt=usage.prompt, completion=usage.completion, cached=usage.cached, cost=cost(run, price) if price else carried(run) if "prices" in run.asked.settings else None,
        first_token=replies[0].reply.first_token if replies else None, seconds=round(run.events[-1].at - run.asked.at, 4),
        misreads=sum(event.reason != NO_TOOLS for event in run.all(Misread)),
        coercions=sum(note not in usual for event in decided if event.calls or event.answer is not None for note in event.notes) + sum(len(event.observation.notes) for event in seen),
        interventions=interventions(run, grade, right), events=tuple(run.events),
    )  # fmt: skip


def _usual(asked: Asked) -> set[str]:
    """Notes of a reading that tell of nothing mended: with structured calls an answer has no label."""
    dialect = Auto(recorded_abilities(asked), str(asked.settings.get("start", ""))).first if asked.dialect == "auto" else asked.dialect
    return {"plain_answer"} if dialect == "native" else set()


def cost(run: Run, price: Price) -> float | None:
    """What all replies cost together; None where one has no known price.

    In a cascade the price is that of the large model; the others cost what the run says, in dollars.
    """
    large = run.asked.settings.get("cascade", {}).get("large")

    def one(event: Replied) -> float | None:
        if large and event.reply.by != large:
            return carried(Run(run.id, [run.asked, event]))
        return price(event.reply.model or run.asked.model, event.reply.usage)

    prices = [one(event) for event in run.paid]
    known = [it for it in prices if it is not None]
    return sum(known) if len(known) == len(prices) else None


def carried(run: Run) -> float | None:
    """What it cost by the prices that it carries, in dollars; None where not all of them are known, or are in another currency."""
    spent = spent_on(run)
    amount = None if spent.unknown else spent.within("USD")
    return None if amount is None else float(amount)


def interventions(run: Run, grade: Grade, right: Right | None = None) -> tuple[Intervention, ...]:
    """Who spoke up, and what came of it.

    After an answer was objected to: the answer before against the last one. Otherwise it helped where the model then did
    something new and the run ended right. `right` None: answers before the last cannot be graded.
    """
    found = []
    for place, event in enumerate(run.events):
        if not isinstance(event, Nudged):
            continue
        before = run.events[place - 1]
        if isinstance(before, Decided) and before.answer is not None:
            effect = _changed(right(before.answer), grade.right) if right else "unknown"
        else:
            effect = "helped" if grade.right and _something_new(run, place) else "nothing"
        found.append(Intervention(event.by, effect))
    return tuple(found)


def _changed(before: bool, after: bool) -> str:  # noqa: FBT001 - they are the values
    return "nothing" if before == after else "helped" if after else "harmed"


def _something_new(run: Run, place: int) -> bool:
    """Whether the reading after the nudge is an answer, or holds a call that was not made before it."""
    before = {call_key(call) for event in run.events[:place] if isinstance(event, Decided) for call in event.calls}
    after = next((event for event in run.events[place:] if isinstance(event, Decided | Misread)), None)
    if not isinstance(after, Decided):
        return False
    return after.answer is not None or any(call_key(call) not in before for call in after.calls)


def to_record(it: Outcome) -> dict[str, Any]:
    """The outcome as plain JSON values."""
    record = {name.name: getattr(it, name.name) for name in fields(it)}
    record["interventions"] = [[one.by, one.effect] for one in it.interventions]
    record["events"] = [to_json(event) for event in it.events]
    return record


def from_record(record: Mapping[str, Any]) -> Outcome:
    """What `to_record` wrote. Raises StoreError where it is something else; fields of later versions are left out."""
    try:
        known = {name.name: record[name.name] for name in fields(Outcome) if name.name in record}
        known["interventions"] = tuple(Intervention(by, effect) for by, effect in record.get("interventions", ()))
        known["events"] = tuple(from_json(event) for event in record.get("events", ()))
        return Outcome(**known)
    except (TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"this is no outcome of an evaluation: {error}") from error
