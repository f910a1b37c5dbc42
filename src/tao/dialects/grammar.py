"""JSON schema → GBNF, the grammar language of llama.cpp: a reply held to it cannot carry arguments that do not fit.

A grammar must end where a model's own tokens end: `"}` and a newline are often one token, and a grammar that closes
right after the brace forbids it. So white space is allowed wherever a common token may carry some.
GBNF itself: the grammars README of ggml-org/llama.cpp.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from re import _constants as sre  # the parse tree of a pattern; no public module gives it
from re import _parser as sre_parse
from typing import Any

STRING_LIMIT = 400
ITEMS_LIMIT = 12
DIGITS_LIMIT = 15
PLAIN = r'[^"\\\x00-\x1F\x7F]'
ESCAPE = r'"\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4})'
FORMATS = {
    "date": '[0-9]{4} "-" ("0" [1-9] | "1" [0-2]) "-" ("0" [1-9] | [12] [0-9] | "3" [01])',
    "time": '([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] (":" [0-5] [0-9] ("." [0-9]{1,6})?)? ("Z" | [+-] [0-9]{2} ":" [0-9]{2})?',
    "uuid": '[0-9a-f]{8} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{12}',
    "email": '[A-Za-z0-9._%+-]{1,64} "@" [A-Za-z0-9-]{1,63} ("." [A-Za-z0-9-]{1,63}){1,4}',
    "ipv4": '[0-9]{1,3} "." [0-9]{1,3} "." [0-9]{1,3} "." [0-9]{1,3}',
}
FORMATS["date-time"] = f'{FORMATS["date"]} [T ] {FORMATS["time"]}'


class Rules:
    """The rules of one grammar; equal bodies share a name."""

    def __init__(self, definitions: Mapping[str, Any] | None = None) -> None:
        self.rules: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.definitions = definitions or {}

    def add(self, hint: str, body: str) -> str:
        """Give the body a name and return it."""
        if body not in self.names:
            base = re.sub(r"[^a-z0-9]+", "-", hint.lower()).strip("-") or "rule"
            name, count = base, 2
            while name in self.rules:
                name, count = f"{base}-{count}", count + 1
            self.rules[name], self.names[body] = body, name
        return self.names[body]

    def text(self, root: str) -> str:
        """The whole grammar."""
        return "\n".join([f"root ::= {root}", *(f"{name} ::= {body}" for name, body in self.rules.items())]) + "\n"


def literal(text: str) -> str:
    """A GBNF terminal for exactly this text."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return f'"{escaped}"'


def json_literal(value: Any) -> str:
    """A terminal for this value written as JSON."""
    return literal(json.dumps(value, ensure_ascii=False))


def either(options: Iterable[str]) -> str:
    """One of these."""
    arms = list(dict.fromkeys(options))
    return arms[0] if len(arms) == 1 else f"({' | '.join(arms)})"


