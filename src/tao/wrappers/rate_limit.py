"""How often tools are called: at most so many calls in any stretch of time, of a tool, by a user, for a tenant."""

import asyncio
import re
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from tao.errors import ConfigError, both
from tao.messages import Call, Observation
from tao.run import Run
from tao.seams import Act
from tao.wrappers.words import say, who

Scope = Literal["all", "user", "tenant"]
UNITS = {
    "s": 1, "sec": 1, "second": 1, "秒": 1, "m": 60, "min": 60, "minute": 60, "分": 60, "分钟": 60, "h": 3600, "hour": 3600, "小时": 3600,
    "d": 86400, "day": 86400, "天": 86400, "日": 86400,
}  # fmt: skip
FORM = re.compile(rf"(\d{{1,9}})\s*次?\s*(?:/|per|每)\s*(\d{{1,9}})?\s*({'|'.join(sorted(UNITS, key=len, reverse=True))})s?", re.IGNORECASE)
SWEEP = 1000
"""So many calls are counted between two clearings of what has passed."""


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `count` calls in any `seconds`."""

    count: int
    seconds: float


def rate(text: str) -> Rate:
    """A rate as people write it: "10/minute", "100 per 2 hours", "5/30s", "10次/分钟". Raises ConfigError."""
    found = FORM.fullmatch(text.strip())
    count, times, unit = found.groups() if found else ("0", None, "s")
    if int(count) < 1 or times == "0":
        raise ConfigError(both(
            f"{text!r} is no rate; wanted: a number of calls and a time, such as 10/minute, 100/hour or 5/30s",
            f"{text!r} 不是有效的频率；应为次数和时间，如 10/minute、100/hour、5/30s",
        ))  # fmt: skip
    return Rate(int(count), int(times or 1) * UNITS[unit.lower()])


class Windows(Protocol):
    """Where calls are counted."""

    async def take(self, wanted: Sequence[tuple[str, Rate]]) -> float:
        """Count one call under each of these keys and give 0; where one is full, count none and give the seconds until it is not."""


class WindowsInMemory:
    """The times of calls in this process, each kept as long as it counts."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._times: dict[str, tuple[Rate, deque[float]]] = {}
        self._lock = threading.Lock()
        self._taken = 0

    async def take(self, wanted: Sequence[tuple[str, Rate]]) -> float:
        """Count one call under each key, or none."""
        now = self._clock()
        with self._lock:
            windows = [self._window(key, one, now) for key, one in wanted]
            full = [times[len(times) - one.count] + one.seconds - now for (_, one), times in zip(wanted, windows, strict=True) if len(times) >= one.count]
            if full:
                return max(full)
            for times in windows:
                times.append(now)
            self._taken += 1
            if self._taken % SWEEP == 0:
                self._times = {key: kept for key, kept in self._times.items() if kept[1] and kept[1][-1] + kept[0].seconds > now}
        return 0.0

    def _window(self, key: str, one: Rate, now: float) -> deque[float]:
        """The times that count now."""
        times = self._times.setdefault(key, (one, deque()))[1]
        while times and times[0] + one.seconds <= now:
            times.popleft()
        return times


def rate_limit(
    act: Act, rates: Mapping[tuple[str, Scope], Rate], windows: Windows | None = None, *, patience: float = 10.0,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> Act:
    """Let calls through no faster than `rates`, by tool and scope; the tool "" means all tools together.

    A call waits its turn for up to `patience` seconds; beyond that it is not run, and the observation ("rate_limited") says
    when it may be. Who the user and the tenant are stands in the run (settings, "who"); the unknown share one count.
    """
    counted = windows or WindowsInMemory()
    held = dict(rates)

    async def paced(call: Call, run: Run) -> Observation:
        whose = {"all": "", **{scope: who(run).get(scope, "") for scope in ("user", "tenant")}}
        wanted = [(f"{name}:{scope}:{whose[scope]}", one) for (name, scope), one in held.items() if name in ("", call.tool)]
        waited = 0.0
        while wanted and (wait := await counted.take(wanted)) > 0:
            waited += wait
            if waited > patience:
                return _refused(call, run, wait)
            await sleep(wait)
        return await act(call, run)

    return paced if held else act


def _refused(call: Call, run: Run, wait: float) -> Observation:
    text = say(
        run,
        f"{call.tool} was not run: it has been called too often, and may be called again in {wait:.0f} s. "
        "Go on without it, or answer with what you know and say what is missing.",
        f"没有执行 {call.tool}：调用过于频繁，{wait:.0f} 秒后可再调用。请先用其他办法，或根据已知信息回答并说明缺少什么。",
    )
    return Observation(text, ok=False, kind="rate_limited", data={"retry_after": round(wait, 1)})
