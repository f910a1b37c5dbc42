"""Label words of other forms (`Think:` `Act:`, `Tool:` `Tool Input:`, `工具：` `参数：`, `<action>`), for replies in which ours decide nothing.

They are common words, so they count only in a reply that begins with a label, and only where a step comes of it.
"""

import re

from tao.dialects.clean import SPACE
from tao.dialects.labels import fences, label_at
from tao.dialects.later import later

_OURS = {"observation": "Observation", "input": "Action Input", "action": "Action", "thought": "Thought", "final": "Final Answer", "same": ""}
_SPEAKER = r"(?:assistant|agent)[ \t]{1,3}"
_WORDS = {
    "observation": rf"(?:tool|act|function)[ _](?:output|result|response)s?|{_SPEAKER}observation|(?:工具|操作|执行|调用)(?:返回|输出)?的?(?:结果|输出)",
    "input": r"(?:(?:act|tool|function)[ _])?(?:input|arg(?:ument)?|param(?:eter)?)s?|(?:工具|操作|函数|调用)?的?(?:输入|参数)",
    "action": r"act|(?:tool|function)(?:[ _]name)?|(?:(?:调用|使用|选择)的?)?工具(?:名称?)?|操作|执行|调用",
    "thought": r"think|reasoning|推理|分析|思路",
    "final": rf"{_SPEAKER}response",
}
_NAMED = "|".join(f"(?P<{kind}>{words})" for kind, words in _WORDS.items())
_LABEL = later(
    rf"^[ \t]{{0,9}}(?P<bold>[*_`]{{0,3}})(?:(?:{_NAMED})(?=[ \t]{{0,3}}\d{{0,3}}[ \t*_`]{{0,5}}[:：])|(?P<same>{_SPEAKER}(?=thought|action|final)))",
    re.IGNORECASE | re.MULTILINE,
)


_TAG = later(r"<(?P<over>/?)(?:(?P<observation>observation)|(?P<input>action[ _]?input)|(?P<action>action)|(?P<thought>thought))>", re.IGNORECASE)


def ours(text: str) -> str | None:
    """The reply with our words for such labels, outside code fences; None where it has none or does not begin with a label."""
    start = len(text) - len(text.lstrip(SPACE))
    if not (_LABEL.match(text, start) or label_at(text, start)):
        return None
    kept = fences(text, start)
    pieces: list[str] = []
    done = 0
    for found in _LABEL.finditer(text, start):
        if not any(a <= found.start() < b for a, b in kept):
            pieces += [text[done : found.end("bold")], _OURS[str(found.lastgroup)]]
            done = found.end()
    return "".join(pieces) + text[done:] if pieces else None


def untagged(text: str) -> str | None:
    """The reply with labels for such tags (`<action>search[tea]</action>`), outside code fences; None where it does not begin with a tag."""
    if not text.lstrip(SPACE).startswith("<") or not _TAG.search(text):
        return None
    kept = fences(text, 0)

    def label(found: re.Match[str]) -> str:
        if any(a <= found.start() < b for a, b in kept):
            return found[0]
        return "\n" if found["over"] else f"\n{_OURS[str(found.lastgroup)]}: "

    return _TAG.sub(label, text)
