"""Tool names: resolving, finishing, and saying that there is nothing to do."""

import pytest

from tao.dialects.names import Tools, is_finish, is_null, peeled
from tao.testing import spec

TOOLS = Tools([spec("web_search"), spec("search"), spec("fs.cat"), spec("天气查询"), spec("getUser")])


@pytest.mark.parametrize(
    ("phrase", "name"),
    [
        ("search", "search"),
        ("Search.", "search"),
        ("web search", "web_search"),
        ("WebSearch", "web_search"),
        ("get_user", "getUser"),
        ("functions.web_search:3", "web_search"),
        ("use web_search to find it", "web_search"),
        ("I search the web", "search"),
        ("fs.cat", "fs.cat"),
        ("使用天气查询工具", "天气查询"),
        ("先调用天气查询看看", "天气查询"),
        ("`search`（检索）", "search"),
        ("[search]", "search"),
        ("the tool (search)", "search"),
        ("click[the search button]", None),
        ("reflect(how do I search?)", None),
        ("反思[如何用天气查询]", None),
        ("searches", None),
        ("my.search", None),
        ("search or fs.cat", None),
        ("I need no search", None),
        ("不需要天气查询", None),
        ("不天气查询", None),
        ("别天气查询了", None),
        ("禁止天气查询", None),
        ("识别天气查询", "天气查询"),
        ("sear", None),
        ("", None),
        ("x" * 1000 + " search", None),
    ],
)
def test_resolving(phrase, name):
    found = TOOLS.resolve(phrase)
    assert (found.name if found else None) == name


def test_peeling_comes_to_an_end():
    assert len(peeled("use the use the use the use the use the use the search tool")) <= 7
    assert peeled("x" * 1000) == []


@pytest.mark.parametrize("name", ["finish", "FINISH", "Final Answer", "final_answer", "terminate", "结束", "最终答案", "functions.finish:0", "`Finish`"])
def test_finishing_names(name):
    assert is_finish(name, TOOLS)
    assert not is_finish(name, Tools([spec("finish"), spec("final_answer"), spec("terminate"), spec("结束"), spec("最终答案")]))


@pytest.mark.parametrize("name", ["search", "finished_goods", "the end", "finish line"])
def test_other_names_do_not_finish(name):
    assert not is_finish(name, TOOLS)


@pytest.mark.parametrize("name", ["None", "N/A", "none.", "null", "No tool needed", "N/A (no tool needed)", "not needed", "-", "无", "直接回复", "不需要使用工具", "无需工具"])
def test_null_names(name):
    assert is_null(name, TOOLS)


@pytest.mark.parametrize("name", ["search", "notes", "none_of_it", "nothing_tool", "无人机"])
def test_names_that_only_begin_like_nothing(name):
    assert not is_null(name, Tools([spec("notes"), spec("nothing_tool"), spec("无人机")]))
