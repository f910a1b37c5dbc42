"""The forms in which models write calls, each as a function from calls to text.

`TYPED` forms carry JSON or Python values. `TAGGED` ones carry bare text, for which the schema says what it becomes.
`ONE` forms hold a single call; of these, `ONE_TAGGED` carry bare text.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

Wish = tuple[str, dict[str, Any]]
Form = Callable[[Sequence[Wish]], str]


def js(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def named(wishes: Sequence[Wish], name: str = "name", args: str = "arguments") -> list[dict[str, Any]]:
    return [{name: tool, args: given} for tool, given in wishes]


def each(write: Callable[[str, dict[str, Any]], str], before: str = "", after: str = "", between: str = "\n") -> Form:
    """A form that writes the calls one after the other."""
    return lambda wishes: before + between.join(write(tool, args) for tool, args in wishes) + after


def python(tool: str, args: dict[str, Any]) -> str:
    return f"{tool}({', '.join(f'{key}={value!r}' for key, value in args.items())})"


def bare(value: Any) -> str:
    """A value in tags: text as it is, everything else as JSON."""
    return value if isinstance(value, str) else js(value)


def tagged(pair: Callable[[str, str], str]) -> Callable[[dict[str, Any]], str]:
    return lambda args: "\n".join(pair(key, bare(value)) for key, value in args.items())


PARAMETERS = tagged(lambda key, value: f"<parameter={key}>\n{value}\n</parameter>")
NAMED_PARAMETERS = tagged(lambda key, value: f'<parameter name="{key}">{value}</parameter>')
KEYS = tagged(lambda key, value: f"<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>")
CHILDREN = tagged(lambda key, value: f"<{key}>{value}</{key}>")

TYPED: dict[str, Form] = {
    "hermes": each(lambda tool, args: f"<tool_call>\n{js({'name': tool, 'arguments': args})}\n</tool_call>"),
    "hermes with a text of arguments": each(lambda tool, args: f"<tool_call>\n{js({'name': tool, 'arguments': js(args)})}\n</tool_call>"),
    "hermes in one tag": each(lambda tool, args: js({"name": tool, "arguments": args}), "<tool_call>\n", "\n</tool_call>"),
    "hermes with Python's quotes": each(lambda tool, args: f"<tool_call>\n{ {'name': tool, 'arguments': args} }\n</tool_call>"),
    "mistral": lambda wishes: f"[TOOL_CALLS]{js(named(wishes))}",
    "mistral with names": each(lambda tool, args: f"[TOOL_CALLS]{tool}[ARGS]{js(args)}", between=""),
    "mistral with ids": each(lambda tool, args: f"[TOOL_CALLS]{tool}[CALL_ID]8kd02mXq1[ARGS]{js(args)}", between=""),
    "llama": each(lambda tool, args: js({"name": tool, "parameters": args}), between="; "),
    "llama with its mark": each(lambda tool, args: js({"type": "function", "name": tool, "parameters": args}), "<|python_tag|>", "<|eom_id|>", "; "),
    "llama's function tag": each(lambda tool, args: f"<function={tool}>{js(args)}</function>"),
    "llama 4": lambda wishes: f"[{', '.join(python(*wish) for wish in wishes)}]",
    "tool code": each(python, "```tool_code\n", "\n```"),
    "olmo": each(python, "<function_calls>\n", "\n</function_calls>"),
    "lfm": lambda wishes: f"<|tool_call_start|>[{', '.join(python(*wish) for wish in wishes)}]<|tool_call_end|>",
    "harmony": each(lambda tool, args: f"<|channel|>commentary to=functions.{tool} <|constrain|>json<|message|>{js(args)}<|call|>", between="<|start|>assistant"),
    "deepseek v3": each(
        lambda tool, args: f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{tool}\n```json\n{js(args)}\n```<｜tool▁call▁end｜>",
        "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>",
    ),
    "deepseek v3.1": each(
        lambda tool, args: f"<｜tool▁call▁begin｜>{tool}<｜tool▁sep｜>{js(args)}<｜tool▁call▁end｜>", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "",
    ),
    "kimi": lambda wishes: "<|tool_calls_section_begin|>" + "".join(
        f"<|tool_call_begin|>functions.{tool}:{at}<|tool_call_argument_begin|>{js(args)}<|tool_call_end|>" for at, (tool, args) in enumerate(wishes)
    ) + "<|tool_calls_section_end|>",
    "qwen agent": each(lambda tool, args: f"✿FUNCTION✿: {tool}\n✿ARGS✿: {js(args)}"),
    "functionary": each(lambda tool, args: f">>>{tool}\n{js(args)}", between=""),
    "firefunction": lambda wishes: f"functools{js(named(wishes))}",
    "granite": lambda wishes: f"<|tool_call|>{js(named(wishes))}",
    "granite 20b": each(lambda tool, args: f"<function_call> {js({'name': tool, 'arguments': args})}", between=" "),
    "hunyuan": lambda wishes: f"<tool_calls>{js(named(wishes))}</tool_calls>",
    "minimax m1": each(lambda tool, args: js({"name": tool, "arguments": args}), "<tool_calls>\n", "\n</tool_calls>"),
    "nemotron": lambda wishes: f"<TOOLCALL>{js(named(wishes))}</TOOLCALL>",
    "phi": lambda wishes: f"<|tool_call|>{js(named(wishes))}<|/tool_call|>",
    "command r": lambda wishes: f"Action: ```json\n{json.dumps(named(wishes, 'tool_name', 'parameters'), indent=4, ensure_ascii=False)}\n```",
    "command a": lambda wishes: f"<|START_ACTION|>{js(named(wishes, 'tool_name', 'parameters'))}<|END_ACTION|>",
    "openai in text": lambda wishes: js({"tool_calls": [{"type": "function", "function": {"name": tool, "arguments": js(args)}} for tool, args in wishes]}),
    "a list": lambda wishes: js(named(wishes)),
    "a list in a fence": lambda wishes: f"Here it is.\n```json\n{js(named(wishes))}\n```",
    "internlm": each(lambda tool, args: f"<|action_start|><|plugin|>{js({'name': tool, 'parameters': args})}<|action_end|>"),
    "apertus": lambda wishes: f"<|tools_prefix|>{js([{tool: args} for tool, args in wishes])}<|tools_suffix|>",
    "a server's tool": each(
        lambda tool, args: "<use_mcp_tool>\n<server_name>shop</server_name>\n"
        f"<tool_name>{tool}</tool_name>\n<arguments>\n{js(args)}\n</arguments>\n</use_mcp_tool>",
    ),
}
TAGGED: dict[str, Form] = {
    "qwen coder": each(lambda tool, args: f"<tool_call>\n<function={tool}>\n{PARAMETERS(args)}\n</function>\n</tool_call>"),
    "seed": each(lambda tool, args: f"<seed:tool_call>\n<function={tool}>\n{PARAMETERS(args)}\n</function>\n</seed:tool_call>"),
    "invoke": each(lambda tool, args: f'<invoke name="{tool}">\n{NAMED_PARAMETERS(args)}\n</invoke>', "<function_calls>\n", "\n</function_calls>"),
    "minimax": each(lambda tool, args: f'<invoke name="{tool}">\n{NAMED_PARAMETERS(args)}\n</invoke>', "<minimax:tool_call>\n", "\n</minimax:tool_call>"),
    "glm": each(lambda tool, args: f"<tool_call>{tool}\n{KEYS(args)}\n</tool_call>"),
    "longcat": each(
        lambda tool, args: f"<longcat_tool_call>{tool}\n{KEYS(args)}\n</longcat_tool_call>".replace("<arg_", "<longcat_arg_").replace("</arg_", "</longcat_arg_"),
    ),
    "claude 2": each(
        lambda tool, args: f"<invoke>\n<tool_name>{tool}</tool_name>\n<parameters>\n{CHILDREN(args)}\n</parameters>\n</invoke>",
        "<function_calls>\n", "\n</function_calls>",
    ),
}
ONE: dict[str, Form] = {
    "action in one line": each(lambda tool, args: f"Action: {tool} Action Input: {js(args)}"),
    "Chinese labels": each(lambda tool, args: f"思考：先查一下。\n行动：{tool}\n行动输入：{js(args)}"),
    "labels in bold": each(lambda tool, args: f"**Thought:** Look.\n**Action:** `{tool}`\n**Action Input:** {js(args)}"),
    "input in a fence": each(lambda tool, args: f"Thought: Look.\nAction: {tool}\nAction Input:\n```json\n{json.dumps(args, indent=2, ensure_ascii=False)}\n```"),
    "action as a call": each(lambda tool, args: f"Thought: Look.\nAction: {python(tool, args)}"),
    "action around JSON": each(lambda tool, args: f"Thought: Look.\nAction: {tool}({js(args)})"),
    "JSON action in a fence": each(lambda tool, args: f"Thought: Look.\nAction:\n```json\n{js({'action': tool, 'action_input': args})}\n```"),
    "an object": each(lambda tool, args: js({"thought": "Look.", "tool": tool, "args": args})),
    "functionary 2": each(lambda tool, args: f"<|recipient|>{tool}\n<|content|>{js(args)}<|stop|>"),
    "harmony without marks": each(lambda tool, args: f"analysisI look.assistantcommentary to=functions.{tool} json{js(args)}"),
}
ONE_TAGGED: dict[str, Form] = {
    "tagged function": each(lambda tool, args: f"<function>{tool}</function>\n{CHILDREN(args)}"),
}
