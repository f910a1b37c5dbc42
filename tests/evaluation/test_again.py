"""Recorded decisions made again; where two runs part; going on from a step."""

import asyncio
import json
from dataclasses import replace

import pytest

from tao.agent import Agent, recorded_abilities, recorded_dialect
from tao.errors import ConfigError
from tao.evaluation.again import again, cut, parting
from tao.evaluation.graders import Grade
from tao.evaluation.outcomes import outcome, to_record
from tao.evaluation.records import Recorded, distinct, load_runs, read_runs
from tao.evaluation.tasks import Task
from tao.events import Decided, Ended, Misread, Nudged, Replied, to_json
from tao.policies import default
from tao.run import Run
from tao.stores.sql import Journal
from tao.testing import ScriptedModel, did, history


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


CALL = 'Thought: x\nAction: add\nAction Input: {"a": 1, "b": 2}'


@pytest.fixture
def run():
    """A call, an unreadable reply, the same call again (the guard speaks), and the answer."""
    model = ScriptedModel(CALL, "Thought: hm", CALL, "Final Answer: 3")
    return asyncio.run(Agent(model, [add], dialect="react", max_steps=6).run("1 + 2?", id="r"))


async def read(run):
    return await again(run, recorded_dialect(run.asked), default(run.asked.settings, recorded_abilities(run.asked)))


async def test_nothing_differs_where_nothing_changed(run):
    assert {type(event) for event in run.events} >= {Misread, Nudged, Decided, Ended}
    result = await read(run)
    assert result.differences == ()
    assert (result.prompts, result.decisions) == (4, 6)


async def test_every_decision_that_differs_is_found_not_only_the_first(run):
    places = [place for place, event in enumerate(run.events) if isinstance(event, Decided)]
    first, last = places[0], places[-1]
    changed = list(run.events)
    changed[first] = replace(changed[first], thought="another")
    changed[last] = replace(changed[last], answer="4")
    numbers = [it.number for it in (await read(Run("r", changed))).decided_otherwise]
    assert numbers == [first, last, last + 1]


async def test_a_policy_that_would_speak_now_is_found(run):
    without = [event for event in run.events if not isinstance(event, Nudged)]
    found = (await read(Run("r", without))).decided_otherwise
    assert [(type(it.recorded), type(it.now)) for it in found] == [(Replied, Nudged)]


async def test_a_prompt_of_other_words_is_no_other_decision(run):
    changed = [replace(event, prompt="other") if isinstance(event, Replied) else event for event in run.events]
    result = await read(Run("r", changed))
    assert (len(result.differences), result.decided_otherwise) == (4, ())


async def test_failures_and_open_ends_are_taken_as_they_were(run):
    broken = Run("r", [*run.events[:3], Ended("failed", detail="Transient: gone")])
    assert (await read(broken)).differences == ()
    assert (await read(Run("r", run.events[:2]))).differences == ()


ONE = did(1, "add", "3", a=1, b=2)
END = (Decided(answer="3"), Ended("answered", "3"))


@pytest.mark.parametrize(("a", "b", "step", "what"), [
    ((*ONE, *END), (*ONE, *END), 2, ""),
    ((*ONE, *END), (*did(1, "add", "3", thought="otherwise", a=1, b=2), *END), 2, ""),
    ((*ONE, *END), (*did(1, "add", "3", a=2, b=2), *END), 1, "decision"),
    ((*ONE, *END), (*did(1, "add", "4", a=1, b=2), *END), 1, "observation"),
    ((*ONE, *END), (*ONE, Misread("no_step"), *END), 2, "decision"),
    (ONE, (*ONE, *END), 2, "length"),
    ((*ONE, *END), (*ONE, END[0], Ended("max_steps", "3")), 2, "end"),
])  # fmt: skip
def test_where_two_runs_part(a, b, step, what):
    where = parting(history("q", *a), history("q", *b))
    assert (where.step, where.what) == (step, what)


def test_two_questions_part_before_the_first_step():
    assert parting(history("q"), history("r")).what == "question"


def test_a_run_is_cut_before_a_step_and_what_was_said_before_it(run):
    assert [type(event).__name__ for event in cut(run, 1)] == ["Asked"]
    assert not isinstance(cut(run, 4)[-1], Nudged)
    with pytest.raises(ValueError, match="step 9; the run has 4"):
        cut(run, 9)


# ── where runs are ────────────────────────────────────────────────────────────


async def test_a_journal(tmp_path, run):
    async with Journal(tmp_path / "runs.db") as journal:
        for event in run.events:
            await journal(run, event)
    (found,) = await load_runs(tmp_path / "runs.db")
    assert (found.run.events, found.task, found.right) == (run.events, "1 + 2?", None)


