"""`tao doctor --model X`: three tiny calls of an endpoint, and what they say about it."""

import shlex
import time
from collections.abc import Mapping
from contextlib import closing, nullcontext
from dataclasses import replace
from decimal import Decimal
from typing import Any

from tao.build import finder_of
from tao.cli.findings import Finding
from tao.cli.screen import Screen
from tao.cli.waiting import Spinner
from tao.cli.words import many, mine, say
from tao.config import Settings
from tao.errors import ModelError, Refused, ToolsUnsupported
from tao.models import connect
from tao.models.connect import Connected, resolve
from tao.models.pricing import names_of
from tao.models.probe import Tried, probe
from tao.models.profiles import GENERIC
from tao.prices import Prices, money

PARTS = {"plain": ("plain call", "普通调用"), "tools": ("tools", "工具调用"), "stream": ("stream", "流式输出")}
FAULTS = {
    "empty": ("the reply has no text", "回复没有内容"),
    "cut": ("all its tokens went into thinking", "词元全部用于思考，没有给出内容"),
    "uncalled": ("the tool was offered and not called", "提供了工具，但模型没有调用"),
    "miscalled": ("the tool was called with other arguments", "调用工具的参数不对"),
    "uncounted": ("no tokens were counted; budgets are estimated", "没有返回词元数；预算按估计值计算"),
}
ADVICE = {
    "empty": ("try another model, or --json to see what came", "换一个模型试试，或用 --json 查看返回内容"),
    "cut": ("switch thinking off: TAO_THINKING=false", "关闭思考：TAO_THINKING=false"),
    "uncalled": ("calls as text may work better: --dialect react", "改用文本格式的调用：--dialect react"),
    "miscalled": ("calls as text may work better: --dialect react", "改用文本格式的调用：--dialect react"),
}


async def checked(settings: Settings, env: Mapping[str, str]) -> list[Finding]:
    """The model that is set, tried. Raises ConfigError or WeightsError where it cannot even be connected."""
    model = connect(settings.model, env=env, thinking=settings.thinking, local=settings.local.model_dump())
    screen = Screen(err=True)
    try:
        with closing(Spinner(screen, say("three tiny calls …", "三次小调用……"))) if screen.can_redraw else nullcontext():
            tried = await probe(model)
    finally:
        await model.close()
    found = [_where(model, settings, env), *map(_finding, tried)]
    if tried[0].error is not None:
        return [*found[:-1], replace(found[-1], advice=_advice(tried[0].error, settings, env))]
    prices, onward = finder_of(settings), _onward(settings) if usable(found) else ""
    return [*found, _abilities(model, tried), _price(model, prices), replace(_spent(model, prices, tried), advice=onward)]


def usable(findings: list[Finding]) -> bool:
    """Whether a run can be made with it: nothing is bad. What is noted has a way around it."""
    return all(finding.state != "bad" for finding in findings)


def _where(model: Connected, settings: Settings, env: Mapping[str, str]) -> Finding:
    address = resolve(settings.model, env)
    url = str(getattr(model, "url", "") or getattr(model, "path", ""))
    keys = [key for key in address.profile.keys if env.get(key)] if not address.file else []
    used = say(f"key from {keys[0]}", f"密钥取自 {keys[0]}") if keys and address.profile.needs_key else ""
    named = model.name if not url.startswith(model.name.partition("#")[0]) else address.model
    return Finding(say("model", "模型"), "ok", " · ".join(filter(None, (named, url, used))))


def _finding(tried: Tried) -> Finding:
    about = say(*PARTS[tried.part])
    if tried.error is not None:
        return _failed(about, tried)
    reply = tried.reply
    said = ", ".join(f"{call.name}({call.arguments})" for call in reply.calls) if tried.part == "tools" else reply.text.strip()
    usage = reply.usage
    counted = "" if usage.prompt is None else say(f"{usage.prompt} + {usage.completion} tokens", f"{usage.prompt} + {usage.completion} 词元")
    first = reply.first_token
    pieces = say(f"{tried.pieces} pieces", f"{tried.pieces} 段") if tried.part == "stream" else ""
    began = say(f"first after {first:.1f} s", f"{first:.1f} 秒后开始") if tried.part == "stream" and first is not None else ""
    fault = say(*FAULTS[tried.fault]) if tried.fault else ""
    text = " · ".join(filter(None, (_short(said), pieces, began, f"{reply.seconds:.1f} s", counted, fault)))
    bad = tried.fault in {"empty", "cut"} and tried.part != "tools"
    return Finding(about, "bad" if bad else "note" if tried.fault else "ok", text, say(*ADVICE[tried.fault]) if tried.fault in ADVICE else "")


