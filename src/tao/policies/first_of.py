"""Several policies as one: the first that speaks is heard."""

from tao.events import Ended, Nudged
from tao.run import Run
from tao.seams import Policy


def first_of(*policies: Policy) -> Policy:
    """Ask each in turn."""

    def policy(run: Run) -> Nudged | Ended | None:
        for one in policies:
            if (verdict := one(run)) is not None:
                return verdict
        return None

    return policy
