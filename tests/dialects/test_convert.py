"""Untyped text by the schema: what is not certain stays text, for validation to refuse."""

import pytest

from tao.dialects.convert import convert


@pytest.mark.parametrize(("text", "kind", "value"), [
    ("42", "integer", 42), ("3.0", "integer", 3), ("1.000", "integer", "1.000"), ("-12.000", "integer", "-12.000"), ("0.000", "integer", 0), ("1234.000", "integer", 1234),
    ("1.000", "number", 1.0), ("1.234", "integer", 1.234), ("1,000", "integer", "1,000"), ("1.000", "string", "1.000"),
])  # fmt: skip
def test_numbers(text, kind, value):
    found = convert(text, {"type": kind})
    assert (found, type(found)) == (value, type(value))
