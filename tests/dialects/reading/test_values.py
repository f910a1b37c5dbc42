"""Arguments and JSON actions: rules G and J of the policy."""

import pytest

from tao.testing import spec

FERRY = [("book_ferry", {"port": "Oban", "people": 2})]
BIRD = [("find_bird", {"bird": "osprey"})]


def ferry(text):
    return f"Action: book_ferry\nAction Input: {text}"


def bird(text):
    return f"Action: find_bird\nAction Input: {text}"


def lua(text):
    return f"Action: run_lua\nAction Input: {text}"


FENCES = {
    "two fences in one language": ("Action: run_lua\n```lua\na = 1\n```\nand then\n```lua\nb = 2\n```", [("run_lua", {"code": "a = 1"})]),
    "two fences in one language, labelled": (lua("```lua\na = 1\n```\n\n```lua\nb = 2\n```"), [("run_lua", {"code": "a = 1"})]),
    "fences in two languages": (lua("```lua\na\n```\n```sh\nb\n```"), [("run_lua", {"code": "```lua\na\n```\n```sh\nb\n```"})]),
    "fences without a language": (lua("```\na\n```\n```\nb\n```"), [("run_lua", {"code": "```\na\n```\n```\nb\n```"})]),
}

REPAIR = {
    "single quotes": (ferry("{'port': 'Oban', 'people': 2}"), FERRY),
    "mixed quotes": (ferry("{'port': \"Oban\", \"people\": 2}"), FERRY),
    "full-width": (ferry("｛“port”：“Oban”，“people”：2｝"), FERRY),
    "unquoted keys and words": (ferry("{port: Oban, people: 2}"), FERRY),
    "trailing comma": (ferry('{"port": "Oban", "people": 2,}'), FERRY),
    "missing comma": (ferry('{"port": "Oban" "people": 2}'), FERRY),
    "comma on the next line": (ferry('{"port": "Oban"\n"people": 2}'), FERRY),
    "missing colon": (ferry('{"port" "Oban", "people": 2}'), FERRY),
    "comments": (ferry('{"port": "Oban", // west\n "people": 2 /* both */}'), FERRY),
    "doubled braces": (ferry('{{"port": "Oban", "people": 2}}'), FERRY),
    "surplus brackets": (ferry('{"port": "Oban", "people": 2}}]'), FERRY),
    "fence": (ferry('\n```json\n{"port": "Oban", "people": 2}\n```.'), FERRY),
    "backticks": (ferry('`{"port": "Oban", "people": 2}`'), FERRY),
    "prose around": (ferry('Here it is: {"port": "Oban", "people": 2} as asked.'), FERRY),
    "no opening brace": (ferry('"port": "Oban", "people": 2}'), FERRY),
    "JSON in a string": (ferry('"{\\"port\\": \\"Oban\\", \\"people\\": 2}"'), FERRY),
    "a list of one": (ferry('[{"port": "Oban", "people": 2}]'), FERRY),
    "a list of two": (ferry('[{"port": "Oban", "people": 2}, {"port": "Mull", "people": 1}]'), FERRY),
    "a bold mark in front": (ferry('** {"port": "Oban", "people": 2}'), FERRY),
    "escaped delimiters": (bird('{"bird": \\"osprey\\"}'), BIRD),
    "all quotes escaped": (bird('{\\"bird\\": \\"osprey\\"}'), BIRD),
    "only the brace is missing": (bird('{"bird": "osprey"'), BIRD),
    "Python words": (
        "Action: paint\nAction Input: {'colour': None, 'walls': [], 'gloss': True}",
        [("paint", {"colour": None, "walls": [], "gloss": True})],
    ),
    "apostrophes": (bird("{'bird': 'Audubon's 'little' owl's nest'}"), [("find_bird", {"bird": "Audubon's 'little' owl's nest"})]),
    "inner quotes": (ferry('{"port": "the "old" pier", "people": 2}'), [("book_ferry", {"port": 'the "old" pier', "people": 2})]),
    "inner quotes and commas": (bird('{"bird": "he said "owl", "kite", and left"}'), [("find_bird", {"bird": 'he said "owl", "kite", and left'})]),
    "inch marks": (ferry('{"port": "the 12" pipe", "people": 2}'), [("book_ferry", {"port": 'the 12" pipe', "people": 2})]),
    "raw newlines": (lua('{"code": "a = 1\nprint(a)"}'), [("run_lua", {"code": "a = 1\nprint(a)"})]),
    "triple quotes": (lua('{"code": """a = "x"\nprint(a)"""}'), [("run_lua", {"code": 'a = "x"\nprint(a)'})]),
    "a regular expression": (lua('{"code": "\\d+\\.\\w"}'), [("run_lua", {"code": "\\d+\\.\\w"})]),
    "a word boundary is no backspace": (lua('{"code": "\\bowl\\d"}'), [("run_lua", {"code": "\\bowl\\d"})]),
    "a Windows path": (lua('{"code": "C:\\Program Files\\new\\test.lua"}'), [("run_lua", {"code": "C:\\Program Files\\new\\test.lua"})]),
    "needless escapes": (lua("{\"code\": \"it\\'s snake\\_case\"}"), [("run_lua", {"code": "it's snake_case"})]),
    "a URL is no comment": (lua("{'code': 'https://a.b//c#d'}"), [("run_lua", {"code": "https://a.b//c#d"})]),
    "full-width in values stays": (bird("{'bird': '他说：“鹗”，'}"), [("find_bird", {"bird": "他说：“鹗”，"})]),
}

