"""Looking at an answer before it is given: pure checks by code, no model call.

Each objects at most once in a run. What they catch is where small models fail: one of two things looked up, a number of
the question left out, a result worked out in the head, an answer about something that no observation mentions.
"""

import re
from collections.abc import Iterator

from tao.arithmetic import follows, same
from tao.events import Decided, Nudged
from tao.facts import findings, known, mentions, missing, names, paired, subjects, told_of, year
from tao.messages import Observation
from tao.policies.roughly import roughly, without_known_moments, without_known_spans
from tao.policies.texts import say
from tao.quantities import Number, codes, dates, expressions, number_words, numbers
from tao.run import Run, canonical

REFUSAL = re.compile(
    r"\b(not?|n[o']t|cannot|unable|without|any)\b[^.!?]{0,30}\b(found|find|know|known|information|data|results?|records?|available|determine|answer|exist)"
    r"|unknown|(?:没有?|未|无|缺乏|找不到|查不到|不知道|不存在)[^，。！？]{0,10}(数据|信息|记录|资料|结果|相关|找到|查到|答案|确定|得知)|找不到|查不到|不知道|无法|未知|不存在",
    re.IGNORECASE,
)
AMOUNT = re.compile(r"\bhow (many|much)\b|difference|\btimes\b|多少|几|相差|一共|总共|合计|乘|倍", re.IGNORECASE)
WEEKS = re.compile(r"\bweeks?\b|周|星期|礼拜", re.IGNORECASE)
THING = re.compile(r"\bhow many ([a-z]{4,})|多少[个名位条座家辆件台]?((?![万亿])[\u4e00-\u9fff]{2,4}?)(?=[？?，,。！!\s]|$)", re.IGNORECASE)
"""What is asked to be counted."""
COMMON = frozenset("about does each from given have item items left many more number that their them there they thing things this what when which with your".split())
ADDS = re.compile(r"\b(?:in total|together|altogether|combined|more|fewer|less)\b|[一总]共|合计|共有|相差|比", re.IGNORECASE)
"""That numbers of one kind are to be added, or taken from each other."""
EACH = re.compile(r"\b(each|respectively)\b|各|分别", re.IGNORECASE)
SMALL = 12
"""Counts up to a dozen are said without being looked up."""


def verify(run: Run) -> Nudged | None:
    """The first objection to the answer that the run ends with, if there is one."""
    answer = run.proposed
    if answer is None or not run.asked.tools:
        return None
    raised = {nudge.by for nudge in run.all(Nudged)}
    for check in (unsearched, uncovered, uncompared, overlooked, slipped, strayed, unused, unmentioned, ungrounded):
        name = check.__name__
        if name not in raised and (values := check(run, answer)) is not None:
            return _objection(run, name, values)
    return None


def refuses(answer: str) -> bool:
    """Whether the answer says that it could not be found."""
    return REFUSAL.search(answer.replace("n't", " not")) is not None


def unsearched(run: Run, answer: str) -> dict[str, str] | None:
    """"Not found" although nothing was looked for."""
    return {} if refuses(answer) and not run.observed else None


def uncovered(run: Run, answer: str) -> dict[str, str] | None:
    """One of several names of a kind in the question was looked up, another was not."""
    lacking = () if refuses(answer) or not told_of(run) else missing(run)
    return {"name": lacking[0]} if lacking else None


def uncompared(run: Run, answer: str) -> dict[str, str] | None:
    """How much one thing differs from another was asked, and the answer is just a number that was looked up."""
    question = run.asked.question
    if not AMOUNT.search(question) or EACH.search(question) or refuses(answer):
        return None
    told = [text for _, text in findings(run)]
    pair = [name for name in names(question) if mentions(told, name) and paired(name, question)]
    fetched = {n.value for text in told for n in numbers(text)}
    said = numbers(answer)
    worked = {n.value for call, seen in told_of(run) if len(numbers(canonical(call.args))) > 1 for n in numbers(seen.text)}
    if len(pair) < 2 or not said or any(n.value not in fetched or n.value in worked for n in said):
        return None
    return {"first": pair[0], "second": pair[1]}