def schema_rule(schema: Any, rules: Rules, hint: str = "value") -> str:
    """The name or body of a rule for JSON values that fit the schema."""
    if not isinstance(schema, Mapping) or not schema:
        return any_value(rules)
    if "$ref" in schema:
        return _reference(str(schema["$ref"]), rules)
    if "const" in schema:
        return json_literal(schema["const"])
    if "enum" in schema:
        return either(json_literal(value) for value in schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return either(schema_rule(arm, rules, f"{hint}-{n}") for n, arm in enumerate(schema[key], 1))
    if "allOf" in schema:
        return schema_rule(_merged(schema), rules, hint)
    kind = schema.get("type")
    if isinstance(kind, list):
        return either(schema_rule({**schema, "type": arm}, rules, hint) for arm in kind)
    if kind is None:
        kind = "object" if "properties" in schema else "array" if "items" in schema else None
    writer = {
        "string": _string, "integer": _integer, "number": _number, "boolean": lambda *_: '("true" | "false")',
        "null": lambda *_: '"null"', "array": _array, "object": _object,
    }.get(str(kind))  # fmt: skip
    return writer(schema, rules, hint) if writer else any_value(rules)


def any_value(rules: Rules) -> str:
    """A rule for any JSON value."""
    if "any" not in rules.rules:
        rules.rules["any"] = ""  # the name must exist before the body refers to it
        text = _text(rules, 0, STRING_LIMIT)
        pair = f'{text} ":" ws any'
        rules.rules["any"] = (
            f'{text} | {_number({}, rules, "")} | "true" | "false" | "null"'
            f' | "{{" ws ({pair} ("," ws {pair}){{0,{ITEMS_LIMIT}}})? ws "}}"'
            f' | "[" ws (any ("," ws any){{0,{ITEMS_LIMIT}}})? ws "]"'
        )
        rules.rules.setdefault("ws", "[ \\n]?")
    return "any"


def object_rule(members: Sequence[tuple[str, str, bool]], rules: Rules, hint: str) -> str:
    """A JSON object from `(key, rule of its value, required)`, keys in this order, any optional one left out."""
    rules.rules.setdefault("ws", "[ \\n]?")
    if not members:
        return '"{" ws "}"'
    pairs = [f'{json_literal(key)} ":" ws {value}' for key, value, _ in members]
    first = next((n for n, member in enumerate(members) if member[2]), None)
    if first is None:
        return f'"{{" ws ({either(_tails(members, pairs, rules, hint))})? ws "}}"'
    head = "".join(f'({pair} "," ws)? ' for pair in pairs[:first])
    tail = "".join(
        f' "," ws {pair}' if member[2] else f' ("," ws {pair})?'
        for member, pair in zip(members[first + 1 :], pairs[first + 1 :], strict=True)
    )
    return rules.add(hint, f'"{{" ws {head}{pairs[first]}{tail} ws "}}"')


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
    for text in barred:
        if text and not set(text) & {'"', "\\"}:
            node = tree
            for char in text.lower()[:-1]:
                node = node.setdefault(char, {})
            node[text[-1].lower()] = None
    return f'"\\"" {_leaving(tree, rules, limit)} "\\""' if tree else _text(rules, 1, limit)


def _leaving(node: dict[str, Any], rules: Rules, limit: int) -> str:
    cased = {first: _in_class(first) + (_in_class(first.upper()) if len(first.upper()) == 1 and first.upper() != first else "") for first in node if first}
    options = [f'[^"\\\\\\x00-\\x1F\\x7F{"".join(cased.values())}] {_char(rules)}{{0,{limit}}}']
    for first, below in node.items():
        if first and below is not None:
            rest = _leaving(below, rules, limit)
            options.append(f"[{cased[first]}] {rest if '' in below else f'{rest}?'}")
    return rules.add("new", " | ".join(options))


def _in_class(char: str) -> str:
    return "\\" + char if char in "\\]^-[" else char


def _char(rules: Rules) -> str:
    rules.rules.setdefault("char", f"{PLAIN} | {ESCAPE}")
    return "char"


def _text(rules: Rules, low: int, high: int) -> str:
    return rules.add("text", f'"\\"" {_char(rules)}{{{low},{high}}} "\\""')  # a rule of its own: a repeat within a repeat multiplies


def _string(schema: Mapping[str, Any], rules: Rules, hint: str) -> str:
    if schema.get("format") in FORMATS:
        return rules.add(str(schema["format"]), f'"\\"" {FORMATS[str(schema["format"])]} "\\""')
    if isinstance(schema.get("pattern"), str):
        body = pattern_rule(schema["pattern"])
        if body is not None:
            return rules.add(f"{hint}-pattern", f'"\\"" {body} "\\""')
    low = int(schema.get("minLength", 0))
    return _text(rules, low, max(low, min(int(schema.get("maxLength", STRING_LIMIT)), STRING_LIMIT)))


def _bounds(schema: Mapping[str, Any]) -> tuple[float | None, float | None]:
    low, high = schema.get("minimum"), schema.get("maximum")
    if "exclusiveMinimum" in schema and not isinstance(schema["exclusiveMinimum"], bool):
        low = schema["exclusiveMinimum"] + 1
    if "exclusiveMaximum" in schema and not isinstance(schema["exclusiveMaximum"], bool):
        high = schema["exclusiveMaximum"] - 1
    return low, high


def _integer(schema: Mapping[str, Any], rules: Rules, hint: str) -> str:
    low, high = _bounds(schema)
    if low is not None and high is not None and high - low <= 60:
        return rules.add(f"{hint}-range", either(literal(str(n)) for n in range(int(low), int(high) + 1)))
    sign = "" if low is not None and low >= 0 else '"-"? '
    digits = len(str(int(high))) if high is not None and high >= 0 else DIGITS_LIMIT
    zero = '[1-9]' if low is not None and low >= 1 else None
    more = f" [0-9]{{0,{digits - 1}}}" if digits > 1 else ""
    return f"{sign}{zero}{more}" if zero else f'{sign}("0" | [1-9]{more})'


def _number(schema: Mapping[str, Any], rules: Rules, hint: str) -> str:
    low, _ = _bounds(schema)
    sign = "" if low is not None and low >= 0 else '"-"? '
    return rules.add("number", f'{sign}("0" | [1-9] [0-9]{{0,{DIGITS_LIMIT}}}) ("." [0-9]{{1,{DIGITS_LIMIT}}})?')


def _array(schema: Mapping[str, Any], rules: Rules, hint: str) -> str:
    rules.rules.setdefault("ws", "[ \\n]?")
    fixed = schema.get("prefixItems")
    if isinstance(fixed, list) and fixed:
        items = ' "," ws '.join(schema_rule(item, rules, f"{hint}-{n}") for n, item in enumerate(fixed, 1))
        return f'"[" ws {items} ws "]"'
    item = rules.add(f"{hint}-item", schema_rule(schema.get("items", {}), rules, f"{hint}-item"))
    low = int(schema.get("minItems", 0))
    high = max(low, min(int(schema.get("maxItems", ITEMS_LIMIT)), ITEMS_LIMIT))
    if high == 0:
        return '"[" ws "]"'
    more = f'{item} ("," ws {item}){{{max(low - 1, 0)},{high - 1}}}'
    return f'"[" ws {more} ws "]"' if low else f'"[" ws ({more})? ws "]"'


def _object(schema: Mapping[str, Any], rules: Rules, hint: str) -> str:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        extra = schema.get("additionalProperties")
        if extra is False or (properties == {} and extra is None):
            return object_rule((), rules, hint)
        value = schema_rule(extra if isinstance(extra, Mapping) else {}, rules, f"{hint}-value")
        rules.rules.setdefault("ws", "[ \\n]?")
        pair = f'{_text(rules, 1, 60)} ":" ws {value}'
        return rules.add(hint, f'"{{" ws ({pair} ("," ws {pair}){{0,{ITEMS_LIMIT}}})? ws "}}"')
    required = set(schema.get("required", ()))
    members = [(key, schema_rule(value, rules, f"{hint}-{key}"), key in required) for key, value in properties.items()]
    return object_rule(members, rules, hint)


def _tails(members: Sequence[tuple[str, str, bool]], pairs: Sequence[str], rules: Rules, hint: str) -> list[str]:
    """All-optional members: start with any of them, go on with any later ones."""
    tails = []
    for start in range(len(pairs)):
        rest = "".join(f' ("," ws {pair})?' for pair in pairs[start + 1 :])
        tails.append(rules.add(f"{hint}-{members[start][0]}-first", f"{pairs[start]}{rest}"))
    return tails


def _reference(ref: str, rules: Rules) -> str:
    key = ref.rsplit("/", 1)[-1]
    if key not in rules.definitions:
        return any_value(rules)
    name = "def-" + (re.sub(r"[^a-z0-9]+", "-", key.lower()).strip("-") or str(list(rules.definitions).index(key)))
    if name not in rules.rules:
        rules.rules[name] = ""  # may refer to itself
        rules.rules[name] = schema_rule(rules.definitions[key], rules, name)
    return name


def _merged(schema: Mapping[str, Any]) -> dict[str, Any]:
    merged = {key: value for key, value in schema.items() if key != "allOf"}
    for part in schema["allOf"]:
        for key, value in part.items():
            if key == "properties":
                merged["properties"] = {**merged.get("properties", {}), **value}
            elif key == "required":
                merged["required"] = [*merged.get("required", ()), *value]
            else:
                merged[key] = value
    return merged


def pattern_rule(pattern: str) -> str | None:
    """A GBNF body for a regular expression; None where it uses what a grammar cannot say (look-around, back references)."""
    try:
        return _sequence(sre_parse.parse(pattern.removeprefix("^").removesuffix("$")))
    except (re.error, _Unsayable):
        return None


class _Unsayable(Exception):
    """The pattern uses something that GBNF has no words for."""


_CATEGORIES = {
    sre.CATEGORY_DIGIT: "0-9", sre.CATEGORY_WORD: "0-9A-Za-z_", sre.CATEGORY_SPACE: " ",
}  # fmt: skip


def _sequence(tree: Iterable[Any]) -> str:
    return " ".join(_token(op, value) for op, value in tree) or '""'


def _token(op: Any, value: Any) -> str:
    if op is sre.LITERAL:
        return literal(json.dumps(chr(value), ensure_ascii=False)[1:-1])
    if op is sre.ANY:
        return PLAIN
    if op is sre.IN:
        return _class(value)
    if op is sre.BRANCH:
        return either(_sequence(arm) for arm in value[1])
    if op is sre.SUBPATTERN:
        return f"({_sequence(value[-1])})"
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        low, high, body = value
        top = min(int(high), max(int(low), 60)) if high is not sre.MAXREPEAT else max(int(low), 60)
        return f"({_sequence(body)}){{{int(low)},{top}}}"
    if op is sre.AT:
        return '""'
    raise _Unsayable(op)


def _class(items: Iterable[Any]) -> str:
    body, negated = "", False
    for op, value in items:
        if op is sre.NEGATE:
            negated = True
        elif op is sre.LITERAL:
            body += _in_class(chr(value))
        elif op is sre.RANGE:
            body += f"{_in_class(chr(value[0]))}-{_in_class(chr(value[1]))}"
        elif op is sre.CATEGORY and value in _CATEGORIES:
            body += _CATEGORIES[value]
        else:
            raise _Unsayable(op)
    return f'[^"\\\\\\x00-\\x1F{body}]' if negated else f"[{body}]"
