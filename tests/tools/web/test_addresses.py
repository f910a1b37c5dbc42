"""Every textual form of an address that is not public is refused; public ones pass."""

import ipaddress
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao.errors import ToolError
from tao.tools.web.addresses import Malformed, canonical_host, literal, local_name, public
from tao.tools.web.guard import Blocked, Guard
from tao.tools.web.urls import parse
from tao.tools.words import speaking

INSIDE = """0.0.0.0 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255
192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.1.2.3 240.0.0.1
255.255.255.255 168.63.129.16 :: ::1 ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::127.0.0.1 ::ffff:0:127.0.0.1 64:ff9b::7f00:1
64:ff9b::a9fe:a9fe 64:ff9b:1::808:808 100::1 fe80::1 fe80::1%eth0 fec0::1 fc00::1 fd00:ec2::254 fd20:ce::254 ff02::1 ff0e::1 2001::1
2001:0:5ef5:79fd::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:808:808:: 3fff::1 5f00::1 4000::1""".split()
OUTSIDE = """8.8.8.8 1.1.1.1 93.184.215.14 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.167.1.1 169.253.1.1 223.5.5.5 2606:4700::1111
2001:4860:4860::8888 240e:1::1 2400:3200::1 ::ffff:8.8.8.8 64:ff9b::808:808""".split()


@pytest.mark.parametrize("text", INSIDE)
def test_what_is_not_public_is_refused(text):
    assert not public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", OUTSIDE)
def test_what_is_public_passes(text):
    assert public(ipaddress.ip_address(text))


inside_v4 = st.ip_addresses(v=4).filter(lambda one: not public(one))
inside_v6 = st.ip_addresses(v=6).filter(lambda one: not public(one))


@st.composite
def written(draw):
    """A way to write an IPv4 address in a URL, as inet_aton and browsers read it."""
    number = int(draw(inside_v4 | st.sampled_from([ipaddress.ip_address(one) for one in INSIDE if ":" not in one])))
    count = draw(st.integers(1, 4))
    heads = [number >> (24 - 8 * place) & 255 for place in range(count - 1)]
    parts = [*heads, number & (256 ** (5 - count) - 1)]
    forms = [draw(st.sampled_from(["{:d}", "0x{:x}", "0X{:X}", "0{:o}", "00{:o}", "0x00{:x}"])).format(part) for part in parts]
    dot = draw(st.sampled_from([".", "。", "．", "｡"]))
    text = dot.join(forms) + draw(st.sampled_from(["", "."]))
    if draw(st.booleans()):
        text = "".join(chr(ord(char) + 0xFEE0) if char.isdigit() else char for char in text)
    return text, number


def refused(url):
    try:
        Guard().judge(parse(url))
    except ToolError:
        return True
    return False


@given(written(), st.sampled_from(["http", "https", "HTTP"]))
def test_every_way_to_write_an_inner_ipv4_address_is_refused(form, scheme):
    text, number = form
    assert canonical_host(text) == str(ipaddress.IPv4Address(number))
    assert refused(f"{scheme}://{text}/latest/meta-data")


@given(inside_v4)
def test_the_short_forms_are_read_as_the_system_reads_them(address):
    for text in (str(int(address)), f"0x{int(address):x}", ".".join(f"0{part:o}" for part in address.packed)):
        assert canonical_host(text) == socket.inet_ntoa(socket.inet_aton(text))


@given(inside_v6, st.sampled_from(["{}", "exploded", "upper"]))
def test_every_way_to_write_an_inner_ipv6_address_is_refused(address, form):
    text = {"{}": str(address), "exploded": address.exploded, "upper": str(address).upper()}[form]
    assert refused(f"http://[{text}]/")


@given(inside_v4, st.sampled_from(["::ffff:{}", "64:ff9b::{}", "::{}", "::ffff:0:{}", "0:0:0:0:0:FFFF:{}", "2002:{0}::", "2001:0:{0}::"]))
def test_an_inner_ipv4_address_inside_ipv6_is_refused(address, form):
    number = int(address)
    inner = f"{number >> 16:x}:{number & 0xFFFF:x}" if form.endswith("::") else str(address)
    assert refused(f"http://[{form.format(inner)}]/")


@given(st.ip_addresses(v=4).filter(public) | st.ip_addresses(v=6).filter(public))
def test_public_addresses_pass(address):
    assert not refused(f"http://[{address}]/" if address.version == 6 else f"http://{address}/")


@pytest.mark.parametrize("host", "localhost LOCALHOST localhost. a.localhost ｌｏｃａｌｈｏｓｔ metadata.google.internal printer.local nas.lan git.corp".split())
def test_names_that_lead_inside_by_themselves_are_refused(host):
    assert local_name(canonical_host(host))
    with pytest.raises(Blocked):
        Guard().judge(parse(f"http://{host}/"))


@pytest.mark.parametrize(("text", "host"), [
    ("Example.COM", "example.com"), ("example.com.", "example.com"), ("例子.中国", "xn--fsqu00a.xn--fiqs8s"), ("bücher.de", "xn--bcher-kva.de"),
    ("ＥＸＡＭＰＬＥ．com", "example.com"), ("例子。中国", "xn--fsqu00a.xn--fiqs8s"), ("[2606:4700:0::1]", "2606:4700::1"), ("a_b.example.com", "a_b.example.com"),
])  # fmt: skip
def test_a_host_has_one_form(text, host):
    assert canonical_host(text) == host


@pytest.mark.parametrize("text", [
    "", ".", "a..b", "example.com..", "-a.com", "a-.com", "1.2.3.4.5", "1.2.3.256", "256.1.1.1", "0x1ffffffff", "4294967296", "1.2.3.08", "0xg.1",
    "%31%32%37.0.0.1", "a b.com", "a,b.com", "[::1", "[1.2.3.4]", "[fe80::1%25eth0]", "[::1]x", "a" * 64 + ".com", "a." * 127 + "com", "\u200b.com",
])  # fmt: skip
def test_what_is_no_host_is_refused(text):
    with pytest.raises(Malformed):
        canonical_host(text)


def test_the_refusal_of_a_host_says_what_to_give():
    with pytest.raises(Malformed, match=r"'a\.\.b' is not a host; give a name such as example.com"):
        canonical_host("a..b")
    with speaking("zh"), pytest.raises(Malformed, match=r"不是有效的主机名；请给出类似 example.com 的名称"):
        canonical_host("a..b")


@given(st.text(max_size=40))
def test_any_text_is_a_host_in_one_form_or_refused(text):
    try:
        host = canonical_host(text)
    except Malformed:
        return
    assert canonical_host(f"[{host}]" if ":" in host else host) == host
    assert host.isascii()
    assert literal(host) is not None or not host.rpartition(".")[2].isdecimal()
