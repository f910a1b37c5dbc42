"""What an agent costs beside its model: tao, a plain hand-written loop and bare HTTP, measured in turns against a scripted model.

    .venv/bin/python benchmarks/overhead.py [--rounds 5]

tao      Agent(address, functions), structured calls, default rules; "text" is its dialect `react`, "brief" that without examples
hand     hand_http.py: a ReAct loop of 30 lines over aiohttp, text format, regular expressions
floor    floor_http.py: structured calls over aiohttp, JSON in and out, nothing else

Each contestant is a process of its own and the model is another one (scripted_server.py). Every round measures all of them, one
after the other; figures are medians over the rounds. Processor time hardly depends on what else the machine does; runs a second
and import times do, so compare them only within one table. The last line is one JSON object.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any, Self

HERE = Path(__file__).parent
NAMES = ("tao", "hand", "floor")
IMPORTS = {"tao": "import tao", "Agent": "from tao import Agent, connect", "hand": "import hand_http", "floor": "import aiohttp, json"}
NEEDS = {"tao": "tao-agent", "hand": "aiohttp", "floor": "aiohttp"}
SYNCHRONOUS = ("NORMAL", "FULL")
STEPS = ((3, 8), (10, 4), (100, 1))
"""Tool calls of a run, and runs of that length in a round."""
MEASURED = """
import sys, time
sys.path.insert(0, sys.argv[1])
started = time.perf_counter()
{}
took = time.perf_counter() - started
try:
    size = int(next(line for line in open("/proc/self/status") if line.startswith("VmRSS")).split()[1]) / 1024
except OSError:
    import resource
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(took, size)
"""
PIECES = re.compile(r"(?:[^\r\n\w]|_)?[^\W\d_]+|\d{1,3}| ?(?:[^\s\w]|_)+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
"""About how o200k_base cuts a text before it looks for tokens; most pieces of plain English are one token."""


class Process:
    """A contestant's process: a command goes in, a figure comes out."""

    def __init__(self, name: str, port: int) -> None:
        command = [sys.executable, str(HERE / "overhead_worker.py"), name, str(port)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.communicate()

    def __call__(self, do: str, **command: Any) -> Any:
        """Give a command and wait for what comes of it."""
        assert self.process.stdin, "a pipe"
        assert self.process.stdout, "a pipe"
        print(json.dumps({"do": do, **command}), file=self.process.stdin, flush=True)
        if line := self.process.stdout.readline():
            return json.loads(line)
        raise SystemExit(f"the process that measures ended; it was to do {do} {command}")


@contextmanager
def scripted() -> Iterator[int]:
    """The model's server in a process of its own; gives its port."""
    server = subprocess.Popen([sys.executable, str(HERE / "scripted_server.py")], stdout=subprocess.PIPE, text=True)
    assert server.stdout, "a pipe"
    try:
        yield int(server.stdout.readline())
    finally:
        server.terminate()
        server.communicate()


# ── footprint ─────────────────────────────────────────────────────────────────


def starting(statement: str) -> tuple[float, float]:
    """Seconds that an import takes in a fresh process, and megabytes resident after it."""
    command = [sys.executable, "-c", MEASURED.format(statement), str(HERE)]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}  # as installed: compiled once
    seconds, size = subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout.split()
    return float(seconds), float(size)


def installed(name: str) -> dict[str, float]:
    """Every distribution that installing this one brings here, with its size in megabytes, compiled files included.

    Requirements are walked through the installed packages' metadata, without extras that nobody asks for; tao's own are read
    from pyproject.toml, because an editable install may be older than that.
    """
    from packaging.requirements import Requirement  # noqa: PLC0415 - the one thing here that is not in the standard library

    project = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: dict[str, float] = {}
    asked, todo = set[tuple[str, str]](), [(name, "")]
    while todo:
        at = todo.pop()
        if at in asked:
            continue
        asked.add(at)
        own = at[0] == project["name"]
        if own:
            size = sum(file.stat().st_size for file in (HERE.parent / "src").rglob("*") if file.is_file())
            needs = project["dependencies"]
        else:
            distribution = metadata.distribution(at[0])
            paths = (Path(str(file.locate())) for file in distribution.files or ())
            size = sum(path.stat().st_size for path in paths if path.is_file())
            needs = distribution.requires or ()
        found[at[0]] = size / 1e6
        for need in map(Requirement, needs):
            if need.marker is None or need.marker.evaluate({"extra": at[1]}):
                todo += [(re.sub(r"[-_.]+", "-", need.name).lower(), extra) for extra in ("", *need.extras)]
    return found


