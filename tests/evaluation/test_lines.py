"""Lines that others read, and files whose end was cut off."""

import json
import math

import pytest

from tao.evaluation.lines import for_others, in_utf8, lines_of, mend_end, strict


def test_lines_are_json_that_every_reader_takes():
    """RFC 8259 has no NaN, UTF-8 no half of a surrogate pair, and most readers no whole numbers of more than 64 bits."""
    odd = {"a": [math.nan, -math.inf, 1.5], "\ud83d": "x\udc00", "pair": "\ud83d\ude00", "n": [2**63 - 1, -(2**63), 2**70, 10**400, True]}
    assert json.loads(for_others(odd)) == {"a": [None, None, 1.5], "\ufffd": "x\ufffd", "pair": "😀", "n": [2**63 - 1, -(2.0**63), 2.0**70, None, True]}
    assert json.loads(strict(odd))["n"] == odd["n"]
    assert strict({"城市": "北京"}) == for_others({"城市": "北京"}) == '{"城市": "北京"}'


def test_our_own_lines_read_back_the_same():
    for record in ({"a": "\ud83d", "b": 2**70}, {"a": "北京"}):
        assert json.loads(in_utf8(record)) == record


@pytest.mark.parametrize(("end", "left"), [(b"", b""), (b'{"a": "\xe9', b""), (b'{"a', b""), (b'{"b": 2}', b'{"b": 2}\n'), ("好".encode(), b"")])
def test_what_was_cut_off_at_the_end_goes(tmp_path, end, left):
    path = tmp_path / "x.jsonl"
    path.write_bytes("\ufeff{}\n".encode() + end)
    assert lines_of(path)[0] == "{}"
    with path.open("a", encoding="utf-8") as file:
        mend_end(path, file)
        file.write("more\n")
    assert path.read_bytes() == "\ufeff{}\n".encode() + left + b"more\n"


def test_a_file_in_another_encoding_is_not_taken_for_one_that_was_cut_off(tmp_path):
    (tmp_path / "x.jsonl").write_bytes('{"a": "北京"}\n'.encode("gbk"))
    with pytest.raises(UnicodeDecodeError):
        lines_of(tmp_path / "x.jsonl")
