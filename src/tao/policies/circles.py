"""Whether the last step of a run leads back to where it was: pure functions of the history, each with its own threshold.

A step is a decision with all its calls. It goes in circles only where every one of its calls does: one new thing is progress. What is done
to the world (a tool that does not only look) counts as the same only where it also gave the same.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from tao.events import Asked, Decided, Event, Observed
from tao.messages import Call, Observation
from tao.permissions.effects import NEVER_RAN, looks
from tao.policies.verify import refuses
from tao.run import Grown, Run, call_key

AGAIN = 3
"""The same call may give something else so often (a clock, a job that is waited for) before it counts as a circle."""
ALIKE = 0.75
"""The share of the words of two queries that are the same, from which on they ask the same."""
FRESH = 0.15
"""The share of an observation's words that have to be new for it to say something new."""
STALE = 3
"""So many steps in a row without anything new."""
CYCLES = 2, 4
"""Rounds of a cycle that count where each gave the same as the one before, and where they gave something else."""
LONGEST_CYCLE = 3
SHORT, SHORT_TIMES = 40, 4
"""An observation of fewer characters (391, true, 有货) may come so often for other arguments before that says anything."""
THOUGHT = 24
"""A thought of fewer characters, a Chinese one counting twice, is a phrase."""
FILLERS = frozenset(
    "a an the of in on at to for by from with and or is are was were be what which who whom when where how do does did about me please find search look tell "
    "information info details".split()
)
_WORD = re.compile(r"[^\W_\u3400-\u9fff]+|[\u3400-\u9fff]+")
_NOTHING = re.compile(r"\b(?:nothing|no (?:more |such )?(?:results?|match(?:es)?|entry|entries|records?|pages?|hits?)|0 (?:results?|match(?:es)?|hits?))\b|\s*(?:\[\]|\{\}|null|none)?\s*\Z", re.IGNORECASE)
_CODE = re.compile(r"[()\[\]{}=<>*/+^;|\\]")
_HAN_FILLERS = re.compile("[的是在了吗呢和与请问查询搜索一下什么]")


@dataclass(frozen=True, slots=True)
class Circle:
    """What is repeated: `kind` is the name of the function that saw it, `earlier` the call whose observation is known already."""

    kind: str
    tools: tuple[str, ...]
    earlier: Call | None = None
    seen: Observation | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A decision and what its calls gave, in call order; only the finished ones.

    `fresh` says of each whether enough of its words stand neither in the question nor in what was observed before the decision; `new` are the numbers among those.
    """

    thought: str
    done: tuple[tuple[Call, Observation], ...]
    keys: tuple[tuple[str, str], ...]
    new: tuple[frozenset[str], ...]
    fresh: tuple[bool, ...]

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the called tools, each once."""
        return tuple(dict.fromkeys(call.tool for call, _ in self.done))


def steps(run: Run) -> list[Step]:
    """The finished steps, in order."""
    return _taken(run).steps


@dataclass(slots=True)
class _Taken:
    """The finished steps, what came back of the decision that is under way, and which tools of the run do not only look.

    `times` says how often a thought came, a call's key, and what a tool gave; `known` are the words of the question and of what was
    observed before the decision, `lately` those of what was observed since.
    """

    steps: list[Step] = field(default_factory=list)
    under_way: Decided = field(default_factory=Decided)
    seen: dict[str, Observation] = field(default_factory=dict)
    changing: frozenset[str] = frozenset()
    times: defaultdict[tuple[str, ...], int] = field(default_factory=lambda: defaultdict(int))
    known: set[str] = field(default_factory=set)
    lately: list[frozenset[str]] = field(default_factory=list)


def _take(taken: _Taken, event: Event) -> _Taken:
    if isinstance(event, Asked):
        taken.changing = frozenset(spec.name for spec in event.tools if not looks(spec.effects))
        taken.known |= _words(event.question)
    elif isinstance(event, Decided):
        taken.known.update(*taken.lately)
        taken.under_way, taken.seen, taken.lately = event, {}, []
    elif isinstance(event, Observed):
        taken.seen[event.call_id] = event.observation
        taken.lately.append(_words(event.observation.text))
        calls = taken.under_way.calls
        if calls and taken.seen.keys() >= {call.id for call in calls}:
            _finish(taken, tuple((call, taken.seen[call.id]) for call in calls))
    return taken


def _finish(taken: _Taken, done: tuple[tuple[Call, Observation], ...]) -> None:
    """One more step: all calls of the decision that is under way have come back."""
    thought, keys, said = taken.under_way.thought, tuple(call_key(call) for call, _ in done), [_words(seen.text) for _, seen in done]
    unheard = [words.difference(taken.known) for words in said]
    fresh = tuple(len(new) > FRESH * len(words) for new, words in zip(unheard, said, strict=True))
    taken.steps.append(Step(thought, done, keys, tuple(frozenset(filter(str.isdecimal, new)) for new in unheard), fresh))
    for what in (*keys, *((call.tool, "gave", seen.text.strip()) for call, seen in done), (_plain(thought),)):
        taken.times[what] += 1


