import asyncio
import json

import pytest
from aiohttp import web

from tao.acting import Limits
from tao.agent import Agent
from tao.build import build
from tao.config import Settings
from tao.errors import AgentError, ConfigError, Refused, Transient
from tao.messages import Reply, Usage
from tao.permissions import Rule
from tao.testing import ScriptedModel
from tao.tools.declare import tool
from tao.wrappers.models import retry

sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="needs the extra otel")
from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: E402
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: E402

from tao.tracing import Tracing, tracing  # noqa: E402

CALL = "Thought: t\nAction: {}\nAction Input: {}"


@pytest.fixture
def memory():
    return InMemorySpanExporter()


@pytest.fixture
def provider(memory):
    made = sdk.TracerProvider(shutdown_on_exit=False)
    made.add_span_processor(SimpleSpanProcessor(memory))
    return made


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool(effects=("writes",))
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@tool
def fails() -> str:
    """Fail."""
    raise ValueError("no luck")


def named(*replies, name="openai:gpt-5.5"):
    usage = Usage(100, 7, 60, 3)
    replies = (Reply(one, usage=usage, model="gpt-5.5-2026", first_token=0.2) if isinstance(one, str) else one for one in replies)
    model = ScriptedModel(*replies)
    model.name = name
    return model


def agent(provider, model, tools=(add, pay, fails), *, content=False, **options):
    return Agent(model, tools, dialect="react", trace=Tracing(provider, content=content), **options)


def by_name(memory):
    return {span.name: span for span in memory.get_finished_spans()}


async def test_a_run_is_one_tree_of_spans(provider, memory):
    run = await agent(provider, named(CALL.format("add", '{"a": 1, "b": 2}'), "Final Answer: 3")).run("1 + 2?", who={"session": "s1", "user": "u"})
    spans = memory.get_finished_spans()
    assert [span.name for span in spans] == ["chat gpt-5.5", "execute_tool add", "chat gpt-5.5", "invoke_agent tao"]
    whole = spans[-1]
    assert {span.parent.span_id for span in spans[:-1]} == {whole.context.span_id}
    assert dict(whole.attributes) == {
        "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "tao", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-5.5",
        "gen_ai.conversation.id": "s1", "tao.run.id": run.id, "gen_ai.usage.input_tokens": 200, "gen_ai.usage.output_tokens": 14,
        "tao.run.steps": 2, "tao.run.state": "ended", "tao.run.reason": "answered",
    }  # fmt: skip
    asked = dict(spans[0].attributes)
    assert all(isinstance(stop, str) for stop in asked.pop("gen_ai.request.stop_sequences"))
    asked.pop("gen_ai.request.temperature", None)
    assert asked == {
        "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-5.5",
        "gen_ai.request.stream": True, "gen_ai.output.type": "text",
        "gen_ai.response.model": "gpt-5.5-2026", "gen_ai.response.finish_reasons": ("stop",), "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 7, "gen_ai.usage.cache_read.input_tokens": 60, "gen_ai.usage.reasoning.output_tokens": 3,
        "gen_ai.response.time_to_first_chunk": 0.2,
    }  # fmt: skip
    assert spans[0].kind.name == "CLIENT"
    assert dict(spans[1].attributes) == {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "add", "gen_ai.tool.type": "function", "gen_ai.tool.call.id": "1.1",
        "gen_ai.tool.description": "Add two numbers.", "tao.call.id": "1.1", "tao.run.id": run.id, "tao.tool.effects": ("reads",),
    }  # fmt: skip
    assert [event.name for event in whole.events] == ["tao.ended"]


async def test_what_is_said_stays_out_unless_it_is_asked_for(provider, memory):
    script = CALL.format("add", '{"a": 1, "b": 2}'), "Final Answer: secret 3"
    await agent(provider, named(*script)).run("my secret: 1 + 2?")
    assert "secret" not in "".join(span.to_json() for span in memory.get_finished_spans())
    memory.clear()
    await agent(provider, named(*script), content=True).run("我的问题：1 + 2？")
    spans = by_name(memory)
    told = json.loads(spans["invoke_agent tao"].attributes["gen_ai.output.messages"])
    assert told == [{"role": "assistant", "parts": [{"type": "text", "content": "secret 3"}]}]
    assert "我的问题" in spans["invoke_agent tao"].attributes["gen_ai.input.messages"]
    assert "我的问题" in spans["chat gpt-5.5"].attributes["gen_ai.input.messages"]
    assert spans["execute_tool add"].attributes["gen_ai.tool.call.arguments"] == '{"a": 1, "b": 2}'
    assert spans["execute_tool add"].attributes["gen_ai.tool.call.result"] == "3"


async def test_a_tool_that_fails_is_marked_with_the_kind_of_failure(provider, memory):
    await agent(provider, named(CALL.format("fails", "{}"), "Final Answer: -")).run("q")
    span = by_name(memory)["execute_tool fails"]
    assert span.attributes["error.type"] == "error"
    assert (span.status.status_code.name, span.status.description) == ("ERROR", None)
    assert by_name(memory)["invoke_agent tao"].status.status_code.name == "UNSET"


