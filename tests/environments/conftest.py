"""Makes the worlds of `benchmarks/` importable, and says where the data of public benchmarks lie."""

import os
import sys
from pathlib import Path

import pytest

sys.path += [str(Path(__file__).parents[2] / "benchmarks"), str(Path(__file__).parent)]


@pytest.fixture(scope="session")
def shared():
    """Gives the folder of a benchmark's data; skips where it is not there."""
    root = Path(os.environ.get("TAO_SHARED", Path(__file__).parents[3] / "shared")) / "data"

    def folder(name):
        if not (root / name).is_dir():
            pytest.skip(f"no data at {root / name}; set TAO_SHARED to the folder that holds data/")
        return root / name

    return folder
