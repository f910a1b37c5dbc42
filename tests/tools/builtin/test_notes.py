"""Notes: kept, found by their words, forgotten; nobody finds those of others."""

import sqlite3

import pytest

from tao.events import Asked
from tao.messages import Call
from tao.run import Run
from tao.tools.builtin.notes import LONGEST, notes
from tao.tools.registry import registry


@pytest.fixture
def use(tmp_path):
    tools = notes(tmp_path / "deep" / "notes.db", clock=lambda: 1_750_000_000.0)
    act = registry(tools)

    async def used(name, who=None, lang="en", **args):
        asked = Asked("q", tuple(tool.said(lang) for tool in tools), lang, settings={"who": who} if who else {})
        return await act(Call("1.1", name, args), Run("r", [asked]))

    return used


async def test_what_is_noted_is_found_again_by_its_words(use):
    assert (await use("remember", text="The printer on floor 3 needs the blue paper.")).text == "Noted as 1."
    assert (await use("remember", text="王芳喜欢喝乌龙茶。", lang="zh")).text == "已记为第 2 条。"
    assert (await use("recall", query="printer paper")).text == "[1, 2025-06-15] The printer on floor 3 needs the blue paper."
    assert "王芳" in (await use("recall", query="王芳 爱喝 什么茶")).text
    assert (await use("recall", query="spaceship", lang="zh")).text == "没有相关的笔记。"
    assert (await use("recall", query='" OR 1; DROP TABLE notes --')).ok
    assert (await use("remember", text=" The printer on floor 3 needs the blue paper. ")).text == "Note 1 says so already."


async def test_word_forms_and_single_characters(use):
    await use("remember", text="Ann prefers window seats on trains.")
    await use("remember", text="老王住在杭州市西湖区。")
    assert "Ann" in (await use("recall", query="train seat")).text
    for query in ("西湖", "杭州", "老王的住址", "住"):
        assert "老王" in (await use("recall", query=query)).text, query


async def test_without_a_query_the_latest_are_shown(use):
    for number in range(1, 9):
        await use("remember", text=f"fact number {number}")
    assert (await use("recall", query="")).text.splitlines() == [f"[{n}, 2025-06-15] fact number {n}" for n in (8, 7, 6, 5, 4)]


async def test_what_is_forgotten_is_gone(use, tmp_path):
    await use("remember", text="My secret word is heron.")
    assert (await use("forget", number=1)).ok
    assert (await use("recall", query="heron")).text == "No note says anything about it."
    assert not (await use("forget", number=1)).ok
    with sqlite3.connect(tmp_path / "deep" / "notes.db") as left:
        assert left.execute("SELECT count(*) FROM notes").fetchone() == (0,)
    left.close()
    assert b"heron" not in (tmp_path / "deep" / "notes.db").read_bytes()


async def test_notes_belong_to_one_user_of_one_tenant(use):
    ann, ben = {"user": "ann", "tenant": "a"}, {"user": "ann", "tenant": "b"}
    await use("remember", ann, text="The code is 4711.")
    for other in (ben, None, {"user": "bob", "tenant": "a"}):
        assert "4711" not in (await use("recall", other, query="code 4711")).text
        assert not (await use("forget", other, number=1)).ok
    assert "4711" in (await use("recall", ann, query="code")).text


@pytest.mark.parametrize("text", ["", "  ", "x" * (LONGEST + 1)])
async def test_a_note_has_a_length(use, text):
    seen = await use("remember", text=text)
    assert not seen.ok
    assert str(LONGEST) in seen.text