_taken = Grown(_Taken, _take)


def _earlier(before: list[Step]) -> Iterator[tuple[tuple[str, str], Call, Observation]]:
    """Every call of these steps with its key and what it gave, the latest first."""
    for step in reversed(before):
        for key, (call, seen) in zip(reversed(step.keys), reversed(step.done), strict=True):
            yield key, call, seen


def circle(run: Run) -> Circle | None:
    """How the last step leads back, by the first of the functions below that sees it; None where it leads on."""
    taken = steps(run)
    if len(taken) < 2 or _leads_on(run, taken[-1]):
        return None
    return next((found for look in (same_call, cycle, same_observation, alike, same_thought, stale) if (found := look(run, taken))), None)


def _leads_on(run: Run, last: Step) -> bool:
    """Whether a call of the step came for the first time and one says something new, as mostly: none of the functions below sees a circle then."""
    times = _taken(run).times
    return any(last.fresh) and any(times[key] < 2 for key in last.keys)


def same_call(run: Run, taken: list[Step]) -> Circle | None:
    """Every call of the step was made before with the same arguments, and gave the same.

    Not where the earlier one failed and this one did not, nor where something was changed in between; where it gives something
    else each time, from the third time on that it is made again, unless that is a text that says something new.
    """
    last = taken[-1]
    if _first(run, *last.keys):
        return None
    hits = [_repeated(run, place, taken) for place in range(len(last.done))]
    return Circle("same_call", last.tools, *hits[0]) if hits and all(hits) and hits[0] else None


def _repeated(run: Run, place: int, taken: list[Step]) -> tuple[Call, Observation] | None:
    """The call before that the one at this place of the last step repeats."""
    times, changing, last = 0, _taken(run).changing, taken[-1]
    key, seen = last.keys[place], last.done[place][1]
    leads_on = seen.ok and len(seen.text.strip()) >= SHORT and last.fresh[place]  # the next page
    for one, other, told in _earlier(taken[:-1]):
        if one == key:
            times += 1
            if any(note.startswith("= ") for note in told.notes):
                continue  # a repetition itself: what is quoted is the first one
            if told.text.strip() == seen.text.strip() or any(note == f"= {other.id}" for note in seen.notes) or (times >= AGAIN and not leads_on):
                return other, told
            if seen.ok and not told.ok:
                return None
        elif other.tool in changing and told.kind not in NEVER_RAN:
            return None
    return None


def cycle(run: Run, taken: list[Step]) -> Circle | None:  # noqa: ARG001
    """A B A B: the last steps are the same few over and over, with the same results; or often enough whatever they gave."""
    for period in range(2, LONGEST_CYCLE + 1):
        for rounds, same in zip(CYCLES, (True, False), strict=True):
            tail = taken[-period * rounds :]
            if len(tail) < period * rounds or len({step.keys for step in tail[:period]}) < 2:
                continue
            if all(_alike_step(tail[place], tail[place - period], same=same) for place in range(period, len(tail))):
                return Circle("cycle", tuple(dict.fromkeys(tool for step in tail for tool in step.tools)), *tail[-period].done[0])
    return None


def _alike_step(a: Step, b: Step, *, same: bool) -> bool:
    return a.keys == b.keys and (not same or [seen.text for _, seen in a.done] == [seen.text for _, seen in b.done])


def same_observation(run: Run, taken: list[Step]) -> Circle | None:
    """Every call of the step gave what its tool gave before, for other arguments.

    A short result may be the same by chance (391, true) unless it says that nothing was found; "done" says nothing at all. So may what
    one after the other gave (Monday, Tuesday: nothing on).
    """
    *before, last = taken
    if _first(run, *((call.tool, "gave", seen.text.strip()) for call, seen in last.done)):
        return None
    hits = []
    for key, (call, seen) in zip(last.keys, last.done, strict=True):
        text = seen.text.strip()
        same = [(other, told) for one, other, told in _earlier(before) if told.text.strip() == text and _other(one, key)][::-1]
        short = seen.ok and len(seen.text.strip()) < SHORT and not (refuses(seen.text) or _NOTHING.match(seen.text))
        counted = bool(same) and all(_counts(run, other, call) for other, _ in same)
        enough = len(same) >= (SHORT_TIMES if short or counted else 1) and (_looks(run, call.tool) or not seen.ok)
        hits.append(same[0] if same and enough else None)
    return Circle("same_observation", last.tools, *hits[0]) if all(hits) and hits[0] else None


