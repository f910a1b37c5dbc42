"""An offer as a grammar: a reply held to it thinks first, then calls one offered tool with fitting values, or answers."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tao.dialects.grammar import Rules, either, literal, object_rule, one_of, schema_rule, text_except
from tao.dialects.offer import Offer, Offered, Slot
from tao.toolset import parameters, required

THOUGHT_LIMIT = {"en": 140, "zh": 60}
KNOWS = {
    "en": ("I know the answer", "I now know the answer", "I have the answer"), "zh": ("我知道答案", "我现在知道答案", "我已经知道答案"),
}  # fmt: skip
"""How a thought begins after which no call makes sense; the first is how the examples say it."""
ANSWER_LIMIT = 600
VALUE_LIMIT = 80

Frame = Callable[[str, str], str]
"""Tool name and the rule of its arguments → the rule of a whole action, in one dialect's form."""


def reply_grammar(offer: Offer, frame: Frame, lang: str, lead: str = "", schema: Mapping[str, Any] | None = None) -> str:
    """GBNF for the next reply: `Thought: …`, then an action in the dialect's frame or `Final Answer: …`, JSON that fits the schema where there is one.

    Where both are open, a thought that says the answer is known leads to the answer alone. The end allows a little white space, since models like tokens that carry it.
    """
    rules = Rules()
    arms = [rules.add(f"call-{one.tool.name}", frame(one.tool.name, arguments(one, rules))) for one in offer.tools]
    called = len(arms)
    if offer.answer or not arms:
        arms.append(rules.add("answer", f'"Final Answer: " {_answer(schema, rules)}'))
    limit = THOUGHT_LIMIT.get(lang, THOUGHT_LIMIT["en"])
    thought = f"{literal(lead)} [^\\n]{{0,{limit}}}" if lead else f"[^\\n]{{1,{limit}}}"
    body = f'{thought} "\\n" {either(arms)}'
    if 0 < called < len(arms) and not lead:
        rest = rules.add("rest", f"[^\\n]{{0,{limit - 1}}}")
        knows = KNOWS.get(lang, KNOWS["en"])
        body = f'({either(map(literal, knows))} {rest} "\\n" {arms[-1]} | {_other_than(knows, rest)} "\\n" {either(arms)})'
    return rules.text(f'"Thought: " {body} [ \\n]{{0,3}}')


def _answer(schema: Mapping[str, Any] | None, rules: Rules) -> str:
    if schema is None:
        return f'[^\\n]{{1,{ANSWER_LIMIT}}} ("\\n" [^\\n]+)*'
    rules.within(schema)
    return schema_rule(schema, rules, "json")


def _other_than(beginnings: Iterable[str], rest: str) -> str:
    """A line of at least one character that begins with none of these; it may stop short of them."""
    nexts: dict[str, list[str]] = {}
    for text in beginnings:
        nexts.setdefault(text[0], []).append(text[1:])
    arms = [f"[^{''.join(nexts)}\\n] {rest}"]
    arms += [f"{literal(char)} {_other_than(ends, rest)}?" for char, ends in nexts.items() if all(ends)]
    return either(arms) if len(arms) > 1 else f"({arms[0]})"


def arguments(one: Offered, rules: Rules) -> str:
    """The rule for a tool's arguments as a JSON object."""
    if one.calls is not None:
        return one_of(json.dumps(args, ensure_ascii=False) for args in one.calls)
    schema = one.tool.parameters
    rules.within(schema)
    needed = required(one.tool)
    hint = f"{one.tool.name}-input"
    members = [
        (name, slot_rule(f"{one.tool.name}-{name}", part, one.slots.get(name, Slot()), rules), name in needed)
        for name, part in parameters(one.tool).items()
    ]
    return object_rule(members, rules, hint)


def slot_rule(hint: str, schema: object, slot: Slot, rules: Rules) -> str:
    """The rule for one value: of the known ones, arithmetic over known numbers, new text, or whatever the schema allows."""
    if slot.values is not None:
        values = [json.dumps(value, ensure_ascii=False) for value in slot.values]
        return rules.add(hint, one_of(values)) if values else schema_rule(schema, rules, hint)
    if slot.terms is not None:
        return _arithmetic(slot.terms, rules)
    if slot.used or slot.barred:
        return text_except(slot.used, rules, VALUE_LIMIT, slot.barred)
    return schema_rule(schema, rules, hint)


def _arithmetic(terms: tuple[str, ...], rules: Rules) -> str:
    rules.rules.setdefault("sp", '" "?')
    rules.rules.setdefault("op", "[-+*/]")
    term = rules.add("term", one_of(terms))
    factor = rules.add("factor", f'{term} | "(" {term} (sp op sp {term}){{1,3}} ")"')
    return rules.add("arithmetic", f'"\\"" {factor} (sp op sp {factor}){{1,4}} "\\""')
