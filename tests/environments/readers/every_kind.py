"""Runs of every kind that an export or a log may hold."""

import math

from tao.events import Asked, Decided, Ended, Misread, Nudged, Observed, Paused, Recalled, Replied, Ruled
from tao.messages import Call, Image, Message, Observation, Reply, ToolCall, ToolSpec, Usage
from tao.run import Run
from tao.testing import did, spec

USED = Usage(100, 20, 40)
PNG = Image("image/png", "iVBORw0KGgo=")
CALC, CITY, ADD, NOW = spec("calculator", expression="string"), spec("天气", 城市="string"), spec("math.add", a="number", b="number?"), ToolSpec("now", "Now.", {})
ORDER = ToolSpec("order", "Orders.", {"type": "object", "required": ["items"], "properties": {
    "items": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}, "qty": {"type": "integer"}}}},
    "note": {"type": ["string", "null"], "default": None}, "when": {"anyOf": [{"type": "string"}, {"type": "integer"}], "default": 3},
}})  # fmt: skip
KINDS = ToolSpec("kinds", "Kinds.", {"type": "object", "properties": {"kind": {"enum": ["a", 1, None, True]}, "when": {"type": "integer", "default": "x"}}})


def replied(text="", **more):
    return Replied(Reply(text, usage=USED, model="m", seconds=1.5, **more), "abcdef0123456789")


def end(answer, **more):
    return (replied(answer), Decided(answer=answer), Ended("answered", answer, **more))


def called(number, *calls):
    """A decision for calls (tool, arguments, observation), and what they gave, the last first."""
    made = [(Call(f"{number}.{place}", tool, args), seen) for place, (tool, args, seen) in enumerate(calls, 1)]
    seen = [Observed(call.id, given if isinstance(given, Observation) else Observation(given)) for call, given in reversed(made)]
    return (replied("…"), Decided("想", tuple(call for call, _ in made)), *seen)


ASKED = {
    "native": Asked("1+1?", (CALC,), dialect="native", model="m"),
    "parallel": Asked("很多", (ORDER, CITY, ADD, NOW, KINDS), "zh", model="m"),
    "misread": Asked("q", (CALC,), model="m"),
    "pictures": Asked("What is it?", (), model="m", images=(PNG, Image(url="https://example.com/a.jpg?x=1"))),
    "history": Asked("and then?", (CALC,), model="m", instructions="Be brief.", history=(
        Message("user", "hi", images=(PNG,)), Message("assistant", "", (ToolCall("calculator", '{"expression":"2"}', "h1"), ToolCall("calculator", "no json", "h2"))),
        Message("tool", "2", call_id="h1"), Message("tool", "3", call_id="h2"), Message("assistant", "5"),
    )),
    "ruled": Asked("pay", (CALC,), model="m", settings={"who": {"name": "Li Lei", "role": "boss"}}),
    "not a number": Asked("q", (ADD,), model="m"), "odd": Asked("a\u2028b\x00\x1b\ud83d", (CITY,), "zh", model="m"), "long": Asked("q", (ADD,), model="m"),
    "plain": Asked("json", (), model="m"), "paused": Asked("pay", (CALC,), model="m"), "cancelled": Asked("c", (CALC,), model="m"),
    "failed": Asked("c", (CALC,), model="m"), "stopped": Asked("c", (CALC,), model="m"),
}  # fmt: skip
STEPS = {
    "native": (*called(1, ("calculator", {"expression": "1+1"}, "2")), *end("2")),
    "parallel": (*called(
        1, ("order", {"items": [{"sku": "a", "qty": 1}, {"sku": 5, "qty": "2"}], "note": None}, Observation("ok", data={"id": 1, "x": [1, "a", None]})),
        ("天气", {"城市": "北京"}, Observation("晴", data=["晴", {"t": -3}])), ("math.add", {"a": 1, "b": 2.5}, "3.5"), ("now", {}, Observation("", data=True)),
    ), *end("好的 😀")),
    "misread": (
        replied("??"), Misread("no_step", "say it", "hm"), Nudged("try again", "misreads", without=("calculator",)),
        *called(2, ("calculator", {"expression": ["a", 1]}, Observation("bad", ok=False, kind="bad_arguments", notes=("n",)))),
        *called(3, ("nope", {"deep": {"a": [[1, [2]], {"c": None}]}}, Observation("no tool", ok=False, kind="unknown_tool"))), *end("2", replies=(Reply("", usage=USED),)),
    ),
    "pictures": end("a cat"), "history": (Recalled(("likes tea", "名字是李雷")), *end("ok")),
    "ruled": (
        replied(), Decided("p", (Call("1.1", "calculator", {"expression": "1"}),)), Paused("may I?", "1.1"),
        Ruled("1.1", "ff", "edit", "li", {"expression": "2"}, expires=9e9, run="ruled"), Observed("1.1", Observation("2")), *end("2"),
    ),
    "not a number": (*called(1, ("math.add", {"a": math.nan, "b": -math.inf}, Observation("nan", data=math.nan))), *end("nan")),
    "odd": (*called(1, ("天气", {"城市": "\ud83d\x00", "": 1, "a/b": "x", "$ref": "x", "[]": [1]}, "x\u2028\x00")), *end("\ufeffe\u0301 👩\u200d💻")),
    "long": (*called(1, ("math.add", {"a": 2**70, "b": 10**400}, Observation("1", data={"big": 2**63, "t": True}))), *end("1")),
    "plain": end('{"a": 1}'), "paused": (replied(), Decided("p", (Call("1.1", "calculator", {}),)), Paused("may I?", "1.1")),
    "cancelled": (replied(), Decided("p", (Call("1.1", "calculator", {}),)), Ended("cancelled")), "failed": (Ended("failed", detail="ModelError: none\n没有"),),
    "stopped": (replied(), *did(1, "calculator", "2", expression="1"), Ended("max_steps", "best so far")),
}  # fmt: skip


def runs():
    """All of them, by name."""
    return {name: Run(name, [asked, *STEPS[name]]) for name, asked in ASKED.items()}
