"""A plain function becomes a tool: its name, docstring and annotations are what the model sees."""

import functools
import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NotRequired, TypeVar, Union, get_args, get_origin, overload

from pydantic import ConfigDict, PydanticUserError, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, SchemaError, to_jsonable_python
from typing_extensions import TypedDict

from tao.errors import ConfigError, both
from tao.messages import Call, ToolSpec
from tao.run import Run
from tao.tools import docstring
from tao.tools.notations import standard
from tao.tools.schema import Writer, lean, portable, without_null

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)

TYPE_WORDS: dict[str, Any] = {
    "str": str, "string": str, "int": int, "integer": int, "float": float, "number": float, "bool": bool, "boolean": bool,
    "list": list, "array": list, "dict": dict, "object": dict, "字符串": str, "整数": int, "数字": float, "浮点数": float, "布尔": bool,
}  # fmt: skip
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATE_TEXT = re.compile(r"(?:an?\s+|the\s+)?(?:iso\s+|date|in|as|format|,|:|\s|日期|格式|为|，|：)*YYYY-MM-DD(?:\s+format|格式|\s+date)?", re.IGNORECASE)
_NAME = re.compile(r"[\w.-]{1,64}")


@dataclass(frozen=True, slots=True)
class Shape:
    """How checked arguments are handed to the function.

    `positional` are passed by place, `spread` as *args, `run` and `call` filled in by us; `further` reads the values of
    **kwargs; `fills` are defaults written as `Field(…)`.
    """

    positional: tuple[str, ...] = ()
    spread: str | None = None
    further: TypeAdapter[Any] | None = None
    run: tuple[str, ...] = ()
    call: tuple[str, ...] = ()
    fills: Mapping[str, FieldInfo] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """A function that a model may call. Calling a Tool calls the function.

    `spec` is what the model sees, `translations` the same in other languages. `timeout` is in seconds; `inline` lets a
    quick sync function run in the event loop instead of a thread; `idempotent` says that doing it twice is doing it once;
    `key` names the parameter that takes an idempotency key: filled in by us, the same when a call is carried out again,
    and not shown to the model. `transient` are the exceptions after which trying again can help; `volatile` says that the
    same call may give something else a moment later. `adapter` turns JSON values into the function's own types.
    """

    spec: ToolSpec
    fn: Function
    adapter: TypeAdapter[Any] | None = None
    shape: Shape = Shape()
    translations: Mapping[str, ToolSpec] = field(default_factory=dict)
    example: Mapping[str, Any] | None = None
    timeout: float | None = None
    inline: bool = False
    idempotent: bool = False
    volatile: bool = False
    transient: tuple[type[BaseException], ...] = (ConnectionError, TimeoutError)
    key: str | None = None

    @property
    def name(self) -> str:
        """The name by which the model calls it."""
        return self.spec.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function, unchecked."""
        return self.fn(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> "Tool":
        """A tool declared in a class, bound like a method."""
        return self if instance is None else replace(self, fn=types.MethodType(self.fn, instance))

    def said(self, lang: str) -> ToolSpec:
        """The spec in this language ("zh", "zh-CN"); in the function's own where there is no translation."""
        if not self.translations:
            return self.spec
        return self.translations.get(lang) or self.translations.get(lang.split("-", maxsplit=1)[0]) or self.spec


@overload
def tool(fn: Function, /) -> Tool: ...
@overload
def tool(**options: Any) -> Callable[[Function], Tool]: ...
def tool(fn: Function | None = None, /, **options: Any) -> Tool | Callable[[Function], Tool]:
    """Decorate a function so that it is a tool: `@tool` or `@tool(name=…, effects=("writes",), timeout=30)`.

    The options are those of `declare`.
    """
    return declare(fn, **options) if fn is not None else functools.partial(declare, **options)


