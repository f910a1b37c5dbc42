"""Which arguments rest on text that strangers may have written: a pure reading of the run.

Untrusted is what a tool with the effect "network" or "untrusted" brought back, and what any tool made of arguments that
rest on that. An argument rests on it where it stands in it, or shares a long stretch with it, and did not stand in what
the person said. A call rests on nothing that came after it was decided on.
"""

import re
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from tao.events import Asked, Decided, Event, Observed, Ruled
from tao.messages import Call, Kept, Observation, ToolSpec
from tao.permissions.effects import NEVER_RAN, UNTRUSTED, reaching
from tao.permissions.writings import undone
from tao.quantities import number_words, numbers
from tao.run import Grown, Run, canonical
from tao.toolset import FIND_TOOL, SHOWN

STRETCH, STRETCH_WIDE = 12, 4
"""Characters that a value must share with a text to rest on it, letters and digits counted; Chinese ones say more each."""
SHORTEST, SHORTEST_WIDE = 3, 2
"""A value with fewer is too common to say where it comes from."""
BACKWARDS = 8, 64
"""A shorter value stands in many a text that is read from its end; a longer one nobody writes so."""
TOKEN = 6
"""Within a longer text a code or number with so many stands for itself."""
ACCOUNT = 10
"""An account or a phone number has so many, most of them digits."""
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
LONGEST = 4_000
"""Longer values are looked at with gaps."""
LONGEST_KEPT = 20_000
"""What texts up to so many characters are squeezed to is kept for the next call."""

_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"[^\s\"'()<>,;\u2e80-\u9fff\uff08-\uff0c\uff1a\uff1b“”]+")
_DATE = re.compile(r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?(?:[T ][\d:.+Z-]*)?\W*|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}\W*")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_POINTS = re.compile(r"(?:^|[_.-])(?:id|ids|uid|uuid|guid|key|keys|no|number|ref)_?$|(?<=[a-z])(?:Ids?|IDs?|Keys?|No|Number|Ref)$|号码?$|编号|账号")
_WHEN = re.compile(
    r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}|\d{1,2}[/.]\d{1,2}[/.]\d{4}|\d{1,2}月\d{1,2}|\d{1,2}:\d{2}|\d{1,2}点"
    r"|\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?\s+\d{1,2}\b|\b\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)",
    re.IGNORECASE,
)
"""Days and times: their numbers are no names of anything."""
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Seen:
    """What a call brought back: all of its text, what its tool declares, and whether strangers may have written it.

    `unseen` says that the call itself was decided on before any such text had been read.
    """

    call: Call
    observation: Observation
    effects: tuple[str, ...]
    strange: bool
    unseen: bool

    @property
    def text(self) -> str:
        """The text, also what was cut off."""
        return f"{self.observation.text}\n{self.observation.full}"


@dataclass(frozen=True, slots=True)
class Source:
    """A squeezed text and the tool that it came from. Values of fewer than `least` or more than `most` characters do not rest on it."""

    tool: str
    text: str
    least: int = 0
    most: int = sys.maxsize


@dataclass(frozen=True, slots=True)
class Known:
    """What was known when a call was decided on: what was read, in that order, and what the person and the owner said.

    `strange` is the text among it that strangers may have written, `history` that of earlier runs.
    """

    read: tuple[Seen, ...]
    said: str
    strange: tuple[Source, ...]
    history: str = ""

    @property
    def tainted(self) -> bool:
        """Whether strangers' text has been read."""
        return bool(self.strange)


def rests_on(call: Call, run: Run) -> tuple[str, str] | None:
    """The parameter and the tool whose text its value comes from; None where every value is the person's or the model's own."""
    known = before(call, run)
    return source(call, [*known.strange, *described(call, run)], known.said)


def before(call: Call, run: Run) -> Known:
    """What was known when this call was decided on; all that there is, where the run does not have it."""
    reading = _reading(run)
    return _known(reading, reading.decided.get(call.id, _reached(reading)))


@dataclass(slots=True)
class _Reading:
    """What a run says of it.

    `calls` are those decided on, each with whether no strangers' text had been read before; `decided` says how much of `read`,
    `strange` and `said` there was then. `last` is what was known at the latest place that was asked about.
    """

    asked: Asked = field(default_factory=lambda: Asked(""))
    read: list[Seen] = field(default_factory=list)
    strange: list[Source] = field(default_factory=list)
    said: str = ""
    history: str = ""
    calls: dict[str, tuple[Call, bool]] = field(default_factory=dict)
    decided: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    last: tuple[tuple[int, int, int], Known] | None = None


