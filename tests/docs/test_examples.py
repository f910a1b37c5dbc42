"""Every example runs, as it is, against a model server."""

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
SAYS = {
    "01_hello.py": ["calculator({'expression': '17*23+5'}) → 396", "It is 396."],
    "02_own_tool.py": ["stock({'item': 'tea'}) → 12", "It is 12.0."],
    "03_streaming.py": ["[current_date {} …]", "[answered] It is "],
    "04_resume_and_replay.py": ["interrupted after ", " events in the journal", "resumed: 2 model calls in all, answer: It is 396.", "0 differences"],
    "05_own_policy.py": ["Nudged at_most", "It is 396. Thank you for asking."],
    "07_structured.py": ["Sum(result=396.0, explained=", "invalid: 0"],
    "06_any_endpoint.py": ["What is 17*23+5? → It is 396.", "2 calls, 50 tokens"],
    "08_openapi.py": ["tools: ['stock']", "stock({'item': 'tea'}) → {'status': 200, 'body': {'item': 'tea', 'boxes': 12}}", "It is "],
}


def run(name, *args, env):
    return subprocess.run([sys.executable, FOLDER / name, *args], env=env, capture_output=True, text=True, encoding="utf-8", check=False, timeout=240)


def test_every_example_is_run():
    assert sorted(path.name for path in FOLDER.glob("*.py")) == sorted(SAYS)


@pytest.mark.parametrize("name", SAYS)
def test_an_example_says_what_it_should(name, server, env):
    done = run(name, f"{server}#scripted", env=env)
    assert done.returncode == 0, done.stderr
    assert [text for text in SAYS[name] if text not in done.stdout] == [], done.stdout


def test_without_a_key_an_example_says_what_is_missing(env):
    done = run("06_any_endpoint.py", "moonshot:kimi-k2", env=env)
    assert done.returncode == 1
    assert "MOONSHOT_API_KEY" in done.stderr
    assert "Traceback" not in done.stderr
