"""How many tokens the next call will take, from what this run has seen: the last usage, and the text that is new since.

No tokenizer and no network. A Chinese character counts as one unit and four Latin letters as one; how many tokens a unit
is for this model and these texts is learned from how the prompts of this run grew.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import ceil

from tao.events import Ended, Misread, Nudged, Observed, Replied
from tao.messages import Reply, Usage
from tao.run import NO_TOOLS, Run

FIRST_REPLY = 300
"""Tokens that a reply is taken to need before this run has seen one."""
PLAUSIBLE = (0.3, 3.0)
"""Tokens a unit, at least and at most: a prompt may also change in ways that we do not see."""


def size(text: str) -> float:
    """Units of a text: one a character from U+2E80 on (Chinese, Japanese, Korean), a quarter for any other."""
    if text.isascii():
        return len(text) / 4
    wide = sum(char > "\u2e7f" for char in text)
    return wide + (len(text) - wide) / 4


def ratio(run: Run) -> float:
    """Tokens a unit, as this run's prompts grew; before there are two, as its replies were long; 1 where neither is known."""
    tokens, units = 0.0, 0.0
    before: Usage | None = None
    added = 0.0
    for event in run.events:
        if isinstance(event, Replied):
            usage = event.reply.usage
            if before is not None and before.prompt is not None and usage.prompt is not None and usage.prompt > before.prompt and added:
                tokens, units = tokens + usage.prompt - before.prompt, units + added
            before, added = usage, size(said(event.reply))
        else:
            added += size(_told(event))
    if not units:
        known = [event.reply for event in run.all(Replied) if event.reply.usage.completion]
        tokens = sum((reply.usage.completion or 0) - (reply.usage.reasoning or 0) for reply in known)
        units = sum(map(size, map(said, known)))
    least, most = PLAUSIBLE
    return min(max(tokens / units, least), most) if units and tokens > 0 else 1.0


def coming(run: Run) -> Usage:
    """What the next call will take, about: the last prompt, its reply and the new text; a reply as long as the usual one."""
    replies = [event.reply.usage for event in run.all(Replied) if event.reply.usage.prompt is not None]
    lengths = [usage.completion for usage in replies if usage.completion is not None]
    completion = round(sum(lengths) / len(lengths)) if lengths else FIRST_REPLY
    if not replies:
        return Usage(ceil(_begun(run) * ratio(run)), completion, 0, 0)
    last = replies[-1]
    prompt = (last.prompt or 0) + (last.completion or 0) - (last.reasoning or 0) + round(_new(run) * ratio(run))
    return Usage(prompt, completion, min(last.cached or 0, prompt), min(last.reasoning or 0, completion))


def growth(run: Run) -> int:
    """By how many tokens the prompt has grown at most from one call to the next."""
    prompts = [event.reply.usage.prompt for event in run.all(Replied) if event.reply.usage.prompt is not None]
    return max((after - before for before, after in pairwise(prompts)), default=0)


def reckoned(run: Run) -> Iterator[tuple[Replied, Usage]]:
    """Every reply with its usage; where the server did not count, what it is taken to have been. A refusal of tools is none."""
    share = ratio(run)
    shown = _begun(run)
    for event in run.events:
        if isinstance(event, Replied) and event.reply.finish != NO_TOOLS:
            usage, units = event.reply.usage, size(said(event.reply))
            if usage.prompt is None:
                usage = replace(usage, prompt=round(shown * share))
            if usage.completion is None:
                usage = replace(usage, completion=round(units * share))
            yield event, usage
            shown += units
        else:
            shown += size(_told(event))


def asides(run: Run) -> Iterator[tuple[Replied, Usage]]:
    """Every reply that an observation (its summary) or a judge took, with its usage; where the server did not count, about what it was."""
    share, told = ratio(run), _begun(run)
    for event in run.events:
        told += size(said(event.reply)) if isinstance(event, Replied) else size(_told(event))
        match event:
            case Observed():
                replies, read = event.observation.replies, size(event.observation.full or event.observation.text)
            case Nudged() | Ended():
                replies, read = event.replies, told  # a judge reads what there is
            case _:
                continue
        for reply in replies:
            usage = reply.usage
            if usage.prompt is None:
                usage = replace(usage, prompt=round(read * share))
            if usage.completion is None:
                usage = replace(usage, completion=round(size(_told(event)) * share))
            yield Replied(reply, at=event.at), usage


def said(reply: Reply) -> str:
    """What a reply says, as far as it comes back in later prompts: its text and its calls."""
    return reply.text + "".join(call.name + call.arguments for call in reply.calls)


def _told(event: object) -> str:
    """What an event adds to the prompt, beside the reply itself."""
    match event:
        case Observed():
            return event.observation.text
        case Nudged():
            return event.text
        case Misread():
            return event.detail
        case _:
            return ""


def _new(run: Run) -> float:
    """Units of what happened since the last reply that was counted."""
    units = 0.0
    for event in reversed(run.events):
        if isinstance(event, Replied) and event.reply.usage.prompt is not None:
            break
        units += size(said(event.reply) if isinstance(event, Replied) else _told(event))
    return units


def _begun(run: Run) -> float:
    """Units that a prompt has from the start, as far as the run says: question, instructions, conversation, notes, tools."""
    asked = run.asked
    tools = "".join(f"{tool.name}{tool.description}{json.dumps(tool.parameters, ensure_ascii=False)}" for tool in asked.tools)
    texts = (asked.question, asked.instructions, tools, *run.notes, *(message.content for message in asked.history))
    return sum(map(size, texts))
