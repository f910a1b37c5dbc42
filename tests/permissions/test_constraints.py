import datetime as dt
import math

import pytest

from tao.permissions.constraints import holds, host_of

TODAY = dt.date(2026, 11, 30)


def told(value, **options):
    return holds({name.rstrip("_"): it for name, it in options.items()}, value, TODAY)


# ── paths ─────────────────────────────────────────────────────────────────────


@pytest.fixture
def data(tmp_path):
    for name in ("data/sub", "data2", "secret"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "secret" / "key").write_text("k")
    (tmp_path / "data" / "out").symlink_to(tmp_path / "secret")
    (tmp_path / "data" / "file").symlink_to(tmp_path / "secret" / "key")
    (tmp_path / "data" / "loop").symlink_to(tmp_path / "data" / "loop")
    (tmp_path / "in").symlink_to(tmp_path / "data")
    return tmp_path / "data"


@pytest.mark.parametrize("path", ["", "/", "/a.txt", "/sub/../a.txt", "/sub/new/x", "/./a"])
def test_a_path_below_is_below(data, path):
    assert told(f"{data}{path}", under=str(data)) is True
    assert told(f"{data}{path}", under=["/elsewhere", str(data)]) is True


@pytest.mark.parametrize("path", ["/../secret/key", "/out/key", "/file", "/../data2/a", "/sub/../../secret", "2/a", "/sub/../out/new"])
def test_a_path_that_leads_out_is_not_below(data, path):
    assert told(f"{data}{path}", under=str(data)) is False


def test_a_link_into_the_folder_is_below_and_the_rules_folder_may_be_a_link(data):
    inside = str(data.parent / "in")
    assert told(f"{inside}/a", under=str(data)) is True
    assert told(f"{data}/a", under=inside) is True


def test_relative_paths_begin_where_the_rule_says_or_here(data, monkeypatch):
    assert told("a.txt", under=str(data), from_=str(data)) is True
    assert told("../secret/key", under=str(data), from_=str(data)) is False
    monkeypatch.chdir(data)
    assert told("sub/a", under=str(data)) is True
    assert told("../a", under=str(data)) is False


@pytest.mark.parametrize("value", [
    None, 3, True, {}, "", "  ", "~/a", "~root/a", "file:///data/a", "a\x00b", "a\nb", "..\\..\\a", "a\u202eb", "a\u200bb", "a/%2e%2e/%2E%2e/b", "a%2Fb", "a%5cb",
])  # fmt: skip
def test_a_path_that_programs_may_read_differently_cannot_be_told(data, value):
    assert told(value, under=str(data), from_=str(data)) is None


def test_a_path_that_is_below_only_where_case_does_not_count_cannot_be_told(data):
    assert told(str(data).upper() + "/a", under=str(data)) is None
    assert told("/somewhere/else", under=str(data)) is False


def test_a_loop_of_links_is_an_answer_and_no_crash(data):
    assert told(f"{data}/loop/../../secret/key", under=str(data)) is not None


# ── addresses ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("value", "pattern"), [
    ("https://example.com", "example.com"), ("https://EXAMPLE.com/a?b=c#d", "Example.COM"), ("http://example.com.:80/", "example.com"),
    ("https://a.example.com/x", "*.example.com"), ("https://a.b.example.com", "*.example.com"), ("https://example.com:8443/", "example.com:8443"),
    ("https://example.com/", "example.com:443"), ("http://example.com:8080/", "example.com"), ("example.com", "example.com"), ("example.com:99", "example.com:99"),
    ("http://127.0.0.1:5000/x", "127.0.0.1"), ("http://[::1]:80/", "::1"), ("http://[::1]:81/", "[::1]:81"), ("https://例え.jp/", "例え.jp"),
])  # fmt: skip
def test_hosts_that_fit(value, pattern):
    assert told(value, hosts=[pattern]) is True
    assert told(value, hosts=pattern) is True


