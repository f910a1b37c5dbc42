from datetime import UTC, datetime

import pytest

from tao.waits import retry_after, seconds

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "wanted"),
    [
        ({"Retry-After": "12"}, 12.0), ({"retry-after": " 0.5 "}, 0.5), ({"retry-after-ms": "1500", "Retry-After": "2"}, 1.5),
        ({"RETRY-AFTER": "Mon, 30 Nov 2026 12:00:30 GMT"}, 30.0), ({"Retry-After": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0.0),
        ({"Retry-After": "Monday, 30-Nov-26 12:01:00 GMT"}, 60.0), ({"Retry-After": "Mon, 30 Nov 2026 12:00:05 -0000"}, 5.0),
        ({"Retry-After": "soon"}, None), ({"Retry-After": ""}, None), ({"Retry-After": "-5"}, None), ({"Retry-After": "inf"}, None),
        ({"Retry-After": "nan"}, None), ({"Retry-After": "1e99"}, None), ({"Retry-After": "9" * 400}, None), ({"Retry-After": "٣"}, None),
        ({"Retry-After": "Mon, 99 Nov 2026 12:00:30 GMT"}, None), ({"Retry-After": "Mon, 30 Nov 99999 12:00:30 GMT"}, None), ({}, None),
        ({"X-Retry-After": "3"}, None),
    ],
)  # fmt: skip
def test_waits_as_servers_write_them(headers, wanted):
    assert retry_after(headers, NOW) == wanted


def test_without_a_moment_it_counts_from_now():
    assert seconds("Fri, 01 Jan 2100 00:00:00 GMT") > 10**9
    with pytest.raises(ValueError, match=r"^Invalid date value or format \"later\"$|^later$"):
        seconds("later")
