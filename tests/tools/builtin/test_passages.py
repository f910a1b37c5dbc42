from pathlib import Path

import pytest

from tao.tools.builtin.passages import decoded, passages, sentences, width


def read(name, text, room=500):
    return [(passage.heading, list(passage.lines)) for passage in passages(Path(name), text, room)]


def test_markdown_paragraphs_know_their_heading_and_line():
    text = "# Title\n\nFirst\nline.\n\n## Costs\n\nTwelve.\n"
    assert read("a.md", text) == [("Title", [(1, "Title"), (3, "First"), (4, "line.")]), ("Costs", [(6, "Costs"), (8, "Twelve.")])]


def test_restructured_text():
    assert read("a.rst", "Title\n=====\n\nBody.\n\nOther\n-----\nText.") == [
        ("Title", [(1, "Title"), (4, "Body.")]), ("Other", [(6, "Other"), (8, "Text.")]),
    ]  # fmt: skip


def test_plain_paragraphs():
    assert read("a.txt", "one\ntwo\n\nthree\n") == [("", [(1, "one"), (2, "two")]), ("", [(4, "three")])]


def test_long_paragraphs_and_lines_are_cut_at_sentences():
    text = "".join(f"Sentence number {n} is here. " for n in range(100))
    found = list(passages(Path("a.txt"), text, 200))
    assert all(width(passage.text) <= 200 for passage in found)
    assert "".join(passage.text for passage in found).count("Sentence") == 100
    chinese = "这是一个句子。" * 100
    found = list(passages(Path("a.txt"), chinese, 100))
    assert all(width(passage.text) <= 100 for passage in found)
    assert "".join(passage.text for passage in found) == chinese
    assert len(list(passages(Path("a.txt"), "x" * 5000, 200))) == 5


def test_tables_say_their_columns():
    text = 'name,price\nWidget,3.5\n"Gad\nget",,extra\n\n'
    assert read("a.csv", text) == [("", [(2, "name: Widget; price: 3.5")]), ("", [(3, "name: Gad\nget; extra")])]
    assert read("a.tsv", "name\tprice\nWidget\t3.5\n") == [("", [(2, "name: Widget; price: 3.5")])]
    assert read("a.csv", "only,header\n") == [("", [(1, "only,header")])]
    assert read("a.csv", "") == []
    assert read("a.csv", "a,b\n" + "x" * 200_000 + ",1\n")[0][0] == ""


def test_json_is_read_by_record_and_without_escapes():
    assert read("a.json", '[{"city": "\\u5317\\u4eac"}, "plain", 5]') == [("", [(1, '{"city": "北京"}')]), ("", [(1, "plain")]), ("", [(1, "5")])]
    assert read("a.json", '{"a": 1, "b": [2]}') == [("", [(1, '{"a": 1}')]), ("", [(1, '{"b": [2]}')])]
    assert read("a.json", "5") == [("", [(1, "5")])]
    assert read("a.json", '{\n "a": "\\u5317",\n "b": 2\n}\n') == [("", [(2, '"a": "北",'), (3, '"b": 2')])]
    assert read("a.json", "{broken \\ud83d\\ude00") == [("", [(1, "{broken 😀")])]
    assert read("a.jsonl", '{"a": 1}\n\n{"a": 2}\n') == [("", [(1, '{"a": 1}')]), ("", [(3, '{"a": 2}')])]


def test_web_pages():
    text = (
        "<html><head><title>Site</title><style>p {}</style><script>if (a < b) {}</script></head>\n<body><h1>Peaks &amp; more</h1>\n"
        "<p>Mount\n <b>Velmor</b> is high.</p><table><tr><td>Orvik</td><td>3000</td></tr></table></body></html>"
    )
    assert read("a.html", text) == [
        ("Site", [(1, "Site")]), ("Peaks & more", [(2, "Peaks & more"), (3, "Mount Velmor is high."), (4, "Orvik | 3000")]),
    ]  # fmt: skip


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_encodings(encoding):
    assert decoded("蓝鲸是最大的动物".encode(encoding)) == "蓝鲸是最大的动物"


def test_what_is_not_text():
    assert decoded(b"\x89PNG\x00\x00") == ""
    assert decoded(b"\xff\xff\xff ok").endswith("ok")


def test_sentences():
    assert sentences("One. Two! 三。四？ 3.14 e") == ["One.", "Two!", "三。", "四？", "3.14 e"]


def test_pieces_of_a_paragraph_say_that_they_go_on():
    def told(name, text):
        return [passage.goes_on for passage in passages(Path(name), text, 60)]

    assert told("a.txt", "One sentence is here. " * 6 + "\n\nAnother paragraph.\n") == [False, True, True, False]
    assert told("a.csv", "name,told\nx," + "One sentence is here. " * 4 + "\ny,z\n") == [False, True, False]
    assert told("a.jsonl", '{"a": 1}\n{"a": 2}\n') == [False, False]
