import pytest

from tao.permissions.addresses import address, hosts, named, within


@pytest.mark.parametrize(("text", "host", "rest"), [
    ("https://www.Example.org/a?b#c", "example.org", "/a?b#c"), ("example.org", "example.org", ""), ("http://example.org.:80/", "example.org", ":80/"),
    ("https:\\\\example.org\\a", "example.org", "/a"), ("//example.org", "example.org", ""), ("http:example.org", "example.org", ""), ("example\u3002org/x", "example.org", "/x"),
    (" ｅｘａｍｐｌｅ．ｏｒｇ ", "example.org", ""), ("http://2130706433/", "2130706433", "/"), ("[::1]", "[::1]", ""), ("10.0.0.1:8080", "10.0.0.1", ":8080"),
    ("https://good.example@example.org/", "example.org", "/"), ("https://exa\tmple.org", "example.org", ""), ("https://bücher.example/ä", "bücher.example", "/ä"),
    ("notes://secret/1", "secret", "/1"), ("https:/example.org/a", "example.org", "/a"), ("https://a@b@example.org", "example.org", ""), ("https://example%2Eorg", "example.org", ""),
    ("http://example.org:80b/", "example.org:80b/", ""), ("https:// example.org", "example.org", ""),
])  # fmt: skip
def test_what_is_an_address(text, host, rest):
    found = address(text)
    assert found is not None
    assert (found.host, found.rest) == (host, rest)


@pytest.mark.parametrize("text", ["", " ", "word", "two words", "3.14", "12:30", "a/b", "bob@example.org", "C:/x", "1.2.3", "...", "e.g", "http://", "x" * 50_000])
def test_what_is_none(text):
    assert address(text) is None


@pytest.mark.parametrize(("name", "value", "wanted"), [
    ("url", "0x7f.1", "0x7f.1"), ("pageUrl", "3232235777", "3232235777"), ("url", "bob@example.org", "example.org"), ("address", "bob@example.org", None), ("address", "Berlin", None),
    ("hostname", "intranet.1", "intranet.1"), ("query", "3232235777", None), ("q", {"https://example.org": 1}, "example.org"), ("q", [["see http://example.org/x."]], "example.org"),
    ("q", 3, None), ("curl", "0x7f.1", None), ("url", "localhost", "localhost"), ("url", "localhost:8080/x", "localhost"), ("host", "db1:5432", "db1"), ("ip", "10.0.0.1", "10.0.0.1"),
    ("q", "localhost", None), ("domain", "sales", None), ("网址", "localhost", "localhost"), ("目标网址", "0x7f.1", "0x7f.1"), ("链接", "bob@example.org", "example.org"), ("地址", "bob@example.org", None),
    ("地址", "中山路 1 号", None), ("查询", "localhost", None),
])  # fmt: skip
def test_where_it_stands_counts(name, value, wanted):
    assert [one.host for _, one in named({name: value})] == ([wanted] if wanted else [])


@pytest.mark.parametrize("text", ["https://good.example\\@bad.example/x", "good.example\\@bad.example", "https:\\\\good.example\\x@bad.example"])
def test_what_programs_read_in_two_ways_leads_to_both_places(text):
    assert {one.host for _, one in named({"url": text})} == {"good.example", "bad.example"}


@pytest.mark.parametrize("text", [
    "https://example.org/a?b=1", "example.org/a?b=1", "see (http://www.example.org/a?b=1), or not", "[x](https://EXAMPLE.org/a?b=1)", '{"url":"https://example.org/a?b=1"}',
    "https://example.org/a?b=1/", "在https://example.org/a?b=1，这里", "https://example.org/a?b=1.", "line\nhttps://example.org/a?b=1\nline",
])  # fmt: skip
def test_a_link_that_stands_in_a_text(text):
    assert address("https://example.org/a?b=1").stands_in(text)


@pytest.mark.parametrize("text", [
    "https://example.org/a?b=12", "https://example.org/a", "https://example.org/A?b=1", "https://notexample.org/a?b=1", "https://example.org/a?b=1&c", "https://x.example.org/a?b=1",
    "example org a b 1", "",
])  # fmt: skip
def test_one_that_does_not(text):
    assert not address("https://example.org/a?b=1").stands_in(text)


def test_links_in_html_are_read():
    assert address("https://example.org/a?b=1&c=2").stands_in('<a href="https://example.org/a?b=1&amp;c=2">')


@pytest.mark.parametrize(("link", "text"), [
    ("https://example.org/a", "[x](https://example.org/a#part-2), and more"), ("https://example.org/", "https://example.org/#top"),
    ("https://example.org/茶?x=1", "https://example.org/%E8%8C%B6?x=1"), ("https://example.org/%e8%8c%b6", "<https://example.org/%E8%8C%B6#b>"),
    ("https://example.org/%E8%8C%B6", "https://example.org/茶 ,"), ("https://example.org/Th%C3%A9", "https://example.org/Thé."),
])  # fmt: skip
def test_a_link_is_the_same_without_its_place_in_the_page_and_however_its_characters_are_coded(link, text):
    assert address(link).stands_in(text)


@pytest.mark.parametrize(("link", "text"), [
    ("https://example.org/a#b", "https://example.org/a"), ("https://example.org/a#b", "https://example.org/a#c"), ("https://example.org/a%2Fb", "https://example.org/a/b"),
    ("https://example.org/a%23b", "https://example.org/a#b"), ("https://example.org/%FF", "https://example.org/ÿ"), ("https://example.org/a", "https://example.org/ab#c"),
])  # fmt: skip
def test_what_a_server_would_take_for_something_else_is_another_link(link, text):
    assert not address(link).stands_in(text)


def test_hosts_that_a_text_names():
    found = hosts("See www.Example.org, http://intranet/x and 10.0.0.1; mail bob@mail.example; read notes.md, 3.14 and e.g. this. 看看a.cn吧 https://例子.中国/x http://main.py")
    assert found == {"example.org", "intranet", "10.0.0.1", "a.cn", "例子.中国", "main.py"}


def test_below_a_host():
    assert within("a.example.org", ["example.org"])
    assert not within("notexample.org", ["example.org"])
