"""Structured answers: an answer is read as JSON, held to the schema that the run records, and asked for again once.

Nothing is invented: what is only written differently is read ("42" where a number is wanted), everything else is an objection.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tao.dialects.later import later
from tao.dialects.output import ANSWER, OUTPUT, THOUGHTS, broken_off, wanted
from tao.dialects.repair import Read, read_json, read_strict
from tao.dialects.schemas import arms, type_of, values
from tao.errors import BadArguments, ConfigError, InvalidOutput, both
from tao.events import Decided, Ended, Nudged
from tao.policies.checks import Check, checked
from tao.run import Run
from tao.seams import Policy
from tao.tools.form import Form
from tao.tools.validate import value as fitted

INVALID = "invalid_output"
"""Why a run ended whose answer does not fit what was asked for."""
BY, BY_TYPE = "output", "check:output"
"""Who objects: the schema, or the rules of the user's own type."""
_FENCED = later(r"(?:^|\n)[ \t]*(`{3,}|~{3,})[ \t]*[\w-]{0,20}[ \t]*\n(.*?)\n[ \t]*\1", 16)  # re.DOTALL
_OPEN = later(r"[{\[]")
_MEANT = later(r"[{\[]\s*[\"'“‘{\[]")
MOST_TRIES = 32


@dataclass(frozen=True, slots=True)
class Fit:
    """An answer that fits: its JSON text, and its value."""

    text: str
    value: Any


@dataclass(frozen=True, slots=True)
class Misfit:
    """An answer that does not, and why, in the run's language. `bare`: there is no JSON in it at all. `by`: who objects."""

    why: str
    bare: bool = False
    by: str = BY


def reading(schema: Mapping[str, Any], answer: str, lang: str = "en", form: Form | None = None) -> Fit | Misfit:
    """The answer as JSON that fits the schema, and the rules of the type where `form` has one; code fences and words around it are left out."""
    zh, first = lang.startswith("zh"), Misfit("")
    for text, value in _candidates(schema, answer):
        try:
            found = _checked(schema, value, lang)
        except BadArguments as error:
            first = first if first.why else Misfit(str(error))
            continue
        kept = text.strip() if _plain(text, found) else _written(found)
        objection = form.objection(kept) if form else None
        return Fit(kept, found) if objection is None else Misfit(objection, by=BY_TYPE)
    if broken_off(answer):
        return Misfit("JSON 中途断开了" if zh else "the JSON breaks off", bare=True)
    if first.why:
        return first
    return Misfit("没有 JSON" if zh else "it is not JSON", bare=True)


def _candidates(schema: Mapping[str, Any], answer: str) -> Iterator[tuple[str, Any]]:
    """What of an answer may be the JSON: all of it, the only fenced block, the only object or list in it; for a text, the text."""
    whole = answer.strip()
    if (value := _alone(whole)) is not ...:
        yield whole, value
    fenced = [match[2] for match in _FENCED.finditer(answer)]
    if len(fenced) == 1 and (value := _alone(fenced[0])) is not ...:
        yield "", value
    elif not fenced and len(inside := _inside(answer)) == 1:
        yield "", inside[0]
    if whole and (any(map(_takes_text, arms(schema, schema))) or _is_plain(schema, whole)):
        yield "", whole


def _takes_text(arm: Mapping[str, Any]) -> bool:
    """Whether the arm is about texts, and not just about anything."""
    listed = values(arm)
    return any(isinstance(value, str) for value in listed) if listed is not None else type_of(arm) == "string"


def _is_plain(schema: Mapping[str, Any], text: str) -> bool:
    """Whether the text is the number or the truth value that the schema wants, written as people do (2,102,650)."""
    if not any(type_of(arm) in {"integer", "number", "boolean"} for arm in arms(schema, schema)):
        return False
    try:
        fitted(schema, text, "en")
    except BadArguments:
        return False
    return True


def _alone(text: str) -> Any:
    """The JSON value that the text is; Ellipsis where it is none, or not surely whole."""
    read = read_json(text, len(text) - len(text.lstrip()), sealed=False)
    return read.value if isinstance(read, Read) and not read.cut and not text[read.end :].strip() else ...


def _inside(answer: str) -> list[Any]:
    """The objects and lists that stand in a text, from left to right; none where one breaks off or cannot be read, whose parts are not what was meant."""
    inside, at = [], 0
    for _ in range(MOST_TRIES):
        found = _OPEN.search(answer, at)
        if found is None:
            break
        read = read_strict(answer, found.start())
        read = read if isinstance(read, Read) else read_json(answer, found.start())
        whole = isinstance(read, Read) and not read.cut and not (read.mended and _is_prose(read.value))
        if not whole and (broken_off(answer[found.start() :]) or _MEANT.match(answer, found.start())):
            return []
        if isinstance(read, Read) and whole:
            inside.append(read.value)
        at = read.end if isinstance(read, Read) and whole else found.end()
    return inside


