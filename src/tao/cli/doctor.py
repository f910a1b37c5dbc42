"""`tao doctor`: what is here, what is set, and what to do next."""

import asyncio
import importlib.metadata
import os
import platform
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from tao.build import journal
from tao.cli import options as o
from tao.cli.endpoint import checked, usable
from tao.cli.exits import ANSWERED, FAILED, finish
from tao.cli.findings import Finding, printed
from tao.cli.help import Command
from tao.cli.words import mine, say
from tao.config import FILES, Settings, environment, load, strangers
from tao.errors import AgentError, ConfigError
from tao.models.connect import resolve
from tao.models.profiles import PROFILES
from tao.models.weights import cache_folder, locate

PACKAGES = {
    "aiohttp": "", "pydantic": "",
    "xllamacpp": say("models in this process (extra `local`)", "进程内模型（extra `local`）"),
    "rjieba": say("Chinese words in search (extra `search`)", "中文分词检索（extra `search`）"),
}  # fmt: skip


@click.command("doctor", cls=Command, help=say(
    "Check what is installed and set, and say what to do next. Keys are named, their values never shown. The exit code is 1 "
    "where the model that is set cannot answer or the journal cannot be used. With --model, that one is tried with three tiny calls instead.",
    "检查安装与设置，并给出下一步建议。只列出密钥的名称，绝不显示其值。所设模型或运行记录无法使用时退出码为 1。"
    "给出 --model 时，改为用三次小调用试用该模型。",
))
@o.shared("model", "journal", "json")
def doctor(*, as_json: bool, **settings: Any) -> None:  # fmt: skip
    """Look around, or try a model."""
    options = o.given(**settings)
    finish(_endpoint(options, as_json=as_json) if options.get("model") else lambda: _doctor(options, as_json=as_json))


async def _endpoint(options: Mapping[str, object], *, as_json: bool) -> int:
    settings = load(options)
    findings = await checked(settings, environment())
    printed(findings, "", as_json=as_json)
    return ANSWERED if usable(findings) else FAILED


def _doctor(options: Mapping[str, object], *, as_json: bool) -> int:
    findings: list[Finding] = [*_machine(), *_packages()]
    env = environment()
    try:
        settings = load(options)
    except ConfigError as error:
        findings.append(Finding(say("settings", "设置"), "bad", mine(str(error)), say("correct the setting", "改正该设置")))
        needed = findings[-1:]
    else:
        needed = [_model(settings, env), asyncio.run(_journal(settings))]
        findings += [*_settings(settings), needed[0], *_keys(env), _disk(env), needed[1]]
    usual = say('tao ask "What day is it today, and in 50 days?"', 'tao ask "今天是几号？50天之后是几号？"')
    printed(findings, usual, as_json=as_json)
    return ANSWERED if usable(needed) else FAILED


def _machine() -> Iterator[Finding]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield Finding("tao", "ok", importlib.metadata.version("tao-agent"))
    yield Finding(
        "Python", "ok", f"{platform.python_version()} · {platform.system()} {platform.machine()} · {cores} " + say("cores", "核")
    )


def _packages() -> Iterator[Finding]:
    for name, purpose in PACKAGES.items():
        try:
            yield Finding(name, "ok", " · ".join(part for part in (importlib.metadata.version(name), purpose) if part))
        except importlib.metadata.PackageNotFoundError:
            yield Finding(
                name, "missing" if purpose else "bad", say("not installed", "未安装") + (f" · {purpose}" if purpose else "")
            )


def _settings(settings: Settings) -> Iterator[Finding]:
    files = [str(path) for path in (*FILES, Path(".env")) if path.expanduser().is_file()]
    changed = [name for name in settings.model_fields_set if name != "local"]
    said = say(f"set: {', '.join(sorted(changed))}", f"已设置：{'、'.join(sorted(changed))}") if changed else say("all as by default", "全部为默认值")
    yield Finding(say("settings", "设置"), "ok", " · ".join([*files, said]))
    if unknown := strangers():
        names = ", ".join(unknown)
        yield Finding(
            say("environment", "环境变量"),
            "note",
            say(f"these are no settings: {names}", f"这些不是设置项：{names}"),
            say("check their spelling", "检查其拼写"),
        )


def _model(settings: Settings, env: Mapping[str, str]) -> Finding:
    """Whether the model that is set could answer."""
    about = say("model", "模型")
    try:
        address = resolve(settings.model, env)
        if not address.file:
            keys = address.profile.keys
            if address.profile.needs_key and not any(env.get(key) for key in keys):
                return Finding(
                    about,
                    "bad",
                    say(f"{settings.model}: no key", f"{settings.model}：没有密钥"),
                    say(f"set {keys[0]}", f"设置 {keys[0]}"),
                )
            return Finding(about, "ok", f"{settings.model} · {address.base_url or address.profile.base_url}")
        path = locate(address.file, env=env)
    except AgentError as error:
        return Finding(about, "bad", f"{settings.model}: {mine(str(error))}", "tao model pull")
    try:
        importlib.metadata.version("xllamacpp")
    except importlib.metadata.PackageNotFoundError:
        return Finding(
            about,
            "bad",
            say(f"{path} is there, xllamacpp is not", f"{path} 已有，缺少 xllamacpp"),
            "pip install 'tao-agent[local]'",
        )
    return Finding(about, "ok", f"{settings.model} · {path} · {path.stat().st_size / 1e6:,.0f} MB")


def _keys(env: Mapping[str, str]) -> Iterator[Finding]:
    found = [key for profile in PROFILES.values() for key in profile.keys if env.get(key)]
    named = ", ".join(dict.fromkeys(found))
    yield Finding(
        say("keys", "密钥"),
        "ok" if named else "missing",
        named or say("none set; none is needed for --model local", "未设置；--model local 不需要密钥"),
    )


def _disk(env: Mapping[str, str]) -> Finding:
    folder = cache_folder(env)
    there = next(place for place in (folder, *folder.parents) if place.exists())
    free = shutil.disk_usage(there).free
    text = f"{folder} · {free / 1e9:,.1f} GB " + say("free", "可用")
    return Finding(
        say("disk", "磁盘"),
        "ok" if free > 2e9 else "note",
        text,
        "" if free > 2e9 else say("free some disk space", "清理磁盘空间"),
    )


async def _journal(settings: Settings) -> Finding:
    kept = journal(settings)
    try:
        count = await kept.count()
    except AgentError as error:
        return Finding(
            say("journal", "运行记录"),
            "bad",
            mine(str(error)),
            say("see above, or use --journal PATH", "见上，或使用 --journal PATH"),
        )
    finally:
        await kept.close()
    return Finding(say("journal", "运行记录"), "ok", f"{kept.database.place} · {count} " + say("run" if count == 1 else "runs", "次运行"))
