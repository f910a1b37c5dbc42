"""When the large model answers: rules on what happened in the run so far. Pure; a rule of one's own is any `Run → bool`."""

import re
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches

from tao.errors import ConfigError, both
from tao.policies.limits import WRAP_UP
from tao.policies.reckoning import coming
from tao.policies.reflect import call_failed
from tao.routing.route import route
from tao.run import Run

Rule = Callable[[Run], bool]
"""Whether the large model is to give the next reply of this run."""
HAND_OVER = "cascade"
"""Who asks for the final answer of the large model, in `Nudged.by`."""


def first_step(run: Run) -> bool:
    """Nothing was answered yet: the large model lays out the way."""
    return run.steps == 0


def after_misread(run: Run) -> bool:
    """The last reply could not be read."""
    return run.misreads > 0


def after_failed_tool(run: Run) -> bool:
    """One of the calls that came back last went wrong."""
    return call_failed(run)


def after_objection(run: Run) -> bool:
    """A policy spoke up: the answer does not hold, a call was repeated … (not: a budget is near its end)."""
    nudge = run.nudge
    return nudge is not None and nudge.by.partition(":")[0] not in {WRAP_UP, HAND_OVER, "reflect"}


def reflection(run: Run) -> bool:
    """The run is to look back on what it did."""
    return run.nudge is not None and run.nudge.by.partition(":")[0] == "reflect"


def final_answer(run: Run) -> bool:
    """Only the answer is left to be given: the small model has proposed one (see `handing_over`), or a budget is near its end."""
    nudge = run.nudge
    return nudge is not None and (nudge.by == HAND_OVER or (nudge.may_answer and not nudge.may_call))


def planned(run: Run) -> bool:
    """Triage said that the question takes several steps that build on each other."""
    way = route(run)
    return way is not None and way.way == "plan"


def longer_than(tokens: int) -> Rule:
    """The next prompt will take more tokens than this, as far as it can be told beforehand."""

    def longer(run: Run) -> bool:
        return (coming(run).prompt or 0) > tokens

    longer.__name__ = f"longer_than:{tokens}"
    return longer


RULES: Mapping[str, Rule] = {
    rule.__name__: rule for rule in (first_step, after_misread, after_failed_tool, after_objection, reflection, planned, final_answer)
}
LONGER = re.compile(r"longer_than:\s*([1-9]\d*)")
USUAL = ("after_misread", "after_failed_tool", "after_objection")
"""The rules of a cascade that names none: the small model goes on until it stumbles."""


def rules(when: Iterable[str | Rule], own: Mapping[str, Rule] | None = None) -> tuple[Rule, ...]:
    """The rules of these names ("first_step", "longer_than:4000" …), functions as they are; `own` knows further names.

    Raises ConfigError for a name that is no rule.
    """
    return tuple(rule if callable(rule) else _named(rule.strip(), own or {}) for rule in when)


def name_of(rule: Rule) -> str:
    """What a rule is called in the record."""
    return str(getattr(rule, "__name__", type(rule).__name__))


def _named(name: str, own: Mapping[str, Rule]) -> Rule:
    if found := LONGER.fullmatch(name):
        return longer_than(int(found[1]))
    if name in RULES or name in own:
        return RULES.get(name) or own[name]
    near = get_close_matches(name, [*RULES, "longer_than"], 1, 0.6)
    hint, hint_zh = (f"; did you mean {near[0]!r}?", f"；是否想写 {near[0]!r}？") if near else ("", "")
    known = ", ".join([*RULES, "longer_than:TOKENS"])
    text = both(
        f"cascade: {name!r} is no rule{hint}. There are: {known}; a rule of your own is a function, and is given to `cascade` in Python",
        f"cascade：没有名为 {name!r} 的规则{hint_zh}可用：{known}；自己的规则是函数，请在 Python 中传给 `cascade`",
    )
    raise ConfigError(text)
