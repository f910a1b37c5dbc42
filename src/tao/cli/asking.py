"""Asking a person in the terminal about a call that waits: exactly what will run, and nothing in it can pose as the question."""

import asyncio
import contextlib
import getpass
import json
import re
import sys
import time
import unicodedata
from collections.abc import Sequence

from wcwidth import width as cells

from tao.agent import Agent
from tao.cli.screen import Screen, Text, chopped, styled
from tao.cli.words import mine, packed, say
from tao.errors import ConfigError, RulingError, both
from tao.messages import doubled, paired
from tao.rulings import Waiting
from tao.run import Run
from tao.wrappers.approval import Ruling

with contextlib.suppress(ImportError):
    import termios

KEYS = (
    "[y] run it  [n] reject  [e] edit the arguments  [a] answer in its place  [Enter] later",
    "[y] 执行  [n] 拒绝  [e] 修改参数  [a] 代为回答  [回车] 以后再说",
)
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def at_a_terminal() -> bool:
    """Whether somebody can be asked: what is typed comes from a terminal, and questions go to one."""
    return sys.stdin.isatty() and sys.stderr.isatty()


BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""What looks like nothing, and is no control character."""
POSING = re.compile(r"[\u0370-\u052f]")
"""Greek and Cyrillic letters, many of which look like Latin ones."""


def visible(text: str) -> str:
    """The text on one line, where every character that a terminal obeys or hides is spelt out: controls, marks of direction, blanks.

    So is a Greek or Cyrillic letter in a word that has Latin ones, for it may pose as one of them.
    """
    unposed = re.sub(r"[^\W\d_]+", lambda word: POSING.sub(_letter, word[0]) if re.search("[A-Za-z]", word[0]) else word[0], text)
    return "".join(char if _shows(char) else _spelt(char) for char in unposed)


def _letter(found: re.Match[str]) -> str:
    return _spelt(found[0])


def _shows(char: str) -> bool:
    return char == " " or (unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"} and not BLANK.match(char))


def _spelt(char: str) -> str:
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char) or (f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}")


def described(waiting: Waiting, width: int = 80) -> Text:
    """What will run, why a person is asked, and every argument in full, each line behind a bar that no argument can draw away."""
    call = waiting.call
    effects = f" ({', '.join(map(visible, waiting.effects))})" if waiting.effects else ""
    rows = [(say("tool", "工具"), visible(call.tool) + effects, "bold"), (say("why", "原因"), visible(waiting.reason), "")]
    rows += [(visible(name), visible(json.dumps(value, ensure_ascii=False, default=str)), "cyan") for name, value in call.args.items()]
    rows += [(say("read as", "理解为"), visible(note), "dim") for note in waiting.notes]
    rows += [(say("call", "调用"), f"{visible(call.id)} · {waiting.hash}", "dim")]
    margin = min(max(cells(name) for name, _, _ in rows), 24)
    lines: list[Text] = []
    for name, value, style in rows:
        room = max(width - margin - 5, 20)
        for number, line in enumerate((_folded(value, room) if style == "" else chopped(value, room)) or [""]):
            head = name if number == 0 else ""
            if cells(head) > margin:
                head = chopped(head, margin - 1)[0] + "…"
                line = f"[{name}] {line}"  # noqa: PLW2901 - a long name stands in full before its value
            lines.append(styled((f"  {head}{' ' * (margin - cells(head))} │ ", "dim"), (line, style), "\n"))
    return styled(*lines)


def _folded(text: str, width: int) -> list[str]:
    """Prose in lines of at most so many cells, cut between words where there are any; arguments, of which nothing may be left out, are cut anywhere."""
    lines: list[str] = []
    while cells(text) > width:
        head = chopped(text, width)[0]
        at = head.rfind(" ") + 1
        cut = at if at > len(head) // 2 else len(head)
        lines.append(head[:cut].rstrip())
        text = text[cut:]
    return [*lines, text]


async def settle(agent: Agent, run: Run) -> bool:
    """Ask about everything that waits in a paused run, and record what is said; whether the run can go on."""
    screen, going = Screen(err=True), False
    for waiting in agent.waiting(run):
        while (ruling := await ask(waiting, screen)) is not None:
            try:
                await agent.rule(
                    run, waiting.call.id, ruling.verdict, by=ruling.by, args=ruling.args, text=ruling.text, hash=waiting.hash
                )
            except RulingError as error:
                screen.print((mine(str(error)), "red"))
            else:
                going = True
                break
    return going


async def ask(waiting: Waiting, screen: Screen) -> Ruling | None:
    """One question to the person at the terminal; None: not now."""
    screen.print("\n", (say("This waits for you:", "等待你的决定："), "bold yellow"))
    screen.print(described(waiting, screen.width), end="")
    keys = packed(say(*KEYS).split("  "), screen.width, "  ")
    by = person()
    while True:
        said = (await line(screen, f"{keys}\n? ") or "").strip()
        if not said:
            return None
        if said.lower() in {"y", "yes"}:
            return Ruling("approve", by=by)
        if said.lower() in {"n", "no"}:
            why = await line(screen, say("Why (the model is told; may be empty): ", "理由（会告诉模型，可为空）："))
            return None if why is None else Ruling("reject", why.strip(), by=by)
        if said.lower() == "a" and (text := (await line(screen, say("The result: ", "结果：")) or "").strip()):
            return Ruling("answer", text, by=by)
        if said.lower() == "e" and (ruling := await _edited(waiting, screen, by)):
            return ruling


async def _edited(waiting: Waiting, screen: Screen, by: str) -> Ruling | None:
    now = visible(json.dumps(waiting.call.args, ensure_ascii=False, default=str))
    screen.print((say(f"Arguments now: {now}", f"当前参数：{now}"), "dim"))
    text = await line(screen, say("New arguments as JSON: ", "新参数（JSON）："))
    if not text or not text.strip():
        return None
    try:
        return Ruling("edit", args=arguments(text), by=by)
    except ConfigError as error:
        screen.print((mine(str(error)), "red"))
        return None


async def line(screen: Screen, prompt: str) -> str | None:
    """The next line that is typed after the prompt, without what was typed before it; None at the end of input.

    Waits in the event loop, so that Ctrl-C interrupts it.
    """
    with contextlib.suppress(NameError, OSError, ValueError, AttributeError):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    screen.file.write(prompt)
    screen.file.flush()
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    try:
        loop.add_reader(sys.stdin.fileno(), ready.set)
    except (NotImplementedError, OSError):
        return sys.stdin.readline() or None
    try:
        await ready.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())
    return sys.stdin.readline() or None


# ── what is typed ─────────────────────────────────────────────────────────────


def arguments(text: str) -> dict[str, object]:
    """A JSON object. Raises ConfigError."""
    try:
        found = json.loads(text, object_pairs_hook=paired)
    except (ValueError, RecursionError) as error:
        raise ConfigError(both(f"the arguments are no JSON: {error}", f"参数不是有效的 JSON：{error}")) from error
    if (key := doubled(found)) is not None:
        raise ConfigError(both(f"the arguments give {key!r} twice, with different values; give each name once", f"参数把 {key!r} 写了两次，值却不同；每个参数名只写一次"))
    if not isinstance(found, dict):
        raise ConfigError(both(
            f'the arguments are {text:.80}; wanted: a JSON object with a name for each, as in {{"path": "a.txt"}}',
            f'参数为 {text:.80}；应为写明各参数名的 JSON 对象，例如 {{"path": "a.txt"}}',
        ))  # fmt: skip
    return found


def seconds(text: str) -> float:
    """How long "90", "90s", "10m", "2h", "1d" is. Raises ConfigError."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smhd]?)\s*", text)
    if found is None or float(found[1]) <= 0:
        raise ConfigError(both(f"a time of {text!r}; wanted: as in 90s, 10m, 2h or 1d", f"时间为 {text!r}；应如 90s、10m、2h 或 1d"))
    return float(found[1]) * UNITS[found[2] or "s"]


def person() -> str:
    """Who sits at the terminal."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def until(expires: str | None) -> float | None:
    """The Unix time until which a ruling holds that is given now."""
    return None if expires is None else time.time() + seconds(expires)


def listed(run: Run, waits: Sequence[Waiting], width: int = 80) -> Text:
    """What waits in a run, for reading."""
    head = styled((run.id[:8], "bold"), "  ", (visible(run.asked.question), "dim"), "\n")
    return styled(head, *(part for one in waits for part in ("\n", described(one, width))))
