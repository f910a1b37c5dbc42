"""Sizes that keep the code readable. A limit that is in the way is a sign that a part wants to be two."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(path for folder in ("src", "benchmarks", "examples") for path in (ROOT / folder).rglob("*.py"))
NAMES = [str(path.relative_to(ROOT)) for path in FILES]


def lines(path):
    return len(path.read_text(encoding="utf-8").splitlines())


def nodes(path, kind):
    return [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, kind)]


def functions(path):
    """Name and length of every function; what stands inside another one counts for both."""
    found = nodes(path, ast.FunctionDef | ast.AsyncFunctionDef)
    return [(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", node.end_lineno - node.lineno + 1) for node in found]


def test_there_is_something_to_measure():
    assert len(FILES) > 50


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_file_has_at_most_400_lines(path):
    assert lines(path) <= 400


def test_a_function_has_at_most_60_lines():
    assert [(name, size) for path in FILES for name, size in functions(path) if size > 60] == []


def test_nine_of_ten_functions_have_at_most_30_lines():
    sizes = sorted(size for path in FILES for _, size in functions(path))
    assert sizes[len(sizes) * 9 // 10] <= 30


def test_the_loop_fits_on_a_page():
    assert lines(ROOT / "src/tao/loop.py") <= 80


def test_the_seams_fit_on_a_page():
    assert lines(ROOT / "src/tao/seams.py") <= 90


def test_an_example_fits_on_a_page():
    assert [path.name for path in (ROOT / "examples").glob("*.py") if lines(path) > 60] == []


def test_the_rules_for_contributors_fit_on_a_page():
    assert lines(ROOT / "AGENTS.md") <= 100


def public_methods(node):
    """Methods that are part of a class's face; properties read like fields and do not count."""
    own = [item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and not item.name.startswith("_")]
    plain = [item for item in own if not any("property" in ast.unparse(mark) for mark in item.decorator_list)]
    return [item.name for item in plain]


def test_a_class_has_at_most_12_public_methods():
    found = {node.name: public_methods(node) for path in FILES for node in nodes(path, ast.ClassDef)}
    assert {name: methods for name, methods in found.items() if len(methods) > 12} == {}
