"""The corpora: the given one, where it lies beside the checkout, and our own; read whole and while they come in."""

import os
import re
from pathlib import Path

import pytest

from tao.dialects.listen import Listening
from tao.dialects.read import read
from tao.evaluation.corpus import harm, load_cases, score
from tao.events import Decided

ROOT = Path(__file__).parents[2]
GIVEN = Path(os.environ.get("TAO_SHARED", ROOT.parent / "shared")) / "corpus" / "given.jsonl"
OWN = ROOT / "corpus" / "cases.jsonl"
CASES = [case for path in (GIVEN, OWN) if path.exists() for case in load_cases(path)]
IDS = [f"{'own' if index >= len(CASES) - len(load_cases(OWN)) else 'given'}-{case.id}" for index, case in enumerate(CASES)]


def test_the_given_corpus_is_read_whole():
    if not GIVEN.exists():
        pytest.skip(f"the given corpus is not at {GIVEN}; set TAO_SHARED to the folder that holds corpus/given.jsonl")
    cases = load_cases(GIVEN)
    assert [case.id for case in cases if not score(case, read(case.text, case.tools, lang=case.lang))] == []
    assert len(cases) == 214


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_a_case_is_read_as_the_policy_says(case):
    reading = read(case.text, case.tools, lang=case.lang)
    assert harm(case, reading) == ""
    assert score(case, reading), reading


def heard(case, pieces):
    """The answer that was told, the calls that were told, and whether generation was stopped."""
    listening = Listening(case.tools, lang=case.lang)
    deltas = [delta for piece in pieces for delta in listening.feed(piece)] + listening.close()
    answer = "".join(delta.text for delta in deltas if delta.kind == "answer")
    return answer, [delta.text for delta in deltas if delta.kind == "call"], listening.stop


@pytest.mark.parametrize(("case", "given"), [(case, name.startswith("given")) for case, name in zip(CASES, IDS, strict=True)], ids=IDS)
def test_a_case_is_heard_as_it_is_read_wherever_it_is_cut(case, given):
    whole = read(case.text, case.tools, lang=case.lang)
    answer = whole.answer if isinstance(whole, Decided) else None
    calls = [call.tool for call in whole.calls] if isinstance(whole, Decided) else []
    cuts = [[case.text[:cut], case.text[cut:]] for cut in range(1, len(case.text), 1 if given else 11)]
    for pieces in [list(case.text), *cuts, [case.text]]:
        told, announced, stopped = heard(case, pieces)
        assert told == (answer or "")
        assert announced == calls or not isinstance(whole, Decided)
        assert not stopped or calls


MARKUP = re.compile(r"<[|｜]?(?:tool|func|invoke|python)|\{\s*[\"'](?:name|action|tool|function)|\[TOOL|✿|[\"'](?:arguments|parameters)")
CALLING = [(case, name) for case, name in zip(CASES, IDS, strict=True) if case.expect["type"] in {"action", "actions"}]


@pytest.mark.parametrize("case", [case for case, _ in CALLING], ids=[name for _, name in CALLING])
def test_a_call_cut_off_anywhere_is_not_shown_as_an_answer(case):
    for cut in range(1, len(case.text)):
        reading = read(case.text[:cut], case.tools)
        assert not (isinstance(reading, Decided) and reading.answer and MARKUP.search(reading.answer)), case.text[:cut]
