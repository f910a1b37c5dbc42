"""URLs taken apart strictly and written in one form, so that what is checked is what is opened."""

import re
import string
from dataclasses import dataclass
from urllib.parse import quote

from tao.tools.web.addresses import Malformed, canonical_host
from tao.tools.words import say

DEFAULT_PORTS = {"http": 80, "https": 443}
LONGEST = 4000
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?!\d)")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_KEPT = "".join(sorted(set(string.punctuation) - set('"<>\\^`{|}#')))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a URL leads: scheme "http" or "https", canonical host, port, and the rest from "/" on, percent-encoded."""

    scheme: str
    host: str
    port: int
    rest: str

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port: credentials are for one origin only."""
        return self.scheme, self.host, self.port

    @property
    def url(self) -> str:
        """The URL in its one form."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.rest}"


def parse(text: str) -> Place:
    """Take a URL apart; one without a scheme is https. Raises Malformed for all that is not plainly an http(s) address."""
    url = text.strip()
    if len(url) > LONGEST or not url:
        raise Malformed(say(
            f"the URL is {'empty' if not url else f'{len(url)} characters long'}; give an address such as https://example.com/page",
            f"网址{'为空' if not url else f'有 {len(url)} 个字符，太长'}；请给出类似 https://example.com/page 的地址",
        ))  # fmt: skip
    if _CONTROLS.search(url):
        raise Malformed(say("the URL contains control characters; give it without them", "网址中含有控制字符；请去掉后重试"))
    scheme, rest = _scheme(url)
    authority, rest = _split(rest)
    host, port = _authority(authority, scheme)
    return Place(scheme, host, port, _rest(rest))


def join(base: Place, location: str) -> Place:
    """Where a redirect leads (RFC 3986, 5.2, without dot segments: servers resolve those). Raises Malformed."""
    location = location.strip()
    if _SCHEME.match(location) or location.startswith("//"):
        return parse(location if _SCHEME.match(location) else f"{base.scheme}:{location}")
    if "\\" in re.split(r"[?#]", location, maxsplit=1)[0]:
        raise _backslash()
    path, mark, query = base.rest.partition("?")
    if location.startswith("/"):
        rest = location
    elif location.startswith("?"):
        rest = path + location
    elif not location or location.startswith("#"):
        rest = path + mark + query
    else:
        rest = path[: path.rfind("/") + 1] + location
    return parse(Place(*base.origin, "").url + rest)


def _scheme(url: str) -> tuple[str, str]:
    """The scheme and what comes after "://"."""
    match = _SCHEME.match(url)
    if match is None:
        return "https", url.removeprefix("//")
    scheme, rest = match[1].lower(), url[match.end() :]
    if scheme not in DEFAULT_PORTS:
        raise Malformed(say(
            f"{scheme}: is not opened, only http and https", f"不支持 {scheme}: 地址，只能打开 http 和 https",
        ))  # fmt: skip
    if not rest.startswith("//"):
        raise Malformed(say(
            f"{url[:60]!r} lacks the two slashes after {scheme}:", f"{url[:60]!r} 在 {scheme}: 之后缺少两个斜杠",
        ))  # fmt: skip
    return scheme, rest[2:]


def _split(text: str) -> tuple[str, str]:
    """The authority, and the rest from the first of "/", "?", "#" on."""
    at = min((place for place in map(text.find, "/?#") if place >= 0), default=len(text))
    if "\\" in text[:at]:
        raise _backslash()
    return text[:at], text[at:]


def _authority(authority: str, scheme: str) -> tuple[str, int]:
    if "@" in authority:
        raise Malformed(say(
            "the URL holds a user name or password before '@'; leave that out", "网址的 '@' 之前带有用户名或密码；请去掉",
        ))  # fmt: skip
    match = re.fullmatch(r"(\[[^\[\]]*\]|[^\[\]:]*)(?::(\d{0,5}))?", authority, re.ASCII)
    if match is None:
        raise Malformed(say(
            f"{authority[:60]!r} is not a host, or a host and a port", f"{authority[:60]!r} 不是“主机”或“主机:端口”的形式",
        ))  # fmt: skip
    port = int(match[2]) if match[2] else DEFAULT_PORTS[scheme]
    return canonical_host(match[1]), port


def _rest(text: str) -> str:
    """Path and query, percent-encoded once; the fragment stays here."""
    text = _PERCENT.sub("%25", text.partition("#")[0])
    return quote(text if text.startswith("/") else f"/{text}", safe=_KEPT)


def _backslash() -> Malformed:
    return Malformed(say("the URL holds a backslash; write it with slashes", "网址中含有反斜杠；请改用斜杠"))
