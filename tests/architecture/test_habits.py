"""Habits of the house that a linter does not know. Each exception stands here with its reason."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "src" / "tao"
TREES = {str(path.relative_to(ROOT)): ast.parse(path.read_text(encoding="utf-8")) for path in sorted(ROOT.rglob("*.py"))}

READ_THE_ENVIRONMENT = {
    "config.py": "settings",
    "models/connect.py": "keys and addresses, for an Agent that is made without settings",
    "models/local.py": "one variable that OpenMP reads while it is loaded",
    "tools/mcp/tools.py": "values in the file of servers, for tools that are connected without settings",
    "cli/words.py": "the language, before the first help text is made",
    "cli/screen.py": "what a terminal is and wants: TERM, COLUMNS, NO_COLOR, FORCE_COLOR",
}
IMPORT_BY_NAME = {
    "__init__.py": "public names are loaded on first use",
    "cli/app.py": "a command's module is loaded when the command is used",
    "cli/corpus.py": "a user's own parser",
    "models/connect.py": "the kind of model that was asked for",
    "build.py": "a user's own tools",
    "evaluation/functions.py": "a user's own grader",
    "stores/database.py": "the driver of a database that is not always there",
    "tools/builtin/__init__.py": "tools whose packages are an extra",
}
ONE_HOME = {
    "xllamacpp": ("models/local.py",),
    "rjieba": ("tools/builtin/segment.py",),
    "limits": ("stores/rates.py",),
    "opentelemetry": ("tracing.py",),
    "jsonschema": ("evaluation/graders.py", "tools/foreign.py"),
    "referencing": ("evaluation/graders.py", "tools/foreign.py"),
    "aiohttp": ("models/", "tools/web/"),
    "mcp": ("tools/mcp/wire.py",),
    "httpx2": ("tools/mcp/wire.py",),
    "yaml": ("tools/openapi/document.py",),
    "yarl": ("tools/web/fetching.py",),
    "ddgs": ("tools/web/providers.py",),
    "trafilatura": ("tools/web/reading.py",),
    "sqlalchemy": ("tools/builtin/sql.py",),
    "genai_prices": ("models/pricing.py",),
    "sqlglot": ("tools/builtin/sql.py",),
    "pydantic_monty": ("tools/builtin/python.py",),
    "pint": ("tools/builtin/units.py",),
    "chinese_calendar": ("tools/builtin/calendar_cn.py",),
    "lunardate": ("tools/builtin/calendar_cn.py",),
    "pydantic_settings": ("config.py", "tables.py"),
    "dotenv": ("config.py",),
    "pydantic": ("config.py", "tables.py", "tools/"),
    "click": ("cli/",),
    "wcwidth": ("cli/",),
    "tqdm": ("cli/progress.py",),
}
"""Third-party packages, and the only files or folders that may import them."""
OPTIONAL = {"yaml", "opentelemetry", "genai_prices", "xllamacpp", "rjieba", "jsonschema", "referencing", "limits", "ddgs", "trafilatura", "mcp", "httpx2", "pydantic_monty", "pint", "chinese_calendar", "lunardate"}
"""Heavy packages that need not be installed: imported where they are first used."""


def calls(tree, *names):
    """Calls of these names, however they were imported."""
    found = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return [node for node in found if ast.unparse(node.func).split(".")[-1] in names]


def imported(tree):
    """Top-level names of every absolute import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def where(kept):
    return [f"{name}:{node.lineno}" for name, tree in TREES.items() for node in kept(tree)]


def test_json_is_written_without_escapes():
    def escaped(tree):
        dumps = (node for node in calls(tree, "dumps", "dump") if ast.unparse(node.func).startswith("json."))
        return [node for node in dumps if not any(word.arg == "ensure_ascii" and ast.unparse(word.value) == "False" for word in node.keywords)]

    assert where(escaped) == []


def test_the_environment_is_read_in_few_places():
    def reads(tree):
        return [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and ast.unparse(node) in {"os.environ", "os.getenv", "os.environb"}]

    assert {place.split(":")[0] for place in where(reads)} <= set(READ_THE_ENVIRONMENT)


def test_imports_stand_at_the_top_save_for_heavy_optional_packages():
    def hidden(tree):
        inside = (node for function in ast.walk(tree) if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) for node in ast.walk(function))
        return [node for node in inside if isinstance(node, ast.Import | ast.ImportFrom) and not set(imported(node)) <= OPTIONAL]

    assert where(hidden) == []


def test_modules_are_imported_by_name_in_few_places():
    def by_name(tree):
        return calls(tree, "import_module", "__import__", "exec_module")

    assert {place.split(":")[0] for place in where(by_name)} <= set(IMPORT_BY_NAME)


@pytest.mark.parametrize("package", ONE_HOME)
def test_a_third_party_package_has_one_home(package):
    users = [name for name, tree in TREES.items() if package in imported(tree)]
    assert users, f"nothing imports {package}: take it out of pyproject.toml and of this table"
    assert [name for name in users if not name.startswith(ONE_HOME[package])] == []


def test_nothing_is_printed_outside_the_command_line():
    assert [place for place in where(lambda tree: calls(tree, "print")) if not place.startswith("cli/")] == []


def test_no_name_says_nothing():
    def vague(tree):
        return [
            node for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef) and node.name.endswith(("Manager", "Helper", "Util", "Utils", "Mixin", "Factory"))
        ]  # fmt: skip

    assert where(vague) == []
    assert [name for name in TREES if Path(name).stem in {"utils", "helpers", "common", "misc", "base"}] == []


def test_one_place_starts_an_event_loop_for_the_library_and_one_for_the_command():
    def starts(tree):
        return calls(tree, "new_event_loop", "run_forever", "run_until_complete") + [
            node for node in calls(tree, "run", "Runner") if ast.unparse(node.func).startswith("asyncio.")
        ]

    homes = {place.split(":")[0] for place in where(starts)}
    assert {home for home in homes if not home.startswith("cli/")} == {"blocking.py"}


def test_json_that_is_nested_too_deep_is_caught_like_any_other_that_cannot_be_read():
    def narrow(tree):
        reading = [node for node in ast.walk(tree) if isinstance(node, ast.Try) and any(calls(part, "loads") for part in node.body)]
        caught = [(node, " ".join(ast.unparse(handler.type) for handler in node.handlers if handler.type)) for node in reading]
        return [node for node, names in caught if "ValueError" in names and "RecursionError" not in names]

    assert where(narrow) == []
