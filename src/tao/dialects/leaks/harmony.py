"""OpenAI's Harmony form: channels for thinking, calls and the answer (gpt-oss)."""

import re
from dataclasses import dataclass

from tao.dialects.later import later

HEADER = later(
    r"(?:<\|start\|>assistant)?(?P<role>[ \t]{0,4}to=[^\s<]{1,120})?[ \t]{0,4}<\|channel\|>[ \t]{0,4}(?P<channel>analysis"
    r"|commentary|final)?"
    r"(?P<more>[^<]{0,160})(?:<\|constrain\|>[^<]{0,40})?<\|message\|>",
    re.IGNORECASE,
)
END = later(r"<\|(?:end|call|return|start|channel)\|>")
_TO = later(r"to=([^\s<]{1,120})")
STRIPPED = later(r"\s{0,9}analysis(?=[A-Z\u4e00-\u9fff])")
_STRIPPED_FINAL = later(r"assistantfinal(?:<\|message\|>)?")
_STRIPPED_CALL = later(
    r"(?:assistant)?commentary[ \t]{0,4}to=([\w.\-\u4e00-\u9fff]{1,120})[ \t]{0,4}(?:<\|constrain\|>)?(?:json"
    r"|code)?(?:<\|message\|>)?\s{0,9}(?=\{)"
)


@dataclass(frozen=True, slots=True)
class Message:
    """One message: its channel, the recipient of a call, and where its content begins and ends; `end` is behind it."""

    channel: str
    recipient: str
    begin: int
    finish: int
    end: int


def message_at(text: str, start: int) -> Message | None:
    """The message whose header begins at `start`."""
    header = HEADER.match(text, start)
    if header is None:
        return None
    to = _TO.search(header["role"] or "") or _TO.search(header["more"] or "")
    closed = END.search(text, header.end())
    finish = closed.start() if closed else len(text)
    end = closed.end() if closed and closed[0] not in {"<|start|>", "<|channel|>"} else finish
    return Message((header["channel"] or "commentary").lower(), to[1] if to else "", header.end(), finish, end)


def stripped(text: str) -> Message | None:
    """A reply whose special tokens were stripped: `analysis…assistantfinal…` or `…commentary to=f json{…}`."""
    if not STRIPPED.match(text):
        return None
    if call := _STRIPPED_CALL.search(text):
        return Message("commentary", call[1], call.end(), len(text), len(text))
    if final := _STRIPPED_FINAL.search(text):
        return Message("final", "", final.end(), len(text), len(text))
    return None