def overlooked(run: Run, answer: str) -> dict[str, str] | None:
    """The last call gave one date, or (where an amount was asked for) one number, and the answer gives others.

    Or an earlier call worked one date out from another, and the answer gives only what went into it.
    """
    if not told_of(run) or refuses(answer):
        return None
    told = dates(answer)
    for call, seen in reversed(told_of(run)):
        days, given = dates(seen.text) if _bare(seen) else (), dates(canonical(call.args))
        if len(days) == 1 and given and told and set(told) <= set(given) - set(days):
            return {"result": days[0]}
    last = told_of(run)[-1][1]
    if not _bare(last):
        return None
    days = dates(last.text)
    if len(days) == 1 and told and days[0] not in told and not set(told) <= set(known(run).dates):
        return {"result": days[0]}
    result, said = numbers(last.text), numbers(answer)
    if len(result) != 1 or not said or not AMOUNT.search(run.asked.question):
        return None
    value = result[0].value
    found = (value, -value)  # -14 days are 14 days ago
    return None if any(same(n.value, one) or same(one, n.value) or roughly(n, answer, [one]) for n in said for one in found) else {"result": f"{value:g}"}


def _bare(seen: Observation) -> bool:
    """Whether the observation is a value and no words."""
    return seen.ok and not re.search(r"[A-Za-z\u4e00-\u9fff]{3,}", seen.text)


def slipped(run: Run, answer: str) -> dict[str, str] | None:
    """A step said which sum of known numbers it would do, did another, and nobody did it later; its tool is to do it now."""
    if refuses(answer):
        return None
    have = known(run).values
    done = [{n.value for part in expressions(canonical(call.args)) for n in numbers(part)} for call, _ in told_of(run)]
    for step in run.all(Decided):
        summing = next((call.tool for call in step.calls if expressions(canonical(call.args))), None)
        if summing is None:
            continue
        for planned in expressions(step.thought):
            parts = {n.value for n in numbers(planned)}
            grounded = len(parts) > 1 and all(follows(value, have) for value in parts)
            if grounded and not any(all(follows(value, made) for value in parts) for made in done if made):
                return {"expression": planned, "tool": summing}
    return None


def strayed(run: Run, answer: str) -> dict[str, str] | None:
    """How many of a thing two names have together was asked, it was found of both, and the last sum was made of other numbers."""
    question = run.asked.question
    asked, sums = THING.search(question), [said for call, _ in told_of(run) if (said := " ".join(expressions(canonical(call.args))))]
    if asked is None or not sums or not ADDS.search(question) or refuses(answer):
        return None
    thing, lines = asked[1] or asked[2], [line for _, text in findings(run) for line in text.split("\n")]
    of_each = [[n for line in lines if mentions([line], name) for n in _counts(thing, line)] for name in names(question)]
    counts = [found for found in of_each if found]
    right = {value for found in counts for n in found for value in (n.value, n.scaled)}
    if len(counts) < 2 or any(value in right for n in numbers(sums[-1]) for value in (n.value, n.scaled)):
        return None
    first, second = (f"{found[0].scaled:.15g}" for found in counts[:2])
    return {"thing": thing, "first": first, "second": second}


def _counts(thing: str, text: str) -> Iterator[Number]:
    """The numbers that stand right beside a word: "520 employees", "employees: 520", "员工520人"."""
    stem = re.escape(thing.removesuffix("s") if thing.isascii() else thing)
    number = r"\d[\d,.]*[万亿]?"
    for match in re.finditer(rf"{stem}[^\d，。；,;.]{{0,6}}{number}|{number}[个名位]?\s?(?:[a-z]+\s)?{stem}", text, re.IGNORECASE):
        found = numbers(match[0])
        yield from found if len(found) == 1 else ()


