"""The usual policies together."""

import pytest

from tao.events import Asked, Decided, Misread, Replied
from tao.messages import Reply, Usage
from tao.policies import default
from tao.run import Run
from tao.seams import Abilities
from tao.testing import did, history, spec

BIG, SMALL = Abilities(), Abilities(small=True)
GUESSED = (Replied(Reply("x")), Decided(answer="I don't know."))


def test_what_is_set_is_held():
    calls = [event for number in range(1, 9) for event in (Replied(Reply("x")), *did(number, "t", str(number), n=number))]
    assert default({}, BIG)(history("q", *calls)).reason == "max_steps"
    assert default({"max_steps": 20}, BIG)(history("q", *calls)) is None
    run = history("q", Replied(Reply("x", usage=Usage(90, 20))), Misread("empty"))
    assert default({"max_tokens": 100}, BIG)(run).reason == "max_tokens"
    assert default({"max_tokens": None}, BIG)(run) is None
    late = Run("x", [Asked("q", at=100.0), Replied(Reply("x")), Misread("empty", at=900.0)])
    assert default({"deadline": 60}, BIG)(late).reason == "deadline"
    assert default({"max_misreads": 1}, BIG)(history("q", *(Replied(Reply("?")), Misread("empty")) * 2)).reason == "misreads"
    assert default({}, BIG)(history("q", *did(1, "t", "x", n=1), *did(2, "t", "x", n=1))).by == "loop_guard"


@pytest.mark.parametrize(("settings", "abilities", "looks"), [({}, BIG, False), ({}, SMALL, True), ({"verify": True}, BIG, True), ({"verify": False}, SMALL, False)])
def test_small_models_are_looked_at(settings, abilities, looks):
    policy = default(settings, abilities)
    assert (policy(history("q", *GUESSED, tools=[spec("t")])) is not None) == looks
    assert (policy(history("Where is Blue Harbour?", *did(1, "t", "nothing", q="Blue Harbour"))) is not None) == looks
