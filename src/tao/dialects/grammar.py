"""JSON schema → GBNF, the grammar language of llama.cpp: a reply held to it cannot carry arguments that do not fit.

A grammar must end where a model's own tokens end: `"}` and a newline are often one token, and a grammar that closes
right after the brace forbids it. So white space is allowed wherever a common token may carry some. Keys come in the
schema's order. Texts, lists and numbers without limits of their own get one, so that no reply runs away. What a grammar
cannot say (`not`, `uniqueItems`, back references in a pattern) is left to the check of the arguments.

llama.cpp refuses repetitions that stand within one another and multiply to 2000 or more; so what is repeated is a rule of
its own. GBNF itself: the grammars README of ggml-org/llama.cpp.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import groupby
from typing import Any

from tao.dialects import numerals, schemas
from tao.dialects.patterns import in_class, pattern_rule

STRING_LIMIT = 400
KEY_LIMIT = 60
ITEMS_LIMIT = 12
REPEATS = 1900
"""llama.cpp takes no more of one thing; limits of a schema that go further are cut here."""
FEW = 12
"""More texts to choose from than this are written as a tree."""
LONG = 80
"""A body longer than this becomes a rule of its own where it would be written more than once."""

SHARED = {
    "root": "", "any": "",
    "ws": r"[ \n]?",
    "char": r'[^"\\\x00-\x1F\x7F] | escape',
    "escape": r'"\\" (["\\/bfnrt] | "u" hex hex hex hex)',
    "hex": "[0-9a-fA-F]",
    "octet": '"25" [0-5] | "2" [0-4] [0-9] | "1" [0-9] [0-9] | [1-9]? [0-9]',
    "day": '("0" [13578] | "1" [02]) "-" ("0" [1-9] | [12] [0-9] | "3" [01]) | ("0" [469] | "11") "-" ("0" [1-9] | [12] [0-9] | "30")'
           ' | "02-" ("0" [1-9] | [12] [0-9])',
    "clock": '([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] (":" [0-5] [0-9] ("." [0-9]{1,6})?)? ("Z" | [-+] [01] [0-9] ":" [0-5] [0-9])?',
    "sp": '" "?',
    "op": "[-+*/]",
}  # fmt: skip
"""Rules that all use, by name; no other rule gets such a name."""

FORMATS = {
    "date": '[0-9]{3} [1-9] "-" day',
    "time": "clock",
    "date-time": '[0-9]{3} [1-9] "-" day [T ] clock',
    "uuid": '[0-9a-f]{8} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{12}',
    "email": '[A-Za-z0-9._%+-]{1,64} "@" [A-Za-z0-9-]{1,63} ("." [A-Za-z0-9-]{1,63}){1,4}',
    "ipv4": 'octet "." octet "." octet "." octet',
    "decimal": '"-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,15})?',
    "uri": '[a-z] [a-z0-9+.-]{1,15} ":" [!#-;=?-Z_a-z~]{1,300}',
}


class Rules:
    """The rules of one grammar; equal bodies share a name. `root` is the schema that references are looked up in."""

    def __init__(self, root: Any = None) -> None:
        self.rules: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.written: dict[str, str] = {}
        self.roots: list[Any] = []
        self.root: Any = None
        self.within(root)

    def within(self, root: Any) -> None:
        """Look references up in this schema from now on."""
        self.root = root
        if not any(root is one for one in self.roots):
            self.roots.append(root)

    def add(self, hint: str, body: str) -> str:
        """Give the body a name and return it."""
        if re.fullmatch(r"[a-z0-9-]+", body):
            return body
        if body not in self.names:
            self.names[body] = self.fresh(hint)
            self.rules[self.names[body]] = body
        return self.names[body]

    def shared(self, name: str) -> str:
        """The name of a rule that all use; it is written down when it is first asked for."""
        if name not in self.rules:
            self.rules[name] = SHARED[name]
            for other in re.findall("[a-z]+", re.sub(r'"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]', "", SHARED[name])):
                self.shared(other)
        return name

    def known(self, schema: Any, hint: str, write: Callable[[], str]) -> str:
        """What `write` gives for this schema, written once; a schema that holds itself meets its own name."""
        place = next(n for n, one in enumerate(self.roots) if one is self.root)
        key = f"{place} {json.dumps(schema, ensure_ascii=False, sort_keys=True, default=str)}"
        if key not in self.written:
            self.written[key] = ""
            body = write()
            if self.written[key]:
                self.rules[self.written[key]] = body
            else:
                self.written[key] = body
        elif not self.written[key]:
            self.written[key] = self.fresh(hint)
            self.rules[self.written[key]] = ""
        return self.written[key]

    def text(self, root: str) -> str:
        """The whole grammar."""
        return "\n".join([f"root ::= {root}", *(f"{name} ::= {body}" for name, body in self.rules.items())]) + "\n"

    def fresh(self, hint: str) -> str:
        """A name that no rule has yet."""
        base = re.sub(r"[^a-z0-9]+", "-", hint.lower())[:KEY_LIMIT].strip("-")
        base = base if base[:1].isalpha() else f"rule-{base}".strip("-")
        name, count = base, 2
        while name in self.rules or name in SHARED:
            name, count = f"{base}-{count}", count + 1
        return name


def literal(text: str) -> str:
    """A GBNF terminal for exactly this text."""
    marks = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(marks.get(char) or (char if char.isprintable() else in_class(char)) for char in text) + '"'


def json_literal(value: Any) -> str:
    """A terminal for this value written as JSON."""
    return literal(json.dumps(value, ensure_ascii=False))


def either(options: Iterable[str]) -> str:
    """One of these."""
    arms = list(dict.fromkeys(options))
    return arms[0] if len(arms) == 1 else f"({' | '.join(arms)})"


def one_of(texts: Iterable[str]) -> str:
    """Exactly one of these texts. Many are written as a tree, so that llama.cpp follows a few ways at a time and not all of them."""
    listed = list(dict.fromkeys(texts))
    return either(map(literal, listed)) if len(listed) <= FEW else _tree(sorted(listed))


def _tree(texts: Sequence[str]) -> str:
    """Sorted texts by what they begin with."""
    first, last = texts[0], texts[-1]
    stem = first[: next((place for place, pair in enumerate(zip(first, last, strict=False)) if len(set(pair)) > 1), len(first))]
    arms = ['""'] if first == stem else []
    groups = groupby((text for text in texts if text != stem), key=lambda text: text[len(stem)])
    arms += [_tree([text[len(stem) :] for text in group]) for _, group in groups]
    return literal(stem) if arms == ['""'] else f"{literal(stem)} {either(arms)}" if stem else either(arms)


def schema_rule(schema: Any, rules: Rules, hint: str = "value") -> str:
    """The name or body of a rule for JSON values that fit the schema; a schema that nothing fits allows anything."""
    return rules.known(schema, hint, lambda: _either_of(schemas.arms(schema, rules.root), rules, hint))


def any_value(rules: Rules) -> str:
    """A rule for any JSON value."""
    if "any" not in rules.rules:
        rules.rules["any"] = ""  # the name must exist before the body refers to it
        text, ws = text_rule(rules, 0, STRING_LIMIT), rules.shared("ws")
        pair = f'{text} ":" {ws} any'
        rules.rules["any"] = (
            f'{text} | {_number({}, rules, "")} | "true" | "false" | "null"'
            f' | "{{" ws ({pair} ("," ws {pair}){{0,{ITEMS_LIMIT}}})? ws "}}"'
            f' | "[" ws (any ("," ws any){{0,{ITEMS_LIMIT}}})? ws "]"'
        )
    return "any"


def object_rule(members: Sequence[tuple[str, str, bool]], rules: Rules, hint: str, extra: str = "") -> str:
    """A JSON object from `(key, rule of its value, required)`, keys in this order, any optional one left out.

    `extra` is a rule for further pairs, which may stand at the end.
    """
    rules.shared("ws")
    more = f' ("," ws {extra}){{0,{ITEMS_LIMIT}}}' if extra else ""
    pairs = [f'{json_literal(key)} ":" ws {_named(value, rules, f"{hint}-{key}")}' for key, value, _ in members]
    first = next((n for n, member in enumerate(members) if member[2]), None)
    if first is not None:
        head = "".join(f'({pair} "," ws)? ' for pair in pairs[:first])
        rest = zip(members[first + 1 :], pairs[first + 1 :], strict=True)
        tail = "".join(f' "," ws {pair}' if member[2] else f' ("," ws {pair})?' for member, pair in rest)
        return rules.add(hint, f'"{{" ws {head}{pairs[first]}{tail}{more} ws "}}"')
    tail = f"{extra}{more}"
    arms, rest_rule = [tail] * bool(extra), more
    for (key, _, _), pair in zip(reversed(members), reversed(pairs), strict=True):
        arms.insert(0, f"{pair}{rest_rule}")
        rest_rule = " " + rules.add(f"{hint}-{key}-on", f'("," ws {pair})?{rest_rule}')
    return rules.add(hint, f'"{{" ws ({either(arms)})? ws "}}"') if arms else '"{" ws "}"'


def text_rule(rules: Rules, low: int, high: int) -> str:
    """A JSON string of so many characters."""
    low, high = max(0, min(low, REPEATS)), max(0, min(high, REPEATS))
    return rules.add("text", f'"\\"" {rules.shared("char")}{{{low},{max(low, high)}}} "\\""')


def text_except(used: Iterable[str], rules: Rules, limit: int = STRING_LIMIT, barred: Iterable[str] = ()) -> str:
    """A JSON string of 1 to `limit` characters that is none of the used ones and begins with none of the barred ones, in any case.

    A tree of the used texts: at every place either the next character leaves the tree, or it goes on and leaves later.
    """
    tree: dict[str, Any] = {}
    for text in used:
        if text and not set(text) & {'"', "\\"}:
            node = tree
            for char in text.lower():
                node = node.setdefault(char, {})
            node[""] = {}
    for text in sorted((text.lower() for text in barred if text and not set(text) & {'"', "\\"}), key=len, reverse=True):
        node = tree
        for char in text[:-1]:
            node = node.setdefault(char, {})
        node[text[-1]] = None  # the shortest come last, so that nothing grows below one
    return rules.add("new-text", f'"\\"" {_leaving(tree, rules, limit)} "\\""') if tree else text_rule(rules, 1, limit)


def _leaving(node: Mapping[str, Any], rules: Rules, limit: int) -> str:
    cased = {first: _cases(first) for first in node if first}
    rest = rules.add("rest", f"{rules.shared('char')}{{0,{limit}}}")
    options = [f'[^"\\\\\\x00-\\x1F\\x7F{"".join(cased.values())}] {rest}', f"{rules.shared('escape')} {rest}"]
    for first, below in node.items():
        if first and below is not None:
            leaving = _leaving(below, rules, limit)
            options.append(f"[{cased[first]}] {leaving if '' in below else f'{leaving}?'}")
    return rules.add("new", " | ".join(options))


def _cases(char: str) -> str:
    upper = char.upper()
    return in_class(char) + (in_class(upper) if len(upper) == 1 and upper != char else "")


def _either_of(arms: Sequence[Mapping[str, Any]], rules: Rules, hint: str) -> str:
    written = [rule for arm in arms if (rule := _one(arm, rules, hint)) is not None]
    return either(written) if written else any_value(rules)


def _one(schema: Mapping[str, Any], rules: Rules, hint: str) -> str | None:
    """The rule of one alternative; None where nothing fits it."""
    listed = schemas.values(schema)
    if listed is not None:
        return one_of(json.dumps(value, ensure_ascii=False) for value in listed) if listed else None
    writer = {
        "string": _string, "integer": _integer, "number": _number, "boolean": lambda *_: '("true" | "false")',
        "null": lambda *_: '"null"', "array": _array, "object": _object,
    }.get(schemas.type_of(schema) or "")  # fmt: skip
    return writer(schema, rules, hint) if writer else any_value(rules)


def _string(schema: Mapping[str, Any], rules: Rules, hint: str) -> str:
    if str(schema.get("format")) in FORMATS:
        body = FORMATS[str(schema["format"])]
        for name in ("octet", "day", "clock"):
            if name in body:
                rules.shared(name)
        return rules.add(str(schema["format"]), f'"\\"" {body} "\\""')
    if isinstance(schema.get("pattern"), str):
        pattern = pattern_rule(schema["pattern"], rules)
        if pattern is not None:
            return rules.add(f"{hint}-pattern", f'"\\"" {pattern} "\\""')
    low = _count(schema, "minLength", 0)
    return text_rule(rules, low, max(low, _count(schema, "maxLength", STRING_LIMIT)))


def _integer(schema: Mapping[str, Any], rules: Rules, hint: str) -> str | None:
    (low, above), (high, below) = _limit(schema, "minimum", "exclusiveMinimum", 1), _limit(schema, "maximum", "exclusiveMaximum", -1)
    least = None if low is None else math.floor(low) + 1 if above else math.ceil(low)
    most = None if high is None else math.ceil(high) - 1 if below else math.floor(high)
    step = schema.get("multipleOf")
    if isinstance(step, int) and step > 1 and least is not None and most is not None and (most - least) // step < REPEATS:
        found = range(-(-least // step) * step, most + 1, step)
        return rules.add(hint, one_of(map(str, found))) if found else None
    body = numerals.integers(least, most)
    return None if body is None else rules.add("integer", body)


def _number(schema: Mapping[str, Any], rules: Rules, hint: str) -> str | None:  # noqa: ARG001 - one of several writers
    (low, above), (high, below) = _limit(schema, "minimum", "exclusiveMinimum", 1), _limit(schema, "maximum", "exclusiveMaximum", -1)
    body = FORMATS["decimal"] if low is None and high is None else numerals.decimals(low, high, above=above, below=below)
    return None if body is None else rules.add("number", body)


def _limit(schema: Mapping[str, Any], within: str, beyond: str, sign: int) -> tuple[Decimal | None, bool]:
    """A limit of a number, and whether it is itself left out; draft 4 says the latter with a boolean."""
    limits = []
    for key, strict in ((within, schema.get(beyond) is True), (beyond, True)):
        value = schema.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            limits.append((sign * Decimal(str(value)), strict))
    if not limits:
        return None, False
    value, strict = max(limits)
    return sign * value, strict


def _array(schema: Mapping[str, Any], rules: Rules, hint: str) -> str:
    rules.shared("ws")
    fixed = next((part for part in (schema.get("prefixItems"), schema.get("items")) if isinstance(part, list) and part), None)
    if fixed:
        return _tuple(fixed, _count(schema, "minItems", len(fixed)), rules, hint)
    low = _count(schema, "minItems", 0)
    high = min(max(low, _count(schema, "maxItems", ITEMS_LIMIT)), REPEATS // 4)
    if high == 0 or schema.get("items") is False:
        return '"[" ws "]"'
    item = rules.add(f"{hint}-item", schema_rule(schema.get("items", {}), rules, f"{hint}-item"))
    more = f'{item} ("," ws {item}){{{max(min(low, high) - 1, 0)},{high - 1}}}'
    return rules.add(hint, f'"[" ws {more} ws "]"' if low else f'"[" ws ({more})? ws "]"')


def _tuple(fixed: Sequence[Any], low: int, rules: Rules, hint: str) -> str:
    """A list whose items each have a schema of their own; those after the first `low` may be missing from the end."""
    body = ""
    for place in range(len(fixed) - 1, -1, -1):
        item = ('"," ws ' if place else "") + schema_rule(fixed[place], rules, f"{hint}-{place + 1}") + body
        body = f" ({item})?" if place >= low else f" {item}"
    return rules.add(hint, f'"[" ws{body} ws "]"')


def _object(schema: Mapping[str, Any], rules: Rules, hint: str) -> str:
    properties = schema.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    needed = schema.get("required")
    required = dict.fromkeys(needed if isinstance(needed, list | tuple) else ())
    known = {**properties, **{key: True for key in required if key not in properties}}
    members = [(key, schema_rule(value, rules, f"{hint}-{key}"), key in required) for key, value in known.items() if value is not False]
    extra = _extra(schema, rules, hint, known)
    if members or not extra:
        return object_rule(members, rules, hint, extra)
    low, high = _count(schema, "minProperties", 0), _count(schema, "maxProperties", ITEMS_LIMIT + 1)
    high = min(max(low, high), REPEATS // 8)
    if high == 0:
        return object_rule((), rules, hint)
    pairs = f'{extra} ("," ws {extra}){{{max(min(low, high) - 1, 0)},{high - 1}}}'
    rules.shared("ws")
    return rules.add(hint, f'"{{" ws {pairs} ws "}}"' if low else f'"{{" ws ({pairs})? ws "}}"')


def _extra(schema: Mapping[str, Any], rules: Rules, hint: str, known: Mapping[str, Any]) -> str:
    """A rule for pairs beyond the listed properties; "" where there are none. Without any said, an object that lists some has no more."""
    arms = []
    patterns = schema.get("patternProperties")
    for pattern, value in patterns.items() if isinstance(patterns, Mapping) else ():
        if value is not False and (key := pattern_rule(pattern, rules)) is not None:
            arms.append(f'"\\"" {key} "\\":" ws {_named(schema_rule(value, rules, f"{hint}-value"), rules, f"{hint}-value")}')
    rest = schema.get("additionalProperties", not (known or arms or "properties" in schema))
    if rest is not False and not arms:
        names = schema.get("propertyNames")
        plain = text_except(known, rules, KEY_LIMIT) if known else text_rule(rules, 1, KEY_LIMIT)
        key = schema_rule({"type": "string", **names}, rules, f"{hint}-key") if isinstance(names, Mapping) and not known else plain
        arms.append(f'{key} ":" ws {_named(schema_rule(rest, rules, f"{hint}-value"), rules, f"{hint}-value")}')
    return rules.add(f"{hint}-pair", either(arms)) if arms else ""


def _named(rule: str, rules: Rules, hint: str) -> str:
    return rules.add(hint, rule) if len(rule) > LONG else rule


def _count(schema: Mapping[str, Any], key: str, default: int) -> int:
    value = schema.get(key)
    return max(0, int(value)) if isinstance(value, int | float) and not isinstance(value, bool) else default