def declare(
    fn: Function, *, name: str | None = None, description: str | None = None, descriptions: Mapping[str, str] | None = None,
    effects: str | tuple[str, ...] = ("reads",), timeout: float | None = None, inline: bool = False, idempotent: bool = False,
    volatile: bool = False, transient: tuple[type[BaseException], ...] = (ConnectionError, TimeoutError),
    example: Mapping[str, Any] | None = None, key: str | None = None,
) -> Tool:
    """Make a Tool of a function, method, partial or callable object, sync or async; a Tool comes back as it is.

    `description` replaces the docstring; `descriptions` gives it in other languages ({"zh": …}), each in any docstring
    style, parameters included. Parameters annotated `Run` or `Call`, and the one named by `key`, are filled in and not shown
    to the model. Raises ConfigError where the function cannot be a tool: no usable name, or a type without a JSON form.
    """
    if isinstance(fn, Tool):
        return fn
    fn = fn.__func__ if isinstance(fn, staticmethod) else fn
    said = name or _name_of(fn)
    if not _NAME.fullmatch(said):
        raise ConfigError(both(
            f"{said!r} cannot be a tool's name: letters, digits, _ - . and at most 64 of them; pass name=…",
            f"{said!r} 不能作为工具名：只能用字母、汉字、数字、_ - .，最多 64 个；请传入 name=…",
        ))  # fmt: skip
    if timeout is not None and timeout <= 0:
        raise ConfigError(both(
            f"tool {said!r}: timeout is {timeout}; it must be more than 0 seconds, or None",
            f"工具 {said!r}：timeout 为 {timeout}；必须大于 0 秒，或为 None",
        ))  # fmt: skip
    params, shape = _parameters(fn, said, key)
    doc = docstring.read(_doc_of(fn) if description is None else description, params)
    params = {key: _typed(param, doc.types.get(key, "")) for key, param in params.items()}
    adapter, parameters = _schema(said, params, shape.further)
    parameters = _described(parameters, params, doc)
    spec = ToolSpec(said, doc.description, parameters, (effects,) if isinstance(effects, str) else tuple(effects))
    translations = {}
    for lang, text in (descriptions or {}).items():
        other = docstring.read(text, params)
        translations[lang] = replace(spec, description=other.description, parameters=_redescribed(parameters, other.params))
    return Tool(
        spec, fn, adapter, shape, translations, example or doc.example, timeout, inline, idempotent, volatile, transient, key,
    )


def foreign(spec: ToolSpec, fn: Function, **options: Any) -> Tool:
    """A Tool from a ready schema; `fn` gets the checked arguments by keyword. Options: fields of Tool, such as `timeout`.

    Types may have the names of other languages ("dict", "float", "ArrayList", "List[int]"); see `notations`.
    """
    return Tool(replace(spec, parameters=standard(spec.parameters)), fn, **options)


# ── reading the signature ─────────────────────────────────────────────────────


def _name_of(fn: Function) -> str:
    while isinstance(fn, functools.partial):
        fn = fn.func
    return getattr(fn, "__name__", "") or type(fn).__name__


def _doc_of(fn: Function) -> str | None:
    while isinstance(fn, functools.partial):
        fn = fn.func
    if inspect.isroutine(fn):
        return inspect.getdoc(fn)
    return inspect.getdoc(type(fn).__call__) or inspect.getdoc(type(fn))


def _hints_of(fn: Function, name: str) -> dict[str, Any]:
    while isinstance(fn, functools.partial):
        fn = fn.func
    target = fn if inspect.isroutine(fn) else type(fn).__call__
    inner = inspect.unwrap(target)
    inner = getattr(inner, "__func__", inner)
    closed_over = dict(inspect.getclosurevars(inner).nonlocals) if inspect.isfunction(inner) else {}
    try:
        return typing.get_type_hints(target, localns=closed_over or None, include_extras=True)
    except (NameError, TypeError, AttributeError) as error:
        raise ConfigError(both(
            f"tool {name!r}: an annotation cannot be resolved ({error}); import the type where the function is defined",
            f"工具 {name!r}：无法解析类型注解（{error}）；请在定义函数的地方导入该类型",
        )) from error  # fmt: skip