def _look(reading: _Reading, event: Event) -> _Reading:
    if isinstance(event, Decided):
        for call in event.calls:
            reading.decided.setdefault(call.id, _reached(reading))
            reading.calls[call.id] = call, not reading.strange
    elif isinstance(event, Observed) and event.call_id in reading.calls and not _ours(reading.calls[event.call_id][0], event.observation, reading.asked):
        reading.read.append(seen := _seen(*reading.calls[event.call_id], event.observation, reading.asked, reading.strange, reading.said))
        reading.strange += _sources(seen.call.tool, seen.text) if seen.strange else []
    elif isinstance(event, Ruled) and event.verdict in {"answer", "edit"}:
        reading.said = "\n".join([reading.said, event.text, canonical(event.args or {})])
    elif isinstance(event, Asked):
        reading.asked = event
        reading.history = "\n".join(told.content for told in event.history if told.role == "tool")
        earlier = (told.content for told in event.history if told.role in {"user", "system"})
        reading.said = "\n".join([event.question, event.instructions, *earlier])
        reading.strange += _sources("history", reading.history) if reading.history else []
    return reading


_reading = Grown(_Reading, _look)


def _sources(tool: str, text: str) -> list[Source]:
    """The text as it stands, as it is read where it is coded, and from right to left."""
    bare = squeeze(text)
    return [Source(tool, bare), *(Source(tool, squeeze(other)) for other in undone(text)), Source(tool, bare[::-1], *BACKWARDS)]


def _reached(reading: _Reading) -> tuple[int, int, int]:
    return len(reading.read), len(reading.strange), len(reading.said)


def _known(reading: _Reading, place: tuple[int, int, int]) -> Known:
    """What was known there. One judgement asks several times, and calls that were decided on together ask for the same."""
    if reading.last is None or reading.last[0] != place:
        read, strange, said = place
        known = Known(tuple(reading.read[:read]), reading.said[:said], tuple(reading.strange[:strange]), reading.history)
        reading.last = place, known
    return reading.last[1]


def _ours(call: Call, observation: Observation, asked: Asked) -> bool:
    """Whether it is our own words, or part of an observation that is there as a whole."""
    later = any(spec.name == call.tool for spec in asked.later)
    return later or observation.kind in NEVER_RAN or (call.tool == FIND_TOOL and SHOWN in asked.settings)


def _seen(call: Call, unseen: bool, observation: Observation, asked: Asked, strange: list[Source], said: str) -> Seen:  # noqa: FBT001
    spec = next((spec for spec in asked.tools if spec.name == call.tool), None)
    effects = reaching(spec.effects if spec else ("untrusted",), call.args)
    handed_on = UNTRUSTED.isdisjoint(effects) and source(call, strange, said) is not None
    return Seen(call, observation, effects, handed_on or not UNTRUSTED.isdisjoint(effects), unseen)


def described(call: Call, run: Run) -> list[Source]:
    """What servers that nobody vouches for say of their tools, other than the one that is called."""
    return [_described(spec) for spec in run.asked.tools if "untrusted" in spec.effects and spec.name != call.tool]


@Kept
def _described(spec: ToolSpec) -> Source:
    return Source(spec.name, squeeze(f"{spec.description}\n{canonical(spec.parameters)}"), STRETCH)


# ── comparing ─────────────────────────────────────────────────────────────────


def source(call: Call, sources: Sequence[Source], said: str, public: Sequence[str] = (), *, parts: bool = False) -> tuple[str, str] | None:
    """The first parameter whose value rests on one of these and was not said, with the tool. `public`: squeezed texts that do not count.

    A mail address rests on a text that has all of it; colleagues share the end. With `parts` a stretch of one will do.
    """
    if not sources:
        return None
    plain = squeeze(said)
    for name, value in call.args.items():
        points = pointing(name)
        for leaf in leaves(value):
            length, pieces = _pieces(leaf, plain, _meant(said, leaf, points=points), points=points)
            pieces = [squeeze(leaf)] if pieces and not parts and _MAIL.fullmatch(leaf.strip()) else pieces
            near = [one for one in sources if one.least <= length <= one.most] if pieces else []
            own = (piece for piece in pieces if not any(piece in text for text in public)) if public else pieces
            kept = list(own) if any(piece in one.text for one in near for piece in pieces) else []
            tool = next((one.tool for one in near if any(piece in one.text for piece in kept)), None)
            if tool is not None and not _counted(leaf, said, points=points):
                return name, tool
    return None


