"""Makes the modules beside the tests importable; tests are imported by path."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def gbnf():
    """The class that reads grammars in the tests of the dialects."""
    spec = spec_from_file_location("conftest_of_dialects", Path(__file__).parents[2] / "dialects" / "conftest.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Gbnf
