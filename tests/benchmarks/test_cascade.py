"""The benchmark of cascades: its scripted large model solves every task, and what it takes is written down for `tao eval --compare`."""

import argparse
import importlib.util
import sys
from pathlib import Path

from tao.cli.measured import compared
from tao.cli.screen import Screen
from tao.evaluation.results import load_results
from tao.evaluation.summary import Measure, Paired, paired
from tao.routing import cascade
from tao.seams import Abilities
from tao.testing import ScriptedModel

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("cascade_benchmark", ROOT / "benchmarks" / "cascade.py")
bench = importlib.util.module_from_spec(spec)
sys.modules["cascade_benchmark"] = bench
spec.loader.exec_module(bench)


def small():
    model = ScriptedModel(*["Action: calculate"] * 200, abilities=Abilities(tools=False, small=True, dialect="react"))
    model.name = "local:tiny"
    return model


async def test_a_helpless_small_model_is_helped_and_the_price_is_the_large_ones_alone(tmp_path):
    args = argparse.Namespace(tasks=12, max_steps=6, out=tmp_path, large=None)
    alone = await bench.measured("small", small(), args)
    helped = await bench.measured("cascade", cascade(small(), bench.Knowing(), ["after_misread", "final_answer"], stay=True), args)
    large = await bench.measured("large", bench.Knowing(), args)
    assert [sum(it.right for it in found) for found in (alone, helped, large)] == [0, 12, 12]
    assert all(it.cost and it.cost > 0 for it in [*helped, *large])
    both = paired(load_results(tmp_path / "small.results.jsonl").outcomes, load_results(tmp_path / "cascade.results.jsonl").outcomes)
    assert both.difference == 1.0
    measures = {one.name: one for one in both.measures}
    assert measures["others"].b > measures["others"].a == 0
    assert bench.line("cascade", helped).split()[1] == "12/12"


def test_small_costs_are_shown_with_enough_digits(capsys):
    pair = Paired(6, 0, 0, 1.0, 0.8, -0.2, -0.5, 0.1, (), ("s2",), 1.0, (Measure("cost", 0.00399, 0.0024, -0.00159, -0.003, 0.0), Measure("seconds", 0.05, 9.6, 9.55, 4.0, 14.0)))
    compared(Screen(columns=120), pair, "large", "cascade")
    shown = capsys.readouterr().out
    assert "0.00399" in shown
    assert "-0.00159" in shown
    assert "0.05 " in shown