def _parameters(fn: Function, name: str, once: str | None = None) -> tuple[dict[str, inspect.Parameter], Shape]:
    """The parameters that the model fills, and how they are passed; `once` takes an idempotency key."""
    try:
        signature = inspect.signature(fn)
    except (ValueError, TypeError) as error:
        raise ConfigError(both(
            f"tool {name!r}: Python knows no signature of {fn!r}; wrap it in a function of your own",
            f"工具 {name!r}：Python 无法得到 {fn!r} 的签名；请用自己的函数包装它",
        )) from error  # fmt: skip
    if once is not None and once not in signature.parameters:
        raise ConfigError(both(
            f"tool {name!r}: key={once!r} is none of its parameters ({', '.join(signature.parameters) or 'it has none'})",
            f"工具 {name!r}：key={once!r} 不是它的参数（{'、'.join(signature.parameters) or '没有参数'}）",
        ))  # fmt: skip
    hints = _hints_of(fn, name)
    preset = fn.keywords if isinstance(fn, functools.partial) else {}
    shown: dict[str, inspect.Parameter] = {}
    filled: dict[type, list[str]] = {Run: [], Call: []}
    positional: list[str] = []
    spread, further = None, None
    for at, (key, param) in enumerate(signature.parameters.items()):
        hint = hints.get(key, param.empty)
        wanted = next((kind for kind in filled if kind in (hint, *get_args(hint))), None)
        if (at == 0 and key in {"self", "cls"} and hint is param.empty) or (key in preset and param.kind is not param.VAR_KEYWORD) or key == once:
            continue
        if wanted is not None:
            filled[wanted].append(key)
        elif param.kind is param.VAR_KEYWORD:
            further = _reader(Any if hint is param.empty else hint, name)
        else:
            shown[key] = param.replace(annotation=hint)
            if param.kind is param.POSITIONAL_ONLY:
                positional.append(key)
            elif param.kind is param.VAR_POSITIONAL:
                spread = key
                shown[key] = inspect.Parameter(key, param.KEYWORD_ONLY, default=(), annotation=list[hint] if key in hints else list)  # type: ignore[valid-type]
    if spread:  # what stands before *args can only be passed by place
        positional = [key for key in shown if key != spread and signature.parameters[key].kind is not inspect.Parameter.KEYWORD_ONLY]
    fills = {key: param.default for key, param in shown.items() if isinstance(param.default, FieldInfo)}
    return shown, Shape(tuple(positional), spread, further, tuple(filled[Run]), tuple(filled[Call]), fills)


def _typed(param: inspect.Parameter, word: str) -> inspect.Parameter:
    """The parameter with a type: its annotation, else what the docstring says, else that of its default."""
    if param.annotation is not param.empty:
        return param
    known = TYPE_WORDS.get(re.split(r"[\s,，\[(]", word.strip().lower(), maxsplit=1)[0]) if word else None
    if known is None and type(param.default) in {str, int, float, bool, list, dict}:
        known = type(param.default)
    return param.replace(annotation=Any if known is None else known)


# ── writing the schema ────────────────────────────────────────────────────────


def _schema(
    name: str, params: Mapping[str, inspect.Parameter], further: TypeAdapter[Any] | None,
) -> tuple[TypeAdapter[Any], dict[str, Any]]:
    fields: dict[str, Any] = {}
    for key, param in params.items():
        hint = portable(param.annotation)
        if isinstance(param.default, FieldInfo):
            hint = Annotated[hint, _bare(param.default)]
        fields[key] = hint if _required(param) else NotRequired[hint]
    form = TypedDict("form", fields)  # type: ignore[misc]
    form.__pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[attr-defined]
    adapter = _reader(form, name)
    schema = _written(adapter, name)
    if further is not None:
        schema["additionalProperties"] = _written(further, name) or True
    return adapter, {"type": "object", "properties": {}, "required": [], **schema}


