"""Makes `made_schemas` importable; tests are imported by path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
