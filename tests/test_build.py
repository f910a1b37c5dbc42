import pytest

from tao.acting import Limits, ToolLimits
from tao.build import build, limits
from tao.config import Settings
from tao.errors import ConfigError
from tao.tools.builtin import builtin


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def held(**calls):
    return limits(Settings(calls=calls), builtin())


def test_limits_are_those_of_the_library_by_default():
    assert held() == Limits()
    assert held(tools={"calculator": {}}) == Limits(tools={"calculator": ToolLimits()})


def test_limits_come_from_the_settings():
    assert held(timeout=5, fence="all", tools={"calculator": {"rate": "3/s", "cache": 60, "cache_for": "everybody"}}) == Limits(
        timeout=5, fence="all", tools={"calculator": ToolLimits(rate="3/s", cache=60, cache_for="everybody")}
    )


def test_limits_of_a_tool_of_ours_that_is_not_on_offer_are_left_out():
    assert held(tools={"search": {"cache": 60}}) == Limits()


def test_limits_of_a_tool_that_there_is_not_are_refused():
    settings = Settings(model="http://127.0.0.1:9/v1#m", calls={"tools": {"calculater": {"rate": "3/s"}}})
    with pytest.raises(ConfigError, match="no such tool; did you mean 'calculator'"):
        build(settings, {})
