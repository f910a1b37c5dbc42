"""Questions that others asked over paragraphs that others wrote: what `search` finds, beside plain BM25. Bounds are what was measured."""

import os
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DATA = Path(os.environ.get("TAO_SHARED", ROOT.parent / "shared")) / "data"


@pytest.fixture(scope="module")
def retrieval():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        yield import_module("retrieval")
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))


def folder(name):
    if not (DATA / name).is_dir():
        pytest.skip(f"no paragraphs at {DATA / name}; set TAO_SHARED to the folder that holds data/")
    return DATA / name


def test_hotpotqa(retrieval):
    collection = retrieval.hotpotqa(folder("hotpotqa"))
    found = retrieval.measured(collection)
    share = {key: count / len(collection.questions) for key, count in found["tao"].items()}
    assert share["any@5"] >= 0.98
    assert share["any@10"] >= 0.995
    assert share["all@5"] >= 0.66
    assert share["all@10"] >= 0.82
    assert all(found["tao"][key] >= found["bm25"][key] for key in share)


def test_cmrc(retrieval):
    collection = retrieval.cmrc(folder("cmrc2018"), first=True)
    found = retrieval.measured(collection)
    share = {key: count / len(collection.questions) for key, count in found["tao"].items()}
    assert share["any@5"] == 1
    assert all(found["tao"][key] >= found["bm25"][key] for key in share)


def test_plain_bm25_ranks_by_rare_words(retrieval):
    texts = {"a": ("", "the cat and the dog"), "b": ("", "the dog"), "c": ("猫", "黑猫")}
    found = retrieval.with_bm25(retrieval.Collection("", texts, ()))
    assert found("the cat") == ["a", "b"]
    assert found("猫") == ["c"]
