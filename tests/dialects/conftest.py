"""A small reader of GBNF: whether a text belongs to a grammar, and texts that do. It knows what llama.cpp knows, and its limits."""

import os
import re
from functools import cache

import pytest

from tao.models.catalogue import CATALOGUE, cache_folder
from tao.models.local import LocalModel, LocalSettings

ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "[": "[", "]": "]"}
TOO_MANY = 2000
"""llama.cpp refuses one repetition of so many, with those inside it multiplied."""


class Gbnf:
    """A grammar. `accepts(text)`; `sample(random)` gives a text that it accepts. Raises ValueError where llama.cpp would not take it."""

    def __init__(self, text):
        self.rules = {}
        self.size = 0
        for line in filter(str.strip, text.split("\n")):
            name, mark, body = line.partition(" ::= ")
            if not mark or not re.fullmatch("[a-zA-Z][a-zA-Z0-9-]*", name) or name in self.rules:
                raise ValueError(f"not a rule, or one that is there already: {line!r}")
            self.text, self.at = body, 0
            self.rules[name] = self._alternatives()
            if self.at < len(body):
                raise ValueError(f"left over in {name}: {body[self.at :]!r}")
        missing = {name for node in self.rules.values() for name in references(node)} - self.rules.keys()
        if missing or "root" not in self.rules:
            raise ValueError(f"rules without a body: {missing}")
        self._least = self._least_depths()
        for name in self.rules:
            self._leftmost(name, ())

    # ── reading ───────────────────────────────────────────────────────────────

    def _skip(self):
        while self.text[self.at : self.at + 1] == " ":
            self.at += 1

    def _alternatives(self):
        arms = [self._sequence()]
        while self.text[self.at : self.at + 1] == "|":
            self.at += 1
            arms.append(self._sequence())
        return arms[0] if len(arms) == 1 else ("alt", *arms)

    def _sequence(self):
        items = []
        self._skip()
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            before = self.size
            item = self._item()
            self._skip()
            while self.text[self.at : self.at + 1] and self.text[self.at] in "{?*+":
                item = self._repeat(item, max(1, self.size - before))
                self._skip()
            items.append(item)
        return ("seq", *items)

    def _item(self):
        char = self.text[self.at]
        if char == '"':
            found = re.compile(r'"((?:\\.|[^"\\])*)"').match(self.text, self.at)
            self.at = found.end()
            return ("seq", *(("in", ((c, c),), False) for c in chars(found.group(1))))
        if char == "[":
            found = re.compile(r"\[(\^?)((?:\\.|[^\]\\])*)\]").match(self.text, self.at)
            self.at = found.end()
            return ("in", spans(found.group(2)), bool(found.group(1)))
        if char == "(":
            self.at += 1
            self.size += 1
            node = self._alternatives()
            if self.text[self.at : self.at + 1] != ")":
                raise ValueError(f"no closing bracket: {self.text!r}")
            self.at += 1
            return node
        found = re.compile("[a-zA-Z0-9-]+").match(self.text, self.at)
        if not found:
            raise ValueError(f"what is this: {self.text[self.at :]!r}")
        self.at = found.end()
        return ("ref", found.group())

    def _repeat(self, item, inside):
        found = re.compile(r"\{(\d+)(,?)(\d*)\}|[?*+]").match(self.text, self.at)
        self.at = found.end()
        if found.group(1) is None:
            low, high = {"?": (0, 1), "*": (0, None), "+": (1, None)}[found.group()]
        else:
            low = int(found.group(1))
            high = int(found.group(3)) if found.group(3) else None if found.group(2) else low
        if (high or low or 1) * inside >= TOO_MANY or item == ("seq",):
            raise ValueError(f"llama.cpp refuses this repetition: {self.text[max(0, self.at - 60) : self.at]}")
        self.size += (high or low) - low
        return ("rep", item, low, high)

    def _leftmost(self, name, path):
        """Raises where a rule may begin with itself, which llama.cpp refuses."""
        if name in path:
            raise ValueError(f"left recursion: {path} {name}")
        for first in firsts(self.rules[name]):
            self._leftmost(first, (*path, name))

    # ── matching ──────────────────────────────────────────────────────────────

    def accepts(self, text):
        """Whether the whole text can be read from `root`."""

        @cache
        def rule(name, at):
            return ends(self.rules[name], at)

        def ends(node, at):
            kind = node[0]
            if kind == "in":
                return {at + 1} if at < len(text) and any(a <= text[at] <= b for a, b in node[1]) != node[2] else set()
            if kind == "ref":
                return rule(node[1], at)
            if kind == "alt":
                return set().union(*(ends(arm, at) for arm in node[1:]))
            if kind == "seq":
                places = {at}
                for item in node[1:]:
                    places = set().union(*(ends(item, place) for place in places))
                return places
            _, item, low, high = node
            places, found, count = {at}, {at} if low == 0 else set(), 0
            while places and count != high:
                places = set().union(*(ends(item, place) for place in places)) - (found if count >= low else set())
                count += 1
                found |= places if count >= low else set()
            return found

        return len(text) in rule("root", 0)

    # ── making ────────────────────────────────────────────────────────────────

    def sample(self, random, deepest=30):
        """A text of the grammar."""

        def make(node, depth):
            kind = node[0]
            if kind == "in":
                return pick(random, node[1], node[2])
            if kind == "ref":
                return make(self.rules[node[1]], depth + 1)
            if kind == "alt":
                arms = sorted(node[1:], key=self._least)
                return make(arms[0] if depth > deepest else random.choice(arms), depth)
            if kind == "seq":
                return "".join(make(item, depth) for item in node[1:])
            _, item, low, high = node
            more = 0 if depth > deepest else min(random.choice([0, 0, 1, 1, 2, 5]), (low + 9 if high is None else high) - low)
            return "".join(make(item, depth) for _ in range(low + more))

        return make(self.rules["root"], 0)

    def _least_depths(self):
        known = {}

        def least(node):
            if node[0] == "in":
                return 0
            if node[0] == "ref":
                return 1 + known.get(node[1], 10**6)
            if node[0] == "rep":
                return least(node[1]) if node[2] else 0
            return (min if node[0] == "alt" else max)((least(item) for item in node[1:]), default=0)

        for _ in range(len(self.rules)):
            before = dict(known)
            known.update({name: least(node) for name, node in self.rules.items()})
            if known == before:
                break
        return least


