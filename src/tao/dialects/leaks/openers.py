"""What opens native call markup, what wraps it, and what may stand between two calls."""

import re

from tao.dialects.clean import ZERO_WIDTH
from tao.dialects.later import later

_TAGS = (
    r"tool_calls?|tools_call|tool_use|tool_code|function_calls?|functioncall|TOOL_?CALLS?|toolcall|use_tool|use_mcp_tool"
    r"|call_tool"
    r"|execute_tool|tool_invocation|longcat_tool_call|start_function_call"
)
_PREFIX = r"(?:minimax:|seed:|antml:|steptml:|xai:|[|｜]DSML[|｜])?"
WRAPPER = rf"<{_PREFIX}(?:{_TAGS})(?:[ \t](?![^<>\n]{{0,60}}name[ \t]*=)[^<>\n]{{0,120}})?>"
MARK = (
    r"<(?:[|｜](?:tool[_▁ ]?calls?(?:[_▁ ]section)?(?:[_▁ ]?(?:begin|start))?|tool_calls_section_begin|tools_prefix"
    r"|python_tag|python_start|action_start"
    r"|plugin|interpreter|START_ACTION|function_call|functions?_calls?_start|tool_call:begin|tool_use|recipient)[|｜]>"
    r"|\|tool_call>)"
)
BRACKET = r"\[(?:TOOL_CALLS?|TOOL_REQUEST|TOOL_USE)\]"
DIRECT = (
    rf"<(?:{_PREFIX}(?:function_call|tool_call|tool_use|function|invoke|tool)(?:[ \t]*=|[ \t]+(?:name|tool_name)[ \t]*=)"
    rf"|function\([\w.\-]|{_PREFIX}invoke>"
    r"|(?:function|tool|tool_name|function_name)>(?=[^<>\n{]{1,100}</)|action>(?=\s{0,20}(?:<|\w)))"
)
HARMONY = r"<(?:\|channel\|>|\|start\|>assistant)"
WORDS = r"functools[ \t]?(?=\[)|✿FUNCTION✿|call:(?=[\w.\-]{1,80}\{)"
NAMED_SEP = r"function<[|｜]tool[_▁ ]sep[|｜]>"
_ANGLE = "|".join(part.removeprefix("<") for part in (WRAPPER, MARK, DIRECT, HARMONY))
OPENER = later(rf"<(?=[a-z][\w:]{{3}}|[|｜][a-z])(?:{_ANGLE})|{BRACKET}|{WORDS}|{NAMED_SEP}", re.IGNORECASE)
"""Where native markup may begin. Every branch starts with a fixed character, so a text is searched quickly."""

_BEGUN = later(
    rf"<(?P<word>[A-Za-z_]{{3,24}})$|<{_PREFIX}(?:tool|function|invoke)[\w:]{{0,30}}>?$"
    r"|<(?:tool|function|invoke)\w{0,20}[=( \t][^<>\n]{0,80}$"
    r"|<(?:function|tool|tool_name|function_name)>[^<>\n]{0,100}(?:</?\w{0,20})?$"
    r"|<[|｜](?:tool|function|python|action|channel|start)[^<>\n]{0,60}$|\[TOOL_?[A-Z_]{0,12}$|✿[A-Z]{0,8}$|functools ?$",
    re.IGNORECASE,
)
_WORDS = (
    "tool_call", "tool_use", "tool_code", "tools_call", "function", "invoke", "minimax", "steptml", "longcat_tool_call",
    "start_function_call",
)  # fmt: skip


def begun(text: str) -> int | None:
    """Where native markup begins at the end of a text that breaks off within it; None where none does."""
    found = _BEGUN.search(text, max(0, len(text) - 200))
    if found is None:
        return None
    word = (found["word"] or "").lower()
    sure = not word or any(known.startswith(word) or word.startswith(known) for known in _WORDS)
    return found.start() if sure else None


def breaks_off(text: str) -> bool:
    """Whether a text ends in the beginning of native markup."""
    return begun(text) is not None


SOUGHT = {
    "<": rf"(?:(?=[a-z][\w:]{{3}}|[|｜][a-z])(?:{_ANGLE})|(?<=function<)[|｜]tool[_▁ ]sep[|｜]>)",
    "[": rf"(?:{BRACKET.removeprefix(chr(92) + '[')}|(?<=functools\[)|(?<=functools \[))",
    "✿": "FUNCTION✿",
    ":": r"(?<=call:)(?=[\w.\-]{1,80}\{)",
}
"""The same for searching, by the mark that is looked for: words are found by the mark behind them."""
SEEK = later("[<\\[✿:](?:" + "|".join(f"(?<={re.escape(mark)}){rest}" for mark, rest in SOUGHT.items()) + ")", re.IGNORECASE)
_WORD = later(r"(?:functools ?|call|function)$", re.IGNORECASE)


def opener_from(text: str, mark: int) -> int:
    """Where the opener begins that `SEEK` found at `mark`."""
    word = _WORD.search(text, max(0, mark - 10), mark)
    return word.start() if word and not OPENER.match(text, mark) else mark


def seek(text: str, start: int, end: int | None = None) -> int | None:
    """Where the next native markup may begin."""
    found = SEEK.search(text, start, len(text) if end is None else end)
    return opener_from(text, found.start()) if found else None


SKIP = later(
    rf"(?:[\s{ZERO_WIDTH}]{{1,200}}+|<server_name>[^<>\n]{{0,120}}</server_name>|{WRAPPER}|{MARK}|{BRACKET}|{NAMED_SEP}|<parallel_function_calls>|functools[ \t]?(?=\[)"
    rf"|function(?=[ \t]*<[|｜]tool)|<[|｜]tool[_▁ ]sep[|｜]>"
    r"|<\|tool_call:name\|>|[\w\-]{1,60}<\|tool_call:name\|>|```\w{0,12}[ \t]*\n?|<json>)*+",
    re.IGNORECASE,
)
"""What may stand between an opener and the call itself."""

CLOSER = later(
    rf"(?:[\s{ZERO_WIDTH}]{{1,200}}+|[;,\]]|</{_PREFIX}[\w:.\-]{{1,40}}>|<[|｜]?/[\w|｜]{{1,40}}>"
    rf"|<[|｜](?:tool[_▁ ]?calls?[_▁ ](?:section[_▁ ])?end|tool_calls_section_end|tools_suffix|python_end"
    r"|action_end|END_ACTION|eot_id|eom_id|call|end|im_end|tool_call_end|tool_call:end|/tool_call|return|stop)[|｜]>"
    r"|<tool_call\|>|<end_function_call>|```(?!\w)"
    r"|\[END_TOOL_REQUEST\]|\[/TOOL_CALLS?\]|</s>|<escape>|\})*+",
    re.IGNORECASE,
)
"""What may stand between a call and the next one."""

RESULT = later(
    r"<(?:\w{1,20}:)?(?:tool_response|tool_result|function_results?|tool_output|observation|result)s?\b"
    r"|<[|｜](?:tool_response|observation|tool[_▁ ]outputs?[_▁ ]begin|im_start|start_header_id|user)"
    r"|\[TOOL_RESULTS?\]|✿RESULT✿|(?:^|\n)[ \t#*]*(?:Observation|[观觀観]察|Question|User)\b[ \t\d*]*[:：]",
    re.IGNORECASE,
)
"""A result that the model made up: nothing behind it is believed."""
