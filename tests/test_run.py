"""What is read off a run: where it stands, what it took, what was seen."""

import copy
import dataclasses
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao.events import Asked, Decided, Ended, Event, Misread, Nudged, Observed, Paused, Recalled, Replied, Ruled
from tao.messages import Call, Observation, Reply, Usage
from tao.run import NO_TOOLS, Grown, Run, args_hash, canonical
from tao.testing import did, history, spec

ADD = Call("1.1", "add", {"a": 1, "b": 2})
SUB = Call("1.2", "subtract", {"a": 1, "b": 2})
SAID = Replied(Reply("text"))


def after(*events):
    return history("q", *events)


@pytest.mark.parametrize(("events", "state"), [
    ((), "thinking"), ((Recalled(("note",)),), "thinking"), ((SAID,), "unread"), ((SAID, Misread("empty")), "thinking"),
    ((SAID, Decided(calls=(ADD,))), "acting"), ((SAID, Decided(calls=(ADD, SUB)), Observed("1.2", Observation("x"))), "acting"),
    ((SAID, Decided(calls=(ADD,)), Observed("1.1", Observation("x"))), "thinking"), ((SAID, Decided(answer="a")), "answering"),
    ((SAID, Decided(answer="a"), Nudged("no", "verify")), "thinking"), ((SAID, Decided(calls=(ADD,)), Paused("ask", "1.1")), "paused"),
    ((SAID, Decided(calls=(ADD,)), Paused("ask", "1.1"), Ruled("1.1", "h", "approve")), "acting"), ((SAID, Decided(answer="a"), Ended("answered", "a")), "ended"),
])  # fmt: skip
def test_where_it_stands(events, state):
    assert after(*events).state == state
    assert state in repr(after(*events))


def test_a_run_without_events():
    run = Run("new")
    assert run.state == "thinking"
    assert (run.pending, run.nudge, run.ended, run.proposed, run.answer) == ((), None, None, None, None)
    assert repr(run) == "Run('new', 0 events, thinking)"


def test_the_first_event_is_the_question():
    assert after().asked == Asked("q")
    with pytest.raises(AssertionError, match="a run begins with Asked, not Paused"):
        Run("x", [Paused("y")]).asked  # noqa: B018


def test_calls_that_are_still_to_be_done():
    decided = Decided(calls=(ADD, SUB))
    assert after(SAID, decided).pending == (ADD, SUB)
    assert after(SAID, decided, Observed("1.2", Observation("x"))).pending == (ADD,)
    assert after(SAID, decided, Paused("ask", "1.1"), Ruled("1.1", "h", "approve")).pending == (ADD, SUB)
    assert after(SAID, decided, Observed("1.2", Observation("x")), SAID).pending == ()


def test_what_holds_for_the_next_reply():
    nudge = Nudged("x", "y")
    assert after(nudge).nudge is nudge
    assert after(nudge, SAID).nudge is None


def test_the_answer_is_proposed_and_then_final():
    given_up = after(SAID, Decided(answer="4"), Nudged("no", "verify"))
    assert (given_up.proposed, given_up.answer) == (None, None)
    proposed = after(SAID, Decided(answer="4"))
    assert (proposed.proposed, proposed.answer, proposed.ended) == ("4", None, None)
    final = after(SAID, Decided(answer="4"), Ended("answered", "4"))
    assert (final.proposed, final.answer, final.ended) == (None, "4", Ended("answered", "4"))
    assert after(SAID, Decided(answer="")).proposed == ""


def test_notes_of_memory_in_order():
    assert after(Recalled(("a", "b")), Recalled(("c",))).notes == ("a", "b", "c")


# ── what it took ──────────────────────────────────────────────────────────────


def used(*counts):
    return Replied(Reply("x", usage=Usage(*counts)))


def test_a_reply_is_a_step_but_a_refusal_of_tools_is_none():
    run = after(Replied(Reply("", finish=NO_TOOLS)), Misread(NO_TOOLS), SAID, Misread("empty"), SAID)
    assert run.steps == 2


