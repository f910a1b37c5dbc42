"""Graders: what is right, what is not, and what cannot be graded."""

import json

import pytest

from tao.errors import ConfigError
from tao.evaluation.graders import GRADERS, check, grade, kind_of, normal
from tao.evaluation.tasks import Task
from tao.evaluation.words import in_both


def task(grader, answer, question="?", **options):
    return Task("t", question, answer, grader, options)


RIGHT = {
    "exact: case, width, white space, marks": ("exact", "Ｐaris", " paris. "),
    "exact: one of several": ("exact", ["NYC", "New York"], "new  york"),
    "exact: Chinese": ("exact", "北京", "“北京”。"),
    "exact: number": ("exact", 42, "42"),
    "em: articles and punctuation": ("em", "the Beatles", "Beatles!"),
    "number: in words around it": ("number", 42, "It is 42."),
    "number: the last one": ("number", 7, "3 + 4 = 7"),
    "number: thousands": ("number", 1234567, "about 1,234,567 people"),
    "number: 万": ("number", 5490000, "约 549 万"),
    "number: percent": ("number", 0.05, "5%"),
    "number: percent as said": ("number", "5%", "It rose by 5 %."),
    "number: rounding": ("number", 3.14159, "3.1416"),
    "number: negative": ("number", -3, "−3"),
    "number: negative in Chinese": ("number", -5, "答案是-5。"),
    "number: a span is no sign": ("number", 5, "3月-5月"),
    "date: ISO": ("date", "2025-04-12", "That is 2025-04-12."),
    "date: Chinese": ("date", "2025-04-12", "2025年4月12日"),
    "date: English": ("date", "2025-04-12", "April 12th, 2025"),
    "contains: alternatives": ("contains", "Paris|巴黎", "我在巴黎"),
    "contains: alias": ("text", "Ann|Bob", "it was bob"),
    "contains: thousands": ("contains", "1234", "1,234 items"),
    "regex": ("regex", r"^A\d{5}$", "A10023"),
    "unknown": ("unknown", None, "我找不到相关信息"),
}
RIGHT |= {
    "exact: a number": ("exact", 3.0, "3"), "exact: an object": ("exact", {"a": [1, "二"]}, '{"a":[1,"二"]}'), "exact: a list in a list": ("exact", [[1, 2]], "[1,2]"),
    "exact: true": ("exact", True, "True"), "number: in words": ("number", 25, "There are twenty-five of them."), "number: in Chinese words": ("number", 3, "一共三个"),
}
RIGHT |= {
    f"exact: {given}": ("exact", wanted, given) for wanted, given in (
        ("Paris", "**Paris**."), ("Paris", "# Paris"), ("Paris", "- _Paris_"), ("42", "$42$"), ("-5", "−5."), ("C++", "`C++`"), ("50%", "５０％"), ("don't", "Don’t!"), ("?", "？"), (".NET", ".net"),
    )
}  # fmt: skip
RIGHT |= {f"contains: {given}": ("contains", wanted, given) for wanted, given in (("-5", "it is -5."), ("version 2", "version 2."), ("$5", "$5, no more"))}
WRONG = {
    f"{grader}: {wanted} is not {given}": (grader, wanted, given) for grader, wanted, given in (
        ("exact", -5, "5"), ("exact", "A+", "A-"), ("exact", "C++", "C"), ("exact", "50%", "50"), ("exact", "$5", "5"), ("exact", ".5", "5"), ("exact", "@user", "user"), ("exact", "?", "!"),
        ("contains", "-5", "it is -55"), ("contains", "$5", "$50"), ("contains", "5", "5.5"), ("contains", "A1", "A10"), ("contains", "version 2", "version 2.1"),
    )
}  # fmt: skip
WRONG |= {
    "exact: true is not one": ("exact", 1, "true"), "exact: one is not true": ("exact", True, "1"), "number: no one": ("number", 1, "No one knows."),
    "exact": ("exact", "Paris", "Paris, France"),
    "em: another": ("em", "a b", "b c"),
    "number: another": ("number", 42, "43"),
    "number: only part of it": ("number", 42, "42 or 43"),
    "number: none": ("number", 42, "many"),
    "date: another": ("date", "2025-04-12", "2025-04-13"),
    "date: no year": ("date", "2025-04-12", "April 12"),
    "contains: part of a number": ("contains", "12", "2012 and 125"),
    "contains: nothing": ("contains", "x|y", "z"),
    "regex": ("regex", r"^A\d{5}$", "it is A10023"),
    "unknown": ("unknown", None, "It is 5."),
    "no answer": ("exact", "x", None),
    "empty": ("exact", "x", "  "),
    "leaked call": ("number", 42, '{"name": "add", "arguments": {"a": 42}}'),
    "leaked label": ("contains", "42", "Action: add\nAction Input: 42"),
    "leaked markup": ("contains", "42", "<tool_call>42"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right(name):
    grader, answer, given = RIGHT[name]
    assert grade(task(grader, answer), given).right


@pytest.mark.parametrize("name", WRONG)
def test_wrong(name):
    grader, answer, given = WRONG[name]
    verdict = grade(task(grader, answer), given)
    assert (verdict.right, verdict.score) == (False, 0.0)


def test_numbers_of_the_question_do_not_count():
    asked = task("number", 12, question="How many are 3 boxes of 4?")
    assert grade(asked, "3 boxes of 4 are 12").right
    assert grade(asked, "12, for 3 boxes of 4").right
    assert not grade(asked, "4").right


@pytest.mark.parametrize(("tolerance", "given", "right"), [(0.5, "41.6", True), (0.5, "41.4", False), ("10%", "45", True), ("10%", "47", False), (0, "42.001", False)])
def test_tolerance(tolerance, given, right):
    assert grade(task("number", 42, tolerance=tolerance), given).right == right


def test_all_of_several():
    assert grade(task("contains", ["a1", "b2"], all=True), "b2 and a1").right
    verdict = grade(task("contains", ["a1", "b2"], all=True), "a1")
    assert (verdict.right, verdict.why) == (False, "missing: b2\n缺少：b2")


def test_a_json_schema():
    pytest.importorskip("jsonschema", reason="the extra `eval` is not installed")
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]}
    asked = task("JSON schema", None, schema=schema)
    assert grade(asked, '{"n": 3, "more": true}').right
    assert grade(asked, 'Here:\n```json\n{"n": 3}\n```').right
    assert grade(asked, 'Here: ```json {"n": 3}```').right
    assert grade(asked, '\ufeff{"n": 3}').right
    assert not grade(task("json", {"type": "number"}), "NaN").right
    assert grade(asked, '{"n": 0}').why == "$.n: 0 is less than the minimum of 1\n$.n：0 小于 1"
    assert grade(asked, "n is 3").why == "the answer is not JSON: Expecting value: line 1 column 1 (char 0)\n答案不是 JSON：第 1 行第 1 列出错"
    assert grade(asked, '{"n":' * 9000).why.startswith("the answer is not JSON: ")
    assert grade(asked, '{"n":' * 9000 + "1" + "}" * 9000).why.startswith("the answer is not JSON: ")
    assert grade(task("json", {"type": "array"}), "[1]").right
    with pytest.raises(ConfigError, match="a valid JSON schema"):
        check(task("json_schema", None, schema={"type": "thing"}))
    with pytest.raises(ConfigError, match="a JSON schema in `schema`"):
        check(task("json_schema", "x"))


