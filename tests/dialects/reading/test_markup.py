"""Native call markup of every family, leaked as text: rules X of the policy.

Each family's form is written out for one call with two typed arguments; what is common to all is tried on all of them.
"""

import pytest

FERRY = [("book_ferry", {"port": "Oban", "people": 2})]
ARGS = '{"port": "Oban", "people": 2}'
CALL = '{"name": "book_ferry", "arguments": {"port": "Oban", "people": 2}}'
PARAMETERS = '{"name": "book_ferry", "parameters": {"port": "Oban", "people": 2}}'
CODER = "<function=book_ferry>\n<parameter=port>\nOban\n</parameter>\n<parameter=people>\n2\n</parameter>\n</function>"
INVOKE = '<invoke name="book_ferry">\n<parameter name="port">Oban</parameter>\n<parameter name="people">2</parameter>\n</invoke>'
GLM = "book_ferry\n<arg_key>port</arg_key>\n<arg_value>Oban</arg_value>\n<arg_key>people</arg_key>\n<arg_value>2</arg_value>\n"
PYTHON = "book_ferry(port='Oban', people=2)"

FAMILIES = {
    "hermes": f"<tool_call>\n{CALL}\n</tool_call>",
    "hermes, no end": f"<tool_call>\n{CALL}",
    "hermes, single quotes": "<tool_call>{'name': 'book_ferry', 'arguments': {'port': 'Oban', 'people': 2}}</tool_call>",
    "hermes, arguments in a string": '<tool_call>{"name": "book_ferry", "arguments": "{\\"port\\": \\"Oban\\", \\"people\\": 2}"}</tool_call>',
    "hermes, python": f"<tool_call>\n{PYTHON}\n</tool_call>",
    "qwen3-coder": f"<tool_call>\n{CODER}\n</tool_call>",
    "qwen3-coder, no wrapper": f"{CODER}\n</tool_call>",
    "qwen3-coder, wrong end": CODER.replace("\n</parameter>\n</function>", "\n</function>"),
    "qwen3-coder, a parameter not closed": CODER.replace("Oban\n</parameter>", "Oban"),
    "glm": f"<tool_call>{GLM}</tool_call>",
    "glm4": f"book_ferry\n{ARGS}<|observation|>",
    "deepseek v3": f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>book_ferry\n```json\n{ARGS}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek v3, a mark missing": f"<｜tool▁calls▁begin｜>function<｜tool▁sep｜>book_ferry\n```json\n{ARGS}\n```<｜tool▁calls▁end｜>",
    "deepseek v3.1": f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>book_ferry<｜tool▁sep｜>{ARGS}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek v3.2": (
        '<｜DSML｜function_calls>\n<｜DSML｜invoke name="book_ferry">\n<｜DSML｜parameter name="port" string="true">Oban</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="people" string="false">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>'
    ),
    "kimi": (
        f"<|tool_calls_section_begin|><|tool_call_begin|>functions.book_ferry:0<|tool_call_argument_begin|>{ARGS}"
        "<|tool_call_end|><|tool_calls_section_end|>"
    ),
    "mistral, list": f"[TOOL_CALLS] [{CALL}]</s>",
    "mistral, args": f"[TOOL_CALLS]book_ferry[ARGS]{ARGS}",
    "mistral, id": f"[TOOL_CALLS]book_ferry[CALL_ID]a1b2c3d4e[ARGS]{ARGS}",
    "mistral, bare": f"[TOOL_CALLS]book_ferry{ARGS}",
    "llama, tag": f"<|python_tag|>{PARAMETERS}<|eom_id|>",
    "llama, built-in": '<|python_tag|>book_ferry.call(port="Oban", people=2)',
    "llama, JSON": PARAMETERS,
    "llama, JSON in prose": f"Here you are: {PARAMETERS} Anything else?",
    "llama, python": f"[{PYTHON}]",
    "llama 4": f"<|python_start|>[{PYTHON}]<|python_end|>",
    "llama, function": f"<function=book_ferry>{ARGS}</function>",
    "llama, function broken": f"<function=book_ferry{ARGS}</function>",
    "harmony": f"<|channel|>commentary to=functions.book_ferry <|constrain|>json<|message|>{ARGS}<|call|>",
    "harmony, recipient first": f"<|start|>assistant to=functions.book_ferry<|channel|>commentary json<|message|>{ARGS}<|call|>",
    "harmony, tokens stripped": f"analysisA ferry it is.assistantcommentary to=functions.book_ferry json{ARGS}",
    "anthropic": f"<function_calls>\n{INVOKE}\n</function_calls>",
    "anthropic, old": (
        "<function_calls>\n<invoke>\n<tool_name>book_ferry</tool_name>\n<parameters>\n<port>Oban</port>\n<people>2</people>\n"
        "</parameters>\n</invoke>\n</function_calls>"
    ),
    "minimax": f"<minimax:tool_call>\n{INVOKE}\n</minimax:tool_call>",
    "minimax m1": f"<tool_calls>\n{CALL}\n</tool_calls>",
    "seed-oss": f"<seed:tool_call>\n{CODER}\n</seed:tool_call>",
    "step": (
        '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="book_ferry"><steptml:parameter name="port">Oban'
        '</steptml:parameter><steptml:parameter name="people">2</steptml:parameter></steptml:invoke><｜tool_call_end｜><｜tool_calls_end｜>'
    ),
    "qwen-agent": f"✿FUNCTION✿: book_ferry\n✿ARGS✿: {ARGS}\n✿RESULT✿",
    "chatglm3": f"book_ferry\n```python\ntool_call{PYTHON.removeprefix('book_ferry')}\n```",
    "internlm": f"<|action_start|><|plugin|>\n{PARAMETERS}<|action_end|>",
    "gemini": f"```tool_code\nprint(default_api.{PYTHON})\n```",
    "cline, a server's tool": (
        "<use_mcp_tool>\n<server_name>boats</server_name>\n<tool_name>book_ferry</tool_name>\n"
        f"<arguments>\n{ARGS}\n</arguments>\n</use_mcp_tool>"
    ),
    "llama, name in parentheses": f"<function(book_ferry)>{ARGS}</function>",
    "gemma 3, tag": f"<tool_code>\n{PYTHON}\n</tool_code>",
    "functiongemma": "<start_function_call>call:book_ferry{port:<escape>Oban<escape>,people:2}<end_function_call>",
    "granite": f"<|tool_call|>[{CALL}]",
    "granite 20b": f"<function_call> {CALL}",
    "ModelScope": f"<|startofthink|>```JSON\n{CALL.replace('name', 'api_name', 1)}\n```<|endofthink|>",
    "phi-4": f"functools[{CALL}]",
    "phi-4-mini": f"<|tool_call|>[{CALL}]<|/tool_call|>",
    "command-r": f'Action: ```json\n[{{"tool_name": "book_ferry", "parameters": {ARGS}}}]\n```',
    "command-a": f'<|START_ACTION|>[{{"tool_call_id": "0", "tool_name": "book_ferry", "parameters": {ARGS}}}]<|END_ACTION|>',
    "functionary 3.2": f">>>book_ferry\n{ARGS}",
    "functionary 2": f"<|recipient|>book_ferry\n<|content|>{ARGS}<|stop|>",
    "firefunction": f"<functioncall> {CALL}",
    "nemotron": f"<TOOLCALL>[{CALL}]</TOOLCALL>",
    "nemotron, python": f"<TOOLCALL>[{PYTHON}]</TOOLCALL>",
    "hunyuan": f"<tool_calls>[{CALL}]</tool_calls>",
    "apertus": f'<|tools_prefix|>[{{"book_ferry": {ARGS}}}]<|tools_suffix|>',
    "lfm2": f"<|tool_call_start|>[{PYTHON}]<|tool_call_end|>",
    "olmo": f"<function_calls>\n{PYTHON}\n</function_calls>",
    "longcat": f"<longcat_tool_call>{GLM.replace('<arg', '<longcat_arg').replace('</arg', '</longcat_arg')}</longcat_tool_call>",
    "solar": f"<|tool_call:begin|>x1<|tool_call:name|>book_ferry<|tool_call:args|>{ARGS}<|tool_call:end|>",
    "lm studio": f"[TOOL_REQUEST]{CALL}[END_TOOL_REQUEST]",
    "xlam": f"```json\n[{CALL}]\n```",
    "openai": f'{{"tool_calls": [{{"id": "a", "type": "function", "function": {CALL}}}]}}',
    "agentscope": "<function>book_ferry</function>\n<port>Oban</port>\n<people>2</people>",
    "tool's own tag": "<book_ferry>\n<port>Oban</port>\n<people>2</people>\n</book_ferry>",
    "tool_use": f"<tool_use>\n<name>book_ferry</name>\n<arguments>{ARGS}</arguments>\n</tool_use>",
    "langchain xml": f"<tool>book_ferry</tool><tool_input>{ARGS}</tool_input>",
}
UNTAGGED = {"glm4", "llama, JSON", "llama, JSON in prose", "llama, python", "chatglm3", "command-r", "xlam", "openai", "harmony, tokens stripped"}
TAGGED = {key: text for key, text in FAMILIES.items() if key not in UNTAGGED}


@pytest.mark.parametrize("text", FAMILIES.values(), ids=FAMILIES)
def test_every_family_is_read(means, text):
    assert means(text) == FERRY


@pytest.mark.parametrize("text", TAGGED.values(), ids=TAGGED)
def test_text_before_is_thought_and_text_behind_is_ignored(means, text):
    assert means(f"Of course, at once.\n{text}\nThe ferry is booked.") == FERRY
    assert means(f"Thought: a ferry is needed\n{text}") == FERRY


@pytest.mark.parametrize("text", TAGGED.values(), ids=TAGGED)
def test_an_unknown_tool_in_unmistakable_markup_is_neither_run_nor_shown(means, text):
    if text.startswith("<book_ferry>"):
        return
    assert means(text.replace("book_ferry", "book_plane")) <= {"unknown_tool", "bad_json"}


@pytest.mark.parametrize("text", TAGGED.values(), ids=TAGGED)
def test_in_a_draft_nothing_is_run(means, text):
    assert means(f"<think>{text}</think>\nFinal Answer: No ferries today.") == "No ferries today."


@pytest.mark.parametrize("text", FAMILIES.values(), ids=FAMILIES)
def test_cut_off_anywhere_it_is_whole_or_nothing(means, text):
    begins = min(text.index("Oban"), text.index("book_ferry"))
    for end in range(begins, len(text)):
        got = means(text[:end])
        assert got == FERRY or isinstance(got, set) or (isinstance(got, str) and "Oban" not in got) or got == [("book_ferry", {"port": "Oban"})], text[:end]


RING = '<tool_call>{"name": "ring_bell", "arguments": {}}</tool_call>'
MORE = {
    "X2 a closing tag in a value": ('<tool_call>{"name": "run_lua", "arguments": {"code": "-- </tool_call> {"}}</tool_call>', [("run_lua", {"code": "-- </tool_call> {"})]),
    "X2 a closing tag in a parameter": ("<function=run_lua>\n<parameter=code>\na = '</parameter>'\n</parameter>\n</function>", [("run_lua", {"code": "a = '</parameter>'"})]),
    "X2 a brace too few": ('<tool_call>{"name": "run_lua", "arguments": {"code": "x"}</tool_call>', [("run_lua", {"code": "x"})]),
    "G5 types": (
        "<function=paint><parameter=colour>12</parameter><parameter=walls>[1]</parameter><parameter=gloss>True</parameter></function>",
        [("paint", {"colour": "12", "walls": [1], "gloss": True})],
    ),
    "in a fence behind a thought": ('<think>hm</think>\n```text\n[TOOL_CALLS][{"name": "seat", "arguments": {"number": 1}}]\n```', [("seat", {"number": 1})]),
    "printed, and nothing else": ("```python\nprint(seat(number=1))\n```", [("seat", {"number": 1})]),
    "printed, but with more to it": ("print(seat(number=1)[0])", "print(seat(number=1)[0])"),
    "printed, but no tool": ("print(1)", "print(1)"),
    "X4 within inline code": ("It sends `<tool_call>` first.", "It sends `<tool_call>` first."),
    "X4 JSON within a thought": ('Thought: say {"name": "ring_bell", "arguments": {}} now', {"no_step"}),
    "X4 ReAct JSON in a line of prose": ('I say {"action": "ring_bell", "action_input": {}} now', {"no_step"}),
    "several in one pair of tags": (
        '<tool_call>{"name": "ring_bell", "arguments": {}}\n{"name": "seat", "arguments": {"number": 1}}</tool_call>',
        [("ring_bell", {}), ("seat", {"number": 1})],
    ),
    "a made-up result ends it": (
        RING + "<tool_response>ok</tool_response>" + '<tool_call>{"name": "seat", "arguments": {"number": 1}}</tool_call>',
        [("ring_bell", {})],
    ),
    "one of several cut off": ('<tool_call>{"name": "ring_bell", "arguments": {}}</tool_call><tool_call>{"name": "seat", "argu', {"truncated"}),
    "the opening tag for the closing one": (RING.replace("</tool_call>", "<tool_call>"), [("ring_bell", {})]),
    "python within prose": ("I ring it. [seat(number=1)] Please wait.", [("seat", {"number": 1})]),
    "python as an example": ("Write [seat(number)] there.", "Write [seat(number)] there."),
    "blanks around =": ("<function = seat>\n<parameter = number>\n1\n</parameter>\n</function>", [("seat", {"number": 1})]),
    "no parameters where some are needed": ("<function=seat>\n</function>", {"no_input"}),
    "no call in it": ("<TOOLCALL>[]</TOOLCALL>An osprey.", "An osprey."),
    "no name": ('<tool_call>{"bird": "osprey"}</tool_call>', {"no_name"}),
    "no end": ("<tool_call>", {"truncated"}),
    "an answer's tag": ("<think>x</think><answer>An osprey.</answer>", "An osprey."),
    "functionary, to all": (">>>all\nAn osprey.", "An osprey."),
    "qwen-agent, an answer": ("✿RETURN✿: An osprey.", "An osprey."),
}


@pytest.mark.parametrize(("text", "meaning"), [pytest.param(*case, id=key) for key, case in MORE.items()])
def test_reads(means, text, meaning):
    assert means(text) == meaning