def test_tokens_of_all_replies_together():
    assert after().usage == Usage()
    assert after(used(10, 2), used(20, 3, 5), used()).usage == Usage(30, 5, 5, None)
    assert after(used(0, 0, 0, 0)).usage == Usage(0, 0, 0, 0)


@given(st.lists(st.tuples(*[st.none() | st.integers(0, 99)] * 4), max_size=6))
def test_a_count_that_no_reply_gave_stays_unknown(counts):
    total = after(*(used(*each) for each in counts)).usage
    for place, name in enumerate(("prompt", "completion", "cached", "reasoning")):
        known = [each[place] for each in counts if each[place] is not None]
        assert getattr(total, name) == (sum(known) if known else None)


def test_replies_in_a_row_that_could_not_be_read():
    bad = (SAID, Misread("empty"))
    assert after().misreads == 0
    assert after(*bad, *bad).misreads == 2
    assert after(*bad, SAID, Decided(answer="x"), *bad).misreads == 1
    assert after(SAID, Misread(NO_TOOLS), *bad).misreads == 1


# ── looking around in it ──────────────────────────────────────────────────────


def test_events_of_one_kind():
    run = after(*did(1, "add", "3", a=1, b=2), *did(2, "add", "5", a=2, b=3))
    assert [event.call_id for event in run.all(Observed)] == ["1.1", "2.1"]
    assert run.last(Observed).call_id == "2.1"
    assert run.last(Ended) is None


def test_calls_with_what_they_gave_in_the_order_in_which_they_came_back():
    run = after(SAID, Decided(calls=(ADD, SUB)), Observed("1.2", Observation("-1")), Observed("1.1", Observation("3")), Observed("9.9", Observation("?")))
    assert [(call.tool, seen.text) for call, seen in run.observed] == [("subtract", "-1"), ("add", "3")]


def test_a_ruling_is_for_one_call_with_its_arguments():
    good = Ruled("1.1", args_hash("add", {"b": 2, "a": 1}), "approve")
    run = after(SAID, Decided(calls=(ADD,)), Ruled("1.1", args_hash("add", {"a": 9}), "reject"), good)
    assert run.ruling(ADD) is good
    assert run.ruling(Call("1.1", "add", {"a": 9})).verdict == "reject"
    assert run.ruling(Call("1.1", "subtract", ADD.args)) is None
    assert run.ruling(Call("1.2", "add", ADD.args)) is None
    later = Ruled("1.1", good.args_hash, "reject")
    run.events.append(later)
    assert run.ruling(ADD) is later


def test_a_tool_by_its_name():
    run = history("q", tools=[spec("add"), spec("查")])
    assert run.tool("查").name == "查"
    assert run.tool("sub") is None


def test_arguments_as_one_text():
    assert canonical({"b": 1, "a": ["文", {"y": 1, "x": None}]}) == '{"a":["文",{"x":null,"y":1}],"b":1}'
    assert canonical({"a": 1}) != canonical({"a": True}) != canonical({"a": 1.0})


def test_a_hash_of_tool_and_arguments():
    assert args_hash("t", {"a": 1, "b": "文"}) == args_hash("t", {"b": "文", "a": 1})
    assert len({args_hash("t", {}), args_hash("u", {}), args_hash("t", {"a": "\ud800"})}) == 3
    assert len(args_hash("t", {})) == 16


# ── what is looked at once ────────────────────────────────────────────────────

HAPPENED = [
    SAID, Replied(Reply("", finish=NO_TOOLS)), Decided(calls=(ADD, SUB)), Decided("", (Call("2.1", "add", {}),)), Decided(answer="3"), Misread("empty"),
    Observed("1.1", Observation("3")), Observed("1.2", Observation("-1", full="-1.000")), Observed("2.1", Observation("no", ok=False)), Observed("9.9", Observation("?")),
    Nudged("go on", "reflect"), Recalled(("a note",)), Paused("ask", "1.1"), Ruled("1.1", "0", "approve"), Ended("failed"),
]  # fmt: skip
LATER = Asked("q", (spec("add"),), later=(spec("read_more"),))


