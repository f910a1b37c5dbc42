"""Budgets of one run, as policies.

At one step (or 15 % of any other budget) left, or where the call after the next one would not fit any more, the tools are
taken away once and the best answer is asked for. A call that will not fit by itself is not made. What a call takes is known for certain only
after it, so a budget is never overshot by more than one call.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tao.events import Decided, Ended, Misread, Nudged, Observed, Replied
from tao.messages import Usage
from tao.policies.first_of import first_of
from tao.policies.reckoning import asides, coming, growth, reckoned
from tao.policies.texts import say
from tao.policies.uncertain import nothing, uncertain
from tao.prices import Cost, answered_by, recorded
from tao.quotas import elapsed
from tao.run import NO_TOOLS, Run
from tao.seams import Policy

RESERVE = 0.15
"""The part of a budget that is kept for the answer."""
WRAP_UP = "wrap_up"

Number = int | float | Decimal
Verdict = Nudged | Ended | None


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a run stands with a budget: what it has spent, what the next call will take about, what the one after that."""

    spent: Number
    ahead: Number
    after: Number


def bounded(
    reason: str, limit: Number, standing: Callable[[Run], Standing], *, reserve: float = RESERVE, sure: bool = True,
) -> Policy:
    """A budget. `reserve` is the part of it kept for the answer; with `sure`, a call that will not fit is not even tried.

    An answer is taken as it is where there is no room for two more calls: an objection to it could not be followed up.
    """
    kept = _part(limit, reserve)

    def policy(run: Run) -> Verdict:
        at = standing(run)
        left = _minus(limit, at.spent)
        fits, two = at.ahead <= left, _minus(left, at.ahead) >= at.after
        due = left <= kept or not two
        wrapped = wrapping(run)
        if fits and not due and wrapped != reason:  # as mostly
            return None
        answer = run.proposed
        if answer is not None:
            if wrapped == reason:
                return Ended(reason, answer, uncertain(run, answer, reason))
            return None if left > 0 and two else Ended("answered", answer)
        begun = run.steps > 0
        if (left <= 0 and begun) or (sure and not fits):
            return give_up(run, reason)
        if wrapped == reason and _answered_to(run):
            return give_up(run, reason)
        again = wrapped == reason and run.nudge is None  # the server refused tools in between: what was said is gone
        return wrap_up(run, reason) if begun and due and (again or not wrapped) else None

    return policy


def within(*budgets: Policy) -> Policy:
    """Several budgets at once: where one of them ends the run it ends, whatever another one would rather say first."""
    if len(budgets) == 1:
        return budgets[0]

    def policy(run: Run) -> Verdict:
        verdicts = [verdict for one in budgets if (verdict := one(run)) is not None]
        if len(verdicts) < 2:
            return verdicts[0] if verdicts else None
        ends = [verdict for verdict in verdicts if isinstance(verdict, Ended)]
        named = [end for end in ends if end.reason != "answered"]
        return next(iter(named or ends or verdicts), None)

    return policy


# ── what is counted ───────────────────────────────────────────────────────────


def max_steps(limit: int) -> Policy:
    """At most so many replies. Before the last one the tools are taken away; a run of a single step is not asked twice."""
    return bounded("max_steps", limit, _counted(lambda run: run.steps), reserve=0)


def max_model_calls(limit: int) -> Policy:
    """At most so many calls of the model, a server's refusal of tools and summaries of observations among them."""

    def count(run: Run) -> int:
        return sum(1 for _ in run.paid)

    return bounded("max_model_calls", limit, _counted(count), reserve=0)


def max_tool_calls(limit: int) -> Policy:
    """At most so many calls of tools; once they are made, the answer is asked for. `tao.wrappers.budget` refuses those over it."""
    reason = "max_tool_calls"

    def policy(run: Run) -> Verdict:
        if sum(1 for _ in run.all(Observed)) < limit:
            return None
        wrapped = wrapping(run)
        if wrapped != reason:
            return None if wrapped or run.proposed is not None else wrap_up(run, reason)
        return closing(run, reason)

    return policy


def max_tokens(limit: int, kind: str = "") -> Policy:
    """At most so many tokens: prompt and completion together, or only "prompt", "completion", "reasoning" or "cached".

    As the server counted them; where it did not count, as they are estimated. Reasoning tokens are among the completion's.
    """

    def count(usage: Usage) -> int:
        return int(getattr(usage, kind) or 0) if kind else (usage.prompt or 0) + (usage.completion or 0)

    def standing(run: Run) -> Standing:
        spent = sum(count(usage) for _, usage in (*reckoned(run), *asides(run)))
        ahead = coming(run)
        if run.last(Replied) is None:  # how long a reply will be is anybody's guess
            return Standing(0, ahead.prompt or 0 if kind in {"", "prompt"} else 0, 0)
        more = growth(run) if kind in {"", "prompt"} else 0
        return Standing(spent, count(ahead), count(ahead) + more)

    return bounded(f"max_{kind}_tokens" if kind else "max_tokens", limit, standing)