REFUSED = {
    "two readings": (ferry('{"port": "a "b", "people": "c""}'), {"bad_json"}),
    "a value without a key": (ferry('{"port": "Oban", "Mull", "people": 2}'), {"bad_json"}),
    "an expression": (bird('{"bird": "os" + "prey"}'), {"bad_json"}),
    "a value left out": (ferry('{"port": ..., "people": 2}'), {"bad_json"}),
    "no literal": (bird("{'bird': Bird([('title', 'x')])}"), {"bad_json"}),
    "the tool's description": ('{"name": "find_bird", "arguments": {"type": "object", "properties": {"bird": {"type": "string"}}}}', {"schema_echo"}),
    "G2 an open string": (bird('{"bird": "ospr'), {"truncated"}),
    "G2 a number at the end": (ferry('{"port": "Oban", "people": 1'), {"truncated"}),
    "G2 a word at the end": (ferry('{"people": 2, "port": Ob'), {"truncated"}),
    "G2 a key at the end": (ferry('{"port": "Oban", "peo'), {"truncated"}),
    "G2 a comma at the end": (ferry('{"port": "Oban",'), {"truncated"}),
    "G2 an open container": ('{"name": "book_ferry", "parameters": {', {"truncated"}),
    "G2 an open list": ("Action: tags\nAction Input: [1, 2", {"truncated"}),
    "G2 an open fence": (lua("```lua\nprint("), {"truncated"}),
    "G2 a string in a string": (bird('"{\\"bird\\": \\"ospr'), {"truncated"}),
    "G4 bare text for two": (ferry("two people to Oban"), {"bare_input"}),
    "G4 two strings": (ferry('"Oban", "2"'), {"bare_input"}),
    "G4 a list for two": (ferry('["Oban", 2]'), {"bare_input"}),
    "G4 braces for two": (ferry("{two to Oban}"), {"bare_input"}),
    "G4 nothing": ("Action: find_bird", {"no_input"}),
    "G4 None": (bird("None"), {"no_input"}),
    "G3 an unknown key": (ferry("port=Oban, deck=2"), {"bare_input"}),
}

