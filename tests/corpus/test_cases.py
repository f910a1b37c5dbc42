"""The corpus in `corpus/cases.jsonl`: its form, its size, what it covers, and that no text of it comes from elsewhere."""

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

CORPUS = Path(__file__).parents[2] / "corpus"
SHARED = Path(os.environ.get("TAO_SHARED", Path(__file__).parents[3] / "shared"))
GIVEN = SHARED / "corpus" / "given.jsonl"

CASES = [json.loads(line) for line in (CORPUS / "cases.jsonl").read_text(encoding="utf-8").split("\n") if line]

WANTED = {"id": str, "kind": str, "lang": str, "tools": list, "text": str, "expect": dict, "rationale": str, "prov": str}
EXPECT = {
    "action": {"type", "tool", "args"},
    "actions": {"type", "calls"},
    "final": {"type", "answer"},
    "retry": {"type", "why"},
}


def words(text):
    return text.split()


TYPES = {"string", "integer", "number", "boolean", "array", "object"}
RULES = words(
    "N1 N2 N3 N4 T1 T2 L1 L2 L3 L4 L5 C1 C2 C3 C4 P1 P2 P3 P4 P5 P6 P7 A1 A2 A3 A4 B1 B2 "
    "G1 G2 G3 G4 G5 G6 G7 J1 J2 J3 J4 J5 X1 X2 X3 X4 F1 F2 F3 F4 F5"
)
KINDS = words(
    "action-name bare-input both call-form final json-action json-fault label native native-parallel normalise "
    "observation plain think truncated wellformed"
)
FAMILIES = words(
    "apertus chatglm3 claude command-r deepseek-r1 deepseek-v3 deepseek-v3.1 deepseek-v3.2 ernie firefunction functionary "
    "gemini gemma glm glm4 granite harmony hermes hunyuan internlm kimi lfm2 llama3 llama4 longcat magistral minicpm minimax "
    "mistral nemotron olmo phi4 qwen qwen-agent qwen3-coder seed-oss step xlam"
)

# What is syntax and not somebody's words: tags, special tokens, labels, the fixed keys of a call with their punctuation.
MARKUP = re.compile(
    r"</?[^<>\n]{1,60}>|\[/?[A-Z_]{4,}\]|[✿][A-Z]+[✿]:?|```[\w-]*|"
    r"[\"'](?:name|arguments|parameters|action|action_input|function|tool_calls?|type|id)[\"']\s*:\s*|"
    r"(?:Thought|Action|Action Input|Observation|Final Answer|Answer|AI|思考|行动|行动输入|观察|最终答案)(?: \d+)?[:：]",
)


def calls_of(expect):
    return {"action": [expect], "actions": expect.get("calls", [])}.get(expect["type"], [])


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_every_case_has_the_form_of_a_case(case):
    assert {key: type(case.get(key)) for key in WANTED} == WANTED
    assert set(case) - set(WANTED) <= {"family", "source"}
    assert case["prov"] == "own"
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", case["id"])
    assert case["tools"]
    for tool in case["tools"]:
        assert set(tool) == {"name", "params"}
        assert tool["name"]
        assert set(tool["params"].values()) <= TYPES
    expect = case["expect"]
    assert set(expect) - {"thought"} == EXPECT[expect["type"]]
    assert all(set(call) - {"thought", "type"} == {"tool", "args"} for call in calls_of(expect))
    assert len(calls_of(expect)) != 1 or expect["type"] == "action"


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_what_is_expected_fits_the_tools_at_hand(case):
    tools = {tool["name"]: tool["params"] for tool in case["tools"]}
    expect = case["expect"]
    for call in calls_of(expect):
        assert call["tool"] in tools
        strange = set(call["args"]) - set(tools[call["tool"]])
        assert not strange or "unknown key" in case["rationale"]
        assert set(tools[call["tool"]]) <= set(call["args"]) or "G6" in case["rationale"]
    if expect["type"] == "final":
        assert expect["answer"].strip() == expect["answer"] != ""
        assert expect["answer"] != case["text"].strip() or case["kind"] in {"plain", "native"}
    if expect["type"] == "retry":
        assert expect["why"]


