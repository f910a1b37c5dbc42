"""How long a server asks us to wait, as its headers say it. Standard library only."""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds by `retry-after-ms`, else by `Retry-After` (RFC 9110, 10.2.3: seconds or a date); None where neither can be read.

    A date is counted from `now`, by default this moment; what lies in the past is no wait.
    """
    low = {key.lower(): value for key, value in headers.items() if key.lower().startswith("retry-after")}
    for name, part in (("retry-after-ms", 1000), ("retry-after", 1)):
        with suppress(ValueError):
            if name in low:
                return seconds(low[name], now) / part
    return None


def seconds(text: str, now: datetime | None = None) -> float:
    """A number of seconds, or those from `now` until an HTTP date. Raises ValueError for anything else."""
    plain = text.strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", plain):
        return float(plain)
    try:
        date = parsedate_to_datetime(plain)
    except (TypeError, IndexError, OverflowError) as error:
        raise ValueError(plain) from error
    moment = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
