"""Spans of runs, model calls and tool calls for OpenTelemetry (extra `otel`); the one home of its names.

The names follow the semantic conventions for generative AI (open-telemetry/semantic-conventions-genai, 2026, "development"):
`invoke_agent`, `chat` and `execute_tool`. What prompts, replies, arguments and results say is left out unless it is asked for.
"""

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from tao.errors import ConfigError, Pause, both
from tao.events import Ended, Event, Misread, Nudged, Observed, Paused, Ruled
from tao.messages import Call, Message, Observation, Reply, Request
from tao.run import NO_TOOLS, Run
from tao.seams import Act, Hear, Model
from tao.wrappers.models.around import Around, name_of
from tao.wrappers.words import NEVER_RAN

NAME = "tao"
PROVIDERS = {
    "openai": "openai", "anthropic": "anthropic", "deepseek": "deepseek", "moonshot": "moonshot_ai", "gemini": "gcp.gemini", "dashscope": "alibaba_cloud",
}  # fmt: skip
"""Our names of providers as the conventions have them; the others go by our own."""
OFF = frozenset({"none", "false", "0", "no", ""})


class Tracing:
    """Makes the spans. `provider` is a TracerProvider of OpenTelemetry; None: the one that the application has set.

    `content`: what is said goes into the spans too (prompts, replies, arguments, results). `agent` is the name of the agent.
    Raises ConfigError where OpenTelemetry is not installed.
    """

    def __init__(self, provider: Any = None, *, content: bool = False, agent: str = NAME) -> None:
        self._otel = _library()
        self.provider = provider or self._otel.get_tracer_provider()
        self.content, self.agent = content, agent
        self._tracer = self.provider.get_tracer("tao")

    @contextmanager
    def run(self, run: Run) -> Iterator[None]:
        """The span of a run, or of the part of it that is done here and now; everything else stands below it."""
        provider, model = _named(run.asked.model)
        facts = {
            "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": self.agent, "gen_ai.provider.name": provider, "gen_ai.request.model": model,
            "gen_ai.conversation.id": _session(run), "tao.run.id": run.id,
        }  # fmt: skip
        if self.content:
            facts["gen_ai.input.messages"] = _messages((*run.asked.history, Message("user", run.asked.question)))
        with self._span(f"invoke_agent {self.agent}", "INTERNAL", facts) as span:
            try:
                yield
            finally:
                _tell(span, self._told(run))
            if run.ended is not None and run.ended.reason == "failed":
                self._wrong(span, run.ended.detail.partition(":")[0] or "failed", run.ended.detail)

    def _told(self, run: Run) -> dict[str, Any]:
        """How a run stands, for its span."""
        usage, ended = run.usage, run.ended
        told: dict[str, Any] = {
            "gen_ai.usage.input_tokens": usage.prompt, "gen_ai.usage.output_tokens": usage.completion, "tao.run.steps": run.steps,
            "tao.run.state": run.state, "tao.run.reason": ended.reason if ended else None,
        }  # fmt: skip
        if self.content and ended and ended.answer is not None:
            told["gen_ai.output.messages"] = _messages((Message("assistant", ended.answer),))
        return told

    def model(self, model: Model) -> Model:
        """The model with a span around each call of it; one that has them already comes back as it is."""
        if getattr(model, "traced", False):
            return model
        provider, name = _named(name_of(model))

        async def answer(request: Request, hear: Hear | None = None) -> Reply:
            facts = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": provider, "gen_ai.request.model": name, **_asked(request, hear)}
            if self.content:
                facts["gen_ai.input.messages"] = _messages(request.messages)
            with self._span(f"chat {name}".strip(), "CLIENT", facts) as span:
                reply = await model(request, hear)
                _tell(span, _replied(reply))
                if self.content:
                    _tell(span, {"gen_ai.output.messages": _messages((Message("assistant", reply.text, reply.calls),))})
                return reply

        return _Traced(answer, model)

    def act(self, act: Act) -> Act:
        """Calls with a span around each attempt that is made."""

        async def done(call: Call, run: Run) -> Observation:
            spec = run.tool(call.tool)
            facts: dict[str, Any] = {
                "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": call.tool, "gen_ai.tool.type": "function",
                "gen_ai.tool.call.id": call.provider_id or call.id, "gen_ai.tool.description": spec.description if spec else None,
                "tao.call.id": call.id, "tao.run.id": run.id, "tao.tool.effects": list(spec.effects) if spec else None,
            }  # fmt: skip
            if self.content:
                facts["gen_ai.tool.call.arguments"] = json.dumps(dict(call.args), ensure_ascii=False, default=str)
            with self._span(f"execute_tool {call.tool}", "INTERNAL", facts) as span:
                seen = await act(call, run)
                if self.content:
                    _tell(span, {"gen_ai.tool.call.result": seen.text})
                if not seen.ok:
                    self._wrong(span, seen.kind or "error", seen.text if self.content else "")
                return seen

        return done

    async def heard(self, run: Run, event: Event) -> None:  # noqa: ARG002 - the seam's form
        """An observer: what happens beside calls is put down on the span of the run."""
        if found := _happened(event):
            name, facts = found
            self._otel.get_current_span().add_event(name, _said(facts))

    async def flush(self, seconds: float = 5.0) -> None:
        """Send what has not been sent yet, without holding up the event loop for longer than that."""
        if (send := getattr(self.provider, "force_flush", None)) is not None:
            await asyncio.to_thread(send, round(seconds * 1000))

    @contextmanager
    def _span(self, name: str, kind: str, facts: Mapping[str, Any]) -> Iterator[Any]:
        kinds = self._otel.SpanKind
        with self._tracer.start_as_current_span(
            name, kind=kinds[kind], attributes=_said(facts), record_exception=False, set_status_on_exception=False,
        ) as span:  # fmt: skip
            try:
                yield span
            except Pause:
                _tell(span, {"tao.paused": True})
                raise
            except BaseException as error:
                self._wrong(span, type(error).__name__, str(error) if isinstance(error, Exception) else "")
                raise

    def _wrong(self, span: Any, kind: str, said: str) -> None:
        span.set_attribute("error.type", kind)
        span.set_status(self._otel.StatusCode.ERROR, said.partition("\n")[0][:500] or None)  # errors are said twice, in English first


