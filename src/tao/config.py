"""Settings: what was given, then the environment, `.env`, `tao.toml` here and in ~/.config/tao; validated once, then frozen.

Nothing else reads settings from the environment. Keys of providers stay out of it: `environment()` hands them on.
"""

import os
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

from dotenv import dotenv_values
from pydantic import BaseModel, ConfigDict, Field, InstanceOf, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from tao.errors import ConfigError, both
from tao.permissions import Rule, read_rules
from tao.tables import Agreed, Local, ModelPrice, Models

PREFIX = "TAO_"
FILES = (Path("~/.config/tao/tao.toml"), Path("tao.toml"))
OTHERS = {"TAO_CACHE", "TAO_MODEL_CHANNELS", "TAO_SHARED"}
"""Variables with our prefix that are no settings: where model files lie and come from, where tests find shared data."""


class ToolCalls(BaseModel):
    """What holds for the calls of one tool in the place of what holds for all."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    timeout: float | None = Field(default=None, gt=0, description="seconds; empty: the tool's own, or those of all")
    attempts: int | None = Field(default=None, ge=1, description="how often it is tried where that is harmless")
    strikes: int | None = Field(default=None, ge=1, description="failures after which a run goes on without it")
    at_once: int | None = Field(default=None, ge=1, description="calls of it at the same time")
    rate: str = Field(default="", description="how often it is called by everybody: 10/minute")
    user_rate: str = Field(default="", description="how often by one user")
    tenant_rate: str = Field(default="", description="how often for one tenant")
    cache: float | None = Field(default=None, gt=0, description="seconds for which what it said is given again")
    cache_for: Literal["run", "session", "everybody"] = Field(default="session", description="who is given it again")
    grounding: Literal["", "strict", "advise", "off"] = Field(default="", description="what becomes of a call of it with values from nowhere")


class Calls(BaseModel):
    """How tool calls are held in bounds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    timeout: float = Field(default=60.0, gt=0, description="seconds that a call may take; inf: no limit")
    at_once: int = Field(default=8, ge=1, description="calls at the same time")
    tokens: int = Field(default=1000, ge=50, description="tokens of an observation that the model is shown at once")
    attempts: int = Field(default=3, ge=1, description="how often a call is tried where that is harmless and can help")
    strikes: int = Field(default=2, ge=1, description="failures of a tool after which a run goes on without it")
    hand_over: bool = Field(default=False, description="ask a person then, instead of taking the tool away")
    failures: int = Field(default=5, ge=1, description="failures in a row after which all runs leave a tool alone")
    window: float = Field(default=60.0, gt=0, description="seconds within which those must happen")
    cool_down: float = Field(default=30.0, gt=0, description="seconds for which it is left alone")
    rate: str = Field(default="", description="how often tools are called, all together: 100/minute")
    user_rate: str = Field(default="", description="how often by one user")
    tenant_rate: str = Field(default="", description="how often for one tenant")
    rates_in: str = Field(default="", description="where calls are counted: redis://host:6379; empty: in this process")
    patience: float = Field(default=10.0, ge=0, description="seconds that a call waits for its turn")
    fence: Literal["strange", "all", "none"] = Field(
        default="strange", description="whose text is marked as data: tools that fetch from outside, all, none",
    )
    summarize: str = Field(default="", description="the model that sums up long observations, as in `model`; empty: they are cut")
    summarize_over: int = Field(default=2000, ge=50, description="tokens from which an observation counts as long there")
    grounding: Literal["", "strict", "advise", "off"] = Field(
        default="", description="values in a call that come from nowhere: strict (refused), advise (noted), off; empty: strict for small models, else advise",
    )
    tools: Mapping[str, ToolCalls] = Field(default_factory=dict, description="by tool: what holds for it instead")


class Permissions(BaseModel):
    """What may be done with tools."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rules: tuple[InstanceOf[Rule], ...] = Field(default=(), description="rules, [[permissions.rules]]; those of both files count together")

    @field_validator("rules", mode="before")
    @classmethod
    def _rules(cls, value: Any) -> Any:
        return read_rules(value, f"{PREFIX}PERMISSIONS__RULES")


class Files(TomlConfigSettingsSource):
    """The files; rules of what is permitted add up, so that a folder's file cannot drop those of the user's own."""

    def _read_files(self, files: Any, deep_merge: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002 - as it is overridden
        self.rules: list[Rule] = []
        merged = super()._read_files(files, deep_merge=deep_merge)
        if self.rules:
            merged["permissions"] = {**merged["permissions"], "rules": tuple(self.rules)}
        return merged

    def _read_file(self, file_path: Any) -> dict[str, Any]:
        found = super()._read_file(file_path)
        if isinstance(table := found.get("permissions"), dict) and "rules" in table:
            self.rules += read_rules(table["rules"], str(file_path))
        return found


class Web(BaseModel):
    """How the tools of `web` and `http` reach the network."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    service: str | None = Field(default=None, description="the search service; empty: the one whose key is set, else DuckDuckGo")
    hosts: tuple[str, ...] = Field(default=(), description="hosts that http_get and http_send may reach")
    inside: tuple[str, ...] = Field(default=(), description="hosts and networks that may be reached although they are not public")
    proxy: str | None = Field(default=None, description="an HTTP proxy for everything")