BARE = {
    "text": (bird("the bird's nest"), [("find_bird", {"bird": "the bird's nest"})]),
    "one layer of quotes": (bird('"the \'bird\'"'), [("find_bird", {"bird": "the 'bird'"})]),
    "a lone quote in front": (bird('"osprey'), BIRD),
    "quotes around parts stay": (bird('"osprey" OR "kite"'), [("find_bird", {"bird": '"osprey" OR "kite"'})]),
    "a JSON string is decoded": (bird('"the \\"osprey\\""'), [("find_bird", {"bird": 'the "osprey"'})]),
    "a backslash is not decoded": (bird("osprey \\n"), [("find_bird", {"bird": "osprey \\n"})]),
    "backticks": (bird("`osprey`"), BIRD),
    "backticks around parts stay": (bird("`a` and `b`"), [("find_bird", {"bird": "`a` and `b`"})]),
    "braces that are no JSON": (bird("{osprey in Oban}"), [("find_bird", {"bird": "{osprey in Oban}"})]),
    "brackets that are no JSON": (bird("[osprey]"), [("find_bird", {"bird": "[osprey]"})]),
    "angle brackets": (bird("<osprey>"), [("find_bird", {"bird": "<osprey>"})]),
    "a fence with a language": (lua("\n```lua\nprint(1)\n```"), [("run_lua", {"code": "print(1)"})]),
    "digits for a text": (bird("007"), [("find_bird", {"bird": "007"})]),
    "digits for a number": ("Action: seat\nAction Input: 42", [("seat", {"number": 42})]),
    "a list for an array": ('Action: tags\nAction Input: ["a", "b"]', [("tags", {"labels": ["a", "b"]})]),
    "no parameters": ("Action: ring_bell\nAction Input: now please", [("ring_bell", {})]),
    "no parameters, no input": ("Action: ring_bell\nAction Input:", [("ring_bell", {})]),
    "pairs with =": (ferry("port=Oban, people=2"), FERRY),
    "pairs with : on lines": (ferry("\nport: Oban\npeople: 2"), FERRY),
    "pairs with full-width marks": (ferry("port：Oban，people：2"), FERRY),
    "pairs in a list": (ferry("\n- port: Oban\n- people: 2"), FERRY),
    "pairs between spaces": (ferry("port=Oban people=2"), FERRY),
    "a pair in quotes is no pair": (ferry('port: "a people: 3", people: 2'), [("book_ferry", {"port": "a people: 3", "people": 2})]),
    "a fence, then prose": (lua("```lua\nprint(1)\n```\nThis prints."), [("run_lua", {"code": "print(1)"})]),
    "a colon is no pair": (bird("colour: brown"), [("find_bird", {"bird": "colour: brown"})]),
    "G5 types": (
        "Action: paint\nAction Input: colour=red, walls=[1, 2], gloss=true, litres=2.5",
        [("paint", {"colour": "red", "walls": [1, 2], "gloss": True, "litres": 2.5})],
    ),
    "G5 typed JSON stays": (ferry('{"port": "Oban", "people": "2"}'), [("book_ferry", {"port": "Oban", "people": "2"})]),
    "G6 unknown keys stay": (bird('{"bird": "osprey", "deck": 1}'), [("find_bird", {"bird": "osprey", "deck": 1})]),
    "Chinese": ("行动：查潮汐\n行动输入：港口：青岛", [("查潮汐", {"港口": "青岛"})]),
}