def test_a_file_that_is_none_of_it(tmp_path):
    path = tmp_path / "x.jsonl"
    for text, said in (("", "there is no run in"), ("{}\n{}\n", ":1 is no event of a run"), ('{"run": "a", "kind": "x"}\n\n{}\n', "unknown event kind")):
        path.write_text(text)
        with pytest.raises(ConfigError, match=said):
            read_runs(path)
    with pytest.raises(ConfigError, match="cannot read runs from"):
        read_runs(tmp_path / "nowhere")


def lines(run, *places):
    return [json.dumps({"run": run.id, "seq": place, **to_json(run.events[place])}) for place in places or range(len(run.events))]


async def test_folders_and_patterns(tmp_path, run):
    """A folder's tasks and cards are passed over; a file that a pattern names must hold runs."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.jsonl").write_text("\n".join(lines(run)))
    (tmp_path / "b.jsonl").write_text(json.dumps({"id": "b", "events": [to_json(event) for event in run.events]}))
    (tmp_path / "tasks.jsonl").write_text('{"question": "x"}\n')
    (tmp_path / "notes.md").write_text("# x")
    async with Journal(tmp_path / "runs.db") as journal:
        for event in run.events:
            await journal(Run("kept", run.events), event)
    assert [it.run.id for it in await load_runs(tmp_path)] == ["b", "r", "kept"]
    assert [it.run.id for it in await load_runs(f"{tmp_path}/**/[ab].jsonl")] == ["b", "r"]
    with pytest.raises(ConfigError, match=r"tasks.jsonl:1 is no event of a run"):
        await load_runs(f"{tmp_path}/*.jsonl")
    with pytest.raises(ConfigError, match="there is no run in"):
        await load_runs(f"{tmp_path}/*.log")


async def test_no_run_is_no_success_and_no_journal_is_made(tmp_path):
    async with Journal(tmp_path / "empty.db") as journal:
        assert await journal.list() == []
    (tmp_path / "folder").mkdir()
    for where in (tmp_path / "empty.db", tmp_path / "folder"):
        with pytest.raises(ConfigError, match="there is no run in"):
            await load_runs(where)
    with pytest.raises(ConfigError, match="there is no journal"):
        await load_runs(f"sqlite:///{tmp_path}/nowhere.db")
    assert not (tmp_path / "nowhere.db").exists()


def test_events_count_once_and_in_their_order_and_none_is_missing(tmp_path, run):
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join([*reversed(lines(run)), *lines(run, 0, 1)]))
    (found,) = read_runs(path)
    assert found.run.events == run.events
    for kept, lacking in (((1, 2), 0), ((0, 1, 3), 2)):
        path.write_text("\n".join(lines(run, *kept)))
        with pytest.raises(ConfigError, match=f"run r is not whole, its event {lacking} is missing"):
            read_runs(path)


def test_a_file_of_results_is_read_whole_or_not_at_all(tmp_path, run):
    path = tmp_path / "r.jsonl"
    head = '{"tao_eval": 1}'
    solved = to_record(outcome(Task("a", "1 + 2?"), 0, run, Grade(right=True, score=1.0)))

    def written(*lines):
        path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in (head, *lines)), encoding="utf-8")
        return path

    assert [it.run.id for it in read_runs(written(solved, json.dumps(solved)[:80]))] == ["r"]
    events = solved["events"]
    for lines, said in (
        ((), "there is no run in"),
        ((json.dumps(solved)[:80], solved), ":2 is no outcome"),
        (({**solved, "events": [*events[:2], {**events[2], "kind": "finished"}]}, solved), ":2: unknown event kind 'finished'"),
        (({**solved, "events": events[1:]},), "run r does not begin with its question"),
    ):
        with pytest.raises(ConfigError, match=said):
            read_runs(written(*lines))
    path.write_text(json.dumps({"id": "x", "events": events[1:]}) + "\n{}\n")
    with pytest.raises(ConfigError, match=r":1 is no event of a run .*do not begin with `asked`"):
        read_runs(path)


def test_only_a_line_that_breaks_off_at_the_end_is_passed_over(tmp_path, run):
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join([*lines(run, 0, 1), lines(run, 2)[0][:40]]))
    assert len(read_runs(path)[0].run.events) == 2
    path.write_text("\n".join([*lines(run, 0, 1), '{"run": "r", "seq": 2, "kind": "finished"}']))
    with pytest.raises(ConfigError, match="unknown event kind 'finished'"):
        read_runs(path)


def test_doubles_are_the_same_doing(run):
    again_ = Run("other", [replace(event, at=1.0) for event in run.events])
    other = history("1 + 2?", *END)
    assert [it.run.id for it in distinct([Recorded(it, "t") for it in (run, again_, other)])] == ["r", "test"]
