"""Calls counted for rates in a place that several processes share: Redis, Valkey, Memcached, MongoDB, through the package `limits`.

Within one process `tao.wrappers.rate_limit.WindowsInMemory` is enough, and cheaper.
"""

import time
from collections.abc import Sequence
from typing import Any, Protocol

from tao.errors import ConfigError, StoreError, both


class Rated(Protocol):
    """So many calls in any so many seconds."""

    @property
    def count(self) -> int: ...  # noqa: D102
    @property
    def seconds(self) -> float: ...  # noqa: D102


class SharedWindows:
    """Moving windows at an address that `limits` knows ("redis://host:6379"). Opened at the first call.

    Several windows are looked at before one call is counted in all of them; a process that comes between may make this one
    wait, never let one too many through. Raises ConfigError where the package or the address is missing something, and
    StoreError where the place does not answer.
    """

    def __init__(self, address: str) -> None:
        self.address = address if address.startswith("async+") else f"async+{address}"
        self._limiter: Any = None

    async def take(self, wanted: Sequence[tuple[str, Rated]]) -> float:
        """Count one call under each key and give 0, or count none that would be too many and give the seconds to wait."""
        limits = _library()
        items = [(limits.RateLimitItemPerSecond(one.count, max(1, round(one.seconds)), "tao"), key) for key, one in wanted]
        if self._limiter is None:
            self._limiter = _opened(limits, self.address)
        try:
            full = [pair for pair in items if not await self._limiter.test(*pair)]
            full = full or [pair for pair in items if not await self._limiter.hit(*pair)]
            ends = [(await self._limiter.get_window_stats(*pair)).reset_time for pair in full]
        except limits.errors.StorageError as error:
            raise StoreError(both(
                f"calls cannot be counted at {self.address}: {error.storage_error}", f"无法在 {self.address} 统计调用次数：{error.storage_error}",
            )) from error  # fmt: skip
        return max(0.05, max(ends) - time.time()) if ends else 0.0


def _opened(limits: Any, address: str) -> Any:
    try:
        storage = limits.storage.storage_from_string(address, wrap_exceptions=True)
        return limits.aio.strategies.MovingWindowRateLimiter(storage)
    except (limits.errors.ConfigurationError, NotImplementedError, ImportError, ValueError) as error:
        raise ConfigError(both(
            f"calls cannot be counted at {address}: {error}; give an address such as redis://host:6379, and install its client",
            f"无法在 {address} 统计调用次数：{error}；请给出 redis://host:6379 这样的地址，并安装相应的客户端",
        )) from error  # fmt: skip


def _library() -> Any:
    """The package `limits`. Raises ConfigError where it is not installed."""
    try:
        import limits.aio.strategies  # noqa: PLC0415 - optional: loaded on first use, only here
    except ImportError as error:
        raise ConfigError(both(
            "rates that several processes share need the extra `rates`: pip install 'tao-agent[rates]'",
            "多个进程共享的频率需要安装附加组件 `rates`：pip install 'tao-agent[rates]'",
        )) from error  # fmt: skip
    return limits
