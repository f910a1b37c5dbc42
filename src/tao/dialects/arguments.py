"""An input, in whatever way it was written, as the arguments of a tool."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tao.dialects.clean import SPACE, fence_at, one_line_code, undangled, unfence, untoken
from tao.dialects.convert import Parameters, convert, kinds, missing, parameters
from tao.dialects.forms import Listed, closing, listed
from tao.dialects.later import later
from tao.dialects.repair import Read, read_json, read_loose, read_strict
from tao.messages import Pairs, ToolSpec

MAX_PAIRS = 100
_OPEN_STRING = later(r"[\"“]\s{0,9}[{｛]\s{0,9}\\?(?:[\"'][^{}]{0,4000})?$", re.DOTALL)
_JSONISH = later(r"[{｛\[]\s{0,40}[{｛\[]?\s{0,40}(?:\\?$|\\?[\"'“]|[A-Za-z_]\w{0,60}\s{0,9}[:：])")
_QUOTED_KEY = later(r"\\?[\"'“`]([^\"'”`\n]{1,80})\\?[\"'”`]\s{0,9}[:：]")
_LITERAL = later(r"\s*(?:[\"'“]|-?\d|true|false|null|none|\[|\{)", re.IGNORECASE)
_PAIRS = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」"}
_QUOTE_END = later(r"([\"'])([^\"'\n]{1,2000})([\"'])[ \t]*\n[ \t]*\n")
_PAIR = (
    r"(?:^|[,，;；\n \t]|(?<=[\"'”])(?=[,，;；\n \t]))[ \t]{0,40}(?:[-*][ \t])?"
    r"[\"'`“]?(KEYS)[\"'`”]?[ \t]{0,9}[:：=＝](?!=)[ \t]{0,9}"
)
_QUOTED_VALUE = later(r"\"[^\"\n]{0,4000}\"(?=[,，;；\s]|$)|'[^'\n]{0,4000}'(?=[,，;；\s]|$)|“[^”\n]{0,4000}”")
_BARE = later(r"[^\n\"'“”‘’`{}()\[\]（）=＝:：]{1,200}")
_CODED = later(r"^#?\d+$|^#\w|\w[._/@#]\w")
"""What no word of running text is: a number, a variable, a name with a dot, a line or a slash in it."""
_UNKNOWN_KEY = later(r"(?:^|[,，;；\s]\s{0,9})[A-Za-z_]\w{0,40}[ \t]{0,4}=(?!=)")


@dataclass(frozen=True, slots=True)
class Args:
    """Arguments, and whether the text had to be mended to get them."""

    values: Mapping[str, Any]
    mended: bool = False


@dataclass(frozen=True, slots=True)
class Bad:
    """No arguments: `reason` is one of the words of `Misread.reason`."""

    reason: str
    quote: str = ""


def from_text(tool: ToolSpec, text: str, *, sealed: bool = False, rest: str | None = None) -> Args | Bad:
    """Arguments from an input as text.

    `sealed`: the model went on behind the input, so its end is where it ends. `rest`: the text from the input's start to
    the end of the reply, for JSON whose strings hold what looks like a label.
    """
    shape = parameters(tool)
    plain = read_strict(text) if rest is None and text[:1] == "{" and text[-1:] == "}" else None
    if isinstance(plain, Read) and plain.end == len(text) and isinstance(args := _from_json(shape, plain.value, text), Args):
        return args  # as mostly
    text = _before_prose(undangled(_unmarked(untoken(text))))
    open_fence = text.startswith("```") and "```" not in text[3:]
    body = one_line_code(unfence(text).strip(SPACE)) if not open_fence else text.partition("\n")[2].strip(SPACE)
    whole = read_strict(rest) if rest and rest[0] in "{[" else None
    if isinstance(whole, Read) and isinstance(found := _from_json(shape, whole.value, body), Args):
        return found
    if body.startswith("`") and body.count("`") == 1:
        body = body[1:].lstrip(SPACE)
    if missing(body):
        return Bad("no_input") if shape.required else Args({})
    fenced = unfence(text) != text
    structured = _structured(tool, shape, body, sealed=sealed, fenced=fenced or open_fence, whole=not open_fence)
    if structured is not None:
        return structured
    if open_fence:
        return Bad("truncated", text)
    return from_bare(tool, body, plain=fenced)


def _unmarked(text: str) -> str:
    """Without a bold mark in front that is never closed: residue of the label."""
    for mark in ("**", "__"):
        if text.startswith(mark) and text.count(mark) == 1:
            return text[2:].lstrip(SPACE)
    return text


def _before_prose(text: str) -> str:
    """The fence that an input begins with, where only prose follows it."""
    fence = fence_at(text, 0) if text.startswith(("```", "~~~")) else None
    if fence and fence[1] < len(text) and text[fence[2] :].strip(SPACE) and "```" not in text[fence[2] :]:
        return text[: fence[2]]
    return text


def _structured(tool: ToolSpec, shape: Parameters, body: str, *, sealed: bool, fenced: bool, whole: bool) -> Args | Bad | None:
    """Arguments from JSON, from JSON in a string or in prose, from a call of the tool itself, or from pairs.

    In a fence everything but JSON is data; `whole` says that the fence was closed.
    """
    if body[0] in "{｛[［":
        found = read_json(body, sealed=sealed)
        if isinstance(found, Read):
            args = _from_json(shape, found.value, body)
            if found.cut and not sealed and isinstance(args, Args) and any(name not in args.values for name in shape.required):
                return Bad("truncated", body)
            if args is not None:
                return Args(args.values, found.mended) if isinstance(args, Args) else args
        elif not _one_text(shape) if body[0] in "[［" else _JSONISH.match(body):
            return Bad("truncated" if found.kind == "truncated" else "bad_json", body)
    if not shape.schemas:
        return Args({})
    if body[0] in "\"'“\\`":
        if isinstance(string := read_strict(body), Read) and isinstance(string.value, str) and string.value.strip()[:1] == "{":
            inner = read_json(string.value.strip())
            if isinstance(inner, Read) and isinstance(inner.value, dict):
                return Args(inner.value, mended=True)
        elif _OPEN_STRING.match(body):
            return Bad("truncated", body)
        if (key := _QUOTED_KEY.match(body)) and shape.known(key[1]):
            return _headless(shape, body, sealed=sealed)
    if unwrapped := _self_call(tool, body):
        return unwrapped
    if fenced and (shape.sole is not None or not whole):
        return None
    if pairs := _pairs(shape, body):
        return Args(pairs) if all(pairs.get(name, "") != "" for name in shape.required) else Bad("no_input", body)
    return _in_prose(shape, body)


def _one_text(shape: Parameters) -> bool:
    return shape.sole is not None and "array" not in kinds(shape.schemas[shape.sole])


def _from_json(shape: Parameters, value: Any, body: str) -> Args | Bad | None:
    """Arguments from a JSON value; None where it is text after all."""
    if isinstance(value, dict):
        return _no_echo(shape, value)
    if isinstance(value, list):
        if shape.sole and "array" in kinds(shape.schemas[shape.sole]):
            return Args({shape.sole: value})
        if value and isinstance(value[0], dict):
            return Args(value[0], mended=True)
        if not value and not shape.required:
            return Args({})
        return None if shape.sole else Bad("bare_input", body)
    return None


def _no_echo(shape: Parameters, value: Mapping[str, Any]) -> Args | Bad:
    """The object as arguments, unless it is the tool's own description."""
    if "properties" in value and "type" in value and not any(map(shape.known, value)):
        return Bad("schema_echo", str(dict(value)))
    return Args(value)


