import re
from importlib import import_module
from pathlib import Path

import pytest

import tao.dialects
from tao.dialects.later import Later, later

ROOT = Path(tao.dialects.__file__).parent
MODULES = sorted(
    ".".join(("tao.dialects", *path.relative_to(ROOT).with_suffix("").parts)) for path in ROOT.rglob("*.py") if path.stem != "__init__"
)


@pytest.mark.parametrize("name", MODULES)
def test_every_pattern_can_be_compiled(name):
    for value in vars(import_module(name)).values():
        if isinstance(value, Later):
            assert value.fullmatch  # asking for a method compiles it


def test_a_pattern_is_compiled_when_it_is_used():
    assert later("(").pattern == "("
    with pytest.raises(re.error):
        later("(").search("x")


def test_it_does_what_the_compiled_pattern_does():
    word = later("[a-z]+", re.IGNORECASE)
    assert word.search("12 Ab")[0] == "Ab"
    assert word.sub("-", "a1B") == "-1-"
    assert [found[0] for found in word.finditer("x Y")] == ["x", "Y"]
    assert word.groups == 0