# ── prompts ───────────────────────────────────────────────────────────────────


def counter() -> tuple[Callable[[str], int], str]:
    """Counts tokens, and says how: exactly (o200k_base), where the package bpe-openai is installed, else nearly."""
    try:
        import bpe_openai  # type: ignore[import-not-found]  # noqa: PLC0415 - large, and only for this figure
    except ImportError:
        return lambda text: len(PIECES.findall(text)), "words and signs, about 4 % below o200k_base; exact with `pip install bpe-openai`"
    encoding = bpe_openai.get_encoding("o200k_base")
    return lambda text: len(encoding.encode(text)), "o200k_base"


def tokens(request: dict[str, Any], count: Callable[[str], int]) -> int:
    """Tokens of one prompt: text and role of each message and 3 around it, names and arguments of calls, tools as compact JSON."""
    total = 3 + sum(count(json.dumps(tool, ensure_ascii=False, separators=(",", ":"))) for tool in request.get("tools", ()))
    for message in request["messages"]:
        total += 3 + count(message["role"]) + count(message.get("content") or "")
        calls = (call["function"] for call in message.get("tool_calls") or ())
        total += sum(3 + count(call["name"]) + count(call["arguments"]) for call in calls)
    return total


def kept(port: int) -> list[dict[str, Any]]:
    """The prompts that the server kept."""
    from urllib.request import urlopen  # noqa: PLC0415 - beside the contestants nothing speaks HTTP here

    with urlopen(f"http://127.0.0.1:{port}/kept") as answer:
        return list(json.load(answer))


# ── measuring ─────────────────────────────────────────────────────────────────


def measure(rounds: int) -> tuple[dict[tuple[str, str], float], str]:
    """Medians by figure and contestant, and how tokens were counted."""
    seen: dict[tuple[str, str], list[float]] = {}

    def note(figure: str, name: str, value: float) -> None:
        seen.setdefault((figure, name), []).append(value)

    count, how = counter()
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        port = stack.enter_context(scripted())
        workers = {name: stack.enter_context(Process(name, port)) for name in NAMES}
        for name, options in [(name, {}) for name in NAMES] + [("tao", {"how": "text"}), ("tao", {"how": "brief"})]:
            workers[name]("keep", k=3, **options)
            note("prompt_tokens_k3", name + "".join(f" {it}" for it in options.values()), sum(tokens(one, count) for one in kept(port)))
        for statement in IMPORTS.values():
            starting(statement)  # the first one may have to compile
        for number in range(rounds):
            print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
            for k, runs in STEPS:
                for name in NAMES:
                    note(f"cpu {k}", name, workers[name]("steps", k=k, runs=runs))
            for how_else in ("text", "stream"):
                note(f"cpu {how_else}", "tao", workers["tao"]("steps", k=10, runs=4, how=how_else))
            for mode in SYNCHRONOUS:
                journal = {"journal": f"{folder}/{mode}.db", "synchronous": mode}
                note(f"cpu {mode}", "tao", workers["tao"]("steps", k=10, runs=4, **journal))
            for name in NAMES:
                note("runs_per_s", name, workers[name]("together", k=3, runs=200, width=50, latency=50))
                note("crowd", name, workers[name]("crowd", k=3, runs=200, latency=50))
            for name, statement in IMPORTS.items():
                seconds, size = starting(statement)
                note("import_s", name, seconds)
                note("rss_mb", name, size)
        note("live_run_kb", "tao", workers["tao"]("held", k=30, runs=50))
    return {key: statistics.median(values) for key, values in seen.items()}, how


