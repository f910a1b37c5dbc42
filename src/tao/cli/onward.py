"""`tao replay RUN --from STEP`: a run goes on from one of its steps with something else changed."""

import secrets
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from tao.agent import Agent
from tao.build import assembled
from tao.cli.ask import shown
from tao.cli.compare import show
from tao.cli.exits import code_of
from tao.cli.screen import Screen
from tao.cli.view import JsonView
from tao.config import Settings, environment, load
from tao.errors import ConfigError, both, unread
from tao.evaluation.again import cut
from tao.events import Replied
from tao.images import pictures
from tao.rulings import offered
from tao.run import Run
from tao.seams import Abilities


async def onward(old: Run, step: int, prompt: Path | None, options: Mapping[str, Any], *, as_json: bool) -> int:
    """Go on from before the reply of that number as a new run, show it, and say where it parts from the old one."""
    settings = load(options)
    async with assembled(settings, environment(), model=None if "model" in options else old.asked.model or None) as agent:
        run = branch(old, step, agent, settings, options, prompt)
        if as_json:  # a run in a file is whole
            lines = JsonView(sys.stdout, run.id)
            for event in run.events:
                lines.event(event)
        run = await shown(agent, run, settings, as_json=as_json, quiet=False)
    if not as_json:
        show(Screen(err=True), old, run)
    return code_of(run)


def branch(old: Run, step: int, agent: Agent, settings: Settings, options: Mapping[str, Any], prompt: Path | None) -> Run:
    """A new run with the old one's events up to the step, and what the options change written into its question.

    Times are moved, as if it had come to this step just now.
    Raises ConfigError where there is no such step, the prompt cannot be read, or a tool of the run is not here.
    """
    try:
        text = prompt.read_text(encoding="utf-8-sig").strip() if prompt else old.asked.instructions
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(both(f"cannot read the prompt {prompt}: {unread(error)[0]}", f"无法读取提示词 {prompt}：{unread(error)[1]}")) from error
    try:
        asked, *rest = cut(old, step)
    except ValueError as error:
        count = sum(1 for _ in old.all(Replied))
        raise ConfigError(both(
            f"run {old.id[:8]} has no step {step}; it has steps 1 to {count}", f"运行 {old.id[:8]} 没有第 {step} 步；共 {count} 步",
        )) from error  # fmt: skip
    assert asked == old.asked, "a run begins with what was asked"
    changed = replace(old.asked, instructions=text)
    if "model" in options:
        model = agent.model
        pictures(changed.images, model)  # raises ConfigError where it takes none
        abilities = asdict(getattr(model, "abilities", Abilities()))
        kept = {name: value for name, value in changed.settings.items() if name != "start"}
        changed = replace(changed, model=getattr(model, "name", ""), settings={**kept, "abilities": abilities})
    if "dialect" in options:
        changed = replace(changed, dialect=settings.dialect)
    if "max_steps" in options:
        changed = replace(changed, settings={**changed.settings, "max_steps": settings.max_steps})
    if {"tools", "docs", "offer"} & options.keys():
        changed = replace(changed, tools=tuple(tool.said(changed.lang) for tool in agent.tools))
    else:
        offered(changed, agent.tools)
    later = time.time() - (rest[-1] if rest else changed).at
    moved = [replace(event, at=event.at + later) for event in (changed, *rest)]
    if changed != old.asked:  # the replies so far were given to other prompts than this run's
        moved = [replace(event, prompt="") if isinstance(event, Replied) else event for event in moved]
    return Run(secrets.token_hex(8), moved)
