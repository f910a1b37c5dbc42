"""The layers of pyproject.toml hold, and they name every module there is."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_nobody_imports_upwards_or_sideways(tmp_path):
    command = [Path(sys.executable).with_name("lint-imports"), "--cache-dir", tmp_path, "--config", ROOT / "pyproject.toml"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout
