import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from tao.messages import Call, Observation
from tao.testing import did, history, spec
from tao.wrappers.truncate import MOST_KEPT, cost, pages, read_more, truncate

LINES = "\n".join(f"line {n} of the text" for n in range(1000))


PAGED = (read_more(),)


def giving(observation):
    async def act(call, run):
        return observation

    return act


async def shown(text, lang="en", tokens=100, tools=PAGED, **more):
    run = history("q", tools=[spec("f"), *tools], lang=lang)
    return await truncate(giving(Observation(text, **more)), tokens)(Call("3.1", "f", {}), run)


@pytest.mark.parametrize("text", ["short", "中" * 100, "x" * 400, ""])
async def test_what_fits_is_left_alone(text):
    assert await shown(text) == Observation(text)


async def test_head_and_tail_are_kept_and_the_cut_is_stated():
    seen = await shown(LINES, data=[1], notes=("n",))
    assert seen.text.startswith("line 0 of the text\nline 1")
    assert seen.text.endswith("line 999 of the text")
    assert "[… " in seen.text
    assert 'read it with read_more: handle "3.1", page 1 to ' in seen.text
    assert cost(seen.text) < 150
    assert seen.full == LINES
    assert seen.data == [1]
    assert seen.notes[0] == "n"
    left = int(seen.text.split("[… ")[1].split()[0])
    assert seen.notes[1] == f"✂ {left}"
    zh = await shown("中文句子。" * 200, "zh")
    assert "个字符；用 read_more 阅读：handle “3.1”，page 1 至 " in zh.text


async def test_without_read_more_it_is_not_spoken_of():
    seen = await shown(LINES, tools=())
    assert "characters left out …]" in seen.text
    assert "read_more" not in seen.text


async def test_a_flood_loses_its_middle():
    seen = await shown("a" * MOST_KEPT + "b" * MOST_KEPT, data="x")
    assert len(seen.full) == MOST_KEPT + 5
    assert seen.data is None
    assert "[… 1999" in seen.text


async def test_the_rest_is_read_in_pages():
    cut = await shown(LINES)
    run = history("q", *did(3, "f", cut), *did(4, "f", "short"), tools=[spec("f"), read_more()])

    async def read(**args):
        return await truncate(giving(Observation("never")), 100)(Call("5.1", "read_more", args), run)

    count = len(pages(LINES, 100))
    got = [(await read(handle="3.1", page=n)).text for n in range(1, count + 1)]
    assert got[0].startswith(f"[page 1 of {count}]\nline 0")
    assert "".join(page.split("\n", 1)[1] for page in got) == LINES
    assert (await read(handle='"3.1"', page="2")).text == got[1]
    assert (await read(handle="3.1")).text == got[0]
    assert (await read(handle="3.1", page=99)) == Observation(f"There is no page 99: 3.1 has pages 1 to {count}.", ok=False, kind="bad_arguments")
    assert (await read(handle="3.1", page=2.0)).text == got[1]
    assert (await read(handle="3.1", page="two")).kind == "bad_arguments"
    assert (await read(handle="4.1", page=1)).text == "There is no cut result '4.1'. Handles: 3.1."
    run = history("q", tools=[read_more("zh")], lang="zh")
    assert (await read(handle="1.1")).text == "没有被截断的结果“1.1”。可用句柄：无。"
    run = history("q", *did(3, "f", cut), tools=[read_more("zh")], lang="zh")
    assert (await read(handle="3.1", page=99)).text == f"没有第 99 页：3.1 有第 1 至 {count} 页。"
    assert (await read(handle="3.1", page=2)).text.startswith(f"[第 2 页，共 {count} 页]\nline")


async def test_a_tool_of_that_name_that_the_run_does_not_offer_is_somebody_elses():
    seen = await truncate(giving(Observation("theirs")), 100)(Call("1", "read_more", {}), history("q"))
    assert seen.text == "theirs"


def test_the_tool_in_both_languages():
    assert read_more().description == "Read a page of a result that was cut."
    assert read_more("zh-CN").description == "分页阅读被截断的结果。"


@settings(max_examples=200, deadline=None)
@given(st.text("ab 中，。\n", max_size=600), st.integers(3, 60))
async def test_pages_are_the_text_and_fit(text, tokens):
    found = pages(text, tokens)
    assert "".join(found) == text
    assert all(cost(page) <= tokens for page in found)


@settings(max_examples=200, deadline=None)
@given(st.text("ab 中，。\n", max_size=900), st.integers(20, 80))
async def test_what_is_shown_fits_whatever_the_text(text, tokens):
    seen = await shown(text, tokens=tokens)
    assert cost(seen.text) <= tokens + 60
    assert seen.full in {"", text}


async def test_a_tool_that_keeps_a_whole_text_itself_is_read_from_there():
    seen = await shown(LINES, full=LINES * 2)
    assert seen.full == LINES * 2
    assert f"page 1 to {len(pages(LINES * 2, 100))}" in seen.text


# ── long texts ────────────────────────────────────────────────────────────────

MIXED = st.text(st.sampled_from("a é中。 \n.,，😀я"), max_size=300)


def fits(text, tokens):
    return sum(4 if char > "\u2e7f" else 1 for char in text) <= 4 * tokens


@given(MIXED, st.integers(1, 30))
def test_a_page_is_as_long_as_it_may_be(text, tokens):
    found = pages(text, tokens)
    assert "".join(found) == text
    for page, after in zip(found, [*found[1:], ""], strict=False):
        assert page
        assert fits(page, tokens)
        ends_well = page.endswith(("\n", "。", ". ", " ", "，"))
        assert ends_well or not after or not fits(page + after[0], tokens)


@given(MIXED)
def test_a_cost_is_one_for_a_wide_character_and_a_quarter_for_another(text):
    assert cost(text) == sum(1 if char > "\u2e7f" else 0.25 for char in text)


@pytest.mark.parametrize("letters", ["x", "中", "я", "中文 and ", "a中", "中文。\n", "word ", "é\n", "😀"])
@pytest.mark.parametrize("tokens", [100, 1000])
async def test_a_flood_is_cut_without_a_turn_for_each_of_its_characters(letters, tokens, work):
    text = (letters * MOST_KEPT)[:MOST_KEPT]
    run = history("q", tools=[spec("f"), *PAGED])
    call = Call("3.1", "f", {})

    def cut():
        with pytest.raises(StopIteration) as ended:
            truncate(giving(Observation(text)), tokens)(call, run).send(None)
        run.events += did(3, "f", ended.value.value)

    def read():
        with pytest.raises(StopIteration) as ended:
            truncate(giving(None), tokens)(Call("4.1", "read_more", {"handle": "3.1", "page": 7}), run).send(None)
        assert ended.value.value.ok

    assert work(cut) < len(text) / 2
    assert work(read) < 1000
