"""The benchmark of the wrappers runs and prints what it says; its figures are for people, not for tests."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "wrappers.py"


def test_it_prints_one_json_line_at_the_end():
    done = subprocess.run([sys.executable, SCRIPT, "--rounds", "1"], capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout.splitlines()[-1])
    assert set(figures) == {"added_us", "most", "bar", "bare"}
    assert len(figures["added_us"]) == 6
    assert figures["most"] == max(figures["added_us"].values())
