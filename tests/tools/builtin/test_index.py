import os
import sqlite3

import pytest

from tao.errors import ConfigError
from tao.tools.builtin import segment
from tao.tools.builtin.index import Index, spread


def without():
    """What the segmenter is where none is installed: None."""


@pytest.fixture(params=["words", "pairs"])
def segmenter(request):
    """With the segmenter, and as it is without."""
    if request.param == "words":
        pytest.importorskip("rjieba")
    return segment.cutter if request.param == "words" else without


def found(index, question):
    index.refresh()
    return [hit.path for hit in index.find(question, 3)]


def test_chinese_of_every_length(tmp_path, segmenter):
    (tmp_path / "whale.txt").write_text("蓝鲸是最大的动物，体长可达三十米。")
    (tmp_path / "fee.txt").write_text("北京地区运费为12元，上海15元。")
    (tmp_path / "mixed.txt").write_text("我们用Python写的退货流程在七天内完成。")
    index = Index(tmp_path, segmenter=segmenter)
    for question, path in [
        ("鲸", "whale.txt"), ("动物", "whale.txt"), ("蓝鲸有多长", "whale.txt"), ("米", "whale.txt"), ("北京", "fee.txt"), ("上海运费是多少", "fee.txt"),
        ("python", "mixed.txt"), ("退货", "mixed.txt"), ("12", "fee.txt"),
    ]:  # fmt: skip
        assert found(index, question)[:1] == [path], question
    assert found(index, "火星") == []
    assert found(index, "") == []
    index.close()


def test_names_that_are_cut_differently_are_found(tmp_path, segmenter):
    (tmp_path / "a.txt").write_text("魏尔莫山高五千米。")
    (tmp_path / "b.txt").write_text("奥维克山高三千米。")
    assert found(Index(tmp_path, segmenter=segmenter), "魏尔莫")[:1] == ["a.txt"]
    assert found(Index(tmp_path, segmenter=segmenter), "奥维克山有多高")[:1] == ["b.txt"]


def test_plurals_width_and_accents(tmp_path):
    (tmp_path / "a.txt").write_text("The heights of mountains differ; the café sells 1,200 widgets.")
    for question in ("height", "mountain", "cafe", "Widget", "１２００", "1,200"):
        assert found(Index(tmp_path), question) == ["a.txt"], question


def test_several_terms_together_beat_one_rare_word(tmp_path):
    for n in range(8):
        (tmp_path / f"noise{n}.txt").write_text(f"The velocity of train {n} is {n}00.")
    (tmp_path / "rare.txt").write_text("Zyx zyx zyx is a word.")
    (tmp_path / "right.txt").write_text("The height of mount Velmor near Zyx is 5838 metres.")
    assert found(Index(tmp_path), "height of mount velmor zyx")[0] == "right.txt"


def test_the_title_counts(tmp_path):
    (tmp_path / "refunds.md").write_text("# 退款政策\n\n七天之内。\n")
    (tmp_path / "other.md").write_text("# 其他\n\n七天之外。\n")
    assert found(Index(tmp_path), "退款 七天")[0] == "refunds.md"
    assert found(Index(tmp_path), "refunds") == ["refunds.md"]


