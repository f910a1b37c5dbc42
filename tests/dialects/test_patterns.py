"""Patterns as grammars: what the pattern finds, written as JSON, belongs to the grammar; what the grammar makes, the pattern finds."""

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tao.dialects.grammar import Rules
from tao.dialects.patterns import in_class, pattern_rule, without

ALPHABET = "".join(map(chr, range(0x20, 0x7F))) + "\n\té中文年，"
PATTERNS = [
    r"^A\d{5}$", r"^SKU-", r"\d{3}", r"@", r"^[A-Z]{2,3}(-\d+)?$", r"^(red|green|blue)$", r"^red$|^blue", r"^(a|b)$", r"(^a|^b)c",
    r"^[^,]+$", r"^[^\"\\]*$", r"^[ -~]{1,20}$", r"^.{0,5}$", r"^\w+(\s\w+)*$", r"^\S+$", r"^\D\W\s\d$", r"^[\w.-]+@[\w-]+\.[a-z]{2,}$",
    r"^\\[n\"]$", r"^(?:ab){2,4}$", r"^(a*)*$", r"^(a{0,60}){0,60}$", r"^((x|yy){1,50},){1,50}$", r"^[一-龥]{2,4}$", r"^[\]\[^-]+$",
    r"^\u4e2d", r"^(?i:sku)$", r"(?i)^sku-[a-c]$", r"^$", "", r"^a??b+?$", r"^[^a]$", r"^\n$", r"^[\n\t]+x$", r"\Aabc\Z", r"^a{5000}$",
    r"^x{3,}$", r"(?i)^a(?-i:b)[^k]$", r"^(([a-z]+)-)*[a-z]+$", r"^(?P<year>\d{4})年$", r"^.*\.(txt|md)$",
]  # fmt: skip
UNSAYABLE = [r"^(?=.*\d).+$", r"(a)\1", r"\bword\b", r"^a^b", r"(?<!x)y", "(", r"\p{L}+", r"^(?>ab)c$", r"^a++b$", r"^[^\s\S]$", r"^\x00$", r"$a"]


def grammar(gbnf, pattern):
    rules = Rules()
    body = pattern_rule(pattern, rules)
    return gbnf(rules.text(f'"\\"" {body} "\\""'))


FEW = settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow], deadline=None)
CUT = {r"^a{5000}$": "more than llama.cpp takes", r"^(a*)*$": "what may be empty is repeated three times", r"^\n$": "`$` looks over a last line end"}
"""Patterns of which the grammar says only a part, or too much."""


@FEW
@pytest.mark.parametrize("pattern", [pattern for pattern in PATTERNS if pattern != "^a{5000}$"])
@given(random=st.randoms(use_true_random=False))
def test_what_the_grammar_makes_the_pattern_finds(gbnf, pattern, random):
    assert re.search(pattern, json.loads(grammar(gbnf, pattern).sample(random)))


@FEW
@pytest.mark.parametrize("pattern", [pattern for pattern in PATTERNS if pattern not in CUT])
@given(data=st.data())
def test_what_the_pattern_finds_belongs_to_the_grammar(gbnf, pattern, data):
    text = data.draw(st.from_regex(pattern, alphabet=ALPHABET).filter(lambda text: len(text) < 60))
    shorter = text.removesuffix("\n")  # `$` looks over a last line end
    text = shorter if re.search(pattern, shorter) else text
    assert grammar(gbnf, pattern).accepts(json.dumps(text, ensure_ascii=False))


@pytest.mark.parametrize("pattern", [r"^a{5000}$", r"^(a*)*$"])
def test_what_is_repeated_too_often_is_cut(gbnf, pattern):
    assert grammar(gbnf, pattern).accepts('"' + "a" * 200 + '"')


@pytest.mark.parametrize("pattern", UNSAYABLE)
def test_what_a_grammar_cannot_say_it_leaves(pattern):
    assert pattern_rule(pattern, Rules()) is None


@pytest.mark.parametrize(("pattern", "text"), [
    (r"^A\d{5}$", "A1002"), (r"^A\d{5}$", "B10023"), (r"^(red|green)$", "reds"), (r"^[^,]+$", "a,b"), (r"^[ -~]+$", "中"), (r"^\S+$", "a b"),
    (r"^[A-Z]$", "a"), (r"^SKU-", "xSKU-"), (r"\d{3}", "12a45"), (r"^x{3,}$", "xx"), (r"^.$", "\n"), (r"^[一-龥]+$", "ab"), (r"^[^a]$", "a"),
])  # fmt: skip
def test_what_the_pattern_does_not_find_is_refused(gbnf, pattern, text):
    assert not grammar(gbnf, pattern).accepts(json.dumps(text, ensure_ascii=False))


@pytest.mark.parametrize("text", ['"', "\\", "\n", "\t"])
def test_characters_that_json_escapes_are_escaped(gbnf, text):
    holds = grammar(gbnf, f"^[a{re.escape(text)}]$")
    assert holds.accepts(json.dumps(text))
    assert not holds.accepts(f'"{text}"')


@given(st.characters(exclude_categories=["Cs"]))
def test_every_character_may_stand_in_a_class(gbnf, char):
    assert gbnf(f"root ::= [{in_class(char)}]").accepts(char)
    assert not gbnf(f"root ::= [^{in_class(char)}]").accepts(char)


def test_the_rest_of_all_characters():
    assert without([]) == [(0, 0x10FFFF)]
    assert without([(5, 9), (0, 3), (8, 20)]) == [(4, 4), (21, 0x10FFFF)]
    assert without([(10, 0x10FFFF)]) == [(0, 9)]
