"""Replies that cannot be read, several in a row: after twice as many as change the dialect, the run stops."""

from tao.events import Ended
from tao.policies.limits import best_answer
from tao.policies.texts import say
from tao.run import Run
from tao.seams import Policy


def misreads(limit: int = 2) -> Policy:
    """`limit` in a row let the dialect change (see dialects/auto.py); as many again end the run with its best answer."""

    def policy(run: Run) -> Ended | None:
        if run.misreads >= 2 * limit:
            return Ended("misreads", best_answer(run), say(run.asked.lang, "no_answer"))
        return None

    return policy
