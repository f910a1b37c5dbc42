"""`import tao` is free: it does nothing and brings nothing with it."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import tao

ROOT = Path(__file__).parents[2]

WATCHED = """
import sys, threading
done = []

def watch(event, args):
    if event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        done.append((event, args[0]))
    elif event.startswith(("socket.", "subprocess.", "os.mkdir", "os.remove", "os.rename", "os.system", "os.putenv", "sqlite3.")):
        done.append((event, args))

sys.addaudithook(watch)
{code}
print(sorted({{name.split(".")[0] for name in sys.modules}} - set(sys.stdlib_module_names) - {{"tao"}}))
print(done)
print(threading.active_count())
"""


def watched(code):
    """Run code in a fresh process; give the third-party packages it loaded, what it did, and how many threads there are."""
    command = [sys.executable, "-B", "-I", "-W", "error", "-c", WATCHED.format(code=code)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    loaded, done, threads = (ast.literal_eval(line) for line in said.splitlines())
    ours = [name for name in loaded if not name.startswith(("_", "sitecustomize", "usercustomize", "a1_coverage"))]
    return ours, done, threads


def test_importing_tao_does_nothing_and_loads_no_other_package():
    assert watched("import tao") == ([], [], 1)


def test_words_and_loop_load_the_standard_library_only():
    assert watched("import tao.loop, tao.facts, tao.testing, tao.policies, tao.wrappers.retry, tao.dialects") == ([], [], 1)


def test_loading_every_public_name_does_nothing_either():
    loaded, done, threads = watched("import tao\nfor name in tao.__all__: getattr(tao, name)")
    assert (done, threads) == ([], 1)
    assert not {"xllamacpp", "aiohttp", "click", "tqdm", "wcwidth", "rjieba"} & set(loaded)


def test_every_module_can_be_imported_without_doing_anything():
    names = ["tao." + str(path.relative_to(ROOT / "src/tao").with_suffix("")).replace(os.sep, ".") for path in (ROOT / "src/tao").rglob("*.py")]
    names = sorted(name.removesuffix(".__init__") for name in names if not name.endswith(("__main__", "migrations.env")))
    loaded, done, threads = watched(f"import importlib\nfor name in {names}: importlib.import_module(name)")
    assert (done, threads) == ([], 1)
    assert not {"xllamacpp", "rjieba"} & set(loaded)


# ── public names ──────────────────────────────────────────────────────────────


def test_public_names_are_sorted_and_all_there():
    assert list(tao.__all__) == sorted(tao.__all__)
    assert all(getattr(tao, name) is not None for name in tao.__all__)
    assert dir(tao) == sorted(tao.__all__)


def test_public_names_are_the_same_for_type_checkers():
    tree = ast.parse((ROOT / "src/tao/__init__.py").read_text(encoding="utf-8"))
    guarded = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert sorted(seen) == list(tao.__all__)
    assert {name: tao._HOME[name] for name in tao.__all__} == seen


def test_a_name_that_is_not_there_is_an_attribute_error():
    assert not hasattr(tao, "Agnet")


def test_the_version_is_the_packages():
    assert f'version = "{tao.__version__}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
