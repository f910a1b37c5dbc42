"""A user's own checks of an answer: `Run → objection | None`, pure and quick. `run.proposed` is the answer."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from tao.errors import ConfigError, both
from tao.events import Ended, Nudged
from tao.policies.texts import say
from tao.run import Run
from tao.seams import Policy

Check = Callable[[Run], str | None]
BY = "check:"
"""How `Nudged.by` begins where a check objects; its name follows."""
MOST_TIMES = 2


def checked(policy: Policy, checks: Iterable[Check], times: int = 1) -> Policy:
    """The policy, and what it lets through is looked at by these checks.

    An objection is said to the model, of each check at most `times` times (1 or 2). An answer that is objected to after that
    stands, and the end's `detail` says so. Raises ConfigError for checks that cannot be called, and where one gives no text.
    """
    named = _named(checks)
    if not 1 <= times <= MOST_TIMES:
        raise ConfigError(both(f"a check may object 1 or 2 times, not {times}", f"每项检查可提出 1 至 2 次异议，而不是 {times} 次"))

    def decide(run: Run) -> Nudged | Ended | None:
        verdict, answer = policy(run), run.proposed
        if answer is None or isinstance(verdict, Nudged):
            return verdict
        said = [nudge.by for nudge in run.all(Nudged)]
        found = {name: text for name, check in named.items() if (text := _objection(name, check, run))}
        if verdict is None:
            for name, text in found.items():
                if said.count(BY + name) < times:
                    return Nudged(text, BY + name)
        if not found:
            return verdict
        detail = say(run.asked.lang, "stands", objections="; ".join(f"{name}: {text}" for name, text in found.items()))
        ended = verdict if isinstance(verdict, Ended) else Ended("answered", answer)
        return replace(ended, detail=f"{ended.detail} {detail}".strip())

    return decide if named else policy


def _named(checks: Iterable[Any]) -> dict[str, Check]:
    """The checks by name; of several with one name, all but the first are numbered."""
    named: dict[str, Check] = {}
    for check in checks:
        if not callable(check) or inspect.iscoroutinefunction(check):
            raise ConfigError(both(
                f"a check is {check!r}; wanted: a plain function that takes a Run and returns an objection or None",
                f"检查为 {check!r}；应为普通函数，接收 Run，返回异议文字或 None",
            ))  # fmt: skip
        base = str(getattr(check, "__name__", type(check).__name__))
        name = next(name for name in (base, *(f"{base}-{number}" for number in range(2, 1000))) if name not in named)
        named[name] = check
    return named


def _objection(name: str, check: Check, run: Run) -> str:
    text = check(run)
    if text is None:
        return ""
    if not isinstance(text, str):
        raise ConfigError(both(
            f"the check {name!r} returned {text!r}; wanted: the objection as a text, or None", f"检查 {name!r} 返回了 {text!r}；应为异议文字或 None",
        ))  # fmt: skip
    return text.strip()
