import pytest

from tao.errors import ConfigError
from tao.testing import FakeClock
from tao.tools.builtin import builtin


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
