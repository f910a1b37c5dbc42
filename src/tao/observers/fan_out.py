"""One `Emit` that tells several: the journal first and strictly, everybody else guarded."""

import logging

from tao.events import Event
from tao.run import Run
from tao.seams import Emit

LOG = logging.getLogger("tao.observers")


def fan_out(*emits: Emit) -> Emit:
    """Tell each in the given order; what one raises stops the rest and reaches the loop."""

    async def tell(run: Run, event: Event) -> None:
        for emit in emits:
            await emit(run, event)

    return emits[0] if len(emits) == 1 else tell


def guarded(emit: Emit) -> Emit:
    """An observer whose failure is logged and never touches the run."""

    async def tell(run: Run, event: Event) -> None:
        try:
            await emit(run, event)
        except Exception:
            LOG.exception("observer %r failed at %s of run %s", emit, type(event).__name__, run.id)

    return tell
