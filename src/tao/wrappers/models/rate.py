"""Not faster than the provider allows: requests and tokens a minute, as set and as its own headers say."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from weakref import WeakKeyDictionary

from tao.errors import ConfigError, both
from tao.messages import Reply, Request
from tao.seams import Hear, Model
from tao.wrappers.models.around import Around
from tao.wrappers.truncate import cost

WINDOW = 60.0
OUTPUT_GUESS = 300
"""Tokens that a reply is taken to need before it is there."""


class Pace:
    """What was sent within the last minute, in requests and tokens: reserved before a call, settled after it."""

    def __init__(self, requests: float | None, tokens: float | None, clock: Callable[[], float]) -> None:
        self.requests, self.tokens, self.clock = requests, tokens, clock
        self.sent: deque[list[float]] = deque()
        self.closed_until = 0.0
        self.heard: tuple[int, float] | None = None

    def wait(self, cost: float) -> float:
        """Seconds until a request of so many tokens may go; 0: now. One that is larger than the whole limit goes alone."""
        now = self.clock()
        while self.sent and self.sent[0][0] <= now - WINDOW:
            self.sent.popleft()
        waits = [self.closed_until - now]
        if self.requests is not None and len(self.sent) >= self.requests:
            waits.append(self.sent[-int(self.requests)][0] + WINDOW - now)
        if self.tokens is not None and self.sent:
            over = sum(tokens for _, tokens in self.sent) + min(cost, self.tokens) - self.tokens
            for at, tokens in self.sent:
                if over <= 0:
                    break
                waits.append(at + WINDOW - now)
                over -= tokens
        return max(0.0, *waits)

    def reserve(self, cost: float) -> list[float]:
        """Count a request in; settle it by changing its second number to the tokens that it took."""
        self.sent.append([self.clock(), cost])
        return self.sent[-1]

    def learn(self, allowance: tuple[int, float] | None) -> None:
        """What the server says is left (requests, or tokens), and in how many seconds there will be more; said once, it counts once."""
        if allowance is not None and allowance is not self.heard and allowance[0] <= 0:
            self.closed_until = max(self.closed_until, self.clock() + min(allowance[1], WINDOW))
        self.heard = allowance


def rate_limited(
    model: Model, *, requests: float | None = None, tokens: float | None = None, clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> Model:
    """Wait before a request that would be one too many within a minute; those who wait go in the order in which they came.

    Tokens are estimated before (text length, and a reply of usual length) and counted as the server did after. Where the
    model has an `allowance` (what the server's rate-limit headers said last), nothing is sent while it is used up.
    Raises ConfigError for a limit below 1.
    """
    if any(limit is not None and limit < 1 for limit in (requests, tokens)):
        raise ConfigError(both(f"a rate must be 1 a minute or more, not {requests}, {tokens}", f"速率必须不小于每分钟 1，而不是 {requests}、{tokens}"))
    pace = Pace(requests, tokens, clock)
    turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    async def answer(request: Request, hear: Hear | None = None) -> Reply:
        tokens_guessed = estimate(request)
        async with turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            pace.learn(getattr(model, "allowance", None))
            while (seconds := pace.wait(tokens_guessed)) > 0:
                await sleep(seconds)
            entry = pace.reserve(tokens_guessed)
        try:
            reply = await model(request, hear)
        finally:
            pace.learn(getattr(model, "allowance", None))
        if reply.usage.prompt is not None:
            entry[1] = reply.usage.prompt + (reply.usage.completion or 0)
        return reply

    return Around(answer, model)


def estimate(request: Request) -> float:
    """About how many tokens the request and a reply of usual length are."""
    return sum(cost(message.content) for message in request.messages) + min(request.max_tokens or OUTPUT_GUESS, OUTPUT_GUESS)