WHYS = {
    "nothing": (task("exact", "x"), "", "no answer", "没有回答"),
    "leaked": (task("exact", "x"), "Action: look", "a call or a piece of the prompt leaked into the answer", "答案中混入了调用或提示词的片段"),
    "all of them": (task("contains", ["巴黎", "罗马"], all=True), "巴黎", "missing: 罗马", "缺少：罗马"),
    "no number": (task("number", 4), "many", "no number in the answer", "答案中没有数字"),
    "number": (task("number", 4), "it is 5", "the last number is 5", "最后的数字是 5"),
    "date": (task("date", "2026-11-30"), "2026-11-29 or 2026-11-28", "dates in the answer: 2026-11-29, 2026-11-28", "答案中的日期：2026-11-29、2026-11-28"),
    "no date": (task("date", "2026-11-30"), "soon", "dates in the answer: none", "答案中的日期：没有"),
}


@pytest.mark.parametrize("name", WHYS)
def test_why_is_said_in_both_languages(name):
    asked, given, english, chinese = WHYS[name]
    assert in_both(grade(asked, given).why) == (english, chinese)


@pytest.mark.parametrize(("schema", "given", "chinese"), [
    ({"type": "integer"}, '"x"', '$："x" 不是类型 "integer"'), ({"enum": ["北京", "上海"]}, '"广州"', '$："广州" 不在 ["北京", "上海"] 之中'),
    ({"required": ["a", "b"]}, '{"a": 1}', "$：缺少 b"), ({"maxLength": 2}, '"abc"', '$："abc" 长于 2 个字符'),
    ({"items": {"minimum": 3}}, "[3, 2]", "$[1]：2 小于 3"), ({"additionalProperties": False}, '{"a": 1}', '$：{"a": 1} 有未定义的字段'),
    ({"dependentRequired": {"a": ["b"]}}, '{"a": 1}', '$：{"a": 1} 不符合 dependentRequired：{"a": ["b"]}'), (False, "1", "$：1 不被允许"),
    ({"maxItems": 1}, json.dumps(list(range(50))), f"$：{json.dumps(list(range(50)))[:57]}… 多于 1 项"),
    ({"not": {"type": "string"}}, '"x"', '$："x" 不符合 not：{"type": "string"}'),
])  # fmt: skip
def test_what_a_schema_objects_to_in_chinese(schema, given, chinese):
    pytest.importorskip("jsonschema", reason="the extra `eval` is not installed")
    whole = schema if isinstance(schema, dict) else {"allOf": [schema]}
    assert in_both(grade(task("json_schema", None, schema=whole), given).why)[1] == chinese


