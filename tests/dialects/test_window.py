"""What of a run is shown: nothing hidden, only the prefix grows, tools on one line each."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tao.dialects.auto import named
from tao.dialects.prompts import TABLES, texts
from tao.dialects.react import React
from tao.dialects.window import merged, shown, tool_line, transcript, without_guesses
from tao.events import Decided, Ended, Misread, Nudged, Observed, Paused, Replied, Ruled
from tao.messages import Call, Message, Observation, Reply, ToolCall, ToolSpec
from tao.run import NO_TOOLS, Run
from tao.seams import Abilities
from tao.testing import did, history, spec

SAID = Replied(Reply("said"))
TOOLS = [spec("search", query="string"), spec("add", a="integer", b="integer")]
DIALECTS = {
    "react": React(), "react held": React(constrained=True), "react grounded": React(constrained=True, grounded=True), "json": named("json", Abilities()),
    "bracket": named("bracket", Abilities()), "native": named("native", Abilities()),
}  # fmt: skip


def turn(number, kind):
    """The events of one reply of a run, and the calls' results."""
    if kind == "misread":
        return [Replied(Reply(f"reply {number}")), Misread("no_step", f"detail {number}")]
    if kind == "nudged":
        return [*turn(number, "call"), Nudged(f"nudge {number}", "x", lead="I see." if number % 2 else "")]
    if kind == "nothing":
        return [Replied(Reply("", finish=NO_TOOLS)), Misread(NO_TOOLS)]
    calls = tuple(Call(f"{number}.{n}", "search", {"query": f"q{number}"}) for n in range(1, 4 if kind == "calls" else 2))
    results = [Observed(call.id, Observation(f"Result {call.id} is here.\nOther things too.", ok=number % 3 > 0)) for call in reversed(calls)]
    return [Replied(Reply(f"reply {number}")), Decided(f"thought {number}", calls), *results]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["call", "calls", "misread", "nudged", "nothing"]), max_size=6), st.sampled_from(sorted(DIALECTS)), st.sampled_from(["en", "zh"]))
def test_from_step_to_step_a_prompt_only_grows_at_its_end(kinds, name, lang):
    dialect, run = DIALECTS[name], history("Where is Blue Harbour?", tools=TOOLS, lang=lang)
    before = dialect.render(run).messages
    for number, kind in enumerate(kinds, 1):
        run.events += turn(number, kind)
        now = dialect.render(run).messages
        assert now[: len(before)] == before
        assert len(now) > len(before) or kind == "nothing"
        assert all(one.role != other.role or one.role == "tool" for one, other in pairwise(now))
        before = now


def test_what_a_policy_hides_is_not_shown():
    run = history("q", SAID, Decided(answer="4"), Nudged("Use a tool.", "verify", hide=True))
    assert [type(event).__name__ for event in shown(run)] == ["Asked", "Replied", "Nudged"]
    kept = history("q", SAID, Decided(answer="4"), Nudged("Use a tool.", "verify"))
    assert shown(kept) == kept.events


def test_calls_that_were_refused_unseen_are_not_shown_with_all_beside_them():
    calls = (Call("1.1", "a", {}), Call("1.2", "b", {}))
    refused = (SAID, Decided("x", calls), Observed("1.2", Observation("ok")), Observed("1.1", Observation("no", ok=False, kind="ungrounded")))
    run = history("q", *refused, *did(2, "c", "fine"))
    assert [type(event).__name__ for event in shown(run)] == ["Asked", "Replied", "Decided", "Observed"]
    other = history("q", Observed("9.9", Observation("no", ok=False, kind="ungrounded")), *did(2, "c", "fine"))
    assert len(shown(other)) == 4  # of a call that nobody decided on


def test_a_refusal_of_tools_is_not_shown():
    assert [type(event).__name__ for event in shown(history("q", SAID, Misread(NO_TOOLS), SAID, Misread("empty")))] == ["Asked", "Replied", "Replied", "Misread"]


