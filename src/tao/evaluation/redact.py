"""Taking private things out of runs: keys, mail addresses, phone numbers, numbers of identity cards and bank cards.

The same thing gets the same mark wherever it stands in a run (`<PHONE_1>`), so that a call still fits what was read before it.
What can be checked is (check digits), so that order numbers and amounts stay.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tao.events import from_json, to_json
from tao.run import Run

KEPT = frozenset({"v", "kind", "prompt", "args_hash", "at", "id", "call_id", "provider_id", "name", "tool", "finish", "model"})
"""Fields that hold names and marks of our own, not texts."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What one kind of private thing looks like. `sure` looks at a match more closely; `group` is the part that goes."""

    kind: str
    form: re.Pattern[str]
    sure: Callable[[str], bool] = lambda text: True  # noqa: ARG005
    group: int = 0


@dataclass
class Marks:
    """What was taken out so far, and the mark that stands for it."""

    known: dict[tuple[str, str], str] = field(default_factory=dict)

    def mark(self, kind: str, text: str) -> str:
        """The mark for this text."""
        bare = re.sub(r"[\s()（）.+-]", "", text).upper() if kind in {"PHONE", "CARD", "ID"} else text.lower()
        same = (kind, re.sub(r"^(?:00)?86(?=1\d{10}$)", "", bare))
        return self.known.setdefault(same, f"<{kind}_{1 + sum(one == kind for one, _ in self.known)}>")


def identity_card(text: str) -> bool:
    """A Chinese resident identity number: 17 digits with a date, and a check digit (GB 11643-1999)."""
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    total = sum(int(digit) * weight for digit, weight in zip(text, weights, strict=False))
    return "10X98765432"[total % 11] == text[-1].upper() and "01" <= text[10:12] <= "12" and "01" <= text[12:14] <= "31"


def card_number(text: str) -> bool:
    """A bank card's number: 13 to 19 digits that pass Luhn's check (ISO/IEC 7812)."""
    digits = [int(digit) for digit in re.sub(r"\D", "", text)]
    total = sum(digit if place % 2 == 0 else (digit * 2 - 9 if digit > 4 else digit * 2) for place, digit in enumerate(reversed(digits)))
    return 13 <= len(digits) <= 19 and total % 10 == 0 and len(set(digits)) > 1


def account_number(text: str) -> bool:
    """An IBAN whose check digits fit (ISO 13616)."""
    flat = text.replace(" ", "")
    moved = flat[4:] + flat[:4]
    return 15 <= len(flat) <= 34 and int("".join(str(int(character, 36)) for character in moved)) % 97 == 1