class _Traced(Around):
    traced = True


# ── what is said about it ─────────────────────────────────────────────────────


def _asked(request: Request, hear: Hear | None) -> dict[str, Any]:
    return {
        "gen_ai.request.max_tokens": request.max_tokens, "gen_ai.request.temperature": request.temperature,
        "gen_ai.request.stop_sequences": list(request.stop), "gen_ai.request.stream": True if hear else None,
        "gen_ai.output.type": "json" if request.schema else "text",
    }  # fmt: skip


def _replied(reply: Reply) -> dict[str, Any]:
    usage = reply.usage
    return {
        "gen_ai.response.model": reply.model, "gen_ai.response.finish_reasons": [reply.finish], "gen_ai.usage.input_tokens": usage.prompt,
        "gen_ai.usage.output_tokens": usage.completion, "gen_ai.usage.cache_read.input_tokens": usage.cached,
        "gen_ai.usage.reasoning.output_tokens": usage.reasoning, "gen_ai.response.time_to_first_chunk": reply.first_token,
    }  # fmt: skip


def _happened(event: Event) -> tuple[str, dict[str, Any]] | None:
    """An event as the conventions have none for it: a name of ours, and what is no secret."""
    match event:
        case Nudged():
            return "tao.nudged", {"tao.by": event.by}
        case Misread() if event.reason != NO_TOOLS:
            return "tao.misread", {"tao.reason": event.reason}
        case Paused():
            return "tao.paused", {"tao.call.id": event.call_id}
        case Ruled():
            return "tao.ruled", {"tao.call.id": event.call_id, "tao.verdict": event.verdict}
        case Observed() if event.observation.kind in NEVER_RAN:
            return "tao.not_run", {"tao.call.id": event.call_id, "tao.reason": event.observation.kind}
        case Ended():
            return "tao.ended", {"tao.reason": event.reason}
        case _:
            return None


