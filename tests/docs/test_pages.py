"""The documentation is complete, the same in both languages, and says what is there."""

import re
import tomllib
from pathlib import Path

import pytest

import tao.policies
import tao.wrappers
from tao.cli.app import COMMANDS, app
from tao.config import Local, Settings
from tao.models.catalogue import CATALOGUE
from tao.models.profiles import PROFILES

ROOT = Path(__file__).parents[2]
TOP = ("README.md", "README.zh-CN.md", "AGENTS.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "corpus/README.md")
PAGES = sorted([*(ROOT / name for name in TOP), *ROOT.glob("docs/**/*.md")])
ENGLISH = sorted(path.name for path in ROOT.glob("docs/en/*.md"))
FENCED = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def named(page):
    return str(page.relative_to(ROOT))


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def both(name):
    return text(f"docs/en/{name}"), text(f"docs/zh/{name}")


# ── the same in both languages ────────────────────────────────────────────────


def test_both_languages_have_the_same_pages():
    assert sorted(path.name for path in ROOT.glob("docs/zh/*.md")) == ENGLISH
    assert len(ENGLISH) >= 12


@pytest.mark.parametrize("name", ENGLISH)
def test_both_languages_say_the_same_things_in_the_same_order(name):
    english, chinese = ([(len(re.match(r"#*", line).group()) if line[0] == "#" else line[0]) for line in page.splitlines() if line[:1] in {"#", "|"}]
                        for page in both(name))  # fmt: skip
    assert english == chinese


@pytest.mark.parametrize("name", [*ENGLISH, "README"])
def test_both_languages_show_the_same_commands(name):
    pages = (text("README.md"), text("README.zh-CN.md")) if name == "README" else both(name)
    first, second = ([re.sub(r'"[^"]*"', '""', line.split("#")[0]).strip() for line in commands(page)] for page in pages)
    assert first == second


# ── links ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page):
    plain = FENCED.sub("", page.read_text(encoding="utf-8"))
    links = [link for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", plain) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("name", ENGLISH)
def test_a_page_leads_to_its_other_language(name):
    english, chinese = both(name)
    assert f"](../zh/{name})" in english
    assert f"](../en/{name})" in chinese


def test_both_readmes_lead_to_every_page():
    for readme, folder in (("README.md", "en"), ("README.zh-CN.md", "zh")):
        assert [name for name in ENGLISH if f"docs/{folder}/{name}" not in text(readme)] == []


# ── what they say is there ────────────────────────────────────────────────────


def commands(page):
    """Lines of console blocks that begin with `$`, without it."""
    return [line[2:] for kind, block in FENCED.findall(page) if kind in {"console", "sh"} for line in block.splitlines() if line.startswith("$ ")]


def options():
    """Every command with the options that it takes; a group's commands as "model pull"."""
    found = {}
    for name in COMMANDS:
        command = app.get_command(None, name)
        for word, one in {name: command, **{f"{name} {sub}": item for sub, item in getattr(command, "commands", {}).items()}}.items():
            found[word] = {option for param in one.params for option in (*param.opts, *param.secondary_opts)} | {"--help", "-h"}
    return found


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_and_options_exist(page):
    known, targets = options(), set(re.findall(r"^([a-z]+):", text("Makefile"), re.MULTILINE))
    for line in commands(page.read_text(encoding="utf-8")):
        for part in re.split(r"[|;>]|&&", re.sub(r'"[^"]*"', "TEXT", line.split(" # ")[0])):
            words = [word.removeprefix(".venv/bin/") for word in part.split() if not re.match(r"[A-Z_]+=", word)]
            if words[:1] == ["make"]:
                assert [word for word in words[1:] if re.fullmatch("[a-z]+", word)] == [] or set(words[1:]) & targets, line
            elif words[:1] == ["tao"] and len(words) > 1 and words[1] in COMMANDS:
                command = " ".join(words[1:3]) if " ".join(words[1:3]) in known else words[1]
                assert [word for word in words if word.startswith("-") and word != "-" and word not in known[command]] == [], line
            else:
                assert words[:1] in (["git"], ["cd"], ["pip"], ["python"], ["tail"], ["tao"], ["answer.txt"], ["answer.json"]), line
                assert words[:1] != ["tao"] or words[1].startswith("-"), line


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_described(name):
    for page in both("cli.md"):
        assert f"`tao {name}" in page


@pytest.mark.parametrize("name", [*(name for name in Settings.model_fields if name != "local"), *(f"local.{name}" for name in Local.model_fields)])
def test_every_setting_is_described(name):
    field = Local.model_fields[name[6:]] if name.startswith("local.") else Settings.model_fields[name]
    for page in both("configuration.md"):
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        if isinstance(field.default, int) and not isinstance(field.default, bool):
            assert f"| {field.default} |" in row


@pytest.mark.parametrize("name", PROFILES)
def test_every_provider_is_described(name):
    for page in both("models.md"):
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}`") and ":" not in line)
        assert (f"`{PROFILES[name].keys[0]}`" in row) == PROFILES[name].needs_key
        assert f"`{PROFILES[name].urls[0]}`" in row


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_model_file_is_described(name):
    for page in both("local-model.md"):
        assert f"| `{name}` |" in page


def test_every_policy_and_wrapper_is_described():
    wrappers = [path.stem for path in Path(tao.wrappers.__path__[0]).glob("[a-z]*.py") if path.stem not in {"words", "past"}]
    policies = [name for name in tao.policies.__all__ if name not in {"default", "first_of"}]
    for calls, requests in zip(both("tools.md"), both("models.md"), strict=True):
        assert [name for name in wrappers if f"| `{name}` |" not in calls and f"`{name}`" not in requests] == []
    for page in both("policies.md"):
        assert [name for name in policies if f"`{name}" not in page] == []


def test_the_rules_show_the_layers_as_they_are():
    contracts = tomllib.loads(text("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    assert "".join(f"    {layer}\n" for layer in layers) in text("AGENTS.md")