def unused(run: Run, answer: str) -> dict[str, str] | None:
    """A quantity of the question that no call used, while the answer is a number."""
    question = run.asked.question
    if not told_of(run) or refuses(answer) or not (numbers(answer) or AMOUNT.search(question)):
        return None
    used = {v for text in _told(run) for n in numbers(text) for v in (n.value, n.scaled)}
    for text in (canonical(call.args) for call, _ in told_of(run)):
        used |= {v for n in numbers(text) for v in (n.value, n.scaled, 1 - n.value, n.value - 1, -n.value)}
    if WEEKS.search(question):
        used |= {value / 7 for value in used}
    for number in numbers(question):
        if not year(number) and not any(abs(value - other) < 1e-9 for value in (number.value, number.scaled) for other in used):
            return {"number": f"{number.value:g}%" if number.scaled == number.value / 100 else f"{number.value:g}"}
    return None


def unmentioned(run: Run, answer: str) -> dict[str, str] | None:
    """A name was searched for, and nothing that came back mentions it."""
    if refuses(answer):
        return None
    good = findings(run)
    sought, texts = [canonical(call.args) for call, _ in good], [text for _, text in good]
    lost = [name for name in subjects(run.asked.question) if mentions(sought, name) and not mentions(texts, name)]
    return {"name": lost[0]} if lost else None


def ungrounded(run: Run, answer: str) -> dict[str, str] | None:
    """A number or date of the answer that nobody said and that follows from nothing in one plain step; or one written onto an identifier (A1002314天)."""
    have = known(run)
    for code in codes(answer):
        if code not in have.codes and any(code.startswith(one) and code[len(one) :].isdigit() for one in have.codes):
            return {"value": code}
    days = set(have.dates)
    for day in dates(answer):
        if day not in days:
            return {"value": day}
    values = [*have.values, *number_words(have.text)]
    amount = AMOUNT.search(run.asked.question) and (told_of(run) or _counted(run))
    for number in numbers(without_known_spans(without_known_moments(answer, have.dates, have.text), values)):
        exempt = ((_small(number) or year(number)) and not amount) or _dialled(number, have.text)
        if exempt or follows(number.value, values) or follows(number.scaled, values) or roughly(number, answer, values):
            continue
        return {"value": f"{number.value:g}"}
    return None


def _counted(run: Run) -> bool:
    """Whether a tool counts what the question asks for the number of: both ask how many, and share a word beside that (in stock)."""
    asked = _content(run.asked.question)
    return any(AMOUNT.search(tool.description) and not asked.isdisjoint(_content(tool.description)) for tool in run.asked.tools)


def _content(text: str) -> set[str]:
    """The words of a text that say what it is about: longer English ones, and pairs of Chinese characters."""
    rest = AMOUNT.sub(" ", text.casefold())
    return {word for word in re.findall(r"[a-z]{4,}", rest) if word not in COMMON} | set(re.findall(r"(?=([\u4e00-\u9fff]{2}))", rest))


def _dialled(number: Number, text: str) -> bool:
    """Whether its digits stand in the text with blanks, hyphens or brackets between them, as in numbers to call."""
    return number.value >= 1e6 and number.value.is_integer() and f"{number.value:.0f}" in re.sub(r"(?<=\d)[\s()-]+(?=\d)", "", text)


def _objection(run: Run, check: str, values: dict[str, str]) -> Nudged:
    lang, only = run.asked.lang, values.get("tool")  # the one tool that can do what is asked for now
    return Nudged(
        say(lang, check, **values),
        check,
        may_call=check != "overlooked",
        may_answer=check in {"unmentioned", "overlooked"},
        hide=True,
        without=tuple(tool.name for tool in run.asked.tools if tool.name != only) if only else (),
        lead=say(lang, f"{check}.lead", **values),
    )


def _told(run: Run) -> list[str]:
    """The arguments of every call and the text of every good observation."""
    return [part for call, seen in told_of(run) for part in (canonical(call.args), seen.text if seen.ok else "")]


def _small(number: Number) -> bool:
    return 0 <= number.value <= SMALL and number.value == int(number.value) and number.value == number.scaled
