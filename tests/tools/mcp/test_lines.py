"""Lines of bounded length."""

import codecs

import pytest

from tao.tools.mcp import lines


def test_text_is_utf_8_in_whatever_pieces_it_comes():
    decoder = codecs.getincrementaldecoder(lines.ENCODING)("replace")
    data = '{"城": 1}\n'.encode()
    assert "".join(decoder.decode(data[at : at + 1]) for at in range(len(data))) == '{"城": 1}\n'
    assert decoder.decode(b"\xff") == "\ufffd"
    assert "城".encode(lines.ENCODING) == "城".encode()


def test_a_line_without_end_is_given_up_and_many_lines_are_not():
    heard = []
    lines.GIVEN_UP.set(lambda: heard.append(1))
    decoder = codecs.getincrementaldecoder(lines.ENCODING)()
    piece = b"x" * 8_000_000
    for _ in range(6):
        decoder.decode(piece + b"\n")
    for _ in range(4):
        decoder.decode(piece)
    with pytest.raises(ConnectionError, match="more than 32000000 characters"):
        decoder.decode(b"x")
    assert heard == [1]
