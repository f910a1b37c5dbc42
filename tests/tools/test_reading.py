import pytest

from tao.tools import reading


@pytest.mark.parametrize(
    ("came", "read"),
    [("42", 42), (" ４２ ", 42), ("-7", -7), ("−7", -7), ("1,234,567", 1234567), ("3.0", 3), ("3.5", 3.5), ("1e3", 1000), (".5", 0.5),
     ("1,234", None), ("-12,000", None), ("1.000", 1), ("1.234", 1.234), ("0,123", None), ("1,234.5", 1234.5), ("1234.000", 1234), ("１，２３４", None),
     ("1,23", None), ("1.2.3", None), ("", None), ("four", None), ("4 days", None), ("nan", None), ("inf", None), ("1e999", None),
     ("9" * 500, None), (5, None), (None, None), ("1_000", None), ("0x10", None)],
)  # fmt: skip
def test_number(came, read):
    assert reading.number(came) == read
    assert type(reading.number(came)) is type(read)


@pytest.mark.parametrize(("came", "read"), [
    (3.0, 3), (3.5, None), (1e300, None), ("3", 3), ("3.5", None), (True, None), ("3.0", 3), ("3.00", 3), ("1.000", None), ("-12.000", None), ("１．０００", None),
    ("1,000", None), ("1,234", 1234), ("1,000,000", 1000000), ("1.234", None), ("1.000.000", None), ("1000.000", 1000), ("0.000", 0), ("0,123", None), ("0,000", None), ("1.0000", 1), (1000.0, 1000),
])  # fmt: skip
def test_integer(came, read):
    assert reading.integer(came) == read


@pytest.mark.parametrize(
    ("came", "read"),
    [("true", True), ("TRUE", True), ("是", True), (1, True), ("1", True), ("no", False), ("否", False), (0, False), (2, None), ("maybe", None), (1.0, None)],
)
def test_boolean(came, read):
    assert reading.boolean(came) is read


@pytest.mark.parametrize(
    ("came", "read"),
    [("2025-03-04", "2025-03-04"), ("2025/3/4", "2025-03-04"), ("2025.03.04", "2025-03-04"), ("２０２５-０３-０４", "2025-03-04"),
     ("20250304", "2025-03-04"), ("2025年3月4日", "2025-03-04"), ("2025 年 3 月 4 号", "2025-03-04"), ("March 4, 2025", "2025-03-04"),
     ("4th of Mar 2025", "2025-03-04"), ("Sept 4 2025", "2025-09-04"), ("2025-03-04T00:00:00Z", "2025-03-04"), ("2025-03-04 00:00", "2025-03-04"),
     ("2025-02-30", None), ("03/04/2025", None), ("3月4日", None), ("2025-03-04 10:00", None), ("Ma 4 2025", None), ("tomorrow", None), (20250304, None)],
)  # fmt: skip
def test_date(came, read):
    assert reading.date(came) == read


@pytest.mark.parametrize(
    ("came", "read"),
    [("9:30", "09:30:00"), ("09：30：05", "09:30:05"), ("23:59:59.25", "23:59:59.25"), ("10:00z", "10:00:00Z"), ("25:00", None), ("9.30", None), (9, None)],
)
def test_time(came, read):
    assert reading.time(came) == read


@pytest.mark.parametrize(
    ("came", "read"),
    [("2025-03-04 9:30", "2025-03-04T09:30:00"), ("2025年3月4日 9:30", "2025-03-04T09:30:00"), ("2025/3/4T10:00:00+08:00", "2025-03-04T10:00:00+08:00"),
     ("2025-03-04", None), ("2025-03-04 25:00", None), ("soon 10:00", None), (5, None)],
)  # fmt: skip
def test_moment(came, read):
    assert reading.moment(came) == read


def test_identifier_structure_and_string():
    assert reading.identifier("{123E4567-E89B-12D3-A456-426614174000}") == "123e4567-e89b-12d3-a456-426614174000"
    assert reading.identifier("x") is None
    assert reading.identifier(5) is None
    assert reading.structure("[1,2]", list) == [1, 2]
    assert reading.structure('{"a": 1}', dict) == {"a": 1}
    assert reading.structure("[1,2", list) is None
    assert reading.structure('{"a": 1, "a": 2}', dict) is None
    assert reading.structure('[{"a": {"b": 1, "b": 2}}]', list) is None
    assert reading.structure('{"a": 1, "a": 1}', dict) == {"a": 1}
    assert reading.structure("{}", list) is None
    assert reading.structure("[" * 100000, list) is None
    assert reading.string(5) == "5"
    assert reading.string(1.1) is None
    assert reading.string(True) is None


@pytest.mark.parametrize(
    ("form", "text", "fits"),
    [("date", "2025-03-04", True), ("date", "2025-3-4", False), ("date", "2025-02-30", False), ("time", "09:30", True), ("time", "9:30", False),
     ("date-time", "2025-03-04T09:30:00Z", True), ("date-time", "2025-03-04", False), ("date-time", "later", False), ("decimal", "1.50", True),
     ("decimal", "1_0", False), ("decimal", "NaN", False), ("decimal", "x", False), ("uuid", "123e4567-e89b-12d3-a456-426614174000", True),
     ("uuid", "{123e4567-e89b-12d3-a456-426614174000}", False), ("postcode", "anything", True)],
)  # fmt: skip
def test_fits_format(form, text, fits):
    assert reading.fits_format(form, text) is fits