def _messages(messages: tuple[Message, ...]) -> str:
    """Messages as the conventions write them: a role and parts."""
    listed = []
    for one in messages:
        parts: list[dict[str, Any]] = [{"type": "text", "content": one.content}] if one.content and one.role != "tool" else []
        parts += [{"type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments} for call in one.calls]
        parts += [{"type": "tool_call_response", "id": one.call_id, "response": one.content}] if one.role == "tool" else []
        listed.append({"role": one.role, "parts": parts})
    return json.dumps(listed, ensure_ascii=False)


def _said(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if value not in (None, "", [])}


def _tell(span: Any, facts: Mapping[str, Any]) -> None:
    span.set_attributes(_said(facts))


def _named(name: str) -> tuple[str, str]:
    """Provider and model of our name: "openai:gpt-5.5", an address with "#model", a file."""
    if "://" in name:
        return urlsplit(name).hostname or "", name.rpartition("#")[2] if "#" in name else name
    provider, sign, model = name.partition(":")
    return PROVIDERS.get(provider, provider), model if sign else name


def _session(run: Run) -> str:
    known = run.asked.settings.get("who")
    return str(known.get("session") or run.id) if isinstance(known, Mapping) else run.id


# ── where spans go ────────────────────────────────────────────────────────────


def tracing(to: str, env: Mapping[str, str], *, content: bool = False) -> Tracing | None:
    """Spans sent `to` the address of a collector ("http://localhost:4318"), or written to standard error ("console").

    Without `to`, as the standard variables in `env` say (OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER, OTEL_SDK_DISABLED,
    OTEL_SERVICE_NAME, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT); None where nothing asks for spans, or only such a
    variable does and OpenTelemetry is not installed. A provider that the application has set itself is used. Raises
    ConfigError for an address that is none, and where `to` is given and the extra is not installed.
    """
    disabled = env.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    wanted = to or ("" if disabled else _wanted(env))
    if not wanted or (not to and not installed()):
        return None
    if wanted != "console" and urlsplit(wanted).scheme not in {"http", "https"}:
        raise ConfigError(both(
            f"spans cannot be sent to {wanted!r}; wanted: the address of a collector such as http://localhost:4318, or console",
            f"无法把追踪数据发送到 {wanted!r}；应为收集器的地址，如 http://localhost:4318，或 console",
        ))  # fmt: skip
    said = env.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "").strip().lower()
    told = content or said not in OFF | {"no_content", "event_only"}
    return Tracing(_provider(wanted, env.get("OTEL_SERVICE_NAME", "").strip() or NAME), content=told)


def installed() -> bool:
    """Whether OpenTelemetry and its exporter are there."""
    try:
        _exporters()
    except ConfigError:
        return False
    return True


def _wanted(env: Mapping[str, str]) -> str:
    """Where the standard variables send spans; empty where they say nothing."""
    kind = env.get("OTEL_TRACES_EXPORTER", "").strip().lower()
    if kind in {"none", "console"}:
        return "console" if kind == "console" else ""
    own, all_ = (env.get(f"OTEL_EXPORTER_OTLP_{part}ENDPOINT", "").strip() for part in ("TRACES_", ""))
    return own or (f"{all_.rstrip('/')}/v1/traces" if all_ else "http://localhost:4318/v1/traces" if kind == "otlp" else "")


@cache
def _provider(to: str, service: str) -> Any:
    """The provider for this place, made once in a process; what is left is sent when the process ends."""
    otel = _library()
    export, sdk, resources, otlp = _exporters()
    if isinstance(known := otel.get_tracer_provider(), sdk.TracerProvider):
        return known
    made = sdk.TracerProvider(resource=resources.Resource.create({"service.name": service}))
    if to == "console":
        made.add_span_processor(export.SimpleSpanProcessor(export.ConsoleSpanExporter(out=sys.stderr, formatter=_line)))
    else:
        address = to if urlsplit(to).path.strip("/") else f"{to.rstrip('/')}/v1/traces"
        made.add_span_processor(export.BatchSpanProcessor(otlp.OTLPSpanExporter(endpoint=address)))
    return made


def _line(span: Any) -> str:
    """A span as one line of JSON."""
    return json.dumps(json.loads(span.to_json()), ensure_ascii=False) + "\n"


def _library() -> Any:
    """The API of OpenTelemetry. Raises ConfigError where it is not installed."""
    try:
        from opentelemetry import trace  # noqa: PLC0415 - optional, and only here
    except ImportError as error:
        raise _missing() from error
    return trace


def _exporters() -> tuple[Any, Any, Any, Any]:
    """The parts of its SDK that send spans."""
    try:
        from opentelemetry.exporter.otlp.proto.http import trace_exporter  # noqa: PLC0415
        from opentelemetry.sdk import resources, trace  # noqa: PLC0415
        from opentelemetry.sdk.trace import export  # noqa: PLC0415
    except ImportError as error:
        raise _missing() from error
    return export, trace, resources, trace_exporter


def _missing() -> ConfigError:
    return ConfigError(both(
        "spans need the extra `otel`: pip install 'tao-agent[otel]'", "追踪需要安装附加组件 `otel`：pip install 'tao-agent[otel]'",
    ))  # fmt: skip
