"""URLs are taken apart in one way, and written in one form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from tao.tools.web.addresses import Malformed
from tao.tools.web.urls import join, parse
from tao.tools.words import speaking


@pytest.mark.parametrize(("text", "url"), [
    ("https://example.com", "https://example.com/"), (" HTTP://Example.com:80/a b?q=茶#frag ", "http://example.com/a%20b?q=%E8%8C%B6"),
    ("example.com/x", "https://example.com/x"), ("//example.com/x", "https://example.com/x"), ("example.com:8080/x", "https://example.com:8080/x"),
    ("https://例子.中国/路径/%E8%8C%B6?a=%26&b=1+2", "https://xn--fsqu00a.xn--fiqs8s/%E8%B7%AF%E5%BE%84/%E8%8C%B6?a=%26&b=1+2"),
    ("https://example.com?x=1", "https://example.com/?x=1"), ("https://example.com/100%", "https://example.com/100%25"),
    ("https://[2606:4700::1]:8443/", "https://[2606:4700::1]:8443/"), ("https://example.com:443/", "https://example.com/"),
    ("https://example.com/a?b=http://c.com/@d", "https://example.com/a?b=http://c.com/@d"), ("https://example.com./", "https://example.com/"),
])  # fmt: skip
def test_a_url_has_one_form(text, url):
    assert parse(text).url == url
    assert parse(url) == parse(text)


@pytest.mark.parametrize(("text", "message"), [
    ("", "the URL is empty; give an address such as https://example.com/page"),
    ("https://a.com/" + "x" * 4000, "the URL is 4014 characters long"),
    ("file:///etc/passwd", "file: is not opened, only http and https"),
    ("ftp://a.com/", "ftp: is not opened"), ("javascript:alert(1)", "javascript: is not opened"), ("mailto:a@b.com", "mailto: is not opened"),
    ("http:/a.com", "lacks the two slashes after http:"), ("https:a.com", "lacks the two slashes after https:"),
    ("http://user:pw@a.com/", "the URL holds a user name or password before '@'; leave that out"), ("http://good.com@evil.com/", "before '@'"),
    ("http://good.com\\@evil.com/", "a backslash"), ("http:\\\\a.com", "two slashes"), ("http://a.com\\b", "a backslash"),
    ("http://a.com\n.evil.com/", "control characters"), ("http://a\0.com/", "control characters"), ("http://a.com/\ud800", "control characters"),
    ("http://a.com:x/", "is not a host, or a host and a port"), ("http://a.com:123456/", "is not a host, or a host and a port"),
    ("http://[::1/", "is not a host"), ("http://::1/", "is not a host"), ("http://a.com:80:80/", "is not a host"), ("http:///path", "is not a host"),
    ("http://a.com:８０/", "is not a host"),
])  # fmt: skip
def test_what_is_no_plain_address_is_refused_with_a_reason(text, message):
    with pytest.raises(Malformed) as caught:
        parse(text)
    assert message in str(caught.value)
    with speaking("zh"), pytest.raises(Malformed) as caught:
        parse(text)
    assert any("\u4e00" <= char <= "\u9fff" for char in str(caught.value))


@given(st.text(max_size=60) | st.text("htp:/\\@#?%[].:0123456789abc。 ", max_size=40))
def test_what_is_parsed_is_what_is_opened(text):
    """Another reader of URLs sees the same host and port in the form that is sent."""
    try:
        place = parse(text)
    except Malformed:
        return
    other = URL(place.url, encoded=True)
    assert (other.raw_host, other.port, other.scheme, other.raw_user) == (place.host, place.port, place.scheme, None)
    assert other.raw_path_qs == place.rest.removesuffix("?")
    assert parse(place.url) == place
    assert place.url.isascii()
    assert not {" ", "\\", "#"} & set(place.url)


@given(st.text("htp:/\\@#?%[].:0123456789ab ", max_size=30))
def test_a_redirect_leads_to_a_place_or_is_refused(location):
    base = parse("https://example.com/a/b?c=1")
    try:
        place = join(base, location)
    except Malformed:
        return
    if not location.strip().startswith("//") and ":" not in location:
        assert place.origin == base.origin
