import sys
from importlib import import_module
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def overhead():
    sys.path.insert(0, str(FOLDER))
    try:
        yield import_module("overhead")
    finally:
        sys.path.remove(str(FOLDER))


@pytest.fixture(scope="module")
def prompts(overhead):
    """What each contestant sends in a run of three tool calls; its answer and the number of its calls are checked there."""
    found = {}
    with overhead.scripted() as port:
        for name in overhead.NAMES:
            with overhead.Process(name, port) as process:
                process("keep", k=3)
                found[name] = overhead.kept(port)
                assert process("steps", k=2, runs=1) > 0
        assert overhead.kept(port) == []
    return found


def test_every_contestant_does_the_same_work(prompts):
    assert {name: len(requests) for name, requests in prompts.items()} == {"tao": 4, "hand": 4, "floor": 4}
    for requests in prompts.values():
        results = [[m["content"] for m in request["messages"] if "48,213" in m["content"]] for request in requests]
        assert [len(seen) for seen in results] == [0, 1, 1, 1]


def test_the_native_dialect_says_nothing_of_its_own(overhead, prompts):
    count, _ = overhead.counter()
    sizes = {name: [overhead.tokens(request, count) for request in prompts[name]] for name in ("tao", "floor")}
    assert sizes["tao"] == sizes["floor"]


def test_what_the_core_brings_is_walked_without_extras(overhead):
    found = overhead.installed("tao-agent")
    assert {"tao-agent", "aiohttp", "yarl", "pydantic-core"} <= set(found)
    assert not {"pytest", "xllamacpp", "rjieba", "brotli"} & set(found)
    assert all(size > 0 for size in found.values())
    assert set(overhead.installed("aiohttp")) < set(found)


def test_the_figures_for_programs_have_every_contestant(overhead):
    kinds = ("cpu 3", "cpu 10", "cpu 100", "runs_per_s", "crowd", "import_s", "rss_mb", "install_mb", "distributions", "prompt_tokens_k3")
    figures = {(kind, name): 1.0 for kind in kinds for name in overhead.NAMES}
    figures |= {(kind, "tao"): 1.5 for kind in ("cpu text", "cpu stream", "cpu NORMAL", "cpu FULL", "live_run_kb")}
    figures |= {("import_s", "Agent"): 0.1, ("rss_mb", "Agent"): 30.0, ("prompt_tokens_k3", "tao text"): 9.0, ("prompt_tokens_k3", "tao brief"): 8.0}
    summary = overhead.summary(figures, "exact")
    assert summary["cpu_ms_per_step"]["tao"] == {"3": 1.0, "10": 1.0, "100": 1.0}
    assert summary["journal_ms_per_step"] == {"NORMAL": 0.5, "FULL": 0.5}
    for kind in kinds[3:]:
        assert set(summary[kind]) == {"tao", "hand", "floor"}
    assert overhead.table(figures, "exact").count("\n") > 12
