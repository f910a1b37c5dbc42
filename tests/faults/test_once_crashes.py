"""Kill the process at every point around a call that changes something: nothing is done twice, nothing is lost, and where
nobody can know, a person is asked."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tao.agent import Agent
from tao.events import Decided, Observed, Paused
from tao.permissions import Rule
from tao.stores.sql import Journal
from tao.testing import ScriptedModel
from tao.tools.declare import declare

REPLIES = [
    'Thought: Both.\n[{"name": "pay", "arguments": {"to": "Ann"}}, {"name": "note", "arguments": {"text": "paid"}}]',
    "Thought: Done.\nFinal Answer: paid",
]  # fmt: skip
POINTS = {"decided": False, "claiming": False, "claimed": True, "doing": True, "done": True, "observed": False}
"""Where the process is killed, and whether a person has to say what happened."""

CHILD = """
import asyncio, sys
sys.path.insert(0, sys.argv[4])
from test_once_crashes import dying

where, point, kind = sys.argv[1:4]
asyncio.run(dying(where, point, kind))
"""


def die():
    os.kill(os.getpid(), signal.SIGKILL)


class Dying(Journal):
    """Dies before or after the claim on the first call."""

    def __init__(self, where, point):
        super().__init__(where)
        self.point = point

    async def claim(self, run, call_id, number):
        if (self.point, call_id) == ("claiming", "1.1"):
            die()
        claimed = await super().claim(run, call_id, number)
        if (self.point, call_id) == ("claimed", "1.1"):
            die()
        return claimed


def agent(journal, folder, kind, replies, point=""):
    """Pays by writing a line into a file; `kind` says how much the tool promises."""

    def effect(line):
        with (folder / "paid").open("a") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())

    def plain(to: str) -> str:
        if point == "doing":
            die()
        effect(to)
        if point == "done":
            die()
        return f"paid {to}"

    def keyed(to: str, key: str) -> str:
        if point == "doing":
            die()
        if key not in (folder / "paid").read_text().split():
            effect(key)
        if point == "done":
            die()
        return f"paid {to}"

    async def later(to: str) -> str:
        return plain(to)

    def note(text: str) -> str:
        with (folder / "notes").open("a") as file:
            file.write(text + "\n")
        return "noted"

    fn = {"plain": plain, "keyed": keyed, "async": later}[kind]
    pay = declare(fn, name="pay", effects="money", key="key" if kind == "keyed" else None)
    looks = declare(note, name="note")
    return Agent(ScriptedModel(*replies), [pay, looks], dialect="react", journal=journal, permissions=[Rule("allow", tools=("*",))])


async def dying(where, point, kind):
    """In a process of its own: the run, up to the point."""
    journal = Dying(Path(where) / "runs.db", point)

    async def heard(event):
        if (point == "decided" and isinstance(event, Decided)) or (point == "observed" and isinstance(event, Observed) and event.call_id == "1.1"):
            die()

    await agent(journal, Path(where), kind, REPLIES, point).run("pay Ann", id="run", on_event=heard)


@pytest.mark.parametrize("kind", ["plain", "async", "keyed"])
@pytest.mark.parametrize("point", POINTS)
def test_killed_anywhere_it_is_paid_once(point, kind, tmp_path):
    if kind == "keyed" and point in {"claiming", "claimed"}:
        return  # it makes no claims
    (tmp_path / "paid").touch()
    command = [sys.executable, "-c", CHILD, str(tmp_path), point, kind, str(Path(__file__).parent)]
    killed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    asyncio.run(gone_on_with(tmp_path, kind, asks=POINTS[point] and kind != "keyed"))
    assert len((tmp_path / "paid").read_text().split()) == 1


async def gone_on_with(tmp_path, kind, *, asks):
    """Go on with the run in another process's place; a person looks into the file before ruling."""
    async with Journal(tmp_path / "runs.db") as journal:
        again = agent(journal, tmp_path, kind, REPLIES[1:])
        run = await again.resume("run")
        assert (run.state == "paused") == asks
        if run.state == "paused":
            assert [(event.call_id, event.reason[:15]) for event in run.all(Paused)] == [("1.1", "unknown outcome")]
            assert {event.call_id for event in run.all(Observed)} == {"1.2"}  # what stands beside it is not lost
            verdict = ("answer", "paid Ann") if (tmp_path / "paid").read_text() else ("approve", "")
            run = await again.resume(await again.rule(run, "1.1", verdict[0], by="me", text=verdict[1]))
        assert (run.state, run.answer) == ("ended", "paid")
        assert [event.observation.text for event in run.all(Observed) if event.call_id == "1.1"] == ["paid Ann"]
        assert (await journal.load("run")).events == run.events

async def test_a_run_that_was_cancelled_in_the_middle_of_a_write_asks_as_well(tmp_path):
    started = asyncio.Event()

    async def pay(to: str) -> str:
        started.set()
        await asyncio.sleep(60)
        return "never"

    async with Journal(tmp_path / "runs.db") as journal:
        tools = [declare(pay, effects="money"), declare(lambda text: "noted", name="note")]
        hanging = Agent(ScriptedModel(*REPLIES), tools, dialect="react", journal=journal, permissions=[Rule("allow", tools=("*",))])
        task = asyncio.create_task(hanging.run("pay Ann", id="run"))
        await started.wait()
        task.cancel()
        await asyncio.wait([task])
        again = agent(journal, tmp_path, "plain", REPLIES[1:])
        run = await again.resume("run")
        assert (run.state, run.events[-1].reason[:15]) == ("paused", "unknown outcome")
        run = await again.resume(await again.rule(run, "1.1", "reject", text="I paid her"))
        assert "not carried out again (I paid her)" in next(event for event in run.all(Observed) if event.call_id == "1.1").observation.text
        assert run.answer == "paid"
    assert not (tmp_path / "paid").exists()