def _headless(shape: Parameters, body: str, *, sealed: bool) -> Args | Bad:
    """An object whose opening brace is missing."""
    found = read_loose(body, sealed=sealed, body=True)
    if isinstance(found, Read) and all(shape.known(key) for key in found.value):
        return Args(_renamed(shape, found.value), mended=True)
    return Bad("truncated" if not isinstance(found, Read) and found.kind == "truncated" else "bad_json", body)


def _self_call(tool: ToolSpec, body: str) -> Args | Bad | None:
    """An input that calls the same tool once more."""
    name = tool.name
    if body[: len(name)].lower() != name.lower() or body[len(name) : len(name) + 1] not in {"(", "["}:
        return None
    end = closing(body, len(name), len(body))
    if end is None or body[end + 1 :].strip(SPACE + ";"):
        return None
    return from_call(tool, body, len(name), end)


def from_call(tool: ToolSpec, text: str, opened: int, closed: int) -> Args | Bad:
    """Arguments from what stands between a call's brackets."""
    shape = parameters(tool)
    inner = text[opened + 1 : closed].strip(SPACE)
    if not inner:
        return Bad("no_input") if shape.required else Args({})
    if text[opened] in "(（":
        found = listed(text, opened)
        if isinstance(found, Listed) and found.literal and found.whole and found.end == closed + 1:
            args = from_list(shape, found)
            if args is not None:
                return args
            if len(found.values) > max(1, len(shape.schemas)):
                return Bad("bare_input", inner)
    elif len(shape.required) > 1 and _LITERAL.match(inner) and inner[0] not in "{｛":
        found = listed(f"({inner})", 0)
        if isinstance(found, Listed) and found.literal and not found.named and len(found.values) == len(shape.required):
            return Args(dict(zip(shape.required, found.values, strict=True)))
    return _unquoted_list(tool, shape, inner) or from_text(tool, inner, sealed=True)