def _is_prose(value: Any) -> bool:
    """Whether it is words in brackets that only read like a list (see below)."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _checked(schema: Mapping[str, Any], value: Any, lang: str) -> Any:
    """The value as the schema has it, without an envelope that the schema does not ask for. Raises BadArguments."""
    try:
        return fitted(schema, value, lang)
    except BadArguments:
        if isinstance(value, Mapping) and ANSWER in value and set(value) <= {ANSWER, *THOUGHTS} and ANSWER not in schema.get("properties", ()):
            return fitted(schema, value[ANSWER], lang)
        if isinstance(value, Mapping) and ANSWER in value and isinstance(value[ANSWER], Mapping) and set(value) <= {ANSWER, *THOUGHTS}:
            return fitted(schema, value[ANSWER], lang)  # the answer's own form has a key of that name
        raise


def _plain(text: str, value: Any) -> bool:
    """Whether the text is exactly this value, written as JSON defines it."""
    read = read_strict(text.strip()) if text else None
    return isinstance(read, Read) and _written(read.value) == _written(value)  # 1, 1.0 and true are equal to Python


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


# ── the policy ────────────────────────────────────────────────────────────────


def held(policy: Policy, settings: Mapping[str, Any], checks: Iterable[Check] = (), form: Form | None = None) -> Policy:
    """The policy, with a user's own checks and the form of the answer that a run's recorded settings name.

    The rules of the form's own type count where its schema is the recorded one. Raises ConfigError.
    """
    policy = checked(policy, checks, int(settings.get("check_times", 1)))
    schema = settings.get(OUTPUT)
    return structured(policy, schema, form if form and form.schema == schema else None) if isinstance(schema, Mapping) else policy


def structured(policy: Policy, schema: Mapping[str, Any], form: Form | None = None) -> Policy:
    """A policy under which an answer has to fit: it is asked for again once, and a run that has none ends as "invalid_output".

    Whatever ends the run, its answer fits the schema unless the reason is "invalid_output"; then it is the text as it was.
    """

    def decide(run: Run) -> Nudged | Ended | None:
        answer, verdict = run.proposed, policy(run)
        if answer is None:
            return _given_up(run, verdict) if isinstance(verdict, Ended) and verdict.answer is not None else verdict
        read = reading(schema, answer, run.asked.lang, form)
        if isinstance(read, Misfit):
            return _again(run, read) or _closed(run, verdict, answer, read)
        if isinstance(verdict, Ended):
            return replace(verdict, answer=read.text)
        return verdict or (None if read.text == answer else Ended("answered", read.text))

    def _again(run: Run, read: Misfit) -> Nudged | None:
        """The objection, where there was none yet and the policy has room for one more reply."""
        if any(nudge.by in {BY, BY_TYPE} for nudge in run.all(Nudged)):
            return None
        words = _words(run, read)
        after = policy(Run(run.id, [*run.events, Nudged(words, read.by, at=run.events[-1].at)]))
        if isinstance(after, Ended):
            return None
        return Nudged(words, read.by, may_call=not read.bare and (after is None or after.may_call))

    def _given_up(run: Run, verdict: Ended) -> Ended:
        read = reading(schema, str(verdict.answer), run.asked.lang, form)
        return replace(verdict, answer=read.text) if isinstance(read, Fit) else _closed(run, verdict, str(verdict.answer), read)

    def _closed(run: Run, verdict: Nudged | Ended | None, answer: str, read: Misfit) -> Ended:
        """The end, with an earlier answer that did fit where there was one."""
        ended = verdict if isinstance(verdict, Ended) else Ended("answered")
        for event in reversed(list(run.all(Decided))):
            earlier = None if event.answer is None else reading(schema, event.answer, run.asked.lang, form)
            if isinstance(earlier, Fit):
                return replace(ended, answer=earlier.text, detail=_joined(ended.detail, _unfit(run, read, last=True)))
        return Ended(INVALID, answer, _joined(ended.detail, _unfit(run, read)))

    def _words(run: Run, read: Misfit) -> str:
        shown = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
        why = read.why.rstrip(".。")
        if run.asked.lang == "zh":
            return f"最终答案不符合要求的形式：{why}。请重新给出最终答案，只写符合以下模式的 JSON：{shown}"
        return f"The final answer does not have the form that was asked for: {why}. Give the final answer again, as JSON that fits this schema and nothing else: {shown}"

    return decide


def _unfit(run: Run, read: Misfit, *, last: bool = False) -> str:
    """What a person is told of an answer that does not fit."""
    why = read.why.rstrip(".。")
    if run.asked.lang == "zh":
        return f"最后一个答案不符合要求的形式，采用之前的答案：{why}。" if last else f"答案不符合要求的形式：{why}。"
    if last:
        return f"The last answer does not have the form that was asked for, so the one before it stands: {why}."
    return f"The answer does not have the form that was asked for: {why}."


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


# ── afterwards ────────────────────────────────────────────────────────────────


def parsed(run: Run, form: Form | None = None) -> Any:
    """The answer of a finished run: as an object of the form's type, else as plain JSON values.

    Raises InvalidOutput where the run has no answer that fits, and ConfigError where it was asked for plain text.
    """
    schema = wanted(run)
    if schema is None:
        raise ConfigError(both(
            f"run {run.id} was asked for an answer in plain words; give the agent output=…", f"运行 {run.id} 要求的是文字答案；请给 Agent 传入 output=…",
        ))  # fmt: skip
    if run.ended is None or run.answer is None or run.ended.reason == INVALID:
        why = f"{run.ended.reason}: {run.ended.detail}" if run.ended else run.state
        raise InvalidOutput(both(
            f"run {run.id} has no answer that fits ({why})", f"运行 {run.id} 没有符合要求的答案（{why}）",
        ))  # fmt: skip
    try:
        return json.loads(run.answer) if form is None else form.typed(run.answer)
    except (ValueError, RecursionError) as error:
        raise InvalidOutput(both(
            f"the answer of run {run.id} does not fit the type that is wanted now: {error}", f"运行 {run.id} 的答案不符合现在要求的类型：{error}",
        )) from error  # fmt: skip
