"""Where one model cannot answer, the next one does."""

from collections.abc import Iterable
from dataclasses import replace

from tao.errors import ConfigError, ModelError, ToolsUnsupported, both
from tao.messages import Reply, Request
from tao.seams import Abilities, Hear, Model
from tao.wrappers.models.around import Around, Voice, name_of


def fallback(models: Iterable[Model]) -> Model:
    """Ask the models in turn until one answers; the reply says which did (`Reply.model`).

    Any ModelError goes on to the next, except ToolsUnsupported from the first, by which a run changes its dialect. A request is
    written for the first: a later model that cannot take its tools is passed over, and a grammar or schema that it cannot
    hold to is left out. Raises the first model's error, with what the others said below it, and ConfigError for no models.
    """
    chain = tuple(models)
    if not chain:
        raise ConfigError(both("a fallback needs at least one model", "至少需要一个模型"))

    async def answer(request: Request, hear: Hear | None = None) -> Reply:
        voice = Voice(hear)
        errors: list[tuple[Model, ModelError]] = []
        for model in chain:
            if (fitting := fitted(request, model)) is None:
                continue
            listener = voice.now
            try:
                reply = await model(fitting, listener)
            except ModelError as error:
                if isinstance(error, ToolsUnsupported) and model is chain[0]:
                    raise
                errors.append((model, error))
            else:
                stood_in = reply.by or ("" if model is chain[0] else name_of(model))
                return voice.finish(replace(reply, model=reply.model or name_of(model), by=stood_in), heard=listener is not None)
        raise _all_failed(errors) from errors[-1][1]

    return Around(answer, *chain)


def fitted(request: Request, model: Model) -> Request | None:
    """The request as this model can take it; None where it cannot."""
    can = getattr(model, "abilities", Abilities())
    if request.tools and not can.tools:
        return None
    return replace(
        request, grammar=request.grammar if can.constraint == "gbnf" else None, schema=request.schema if can.constraint == "json_schema" else None,
    )


def _all_failed(errors: list[tuple[Model, ModelError]]) -> ModelError:
    first = errors[0][1]
    if len(errors) > 1:
        first.args = ("\n".join([str(first), *(f"{name_of(model)} → {error}" for model, error in errors[1:])]),)
    return first
