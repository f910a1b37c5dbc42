"""Whether an answer is right. Each grader is a pure function of the task and the answer; `judge.py` asks a model instead.

| name | right where |
|---|---|
| exact | the texts are the same, but for case, width, white space and marks around them |
| em | the same by the rule of HotpotQA and SQuAD: no case, punctuation or articles |
| number | the last number that the answer brings is the wanted one, within `tolerance` (0.01, or "1%") |
| date | the answer holds the wanted date, in any usual form |
| contains | the answer holds one of the alternatives (`all`: every one of them) |
| regex | the pattern is found in the answer |
| json_schema | the answer is JSON that fits the schema |
| python | a function of yours says so: "FILE.py:function" |
| judge | a model says so |
| unknown | the answer says that it cannot be known |
"""

import json
import math
import re
import string
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tao.errors import ConfigError, both
from tao.evaluation.spellings import amounts, days, two_ways
from tao.evaluation.tasks import Task
from tao.policies.verify import refuses
from tao.quantities import Number, dates, number_words, numbers

ALIASES = {
    "text": "contains", "includes": "contains", "match": "exact", "exact_match": "em", "json": "json_schema", "schema": "json_schema",
    "jsonschema": "json_schema", "regexp": "regex", "function": "python", "python_function": "python", "model": "judge", "llm": "judge",
    "judge_model": "judge", "llm_judge": "judge", "numeric": "number", "refusal": "unknown",
}  # fmt: skip
SETTINGS = {
    "contains": "all", "number": "tolerance", "regex": "pattern", "json_schema": "schema", "python": "function", "judge": "rubric",
}  # fmt: skip
"""By the grader's name, the setting that it takes beside `type`; the others take none."""
LEAKED = re.compile(
    r"""["'](?:name|arguments|tool|action|action_input)["']\s*:|<tool_call|<function=|<\|im_|(?:^|\n)\s*(?:Action(?: Input)?|行动(?:输入)?)\s*[:：]""",
    re.IGNORECASE,
)
"""A call, or a piece of the prompt, that ended up in an answer: whatever else it says, nobody would call it right."""
_FENCE = re.compile(r"```(?:json\b)?\s*(.*?)\s*```", re.DOTALL | re.IGNORECASE)
_MINUS = re.compile(r"(?<!\d[\u4e00-\u9fff])(?<=[\u4e00-\u9fff])[-−－](?=\d)")
"""A sign right behind a Chinese word (答案是-5), which is no span (3月-5月)."""
_ONLY_ONE = re.compile(r"one|一[个只本张条位次天年月周倍层件块元种家人台页名座公米]?")
_NEGATIVE = re.compile(r"\b(?:minus|negative)\s+\w", re.IGNORECASE)
NO_ANSWER = both("no answer", "没有回答")
CHINESE = {
    "type": "不是类型 {wanted}", "enum": "不在 {wanted} 之中", "const": "不是 {wanted}", "minimum": "小于 {wanted}", "maximum": "大于 {wanted}",
    "exclusiveMinimum": "不大于 {wanted}", "exclusiveMaximum": "不小于 {wanted}", "multipleOf": "不是 {wanted} 的倍数",
    "minLength": "短于 {wanted} 个字符", "maxLength": "长于 {wanted} 个字符", "pattern": "不符合模式 {wanted}", "format": "不是 {wanted} 格式",
    "minItems": "少于 {wanted} 项", "maxItems": "多于 {wanted} 项", "uniqueItems": "有重复的项", "additionalProperties": "有未定义的字段",
    "anyOf": "不符合任何一种可选形式", "oneOf": "不是恰好符合一种可选形式",
}  # fmt: skip
"""By the keyword of a JSON schema, what is wrong with a value."""
_ALIKE = str.maketrans("‘’“”‐‑–−", "''\"\"----")
_AROUND = "*`'\"()[]{}=,;:!?、。，；：！？「」『』（）《》【】…· "
_ENDINGS = "."
_BULLET = re.compile(r"^(?:#+|>|[-+•]) ")
_PAIRED = re.compile(r"^([_$])([^_$]+)\1$")


