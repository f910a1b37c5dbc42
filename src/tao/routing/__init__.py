"""Which model answers, and whether the loop is needed at all: cascade and triage, read off the run and recorded in it.

`Agent` calls the functions below; each gives back what it was given where a run is neither sorted nor shared by two models.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tao.dialects.auto import Auto
from tao.errors import ConfigError, both
from tao.events import Asked
from tao.messages import Message, Reply, Request, ToolSpec
from tao.policies.first_of import first_of
from tao.routing.route import TRIAGE, Route, route
from tao.routing.routed import Routed, Turns, Which, cascade, handing_over, model_name, plain, read_back, standing_in, turns
from tao.routing.rules import RULES, USUAL, Rule, longer_than, name_of
from tao.routing.triage import Triaged, sorted_by_rules
from tao.routing.turn import Turn
from tao.routing.turn import turn as turn_of
from tao.run import Run
from tao.seams import Abilities, Dialect, Hear, Model, Policy
from tao.wrappers.no_tools import without_tools

__all__ = ["RULES", "USUAL", "Route", "Routed", "Rule", "answering", "cascade", "each", "in_turn", "kept", "learned", "longer_than", "plain", "recorded", "route", "sorting", "turn"]

CASCADE = "cascade"


def sorting(model: Model, classifier: Model | None) -> Model:
    """The model, with another one that sorts its questions, where there is one. Raises ConfigError: a cascade inside a wrapper."""
    if not isinstance(model, Routed) and any(isinstance(part, Routed) for part in parts_of(model)):
        text = both(
            "a cascade stands inside a wrapper, where it cannot see the run: wrap its small and its large model instead",
            "cascade 被包在其他包装之内，看不到运行的情况：请改为分别包装其中的小模型和大模型",
        )
        raise ConfigError(text)
    if classifier is None:
        return model
    if isinstance(model, Routed):
        return Routed(model.small, model.large, model.which.rules, stay=model.which.stay, classifier=classifier)
    return Routed(model, classifier=classifier)


def parts_of(model: Any) -> Iterator[Any]:
    """A wrapped model and everything that its wrappers hold."""
    for part in getattr(model, "parts", ()):
        yield part
        yield from parts_of(part)


def each(model: Model, wrap: Callable[[Model], Model]) -> Model:
    """The model wrapped; of several that answer as one, each."""
    if not isinstance(model, Routed):
        return wrap(model)
    large, classifier = (part and wrap(part) for part in (model.large, model.classifier))
    return Routed(wrap(model.small), large, model.which.rules, stay=model.which.stay, classifier=classifier)


def recorded(
    model: Model, question: str, tools: tuple[ToolSpec, ...], history: Iterable[Message], settings: Mapping[str, Any],
    worked: Mapping[str, str],
) -> dict[str, Any]:
    """What a run records of who answers it and how: `settings` with "cascade", and "triage" as the rules see the question."""
    found: dict[str, Any] = {name: value for name, value in settings.items() if name != TRIAGE}
    if isinstance(model, Routed) and (record := model.recorded()):
        start = {"start": worked[record["large"]]} if record["large"] in worked else {}
        found[CASCADE] = {**record, **start}
    wish = settings.get(TRIAGE)
    if wish:
        threshold = {"threshold": float(wish)} if not isinstance(wish, bool) else {}
        sort = sorted_by_rules(question, tools, settings, follows=bool(tuple(history)), **threshold)
        if isinstance(model, Routed) and model.classifier is not None and sort.get("way") == "ask":
            sort |= {"model": model_name(model.classifier), "abilities": plain(getattr(model.classifier, "abilities", Abilities()))}
        if sort:
            found[TRIAGE] = sort
    return found


def in_turn(asked: Asked, dialect: Dialect, abilities: Abilities, model: Model | None = None) -> Dialect:
    """The dialect of a run whose replies come from several models, or whose question is sorted first. Raises ConfigError.

    `model` knows rules that are not ours.
    """
    inner = dialect
    which = _which(asked, model)
    if which is not None:
        record = asked.settings[CASCADE]
        by_name = isinstance(dialect, Auto) or asked.dialect in {"react", "json", "bracket", "native"}
        inner = turns(asked.dialect, dialect, record, _abilities(record), which) if by_name else Turns(dialect, dialect, which)
    sort = asked.settings.get(TRIAGE)
    if not sort:
        return inner
    return Triaged(inner, sort, abilities, _abilities(sort) if "abilities" in sort else abilities)


def kept(asked: Asked, policy: Policy, model: Model | None = None) -> Policy:
    """The policy, with the handing over of the final answer where the run's cascade has it."""
    which = _which(asked, model)
    return policy if which is None else first_of(policy, handing_over(which))


def turn(asked: Asked, model: Model | None = None) -> Turn | None:
    """Which models may answer this run from here on; None where there is but one, and those that stand in for it."""
    which, sort = _which(asked, model), asked.settings.get(TRIAGE) or {}
    if which is None and "model" not in sort:
        return None
    return turn_of(which, str(asked.settings[CASCADE]["large"]) if which else "", str(sort.get("model", "")))


def answering(model: Model, run: Run, dialect: Dialect) -> Model:
    """The model of one run: for each reply the one whose turn it is. A server's refusal of tools is a reply where the dialect can change."""
    inner = dialect.inner if isinstance(dialect, Triaged) else dialect
    if not isinstance(model, Routed):
        return without_tools(model) if _changes(inner) else model
    which = _which(run.asked, model)

    async def answer(request: Request, hear: Hear | None = None) -> Reply:
        part = model.small
        if isinstance(dialect, Triaged) and dialect.phase(run) == "sort":
            part = standing_in(model.classifier) if model.classifier is not None and "model" in dialect.record else part
        elif which is not None and model.large is not None and which(run):
            part = standing_in(model.large)
        return await (without_tools(part) if _changes(inner) else part)(request, hear)

    return answer


def learned(run: Run, dialect: Dialect) -> dict[str, str]:
    """By a model's name, the dialect that it fell back to in this run and was read in."""
    inner = dialect.inner if isinstance(dialect, Triaged) else dialect
    if run.misreads:
        return {}
    if isinstance(inner, Turns):
        pairs = [(run.asked.model, inner.small, inner.own(run, large=False)), (str(run.asked.settings[CASCADE]["large"]), inner.large, inner.own(run, large=True))]
    else:
        pairs = [(run.asked.model, inner, run)]
    found = {name: (one.in_force(own), one.in_force(Run(run.id))) for name, one, own in pairs if isinstance(one, Auto)}
    return {name: now for name, (now, first) in found.items() if now != first}


def _which(asked: Asked, model: Model | None) -> Which | None:
    record = asked.settings.get(CASCADE)
    if not record:
        return None
    own: dict[str, Rule] = {name_of(rule): rule for rule in model.which.rules} if isinstance(model, Routed) else {}
    return read_back(record, own)


def _changes(dialect: Dialect) -> bool:
    return isinstance(dialect, Auto) or (isinstance(dialect, Turns) and isinstance(dialect.small, Auto))


def _abilities(record: Mapping[str, Any]) -> Abilities:
    return Abilities(**{name: value for name, value in record.get("abilities", {}).items() if name in Abilities.__slots__})


