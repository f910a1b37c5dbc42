"""Wrappers of a Model: each takes a model and gives a model. `surviving` puts the usual ones together."""

from collections.abc import Iterable

from tao.seams import Model
from tao.wrappers.models.around import Around
from tao.wrappers.models.breaker import Circuits, breaker
from tao.wrappers.models.cache import Latest, cached
from tao.wrappers.models.fallback import fallback
from tao.wrappers.models.hedge import hedged
from tao.wrappers.models.rate import rate_limited
from tao.wrappers.models.retry import retry
from tao.wrappers.models.timeout import timeout

__all__ = ["Around", "Circuits", "breaker", "cached", "fallback", "hedged", "rate_limited", "repeating", "retry", "surviving", "timeout"]


def surviving(
    model: Model, others: Iterable[Model] = (), *, attempts: int = 3, whole: float | None = None, first: float | None = None,
    requests_per_minute: float | None = None, tokens_per_minute: float | None = None, circuits: Circuits | None = None,
    hedge: float | None = None, hedge_after: float | None = None,
) -> Model:
    """The model as production wants it: retried, paced, behind a circuit breaker and within its time; then the `others` in turn.

    `whole` is seconds for one attempt, `first` until something is heard (None: as the model has it); `circuits` is shared by
    models of several agents. `hedge` is a percentile, after which a second request is sent, and `hedge_after` the seconds that are
    waited before enough is known of it (see `hedged`); with one of them alone, the other is as usual.
    """
    shared = circuits or Circuits()

    def hardened(one: Model, *, replaced: bool) -> Model:
        timed = one if whole is None and first is None else timeout(one, whole=whole, first=first)
        tough = retry(rate_limited(breaker(timed, shared), requests=requests_per_minute, tokens=tokens_per_minute), attempts, replaced=replaced)
        return tough if hedge is None and hedge_after is None else hedged(tough, percentile=hedge or 95.0, after=hedge_after)

    chain = [model, *others]
    every = [hardened(one, replaced=place < len(chain)) for place, one in enumerate(chain, 1)]
    return fallback(every) if len(every) > 1 else every[0]


def repeating(model: Model, most: int, *, thinking: bool | None = None) -> Model:
    """The model, with its latest `most` replies kept for the very same requests (0: none); `thinking` is as it was set."""
    return cached(model, Latest(most), settings=f"thinking={thinking}") if most else model