def chars(body):
    """The characters of a quoted text or class, escapes read."""
    found, at = [], 0
    while at < len(body):
        if body[at] != "\\":
            found.append(body[at])
            at += 1
        elif body[at + 1] in "xuU":
            width = {"x": 2, "u": 4, "U": 8}[body[at + 1]]
            found.append(chr(int(body[at + 2 : at + 2 + width], 16)))
            at += 2 + width
        elif body[at + 1] in ESCAPES:
            found.append(ESCAPES[body[at + 1]])
            at += 2
        else:
            raise ValueError(f"llama.cpp does not know the escape {body[at : at + 2]!r}")
    return found


def spans(body):
    """A class as pairs of first and last character."""
    found, at = [], 0
    parts = re.findall(r"\\x..|\\u....|\\U.{8}|\\.|.", body, re.DOTALL)
    while at < len(parts):
        if at + 2 < len(parts) and parts[at + 1] == "-":
            found.append((*chars(parts[at]), *chars(parts[at + 2])))
            at += 3
        else:
            found.append((*chars(parts[at]), *chars(parts[at])))
            at += 1
    return tuple(found)


def pick(random, ranges, negated):
    """A character of the class."""
    if not negated:
        low, high = random.choice(ranges)
        return chr(random.randint(ord(low), min(ord(high), ord(low) + 200)))
    return random.choice([c for c in "abz AZ019.,:-_/'(){}[]?，。中文日é😀" if not any(a <= c <= b for a, b in ranges)])


def references(node):
    """Names of rules that a body mentions."""
    if node[0] == "ref":
        yield node[1]
    for part in node[1:]:
        if isinstance(part, tuple) and part and isinstance(part[0], str) and part[0] in {"alt", "seq", "rep", "ref"}:
            yield from references(part)


def firsts(node):
    """Names of rules that a body may begin with, as llama.cpp looks for them."""
    if node[0] == "ref":
        yield node[1]
    elif node[0] == "alt":
        for arm in node[1:]:
            yield from firsts(arm)
    elif node[0] == "rep":
        yield from firsts(node[1])
    elif node[0] == "seq":
        for item in node[1:]:
            yield from firsts(item)
            if item[0] != "rep" or item[2]:
                break


@pytest.fixture(scope="session")
def gbnf():
    """The class `Gbnf`."""
    return Gbnf


@pytest.fixture(scope="session")
def small_model():
    """The small model's file; `tao model pull smollm2-135m` fetches it at set-up."""
    path = cache_folder(os.environ) / CATALOGUE["smollm2-135m"].file
    if not path.exists():
        pytest.skip("the small model is not here: tao model pull smollm2-135m")
    return path


@pytest.fixture(scope="module")
def engine(small_model):
    """The small model, really run."""
    made = LocalModel(small_model, settings=LocalSettings(context=2048, keep=None))
    yield made
    made.unload()