class Trace(BaseModel):
    """Where spans for OpenTelemetry go."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    to: str = Field(default="", description="a collector's address (http://localhost:4318), or console; empty: as the OTEL_ variables say")
    content: bool = Field(default=False, description="what prompts, replies, arguments and results say goes there too")


class OpenApi(BaseModel):
    """An API whose operations are offered as tools; texts may hold `${NAME}`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    document: str = Field(min_length=1, description="the OpenAPI document: a file or an address")
    name: str = Field(default="", description="stands before the names of its tools")
    allow: tuple[str, ...] = Field(default=("GET", "HEAD"), description="operations: METHOD, id, METHOD /path, /path, tag:name; with * and ?")
    deny: tuple[str, ...] = Field(default=(), description="operations that are left out all the same")
    base_url: str = Field(default="", description="where it is; empty: as the document says")
    hosts: tuple[str, ...] = Field(default=(), description="hosts that may be reached; empty: that of base_url or of the document")
    headers: Mapping[str, str] = Field(default_factory=dict, description="headers of every request")
    credentials: Mapping[str, str] = Field(default_factory=dict, description="by security scheme: a key, a token, user:password")
    variables: Mapping[str, str] = Field(default_factory=dict, description="values in the document's server addresses")
    timeout: float | None = Field(default=None, gt=0, description="seconds for one request; empty: 20")


