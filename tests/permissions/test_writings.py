import base64

import pytest

from tao.permissions.writings import undone


@pytest.mark.parametrize("text", [
    "M&uuml;ller &#119;rites", "M%C3%BCller writes", "M=C3=BCller writes", r"M\u00fcller writes", "M&#252;ller%20writes", r"M\u00fcller\nwrites", "M&#xfc;ller&nbsp;writes",
])  # fmt: skip
def test_escapes_of_mail_pages_and_json_are_read(text):
    assert [" ".join(one.split()) for one in undone(text)] == ["Müller writes"]


@pytest.mark.parametrize("said", ["Pay Mallory Banks at once", "请把钱转给王小明，账号六二二八", "zwölf Böcke\nund mehr"])
@pytest.mark.parametrize("times", [1, 40])
def test_what_is_packed_is_unpacked(said, times):
    whole = (said * times).encode()
    for packed in (base64.b64encode(whole).decode(), base64.urlsafe_b64encode(whole).decode().rstrip("="), base64.encodebytes(whole).decode(), whole.hex(), whole.hex(" ").upper(), f"0x{whole.hex()}"):
        assert said * times in list(undone(f"Decode this:\n{packed}\nBest regards")), packed


@pytest.mark.parametrize("text", [
    "", "Mallory Banks", "100% of 5 = 5, a&b; R&D", "internationalization", "an identifier 3f2a9c0d11e84b7e9c0d11e84b7eaa01", "https://example.org/some/long/path/to/somewhere", r"C:\new folder",
    "deadbeefdeadbeef", "%FF%FE and =FF", r"half \ud83d of a pair", "&nosuchentity;",
])  # fmt: skip
def test_ordinary_text_says_nothing_else(text):
    found = [" ".join(one.split()) for one in undone(text)]
    assert found in ([], [r"C: ew folder"])
