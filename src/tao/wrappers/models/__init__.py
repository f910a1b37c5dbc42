"""Wrappers of a Model: each takes a model and gives a model. `surviving` puts the usual ones together."""

from collections.abc import Iterable

from tao.seams import Model
from tao.wrappers.models.around import Around
from tao.wrappers.models.breaker import Circuits, breaker
from tao.wrappers.models.cache import cached
from tao.wrappers.models.fallback import fallback
from tao.wrappers.models.hedge import hedged
from tao.wrappers.models.rate import rate_limited
from tao.wrappers.models.retry import retry
from tao.wrappers.models.timeout import timeout

__all__ = ["Around", "Circuits", "breaker", "cached", "fallback", "hedged", "rate_limited", "retry", "surviving", "timeout"]


def surviving(
    model: Model, others: Iterable[Model] = (), *, attempts: int = 3, whole: float | None = None,
    requests_per_minute: float | None = None, tokens_per_minute: float | None = None, circuits: Circuits | None = None,
) -> Model:
    """The model as production wants it: retried, paced, behind a circuit breaker and within its time; then the `others` in turn.

    `whole` is seconds for one attempt (None: as the model has it); `circuits` is shared by models of several agents.
    """
    shared = circuits or Circuits()

    def hardened(one: Model) -> Model:
        timed = one if whole is None else timeout(one, whole=whole)
        return retry(rate_limited(breaker(timed, shared), requests=requests_per_minute, tokens=tokens_per_minute), attempts)

    every = [hardened(model), *map(hardened, others)]
    return fallback(every) if len(every) > 1 else every[0]
