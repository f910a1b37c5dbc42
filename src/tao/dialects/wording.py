"""What is said to a model whose reply could not be read: the correction, in the run's language."""

from collections.abc import Sequence

from tao.messages import ToolSpec
from tao.toolset import to_name

REASONS = {
    "empty": {
        "en": "The reply was empty.",
        "zh": "回复是空的。",
    },
    "no_step": {
        "en": "The reply holds neither an action nor a final answer: {quote}",
        "zh": "回复里既没有行动，也没有最终答案：{quote}",
    },
    "announced": {
        "en": "The reply only announces the use of a tool and does not call it: {quote}",
        "zh": "回复只说要使用工具，却没有真正调用：{quote}",
    },
    "unknown_tool": {
        "en": "There is no tool named {quote}. The tools are: {tools}.",
        "zh": "没有名为 {quote} 的工具。可用的工具有：{tools}。",
    },
    "unnamed": {
        "en": "The action does not name a tool. The tools are: {tools}.",
        "zh": "行动没有写明工具。可用的工具有：{tools}。",
    },
    "no_tool": {
        "en": "The reply gives an input but does not name a tool: {quote} The tools are: {tools}.",
        "zh": "回复给出了输入，却没有写明工具：{quote} 可用的工具有：{tools}。",
    },
    "no_name": {
        "en": "The call does not name a tool: {quote} The tools are: {tools}.",
        "zh": "这个调用没有写明工具名：{quote} 可用的工具有：{tools}。",
    },
    "no_input": {
        "en": "The tool {tool} was called without its input. Its parameters are: {parameters}.",
        "zh": "调用工具 {tool} 时没有给出输入。它的参数有：{parameters}。",
    },
    "bare_input": {
        "en": "The tool {tool} needs a JSON object with the keys {parameters}, but got: {quote}",
        "zh": "工具 {tool} 需要一个 JSON 对象，键为 {parameters}，得到的却是：{quote}",
    },
    "bad_json": {
        "en": "The input is not valid JSON and could not be mended safely: {quote}",
        "zh": "输入不是有效的 JSON，也无法安全地修复：{quote}",
    },
    "double_key": {
        "en": "The call of {tool} gives the key {quote} twice, with different values, so nothing was executed. Give each key once.",
        "zh": "对 {tool} 的调用把键 {quote} 写了两次，值却不同，因此没有执行。每个键只写一次。",
    },
    "schema_echo": {
        "en": "The input of {tool} repeats the tool's description instead of giving values: {quote}",
        "zh": "{tool} 的输入照抄了工具说明，没有给出实际的值：{quote}",
    },
    "truncated": {
        "en": "The reply breaks off in the middle of an input, so nothing was executed: {quote}",
        "zh": "回复在输入中途断开，因此没有执行：{quote}",
    },
    "no_answer": {
        "en": "The run was to finish, but there is no answer behind the label.",
        "zh": "回复要结束任务，却没有写出答案。",
    },
}
"""Every reason a `Misread` can have, with its sentence in both languages."""

QUOTE_LENGTH = 160


def detail(reason: str, lang: str, *, quote: str = "", tool: str = "", tools: Sequence[ToolSpec] = ()) -> str:
    """The correction for one reason; unknown languages are spoken to in English."""
    zh = lang.lower().startswith("zh")
    spec = next((spec for spec in tools if spec.name == tool), None)
    properties = spec.parameters.get("properties") if spec else None
    keys = list(properties) if isinstance(properties, dict) else []
    comma = "、" if zh else ", "
    nothing = "无" if zh else "none"
    words = REASONS["unnamed" if reason == "unknown_tool" and not quote.strip() else reason]
    return words["zh" if zh else "en"].format(
        quote=quoted(quote, zh=zh),
        tool=quoted(tool, zh=zh),
        tools=comma.join(to_name(tools, quote)) or nothing,
        parameters=comma.join(map(str, keys)) or nothing,
    )


def quoted(text: str, *, zh: bool = False) -> str:
    """A text in quotes, on one line, its middle left out where it is long."""
    text = " ".join(text.split())
    if len(text) > QUOTE_LENGTH:
        text = f"{text[: QUOTE_LENGTH - 40]} … {text[-37:]}"
    return f"“{text}”" if zh else f'"{text}"'
