"""What a rule may ask of an argument. Each answer is True, False, or None: it cannot be told.

None is what makes rules fail closed: an "allow" needs True, a "deny" or "ask" applies unless the answer is False.
"""

import datetime as dt
import ipaddress
import json
import math
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tao.permissions.sql import reads_only

Options = Mapping[str, Any]
Test = Callable[[Options, Any, dt.date | None], bool | None]

LONGEST = 10_000
"""Characters of a text that a pattern is tried on; a longer one cannot be told."""


def holds(options: Options, value: Any, today: dt.date | None) -> bool | None:
    """Whether a value is as all these options want it. Of a list every item must be; a mixed or empty list cannot be told.

    `today` is the UTC date from which `within_days` counts.
    """
    if isinstance(value, list | tuple):
        answers: set[bool | None] = {holds(options, item, today) for item in value}
        return None if len(answers) != 1 else answers.pop()
    return every(TESTS[name](options, value, today) for name in options if name in TESTS)


def every(answers: Iterable[bool | None]) -> bool | None:
    """False where one is False, else None where one is None, else True."""
    told = set(answers)
    return False if False in told else None if None in told else True


# ── one function per kind ─────────────────────────────────────────────────────


def under(options: Options, value: Any, today: dt.date | None) -> bool | None:  # noqa: ARG001
    """A path below one of these folders, after `..` and symbolic links. Relative ones begin at `from`, or the current folder."""
    if not isinstance(value, str) or not _plain_path(value):
        return None
    start = Path(options.get("from", ".")).expanduser()
    real = os.path.realpath(start / value)
    folders = [os.path.realpath(Path(folder).expanduser()) for folder in _listed(options["under"])]
    if any(Path(real).is_relative_to(folder) for folder in folders):
        return True
    # on a disk that ignores case or accents' spelling this may be the same place
    return None if any(Path(_loose(real)).is_relative_to(_loose(folder)) for folder in folders) else False


def _plain_path(text: str) -> bool:
    """Whether every tool reads this path alike: no home, no address, no control characters, no foreign separator."""
    foreign = "\\" in text and os.sep != "\\"
    coded = re.search(r"%(2e|2f|5c|00)", text, re.IGNORECASE)  # to a tool that reads it as an address: . / \ and NUL
    return bool(text.strip()) and not (foreign or coded) and not text.startswith("~") and "://" not in text and text.isprintable()


def _loose(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def only(options: Options, value: Any, today: dt.date | None) -> bool | None:  # noqa: ARG001
    """"select": one SQL statement that changes nothing."""
    return reads_only(value) if isinstance(value, str) and options["only"] == "select" else None


def within_days(options: Options, value: Any, today: dt.date | None) -> bool | None:
    """An ISO date or time from so many days before today up to today; one day more is given for time zones ahead of UTC."""
    if not isinstance(value, str) or today is None:
        return None
    try:
        moment = dt.datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    day = (moment.astimezone(dt.UTC) if moment.tzinfo else moment).date()
    return -1 <= (today - day).days <= int(options["within_days"])


def at_most(options: Options, value: Any, today: dt.date | None) -> bool | None:  # noqa: ARG001
    """A number not above this one."""
    return bool(value <= options["at_most"]) if _number(value) else None


def at_least(options: Options, value: Any, today: dt.date | None) -> bool | None:  # noqa: ARG001
    """A number not below this one."""
    return bool(value >= options["at_least"]) if _number(value) else None


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)


def hosts(options: Options, value: Any, today: dt.date | None) -> bool | None:  # noqa: ARG001
    """An http or https address, or a bare host, of one of these: "host", "host:port", "*.domain" (not the domain itself)."""
    found = host_of(value) if isinstance(value, str) else None
    if found is None:
        return None
    if any(_hosted(pattern.lower().rstrip("."), *found) for pattern in _listed(options["hosts"])):
        return True
    return False if found[0].isascii() else None


def host_of(text: str) -> tuple[str, int | None] | None:
    """Host and port of an address; None where programs might read it differently."""
    if not text.isprintable() or any(char in text for char in "\\ ") or len(text) > LONGEST:
        return None
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    bare = "://" in text or re.fullmatch(r"[\w.-]+(:\d+)?", text)
    if parts.scheme not in {"http", "https"} or "@" in parts.netloc or not bare:
        return None
    host = host.rstrip(".")
    if not re.fullmatch(r"[\w.-]+|[0-9a-f:.]+", host) or _odd_number(host):
        return None
    return host, port or ({"http": 80, "https": 443}[parts.scheme] if "://" in text else None)


