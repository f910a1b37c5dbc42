import json
import os
from pathlib import Path

import pytest

from tao.tools.builtin.search import search
from tao.tools.words import speaking

SHARED = Path(os.environ.get("TAO_SHARED", Path(__file__).parents[4] / "shared"))


def test_passages_come_with_file_line_and_heading(tmp_path):
    (tmp_path / "policy.md").write_text("# 订单政策\n\n退货须在七天内提出。\n\n## 运费\n\n前言一句。\n北京地区运费为12元。\n")
    assert search(tmp_path)("北京 运费").startswith("[policy.md:5] 运费 前言一句。 北京地区运费为12元。")


def test_the_best_sentences_of_a_long_passage(tmp_path):
    filler = "Nothing of interest happens here today. "
    (tmp_path / "a.txt").write_text(filler * 5 + "\nMount Velmor is 5838 metres high.\n" + filler * 4)
    found = search(tmp_path, room=80)("height of Mount Velmor")
    assert found.startswith("[a.txt:2] Mount Velmor is 5838 metres high.")
    assert len(found) < 120
    (tmp_path / "a.txt").write_text("x " * 300 + "needle " + "y " * 300)
    found = search(tmp_path, room=80)("needle")
    assert "needle" in found
    assert len(found) < 120


def test_weak_matches_are_left_out_and_names_in_no_file_are_said(tmp_path):
    (tmp_path / "a.txt").write_text("Mount Velmor is 5838 metres high.")
    (tmp_path / "b.txt").write_text("A mount of paper.")
    assert search(tmp_path)("Mount Velmor high") == "[a.txt:1] Mount Velmor is 5838 metres high."
    assert search(tmp_path)("Mount Zorblax high").endswith("\n(In no file: Zorblax)")
    with speaking("zh"):
        assert search(tmp_path)("Mount Zorblax").endswith("\n（所有文件中都没有：Zorblax）")


@pytest.mark.parametrize(("most", "shown"), [(3, 1), (10, 2)])
def test_who_asks_for_more_gets_weaker_matches_too(tmp_path, most, shown):
    (tmp_path / "a.txt").write_text("Mount Velmor is 5838 metres high.")
    (tmp_path / "b.txt").write_text("It is a height of metres in paper.")
    for n in range(6):
        (tmp_path / f"n{n}.txt").write_text("Nothing of interest happens here.")
    assert len(search(tmp_path, most=most)("Velmor metres").splitlines()) == shown


def test_nothing_found_says_what_to_try(tmp_path):
    assert search(tmp_path)("x") == f"No results: there are no text files in {tmp_path.name}."
    for n in range(7):
        (tmp_path / f"{n}.txt").write_text("apples")
    assert search(tmp_path)("pears") == (
        "No results for 'pears'. Try fewer or other words, or the other language. Files: 0.txt, 1.txt, 2.txt, 3.txt, 4.txt …"
    )
    with speaking("zh"):
        assert search(tmp_path)("梨").startswith("没有找到“梨”。请减少或更换关键词，或改用另一种语言。文件：0.txt")


def test_as_a_tool(tmp_path):
    made = search(tmp_path)
    assert (made.name, made.spec.effects) == ("search", ("reads",))
    assert made.said("zh").description == "在用户的文件中搜索。"


def test_questions_about_real_chinese_paragraphs(tmp_path):
    source = SHARED / "data" / "cmrc2018" / "cmrc2018_first400.json"
    if not source.exists():
        pytest.skip(f"no {source}; set TAO_SHARED")
    paragraphs = json.loads(source.read_text(encoding="utf-8"))["paragraphs"][:120]
    for at, paragraph in enumerate(paragraphs):
        (tmp_path / f"{at}.txt").write_text(paragraph["context"])
    ask = search(tmp_path)
    asked = [(at, qa) for at, paragraph in enumerate(paragraphs) for qa in paragraph["qas"][:2]]
    right = sum(f"[{at}.txt:" in ask(qa["question"]) for at, qa in asked)
    assert right >= 0.95 * len(asked)