@dataclass(frozen=True, slots=True)
class Grade:
    """What a grader said. `score` is 0 to 1, `right` whether it counts as solved, `why` for people: a line, or one in English and one in Chinese."""

    right: bool
    score: float
    why: str = ""


def yes(right: bool, why: str = "") -> Grade:  # noqa: FBT001 - it is the value
    """A grade without shades."""
    return Grade(right, float(right), why)


def kind_of(task: Task) -> str:
    """The grader's own name. Raises ConfigError where there is none of that name."""
    name = task.grader.strip().lower().replace("-", "_").replace(" ", "_")
    name = ALIASES.get(name, name)
    if name not in {*GRADERS, "python", "judge"}:
        known = ", ".join([*GRADERS, "python", "judge"])
        raise ConfigError(both(
            f"task {task.id}: unknown grader {task.grader!r}; there are: {known}",
            f"任务 {task.id}：没有名为 {task.grader!r} 的评分方式；可用：{known}",
        ))  # fmt: skip
    return name


def grade(task: Task, answer: str | None) -> Grade:
    """Grade by a pure grader. Raises ConfigError where the task's own answer makes no sense to it."""
    name = kind_of(task)
    if answer is None or not answer.strip():
        return yes(False, NO_ANSWER)  # noqa: FBT003
    if name != "json_schema" and LEAKED.search(answer) and not any(LEAKED.search(wanted) for wanted in task.wanted):
        return yes(False, both("a call or a piece of the prompt leaked into the answer", "答案中混入了调用或提示词的片段"))  # noqa: FBT003
    return GRADERS[name](task, answer)


def check(task: Task) -> None:
    """Raise ConfigError where a task can never be graded: unknown grader or setting, wrong pattern, an answer that is no number or date."""
    name = kind_of(task)
    takes = SETTINGS.get(name)
    for key in task.options:
        if key != takes:
            raise ConfigError(both(
                f"task {task.id}: grader {task.grader!r} takes {f'the setting `{takes}`' if takes else 'no settings'}, not `{key}`",
                f"任务 {task.id}：评分方式 {task.grader!r} {f'的设置只有 `{takes}`' if takes else '没有设置'}，没有 `{key}`",
            ))  # fmt: skip
    if name in {"exact", "em", "contains"} and (task.answer is None or (name != "contains" and not any(map(str.strip, task.wanted)))):
        raise _unfit(task, "the right answer in `answer`", "`answer` 字段中的正确答案")
    if name in GRADERS:
        GRADERS[name](task, "0")


# ── texts ─────────────────────────────────────────────────────────────────────


def plain(text: str) -> str:
    """A text without differences of case, width, white space, quotes and dashes, and without marks around it: -5, 50% and C++ stay what they are."""
    whole = " ".join(unicodedata.normalize("NFKC", text).translate(_ALIKE).casefold().split())
    bare = _PAIRED.sub(r"\2", _BULLET.sub("", whole).lstrip(_AROUND).rstrip(_AROUND + _ENDINGS))
    return bare or whole


def normal(text: str) -> str:
    """The normal form of SQuAD's and HotpotQA's exact match: no case, ASCII punctuation, English articles or extra white space."""
    text = "".join(character for character in text.lower() if character not in string.punctuation)
    return " ".join(re.sub(r"\b(?:a|an|the)\b", " ", text).split())


def _exact(task: Task, answer: str) -> Grade:
    """What is wanted as a number, an object or a list in a list is also right where the answer is that value, however written, as JSON."""
    return yes(any(plain(answer) == plain(wanted) for wanted in task.wanted) or _same_value(task, answer))


def _same_value(task: Task, answer: str) -> bool:
    values = [wanted for wanted in (task.answer if isinstance(task.answer, list) else [task.answer]) if not isinstance(wanted, str | bool | None)]
    try:
        return bool(values) and not isinstance(value := json.loads(answer), bool) and value in values
    except (ValueError, RecursionError):
        return False


def _em(task: Task, answer: str) -> Grade:
    return yes(any(normal(answer) == normal(wanted) for wanted in task.wanted))


