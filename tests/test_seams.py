"""The seams fit each other, and the request's digest stands for all of it."""

from dataclasses import fields, replace

import pytest

from tao.agent import recorded_abilities
from tao.events import Asked
from tao.messages import Message, Request, ToolCall
from tao.seams import Abilities, Delta
from tao.testing import spec

ASK = Request(
    (Message("user", "hi"),), (spec("add", a="integer"),), ("\nObservation",), 'root ::= "x"', None, 100, 0.5, "required",
)  # fmt: skip
CALL = ToolCall("add", "{}", "c1")


def test_what_a_server_can_do_by_default():
    assert Abilities() == Abilities(tools=True, constraint=None, stop=True, small=False, dialect="")
    assert Delta("thought", "x").kind == "thought"


def test_abilities_come_back_from_the_record_and_unknown_ones_are_left_out():
    kept = {"tools": False, "constraint": "gbnf", "stop": False, "small": True, "dialect": "react", "sings": True}
    assert recorded_abilities(Asked("q", settings={"abilities": kept})) == Abilities(
        tools=False, constraint="gbnf", stop=False, small=True, dialect="react"
    )
    assert recorded_abilities(Asked("q")) == Abilities()


@pytest.mark.parametrize("other", [
    {"messages": ()}, {"messages": (Message("system", "hi"),)}, {"messages": (Message("user", "hi", (CALL,)),)},
    {"messages": (Message("user", "hi", call_id="c"),)}, {"messages": (Message("user", "hi", reasoning="r"),)},
    {"tools": ()}, {"tools": (spec("add", "adds", a="integer"),)}, {"tools": (spec("add", a="number"),)}, {"stop": ()}, {"grammar": None},
    {"schema": {"type": "object"}}, {"max_tokens": None}, {"temperature": None}, {"tool_choice": "auto"}, {"likely": 3},
], ids=str)  # fmt: skip
def test_every_part_of_a_request_changes_its_digest(other):
    assert replace(ASK, **other).digest() != ASK.digest()


def test_a_digest_is_stable_and_takes_any_text():
    assert ASK.digest() == replace(ASK).digest()
    assert len(ASK.digest()) == 16
    assert Request((Message("user", "\ud800"),)).digest() != Request((Message("user", "?"),)).digest()
    assert {field.name for field in fields(Request)} == {
        "messages", "tools", "stop", "grammar", "schema", "max_tokens", "temperature", "tool_choice", "likely",
    }  # a new field belongs into the digest
