"""Several models as one: a small one, a large one for the hard steps, and perhaps another that only sorts questions."""

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tao.dialects import choose
from tao.dialects.auto import Auto, named
from tao.errors import ConfigError, both
from tao.events import Decided, Misread, Nudged, Replied
from tao.messages import Reply, Request
from tao.routing.route import sorting, unsorted
from tao.routing.rules import HAND_OVER, USUAL, Rule, final_answer, name_of, planned, rules
from tao.run import NO_TOOLS, Run
from tao.seams import Abilities, Dialect, Hear, Listener, Model, Policy


@dataclass(frozen=True)
class Which:
    """Who answers: true is the large model. `stay`: once it has answered, it answers to the end."""

    rules: tuple[Rule, ...]
    stay: bool = False

    def __call__(self, run: Run) -> bool:
        """Whether the large model gives the next reply."""
        return self._says(run) or (self.stay and any(large for _, large in self.replies(run)))

    def replies(self, run: Run) -> list[tuple[int, bool]]:
        """The place of every reply so far, and whether it was the large model's; sorting is not among its work."""
        found: list[tuple[int, bool]] = []
        stayed = False
        for place, event in enumerate(run.events):
            if isinstance(event, Replied):
                sort = place + 1 < len(run.events) and sorting(run.events[place + 1])
                large = not sort and (self._says(Run(run.id, run.events[:place])) or (self.stay and stayed))
                stayed = stayed or large
                found.append((place, large))
        return found

    def _says(self, run: Run) -> bool:
        steps = unsorted(run)
        # `planned` reads what the sorting said, which `unsorted` leaves out
        return any(rule(run if rule is planned else steps) for rule in self.rules)


class Routed:
    """A Model of several. What it is called and can do is what the small one is called and can do; closing it closes them all.

    An Agent asks it for the model of a run (`tao.routing.answering`), because who answers is read off the run. Asked without a run,
    the small one answers. Wrappers go around its parts, never around it.
    """

    def __init__(
        self, small: Model, large: Model | None = None, when: Iterable[str | Rule] = USUAL, *, stay: bool = False,
        classifier: Model | None = None,
    ) -> None:
        self.small, self.large, self.classifier = small, large, classifier
        self.which = Which(rules(when) if large is not None else (), stay)
        self.parts = tuple(part for part in (small, large, classifier) if part is not None)
        self.name = str(getattr(small, "name", ""))
        self.abilities: Abilities = getattr(small, "abilities", Abilities())

    async def __call__(self, request: Request, hear: Hear | None = None) -> Reply:
        """Answer one request with the small model. Raises ModelError."""
        return await self.small(request, hear)

    async def close(self) -> None:
        """Let go of what the running event loop holds open for any of them."""
        for part in self.parts:
            close = getattr(part, "close", None)
            if close is not None and inspect.isawaitable(closing := close()):
                await closing

    def recorded(self) -> dict[str, Any]:
        """The cascade as a run records it; empty where there is no large model."""
        if self.large is None:
            return {}
        abilities: Abilities = getattr(self.large, "abilities", Abilities())
        return {"large": model_name(self.large), "abilities": plain(abilities), "when": [*map(name_of, self.which.rules)], "stay": self.which.stay}


def cascade(small: Model, large: Model, when: Iterable[str | Rule] = USUAL, *, stay: bool = False) -> Routed:
    """Easy steps to the small model, hard ones to the large: it answers where one of the rules holds. For `Agent(model=…)`.

    Rules are names (see `tao.routing.RULES`, and "longer_than:4000") or functions `Run → bool`. With `stay`, the large model goes
    on to the end once it has answered. Each model is prompted in the dialect that fits it. Raises ConfigError.
    """
    chosen = tuple(when)
    if not chosen:
        text = both("a cascade needs at least one rule that says when the large model answers", "cascade 至少需要一条规则，说明何时由大模型回答")
        raise ConfigError(text)
    return Routed(small, large, chosen, stay=stay)


def standing_in(model: Model) -> Model:
    """A model other than the one that the run names: its replies say so, so that they are charged at its price."""

    async def answer(request: Request, hear: Hear | None = None) -> Reply:
        reply = await model(request, hear)
        return replace(reply, by=reply.by or model_name(model), model=reply.model or model_name(model))

    return answer


def model_name(model: Model) -> str:
    """The model's name; empty where it has none."""
    return str(getattr(model, "name", ""))


def plain(abilities: Abilities) -> dict[str, Any]:
    """Abilities as they are recorded."""
    return {name: getattr(abilities, name) for name in Abilities.__slots__}


# ── prompts and readings, each model's own ────────────────────────────────────


@dataclass(frozen=True)
class Turns:
    """A Dialect of two: each reply is asked for and read in the dialect of the model that gives it.

    Where a dialect finds its own way ("auto"), it goes by the replies of its own model alone.
    """

    small: Dialect
    large: Dialect
    which: Which = field(default_factory=lambda: Which(()))

    def render(self, run: Run) -> Request:
        """The prompt for the next reply."""
        return self.now(run).render(run)

    def parse(self, run: Run) -> Decided | Misread:
        """Read the last reply; a server that takes no tools is a misread that changes its dialect."""
        last = run.events[-1]
        assert isinstance(last, Replied)
        before = Run(run.id, run.events[:-1])
        if last.reply.finish == NO_TOOLS and isinstance(self.of(large=self.which(before)), Auto):
            return Misread(NO_TOOLS)
        return self.now(before).parse(run)

    def listen(self, run: Run) -> Listener:
        """A reader for the reply that is coming in."""
        return self.now(run).listen(run)

    def now(self, run: Run) -> Dialect:
        """The dialect of the next reply."""
        large = self.which(run)
        dialect = self.of(large=large)
        return named(dialect.in_force(self.own(run, large=large)), dialect.abilities) if isinstance(dialect, Auto) else dialect

    def of(self, *, large: bool) -> Dialect:
        """The dialect of one of the two."""
        return self.large if large else self.small

    def own(self, run: Run, *, large: bool) -> Run:
        """The run without the replies of the other model, and what was read in them."""
        others = {place for place, one in self.which.replies(run) if one != large}
        gone, kept = False, []
        for place, event in enumerate(run.events):
            if isinstance(event, Replied):
                gone = place in others
            if not (gone and isinstance(event, Replied | Decided | Misread)):
                kept.append(event)
        return Run(run.id, kept)


def handing_over(which: Which) -> Policy:
    """Where the rules give the final answer to the large model: what the small one proposes is put aside, and the large one asked."""

    def policy(run: Run) -> Nudged | None:
        if run.proposed is None or final_answer not in which.rules:
            return None
        by_large = [large for _, large in which.replies(run)]
        return None if by_large and by_large[-1] else Nudged("", HAND_OVER, hide=True)

    return policy


def read_back(record: Mapping[str, Any], own: Mapping[str, Rule]) -> Which:
    """The rules that a run was started with; `own` are those that this program knows beside the usual ones. Raises ConfigError."""
    return Which(rules(record.get("when", ()), own), bool(record.get("stay", False)))


def turns(name: str, small: Dialect, record: Mapping[str, Any], abilities: Abilities, which: Which) -> Turns:
    """The dialect of a cascade: `small` for the small model, and for the large one that of the same name for its own abilities."""
    return Turns(small, choose(name, abilities, str(record.get("start", ""))), which)