async def test_every_attempt_has_a_span_of_its_own(provider, memory):
    trace, tries = Tracing(provider), []

    @tool
    def shaky() -> str:
        """Fail at first."""
        tries.append(1)
        if len(tries) < 2:
            raise ConnectionError("busy")
        return "ok"

    model = named(Transient("busy"), CALL.format("shaky", "{}"), "Final Answer: ok")
    made = Agent(retry(trace.model(model), first=0.0), [shaky], dialect="react", trace=trace)
    assert (await made.run("q")).answer == "ok"
    names = [(span.name, span.attributes.get("error.type")) for span in memory.get_finished_spans()]
    assert names == [
        ("chat gpt-5.5", "Transient"), ("chat gpt-5.5", None), ("execute_tool shaky", "transient"), ("execute_tool shaky", None),
        ("chat gpt-5.5", None), ("invoke_agent tao", None),
    ]  # fmt: skip


async def test_a_run_that_fails_and_one_that_is_cancelled_say_so(provider, memory):
    run = await agent(provider, named(Refused("wrong key"))).run("q")
    whole = by_name(memory)["invoke_agent tao"]
    assert run.ended.reason == "failed"
    assert (whole.attributes["error.type"], whole.status.description) == ("Refused", "Refused: wrong key")
    memory.clear()
    started = asyncio.Event()

    @tool
    async def endless() -> None:
        """Never end."""
        started.set()
        await asyncio.sleep(60)

    task = asyncio.create_task(agent(provider, named(CALL.format("endless", "{}")), [endless]).run("q"))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    spans = by_name(memory)
    assert spans["execute_tool endless"].attributes["error.type"] == "CancelledError"
    assert spans["invoke_agent tao"].attributes["error.type"] == "CancelledError"
    assert spans["invoke_agent tao"].attributes["tao.run.state"] == "acting"


async def test_what_was_not_run_stands_on_the_run(provider, memory):
    made = agent(provider, named(CALL.format("pay", '{"amount": 5}'), "Final Answer: -"), permissions=[Rule("deny", ("pay",))])
    await made.run("q")
    whole = by_name(memory)["invoke_agent tao"]
    assert [(event.name, dict(event.attributes)) for event in whole.events][:1] == [("tao.not_run", {"tao.call.id": "1.1", "tao.reason": "denied"})]
    assert "execute_tool pay" not in by_name(memory)


async def test_a_pause_is_no_error_and_what_is_resumed_is_a_span_again(provider, memory):
    made = agent(provider, named(CALL.format("pay", '{"amount": 5}'), "Final Answer: done"))
    run = await made.run("q")
    whole = by_name(memory)["invoke_agent tao"]
    assert (whole.status.status_code.name, whole.attributes["tao.run.state"]) == ("UNSET", "paused")
    memory.clear()
    await made.resume(await made.rule(run, "1.1", "approve"))
    spans = by_name(memory)
    assert spans["execute_tool pay"].attributes["tao.run.id"] == spans["invoke_agent tao"].attributes["tao.run.id"] == run.id


async def test_calls_at_once_and_runs_at_once_keep_to_their_own(provider, memory):
    def reply(n):
        return named(CALL.format("add", json.dumps({"a": n, "b": n})), "Final Answer: -")

    runs = await asyncio.gather(*(agent(provider, reply(n)).run("q") for n in range(4)))
    spans = memory.get_finished_spans()
    whole = {span.context.span_id: span.attributes["tao.run.id"] for span in spans if span.name.startswith("invoke")}
    assert set(whole.values()) == {run.id for run in runs}
    assert all(whole[span.parent.span_id] == span.attributes["tao.run.id"] for span in spans if span.name == "execute_tool add")


async def test_spans_of_ones_own_in_a_tool_stand_below_the_call(provider, memory):
    @tool
    def inner() -> str:
        """Make a span, in a thread."""
        with provider.get_tracer("mine").start_as_current_span("query"):
            return "ok"

    await agent(provider, named(CALL.format("inner", "{}"), "Final Answer: -"), [inner]).run("q")
    spans = by_name(memory)
    assert spans["query"].parent.span_id == spans["execute_tool inner"].context.span_id


async def test_the_model_that_sums_up_has_spans_too(provider, memory):
    @tool
    def much() -> str:
        """Give much."""
        return "row\n" * 5000

    limits = Limits(summarize=named("brief", name="deepseek:chat"), summarize_over=500)
    await agent(provider, named(CALL.format("much", "{}"), "Final Answer: -"), [much], limits=limits).run("q")
    assert by_name(memory)["chat chat"].attributes["gen_ai.provider.name"] == "deepseek"