class Cascade(BaseModel):
    """A large model for the hard steps."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    large: str = Field(default="", description="who answers the hard steps, as in `model`; empty: nobody else")
    when: Annotated[tuple[str, ...], NoDecode] = Field(default=(), description="rules by which it does; empty: after_misread, after_failed_tool, after_objection")
    stay: bool = Field(default=False, description="once it has answered, it answers to the end")

    _listed = field_validator("when", mode="before")(lambda value: tuple(filter(None, map(str.strip, value.split(",")))) if isinstance(value, str) else value)


class Settings(BaseSettings):
    """Everything that can be set. An environment variable is `TAO_` and the name; nested names are joined by `__`."""

    model_config = SettingsConfigDict(
        frozen=True, extra="forbid", env_prefix=PREFIX, env_nested_delimiter="__", env_file=".env", env_ignore_empty=True,
        dotenv_filtering="only_existing", toml_file=FILES, validate_default=False,
    )

    model: str = Field(
        default="local", min_length=1, description="who answers: local, provider:model, a .gguf file, http://host/v1#name"
    )
    lang: Literal["zh", "en"] | None = Field(
        default=None, description="language of prompts and answers; empty: the question's own"
    )
    dialect: Literal["auto", "react", "json", "bracket", "native"] = Field(default="auto", description="how calls are written")
    instructions: str = Field(default="", description="what the model is told beside the question")
    max_steps: int = Field(default=8, ge=1, le=1000, description="model replies that a run may take")
    max_tools_shown: int = Field(default=12, ge=1, description="tools that a prompt describes in full; of more, a line each, and find_tool")
    output: Path | None = Field(default=None, description="a JSON schema that the answer has to fit, as JSON: a file; empty: plain words")
    reflect: Annotated[int, Field(ge=0)] | Literal["failures"] | None = Field(
        default=None, description="replies after which the model is told to look back; 0: never; empty: what its kind needs"
    )
    cascade: Cascade = Field(default=Cascade(), description="a large model for the hard steps: a table")
    triage: bool = Field(default=False, description="answer with a short prompt what needs no tools")
    triage_model: str = Field(default="", description="the model that sorts questions for it, as in `model`; empty: the one that answers")
    judge: str = Field(default="", description="the model that looks an answer over before it is given, as in `model`; empty: none")
    max_tokens: int | None = Field(
        default=None, ge=1, description="prompt and completion tokens that a run may take; empty: no limit"
    )
    max_model_calls: int | None = Field(default=None, ge=1, description="calls of the model that a run may take; empty: no limit")
    max_tool_calls: int | None = Field(default=None, ge=1, description="calls of tools that a run may take; empty: no limit")
    max_prompt_tokens: int | None = Field(default=None, ge=1, description="prompt tokens that a run may take; empty: no limit")
    max_completion_tokens: int | None = Field(default=None, ge=1, description="completion tokens that a run may take; empty: no limit")
    max_reasoning_tokens: int | None = Field(default=None, ge=1, description="reasoning tokens that a run may take; empty: no limit")
    max_cached_tokens: int | None = Field(default=None, ge=1, description="prompt tokens from a cache that a run may take; empty: no limit")
    max_cost: Decimal | None = Field(default=None, gt=0, description="money that a run may cost, in `currency`; empty: no limit")
    currency: str | None = Field(
        default=None, pattern="^[A-Z]{3}$", description="the currency of max_cost: CNY, USD …; empty: the one that the model is billed in"
    )
    exchange: Mapping[str, Annotated[Decimal, Field(gt=0)]] = Field(
        default_factory=dict, description="by currency: how much of `currency` one unit of it is worth"
    )
    who: Mapping[Literal["user", "tenant", "session", "role"], Annotated[str, Field(min_length=1)]] = Field(
        default_factory=dict, description="for whom runs are, which rules and quotas go by: a table"
    )
    deadline: float | None = Field(default=None, gt=0, description="seconds that a run may take; empty: no limit")
    thinking: bool | None = Field(
        default=None, description="switch the provider's thinking on or off; empty: as the provider has it"
    )
    docs: Path | None = Field(default=None, description="a folder of text files that the tool `search` looks through")
    tools: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), description="files with more tools: FILE.py or FILE.py:factory"
    )
    mcp: Path | None = Field(default=None, description="a JSON file of MCP servers, whose tools are offered")
    openapi: Annotated[tuple[OpenApi, ...], NoDecode] = Field(default=(), description="APIs whose operations are offered, [[openapi]]; a text: documents")
    builtins: bool = Field(default=True, description="offer the tools that come with tao")
    offer: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), description="further tools of tao: files, sql, notes, units, calendar, python, ask_human, web, http"
    )
    root: Path | None = Field(default=None, description="the folder that the tools of `files` are kept to")
    database: str | None = Field(default=None, description="the SQLAlchemy URL that the tools of `sql` read")
    notes: Path | None = Field(default=None, description="the file of the tools of `notes`; empty: ~/.local/state/tao/notes.db")
    web: Web = Field(default=Web(), description="how the tools of web and http reach the network")
    journal: str = Field(
        default="", description="where runs are kept: a file or a database URL; empty: ~/.local/state/tao/runs.db"
    )
    synchronous: Literal["FULL", "NORMAL"] = Field(default="FULL", description="FULL: a recorded event survives a power cut")
    local: Local = Local()
    models: Models = Field(default=Models(), description="how models are called over a network: a table")
    prices: Mapping[str, ModelPrice] = Field(
        default_factory=dict, description="by model: what a million of its tokens cost; goes before the known prices"
    )
    quotas: tuple[Agreed, ...] = Field(default=(), description="what each session, user or tenant may use over a time, [[quotas]]")
    calls: Calls = Field(default=Calls(), description="how tool calls are held in bounds: a table")
    trace: Trace = Field(default=Trace(), description="where spans for OpenTelemetry go: a table")
    permissions: Permissions = Field(default=Permissions(), description="what may be done with tools: a table with rules")

    @field_validator("tools", "offer", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        """A text is a list with commas between."""
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value

    @field_validator("openapi", mode="before")
    @classmethod
    def _documents(cls, value: Any) -> Any:
        """A text alone is the document."""
        value = [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value
        return [{"document": one} if isinstance(one, str) else one for one in value] if isinstance(value, list | tuple) else value

    @field_validator("synchronous", mode="before")
    @classmethod
    def _upper(cls, value: Any) -> Any:
        return value.upper() if isinstance(value, str) else value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """First wins."""
        files = Files(settings_cls, [path.expanduser() for path in FILES], deep_merge=True)
        return init_settings, env_settings, dotenv_settings, files


def load(given: Mapping[str, Any] | None = None) -> Settings:
    """The settings; `given` (a command's options) goes before everything, and None in it means: not given.

    Raises ConfigError that says which setting, what came from where, and what is wanted.
    """
    given = {name: value for name, value in (given or {}).items() if value is not None}
    try:
        return Settings(**given)
    except tomllib.TOMLDecodeError as error:
        path = next((path for path in FILES if not _readable(path)), FILES[-1])
        raise ConfigError(both(f"{path} is not valid TOML: {error}", f"{path} 不是有效的 TOML：{error}")) from error
    except SettingsError as error:
        raise ConfigError(both(f"settings cannot be read: {error}", f"无法读取设置：{error}")) from error
    except ValidationError as error:
        problems = [both(*_complaint(problem, given)) for problem in error.errors(include_url=False)]
        raise ConfigError("\n".join(problems)) from error


def environment() -> dict[str, str]:
    """The environment, and what `.env` adds to it; the real environment wins."""
    return {**{name: value for name, value in dotenv_values(".env").items() if value is not None}, **os.environ}


def state_folder() -> Path:
    """Where what outlives a run is kept, unless a setting says otherwise."""
    return Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state").expanduser() / "tao"


def journal_address(settings: Settings) -> str:
    """Where runs are kept."""
    return settings.journal or str(state_folder() / "runs.db")


def strangers() -> list[str]:
    """Environment variables that begin like ours and are no setting: most likely slips of the pen."""
    known = {PREFIX + name.upper() for name in Settings.model_fields} | OTHERS
    return sorted(name for name in os.environ if name.startswith(PREFIX) and name.split("__")[0] not in known)


# ── what is wrong with a setting ──────────────────────────────────────────────

WANTED: dict[str, tuple[str, str]] = {
    "int_parsing": ("a whole number", "整数"),
    "int_type": ("a whole number", "整数"),
    "int_from_float": ("a whole number", "整数"),
    "float_parsing": ("a number", "数字"),
    "float_type": ("a number", "数字"),
    "bool_parsing": ("true or false", "true 或 false"),
    "bool_type": ("true or false", "true 或 false"),
    "string_type": ("a text", "文本"),
    "string_too_short": ("a text that is not empty", "非空文本"),
    "greater_than_equal": ("{ge} or more", "不小于 {ge}"),
    "greater_than": ("more than {gt}", "大于 {gt}"),
    "less_than": ("less than {lt}", "小于 {lt}"),
    "less_than_equal": ("{le} or less", "不大于 {le}"),
    "literal_error": ("one of {expected}", "以下之一：{expected}"),
    "path_type": ("a path", "路径"),
    "decimal_parsing": ("a number", "数字"),
    "decimal_type": ("a number", "数字"),
    "string_pattern_mismatch": ("three capital letters such as CNY or USD", "三个大写字母，如 CNY 或 USD"),
    "tuple_type": ("a list of texts", "文本列表"),
    "model_type": ("a table", "表"),
    "mapping_type": ("a table", "表"),
}


def _complaint(problem: Mapping[str, Any], given: Mapping[str, Any]) -> tuple[str, str]:
    path = [str(step) for step in problem["loc"]]
    name, came = ".".join(path), problem["input"]
    english, chinese = _source(path, given)
    if problem["type"] == "extra_forbidden":
        table: Any = ToolCalls if path[:2] == ["calls", "tools"] else OpenApi if path[0] == "openapi" else Agreed if path[0] == "quotas" else ModelPrice if path[0] == "prices" else Settings.model_fields[path[0]].annotation if len(path) > 1 else Settings
        near = get_close_matches(path[-1], getattr(table, "model_fields", ()), 1, 0.6)
        hint, hint_zh = (f"; did you mean {near[0]!r}?", f"；是否想写 {near[0]!r}？") if near else ("", "")
        return f"there is no setting {name!r} ({english}){hint}", f"没有名为 {name!r} 的设置（{chinese}）{hint_zh}"
    if problem["type"] == "missing":
        return f"setting {name!r} is missing ({english})", f"缺少设置 {name!r}（{chinese}）"
    wanted, wanted_zh = WANTED.get(problem["type"], (problem["msg"], problem["msg"]))
    context = problem.get("ctx", {})
    wanted, wanted_zh = wanted.format(**context), wanted_zh.format(**context).replace(" or ", " 或 ")
    return f"setting {name!r} is {came!r} ({english}); wanted: {wanted}", f"设置 {name!r} 的值为 {came!r}（{chinese}）；应为：{wanted_zh}"


def _source(path: list[str], given: Mapping[str, Any]) -> tuple[str, str]:
    """Where a value came from, in both languages."""
    if path[0] in given:
        option = "--" + "-".join(path).replace("_", "-")
        return f"option {option}", f"选项 {option}"
    variable = PREFIX + "__".join(path).upper()
    if variable in os.environ:
        return f"environment variable {variable}", f"环境变量 {variable}"
    if variable in dotenv_values(".env"):
        return f"{variable} in .env", f".env 中的 {variable}"
    return "tao.toml", "tao.toml"


def _readable(path: Path) -> bool:
    try:
        tomllib.loads(path.expanduser().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return True
    except (tomllib.TOMLDecodeError, OSError, UnicodeDecodeError):
        return False
    return True