def test_ids_are_unique_and_texts_differ():
    assert [name for name, count in Counter(case["id"] for case in CASES).items() if count > 1] == []
    told = [json.dumps([case["text"], case["tools"]], ensure_ascii=False) for case in CASES]
    assert [text for text, count in Counter(told).items() if count > 1] == []


def test_the_file_is_sorted_and_written_in_plain_characters():
    raw = (CORPUS / "cases.jsonl").read_text(encoding="utf-8")
    assert [(case["kind"], case["id"]) for case in CASES] == sorted((case["kind"], case["id"]) for case in CASES)
    assert raw == "".join(json.dumps(case, ensure_ascii=False) + "\n" for case in CASES)


def test_there_are_enough_cases_in_both_languages():
    count = Counter(case["lang"] for case in CASES)
    assert len(CASES) >= 440
    assert count["zh"] >= 0.4 * len(CASES)
    assert count["en"] >= 0.4 * len(CASES)


def test_every_kind_has_cases_in_both_languages_with_more_than_one_outcome():
    assert sorted({case["kind"] for case in CASES}) == KINDS
    for kind in KINDS:
        of_kind = [case for case in CASES if case["kind"] == kind]
        assert {"en", "zh"} <= {case["lang"] for case in of_kind}
        outcomes = {case["expect"]["type"] for case in of_kind}
        assert len(outcomes) > 1 or kind in {"wellformed", "native-parallel"}


def test_every_rule_of_the_policy_is_the_reason_of_some_case_and_is_explained_in_both_languages():
    reasons = Counter(rule for case in CASES for rule in set(re.findall(r"\b[NTLCPABGJXF]\d\b", case["rationale"])))
    assert {rule: reasons[rule] for rule in RULES if reasons[rule] < 2} == {}
    assert set(reasons) <= set(RULES)
    for page in ("POLICY.md", "POLICY.zh-CN.md"):
        named = re.findall(r"\*\*([NTLCPABGJXF]\d)\*\*", (CORPUS / page).read_text(encoding="utf-8"))
        assert named == RULES


def test_every_outcome_is_frequent_enough_to_matter():
    count = Counter(case["expect"]["type"] for case in CASES)
    assert count["retry"] >= 80
    assert count["final"] >= 80
    assert count["actions"] >= 30


def test_every_family_of_models_that_we_know_is_there():
    assert set(FAMILIES) <= {case["family"] for case in CASES if "family" in case}


def given_cases():
    if not GIVEN.is_file():
        pytest.skip(f"the given corpus is not at {GIVEN}; set TAO_SHARED to the folder that holds corpus/given.jsonl")
    return [json.loads(line) for line in GIVEN.read_text(encoding="utf-8").split("\n") if line]


def runs(text, length):
    plain = MARKUP.sub("\n", text)
    return {plain[start : start + length] for start in range(len(plain) - length + 1)}


def test_every_kind_of_the_given_file_is_covered():
    given = Counter(case["kind"] for case in given_cases())
    own = Counter(case["kind"] for case in CASES)
    assert {kind: own[kind] for kind in given if own[kind] < given[kind]} == {}


def test_no_text_is_taken_over_from_the_given_file():
    given = given_cases()
    texts = {case["text"].strip() for case in given if case["text"].strip()}
    assert [case["id"] for case in CASES if case["text"].strip() in texts] == []
    known = set().union(*(runs(case["text"], 40) for case in given))
    assert [(case["id"], min(shared)) for case in CASES if (shared := runs(case["text"], 40) & known)] == []


def test_no_tool_comes_with_the_arguments_of_a_given_case():
    pairs = {json.dumps([call["tool"], call["args"]], sort_keys=True) for case in given_cases() for call in calls_of(case["expect"])}
    own = {json.dumps([call["tool"], call["args"]], sort_keys=True): case["id"] for case in CASES for call in calls_of(case["expect"])}
    assert sorted(own[pair] for pair in pairs & set(own)) == []