_KEY_NAMES = r"(?:api[_-]?key|secret(?:[_-]?key)?|access[_-]?token|auth[_-]?token|token|passwd|password|pwd|密码|口令|密钥|令牌)"
PATTERNS = (
    Pattern("KEY", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----", re.DOTALL)),
    Pattern("KEY", re.compile(
        r"(?<![A-Za-z0-9])(?:sk-(?:[a-z]+-)?[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}"
        r"|AKIA[0-9A-Z]{16}|LTAI[A-Za-z0-9]{12,}|AIza[\w-]{30,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}"
        r"|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,})"
    )),
    Pattern("KEY", re.compile(r"(?i:\bbearer|\bbasic)\s+([A-Za-z0-9._~+/=-]{16,})"), group=1),
    Pattern("KEY", re.compile(rf"(?i:{_KEY_NAMES})[\"']?\s*[:：=]\s*[\"'“]?([!-~]{{6,}}?)(?=[\"'“”,，。;；<>]|[^!-~]|$)"), group=1),
    Pattern("KEY", re.compile(rf"(?i:{_KEY_NAMES})\s*(?:是|为|\bis\b)\s*[\"'“]?(?=[!-~]*\d)([!-~]{{6,}}?)(?=[\"'“”,，。;；<>]|[^!-~]|$)"), group=1),
    Pattern("KEY", re.compile(r"(?<=://)[^\s/:@]+:([^\s/@]+)(?=@)"), group=1),
    Pattern("EMAIL", re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,24}(?![A-Za-z])", re.ASCII)),
    Pattern("ID", re.compile(r"(?<!\d)[1-9]\d{5}(?:18|19|20)\d{2}[01]\d[0-3]\d{4}[\dXx](?!\d)"), identity_card),
    Pattern("ID", re.compile(r"(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])")),
    Pattern("ID", re.compile(r"(?:护照(?:号码?|编号)?|(?i:passport(?: no\.?| number)?))\s*[:：#是为]?\s*([A-Za-z]{1,2}\d{7,8})(?!\d)"), group=1),
    Pattern("CARD", re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"), account_number),
    Pattern("CARD", re.compile(r"(?<![\d.-])[2-6]\d{3}(?:(?:[ -]?\d{4}){2}[ -]?\d{1,7}|[ -]\d{6}[ -]\d{5})(?![\d-])"), card_number),
    Pattern("PHONE", re.compile(r"(?<![\d.-])(?:(?:\+|00)86[ -]?)?1[3-9]\d(?:[ -]?\d{4}){2}(?![\d-])")),
    Pattern("PHONE", re.compile(r"(?<![\d.-])(?:(?:\+|00)86[ -]?)?(?:\(0\d{2,3}\)|（0\d{2,3}）|0\d{2,3}[ -])[ -]?[2-9]\d{6,7}(?:-\d{1,5})?(?![\d-])")),
    Pattern("PHONE", re.compile(r"(?<![\d.-])[48]00-?\d{3}-?\d{4}(?![\d-])")),
    Pattern("PHONE", re.compile(r"(?<![\w+])\+[1-9]\d{0,2}(?:[ .-]?\(?\d{1,4}\)?){2,5}(?![\d-])"), lambda text: 8 <= len(re.sub(r"\D", "", text)) <= 15),
    Pattern("PHONE", re.compile(r"(?<![\d.-])(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[.-])[2-9]\d{2}[.-]\d{4}(?![\d-])")),
)  # fmt: skip


def text_without(text: str, marks: Marks) -> str:
    """The text with marks in place of what is private."""
    for pattern in PATTERNS:
        def marked(match: re.Match[str], pattern: Pattern = pattern) -> str:
            found = match[pattern.group]
            if not pattern.sure(found) or found.startswith("<"):
                return match[0]
            start, end = match.start(pattern.group) - match.start(), match.end(pattern.group) - match.start()
            return match[0][:start] + marks.mark(pattern.kind, found) + match[0][end:]

        text = pattern.form.sub(marked, text)
    return text


def value_without(value: Any, marks: Marks, *, numbers: bool = False) -> Any:
    """A JSON value with marks in its texts; with `numbers` also where a whole number is private (a phone number as an argument)."""
    if isinstance(value, str):
        return text_without(value, marks)
    if isinstance(value, Mapping):
        return {key: item if key in KEPT and not numbers else _inside(key, item, marks, numbers=numbers) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [value_without(item, marks, numbers=numbers) for item in value]
    if numbers and isinstance(value, int) and not isinstance(value, bool) and value > 10**9:
        told = text_without(str(value), marks)
        return value if told == str(value) else told
    return value


def _inside(key: str, item: Any, marks: Marks, *, numbers: bool) -> Any:
    if key == "images" and not numbers:  # their bytes are no text
        return [{**image, "url": text_without(image["url"], marks)} if image.get("url") else image for image in item]
    return value_without(item, marks, numbers=numbers or key in {"args", "data"})


def redacted(run: Run, counts: Counter[str] | None = None) -> Run:
    """The run without what is private. Marks begin anew in every run; `counts` is told how many there are of each kind."""
    own = Marks()
    events = [from_json(_with_head(value_without(_body(record), own), _known(record, own))) for record in map(to_json, run.events)]
    if counts is not None:
        counts.update(kind for kind, _ in own.known)
    return Run(run.id, events)


def _body(record: Mapping[str, Any]) -> dict[str, Any]:
    """An event's fields; the descriptions of tools are ours, not what somebody said."""
    return {key: value for key, value in record.items() if key not in {"v", "kind", "at", "tools", "settings"}}


def _known(record: dict[str, Any], marks: Marks) -> dict[str, Any]:
    """The event with marks for who asked (`who` in its settings)."""
    settings = record.get("settings", {})
    if not settings.get("who"):
        return record
    who: dict[str, Any] = {}
    for name, value in settings["who"].items():
        text = text_without(str(value), marks)
        who[name] = value if name == "role" else text if text != str(value) else marks.mark(name.upper(), text)
    return {**record, "settings": {**settings, "who": who}}


def _with_head(body: dict[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
    return {**record, **body}