def _contains(task: Task, answer: str) -> Grade:
    """Alternatives are a list, or stand in one text with | between. A number is no part of a longer one."""
    options = [part for wanted in task.wanted for part in (wanted.split("|") if not isinstance(task.answer, list) else [wanted])]
    options = [option for option in map(_flat, options) if option]
    if not options:
        raise _unfit(task, "a text, texts with | between, or a list of texts", "文本、以 | 分隔的文本，或文本列表")
    text = _flat(answer)
    forms = {it: (r"(?<![\d.])" if it[0].isdigit() else "") + re.escape(it) + (r"(?!\d|\.\d)" if it[-1].isdigit() else "") for it in options}
    missing = [option for option, form in forms.items() if not re.search(form, text)]
    enough = not missing if task.options.get("all") else len(missing) < len(forms)
    return yes(enough, "" if enough else both(f"missing: {', '.join(missing)}", f"缺少：{'、'.join(missing)}"))


def _flat(text: str) -> str:
    text = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", unicodedata.normalize("NFKC", text))
    return " ".join(text.casefold().split())


def _regex(task: Task, answer: str) -> Grade:
    given = task.options.get("pattern", task.answer)
    patterns = given if isinstance(given, list) else [given]
    try:
        return yes(any(re.search(pattern, answer) for pattern in patterns))
    except (re.error, TypeError) as error:
        raise _unfit(task, f"a regular expression ({error})", f"正则表达式（{error}）") from error


def _unknown(task: Task, answer: str) -> Grade:  # noqa: ARG001
    return yes(refuses(answer))


# ── values ────────────────────────────────────────────────────────────────────


def _number(task: Task, answer: str) -> Grade:
    """Thousands separators, fractions, powers, percent, 万, million and Chinese numerals are read; numbers of the question do not count."""
    wanted = [number for text in task.wanted for number in numbers(amounts(text))]
    if not wanted:
        raise _unfit(task, "a number", "数字")
    asked = {value for number in numbers(amounts(task.question)) for value in (number.value, number.scaled)}
    told = numbers(_MINUS.sub(" -", amounts(answer))) or _in_words(answer)
    if not told and len(dates(answer)) == 0:
        return yes(False, both("no number in the answer", "答案中没有数字"))  # noqa: FBT003
    new = [number for number in told if not {number.value, number.scaled} <= asked or any(_near(task, number, want) for want in wanted)]
    last = (new or list(told))[-1:]
    right = any(_near(task, number, want) for number in last for want in wanted)
    return yes(right, "" if right or not last else both(f"the last number is {last[0].value:g}", f"最后的数字是 {last[0].value:g}"))


def _in_words(answer: str) -> tuple[Number, ...]:
    """Numbers said in words; a "one" in a sentence is none ("no one", "one of them")."""
    if _ONLY_ONE.fullmatch(plain(answer)):
        return (Number(1.0, 1.0),)
    sign = -1 if _NEGATIVE.search(answer) else 1
    return tuple(Number(sign * it, sign * it) for it in number_words(answer) if it != 1)


def _near(task: Task, got: Number, want: Number) -> bool:
    return any(abs(a - b) <= _slack(task, b) for a, b in ((got.value, want.value), (got.scaled, want.scaled), (got.scaled, want.value)))


def _slack(task: Task, value: float) -> float:
    """How far off a number may be; by default half a cent, or a ten-thousandth of it."""
    given = task.options.get("tolerance", task.record.get("tolerance"))
    if given is None:
        return max(0.005, abs(value) * 1e-4)
    try:
        slack = abs(value) * float(given.rstrip("% ")) / 100 if isinstance(given, str) and given.endswith("%") else float(given)
    except (TypeError, ValueError):
        slack = math.nan
    if not 0 <= slack < math.inf:
        raise _unfit(task, f'a tolerance such as 0.5 or "1%", not {given!r}', f'容差，如 0.5 或 "1%"，而不是 {given!r}')
    return slack


def _date(task: Task, answer: str) -> Grade:
    wanted = [day for text in task.wanted for day in dates(days(text))]
    if not wanted:
        raise _unfit(task, "a full date such as 2026-11-30", "完整日期，如 2026-11-30")
    told, unsure = dates(days(answer)), two_ways(answer)
    right = any(day in told for day in wanted)
    english, chinese = (f"; {', '.join(unsure)} has two readings", f"；{'、'.join(unsure)} 有两种读法") if unsure else ("", "")
    return yes(right, "" if right else both(
        f"dates in the answer: {', '.join(told) or 'none'}{english}", f"答案中的日期：{'、'.join(told) or '没有'}{chinese}",
    ))  # fmt: skip