def max_cost(
    limit: Decimal, currency: str, exchange: dict[str, Any] | None = None, turn: Callable[[Run], Sequence[str]] | None = None,
) -> Policy:
    """At most so much money, by the prices that the run carries; `exchange`: what one unit of another currency is worth in this one.

    `turn` names the models that may answer, first the one that does next: the next call is reckoned at its price, the one after
    it at the dearest's. Without it, whoever answered last is expected to go on.

    A reply without usage is reckoned at what its tokens are estimated to be. What has no price (or none in a currency that
    `exchange` knows) ends the run before more of it is bought: the promise could not be kept.
    """

    def standing(run: Run) -> Standing:
        price = recorded(run)
        spent, last = Cost(), run.asked.model
        for event, usage in reckoned(run):
            last = answered_by(run, event)
            spent += _priced(price(last), usage, event.at)
        for event, usage in asides(run):
            spent += _priced(price(answered_by(run, event)), usage, event.at)
        now = run.events[-1].at
        ahead = coming(run)
        if run.last(Replied) is None:
            ahead = Usage(ahead.prompt, 0, 0, 0)
        dearer = Usage((ahead.prompt or 0) + growth(run), ahead.completion, ahead.cached, ahead.reasoning)
        names = turn(run) if turn else (last,)
        after = max(_amount(_priced(price(name), dearer, now)) for name in names)
        return Standing(_amount(spent), _amount(_priced(price(names[0]), ahead, now)), after)

    def _amount(cost: Cost) -> Number:
        whole = cost.within(currency, exchange)
        return float("inf") if whole is None or cost.unknown else whole

    return bounded("max_cost", limit, standing)


def deadline(seconds: float) -> Policy:
    """At most so long since the question was asked, waiting for a person not counted; looked at before each reply, by the times in the record.

    A reply is taken to need as long as the steps so far did on average. Nothing ends before one reply was tried.
    """

    def standing(run: Run) -> Standing:
        spent = elapsed(run)
        mean = spent / run.steps if run.steps else 0.0
        return Standing(spent, mean, mean)

    return bounded("deadline", seconds, standing, sure=False)


# ── the end ───────────────────────────────────────────────────────────────────


def wrap_up(run: Run, reason: str) -> Nudged:
    """No more tools: the best answer is asked for. `by` says for which budget."""
    lang = run.asked.lang
    by = WRAP_UP if reason == "max_steps" else f"{WRAP_UP}:{reason}"
    return Nudged(say(lang, "wrap_up"), by, may_call=False, lead=say(lang, "wrap_up.lead"))


def closing(run: Run, reason: str) -> Verdict:
    """What comes after the wrap-up for this reason: the end with the answer that was given; where somebody objects to it, no tools either."""
    answer = run.proposed
    if answer is not None:
        return Ended(reason, answer, uncertain(run, answer, reason))
    if run.nudge is not None:
        return None if run.nudge.by.partition(":")[0] == WRAP_UP else wrap_up(run, reason)
    return give_up(run, reason) if _answered_to(run) else wrap_up(run, reason)


def until_wrapped(looks: Mapping[str, Policy]) -> Policy:
    """Policies, by their reasons, that look at a step whose calls have come back; once one has asked for the answer it closes, and none looks again."""

    def policy(run: Run) -> Verdict:
        if wrapped := wrapping(run):
            return closing(run, wrapped) if wrapped in looks else None
        return spoken(run) if isinstance(run.events[-1], Observed) and not run.pending else None

    spoken = first_of(*looks.values())
    return policy


def wrapping(run: Run) -> str:
    """The budget for which the answer was asked for already; empty where none was."""
    if run.last(Nudged) is None:  # as in most runs
        return ""
    by = next((nudge.by for nudge in run.all(Nudged) if nudge.by.partition(":")[0] == WRAP_UP), "")
    return by.partition(":")[2] or ("max_steps" if by else "")


def give_up(run: Run, reason: str) -> Ended:
    """The end, with the best answer that there is and what is uncertain about it; without one it says so."""
    best = best_answer(run)
    return Ended(reason, best, nothing(run, reason) if best is None else uncertain(run, best, reason))


def best_answer(run: Run) -> str | None:
    """The latest answer that was proposed, even if it was objected to."""
    return next((event.answer for event in reversed(list(run.all(Decided))) if event.answer is not None), None)


def _answered_to(run: Run) -> bool:
    """Whether the model has replied to the wrap-up; a server's refusal of tools is no reply."""
    for event in reversed(run.events):
        if isinstance(event, Nudged) and event.by.partition(":")[0] == WRAP_UP:
            return False
        if isinstance(event, Replied) and event.reply.finish != NO_TOOLS:
            return True
        if isinstance(event, Misread) and event.reason != NO_TOOLS:
            return True
    return False


def _counted(count: Callable[[Run], int]) -> Callable[[Run], Standing]:
    return lambda run: Standing(count(run), 1, 1)


def _priced(price: Any, usage: Usage, at: float) -> Cost:
    amount = None if price is None else price.of(usage, max(at, 0.0))
    if amount is None:
        return Cost(unknown=1)
    return Cost({price.currency: amount} if price.currency else {})


def _minus(a: Number, b: Number) -> Number:
    """The difference of two numbers of which one may be exact and the other infinite."""
    return float(a) - float(b) if isinstance(a, float) or isinstance(b, float) else a - b


def _part(limit: Number, share: float) -> Number:
    return limit * Decimal(str(share)) if isinstance(limit, Decimal) else limit * share