def test_files_are_followed_as_they_change(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("apples")
    store = tmp_path / "cache" / "index.db"
    index = Index(folder, store)
    assert index.refresh() == 1
    assert index.refresh() == 0
    (folder / "a.txt").write_text("bananas and more")
    (folder / "sub").mkdir()
    (folder / "sub" / "b.md").write_text("cherries")
    assert index.refresh() == 2
    assert (found(index, "apples"), found(index, "bananas"), found(index, "cherries")) == ([], ["a.txt"], ["sub/b.md"])
    (folder / "a.txt").unlink()
    assert (found(index, "bananas"), index.files()) == ([], ["sub/b.md"])
    index.close()
    again = Index(folder, store)
    assert (again.refresh(), found(again, "cherries")) == (0, ["sub/b.md"])
    again.close()


def test_an_index_made_otherwise_is_made_anew(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("apples")
    first = Index(folder, tmp_path / "index.db", segmenter=lambda: list)
    first.refresh()
    first.close()
    second = Index(folder, tmp_path / "index.db", segmenter=without)
    assert (second.files(), second.refresh()) == ([], 1)
    second.close()


def test_an_index_of_an_older_form_is_made_anew(tmp_path):
    (tmp_path / "a.txt").write_text("apples")
    old = sqlite3.connect(tmp_path / "index.db")
    old.executescript(
        "CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT); INSERT INTO about VALUES ('made by', '1 pairs');"
        "CREATE TABLE passages (id INTEGER PRIMARY KEY, path TEXT); INSERT INTO passages VALUES (1, 'gone.txt');"
    )
    old.close()
    index = Index(tmp_path, tmp_path / "index.db")
    assert (index.files(), found(index, "apples")) == ([], ["a.txt"])
    index.close()


def test_pieces_of_one_paragraph_leave_room_for_another(tmp_path, segmenter):
    for one, other, question, filler in [
        ("The Velmor bridge spans the river. ", "The Velmor bridge was built by Orvik.", "Who built the Velmor bridge over the river", "Nothing else happens in this town. "),
        ("维尔莫大桥横跨河流。", "维尔莫大桥由奥维克建造。", "谁建造了河流上的维尔莫大桥", "这座小镇没有发生别的事情。"),
    ]:  # fmt: skip
        folder = tmp_path / question[:3].strip()
        folder.mkdir()
        (folder / "long.txt").write_text((one * 4 + filler * 10) * 4)
        (folder / "short.txt").write_text(other)
        for n in range(6):
            (folder / f"noise{n}.txt").write_text(filler)
        index = Index(folder, segmenter=segmenter)
        index.refresh()
        hits = index.find(question, 20)
        assert "short.txt" in [hit.path for hit in hits[:2]]
        assert sum(hit.path == "long.txt" for hit in hits) > 2  # they come later, and all of them
        index.close()


def test_rows_of_a_table_stand_by_themselves(tmp_path):
    (tmp_path / "a.csv").write_text("name,height\n" + "".join(f"Mount Velmor {n},{n}000\n" for n in range(8)))
    index = Index(tmp_path)
    index.refresh()
    hits = index.find("Mount Velmor 3 height", 3)
    assert hits[0].passage.lines[0][0] == 5
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_how_pieces_are_spread():
    assert spread([(10, 5), (9, 6), (8, 20), (7, 7), (5, 30)], {6, 7}) == [(10, 5), (8, 20), (9, 6), (5, 30), (7, 7)]
    assert spread([(10, 6), (9, 5), (9, 7), (4, 1)], {6, 7}) == [(10, 6), (9, 5), (9, 7), (4, 1)]
    assert spread([(10, 5), (9, 6), (8, 20)], set()) == [(10, 5), (9, 6), (8, 20)]
    assert spread([(10, 6), (9, 5), (8, 7)], {7}) == [(10, 6), (9, 5), (8, 7)]
    assert spread([], set()) == []


def test_what_is_left_out(tmp_path):
    (tmp_path / ".hidden.txt").write_text("apples")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "a.txt").write_text("apples")
    (tmp_path / "picture.png").write_bytes(b"apples")
    (tmp_path / "binary.txt").write_bytes(b"\x00\x01 apples")
    (tmp_path / "outside.txt").symlink_to("/etc/hostname")
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere")
    unreadable = tmp_path / "unreadable.txt"
    unreadable.write_text("apples")
    unreadable.chmod(0)
    readable_by_root = os.geteuid() == 0
    assert found(Index(tmp_path), "apples") == (["unreadable.txt"] if readable_by_root else [])
    unreadable.chmod(0o600)


def test_one_file(tmp_path):
    (tmp_path / "a.txt").write_text("apples")
    assert found(Index(tmp_path / "a.txt"), "apples") == ["a.txt"]


def test_known_words(tmp_path):
    (tmp_path / "a.txt").write_text("Mount Velmor")
    index = Index(tmp_path)
    index.refresh()
    assert index.knows("Velmor")
    assert not index.knows("Zorblax")


def test_no_such_folder(tmp_path):
    with pytest.raises(ConfigError, match=r"no folder .*nowhere; give a folder with text files"):
        Index(tmp_path / "nowhere")
    (tmp_path / "notadb").write_bytes(b"x" * 5000)
    (tmp_path / "docs").mkdir()
    with pytest.raises(ConfigError, match="cannot be opened"):
        Index(tmp_path / "docs", tmp_path / "notadb")


def test_a_rare_name_counts_more_than_common_words_together(tmp_path):
    same = "of the American animated television series has fifteen episodes. The second was created by Trey Parker and Matt Stone."
    for n in range(20):
        (tmp_path / f"season{n}.md").write_text(f"# Season {n}\n\nThe {n} season {same}\n")
    for n in range(30):
        (tmp_path / f"other{n}.md").write_text(f"# Thing {n}\n\nA bridge of steel number {n} over a river.\n")
    (tmp_path / "name.md").write_text("# Robobot\n\nRobobot is an episode of the series about a robot.\n")
    question = "Robobot is the second episode of the fifteenth season of which American animated television series, created by Trey Parker and Matt Stone?"
    assert found(Index(tmp_path), question)[0] == "name.md"
