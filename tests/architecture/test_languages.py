"""Everything that is said is said in both languages."""

import importlib
import pkgutil
import re
from types import MappingProxyType

import pytest

import tao

TABLES = {}
for found in pkgutil.walk_packages(tao.__path__, "tao."):
    if found.name.endswith(("__main__", "migrations.env")):
        continue
    names = vars(importlib.import_module(found.name))
    if {"EN", "ZH"} <= set(names) and isinstance(names["EN"], dict):
        TABLES[found.name] = names["EN"], names["ZH"]
    for name, table in names.items():
        if isinstance(table, dict | MappingProxyType) and {"en", "zh"} <= set(table) and isinstance(table["en"], dict):
            TABLES[f"{found.name}.{name}"] = table["en"], table["zh"]


def blanks(text):
    """The places in a text that are filled in: {tool}, {}."""
    return sorted(re.findall(r"\{[a-z_]*\}", text)) if isinstance(text, str) else None


def test_there_are_tables():
    assert "tao.policies.texts" in TABLES
    assert any(name.startswith("tao.dialects.prompts") for name in TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_both_languages_have_the_same_texts_with_the_same_blanks(name):
    english, chinese = TABLES[name]
    assert english.keys() == chinese.keys()
    assert {key: blanks(text) for key, text in english.items()} == {key: blanks(text) for key, text in chinese.items()}
    assert all(chinese[key] for key in chinese if english[key])
