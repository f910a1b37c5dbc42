"""Which models may answer a run from here on, by name: what a budget of money reckons with."""

from collections.abc import Callable

from tao.events import Replied
from tao.prices import answered_by
from tao.routing.route import sorting
from tao.routing.routed import Which
from tao.run import Run

Turn = Callable[[Run], tuple[str, ...]]
"""The models that may answer; the one whose turn it is stands first."""


def turn(which: Which | None, large: str = "", sorter: str = "") -> Turn:
    """`which` says who of a cascade answers, `large` is its large model, `sorter` a model that only sorts the question.

    A model that another one stood in for last time is expected to be stood in for again.
    """
    rules = which or Which(())

    def names(run: Run) -> tuple[str, ...]:
        own = {False: run.asked.model, True: large}
        for place, by_large in rules.replies(run):
            event = run.events[place]
            assert isinstance(event, Replied)
            if not (place + 1 < len(run.events) and sorting(run.events[place + 1])):
                own[by_large] = answered_by(run, event)
        now = rules(run)
        others = () if which is None or (now and rules.stay) else (own[not now],)
        first = (sorter,) if sorter and run.last(Replied) is None and run.nudge is None and not run.asked.images else ()
        return (*first, own[now], *others)

    return names