def test_a_run_as_messages():
    run = history("q", *did(1, "a", "one", "first"), SAID, Misread("empty"), Paused("x"), Ruled("1.1", "h", "approve"), Nudged("", "x"), Ended("answered", "x"))
    assert [message.content for message in transcript(run, lambda step: f"<{step.thought}>", "FORM", quiet=False)] == [
        "Question: q", "<first>", "Observation: one", "said", "FORM",
    ]  # fmt: skip
    long = history("q", Replied(Reply(" " + "x" * 900)), Misread("empty", "why"))
    assert [len(message.content) for message in transcript(long, str, "FORM", quiet=False)][1:] == [400, len("why\nFORM")]
    none = history("q", Replied(Reply(" \n")), Misread("empty", "why"))
    assert [*transcript(none, str, "FORM", quiet=False)][1].content == "…"


def test_neighbours_of_one_role_become_one_message():
    call = (ToolCall("a", "{}"),)
    said = [Message("system", "s"), Message("system", "t"), Message("user", "a"), Message("user", "b"), Message("assistant", "c", call), Message("assistant", "d"),
            Message("assistant", "e", call), Message("tool", "f", call_id="1"), Message("tool", "g", call_id="2"), Message("user", "h")]  # fmt: skip
    assert [message.content for message in merged(said)] == ["s", "t", "a\nb", "c", "d", "e", "f", "g", "h"]
    assert merged([]) == ()


@pytest.mark.parametrize(("tool", "line"), [
    (spec("ring"), "- ring(): "), (spec("add", "Add.", a="integer", b="number?"), "- add(a: integer, b?: number): Add."),
    (ToolSpec("x", "X.", {}), "- x(): X."),
    (ToolSpec("x", "X.", {"properties": {"d": {"type": "string", "format": "date"}, "k": {"enum": ["a", 1]}, "o": {"type": ["string", "null"]}, "any": {}, "t": True}}),
     "- x(d?: date, k?: a | 1, o?: string | null, any?: any, t?: any): X."),
    (ToolSpec("x", "Takes the city.", {"properties": {"c": {"type": "string", "description": "the city."}, "n": {"type": "integer", "description": "how many"}}}),
     "- x(c?: string, n?: integer): Takes the city. (n: how many)"),
])  # fmt: skip
def test_a_tool_is_one_line(tool, line):
    assert tool_line(tool) == line


def test_both_languages_say_the_same_things():
    first, second = TABLES.values()
    assert set(first) == set(second)
    assert all(first.values())
    assert all(second.values())
    for key, text in first.items():
        assert {part for part in ("{tools}", "{form}", "{name}") if part in text} == {part for part in ("{tools}", "{form}", "{name}") if part in second[key]}
    assert texts("fr") is texts("en") is TABLES["en"]
    assert isinstance(DIALECTS["react"].render(Run("x", history("q", lang="fr").events)).messages[0].content, str)


@pytest.mark.parametrize(("lang", "thought", "shown"), [
    ("en", "Today is 2025-03-14. 29 days from today is 2025-04-02.", "Today is 2025-03-14."),
    ("en", "The difference is 2025-07-29 - 2025-03-14 = 45 days.", "I work this out with a tool."),
    ("en", "I have both. 300 and 12 make 321.", "I have both."),
    ("en", "I have both. 300 and 12 make 312.", None),
    ("en", "300.5 is not what I need. I look further.", "I look further."),
    ("en", "I need the date first.", None),
    ("zh", "今天是2025年3月14日。102天之后是2025年4月26日。", "今天是2025年3月14日。"),
    ("zh", "300乘以12等于7608。", "用工具来算。"),
    ("zh", "需要两个数。先查一座山。", None),
    ("zh", "在2031年开始！", None),
])  # fmt: skip
def test_what_a_thought_guesses_is_not_shown_again(lang, thought, shown):
    questions = {"en": "What of 29 days, 300 and 12?", "zh": "102天之后呢？300和12？"}
    first = did(1, "today", "2025-03-14")
    step, seen = did(2, "ring", "ok", thought=thought)
    run = history(questions[lang], *first, step, seen, tools=[spec("today"), spec("ring")], lang=lang)
    said = React().say
    focused = [m.content for m in transcript(run, said, "", quiet=True, focus=True)]
    assert any(m.startswith(f"Thought: {shown or thought}\n") for m in focused)
    assert any(thought in m.content for m in transcript(run, said, "", quiet=True))


def test_a_value_that_came_later_was_a_guess_when_it_was_said():
    step, seen = did(1, "add", "2025-04-12", thought="It is 2025-04-12.")
    run = history("What is 29 days from 2025-03-14?", step, seen, tools=[spec("add")])
    assert without_guesses(step, run).thought == "I work this out with a tool."