def _counts(run: Run, a: Call, b: Call) -> bool:
    """Whether two calls go through things one after the other: other numbers or days, or names that the question lists."""
    if set(a.args) != set(b.args):
        return False
    pairs = [(str(a.args[name]), str(b.args[name])) for name in a.args if a.args[name] != b.args[name]]
    asked = run.asked.question.casefold()
    listed = [all(len(one) > 1 and one.casefold() in asked for one in pair) for pair in pairs]
    return bool(pairs) and all(named or re.sub(r"\d+", "0", one) == re.sub(r"\d+", "0", other) for named, (one, other) in zip(listed, pairs, strict=True))


def alike(run: Run, taken: list[Step]) -> Circle | None:
    """Every call of the step asks a tool that only looks in nearly the words of an earlier call, and it says nothing new."""
    *before, last = taken
    hits = []
    for key, (call, _), fresh in zip(last.keys, last.done, last.fresh, strict=True):
        near = ((other, told) for one, other, told in _earlier(before) if _other(one, key) and similar(other, call))
        hits.append(next(near, None) if _looks(run, call.tool) and not fresh else None)
    return Circle("alike", last.tools, *hits[0]) if all(hits) and hits[0] else None


def similar(a: Call, b: Call) -> bool:
    """Whether two calls of a tool differ in nothing but a few words of their texts. Numbers, names of things other than words, and code have to be the same."""
    if set(a.args) != set(b.args):
        return False
    for name, value in a.args.items():
        other = b.args[name]
        if value == other:
            continue
        if not (isinstance(value, str) and isinstance(other, str)) or _CODE.search(value + other):
            return False
        one, two = _query(value), _query(other)
        if re.findall(r"\d+", value) != re.findall(r"\d+", other) or not one or not two or len(one & two) < ALIKE * len(one | two):
            return False
    return True


def same_thought(run: Run, taken: list[Step]) -> Circle | None:
    """The thought stood word for word before a call of the same tools, and what came says nothing new."""
    *before, last = taken
    thought = _plain(last.thought)
    if _weight(thought) < THOUGHT or _first(run, (thought,)):
        return None
    earlier = next((step for step in before if _plain(step.thought) == thought and step.tools == last.tools), None)
    if earlier is None or any(last.fresh) or not all(_looks(run, call.tool) for call, _ in last.done):
        return None
    return Circle("same_thought", last.tools, *earlier.done[0])


def stale(run: Run, taken: list[Step]) -> Circle | None:
    """So many steps in a row only looked, and what they gave stood, word for word or nearly, in what was known before.

    A call that is made for the first time and gives a new number (another order's price, in the same form) says something new.
    """
    if len(taken) <= STALE:
        return None
    for step in reversed(taken[-STALE:]):
        if any(step.fresh):
            return None
        for key, (call, seen), new in zip(step.keys, step.done, step.new, strict=True):
            if not seen.ok or not _looks(run, call.tool) or len(seen.text.strip()) < SHORT:
                return None
            if _taken(run).times[key] < 2 and not new <= _words(key[1]):
                return None
    last = taken[-1]
    return Circle("stale", last.tools, *last.done[0])


def _first(run: Run, *what: tuple[str, ...]) -> bool:
    """Whether one of these came for the first time, as mostly: then nothing before has to be looked through."""
    times = _taken(run).times
    return any(times[one] < 2 for one in what)


def _looks(run: Run, name: str) -> bool:
    return name not in _taken(run).changing


def _other(a: tuple[str, str], b: tuple[str, str]) -> bool:
    """Whether these are keys of different calls of one tool."""
    return a[0] == b[0] and a[1] != b[1]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _weight(text: str) -> int:
    return sum(2 if char > "\u2e7f" else 1 for char in text)


@lru_cache(maxsize=32)
def _words(text: str) -> frozenset[str]:
    """Words and numbers without case; of Chinese, pairs of characters."""
    words = _WORD.findall(text.casefold())
    return frozenset(words if text.isascii() else (part for word in words for part in _pairs(word)))


def _pairs(word: str) -> list[str]:
    return [word[at : at + 2] for at in range(len(word) - 1)] or [word] if word > "\u3400" else [word]


@lru_cache(maxsize=512)
def _query(text: str) -> frozenset[str]:
    """What a query asks for: its words without fillers and endings; of Chinese, the characters."""
    latin = [word.removesuffix("s") for word in _WORD.findall(text.casefold()) if word < "\u3400" and word not in FILLERS]
    han = [char for word in _WORD.findall(_HAN_FILLERS.sub("", text)) if word > "\u3400" for char in word]
    return frozenset(latin + han)
