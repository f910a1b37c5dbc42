"""No reply takes for ever."""

import asyncio

from tao.errors import ConfigError, Transient, both
from tao.messages import Reply, Request
from tao.seams import Hear, Model
from tao.wrappers.models.around import Around, name_of


def timeout(model: Model, *, whole: float | None = None, first: float | None = None) -> Model:
    """Give up after `whole` seconds, or where nothing was heard within `first` seconds while somebody listens.

    What was begun is cancelled, which closes its connection. Raises Transient then, and ConfigError for a time of 0 or less.
    """
    if any(seconds is not None and seconds <= 0 for seconds in (whole, first)):
        raise ConfigError(both(f"a timeout must be more than 0 seconds, not {whole}, {first}", f"超时必须大于 0 秒，而不是 {whole}、{first}"))

    async def answer(request: Request, hear: Hear | None = None) -> Reply:
        loop = asyncio.get_running_loop()
        end = None if whole is None else loop.time() + whole
        soon = None if first is None or hear is None else loop.time() + first
        waiting = soon is not None and (end is None or soon < end)

        def listen(text: str) -> bool:
            nonlocal waiting
            if waiting:
                waiting = False
                scope.reschedule(end)
            return hear(text) if hear else False

        try:
            async with asyncio.timeout_at(soon if waiting else end) as scope:
                return await model(request, listen if hear else None)
        except TimeoutError as error:
            if not scope.expired():
                raise
            seconds, what, was = (first, "nothing", "没有回应") if waiting else (whole, "not finished", "没有完成")
            name = name_of(model) or "model"
            raise Transient(both(f"{name}: {what} within {seconds:g} s", f"{name}：{seconds:g} 秒内{was}")) from error

    return Around(answer, model)