@pytest.mark.parametrize(("one", "said"), [
    (task("fuzzy", "x"), "unknown grader 'fuzzy'; there are: exact, em"),
    (task("exact", None), "wants the right answer in `answer`"),
    (task("number", "many"), "wants a number; it has 'many'"),
    (task("date", "soon"), "wants a full date such as 2026-11-30; it has 'soon'"),
    (task("regex", "("), "wants a regular expression"),
    (task("regex", None), "wants a regular expression"),
    (task("number", 4, tolerence=0.5), "takes the setting `tolerance`, not `tolerence`"),
    (task("number", 4, tolerance=0.5, all=True), "takes the setting `tolerance`, not `all`"),
    (task("exact", "a", tolerance=1), "takes no settings, not `tolerance`"),
    (task("number", 4, tolerance="wide"), "wants a tolerance such as 0.5"),
    (task("number", 4, tolerance=float("nan")), "wants a tolerance such as 0.5"),
    (task("number", 4, tolerance=-1), "wants a tolerance such as 0.5"),
    (task("exact", ""), "wants the right answer in `answer`"),
    (task("em", []), "wants the right answer in `answer`"),
    (task("json_schema", None, schema={"$ref": "#/nowhere"}), "wants a JSON schema that holds what it refers to"),
    (task("contains", ""), "wants a text, texts with"),
])  # fmt: skip
def test_what_can_never_be_graded_is_said_at_once(one, said):
    with pytest.raises(ConfigError, match=said):
        check(one)
    with pytest.raises(ConfigError, match=r"[\u4e00-\u9fff]"):
        check(one)


def test_what_a_schema_refers_to_is_not_fetched():
    pytest.importorskip("jsonschema", reason="the extra `eval` is not installed")
    with pytest.raises(ConfigError, match=r"refers to \(http://example.com/far\)"):
        grade(task("json_schema", None, schema={"properties": {"a": {"$ref": "http://example.com/far"}}}), '{"a": 1}')


def test_names():
    assert kind_of(task("JSON-Schema", None)) == "json_schema"
    assert kind_of(task("Exact Match", "x")) == "em"
    assert [kind_of(task(name, "x")) for name in ("Python function", "judge model")] == ["python", "judge"]
    assert set(GRADERS) <= {kind_of(task(name, "x")) for name in GRADERS}


def test_the_normal_form_of_squad():
    assert normal("The  Cat, a dog & an owl's") == "cat dog owls"
