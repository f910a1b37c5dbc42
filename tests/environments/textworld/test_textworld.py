"""Games that TextWorld generates from a seed, through Agent: whoever plays the walkthrough wins."""

import pytest
from scripts import SCRIPTS

pytest.importorskip("textworld", reason="needs textworld (with jericho)")
from game_world import POSSIBLE, WON, Game, generated
from games import play

from tao.errors import ConfigError

SHAPES = {1: (1, 3, 2), 2: (3, 5, 3), 3: (5, 8, 5), 4: (8, 12, 8)}
"""By seed: rooms, objects, commands of the quest."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A generated game by its seed."""
    folder, known = tmp_path_factory.mktemp("textworld"), {}

    def one(seed):
        if seed not in known:
            rooms, objects, length = SHAPES[seed]
            known[seed] = generated(folder, seed, rooms=rooms, objects=objects, length=length)
        return known[seed]

    return one


@pytest.mark.parametrize("dialect", SCRIPTS)
@pytest.mark.parametrize("seed", SHAPES)
async def test_a_scripted_model_that_plays_the_walkthrough_wins(made, seed, dialect):
    game = Game(made(seed))
    game.start()
    assert len(game.walkthrough) >= SHAPES[seed][2]
    calls = [("act", {"command": command}) for command in game.walkthrough]
    run = await play(game, SCRIPTS[dialect](calls, "Done."), len(calls) + 2, dialect)
    assert (game.won, run.answer, run.ended.reason) == (True, "Done.", "answered")
    assert run.observed[-1][1].text.endswith(WON["en"])
    assert [seen.data for _, seen in run.observed] == [{"won": False}] * (len(calls) - 1) + [{"won": True}]
    game.close()


async def test_half_a_walkthrough_does_not_win(made):
    game = Game(made(2))
    game.start()
    calls = [("act", {"command": command}) for command in game.walkthrough[:-1]]
    run = await play(game, SCRIPTS["react"](calls, "I won!"), len(calls) + 2, "react")
    assert (game.won, run.answer) == (False, "I won!")
    game.close()


@pytest.mark.parametrize("hints", [True, False])
async def test_hints_say_what_can_be_done_only_where_they_are_wanted(made, hints):
    game = Game(made(2), hints=hints)
    game.start()
    possible = game.possible
    assert {game.walkthrough[0], "look", "inventory"} <= set(possible)
    calls = [("act", {"command": one}) for one in ("fly away", "  LOOK ", *game.walkthrough)]
    run = await play(game, SCRIPTS["react"](calls, "Done."), len(calls) + 2, "react")
    first, *others = [seen.text for _, seen in run.observed]
    assert first.endswith(POSSIBLE["en"].format("; ".join(possible))) == hints
    assert not any(POSSIBLE["en"][:20] in text for text in others)
    assert game.won
    game.close()


def test_what_the_game_says_has_no_banner_and_no_prompt(made):
    game = Game(made(2))
    said = [game.start(), *map(game.step, game.walkthrough)]
    assert not any("$$" in text or "\n>" in text or text != text.strip() for text in said)
    assert game.task in said[0]
    assert game.scene
    assert len(set(game.forms.split(", "))) == len(game.forms.split(", "))
    game.close()


def test_the_same_seed_gives_the_same_game(made, tmp_path):
    one, other = Game(made(1)), Game(generated(tmp_path, 1, rooms=1, objects=3, length=2))
    assert one.start() == other.start()
    assert one.walkthrough == other.walkthrough
    one.close()
    other.close()


def test_a_game_that_its_own_walkthrough_does_not_win_is_replaced(tmp_path):
    game = Game(generated(tmp_path, 2024, rooms=5, objects=20, length=7))
    game.start()
    said = [game.step(command) for command in game.walkthrough]
    assert (game.won, game.name) == (True, "textworld-2024-5-20-7"), said
    game.close()


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"no game .*lost.z8; give a file"):
        Game(tmp_path / "lost.z8")