def _json_schema(task: Task, answer: str) -> Grade:
    """The answer, or the one fenced block in it, as JSON, against `schema` (or `answer`, where that is the schema)."""
    schema = task.options.get("schema", task.record.get("schema", task.answer))
    if not isinstance(schema, Mapping):
        raise _unfit(task, "a JSON schema in `schema`", "`schema` 字段中的 JSON Schema")
    problem = _validator(task, schema)
    fenced = _FENCE.findall(answer)
    try:
        value = json.loads((fenced[0] if len(fenced) == 1 else answer).removeprefix("\ufeff"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        return yes(False, both(f"the answer is not JSON: {error}", f"答案不是 JSON：{_place(error)}"))  # noqa: FBT003
    why = problem(value)
    return yes(not why, why)


def _no_constant(name: str) -> None:
    raise ValueError(name)  # NaN and the infinities are no JSON


def _validator(task: Task, schema: Mapping[str, Any]) -> Callable[[Any], str]:
    """What is wrong with a value by this schema; "" where nothing is."""
    try:
        import jsonschema  # noqa: PLC0415 - an extra
        import referencing.exceptions  # noqa: PLC0415
        from jsonschema.validators import validator_for  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(both(
            "grader json_schema needs the extra `eval`: pip install 'tao-agent[eval]'",
            "评分方式 json_schema 需要安装附加组件 `eval`：pip install 'tao-agent[eval]'",
        )) from error  # fmt: skip
    kind = validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(schema)
    except jsonschema.SchemaError as error:
        raise _unfit(task, f"a valid JSON schema ({error.message})", f"有效的 JSON Schema（{error.message}）") from error
    checker = kind(schema, format_checker=kind.FORMAT_CHECKER, registry=referencing.Registry())  # what is not in the schema is not fetched

    def problem(value: Any) -> str:
        try:
            found = jsonschema.exceptions.best_match(checker.iter_errors(value))
        except referencing.exceptions.Unresolvable as error:
            raise _unfit(task, f"a JSON schema that holds what it refers to ({error.ref})", f"包含其所引用内容的 JSON Schema（{error.ref}）") from error
        return both(f"{found.json_path}: {found.message}", f"{found.json_path}：{_in_chinese(found)}") if found else ""

    return problem


def _place(error: ValueError | RecursionError) -> str:
    return f"第 {error.lineno} 行第 {error.colno} 列出错" if isinstance(error, json.JSONDecodeError) else "嵌套过深" if isinstance(error, RecursionError) else str(error)


def _in_chinese(error: Any) -> str:
    """What jsonschema objects to, by the keyword that it names."""
    wanted, value = error.validator_value, json.dumps(error.instance, ensure_ascii=False, default=str)
    shown = f"{value[:57]}…" if len(value) > 58 else value
    if error.validator == "required":
        missing = [name for name in wanted if name not in error.instance]
        return f"缺少 {'、'.join(missing)}"
    if error.validator is None:
        return f"{shown} 不被允许"  # the schema `false`
    said = json.dumps(wanted, ensure_ascii=False, default=str)
    return f"{shown} {CHINESE.get(error.validator, '不符合 {keyword}：{wanted}').format(wanted=said, keyword=error.validator)}"


def _unfit(task: Task, wanted: str, chinese: str) -> ConfigError:
    return ConfigError(both(
        f"task {task.id}: grader {task.grader!r} wants {wanted}; it has {task.answer!r:.80}",
        f"任务 {task.id}：评分方式 {task.grader!r} 需要{chinese}；现有 {task.answer!r:.80}",
    ))  # fmt: skip


GRADERS: Mapping[str, Callable[[Task, str], Grade]] = {
    "exact": _exact, "em": _em, "number": _number, "date": _date, "contains": _contains, "regex": _regex, "json_schema": _json_schema,
    "unknown": _unknown,
}  # fmt: skip