async def test_a_judge_has_spans_like_any_model(provider, memory):
    trace = Tracing(provider)
    judges = named("?", '{"why": "no year", "right": false}', name="deepseek:judge"), retry(trace.model(named(Transient("busy"), '{"right": true}', name="deepseek:judge")), first=0.0)
    for judge in judges:
        memory.clear()
        made = Agent(named("Final Answer: x", "Final Answer: y"), dialect="react", trace=trace, judge=judge)
        run = await made.run("q")
        spans = memory.get_finished_spans()
        asked = [span for span in spans if span.name == "chat judge"]
        assert [span.attributes.get("error.type") for span in asked] == ([None, None] if judge is judges[0] else ["Transient", None])
        assert {span.parent.span_id for span in asked} == {by_name(memory)["invoke_agent tao"].context.span_id}
        assert dict(asked[-1].attributes)["gen_ai.provider.name"] == "deepseek"
        assert asked[-1].attributes["gen_ai.usage.output_tokens"] == 7
        assert run.answer == ("y" if judge is judges[0] else "x")
        assert made.judge in made.models


async def test_a_judge_that_fails_is_marked_and_what_it_reads_stays_out(provider, memory):
    await Agent(named("Final Answer: secret"), dialect="react", trace=Tracing(provider), judge=named(Refused("wrong key"), name="deepseek:judge")).run("q")
    assert by_name(memory)["chat judge"].attributes["error.type"] == "Refused"
    assert "secret" not in "".join(span.to_json() for span in memory.get_finished_spans())
    memory.clear()
    judge = named('{"right": true}', name="deepseek:judge")
    await Agent(named("Final Answer: secret"), dialect="react", trace=Tracing(provider, content=True), judge=judge).run("q")
    assert "secret" in by_name(memory)["chat judge"].attributes["gen_ai.input.messages"]


@pytest.mark.parametrize(
    ("name", "provider_name", "model"),
    [
        ("gemini:gemini-3-pro", "gcp.gemini", "gemini-3-pro"), ("dashscope:qwen3-max", "alibaba_cloud", "qwen3-max"), ("local:qwen3", "local", "qwen3"),
        ("http://10.0.0.1:8000/v1#mine", "10.0.0.1", "mine"), ("scripted", "scripted", "scripted"),
    ],
)  # fmt: skip
async def test_names_are_those_of_the_conventions(provider, memory, name, provider_name, model):
    await agent(provider, named("Final Answer: x", name=name)).run("q")
    span = by_name(memory)[f"chat {model}"]
    assert (span.attributes["gen_ai.provider.name"], span.attributes["gen_ai.request.model"]) == (provider_name, model)


# ── where they go ─────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "env",
    [{}, {"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, {"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "otlp"}],
)
def test_nothing_is_traced_unless_somebody_asks(env):
    assert tracing("", env) is None
    assert build(Settings(model="ollama:x"), env).trace is None


@pytest.mark.parametrize("place", ["localhost:4318", "ftp://x", "file.txt"])
def test_a_place_that_is_none_is_refused(place):
    with pytest.raises(ConfigError, match=r"cannot be sent to .*; wanted: the address of a collector"):
        tracing(place, {})


def test_the_standard_variable_for_content():
    for said, told in (("true", True), ("SPAN_ONLY", True), ("NO_CONTENT", False), ("false", False), ("", False)):
        made = tracing("console", {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": said})
        assert made.content is told
    assert tracing("console", {}, content=True).content


async def collector(got):
    async def take(request):
        got.append((request.path, await request.read()))
        return web.Response(content_type="application/x-protobuf")

    app = web.Application()
    app.router.add_post("/{path:.*}", take)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    return runner, f"http://127.0.0.1:{runner.addresses[0][1]}"


@pytest.mark.parametrize("how", ["setting", "variable", "variable for spans"])
async def test_spans_reach_a_collector(how):
    got = []
    runner, address = await collector(got)
    try:
        env = {} if how == "setting" else {"OTEL_EXPORTER_OTLP_ENDPOINT": address} if how == "variable" else {
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{address}/v1/traces"}  # fmt: skip
        trace = tracing(address if how == "setting" else "", env)
        async with Agent(named("Final Answer: x"), dialect="react", trace=trace) as made:
            await made.run("q")
        trace.provider.shutdown()
        path, body = got[0]
        assert path == "/v1/traces"
        assert b"invoke_agent tao" in body
        assert b"service.name" in body
    finally:
        await runner.cleanup()


async def test_on_the_console_a_span_is_a_line_as_people_read_it(capsys):
    await Agent(named("Final Answer: x", name="openai:通义"), dialect="react", trace=tracing("console", {"OTEL_SERVICE_NAME": "mine"})).run("q")
    told = capsys.readouterr().err
    lines = [json.loads(line) for line in told.splitlines()]
    assert [line["name"] for line in lines] == ["chat 通义", "invoke_agent tao"]
    assert "chat 通义" in told
    assert lines[0]["resource"]["attributes"]["service.name"] == "mine"


async def test_a_bug_is_still_loud_and_an_agent_error_still_ends_the_run(provider, memory):
    class Odd(AgentError):
        pass

    assert (await agent(provider, named(Odd("x"))).run("q")).ended.reason == "failed"
    with pytest.raises(KeyError):
        await agent(provider, named(KeyError("bug"))).run("q")
    assert memory.get_finished_spans()[-1].attributes["error.type"] == "KeyError"
