"""The same request again is not paid for again."""

from collections import OrderedDict
from collections.abc import MutableMapping
from dataclasses import replace

from tao.messages import Reply, Request, Usage
from tao.seams import Hear, Model
from tao.wrappers.models.around import Around, name_of

WHOLE = frozenset({"stop", "tool_calls"})
"""How a reply ends that is kept: one that was cut off or refused is not."""
FREE = Usage(0, 0, 0, 0)


class Latest(OrderedDict[str, Reply]):
    """At most so many replies, the latest used; older ones are let go of."""

    def __init__(self, most: int = 1000) -> None:
        super().__init__()
        self.most = most

    def __setitem__(self, key: str, value: Reply) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        while len(self) > self.most:
            self.popitem(last=False)

    def __getitem__(self, key: str) -> Reply:
        self.move_to_end(key)
        return super().__getitem__(key)


def cached(model: Model, store: MutableMapping[str, Reply] | None = None, *, settings: str = "") -> Model:
    """Give a reply again where the same model was asked the very same; its tokens count as 0 and its time as 0 s.

    The key is the model's name, `settings` (whatever else changes its answers: seed, thinking …) and the request's digest, which
    covers messages, tools, grammar, stop words, temperature and limits. A reply that was stopped early by its listener is
    kept for requests that are listened to in the same way, so it is keyed apart.
    """
    kept: MutableMapping[str, Reply] = Latest() if store is None else store

    async def answer(request: Request, hear: Hear | None = None) -> Reply:
        key = "\n".join([name_of(model), settings, request.digest(), *(["heard"] if hear else [])])
        if key in kept:
            reply = kept[key]
            if hear and reply.text:
                hear(reply.text)
            return replace(reply, usage=FREE, seconds=0.0, first_token=None)
        reply = await model(request, hear)
        if reply.finish in WHOLE:
            kept[key] = reply
        return reply

    return Around(answer, model)
