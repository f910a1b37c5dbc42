"""Function calling: tools as structures, results in call order, misreads asked again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao.dialects.auto import Auto
from tao.dialects.native import Native
from tao.events import Asked, Decided, Misread, Nudged, Observed, Recalled, Replied
from tao.messages import Call, Message, Observation, Reply, ToolCall, ToolSpec
from tao.run import Run
from tao.seams import Abilities
from tao.testing import did, history, spec

SEARCH, ADD = spec("search", query="string"), spec("add", a="integer", b="integer")
NATIVE = Native()


def rendered(run):
    return [(message.role, message.content) for message in NATIVE.render(run).messages]


def test_it_says_nothing_of_its_own():
    request = NATIVE.render(history("q", tools=[SEARCH, ADD]))
    assert request.messages == (Message("user", "q"),)
    assert (request.tools, request.tool_choice, request.grammar, request.stop) == ((SEARCH, ADD), "auto", None, ())


def test_instructions_conversation_and_notes():
    run = Run("x", [Asked("q", lang="zh", instructions="要友好。", history=(Message("user", "a"), Message("assistant", "b"))), Recalled(("一",))])
    assert rendered(run) == [("system", "要友好。"), ("user", "a"), ("assistant", "b"), ("user", "q\n备注：一")]


def test_several_calls_of_one_turn_and_their_results_in_call_order():
    calls = (Call("1.1", "search", {"query": "蓝港"}, "call_a"), Call("1.2", "add", {"a": 1, "b": 2}))
    run = history(
        "q", Replied(Reply("", reasoning="hm")), Decided("I look.", calls), Observed("1.2", Observation("3")), Observed("1.1", Observation("412")), tools=[SEARCH, ADD]
    )
    _, said, first, second = NATIVE.render(run).messages
    assert said == Message("assistant", "I look.", (ToolCall("search", '{"query":"蓝港"}', "call_a"), ToolCall("add", '{"a":1,"b":2}', "1.2")), reasoning="hm")
    assert (first, second) == (Message("tool", "412", call_id="call_a"), Message("tool", "3", call_id="1.2"))
    run.events.append(Replied(Reply("done")))
    run.events.append(Decided(answer="412"))
    run.events.append(Nudged("Sure?", "verify"))
    assert rendered(run)[-2:] == [("assistant", "412"), ("user", "Sure?")]


@pytest.mark.parametrize(("sent", "said"), [
    ('{"b": 2, "a": 1}', '{"b": 2, "a": 1}'), ('{ "a":1,\n"b":2 }', '{ "a":1,\n"b":2 }'), ("{'a': 1, 'b': 2", '{"a":1,"b":2}'), ('{"a": 7}', '{"a":1,"b":2}'),
    ('{"a": 1, "b": 2}' + " " * 500, '{"a":1,"b":2}'),
])  # fmt: skip
def test_arguments_are_said_again_as_the_model_wrote_them_where_they_were_read_so(sent, said):
    step = Decided("", (Call("1.1", "add", {"a": 1, "b": 2}),))
    run = history("q", Replied(Reply("", (ToolCall("add", sent, "x"),))), step, Observed("1.1", Observation("3")), tools=[ADD])
    assert NATIVE.render(run).messages[1].calls[0].arguments == said


@pytest.mark.parametrize(("lang", "detail", "said"), [
    ("en", "It was empty.", "It was empty."), ("en", "", "Call a tool through the function interface, or answer in plain words."),
    ("zh", "", "请通过函数接口调用工具，或者用普通文字直接回答。"),
])  # fmt: skip
def test_a_misread_reply_is_shown_and_asked_again(lang, detail, said):
    run = history("q", Replied(Reply("  what? " + "x" * 900)), Misread("no_step", detail), lang=lang)
    (_, quoted), (_, correction) = rendered(run)[-2:]
    assert quoted.startswith("what? xxx")
    assert len(quoted) == 400
    assert correction == said
    assert rendered(history("q", Replied(Reply("")), Misread("empty", "x")))[1] == ("assistant", "…")
    assert rendered(history("q", Misread("empty", "x")))[1] == ("assistant", "…")


@pytest.mark.parametrize(("nudge", "choice", "tools"), [
    (None, "auto", 2), (Nudged("", "x"), "auto", 2), (Nudged("", "x", may_call=False), "none", 2), (Nudged("", "x", may_answer=False), "required", 2),
    (Nudged("", "x", may_call=False, may_answer=False), "none", 2), (Nudged("", "x", without=("search",), may_answer=False), "required", 1),
    (Nudged("", "x", without=("search", "add"), may_answer=False), "auto", 0),
])  # fmt: skip
def test_what_a_nudge_closes(nudge, choice, tools):
    request = NATIVE.render(history("q", *([nudge] if nudge else []), tools=[SEARCH, ADD]))
    assert (request.tool_choice, len(request.tools)) == (choice, tools)
    assert NATIVE.render(history("q", *([nudge] if nudge else []))).tool_choice == "auto"


def test_a_hidden_answer_is_left_out():
    run = history("q", Replied(Reply("4")), Decided(answer="4"), Nudged("Work it out with a tool.", "ungrounded", hide=True), tools=[ADD])
    assert rendered(run) == [("user", "q\nWork it out with a tool.")]


def test_replies_are_read_with_our_ids_beside_theirs():
    reply = Reply("I add.", (ToolCall("add", '{"a": 1, "b": 2}', "call_1"), ToolCall("add", '{"a": 3, "b": 4}', "call_1")))
    run = history("q", *did(1, "add", "3", a=1, b=2), Replied(Reply("x")), Replied(reply), tools=[ADD])
    assert NATIVE.parse(run) == Decided("I add.", (Call("2.1", "add", {"a": 1, "b": 2}, "call_1"), Call("2.2", "add", {"a": 3, "b": 4}, "call_1")))
    run.events.append(Replied(Reply("The answer is 3.")))
    assert NATIVE.parse(run).answer == "The answer is 3."
    run.events.append(Replied(Reply("", (ToolCall("fly", "{}"),))))
    assert NATIVE.parse(run).reason == "unknown_tool"
    assert NATIVE.listen(run).stop is False


def test_a_run_that_grows_is_rendered_like_one_that_did_not():
    whole = [Replied(Reply("a")), *did(1, "add", "3", a=1, b=2), Replied(Reply("b")), Misread("empty", "x"), Replied(Reply("c")), *did(3, "add", "4", a=2, b=2)]
    growing = history("q", tools=[ADD])
    for length, event in enumerate(whole, 1):
        growing.events.append(event)
        assert NATIVE.render(growing) == NATIVE.render(history("q", *whole[:length], tools=[ADD]))
    changed = growing.events
    changed[2:3] = [Decided("otherwise", changed[2].calls)]
    assert NATIVE.render(growing) == NATIVE.render(Run("y", changed))


def test_a_tool_that_there_is_not_does_not_drop_its_siblings():
    add = ToolSpec("add", "", {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})

    def means(*calls):
        run = Run("r", [Asked("q", (add,)), Replied(Reply("", tuple(ToolCall(name, args, f"p{at}") for at, (name, args) in enumerate(calls))))])
        return NATIVE.parse(run)

    decided = means(("fish", '{"x": 1}'), ("add", '{"a": 1}'), ("fish", "{}"), ("add", '{"a": 2}'))
    assert [(call.id, call.tool, dict(call.args), call.provider_id) for call in decided.calls] == [
        ("1.1", "fish", {"x": 1}, "p0"), ("1.2", "add", {"a": 1}, "p1"), ("1.3", "fish", {}, "p2"), ("1.4", "add", {"a": 2}, "p3"),
    ]  # fmt: skip
    assert means(("fish", "{}"), ("bird", "{}")).reason == "unknown_tool"
    assert means(("fish", "{}"), ("add", '{"a": ')).reason == "truncated"  # what breaks off may have meant anything
    assert means(("fish & chips", "{}"), ("add", '{"a": 1}')).reason == "unknown_tool"


PARTS = [
    did(1, "add", "3", a=1), (Misread("empty", "say it again"),), (Decided(answer="3"), Nudged("not yet", "verify", hide=True)), (Nudged("go on", "reflect"),),
    (Misread("no_tools"),), (Decided("", (Call("5.1", "add", {"a": 1}), Call("5.2", "add", {"a": 2}))), Observed("5.2", Observation("2")), Observed("5.1", Observation("1"))),
    (Decided("", (Call("6.1", "add", {"a": 1}),)), Observed("6.1", Observation("no", ok=False, kind="ungrounded"))), (Recalled(("a note",)),),
]  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=8), st.sampled_from([Native(), Auto(Abilities(tools=True))]))
def test_a_run_that_grows_is_written_as_one_that_is_written_as_a_whole(parts, dialect):
    run = history("q", tools=[spec("add", a="integer")])
    for number, part in enumerate(parts):
        for event in (Replied(Reply(f"reply {number}", reasoning=f"{number}?")), *part):
            run.events.append(event)
            if not isinstance(event, Replied):
                assert dialect.render(run) == dialect.render(Run("r", run.events))


def test_writing_a_long_run_takes_little_more_work_than_a_short_one(work):
    def added(steps):
        run = history("q", *(event for number in range(steps) for event in (Replied(Reply("")), *did(number, "add", "3"))), tools=[spec("add")])
        Auto(Abilities(tools=True)).render(run)
        run.events += (Replied(Reply("")), *did(steps, "add", "4"))
        return work(lambda: Auto(Abilities(tools=True)).render(run))

    assert added(110) - added(10) <= 2 * 100  # each of two messages a step is put into a list
