"""What a reply wishes for, before it is known whether that can be: calls by name, an answer, or nothing readable."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from tao.dialects.arguments import Args, Bad, from_list, from_text, from_value, from_wire, unquoted
from tao.dialects.clean import SPACE, unfence
from tao.dialects.convert import missing, parameters
from tao.dialects.forms import Listed
from tao.dialects.later import later
from tao.dialects.names import Tools, is_finish, is_null
from tao.dialects.repair import Fault, read_json
from tao.messages import ToolSpec

ANSWER_KEYS = ("answer", "final_answer", "output", "result", "response", "finalanswer", "答案", "回答", "最终答案")
_NAMED = later(
    r"(?:(?:final_?answer|answer|output|result|response|答案)[ \t]{0,4}[=＝](?!=)"
    r"|(?:final_?answer|answer|答案)[ \t]{0,4}[:：])[ \t]{0,4}",
    re.IGNORECASE,
)
_OBJECT = later(r"[{｛]\s{0,40}(?:$|\\?[\"'“]|[A-Za-z_]\w{0,60}\s{0,9}[:：])")


@dataclass(frozen=True, slots=True)
class Wish:
    """One call as written. `form` says what `given` is: a JSON value, named texts, call arguments, text, or nothing.

    `react` marks the forms that are written one after the other (`action`/`action_input`), of which only the first counts;
    `open` a markup whose end is missing, so that more may have been meant to come; `double` is a key of the call itself that
    stands there twice with different values.
    """

    name: str
    given: Any = None
    form: Literal["json", "wire", "list", "text", "none"] = "none"
    react: bool = False
    mended: bool = False
    thought: str = ""
    open: bool = False
    double: str | None = None


@dataclass(frozen=True, slots=True)
class Acts:
    """Calls that can be made, in order."""

    calls: tuple[tuple[ToolSpec, Mapping[str, Any]], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Says:
    """An answer."""

    answer: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fails:
    """Nothing that may be done or shown: `reason` is a fixed word, `quote` what could not be read, `tool` whose it was."""

    reason: str
    quote: str = ""
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Nothing:
    """It says that no action is to be taken; what follows may still be an answer."""


Outcome = Acts | Says | Fails | Nothing


def opened(wished: list[Wish], *, cut: bool) -> list[Wish]:
    """The same wishes; where their text broke off, more may have been meant to come."""
    return [replace(wish, open=True) for wish in wished] if cut else wished


def arguments_of(tool: ToolSpec, wish: Wish) -> Args | Bad:
    """The arguments of a wish for this tool."""
    if wish.form == "json":
        return from_value(tool, wish.given)
    if wish.form == "wire" and wish.given:
        return from_wire(tool, wish.given)
    if wish.form == "text":
        return from_text(tool, wish.given)
    shape = parameters(tool)
    if wish.form == "list" and (wish.given.values or wish.given.named):
        return from_list(shape, wish.given) or Bad("bare_input", wish.name)
    return Bad("no_input") if shape.required else Args({})


def outcome(wishes: Sequence[Wish], tools: Tools, *, phrase: bool = False) -> Outcome:
    """What the wishes come to. With `phrase` a name may be a phrase around a known name (an action line)."""
    calls: list[tuple[ToolSpec, Mapping[str, Any]]] = []
    notes: list[str] = []
    for wish in wishes[:1] if wishes and wishes[0].react else wishes:
        tool = tools.find(wish.name)
        if wish.double is not None and (tool is not None or is_finish(wish.name, tools)):
            return Fails("double_key", wish.double, wish.name)
        if tool is None:
            if is_finish(wish.name, tools):
                if calls:
                    break
                return answer_of(wish)
            if is_null(wish.name, tools):
                continue
            tool = tools.resolve(wish.name) if phrase else None
        if tool is None:
            return Fails("unknown_tool", wish.name.strip(SPACE))
        args = arguments_of(tool, wish)
        if isinstance(args, Bad):
            return Fails(args.reason, args.quote, tool.name)
        if wish.open and any(name not in args.values for name in parameters(tool).required):
            return Fails("truncated", wish.name, tool.name)
        calls.append((tool, args.values))
        notes += ["json_repaired"] * (args.mended or wish.mended) + ["name_resolved"] * (tool.name != wish.name)
    return Acts(tuple(calls), tuple(dict.fromkeys(notes))) if calls else Nothing()


def answer_of(wish: Wish) -> Outcome:
    """The answer that a finishing call carries."""
    given = wish.given
    if wish.form == "list" and isinstance(given, Listed):
        given = given.named or (given.values[0] if len(given.values) == 1 else None)
    if isinstance(given, str):
        return finish(given) if wish.form == "text" else said(given, wish.name)
    return said(value_text(given), wish.name)


def said(text: str, name: str) -> Outcome:
    """The text as the answer; none is a fault."""
    return Says(text.strip(SPACE)) if text.strip(SPACE) else Fails("no_answer", name)


def value_text(value: Any) -> str:
    """The answer in a JSON value: the one text under an answer's key, or all of it as text."""
    if value is None or value in ("", {}, []):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        lower = {str(key).lower().replace(" ", "_"): item for key, item in value.items()}
        found = [lower[key] for key in ANSWER_KEYS if key in lower]
        if len(found) == 1 or (found and isinstance(found[0], str)):
            return value_text(found[0])
        if "return_type" in lower:  # how it ends, not what: ToolBench
            return ""
        if len(value) == 1 and isinstance(only := next(iter(value.values())), str):
            return only
    return json.dumps(value, ensure_ascii=False)


def finish(text: str, *, name: str = "finish", sealed: bool = True, bracketed: bool = False) -> Outcome:
    """The answer in the input of a finishing action: JSON with one text, `answer=…`, a quoted text, or the text itself.

    `None` behind an input label says that there is no input; `finish[None]` answers "None", as `Final Answer: None` does.
    """
    text = text.strip(SPACE)
    inner = unfence(text).strip(SPACE)
    if _OBJECT.match(inner):
        found = read_json(inner, sealed=sealed)
        if isinstance(found, Fault):
            return Fails("truncated" if found.kind == "truncated" else "bad_json", inner, name)
        return said(value_text(found.value), name)
    if not text or text in {"{}", "[]"} or (missing(text) and not bracketed):
        return Fails("no_answer", name)
    if named := _NAMED.match(text):
        text = text[named.end() :]
    return said(unquoted(text), name)
