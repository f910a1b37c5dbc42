"""JSON that means a call: `{"action": …, "action_input": …}`, `{"name": …, "arguments": …}`, and what wraps them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tao.dialects.clean import SPACE
from tao.dialects.convert import parameters
from tao.dialects.names import Tools, is_finish, is_null
from tao.dialects.wishes import Wish
from tao.messages import Pairs

_NAMES = ("tool", "toolname", "name", "function", "functionname", "recipientname", "apiname", "command", "工具", "工具名", "工具名称")
_ACTIONS = ("action", "nextaction", "行动", "行動", "动作", "動作")
_INPUTS = (
    "actioninput", "toolinput", "input", "args", "arguments", "parameters", "params", "kwargs", "toolargs", "toolarguments",
    "toolparameters", "functionarguments", "functionargs", "actionargs", "actionarguments", "actionparameters",
    "行动输入", "行動輸入", "动作输入", "動作輸入", "工具输入", "工具参数", "输入", "輸入", "参数", "參數",
)  # fmt: skip
_CALLS = frozenset(("actioninput", "toolinput", "args", "arguments", "parameters", "toolargs", "toolarguments", "toolparameters"))
_WRAPPERS = (
    "toolcall", "toolcalls", "functioncall", "functioncalls", "function", "functions", "command", "ability", "tooluses", "calls", "actions",
)  # fmt: skip
_ASIDE = frozenset(("thought", "thoughts", "thinking", "reasoning", "speak", "id", "type", "index", "callid", "toolcallid", "思考"))
CALL_KEYS = frozenset((*_NAMES, *_ACTIONS, *_INPUTS, *_WRAPPERS, *_ASIDE))
"""Keys that the JSON of a call may begin with."""
_GIVEN = frozenset(_INPUTS)
_NAMED = _ASIDE | set(_NAMES)
_UNMISTAKABLE = frozenset(("actioninput", "toolinput", "行动输入", "动作输入"))
_CALL_ONLY = _NAMED | _GIVEN
_THOUGHTS = ("thought", "thoughts", "思考")
THOUGHTS = frozenset(("thought", "thoughts", "thinking", "reasoning", "思考"))
"""Keys whose values are thoughts, never an answer."""
MAX_WRAPS = 5


def bare_key(key: str) -> str:
    """A key without case, `_`, `-` and spaces."""
    return key.lower().replace("_", "").replace("-", "").replace(" ", "")


def wishes(value: Any, *, mended: bool = False, depth: int = 0) -> list[Wish] | None:
    """The calls that a JSON value means; None where it is no call at all, [] where it is one without a usable name."""
    found = _wishes(value, mended=mended, depth=depth)
    if found and isinstance(value, Pairs) and value.double is not None and bare_key(value.double) not in _ASIDE:
        return [replace(wish, double=value.double) for wish in found]
    return found


def _wishes(value: Any, *, mended: bool, depth: int) -> list[Wish] | None:
    if isinstance(value, list):
        found = [wishes(item, mended=mended, depth=depth) for item in value[:64] if isinstance(item, Mapping)]
        flat = [wish for group in found if group for wish in group]
        return flat or ([] if any(group == [] for group in found) else None)
    if not isinstance(value, Mapping) or depth > MAX_WRAPS:
        return None
    keys = {bare_key(str(key)): item for key, item in value.items()}
    thought = next((text for key in _THOUGHTS if key in keys and (text := _text(keys[key]))), "")
    for key in _ACTIONS:
        if key in keys:
            return _action(keys[key], keys, thought, mended=mended, depth=depth)
    for wrapper in _WRAPPERS:
        if wrapper not in keys:
            continue
        inner = keys[wrapper]
        if inner == [] and wrapper in {"toolcalls", "functioncalls"}:
            return []
        found_inner = wishes(inner, mended=mended, depth=depth + 1) if isinstance(inner, Mapping | list) and inner else None
        if found_inner is not None:
            return found_inner
    if _GIVEN.isdisjoint(keys) and not keys.keys() <= _NAMED:
        return None
    for key in _NAMES:
        if isinstance(name := keys.get(key), str) and name.strip(SPACE):
            return [_wish(name, keys, thought, react=key == "tool", mended=mended)]
    return None if _UNMISTAKABLE.isdisjoint(keys) and (_CALLS.isdisjoint(keys) or not keys.keys() <= _CALL_ONLY) else []


def _action(action: Any, keys: Mapping[str, Any], thought: str, *, mended: bool, depth: int) -> list[Wish]:
    if isinstance(action, str):
        return [_wish(action, keys, thought, react=True, mended=mended)]
    if action is None:
        return [Wish("None", react=True, thought=thought)]
    if isinstance(action, Mapping | list) and _GIVEN.isdisjoint(keys):
        return wishes(action, mended=mended, depth=depth + 1) or []
    return []


def _wish(name: str, keys: Mapping[str, Any], thought: str, *, react: bool, mended: bool) -> Wish:
    given = next((keys[key] for key in _INPUTS if key in keys), None)
    return Wish(name, given, "json", react, mended, thought)


def flat(value: Any, tools: Tools, *, mended: bool = False) -> Wish | None:
    """`{"tool": "find", "what": "x"}`: the arguments stand beside the name, where all are the tool's own and none is lacking."""
    keys = {bare_key(str(key)): str(key) for key in value} if isinstance(value, Mapping) else {}
    named = next((keys[key] for key in (*_ACTIONS, "tool", "toolname", "工具", "command") if key in keys), None)
    tool = tools.find(value[named]) if named is not None and isinstance(value[named], str) else None
    if tool is None:
        return None
    given = {str(key): item for key, item in value.items() if key != named and bare_key(str(key)) not in _ASIDE}
    shape = parameters(tool)
    if not given or not given.keys() <= shape.schemas.keys() or any(name not in given for name in shape.required):
        return None
    thought = next((_text(value[keys[key]]) for key in _THOUGHTS if key in keys), "")
    return Wish(tool.name, given, "json", react=True, mended=mended, thought=thought)


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        value = value.get("text", "")
    return value.strip(SPACE) if isinstance(value, str) else ""


def answer_in(value: Any) -> str | None:
    """The answer of a JSON reply that has a thought or an empty action beside it, or is under `final_answer`."""
    if not isinstance(value, Mapping):
        return None
    keys = {bare_key(str(key)): item for key, item in value.items()}
    plain = next((keys[key] for key in ("finalanswer", "answer", "response", "最终答案") if isinstance(keys.get(key), str)), None)
    beside = keys.keys() & (_ASIDE | {"action", "actioninput", "tool", "finalanswer", "最终答案"})
    rest = keys.keys() - _ASIDE - {"action", "actioninput", "tool", "args", "finalanswer", "answer", "response", "最终答案"}
    return plain if plain and beside and not rest else None


def certain(wish: Wish, tools: Tools, *, alone: bool = True) -> bool:
    """Whether a call without a label is one: a known tool's own name, or a finishing or null action with its keys.

    A bare name without an input counts only where the JSON stands alone.
    """
    if tools.find(wish.name):
        return alone or wish.react or wish.given is not None
    return (is_finish(wish.name, tools) and wish.given is not None) or (wish.react and is_null(wish.name, tools))
