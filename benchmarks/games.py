"""Play text games with a model, and print how many it won: the honest score, with nothing but the task and one tool `act`.

    .venv/bin/python benchmarks/games.py [--model local] [--games 5] [--max-steps 15] [--hints] (--folder FOLDER | --textworld)

FOLDER holds ALFWorld's games (`**/*.tw-pddl`); `--textworld` generates games instead, from the seeds 1, 2, 3 … A game counts
as won if the game says so, whatever the model answers. `--hints` answers a command that cannot be done with those that can. The last line is `won/played`.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from game_world import Game, generated

from tao.agent import Agent
from tao.errors import AgentError
from tao.events import Misread
from tao.models import connect
from tao.permissions import Rule
from tao.run import Run
from tao.seams import Model


async def play(game: Game, model: Model, max_steps: int, dialect: str = "auto") -> Run:
    """One game under tao: the task as the question, `act` as the only tool."""
    question = game.start()
    agent = Agent(model, game.tools(), dialect=dialect, max_steps=max_steps, permissions=[Rule("allow", tools=("act",))])
    return await agent.run(question, id=game.name)


def games(args: argparse.Namespace, folder: Path) -> Iterator[Path]:
    """Files of games, as many as wanted."""
    if args.textworld:
        yield from (generated(folder, seed, length=args.length) for seed in range(1, args.games + 1))
        return
    found = sorted(args.folder.rglob("*.tw-pddl"))
    if not found:
        raise SystemExit(f"no *.tw-pddl below {args.folder}")
    yield from found[:: max(1, len(found) // args.games)][: args.games]  # spread over the kinds of tasks


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="local", help="model name, as for `tao ask --model`")
    parser.add_argument("--games", type=int, default=5)
    parser.add_argument("--max-steps", type=int, default=15)
    parser.add_argument("--dialect", default="auto")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--folder", type=Path, help="a folder with ALFWorld's games")
    source.add_argument("--textworld", action="store_true", help="generate games")
    parser.add_argument("--length", type=int, default=3, help="commands that a generated game takes")
    parser.add_argument("--hints", action="store_true", help="after a command that cannot be done, say which can")
    parser.add_argument("--show", action="store_true", help="also print every command and what the game said")
    args = parser.parse_args()
    if args.games < 1 or args.max_steps < 1:
        parser.error("--games and --max-steps must be 1 or more")
    return args


async def main() -> int:
    """Play one game after the other."""
    args = options()
    model = connect(args.model, env=os.environ)
    won = played = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in games(args, Path(folder)):
            game, started = Game(path, hints=args.hints), time.perf_counter()
            run = await play(game, model, args.max_steps, args.dialect)
            won, played = won + game.won, played + 1
            for event in run.events[1:] if args.show else ():
                print(f"    {event!r:.240}")
            misreads, ended = len(list(run.all(Misread))), run.ended
            reason = ended.reason if ended else run.state
            print(
                f"{'won ' if game.won else 'lost'} {game.name} ({len(game.walkthrough)} commands needed, {len(run.observed)} made, "
                f"{misreads} misread) {reason} {time.perf_counter() - started:.0f}s {won}/{played}", flush=True,
            )
            game.close()
    print(f"{won}/{played}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main()))
    except AgentError as error:
        sys.exit(f"{type(error).__name__}: {error}")
