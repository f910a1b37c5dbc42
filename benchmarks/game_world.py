"""Text games as a tool: ALFWorld's (`*.tw-pddl`), and TextWorld's own, which are generated here from a seed (`*.z8`).

Needs `textworld` with `jericho` and, for ALFWorld, `fast-downward-textworld`; both are compiled when they are installed.
"""

import json
import logging
import re
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import textworld
from jericho import UnsupportedGameWarning
from textworld.envs.pddl import PddlEnv

from tao.errors import ConfigError
from tao.messages import Observation
from tao.run import Run
from tao.tools.declare import Tool, declare

FORMS = "go to …, take … from …, move … to …, open …, close …, use …, heat … with …, cool … with …, clean … with …, look, inventory"
WON = {"en": "(The task is done: you have won.)", "zh": "（任务已完成：你赢了。）"}
POSSIBLE = {"en": "That cannot be done here. Possible commands: {}", "zh": "此处不能这样做。可用的命令：{}"}
OVER = {"en": "The game is over.", "zh": "游戏已经结束。"}
WANTED = textworld.EnvInfos(won=True, lost=True, objective=True, admissible_commands=True, command_templates=True, extras=["walkthrough"])
_BANNER = re.compile(r"^[ $|\\/_<>]{20,}$|^[^\w\n]*(?:\$\$|__)[^\n]*$", re.MULTILINE)
_PROMPT = re.compile(r"\n>[^\n]*$")
logging.getLogger("tatsu").setLevel(logging.WARNING)


class Game:
    """One game, played from `start` on. `won` says how it stands, `task` what is wanted, `walkthrough` how it can be won.

    With `hints` a command that cannot be done is answered with those that can (`possible`); the games themselves do not say them.
    """

    def __init__(self, path: Path, *, hints: bool = False) -> None:
        if not path.exists():
            raise ConfigError(f"no game {path}; give a file *.tw-pddl or *.z8")
        self.name = path.parent.parent.name if path.suffix == ".tw-pddl" else path.stem
        self._env, self._state = _opened(path), None
        self.hints = hints
        self.walkthrough: tuple[str, ...] = ()
        self.possible: tuple[str, ...] = ()
        self.won = self.over = False
        self.task = self.scene = ""
        self.forms = FORMS

    def start(self) -> str:
        """Begin anew: what is wanted, and what is to be seen."""
        state = self._env.reset()
        self.won = self.over = False
        self.walkthrough, self.possible = tuple(state["extra.walkthrough"]), tuple(state.admissible_commands)
        intro = _plain(state.feedback)
        found = re.search(r"Your task is to: (.+)", intro)
        self.task = found[1].strip() if found else str(state.objective or intro).strip()
        if found:
            self.scene = intro[: found.start()].split("=-\n", 1)[-1].strip()
        else:
            self.scene = re.sub(r"\s*\n\s*\n\s*", "\n", intro.split(self.task, 1)[-1].strip())
            self.forms = ", ".join(dict.fromkeys(re.sub(r"\{\w+\}", "…", one) for one in state.command_templates))
        return f"{self.scene}\n\nYour task: {self.task}"

    def step(self, command: str) -> str:
        """Do it, and say what the game says."""
        state, _, done = self._env.step(" ".join(command.split()))
        self.won, self.over = bool(state.won), bool(done or state.won or state.lost)
        self.possible = tuple(state.admissible_commands)
        return _plain(state.feedback)

    def tools(self) -> list[Tool]:
        """The one tool that plays it."""

        def act(command: str, run: Run) -> Observation:
            lang = run.asked.lang
            if self.over:
                return Observation(f"{OVER[lang]} {WON[lang] if self.won else ''}".strip(), data={"won": self.won})
            known = " ".join(command.lower().split()) in map(str.lower, self.possible)
            more = WON[lang] if (said := self.step(command)) and self.won else ""
            if self.hints and not known and not self.won:
                more = POSSIBLE[lang].format("; ".join(self.possible))
            return Observation(f"{said}\n{more}".strip(), data={"won": self.won})

        return [declare(
            act, effects="writes", inline=True,
            description=f"Do one thing in the game, and see what happens.\n\nArgs:\n    command: One command, in one of the forms: {self.forms}",
            descriptions={"zh": f"在游戏中做一个动作，并看到结果。\n\n参数：\n    command: 一条英文命令，形式为：{self.forms}"},
        )]  # fmt: skip

    def close(self) -> None:
        """Let go of the game."""
        self._env.close()


def generated(folder: Path, seed: int, *, rooms: int = 3, objects: int = 5, length: int = 3) -> Path:
    """A new TextWorld game in the folder: so many rooms and objects, and a quest of so many commands. The same for the same seed.

    Some of TextWorld's games cannot be won in its own words (it has a keycard and a non-euclidean keycard, and asks which one is
    meant); in the place of such a game stands one from a further seed.
    """
    options = textworld.GameOptions()
    options.nb_rooms, options.nb_objects, options.quest_length = rooms, objects, length
    for further in range(10):
        options.seeds = seed + 1_000_003 * further
        options.path, options.force_recompile = str(folder / f"textworld-{seed}-{rooms}-{objects}-{length}.z8"), True
        path = Path(textworld.make(options)[0])
        if _winnable(path):
            return path
    raise ConfigError(f"no game of {rooms} rooms, {objects} objects and {length} commands that can be won from seed {seed}; take another seed")


def _winnable(path: Path) -> bool:
    """Whether the game's own walkthrough wins it."""
    game = Game(path)
    game.start()
    for command in game.walkthrough:
        game.step(command)
    game.close()
    return game.won


def _opened(path: Path) -> Any:
    if path.suffix != ".tw-pddl":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnsupportedGameWarning)  # it says so of every game that is not a famous one
            return textworld.start(str(path), WANTED)
    game = PddlEnv(WANTED)
    game.load(json.loads(path.read_text(encoding="utf-8")))  # by its path it would be left open
    names = numbered(game._entity_infos)  # noqa: SLF001 - ALFWorld sets the names in the same way
    for key, info in game._entity_infos.items():  # noqa: SLF001
        info.name = names[key]
    return game


def numbered(ids: Any) -> dict[str, str]:
    """Names that can be said: "mug 2" for an id that holds its place in the room ("mug_bar__plus_00_dot_36…").

    The kind is what stands before the first "_bar_"; a basin is a kind of its own. In the order of the ids the numbers go down
    to 1: so do ALFWorld's, and its walkthroughs rest on it.
    """
    kinds = {one: one.split("_bar_", 1)[0] + ("basin" if "basin" in one else "") for one in sorted(ids) if "_bar_" in one}
    left = Counter(kinds.values())
    names = {one: one for one in ids}
    for one, kind in kinds.items():
        names[one] = f"{kind} {left[kind]}"
        left[kind] -= 1
    return names


def _plain(text: str) -> str:
    """What the game says, without its banner and its prompt."""
    text = _BANNER.sub("", _PROMPT.sub("", text.rstrip()))
    return re.sub(r"\n\s*\n\s*\n+", "\n\n", text).strip()
