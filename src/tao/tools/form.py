"""The form of a structured answer: a type or a JSON schema, and how an answer becomes an object of that type."""

import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import PydanticUserError, TypeAdapter, ValidationError
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic_core import SchemaError

from tao.errors import ConfigError, both
from tao.tools.foreign import misshapen, walk
from tao.tools.schema import Writer, lean, portable

TYPES = ("string", "integer", "number", "boolean", "null", "array", "object")


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """`schema` is what the model is held to; `adapter` makes objects of the user's own type (None: plain JSON values)."""

    schema: Mapping[str, Any]
    adapter: TypeAdapter[Any] | None = None

    def typed(self, answer: str) -> Any:
        """The answer, which is JSON, as an object of the type. Raises ValueError where the type's own rules refuse it."""
        return json.loads(answer) if self.adapter is None else self.adapter.validate_json(answer)

    def objection(self, answer: str) -> str | None:
        """What the type's own rules (a pydantic validator, say) have against an answer that fits the schema."""
        try:
            self.typed(answer)
        except ValidationError as error:
            problems = error.errors(include_url=False, include_context=False, include_input=False)
            return "; ".join(": ".join(filter(None, [_path(problem["loc"]), problem["msg"].removeprefix("Value error, ")])) for problem in problems[:5])
        return None


def form(output: Any) -> Form:
    """The form that a user's `output` asks for: a JSON schema, a pydantic model, dataclass, TypedDict, `list[int]`.

    Raises ConfigError where it is neither a type with a JSON form nor a JSON schema.
    """
    if isinstance(output, Form):
        return output
    if isinstance(output, Mapping):
        return Form(_sound(output))
    if inspect.isroutine(output):
        raise _formless(output, "it is a function")
    try:
        adapter = TypeAdapter(portable(output))
        return Form(lean(adapter.json_schema(schema_generator=Writer)), adapter)
    except (PydanticUserError, PydanticInvalidForJsonSchema, SchemaError, TypeError, NameError) as error:
        raise _formless(output, str(error).splitlines()[0]) from error


def _formless(output: Any, why: str) -> ConfigError:
    return ConfigError(both(
        f"output is {output!r:.80}, which has no JSON form: {why}; wanted: a type (a pydantic model, dataclass, list[int] …) or a JSON schema",
        f"output 为 {output!r:.80}，没有 JSON 形式：{why}；应为类型（pydantic 模型、dataclass、list[int] 等）或 JSON Schema",
    ))  # fmt: skip


def _sound(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as plain JSON values, so that it is the same when it comes back from the record. Raises ConfigError."""
    try:
        plain = json.loads(json.dumps(dict(schema), ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(both(f"the schema of output is no JSON: {error}", f"output 的模式不是有效的 JSON：{error}")) from error
    if wrong := misshapen(plain):
        raise ConfigError(both(f"the schema of output is no JSON schema: {wrong}", f"output 的模式不是有效的 JSON Schema：{wrong}"))
    for part in walk(plain):
        kinds = part["type"] if isinstance(part.get("type"), list) else [part["type"]] if "type" in part else []
        for kind in kinds:
            if kind not in TYPES:
                raise ConfigError(both(
                    f"the schema of output has the type {kind!r}; there are: {', '.join(TYPES)}",
                    f"output 的模式中类型为 {kind!r}；可用：{'、'.join(TYPES)}",
                ))  # fmt: skip
    if not (plain.keys() & {"type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "properties", "items"}):
        raise ConfigError(both(
            f"output is {plain!r:.80}, which is no JSON schema: it says nothing of what is wanted (type, properties, enum …)",
            f"output 为 {plain!r:.80}，不是 JSON Schema：没有说明需要什么（type、properties、enum 等）",
        ))  # fmt: skip
    return dict(plain)


def _path(steps: tuple[int | str, ...]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")