def _reader(hint: Any, name: str) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(portable(hint))
    except (PydanticUserError, SchemaError, TypeError) as error:
        raise _formless(name, error) from error


def _written(adapter: TypeAdapter[Any], name: str) -> dict[str, Any]:
    try:
        return lean(adapter.json_schema(schema_generator=Writer))
    except (PydanticUserError, PydanticInvalidForJsonSchema) as error:
        raise _formless(name, error) from error


def _formless(name: str, error: Exception) -> ConfigError:
    why = str(error).splitlines()[0]
    return ConfigError(both(
        f"tool {name!r}: a parameter's type has no JSON form: {why}",
        f"工具 {name!r}：有参数的类型没有 JSON 形式：{why}",
    ))  # fmt: skip


def _bare(info: FieldInfo) -> FieldInfo:
    """The field without its default, which a required key of a TypedDict must not have."""
    copy = FieldInfo(description=info.description, examples=info.examples)
    copy.metadata = list(info.metadata)
    return copy


def _required(param: inspect.Parameter) -> bool:
    return param.default.is_required() if isinstance(param.default, FieldInfo) else param.default is param.empty


def _described(schema: dict[str, Any], params: Mapping[str, inspect.Parameter], doc: docstring.Doc) -> dict[str, Any]:
    """The schema with what annotations, docstring and defaults say about each parameter."""
    properties = {}
    for key, param in params.items():
        default = param.default.get_default() if isinstance(param.default, FieldInfo) else param.default
        one = dict(schema["properties"][key])
        said = _annotated_text(param.annotation) or doc.params.get(key)
        if default is None:
            one = without_null(one)
        if said:
            one["description"] = said
        if _is_date(one, doc, key):
            one["format"] = "date"
        if (plain := _plain(default)) and len(str(plain)) <= 40:  # nothing, 0 and false need no saying
            one["default"] = plain
        properties[key] = one
    return {**schema, "properties": properties}


def _annotated_text(hint: Any) -> str | None:
    """The description in `Annotated[T, "…"]`, also within `Optional`."""
    if get_origin(hint) is Annotated:
        for extra in hint.__metadata__:
            if isinstance(extra, str):
                return extra
            if isinstance(text := getattr(extra, "documentation", None), str):
                return text
    elif get_origin(hint) in (Union, types.UnionType):
        return next((text for arm in get_args(hint) if (text := _annotated_text(arm))), None)
    return None


def _plain(default: Any) -> Any:
    """A default as JSON; None where it has no JSON form or there is no default."""
    if default in (inspect.Parameter.empty, PydanticUndefined, None):
        return None
    try:
        return to_jsonable_python(default)
    except ValueError:
        return None


def _is_date(schema: Mapping[str, Any], doc: docstring.Doc, key: str) -> bool:
    """Whether a bare string is certainly a date: its text is "YYYY-MM-DD", or says so and the example call shows one."""
    if schema.get("type") != "string" or {"format", "enum", "pattern"} & set(schema):
        return False
    said = str(schema.get("description", "")).strip(" .。")
    if _DATE_TEXT.fullmatch(said):
        return True
    shown = (doc.example or {}).get(key)
    alternatives = re.search(r"\bor\b|或", said)
    return isinstance(shown, str) and bool(_ISO_DATE.fullmatch(shown)) and "YYYY-MM-DD" in f"{doc.description} {said}" and not alternatives


def _redescribed(schema: Mapping[str, Any], said: Mapping[str, str]) -> dict[str, Any]:
    properties = {key: {**one, "description": said[key]} if key in said else one for key, one in schema["properties"].items()}
    return {**schema, "properties": properties}