def pointing(name: str) -> bool:
    """Whether a parameter of this name points at something ("file_id"): there even a single letter or digit says what."""
    return _POINTS.search(name) is not None


def named_by(value: str, text: str) -> bool:
    """Whether a text names what this value of a parameter that points at something stands for."""
    bare = squeeze(value)
    return (len(bare) >= TOKEN and bare in squeeze(text)) or _words(value) in _words(_meant(text, value, points=True)) or _counted(value, text, points=True)


def _meant(said: str, value: str, *, points: bool) -> str:
    """What was said, without days and times where the value is a number of one or two digits that points at something."""
    return _WHEN.sub(" ", said) if points and len(squeeze(value)) < SHORTEST else said


def _counted(value: str, said: str, *, points: bool) -> bool:
    """Whether the value is a number that was said in another form ("1万" for 10000, "five" for 5)."""
    plain = value.strip().replace(",", "")
    if not re.fullmatch(r"-?\d+(?:\.\d+)?", plain):
        return False
    return float(plain) in _numbers(_meant(said, value, points=points))


@lru_cache(maxsize=4)
def _numbers(text: str) -> frozenset[float]:
    ordinals = (ORDINALS.index(word) + 1.0 for word in _words(text).split() if word in ORDINALS)
    return frozenset({*number_words(text), *ordinals, *(value for number in numbers(text) for value in (number.value, number.scaled))})


def leaves(value: Any) -> Iterable[str]:
    """Every text and number in a value, as text, and the names inside objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from leaves(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield f"{value:.15g}" if isinstance(value, float) and value.is_integer() else str(value)  # 500.0 stands in texts as 500


def squeeze(text: str) -> str:
    """Letters and digits alone, small and of one width: how a value is set must not hide where it comes from."""
    return _kept(text) if len(text) <= LONGEST_KEPT else _squeezed(text)


def _squeezed(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


_kept = lru_cache(maxsize=256)(_squeezed)  # a run's texts are looked at again at every call


@lru_cache(maxsize=4)
def _words(text: str) -> str:
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return f" {' '.join(words)} "


def _pieces(value: str, plain: str, said: str, *, points: bool) -> tuple[int, list[str]]:
    """How long a value is, squeezed, and what of it shows where it comes from; nothing where the person said it.

    Where it `points` at something ("file_id"), a single letter or digit does.
    """
    bare = squeeze(value)
    wide = len(_WIDE.findall(bare)) * 2 > len(bare)
    if len(bare) < (1 if points else SHORTEST_WIDE if wide else SHORTEST) or _is_said(value, bare, plain, said, wide=wide):
        return len(bare), []
    stretch = min(len(bare), STRETCH_WIDE if wide else STRETCH)
    step = 1 if len(bare) <= LONGEST else stretch // 2
    found = (bare[at : at + stretch] for at in range(0, len(bare) - stretch + 1, step))
    return len(bare), [*_tokens(value, plain), *_turned(value, plain), *(piece for piece in found if len(bare) == stretch or piece not in plain)]


def _turned(value: str, said: str) -> Iterable[str]:
    """A name of a few words begun with its last one, and the other way round: "Banks, Mallory" is Mallory Banks."""
    words = value.split() if len(value) <= 2 * STRETCH + 8 else []
    if 2 <= len(words) <= 4:
        for turned in ([words[-1], *words[:-1]], [*words[1:], words[0]]):
            bare = squeeze("".join(turned))
            if len(bare) > SHORTEST and bare not in said:
                yield bare


def accounts(text: str) -> Iterable[str]:
    """The accounts, phone numbers and mail addresses in a text, as they stand: what says where something goes."""
    yield from (match[0] for match in _MAIL.finditer(text))
    for token in _TOKEN.findall(text):
        bare = squeeze(token)
        if len(bare) >= ACCOUNT and sum(map(str.isdecimal, bare)) * 2 > len(bare) and bare.isascii() and not _DATE.fullmatch(token):
            yield token


def _tokens(value: str, said: str) -> Iterable[str]:
    """The numbers, codes and accounts within a longer text that were not said, squeezed; dates are none."""
    for token in _TOKEN.findall(value[:LONGEST]):
        bare = squeeze(token)
        if len(bare) >= TOKEN and bare not in said and any(map(str.isdecimal, bare)) and not _DATE.fullmatch(token):
            yield bare


def _is_said(value: str, bare: str, plain: str, said: str, *, wide: bool) -> bool:
    """Whether the whole value stands in what the person said; a short one as words of its own, not inside others."""
    return bare in plain if wide or len(bare) >= STRETCH else _words(value) in _words(said)
