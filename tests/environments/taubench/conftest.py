"""τ-bench's data, and what its own tools made of its gold actions."""

import functools
import hashlib
import json
from pathlib import Path

import pytest
import tau_world
from airline_world import Airline
from retail_world import Retail

WORLDS = {"airline": Airline, "retail": Retail}


@pytest.fixture(scope="session")
def gold():
    """By split, made by running the benchmark's own tools (commit 59a200c6d575) over the gold actions of every task.

    `states`: the digest of the records that are not what they were; `refused`: [task, action] of gold actions that end in an
    error there too; `whole`: for some tasks the benchmark's own hash of the whole state (`gt_data_hash`).
    """
    return json.loads((Path(__file__).parent / "gold.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def bench(shared):
    """What is read of the benchmark: `bench.world(domain)`, a world as it is in the beginning, and `bench.tasks(domain, split)`."""
    folder = shared("tau-bench")

    class Bench:
        tables = staticmethod(functools.cache(functools.partial(tau_world.tables, folder)))
        tasks = staticmethod(functools.partial(tau_world.tasks, folder))
        schemas = staticmethod(lambda domain: json.loads((folder / f"{domain}_tools_schema.json").read_text(encoding="utf-8")))

        @staticmethod
        def world(domain):
            return WORLDS[domain](tau_world.fresh(Bench.tables(domain)))

    return Bench


@pytest.fixture(scope="session")
def state():
    """The digest of what differs between two states."""

    def told(before, after):
        text = json.dumps(tau_world.changed(before, after), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    return told
