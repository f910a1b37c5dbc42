"""The front door of reading: any reply, whatever dialect was asked for, as the one meaning that the policy gives it.

Items are taken from the top: a labelled action, a call in native markup, a labelled answer. The first that decides wins.
Two harms rule: doing what was not asked for, and showing what is no answer. Where a reading is not nearly certain, the
model is asked again.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tao.dialects import wording
from tao.dialects.names import Tools, is_finish, is_null
from tao.dialects.scan import judge, thought_in
from tao.dialects.state import Judged
from tao.dialects.wishes import Acts, Fails, Says, Wish, outcome
from tao.events import Decided, Misread
from tao.messages import Call, ToolCall, ToolSpec, doubled


def read(text: str, tools: Sequence[ToolSpec], *, step: int = 1, lang: str = "en") -> Decided | Misread:
    """What a reply means: calls to make, an answer, or a misread that says what was wrong with it.

    `step` is the number of the reply in its run; calls get the ids "step.1", "step.2" … . Never raises.
    """
    return _event(judge(text, Tools(tools)), tools, step, lang)


def read_calls(
    calls: Sequence[ToolCall], text: str, tools: Sequence[ToolSpec], *, step: int = 1, lang: str = "en"
) -> Decided | Misread:
    """What a reply with structured calls means; `text` beside them is the thought. Without calls the text is read.

    Arguments come as text, perhaps damaged, perhaps empty. Ids are ours; the provider's are kept beside them, also where
    they are missing or doubled. A call with a finishing name is the answer. A tool that there is not, beside others that
    there are, stays a call: whoever carries the calls out says so in its place, and the others are done.
    """
    if not calls:
        return read(text, tools, step=step, lang=lang)
    index = Tools(tools)
    wishes = [_wish(call.name, call.arguments) for call in calls]
    strangers = _strangers(wishes, index)
    result = outcome(wishes, Tools([*tools, *strangers]) if strangers else index)
    decided = result if isinstance(result, Acts | Says | Fails) else Fails("no_name", calls[0].name)
    return _event(Judged(decided, thought_in(text, index)), tools, step, lang, [call.id for call in calls])


def _strangers(wishes: Sequence[Wish], index: Tools) -> list[ToolSpec]:
    """What stands for tools that there are not, where some of the calls are of tools that there are."""
    if index.exact.keys() >= {wish.name for wish in wishes}:
        return []  # as mostly
    known = [index.find(wish.name) is not None for wish in wishes]
    if all(known):
        return []
    strange = [wish.name for wish, one in zip(wishes, known, strict=True) if not (one or is_finish(wish.name, index) or is_null(wish.name, index))]
    named = all(re.fullmatch(r"[\w.-]{1,64}", name) for name in strange)
    return [ToolSpec(name, "", {"type": "object"}) for name in dict.fromkeys(strange)] if any(known) and named else []


def _wish(name: str, arguments: Any) -> Wish:
    """A call as a server sent it: its arguments are JSON in a text, or (some servers) the object itself."""
    if isinstance(arguments, str):
        return Wish(name, arguments, "text")
    return Wish(name, arguments if isinstance(arguments, Mapping) else None, "json")


def _event(judged: Judged, tools: Sequence[ToolSpec], step: int, lang: str, ids: Sequence[str | None] = ()) -> Decided | Misread:
    result = judged.outcome
    if isinstance(result, Acts):
        for tool, args in result.calls:
            if (key := doubled(args)) is not None:
                result = Fails("double_key", key, tool.name)
                break
    if isinstance(result, Acts):
        calls = tuple(
            Call(f"{step}.{number}", tool.name, args, ids[number - 1] if number <= len(ids) else None)
            for number, (tool, args) in enumerate(result.calls, 1)
        )
        return Decided(judged.thought, calls, None, judged.notes)
    if isinstance(result, Says):
        return Decided(judged.thought, (), result.answer, judged.notes)
    words = wording.detail(result.reason, lang, quote=result.quote, tool=result.tool, tools=tools)
    return Misread(result.reason, words, judged.thought)
