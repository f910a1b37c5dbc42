"""Settings of models and quotas, from `tao.toml` to what is done over HTTP."""

import asyncio
import importlib.util
from decimal import Decimal
from pathlib import Path

import pytest

from tao.build import answering, build
from tao.config import load
from tao.errors import ConfigError, OverBudget, Transient
from tao.messages import Message, Request
from tao.quotas import Quota

_spec = importlib.util.spec_from_file_location("provider_on_loopback", Path(__file__).parent / "models" / "conftest.py")
loopback = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(loopback)

ASK = Request((Message("user", "三加四？"),))


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
async def provider():
    async with loopback.serving() as fake:
        yield fake


def written(folder, text):
    (folder / "tao.toml").write_text(text, encoding="utf-8")
    return load()


async def hang(_request):
    await asyncio.sleep(60)
    raise AssertionError


async def test_a_model_that_says_nothing_for_too_long_is_given_up_and_its_connection_closed(alone, provider):
    closed = asyncio.Event()

    async def mute(_request, _response):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            closed.set()
            raise

    provider.will(provider.stream(done=False, then=mute))
    model = answering(written(alone, "[models]\nfirst = 0.2\nattempts = 1"), {}, f"{provider.url}#m")
    with pytest.raises(Transient, match=r"within 0\.2 s"):
        await model(ASK, lambda _text: False)
    await asyncio.wait_for(closed.wait(), 5)
    await model.close()


async def test_a_second_request_is_sent_where_the_first_hangs_and_the_first_is_cancelled(alone, provider):
    provider.will(hang, "quick")
    model = answering(written(alone, "[models]\nhedge_after = 0.05\nattempts = 1"), {}, f"{provider.url}#m")
    assert (await model(ASK)).text == "quick"
    assert len(provider.bodies) == 2
    await model.close()


async def test_the_same_request_is_sent_once_where_replies_are_kept(alone, provider):
    provider.will("seven", "other")
    model = answering(written(alone, "[models]\ncache = 10"), {}, f"{provider.url}#m")
    first, again = await model(ASK), await model(ASK)
    other = await model(Request((Message("user", "?"),)))
    assert (first.text, again.text, other.text) == ("seven", "seven", "other")
    assert (first.usage.prompt, again.usage.prompt) == (7, 0)
    assert len(provider.bodies) == 2
    await model.close()


async def test_nothing_is_kept_or_hedged_unless_it_is_asked_for(alone, provider):
    provider.will("seven")
    model = answering(written(alone, ""), {}, f"{provider.url}#m")
    for _ in range(2):
        await model(ASK)
    assert len(provider.bodies) == 2
    await model.close()


async def test_quotas_hold_for_whom_a_run_is(alone, provider):
    provider.will("Final Answer: seven", "Final Answer: eight")
    settings = written(alone, f"""
model = "{provider.url}#m"
dialect = "react"
currency = "CNY"

[exchange]
USD = 7.1

[[quotas]]
per = "user"
max_runs = 1
window = 3600

[[quotas]]
per = "tenant"
max_tokens = 500000
max_cost = 20
""")  # fmt: skip
    async with build(settings, {}) as agent:
        assert agent.quotas == (
            Quota("user", 3600.0, max_runs=1, currency="CNY", exchange={"USD": "7.1"}),
            Quota("tenant", max_tokens=500_000, max_cost=Decimal(20), currency="CNY", exchange={"USD": "7.1"}),
        )
        await agent.run("?", who={"user": "li"})
        with pytest.raises(OverBudget, match="user 'li' has used up what is agreed for 1 hours: 1 of 1 runs"):
            await agent.run("?", who={"user": "li"})
        await agent.run("?", who={"user": "wang"})


@pytest.mark.parametrize(("toml", "said", "said_zh"), [
    ("[models]\nhedge = 100", "setting 'models.hedge' is 100 (tao.toml); wanted: less than 100", "应为：小于 100"),
    ("[models]\nfirst = 0", "setting 'models.first' is 0 (tao.toml); wanted: more than 0", "应为：大于 0"),
    ("[models]\ncache = -1", "setting 'models.cache' is -1 (tao.toml); wanted: 0 or more", "应为：不小于 0"),
    ("[models]\nhegde = 95", "there is no setting 'models.hegde' (tao.toml); did you mean 'hedge'?", "是否想写 'hedge'？"),
    ('[[quotas]]\nper = "nobody"', "setting 'quotas.0.per' is 'nobody' (tao.toml); wanted: one of 'session', 'user' or 'tenant'", "'session'"),
    ("[[quotas]]\nmax_runs = 3", "setting 'quotas.0.per' is missing (tao.toml)", "缺少设置 'quotas.0.per'"),
    ('[[quotas]]\nper = "user"\nmax_run = 3', "there is no setting 'quotas.0.max_run' (tao.toml); did you mean 'max_runs'?", "是否想写"),
])  # fmt: skip
def test_what_makes_no_sense_is_said(alone, toml, said, said_zh):
    with pytest.raises(ConfigError) as caught:
        written(alone, toml)
    assert said in str(caught.value)
    assert said_zh in str(caught.value)


def test_a_quota_of_money_needs_a_currency(alone):
    with pytest.raises(ConfigError, match="quota: max_cost needs a currency such as CNY"):
        build(written(alone, 'model = "ollama:m"\n[[quotas]]\nper = "user"\nmax_cost = 3'), {})
