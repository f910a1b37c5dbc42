"""Harmless readings: the same value in another form ("４２" is 42, "2025/3/4" is 2025-03-04). Nothing is guessed.

Each reader takes what came and gives the value, or None where it is not certain. No reader returns None as a value.
"""

import datetime as dt
import json
import math
import re
import unicodedata
import uuid
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from tao.messages import doubled, paired

YES = frozenset({"true", "yes", "1", "是", "对", "真"})
NO = frozenset({"false", "no", "0", "否", "不是", "假"})
NOTHING = frozenset({"null", "none", "nil", "空", "无"})
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip

_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?(?:[eE][+-]?\d{1,3})?|[+-]?\.\d+")
_GROUPED = re.compile(r"[+-]?(\d{1,3})([.,])(\d{3})")
"""One mark before three digits: a thousand and more in one country, a fraction in the next."""
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_YEAR_FIRST = re.compile(r"(\d{4})(?:\s?[-/.]\s?(\d{1,2})\s?[-/.]\s?(\d{1,2})|\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?[日号]?|(\d{2})(\d{2}))")
_DAY_MONTH = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?([a-z]{3,9})\.?,?\s+(\d{4})", re.IGNORECASE)
_MONTH_DAY = re.compile(r"([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})", re.IGNORECASE)
_TIME = re.compile(r"(\d{1,2})[:：](\d{2})(?:[:：](\d{2})(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?", re.IGNORECASE)


def narrow(text: str) -> str:
    """Full-width characters made ordinary, outer space gone."""
    return unicodedata.normalize("NFKC", text).replace("−", "-").strip()


def number(value: Any) -> int | float | None:
    """A number in any usual writing: full-width digits, thousands separators, an exponent; finite only.

    "1.234" is as JSON has it; "1,234" is not certain, and "1,234,567" and "1,234.5" are.
    """
    if isinstance(value, str) and len(value) <= 400 and _NUMBER.fullmatch(plain := narrow(value)):
        if (found := _GROUPED.fullmatch(plain)) and found[2] == ",":
            return None
        exact = Decimal(plain.replace(",", ""))
        if exact == exact.to_integral_value() and abs(exact.adjusted()) <= 400:
            return int(exact)
        rounded = float(exact)
        return rounded if math.isfinite(rounded) else None
    return None


def integer(value: Any) -> int | None:
    """A whole number: 3.0 and "3.0" are, 3.5 is not. "1.000" and "1,000" may be 1 or 1000; "1,234" can only be 1234."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else None
    plain = narrow(value) if isinstance(value, str) and len(value) <= 400 else ""
    if (found := _GROUPED.fullmatch(plain)) and found[1][0] != "0":
        return int(plain.replace(",", "")) if found[2] == "," and found[3] != "000" else None
    read = number(value)
    return read if isinstance(read, int) else None


def is_decimal(value: Any) -> bool:
    """Whether a text is a finite decimal number as it stands."""
    try:
        return isinstance(value, str) and Decimal(value).is_finite() and value == value.strip() and "_" not in value
    except InvalidOperation:
        return False


def boolean(value: Any) -> bool | None:
    """Yes or no, as a word or as 1 and 0."""
    word = narrow(value).lower() if isinstance(value, str) else str(value) if type(value) is int else ""
    return True if word in YES else False if word in NO else None


def multiple(number: float, step: float) -> bool:
    """Whether it is so many steps; whole numbers exactly, however large, others up to rounding."""
    if isinstance(number, int) and isinstance(step, int):
        return number % step == 0
    try:
        return math.isclose(number / step, round(number / step), rel_tol=0, abs_tol=1e-9)
    except OverflowError:  # larger than a float
        return Fraction(number) % Fraction(str(step)) == 0


def string(value: Any) -> str | None:
    """A whole number as text. A fraction is not read: 1.10 would have become 1.1 on the way."""
    return str(value) if type(value) is int else None


def structure(value: Any, kind: type) -> Any:
    """A list or object that was written as JSON text; one with a key that has two values is none."""
    if isinstance(value, str) and value.strip()[:1] == ("[" if kind is list else "{"):
        try:
            read = json.loads(value, strict=False, object_pairs_hook=paired)
        except (ValueError, RecursionError):
            return None
        return read if isinstance(read, kind) and doubled(read) is None else None
    return None


def is_date(value: str) -> bool:
    """Whether it is a real day as YYYY-MM-DD."""
    return bool(_ISO_DATE.fullmatch(value)) and date(value) is not None


def date(value: Any) -> str | None:
    """A full date in any unambiguous form, as YYYY-MM-DD; 03/04/2025 is not, the year must come first or the month be a word."""
    text = narrow(value) if isinstance(value, str) else ""
    text = re.sub(r"[T ]00:00(?::00)?(?:\.0+)?Z?$", "", text)
    if match := _YEAR_FIRST.fullmatch(text):
        year, month, day = (int(part) for part in match.groups() if part)
    elif match := _DAY_MONTH.fullmatch(text):
        year, month, day = int(match.group(3)), _month(match.group(2)), int(match.group(1))
    elif match := _MONTH_DAY.fullmatch(text):
        year, month, day = int(match.group(3)), _month(match.group(1)), int(match.group(2))
    else:
        return None
    try:
        return dt.date(year, month, day).isoformat()
    except ValueError:
        return None


def _month(word: str) -> int:
    found = [at for at, name in enumerate(MONTHS, 1) if name.startswith(word.lower()) or word.lower() == name[:3] + "t"]
    return found[0] if len(found) == 1 else 0


def time(value: Any) -> str | None:
    """A time of day as HH:MM:SS."""
    match = _TIME.fullmatch(narrow(value)) if isinstance(value, str) else None
    if match is None:
        return None
    hour, minute, second, rest, zone = match.groups()
    try:
        dt.time(int(hour), int(minute), int(second or 0))
    except ValueError:
        return None
    return f"{int(hour):02}:{minute}:{second or '00'}{rest or ''}{(zone or '').upper()}"


def moment(value: Any) -> str | None:
    """A date with a time of day as YYYY-MM-DDTHH:MM:SS; a date alone is not enough, midnight would be a guess."""
    match = re.fullmatch(r"(.+?)(?:\s*[T日号]\s*|\s+)(\d{1,2}[:：].+)", narrow(value)) if isinstance(value, str) else None
    if match is None:
        return None
    day, clock = date(match.group(1)), time(match.group(2).strip())
    return f"{day}T{clock}" if day and clock else None


def identifier(value: Any) -> str | None:
    """A UUID in its usual form."""
    try:
        return str(uuid.UUID(narrow(value))) if isinstance(value, str) else None
    except ValueError:
        return None


FORMATS = {"date": date, "time": time, "date-time": moment, "uuid": identifier}
"""Readers of texts whose schema names a format; a text that a reader gives back unchanged is valid as it is."""


def is_moment(value: str) -> bool:
    """Whether it is a date with a time, zone or none, as ISO 8601 has it."""
    try:
        dt.datetime.fromisoformat(value)
    except ValueError:
        return False
    return len(value) > len("2025-01-31")


def fits_format(name: str, value: str) -> bool:
    """Whether a text is in this format as it stands; formats that are not known here fit."""
    if name == "date-time":
        return is_moment(value)
    if name == "decimal":
        return is_decimal(value)
    if name == "uuid":
        return identifier(value) is not None and len(value) in {32, 36}
    if name == "time":
        return time(value) is not None and value[1:2] not in ":："
    return is_date(value) if name == "date" else True
