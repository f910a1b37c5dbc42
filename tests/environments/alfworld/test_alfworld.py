"""ALFWorld's text games through Agent: whoever plays the walkthrough wins, and whoever does not loses."""

import asyncio
import tarfile

import pytest
from scripts import SCRIPTS

pytest.importorskip("textworld", reason="needs textworld (with jericho)")
pytest.importorskip("fast_downward", reason="needs fast-downward-textworld")
from game_world import OVER, WON, Game, numbered
from games import play

from tao.events import Ended

KINDS = {
    "look_at_obj_in_light", "pick_and_place_simple", "pick_clean_then_place_in_recep", "pick_cool_then_place_in_recep",
    "pick_heat_then_place_in_recep", "pick_two_obj_and_place",
}  # fmt: skip


@pytest.fixture(scope="session")
def games(shared, tmp_path_factory):
    """Every game's file."""
    folder = tmp_path_factory.mktemp("alfworld")
    with tarfile.open(shared("alfworld") / "alfworld_19.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    return sorted(folder.rglob("*.tw-pddl"))


def test_the_games_are_of_all_six_kinds(games):
    assert {path.parent.parent.name.split("-")[0] for path in games} == KINDS
    assert len(games) == 19


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_scripted_model_that_plays_the_walkthrough_wins_every_game_in_both_dialects(games):
    async def played(game, dialect):
        game.start()
        commands = [("act", {"command": command}) for command in game.walkthrough]
        run = await play(game, SCRIPTS[dialect](commands, "Done."), len(commands) + 2, dialect)
        assert [call.args["command"] for call, _ in run.observed] == list(game.walkthrough)
        assert run.observed[-1][1].text.endswith(WON["en"])
        assert isinstance(run.events[-1], Ended)
        return (game.won, run.answer, run.ended.reason)

    for path in games:
        game = Game(path)
        for dialect in SCRIPTS:
            assert asyncio.run(played(game, dialect)) == (True, "Done.", "answered"), (game.name, dialect)
        game.close()


async def test_what_does_not_happen_is_said_and_a_game_that_is_not_won_is_lost(games):
    game = Game(games[0])
    commands = ["fly to the moon", "go to nowhere 1", "look", "look", "inventory"]
    run = await play(game, SCRIPTS["react"]([("act", {"command": one}) for one in commands], "I won!"), 9, "react")
    said = [seen.text for _, seen in run.observed]
    assert said[:2] == ["Nothing happens.", "Nothing happens."]
    assert said[2].startswith("You are in the middle of a room.")
    assert (game.won, run.answer) == (False, "I won!")
    # The same game again, from the beginning, in Chinese to the end and past it.
    game.start()
    for command in game.walkthrough:
        game.step(command)
    assert game.won
    tool = game.tools()[0]
    assert "一条英文命令" in tool.said("zh").parameters["properties"]["command"]["description"]

    class Asked:
        lang = "zh"

    class Chinese:
        asked = Asked

    assert tool("look", Chinese).text == f"{OVER['zh']} {WON['zh']}"
    game.close()


def test_names_are_numbered_within_their_kind():
    ids = ["mug_bar__plus_00_dot_1", "mug_bar__plus_00_dot_2", "sink_bar__minus_01_bar_sinkbasin", "sink_bar__minus_01", "you"]
    assert numbered(ids) == {
        "mug_bar__plus_00_dot_1": "mug 2", "mug_bar__plus_00_dot_2": "mug 1", "sink_bar__minus_01_bar_sinkbasin": "sinkbasin 1",
        "sink_bar__minus_01": "sink 1", "you": "you",
    }  # fmt: skip
