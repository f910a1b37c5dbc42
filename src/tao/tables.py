"""Tables of settings about models and money; `tao.config` has the settings themselves."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_settings import NoDecode


class Local(BaseModel):
    """How a model file is run in this process."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    threads: int | None = Field(default=None, ge=1, description="compute threads; empty: chosen by the number of cores")
    context: int = Field(default=8192, ge=512, description="tokens that a prompt and its reply may take together")
    slots: int = Field(default=1, ge=1, description="calls at the same time")
    batch: int = Field(default=128, ge=1, description="prompt tokens that are evaluated in one go")


class Models(BaseModel):
    """How models are called over a network."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    attempts: int = Field(default=3, ge=1, description="how often a call is tried that failed for a passing reason")
    timeout: float | None = Field(default=None, gt=0, description="seconds that one attempt may take; empty: as the model has it")
    first: float | None = Field(default=None, gt=0, description="seconds until the first word of a reply that is streamed; empty: as the model has it")
    connect: float | None = Field(default=None, gt=0, description="seconds until a connection stands; empty: 10")
    requests_per_minute: float | None = Field(default=None, ge=1, description="calls a minute; empty: no limit of ours")
    tokens_per_minute: float | None = Field(default=None, ge=1, description="tokens a minute; empty: no limit of ours")
    fallback: Annotated[tuple[str, ...], NoDecode] = Field(default=(), description="models that are asked in turn where the first cannot answer")
    hedge: float | None = Field(
        default=None, gt=0, lt=100, description="a second request once the first takes longer than this percentile of the latest; empty: none"
    )
    hedge_after: float | None = Field(default=None, gt=0, description="seconds after which it is sent while too few calls were seen; empty: not yet")
    cache: int = Field(default=0, ge=0, description="replies that are kept, and given again for the very same request; 0: none")

    @field_validator("fallback", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


class ModelPrice(BaseModel):
    """What a million tokens of one model cost."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: Decimal = Field(ge=0, description="of the prompt")
    output: Decimal = Field(ge=0, description="of the reply")
    cached: Decimal | None = Field(default=None, ge=0, description="of the part of the prompt that came from a cache; empty: as input")
    written: Decimal | None = Field(default=None, ge=0, description="of the part of the prompt that was put into a cache; empty: as input")
    thinking: Decimal | None = Field(default=None, ge=0, description="of a reply with thinking; empty: as output")
    currency: str = Field(default="USD", pattern="^[A-Z]{3}$", description="CNY, USD …")


class Agreed(BaseModel):
    """What each session, user or tenant may use within the last `window` seconds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    per: Literal["session", "user", "tenant"] = Field(description="for whom")
    window: float = Field(default=86_400.0, gt=0, description="seconds")
    max_runs: int | None = Field(default=None, ge=1, description="runs that are begun; empty: no limit")
    max_tokens: int | None = Field(default=None, ge=1, description="prompt and completion tokens; empty: no limit")
    max_steps: int | None = Field(default=None, ge=1, description="model replies; empty: no limit")
    max_model_calls: int | None = Field(default=None, ge=1, description="calls of models; empty: no limit")
    max_tool_calls: int | None = Field(default=None, ge=1, description="calls of tools; empty: no limit")
    max_prompt_tokens: int | None = Field(default=None, ge=1, description="prompt tokens; empty: no limit")
    max_completion_tokens: int | None = Field(default=None, ge=1, description="completion tokens; empty: no limit")
    max_reasoning_tokens: int | None = Field(default=None, ge=1, description="reasoning tokens; empty: no limit")
    max_cached_tokens: int | None = Field(default=None, ge=1, description="prompt tokens from a cache; empty: no limit")
    max_seconds: float | None = Field(default=None, gt=0, description="seconds that runs take; empty: no limit")
    max_cost: Decimal | None = Field(default=None, gt=0, description="money, in `currency`; empty: no limit")
    currency: str = Field(default="", pattern="^([A-Z]{3})?$", description="of max_cost; empty: the one of the settings")

    def told(self, currency: str | None, exchange: Mapping[str, Decimal]) -> dict[str, Any]:
        """The fields of a `tao.quotas.Quota`, with the currency and exchange rates of the settings."""
        return {**self.model_dump(), "currency": self.currency or currency or "", "exchange": {name: str(rate) for name, rate in exchange.items()}}
