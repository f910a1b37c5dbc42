r"""Addresses of places on the network: which an argument names, and whether one stands in a text. Pure.

Programs read addresses in many ways ("https:\\host", "host。cn", "user@host"). What is not plain is read as an address too:
the question is where a call may lead, and asking once too often is the lesser harm.
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

NAMES = frozenset("url urls uri uris link links href address addresses host hosts hostname domain domains site website webpage endpoint ip ips".split())
"""A parameter with one of these words in its name takes addresses, also ones without a scheme."""
_NAMES_ZH = re.compile("网址|网页|网站|站点|链接|連結|鏈接|網址|网域|域名|主机|主機|(?P<any>地址)")

FILES = frozenset("md py sh rs pl cc so ps zip mov app ts java".split())
"""Ends of files' names that are also ends of hosts' names."""

_DOTS = str.maketrans({"。": ".", "｡": ".", "．": ".", "\\": "/"})
_READ = re.compile(
    r"(?:(?P<scheme>[a-z][a-z0-9+.-]*):(?=/|(?!\d)))?(?P<slashes>/{2,}|(?:(?<=http:)|(?<=https:)|(?<=ftp:)|(?<=ws:)|(?<=wss:))/)?(?P<user>[^/\s?#]*@)?"
    r"(?!(?:https?|ftps?|wss?):/)(?P<host>\[[0-9a-f:.%]+\]|[^\s/?#:@\[\]]+)(?P<rest>(?::\d*)?(?:[/?#].*)?)",
    re.IGNORECASE | re.DOTALL,
)
_BROKEN = re.compile(r"(?:https?|ftps?|wss?):/++\s*(\S+)", re.IGNORECASE)
"""What no program should take for an address, and some do ("http://a.org:80b@c.org/"): on a host that nobody named."""
_ODD = re.compile(r"localhost|0x[0-9a-f]+|\d{8,}|[^\s.]+(?:\.[^\s.]+)+")
_WEB = frozenset({"http", "https", "ftp", "ftps", "ws", "wss"})
_NAMED = re.compile(r"(?:[^\W_]|-)+(?:\.(?:[^\W_]|-)+)*\.(?:[^\W\d_]{2,}|xn--[a-z0-9-]+)")
_NUMBERED = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}|\[.*\]")
_WITHIN = re.compile(r"(?:[a-z][a-z0-9+.-]*://|\bwww\.)[^\s\"'<>，。；！？、）》」』】]+", re.IGNORECASE)
_HOSTS = re.compile(
    r"(?<![a-z0-9@_.-])(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:[a-z]{2,}|xn--[a-z0-9-]+)(?![a-z0-9_@-])"
    r"|(?<=://)[^\s/?#:@\"'<>\[\]]+|(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])",
    re.IGNORECASE,
)


_CODED = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")
_PLACE = r"(?:#[^\s\"'<>()\[\]{}|`\\]*)?"
"""A place within a page: servers are not told of it, so a link is the same without it."""


@dataclass(frozen=True, slots=True)
class Address:
    """A place: its host in small letters, without "www."; the `rest` after it, a `user` before it, and whether it is `bare`.

    Bare is a name with dots alone ("example.org", "notes.md"), in a parameter that does not say that it takes addresses.
    """

    host: str
    rest: str = ""
    user: str = ""
    bare: bool = False

    @property
    def said(self) -> str:
        """All of it, without scheme and "www."."""
        return f"{self.user}{self.host}{self.rest}"

    def stands_in(self, text: str) -> bool:
        """Whether the text has it as a link, whole: nothing is added to it, and nothing left out but the scheme."""
        if self.user or not self.host.isascii():
            return self.said in text
        if self.host not in text.casefold():
            return False
        host, rest = re.escape(self.host), "|".join(re.escape(one) for one in spellings(self.rest.rstrip("/")))
        whole = re.compile(
            rf"(?<![\w.@%-])(?:www\.)?(?i:{host})(?:{rest})/?{_PLACE}(?=[.,;:!?*_…]*(?:[\s\"'<>()\[\]{{}}|`\\]|[^\x00-\x7f]|$))",
            re.MULTILINE | re.ASCII,
        )  # fmt: skip
        return whole.search(text) is not None or (";" in text and whole.search(html.unescape(text)) is not None)


def spellings(rest: str) -> list[str]:
    """The ways to write what stands after a host that ask its server for the same: characters beyond ASCII as they are, or as %E8%8C%B6."""
    plain = _CODED.sub(_decoded, rest)
    coded = quote(plain, safe="".join(map(chr, range(0x21, 0x7F))))
    return list(dict.fromkeys([rest, plain, coded, _CODED.sub(lambda one: one[0].lower(), coded)]))


def _decoded(run: re.Match[str]) -> str:
    try:
        return bytes.fromhex(run[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return run[0]


def named(args: Mapping[str, Any]) -> Iterator[tuple[str, Address]]:
    """Every address in the arguments of a call, with its parameter: values that are one, and those inside longer texts."""
    for name, value in args.items():
        words = set(re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).casefold()))
        chinese = _NAMES_ZH.search(name)
        takes = bool(words & NAMES) or chinese is not None
        web = bool(words & (NAMES - {"address", "addresses"})) or (chinese is not None and chinese["any"] is None)
        for text in _texts(value):
            if (found := address(text, takes=takes, web=web)) is not None:
                yield name, found
                if "\\" in text and (other := address(text.replace("\\", "%5C"), takes=takes, web=web)) not in {None, found}:
                    yield name, other  # "https://a.org\@b.org": some programs go to a.org, some to b.org
                continue
            for match in _WITHIN.finditer(unicodedata.normalize("NFKC", text).translate(_DOTS)):
                if (found := address(match[0].rstrip(".,;:!?)"))) is not None:
                    yield name, found


def address(text: str, *, takes: bool = False, web: bool = False) -> Address | None:
    """The address that this text is as a whole. `takes`: it stands where addresses are expected; `web`: not those of mail. None: it is none."""
    plain = "".join(char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) not in {"Cc", "Cf"})
    plain = plain.translate(_DOTS).strip()
    match = _READ.fullmatch(plain)
    if match is None:
        broken = _BROKEN.fullmatch(plain)
        return Address(broken[1].casefold()) if broken else None
    scheme, slashes, user, host, rest = (match[name] or "" for name in ("scheme", "slashes", "user", "host", "rest"))
    host = unquote(host).casefold().rstrip(".")
    sure = bool(slashes) or scheme.casefold() in _WEB or host.startswith("www.")
    like = _NAMED.fullmatch(host) is not None or _NUMBERED.fullmatch(host) is not None
    odd = takes and (_ODD.fullmatch(host) is not None or rest.startswith(":")) and not re.search(r"\s", plain)
    if not (sure or like or odd):
        return None
    if user and not sure and not web:  # a mail address
        return None
    host = host.removeprefix("www.")
    bare = not (sure or takes or rest)
    return Address(host, rest, user, bare)


def hosts(text: str) -> frozenset[str]:
    """The hosts that a text names, in small letters, without "www."; a name like that of a file is none ("readme.md")."""
    plain = text.translate(_DOTS)
    found = [match for match in _HOSTS.finditer(plain) if match[0].rpartition(".")[2].lower() not in FILES or _addressed(plain, match)]
    return frozenset(match[0].casefold().rstrip(".").removeprefix("www.") for match in found)


def _addressed(text: str, match: re.Match[str]) -> bool:
    return text.endswith("://", 0, match.start()) or match[0].lower().startswith("www.")


def within(host: str, known: Iterable[str]) -> bool:
    """Whether a host is one of these, or below one of them."""
    return any(host == one or host.endswith(f".{one}") for one in known)


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value, and the names inside objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