def table(figures: dict[tuple[str, str], float], how: str) -> str:
    """The figures for people."""
    rows = [(f"CPU per step, {k} tool calls", "ms", f"cpu {k}", 3) for k, _ in STEPS]
    rows += [
        ("runs/s, 50 at once, 50 ms a call", "ideal 250", "runs_per_s", 0),
        ("200 at once: time ÷ the least it takes", "", "crowd", 2),
        ("import", "s", "import_s", 3),
        ("resident after import", "MB", "rss_mb", 0),
        ("install", "MB", "install_mb", 1),
        ("distributions", "", "distributions", 0),
        ("prompt tokens, 3 tool calls", "", "prompt_tokens_k3", 0),
    ]
    lines = [f"{'':38}{'':>10}{'tao':>9}{'hand':>9}{'floor':>9}"]
    for said, unit, figure, digits in rows:
        lines.append(f"{said:38}{unit:>10}" + "".join(f"{figures[figure, name]:9.{digits}f}" for name in NAMES))
    added = journalled(figures)
    lines += [
        "",
        f"import of Agent and connect: {figures['import_s', 'Agent']:.3f} s, {figures['rss_mb', 'Agent']:.0f} MB resident",
        f"10 tool calls, text dialect: {figures['cpu text', 'tao']:.3f} ms a step",
        f"prompt tokens of it, 3 tool calls: {figures['prompt_tokens_k3', 'tao text']:.0f}, without examples {figures['prompt_tokens_k3', 'tao brief']:.0f}",
        f"10 tool calls, streamed and heard word by word: {figures['cpu stream', 'tao']:.3f} ms a step",
        f"a journal adds, a step: {added['NORMAL']:.3f} ms (NORMAL), {added['FULL']:.3f} ms (FULL, on the disk 20 ms later)",
        f"memory of a live run of 30 steps: {figures['live_run_kb', 'tao']:.0f} kB",
        f"tokens counted: {how}",
    ]
    return "\n".join(lines)


def journalled(figures: dict[tuple[str, str], float]) -> dict[str, float]:
    """Milliseconds that a journal adds to a step, by how it waits for the disk."""
    return {mode: round(figures[f"cpu {mode}", "tao"] - figures["cpu 10", "tao"], 4) for mode in SYNCHRONOUS}


def summary(figures: dict[tuple[str, str], float], how: str) -> dict[str, Any]:
    """The figures for programs."""
    plain = {name: {"cpu_ms_per_step": {f"{k}": round(figures[f"cpu {k}", name], 4) for k, _ in STEPS}} for name in NAMES}
    single = ("runs_per_s", "crowd", "import_s", "rss_mb", "install_mb", "distributions", "prompt_tokens_k3")
    return {
        "cpu_ms_per_step": {name: plain[name]["cpu_ms_per_step"] for name in NAMES},
        **{figure: {name: round(figures[figure, name], 4) for name in NAMES} for figure in single},
        "journal_ms_per_step": journalled(figures),
        "agent_import_s": round(figures["import_s", "Agent"], 4),
        "agent_rss_mb": round(figures["rss_mb", "Agent"], 1),
        "text_prompt_tokens_k3": figures["prompt_tokens_k3", "tao text"],
        "brief_prompt_tokens_k3": figures["prompt_tokens_k3", "tao brief"],
        "live_run_kb": round(figures["live_run_kb", "tao"], 1),
        "tokens": how,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured (default 5)")
    figures, how = measure(max(1, parser.parse_args().rounds))
    for name in NAMES:
        sizes = installed(NEEDS[name])
        figures["install_mb", name], figures["distributions", name] = sum(sizes.values()), len(sizes)
    print(table(figures, how))
    print(json.dumps(summary(figures, how), ensure_ascii=False))


if __name__ == "__main__":
    main()