JSON = {
    "J1 labelled": ('Thought: hm\nAction: {"action": "find_bird", "action_input": {"bird": "osprey"}}', BIRD),
    "J1 arguments beside the name": ('Action: {"tool": "book_ferry", "port": "Oban", "people": 2}', FERRY),
    "J1 arguments beside the name, with a thought": ('{"thought": "hm", "action": "find_bird", "bird": "osprey"}', BIRD),
    "J1 arguments beside the name, in a fence": ('```json\n{"command": "find_bird", "bird": "osprey"}\n```', BIRD),
    "J1 arguments beside the name, one lacking": ('Action: {"action": "book_ferry", "port": "Oban"}', {"no_input"}),
    "J1 arguments beside the name, one unknown": ('Action: {"action": "find_bird", "bird": "osprey", "colour": "white"}', {"no_input"}),
    "J1 arguments beside the name, in prose": ('Send {"tool": "find_bird", "bird": "osprey"} to it.', 'Send {"tool": "find_bird", "bird": "osprey"} to it.'),
    "J1 an ability": ('{"thoughts": {"text": "hm"}, "ability": {"name": "find_bird", "args": {"bird": "osprey"}}}', BIRD),
    "J1 the next action": ('{"next_action": "find_bird", "args": {"bird": "osprey"}}', BIRD),
    "J1 our own form": ('Action: {"tool": "find_bird", "args": {"bird": "osprey"}}', BIRD),
    "J1 fenced": ('Action:\n```json\n{"tool_name": "find_bird", "parameters": {"bird": "osprey"}}\n```', BIRD),
    "J1 alone": ('{"name": "find_bird", "arguments": {"bird": "osprey"}}', BIRD),
    "J1 behind a thought": ('Thought: hm\n{"Action": "find_bird", "Action_Input": "osprey"}', BIRD),
    "J1 behind prose": ('I look it up.\n```json\n{"action": "find_bird", "action_input": "osprey"}\n```\nWait.', BIRD),
    "J1 no input": ('{"action": "ring_bell"}', [("ring_bell", {})]),
    "J1 no input where one is needed": ('{"action": "find_bird"}', {"no_input"}),
    "J2 wrappers": ('{"tool_call": {"function": {"name": "find_bird", "arguments": "{\\"bird\\": \\"osprey\\"}"}}}', BIRD),
    "J2 a command": ('{"thoughts": {"text": "hm"}, "command": {"name": "find_bird", "args": {"bird": "osprey"}}}', BIRD),
    "J2 a function list": ('{"speak": "x", "function": [{"name": "find_bird", "arguments": {"bird": "osprey"}}]}', BIRD),
    "J2 action wins": ('{"name": "ring_bell", "action": "find_bird", "action_input": "osprey"}', BIRD),
    "J3 an example in a thought": ('Thought: not {"name": "ring_bell", "arguments": {}} but\nAction: find_bird[osprey]', BIRD),
    "J4 an unknown name is text": ('See:\n{"name": "fish", "size": 3}\nThat is all.', 'See:\n{"name": "fish", "size": 3}\nThat is all.'),
    "J4 an unknown call alone": ('{"name": "fish", "arguments": {"size": 3}}', {"unknown_tool"}),
    "J4 no name": ('{"parameters": {"bird": "osprey"}}', {"no_name"}),
    "J4 no usable name": ('Action: {"action": {"x": 1}, "action_input": "osprey"}', {"no_name"}),
    "J4 no calls": ('{"content": "", "tool_calls": []}', {"no_name"}),
    "J4 data": ('{"bird": "osprey", "size": 60}', '{"bird": "osprey", "size": 60}'),
    "J1 Chinese keys": ('{"思考": "看", "行动": "find_bird", "行动输入": "osprey"}', BIRD),
    "J4 an invented name key": ('{"next": "find_bird", "action_input": "osprey"}', {"no_name"}),
    "J4 the name as a key": ('{"find_bird": {"bird": "osprey"}}', {"no_name"}),
    "J5 final": ('{"action": "Final Answer", "action_input": "An osprey."}', "An osprey."),
    "J5 final among prose": ('So:\n```json\n{"action": "Final Answer", "action_input": "An osprey."}\n```\nBye.', "An osprey."),
    "J5 cut off": ('{"action": "Final Answer", "action_input": "An osp', {"truncated"}),
    "an answer with its thought": ('{"thought": "I know", "answer": "An osprey."}', "An osprey."),
    "a thought and no tool": ('{"thought": "I know", "tool": null, "answer": "An osprey."}', "An osprey."),
    "a call cut in its keys": ('{"action": "find_bird", "action_in', {"truncated"}),
    "a damaged call is not shown": ('{"action": "find_bird", "action_input": {"a": "b" + "c"}}', {"bad_json"}),
}

ALL = {**FENCES, **REPAIR, **REFUSED, **BARE, **JSON}


@pytest.mark.parametrize(("text", "meaning"), [pytest.param(*case, id=key) for key, case in ALL.items()])
def test_reads(means, text, meaning):
    assert means(text) == meaning


def test_one_required_parameter_takes_bare_text(means):
    assert means("Action: hum\nAction Input: la", spec("hum", "", tune="string", loud="boolean?")) == [("hum", {"tune": "la"})]


def test_optional_parameters_alone_need_no_input(means):
    assert means("Action: hum", spec("hum", "", tune="string?", loud="boolean?")) == [("hum", {})]
    assert means("Action: hum\nAction Input: la", spec("hum", "", tune="string?", loud="boolean?")) == {"bare_input"}
