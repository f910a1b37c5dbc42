"""Every Python snippet of the documentation runs, page by page, against a model server."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("docs/*/*.md"), *ROOT.glob("README*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
RUNNER = """
import ast, asyncio, inspect, sys
names = {"__name__": "__main__"}
for number, block in enumerate(open(sys.argv[1], encoding="utf-8").read().split("\\x00"), 1):
    made = eval(compile(block, f"snippet {number}", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
    if inspect.iscoroutine(made):
        asyncio.run(made)
"""


def snippets(page):
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def named(page):
    return str(page.relative_to(ROOT))


WITH_CODE = [page for page in PAGES if snippets(page) and page.stem != "the-loop"]


def test_there_are_snippets():
    assert len(WITH_CODE) >= 14


@pytest.mark.parametrize("page", WITH_CODE, ids=named)
def test_the_snippets_of_a_page_run(page, server, env, tmp_path):
    """In order, in one namespace; the local model, and addresses on this machine, stand for the scripted server."""
    scripted = f'"{server}#scripted"'
    code = [re.sub(r'"local"|"http://127\.0\.0\.1:\d+/v1#[^"]+"', scripted, block) for block in snippets(page)]
    (tmp_path / "blocks").write_text("\x00".join(code), encoding="utf-8")
    command = [sys.executable, "-c", RUNNER, "blocks"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, encoding="utf-8", check=False, timeout=240)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", [page for page in PAGES if page.stem == "the-loop"], ids=named)
def test_the_loop_is_printed_as_it_is(page):
    assert snippets(page)[0] == (ROOT / "src/tao/loop.py").read_text(encoding="utf-8")


def skeleton(code):
    """Code without its texts, docstrings and comments."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ""
        if isinstance(node, ast.JoinedStr):
            node.values = []
    return ast.dump(tree)


@pytest.mark.parametrize("page", sorted((ROOT / "docs/en").glob("*.md")), ids=lambda page: page.name)
def test_both_languages_show_the_same_code(page):
    chinese = ROOT / "docs/zh" / page.name
    assert [skeleton(code) for code in snippets(chinese)] == [skeleton(code) for code in snippets(page)]