def _failed(about: str, tried: Tried) -> Finding:
    """A server that takes no tools is no failure: calls are then written as text."""
    error = tried.error
    assert error is not None
    text = mine(str(error))
    if tried.part == "tools" and isinstance(error, ToolsUnsupported):
        return Finding(about, "note", text, say("calls are written as text then (dialect auto does so)", "此时以文本写出调用（dialect 为 auto 时自动如此）"))
    return Finding(about, "bad", text, _usual(error))


def _advice(error: ModelError, settings: Settings, env: Mapping[str, str]) -> str:
    """What to do where not even a plain call works. A server that is known only by its address is sent no key, and may want one."""
    said, profile = str(error), resolve(settings.model, env).profile
    if "cannot connect to" in said:
        return say("start the server, or correct the address", "启动服务，或改正地址")
    if "HTTP 401" in said and settings.model.startswith("http") and profile is GENERIC:
        return say(
            f"no key is sent to a bare address: with a key it is 'vllm:{settings.model}' and VLLM_API_KEY, or 'openai:{settings.model}' and OPENAI_API_KEY",
            f"只写地址时不发送密钥：需要密钥的写作 'vllm:{settings.model}'（VLLM_API_KEY）或 'openai:{settings.model}'（OPENAI_API_KEY）",
        )
    if "HTTP 401" in said and profile.keys and not any(env.get(key) for key in profile.keys):
        return say(f"set {profile.keys[0]}", f"设置 {profile.keys[0]}")
    return _usual(error)


def _usual(error: ModelError) -> str:
    if isinstance(error, Refused):
        return say("mend what the server says, then try again", "按服务端所说改正，然后重试")
    return say("try again later, or set [models] fallback in tao.toml", "稍后重试，或在 tao.toml 的 [models] 中设置 fallback")


def _abilities(model: Connected, tried: list[Tried]) -> Finding:
    """What is known of it and what was seen."""
    can, replies = model.abilities, [one.reply for one in tried if one.error is None]
    forms = {"gbnf": say("grammars", "语法约束"), "json_schema": "JSON schema", None: ""}
    works = {one.part for one in tried if one.error is None and not one.fault}
    words = [
        say("tools", "工具") if "tools" in works else say("calls as text", "文本形式的调用"), forms[can.constraint],
        say("images", "图片") if can.images else "", say("stop sequences", "停止词") if can.stop else "",
        say("thoughts shown", "返回思考内容") if any(reply.reasoning for reply in replies) else "",
        say("cached tokens told", "返回缓存词元数") if any(reply.usage.cached is not None for reply in replies) else "",
    ]
    return Finding(say("can do", "能力"), "ok", say(", ", "、").join(filter(None, words)))


def _price(model: Connected, prices: Prices) -> Finding:
    about, found = say("price", "价格"), {name: prices(name) for name in names_of(model)}
    known = [price for price in found.values() if price is not None]
    if not known:
        name = next(iter(found), model.name)
        wish = say(f'to count money, set [prices."{name}"] in tao.toml', f'要计算费用，请在 tao.toml 中设置 [prices."{name}"]')
        return Finding(about, "missing", say("not known", "未知"), wish)
    rate = known[0].rates[-1]
    if not rate.currency:
        return Finding(about, "ok", say("none: it runs on your own machine", "免费：在本机运行"))
    told = [f"{say('input', '输入')} {money(rate.input, rate.currency)}", f"{say('output', '输出')} {money(rate.output, rate.currency)}"]
    told += [f"{say('cached', '缓存')} {money(rate.cached, rate.currency)}"] if rate.cached is not None else []
    more = say(f" · {len(known[0].rates)} rates", f" · 共 {len(known[0].rates)} 档") if len(known[0].rates) > 1 else ""
    return Finding(about, "ok", " · ".join(told) + say(" per million tokens", "（每百万词元）") + more)


def _spent(model: Connected, prices: Prices, tried: list[Tried]) -> Finding:
    """What this check took."""
    usages = [one.reply.usage for one in tried if one.error is None]
    tokens = sum((usage.prompt or 0) + (usage.completion or 0) for usage in usages)
    price = prices(model.name)
    counted = bool(usages) and all(usage.prompt is not None and usage.completion is not None for usage in usages)
    told = say(f"{tokens:,} tokens", f"{tokens:,} 词元") if counted else say("tokens not counted", "没有词元数")
    costs: list[Any] = [None if price is None else price.of(usage, time.time()) for usage in usages]
    cost = "" if price is None or not price.currency or None in costs else f" · {sum(costs, Decimal(0)):.6f} {price.currency}"
    return Finding(say("this check", "本次检查"), "ok", say(f"{many(len(tried), 'call')} · ", f"{len(tried)} 次调用 · ") + told + cost)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else line[:60] + " …"


def _onward(settings: Settings) -> str:
    """What to do with a model that works."""
    name = shlex.quote(settings.model)
    return say(
        f'tao ask --model {name} "What day is it today, and in 50 days?"', f'tao ask --model {name} "今天是几号？50天之后是几号？"'
    )

