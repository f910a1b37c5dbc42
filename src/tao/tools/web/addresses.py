"""Which addresses lie on the public internet, and what a host in a URL stands for, in every form a URL may give it.

The table follows the IANA special-purpose registries (IPv4 and IPv6) and is stricter: only global unicast is public, tunnels
that carry an IPv4 address are refused, and the metadata services of clouds are refused also where their address is public.
"""

import ipaddress
import re
import unicodedata

from tao.errors import ToolError
from tao.tools.words import say

IP = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

INSIDE_V4 = tuple(map(ipaddress.IPv4Network, (
    "0.0.0.0/8",  # this network
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",  # private
    "100.64.0.0/10",  # carrier-grade NAT; 100.100.100.200 is Alibaba Cloud's metadata service
    "127.0.0.0/8",  # loopback
    "169.254.0.0/16",  # link-local; 169.254.169.254 is most clouds' metadata service
    "192.0.0.0/24", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",  # protocol assignments, documentation
    "192.88.99.0/24",  # relays from IPv6, given up
    "198.18.0.0/15",  # measurements
    "224.0.0.0/4", "240.0.0.0/4",  # multicast; reserved and broadcast
    "168.63.129.16/32",  # Azure's own services for a machine, at a public address
)))  # fmt: skip
OUTSIDE_V6 = ipaddress.IPv6Network("2000::/3")
INSIDE_V6 = tuple(map(ipaddress.IPv6Network, (
    "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarking …
    "2001:db8::/32", "3fff::/20",  # documentation
    "2002::/16",  # 6to4: carries an IPv4 address
)))  # fmt: skip
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
LOCAL_NAMES = ("localhost", "local", "internal", "localdomain", "home.arpa", "lan", "intranet", "corp")
"""Names, and ends of names, that never lead to the public internet."""

_NUMERIC = re.compile(r"\d+|0x[0-9a-f]*")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_DOTS = str.maketrans("。．｡", "...")


class Malformed(ToolError):
    """The text is no address that we would open; its message says why."""


def public(address: IP) -> bool:
    """Whether the address belongs to the public internet. IPv4 inside IPv6 (mapped, NAT64) counts as the IPv4 address."""
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in INSIDE_V4)
    if address.scope_id is not None:
        return False
    if (inner := carried(address)) is not None:
        return public(inner)
    return address in OUTSIDE_V6 and not any(address in network for network in INSIDE_V6)


def carried(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address to which a connection to this IPv6 address would go: mapped (RFC 4291) or translated (RFC 6052)."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if address in NAT64 else None


def local_name(host: str) -> bool:
    """Whether a canonical name says by itself that it lies within a network."""
    return any(host == name or host.endswith(f".{name}") for name in LOCAL_NAMES)


def canonical_host(text: str) -> str:
    """The host of a URL in its one form: lower case, ASCII, without a final dot; addresses as `ipaddress` writes them.

    IPv4 in decimal, octal, hexadecimal and short forms is read as browsers do (WHATWG URL, "IPv4 parser"), names by IDNA.
    Raises Malformed.
    """
    if text.startswith("["):
        return _v6(text)
    host = unicodedata.normalize("NFKC", text.translate(_DOTS)).casefold()
    if not host.isascii():
        host = _ascii(host, text)
    host = host.removesuffix(".")
    if not host or len(host) > 253:
        raise _bad_host(text)
    labels = host.split(".")
    if _NUMERIC.fullmatch(labels[-1]):
        return str(_v4(labels, text))
    if not all(map(_LABEL.fullmatch, labels)):
        raise _bad_host(text)
    return host


def literal(host: str) -> IP | None:
    """The address that a canonical host is, or None where it is a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _v6(text: str) -> str:
    try:
        if "%" in text or not text.endswith("]"):
            raise _bad_host(text)
        return str(ipaddress.IPv6Address(text[1:-1]))
    except ValueError:
        raise _bad_host(text) from None


def _v4(labels: list[str], text: str) -> ipaddress.IPv4Address:
    """One to four numbers; the last one fills what is left. Each is decimal, octal (leading 0) or hexadecimal (0x)."""
    if len(labels) > 4:
        raise _bad_host(text)
    try:
        numbers = [_number(label) for label in labels]
    except ValueError:
        raise _bad_host(text) from None
    *heads, last = numbers
    if any(head > 255 for head in heads) or last >= 256 ** (4 - len(heads)):
        raise _bad_host(text)
    return ipaddress.IPv4Address(last + sum(head << (24 - 8 * place) for place, head in enumerate(heads)))


def _number(label: str) -> int:
    if not _NUMERIC.fullmatch(label) or len(label) > 40:
        raise ValueError
    if label.startswith("0x"):
        return int(label[2:] or "0", 16)
    return int(label, 8) if len(label) > 1 and label.startswith("0") else int(label)


def _ascii(host: str, text: str) -> str:
    if len(host) > 253:
        raise _bad_host(text)
    try:
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        raise _bad_host(text) from None


def _bad_host(text: str) -> Malformed:
    shown = text[:60]
    return Malformed(say(
        f"{shown!r} is not a host; give a name such as example.com",
        f"{shown!r} 不是有效的主机名；请给出类似 example.com 的名称",
    ))  # fmt: skip
