"""A journal on both sides of a fork: each has connections and a thread of its own, and nobody takes the log away from the other."""

import subprocess
import sys

import pytest

FORKING = """
import asyncio, os, signal, sys, warnings
from tao.events import Asked, Nudged, Paused
from tao.run import Run
from tao.stores.sql import Journal

warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside a thread
path, first, closes = sys.argv[1:]
journal, mine, childs = Journal(path), Run("mine"), Run("child")

async def tell(run):
    for number in range(5):
        run.events.append(Asked("q", lang="en", model="m") if not run.events else Nudged("loop", "x") if number % 2 else Paused("approval"))
        await asyncio.wait_for(journal(run, run.events[-1]), 10)

if first == "used":
    asyncio.run(tell(mine))
    asyncio.run(journal.list())
ready, go_on = os.pipe(), os.pipe()
if not (child := os.fork()):
    asyncio.run(tell(childs))
    os.write(ready[1], b"x")
    os.read(go_on[0], 1)
    asyncio.run(tell(childs))
    os.kill(os.getpid(), signal.SIGKILL)
os.read(ready[0], 1)
asyncio.run(tell(mine))
if closes == "closed":
    asyncio.run(journal.close())
os.write(go_on[1], b"x")
os.waitpid(child, 0)
asyncio.run(tell(mine))
for run, count in ((mine, len(mine.events)), (childs, 10)):
    assert len(asyncio.run(journal.load(run.id)).events) == count, run
asyncio.run(journal.close())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is forked there")
@pytest.mark.parametrize("closes", ["open", "closed"])
@pytest.mark.parametrize("first", ["fresh", "used"])
def test_parent_and_child_both_go_on_with_a_journal(tmp_path, first, closes):
    done = subprocess.run([sys.executable, "-c", FORKING, str(tmp_path / "runs.db"), first, closes], check=False, capture_output=True, text=True, timeout=40)
    assert (done.returncode, done.stderr) == (0, "")
