"""A model that keeps failing is left alone for a while, so that a fallback answers at once instead of after every timeout."""

import time
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, replace

from tao.errors import Refused, TooLong, ToolsUnsupported, Transient, both
from tao.messages import Reply, Request
from tao.seams import Hear, Model
from tao.wrappers.models.around import Around, name_of


@dataclass(frozen=True, slots=True)
class Circuit:
    """Failures in a row; since when it is open (seconds of the clock; None: closed); whether a probe is on its way."""

    failures: int = 0
    opened: float | None = None
    probing: bool = False


class LeftAlone(Transient):
    """Nothing was sent: the model's circuit is open, for `retry_after` seconds more."""


class Circuits(dict[str, Circuit]):
    """The circuits of several models, by name. Any mapping does that is shared between those who should know of each other."""


def breaker(
    model: Model, circuits: MutableMapping[str, Circuit] | None = None, *, failures: int = 5, pause: float = 30.0,
    clock: Callable[[], float] = time.monotonic,
) -> Model:
    """After so many Transient failures in a row, raise LeftAlone at once for `pause` seconds; then let one call through to see.

    Its success closes the circuit, its failure opens it again. An answer that the model understood and refused (Refused,
    TooLong, ToolsUnsupported) is no failure. A call that is cancelled says nothing.
    """
    shared = Circuits() if circuits is None else circuits
    name = name_of(model)

    async def answer(request: Request, hear: Hear | None = None) -> Reply:
        probe = _enter()
        try:
            reply = await model(request, hear)
        except Transient:
            seen = shared.get(name, Circuit())
            failed = seen.failures + 1
            shared[name] = Circuit(failed, clock() if probe or failed >= failures else seen.opened)
            raise
        except (Refused, TooLong, ToolsUnsupported):
            shared[name] = Circuit()
            raise
        except BaseException:
            if probe:
                shared[name] = replace(shared.get(name, Circuit()), probing=False)
            raise
        shared[name] = Circuit()
        return reply

    def _enter() -> bool:
        """Whether this call is the probe of an open circuit; raises where it may not go through."""
        circuit = shared.get(name, Circuit())
        if circuit.opened is None:
            return False
        left = circuit.opened + pause - clock()
        if left <= 0 and not circuit.probing:
            shared[name] = replace(circuit, probing=True)
            return True
        left = max(left, 1.0)
        raise LeftAlone(
            both(f"{name}: failed {circuit.failures} times in a row and is left alone for {left:.0f} s", f"{name}：已连续失败 {circuit.failures} 次，{left:.0f} 秒内不再调用"), left,
        )

    return Around(answer, model)
