"""The benchmark of triage runs without a model, and its questions are what its page says."""

import importlib.util
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))
spec = importlib.util.spec_from_file_location("triage", ROOT / "benchmarks" / "triage.py")
triage = importlib.util.module_from_spec(spec)
sys.modules["triage"] = triage
spec.loader.exec_module(triage)


def test_the_questions_are_of_many_kinds_in_both_languages_and_all_different():
    rows = [json.loads(line) for line in (ROOT / "benchmarks" / "triage.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == len({row["question"] for row in rows}) == len({row["id"] for row in rows}) >= 120
    assert Counter(row["lang"] for row in rows) == {"en": len(rows) / 2, "zh": len(rows) / 2}
    assert len({row["kind"] for row in rows}) >= 20
    halves = [{case.id for case in triage.cases(half, None)} for half in ("tune", "held")]
    assert not halves[0] & halves[1]
    assert halves[0] | halves[1] == {row["id"] for row in rows}


def test_by_rules_alone_nothing_that_needs_tools_is_answered_directly():
    done = subprocess.run([sys.executable, ROOT / "benchmarks" / "triage.py"], capture_output=True, text=True, check=True, cwd=ROOT)
    assert "need tools, sent to a direct answer:     0/108" in done.stdout
    assert "wrong direct" not in done.stdout


def test_what_a_model_said_is_read_again(tmp_path):
    said = tmp_path / "said.jsonl"
    said.write_text('{"id": "q057", "text": "known", "likely": {"known": 0.9, "search": 0.1}}\n', encoding="utf-8")
    command = [sys.executable, ROOT / "benchmarks" / "triage.py", "--half", "tune", "--out", said]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert "q057" not in done.stdout
    assert "q058" in done.stdout
