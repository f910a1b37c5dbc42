"""The calculations that people wrote beside GSM8K's solutions, as `<<48/2=24>>` (Cobbe et al. 2021), through `calculator`."""

import json
import os
import re
from fractions import Fraction
from pathlib import Path

import pytest

from tao.messages import Call
from tao.testing import history
from tao.tools.builtin.arithmetic import calculate
from tao.tools.builtin.calculator import calculator
from tao.tools.registry import registry, specs

DATA = Path(os.environ.get("TAO_SHARED", Path(__file__).parents[4] / "shared")) / "data" / "gsm8k"


def calculations():
    """Every calculation and the result that stands beside it. Without a result there is nothing to compare."""
    files = sorted(DATA.glob("*.jsonl"))
    if not files:
        pytest.skip(f"no problems at {DATA}; set TAO_SHARED to the folder that holds data/")
    answers = [json.loads(line)["answer"] for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    noted = [note.rpartition("=") for answer in answers for note in re.findall(r"<<(.+?)>>", answer)]
    return [(left, right) for left, equals, right in noted if equals]


def right(written, result):
    """Whether the result is the one written down, rounded to as many places as were written; a fraction may be written too."""
    value, wanted = Fraction(result), Fraction(calculate(written))
    places = len(written.partition(".")[2])
    return value == wanted or ("." in written and abs(value - wanted) <= Fraction(1, 2 * 10**places))


def test_every_calculation_is_right():
    noted = calculations()
    wrong = [(left, written, result) for left, written in noted if not right(written, result := calculate(left))]
    assert wrong == []
    assert len(noted) >= 2100


async def test_as_a_call_of_the_tool():
    tool = calculator()
    act = registry([tool])
    for at, (left, written) in enumerate(calculations()[::20]):
        run = history("How many?", tools=specs([tool]))
        seen = await act(Call(f"{at + 1}.1", "calculator", {"expression": left}), run)
        assert seen.ok
        assert right(written, seen.text), (left, written, seen.text)
