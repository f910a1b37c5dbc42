"""Pages in the encodings of East Asia and the West, with right, wrong and missing declarations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao.tools.web.charset import decode

CHINESE = "北京今天晴，最高气温二十六度。欢迎访问本站，更多新闻请点击这里。"
TRADITIONAL = "歡迎光臨臺灣圖書館，請點選下方連結瀏覽更多資訊與最新消息。"
JAPANESE = "東京は今日も晴れです。詳しくはこちらをご覧ください。"
KOREAN = "서울은 오늘 맑습니다. 자세한 내용은 여기를 참조하십시오."
FRENCH = "Le café est très agréable à l’été, déjà."


def page(text, declared):
    return f'<html><head><meta charset="{declared}"><title>t</title></head><body>{text}</body></html>'


@pytest.mark.parametrize(("text", "codec", "declared"), [
    (CHINESE, "gbk", "gb2312"), (CHINESE, "gb18030", "GB18030"), (CHINESE + "镕𠮷", "gb18030", "gbk"), (TRADITIONAL, "big5", "Big5"),
    (JAPANESE, "cp932", "Shift_JIS"), (JAPANESE, "euc_jp", "EUC-JP"), (KOREAN, "cp949", "euc-kr"), (FRENCH, "cp1252", "ISO-8859-1"),
    (CHINESE, "utf-8", "utf-8"), ("Привет, мир", "cp1251", "windows-1251"), ("Привет", "koi8-r", "KOI8-R"),
])  # fmt: skip
def test_a_declared_encoding_is_read_from_the_page_and_from_the_header(text, codec, declared):
    assert text in decode(page(text, declared).encode(codec))[0]
    assert decode(text.encode(codec), f"text/html; charset={declared}")[0] == text
    assert decode(text.encode(codec), f'text/html;charset="{declared.lower()}"')[0] == text


@pytest.mark.parametrize(("text", "codec"), [(CHINESE, "gbk"), (CHINESE, "utf-8"), (TRADITIONAL, "big5"), (JAPANESE, "cp932"), (KOREAN, "cp949")])
def test_an_undeclared_encoding_is_found(text, codec):
    assert decode(f"<p>{text}</p>".encode(codec))[0] == f"<p>{text}</p>"


@pytest.mark.parametrize(("text", "codec", "declared"), [
    (CHINESE, "utf-8", "iso-8859-1"), (CHINESE, "gbk", "utf-8"), (CHINESE, "utf-8", "gbk"), (CHINESE, "gbk", "nonsense"), (FRENCH, "utf-8", "ascii"),
])  # fmt: skip
def test_a_wrong_declaration_gives_way(text, codec, declared):
    assert decode(text.encode(codec), f"text/html; charset={declared}")[0] == text


def test_the_header_goes_before_the_page():
    assert CHINESE in decode(page(CHINESE, "big5").encode("gbk"), "text/html; charset=gbk")[0]


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_decides(codec):
    assert decode(CHINESE.encode(codec), "text/html; charset=gbk")[0] == CHINESE


@pytest.mark.parametrize("codec", ["utf-8", "gbk"])
def test_a_character_cut_off_at_the_end_spoils_nothing(codec):
    assert decode(CHINESE.encode(codec)[:-1], f"text/plain; charset={codec}")[0] == CHINESE[:-1]


@pytest.mark.parametrize("declared", ["hex", "zip", "rot13", "base64", "idna", "undefined", "\x00", "-", "utf-7" * 9])
def test_what_is_no_text_encoding_is_not_used(declared):
    assert decode(CHINESE.encode(), f"text/html; charset={declared}")[0] == CHINESE


@given(st.binary(max_size=300), st.sampled_from(["", "text/html", "text/html; charset=gbk", "text/html; charset=utf-16", "a; charset=iso-2022-jp"]))
def test_any_bytes_become_text(body, kind):
    text, name = decode(body, kind)
    assert isinstance(text, str)
    assert name