def _unquoted_list(tool: ToolSpec, shape: Parameters, inner: str) -> Args | None:
    """Bare words between commas, one for each of several required parameters, where one of them is no word of running text.

    `get_neighbors(#0, people.person.profession)` is a list; `look(Paris, France)` may be one text as well.
    """
    pieces = [piece.strip(SPACE) for piece in re.split("[,，]", inner)]
    if len(pieces) != len(shape.required) or len(pieces) < 2 or not all(map(_BARE.fullmatch, pieces)) or not any(map(_CODED.search, pieces)):
        return None
    return from_wire(tool, dict(zip(shape.required, pieces, strict=True)))


def from_list(shape: Parameters, found: Listed) -> Args | None:
    """Positional and keyword values by the order of the parameters; None where they do not fit."""
    if len(found.values) == 1 and not found.named and isinstance(found.values[0], dict):
        first = next(iter(shape.schemas.values()), {})
        if not (shape.sole and "object" in kinds(first) and not any(map(shape.known, found.values[0]))):
            return Args(found.values[0])
    names = [name for name in shape.schemas if name not in found.named]
    if len(found.values) > len(names):
        return None
    if not found.values and shape.sole and not any(map(shape.known, found.named)):
        return None
    if found.values and len(shape.required) > len(found.values) + len(found.named):
        return None
    named = _renamed(shape, found.named)
    return Args(Pairs([*zip(names, found.values, strict=False), *named.items()], getattr(named, "double", None)).plain())


def _pairs(shape: Parameters, body: str) -> dict[str, Any] | None:
    """`key: value` or `key=value` pairs, on lines, between commas or spaces, where every key is a parameter."""
    keys = "|".join(re.escape(name) for name in sorted(shape.schemas, key=len, reverse=True))
    found = _found_pairs(re.compile(_PAIR.replace("KEYS", keys), re.IGNORECASE), body)
    names = [shape.known(key) or key for key, _, _ in found]
    if not found or len(set(names)) != len(names):
        return None
    result: dict[str, Any] = {}
    for name, (_, value, quoted) in zip(names, found, strict=True):
        several = len(shape.schemas) > 1
        if not quoted and ((len(names) > 1 and _stray(value)) or (several and _UNKNOWN_KEY.search(value))):
            return None
        result[name] = convert(unquoted(value), shape.schemas[name])
    return result


def _found_pairs(mark: re.Pattern[str], body: str) -> list[tuple[str, str, bool]]:
    """Keys with their values as written, and whether these are quoted; what stands in quotes is no key."""
    found: list[tuple[str, str, bool]] = []
    match = mark.match(body)
    while match and len(found) < MAX_PAIRS:
        at = match.end()
        closed = _QUOTED_VALUE.match(body, at)
        following = mark.search(body, closed.end() - 1 if closed else at)
        value = body[at : following.start() if following else len(body)].strip(SPACE).rstrip(",，;；").strip(SPACE)
        found.append((match[1], value, closed is not None))
        match = following
    return found