def _odd_number(host: str) -> bool:
    """Whether a host is a number that programs read as an address, but not written as addresses are (2130706433, 0x7f.1)."""
    if not re.fullmatch(r"(0x[0-9a-f]*|\d+)", host.rpartition(".")[2]) and ":" not in host:
        return False
    try:
        return str(ipaddress.ip_address(host)) != host or getattr(ipaddress.ip_address(host), "ipv4_mapped", None) is not None
    except ValueError:
        return True


def _hosted(pattern: str, host: str, port: int | None) -> bool:
    name, _, wanted = pattern.rpartition(":") if re.search(r"[^:]:\d+$", pattern) else (pattern, "", "")
    if wanted and port != int(wanted):
        return False
    name = name.strip("[]")
    if name.startswith("*."):
        return host.isascii() and host.endswith(name[1:]) and len(host) > len(name) - 1
    return host == name


def matches(options: Options, value: Any, today: dt.date | None) -> bool | None:  # noqa: ARG001
    """A text that the pattern matches as a whole; where it matches a part only, it cannot be told."""
    if not isinstance(value, str) or len(value) > LONGEST:
        return None
    if re.fullmatch(options["matches"], value):
        return True
    return None if re.search(options["matches"], value) else False


def one_of(options: Options, value: Any, today: dt.date | None) -> bool | None:  # noqa: ARG001
    """One of these values; 1 is not true, and "1" is not 1."""
    return _exact(value) in {_exact(choice) for choice in options["one_of"]}


def _exact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=repr)


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


TESTS: dict[str, Test] = {
    "under": under, "only": only, "within_days": within_days, "at_most": at_most, "at_least": at_least, "hosts": hosts,
    "matches": matches, "one_of": one_of,
}  # fmt: skip


# ── whether the rule's own side makes sense ───────────────────────────────────

def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _host(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"(\*\.)?[\w.-]+(:\d+)?|\[?[0-9a-fA-F:.]+\]?(:\d+)?", value) is not None


def _pattern(value: Any) -> bool:
    try:
        re.compile(value)
    except (re.error, TypeError, OverflowError):
        return False
    return isinstance(value, str) and bool(value)


_TEXTS = ("a text, or a list of texts, none empty", "文本或文本列表，不能为空")
_NUMBER = ("a number", "数字")
WANTED: dict[str, tuple[Callable[[Any], bool], tuple[str, str]]] = {
    "under": (lambda it: bool(_listed(it)) and all(_text(x) for x in _listed(it)), _TEXTS),
    "from": (_text, ("a folder", "文件夹")),
    "only": (lambda it: it == "select", ('"select"', '"select"')),
    "within_days": (lambda it: type(it) is int and it >= 0, ("a whole number of days, 0 or more", "天数，不小于 0 的整数")),
    "at_most": (_number, _NUMBER),
    "at_least": (_number, _NUMBER),
    "hosts": (lambda it: isinstance(it, str | list | tuple) and bool(_listed(it)) and all(_host(x) for x in _listed(it)),
              ('hosts such as "example.com", "example.com:8080" or "*.example.com"', '主机，如 "example.com"、"example.com:8080"、"*.example.com"')),
    "matches": (_pattern, ("a regular expression", "正则表达式")),
    "one_of": (lambda it: isinstance(it, list | tuple) and bool(it), ("a list of values, not empty", "非空的值列表")),
}  # fmt: skip


def wrong(options: Any) -> tuple[str, str, str] | None:
    """What is wrong with a constraint, as (name of the option, English, Chinese); None where nothing is."""
    known = "、".join(TESTS)
    if not isinstance(options, Mapping) or not options:
        english = f'a constraint such as {{under = "/data"}} was wanted, with one of {known.replace("、", ", ")}; got {options!r:.120}'
        return "", english, f'应为约束，例如 {{under = "/data"}}，可用：{known}；得到 {options!r:.120}'
    for name, value in options.items():
        if name not in WANTED:
            return name, f"there is no such constraint; known: {known.replace('、', ', ')}", f"没有这种约束；可用：{known}"
        right, (english, chinese) = WANTED[name]
        listed = isinstance(value, str | list | tuple) or name not in {"under", "hosts"}
        if not listed or not right(value):
            return name, f"got {value!r:.120}; wanted: {english}", f"得到 {value!r:.120}；应为：{chinese}"
    if not set(options) & set(TESTS):
        return "from", "is where the paths of `under` begin; there is no `under` here", "用于 `under` 的相对路径起点；这里没有 `under`"
    return None