@pytest.mark.parametrize(("value", "pattern"), [
    ("https://example.com.evil.org/", "example.com"), ("https://notexample.com/", "*.example.com"), ("https://example.com/", "*.example.com"),
    ("https://evil.org/example.com", "example.com"), ("https://evil.org?example.com", "example.com"), ("https://evil.org#example.com", "example.com"),
    ("http://example.com/", "example.com:443"), ("https://example.com:444", "example.com:443"), ("http://2130706433.example.org", "example.com"),
])  # fmt: skip
def test_hosts_that_do_not_fit(value, pattern):
    assert told(value, hosts=[pattern]) is False


@pytest.mark.parametrize("value", [
    "https://example.com@evil.org/", "https://u:p@example.com/", "https://evil.org\\@example.com/", "https://example.com\\.evil.org/",
    "ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)", "//example.com/", "/example.com", "https:example.com", "https://", "",
    "https:///example.com", "https://exa%6dple.com/", "https://example.com /", "https://example.com\t/", "https://exam\nple.com/", "http://[::1",
    "http://example.com:port/", "http://example.com:99999/", "http://2130706433/", "http://0x7f000001/", "http://127.1/", "http://0177.0.0.1/",
    "http://[::ffff:127.0.0.1]/", "http://[0:0::1]/", "https://ex\u00e4mple.com/", "https://\uff45xample.com/", "https://evil\u3002org/", None, 3, {},
])  # fmt: skip
def test_hosts_that_programs_may_read_differently_cannot_be_told(value):
    assert told(value, hosts=["example.com", "127.0.0.1", "*.example.com", "::1"]) is None


def test_host_and_port_are_read_off():
    assert host_of("https://Example.com/x") == ("example.com", 443)
    assert host_of("example.com") == ("example.com", None)


# ── numbers, days, patterns, choices ──────────────────────────────────────────


@pytest.mark.parametrize(("value", "answer"), [
    (100, True), (99.5, True), (-5, True), (0, True), (100.001, False), (10**30, False), (math.inf, False), (math.nan, None), ("7", None),
    (True, None), (None, None), ({}, None),
])  # fmt: skip
def test_at_most(value, answer):
    assert told(value, at_most=100) is answer


def test_at_least_and_both():
    assert told(1, at_least=1) is True
    assert told(0, at_least=1) is False
    assert [told(n, at_least=1, at_most=3) for n in (0, 2, 4, "2")] == [False, True, False, None]


@pytest.mark.parametrize(("value", "answer"), [
    ("2026-11-30", True), ("2026-10-31", True), ("2026-10-30", False), ("2026-12-01", True), ("2026-12-02", False), ("1999-01-01", False),
    ("2026-11-01T10:00:00", True), ("2026-12-02T05:00:00+08:00", True), ("2026-12-03T05:00:00+08:00", False), ("20261101", True), ("yesterday", None),
    ("30/11/2026", None), (5, None), (None, None), ("", None),
])  # fmt: skip
def test_within_days(value, answer):
    assert told(value, within_days=30) is answer


def test_without_a_day_to_count_from_it_cannot_be_told():
    assert holds({"within_days": 30}, "2026-11-30", None) is None


@pytest.mark.parametrize(("value", "answer"), [
    ("ab12", True), ("ab12\n", None), ("x ab12", None), ("zz", False), ("", False), (12, None), (None, None), ("a" * 20_000, None),
])  # fmt: skip
def test_matches_is_about_the_whole_and_a_part_cannot_be_told(value, answer):
    assert told(value, matches="[a-c]+[0-9]+") is answer


@pytest.mark.parametrize(("value", "answer"), [("a", True), (1, True), ("1", False), (True, False), (1.0, False), ({"k": [1]}, True), (None, False)])
def test_one_of_is_exact(value, answer):
    assert told(value, one_of=["a", 1, {"k": [1]}]) is answer


def test_of_a_list_every_item_counts():
    assert told([1, 2], at_most=3) is True
    assert told([7, 8], at_most=3) is False
    assert told([1, 8], at_most=3) is None
    assert told([], at_most=3) is None
    assert told([1, "x"], at_most=3) is None