def _stray(text: str) -> bool:
    """Whether a value of several lines holds a line that looks like a pair of its own."""
    return any(re.match(r"[ \t]*\w{1,40}[ \t]*[:：=]", line) for line in text.split("\n")[1:])


def _in_prose(shape: Parameters, body: str) -> Args | None:
    """JSON with prose around it, where its keys are the tool's."""
    at = body.find("{")
    if at <= 0 or at > 400:
        return None
    before = body[:at].rstrip(SPACE + "`")
    if shape.sole and not before.endswith((":", "：", "=", "json", "is", "为")):
        return None
    found = read_json(body, at)
    if isinstance(found, Read) and isinstance(found.value, dict) and found.value and all(map(shape.known, found.value)):
        return Args(found.value, mended=True)
    return None


def from_bare(tool: ToolSpec, text: str, *, plain: bool = False) -> Args | Bad:
    """Arguments from bare text: the one parameter that it can only mean. `plain`: it was fenced, so quotes are data."""
    shape = parameters(tool)
    if not shape.schemas:
        return Args({})
    if shape.sole is None:
        return Bad("bare_input", text)
    return Args({shape.sole: convert(text if plain else unquoted(text), shape.schemas[shape.sole])})


def from_value(tool: ToolSpec, value: Any) -> Args | Bad:
    """Arguments from a JSON value: an object, JSON in a string, or one value for the one parameter."""
    shape = parameters(tool)
    if isinstance(value, dict):
        return _no_echo(shape, value)
    if isinstance(value, str) and value.strip(SPACE):
        return from_text(tool, value)
    if value is None or value in ("", []):
        return Bad("no_input") if shape.required else Args({})
    args = _from_json(shape, value, str(value))
    if args is not None:
        return args
    return Args({shape.sole: value}) if shape.sole else Bad("bare_input", str(value))


def from_wire(tool: ToolSpec, pairs: Mapping[str, Any]) -> Args:
    """Arguments from named but untyped texts (XML parameters): converted by the schema. What is typed already stays."""
    shape = parameters(tool)
    named = _renamed(shape, pairs)
    typed = ((key, _typed(value, shape.schemas.get(key, {}))) for key, value in named.items())
    return Args(Pairs(typed, getattr(named, "double", None)).plain())


def _renamed(shape: Parameters, pairs: Mapping[str, Any]) -> dict[str, Any]:
    """The same values under the parameters' own names, where these are known."""
    return Pairs(((shape.known(key) or key, value) for key, value in pairs.items()), getattr(pairs, "double", None)).plain()


def _typed(value: Any, schema: Mapping[str, Any]) -> Any:
    return convert(value, schema) if isinstance(value, str) else value


def unquoted(text: str) -> str:
    """Without one layer of quotes around the whole, or a lone one in front; quotes around a part stay."""
    text = text.strip(SPACE)
    if (end := _QUOTE_END.match(text)) and end[1] == end[3]:
        text = text[: end.end(3)]
    for triple in ('"""', "'''"):
        if len(text) >= 6 and text.startswith(triple) and text.endswith(triple):
            return text[3:-3]
    if len(text) > 1 and _PAIRS.get(text[0]) == text[-1]:
        inner = text[1:-1]
        if '\\"' in inner and text[0] == '"' and isinstance(string := read_strict(text), Read) and string.end == len(text):
            return str(string.value)
        at = inner.find(text[-1])
        while at > 0 and text[0] == "'" and inner[at - 1].isalnum() and inner[at + 1 : at + 2].isalnum():
            at = inner.find("'", at + 1)
        if at < 0 or (inner[at - 1 : at] in {"", " ", "(", "\n"} and inner[at + 1 : at + 2].strip()):
            return inner
        return text
    if text[:1] in '"“`' and not any(quote in text[1:] for quote in '"“”`'):
        return text[1:]
    return text