def told(run):
    return run.observed, run.steps, run.tools, run.notes, run.usage, [(list(run.all(kind)), run.last(kind)) for kind in (*map(type, HAPPENED), Asked, Event)]


@given(st.lists(st.sampled_from(HAPPENED), max_size=20), st.lists(st.integers(0, 20), max_size=4))
def test_a_run_that_grows_tells_what_one_that_is_read_as_a_whole_does(events, cuts):
    run = Run("r", [LATER])
    for event in events:
        run.events.append(event)
        assert told(run) == told(Run("r", run.events))
    for cut in cuts:  # as no run is changed: by hand
        del run.events[1 + cut :]
        run.events += events[: cut % 3]
        assert told(run) == told(Run("r", run.events))


def test_what_a_run_tells_may_be_changed_without_harm():
    run = after(*did(1, "add", "3"))
    run.observed.clear()
    next(run.all(Observed))
    assert [seen.text for _, seen in run.observed] == ["3"]
    assert len(list(run.all(Observed))) == 1


def test_each_event_is_looked_at_once_and_all_of_them_where_the_run_is_another():
    looked = []
    kinds = Grown(list, lambda seen, event: looked.append(event) or [*seen, type(event).__name__])
    run = after(SAID)
    assert kinds(run) == kinds(run) == ["Asked", "Replied"]
    run.events.append(Decided(answer="3"))
    assert kinds(run) == ["Asked", "Replied", "Decided"]
    assert looked == run.events
    assert kinds(Run("test", run.events)) == kinds(run)
    assert len(looked) == 6
    run.events[0] = dataclasses.replace(run.asked, question="another")
    assert kinds(run) == ["Asked", "Replied", "Decided"]
    assert len(looked) == 9


def test_events_that_differ_only_in_time_are_others():
    run = after(SAID)
    assert run.last(Replied).at == 0
    run.events[-1] = dataclasses.replace(SAID, at=5.0)
    assert run.last(Replied).at == 5


def test_who_watches_a_run_from_other_threads_sees_each_event_once():
    for _ in range(20):
        run = after(*(event for number in range(50) for event in did(number, "add", "3")))
        with ThreadPoolExecutor(4) as threads:
            counts = list(threads.map(lambda _, run=run: len(run.observed), range(8)))
        assert counts == [50] * 8


def test_looking_at_a_long_run_takes_no_more_work_than_at_a_short_one(work):
    def added(steps):
        run = Run("r", [LATER, *(event for number in range(steps) for event in did(number, "add", "3"))])
        told(run)
        run.events += did(steps, "add", "4")
        return work(lambda: (run.observed, run.steps, run.tools, run.last(Nudged), list(run.all(Nudged))))

    assert added(200) == added(10)


def test_a_copy_of_a_run_is_read_by_itself():
    one = history("q", *did(1, "search", "1", query="a"))
    assert len(one.observed) == 1
    for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        other.events += did(2, "search", "2", query="b")
        assert (len(other.observed), len(one.observed)) == (2, 1)


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_an_event_replaced_anywhere_by_another_is_read_anew(place):
    run = after(Decided(calls=(ADD,)), Observed("1.1", Observation("3")), Nudged("no", "verify"))
    assert (run.steps, [seen.text for _, seen in run.observed]) == (0, ["3"])
    run.events[place] = [dataclasses.replace(run.asked, question="other"), Decided(calls=(SUB,)), Observed("1.1", Observation("4")), SAID][place]
    fresh = Run(run.id, run.events)
    assert (run.steps, run.observed, list(run.all(Asked)), list(run.all(Nudged))) == (fresh.steps, fresh.observed, [run.asked], list(fresh.all(Nudged)))


def test_reading_that_broke_off_begins_anew():
    broken = [True]

    def look(seen, event):
        if broken[0] and isinstance(event, Observed):
            raise KeyboardInterrupt
        seen.append(event)
        return seen

    kinds = Grown(list, look)
    run = after()
    assert len(kinds(run)) == 1
    run.events += [Decided(calls=(ADD,)), Observed("1.1", Observation("3"))]
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            kinds(run)
    broken[0] = False
    assert kinds(run) == run.events
