import sqlite3

import pytest

from tao.errors import ConfigError
from tao.testing import FakeClock
from tao.tools.builtin import FURTHER, Places, builtin


def test_the_default_tools_only_read():
    tools = builtin(clock=FakeClock())
    assert [tool.name for tool in tools] == ["current_date", "date_add", "date_diff", "calculator"]
    assert {effect for tool in tools for effect in tool.spec.effects} == {"reads"}
    assert all(tool.said("zh").description != tool.spec.description for tool in tools)


def test_by_name(tmp_path):
    assert [tool.name for tool in builtin(["calculator", "current_date"])] == ["current_date", "calculator"]
    assert [tool.name for tool in builtin(["search"], docs=tmp_path)] == ["search"]
    assert builtin([]) == []


def test_what_there_is_not():
    with pytest.raises(ConfigError, match="no built-in tool 'weather'; there are: current_date"):
        builtin(["weather"])
    with pytest.raises(ConfigError, match="needs a folder"):
        builtin(["search"])


@pytest.fixture
def places(tmp_path):
    sqlite3.connect(tmp_path / "x.db").execute("CREATE TABLE t (a)").connection.close()
    return Places(tmp_path, f"sqlite:///{tmp_path / 'x.db'}", tmp_path / "notes.db", {}, {"hosts": ["api.example.com"]})


@pytest.mark.parametrize("word", FURTHER)
def test_further_tools_are_switched_on_by_a_word_or_by_name(word, places):
    group = FURTHER[word]
    if not group.installed:
        pytest.skip(f"needs {', '.join(group.packages)}")
    tools = builtin([word], places=places)
    assert tuple(tool.name for tool in tools) == group.names
    assert {effect for tool in tools for effect in tool.spec.effects} == set(group.effects)
    assert all(tool.said("zh").description != tool.spec.description for tool in tools)
    assert [tool.name for tool in builtin([group.names[-1], "calculator"], places=places)] == ["calculator", group.names[-1]]


@pytest.mark.parametrize(("word", "said"), [
    ("files", "need the setting 'root', such as root = './data'"), ("list_files", "'root'"), ("sql", "need the setting 'database', such as database = 'sqlite:///shop.db'"),
    ("notes", "need the setting 'notes'"), ("http", "list of allowed hosts"),
])  # fmt: skip
def test_what_a_tool_lacks_is_said(word, said):
    with pytest.raises(ConfigError, match=said):
        builtin([word])
