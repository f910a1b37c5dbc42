"""What each provider of the catalogue wants otherwise, against a server that is as strict as its documents."""

import json
import re
from dataclasses import replace

import pytest

from tao.errors import Refused
from tao.messages import Image, Message, Request, ToolCall
from tao.models.openai import ChatModel
from tao.models.pictures import takes_pictures
from tao.models.profiles import ALIASES, GENERIC, PROFILES
from tao.testing import spec

ASK = Request((Message("system", "简短回答"), Message("user", "三加四？")))
WITH_TOOLS = replace(ASK, tools=(spec("add", "Adds", a="integer", b="integer"),))
PICTURE = Image("image/png", "iVBO")
ADDRESS = Image(url="https://example.com/cat.png")


@pytest.fixture
async def connect(provider):
    models = []

    def make(name, model, **options):
        models.append(ChatModel(PROFILES[name] if name else GENERIC, model, key="secret", base_url=provider.url, **options))
        return models[-1]

    yield make
    for model in models:
        await model.close()


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_every_row_says_where_it_stands_and_how_it_is_reached(profile):
    assert re.match(r"https://", profile.source)
    assert re.match(r"https?://[^/]+", profile.base_url)
    assert profile.keys
    assert profile.urls
    assert profile.needs_key == profile.base_url.startswith("https")
    re.compile(profile.images)
    re.compile(profile.streams)


def test_other_names_lead_somewhere():
    assert set(ALIASES.values()) <= set(PROFILES)
    assert not set(ALIASES) & set(PROFILES)


# ── thinking, as far as it can be switched ────────────────────────────────────


@pytest.mark.parametrize(("name", "model", "on", "off"), [
    ("openai", "gpt-5.5", {"reasoning_effort": "medium"}, {"reasoning_effort": "none"}),
    ("moonshot", "kimi-k2.6", {"thinking": {"type": "enabled"}}, {"thinking": {"type": "disabled"}}),
    ("moonshot", "kimi-k2.7-code", {}, {}),
    ("moonshot", "kimi-k3", {}, {"reasoning_effort": "low"}),
    ("moonshot", "kimi-k3.1-pro", {}, {"reasoning_effort": "low"}),
    ("zhipu", "glm-5.2", {"thinking": {"type": "enabled"}}, {"thinking": {"type": "disabled"}}),
    ("zhipu", "glm-5.3", {"thinking": {"type": "enabled"}}, {"reasoning_effort": "low"}),
    ("minimax", "MiniMax-M3", {"thinking": {"type": "adaptive"}}, {"thinking": {"type": "disabled"}}),
    ("gemini", "gemini-2.5-flash", {"reasoning_effort": "medium"}, {"reasoning_effort": "none"}),
    ("gemini", "gemini-2.5-pro", {"reasoning_effort": "high"}, {"reasoning_effort": "low"}),
    ("gemini", "gemini-3.8-flash", {"reasoning_effort": "high"}, {"reasoning_effort": "low"}),
    ("siliconflow", "Qwen/Qwen3-8B", {"enable_thinking": True}, {"enable_thinking": False}),
    ("volcengine", "doubao-seed-2-1-pro-260915", {"thinking": {"type": "enabled"}}, {"thinking": {"type": "disabled"}}),
    ("ollama", "qwen3", {"reasoning_effort": "medium"}, {"reasoning_effort": "none"}),
    ("lmstudio", "m", {"reasoning_effort": "medium"}, {"reasoning_effort": "none"}),
    ("vllm", "m", {"chat_template_kwargs": {"enable_thinking": True, "thinking": True}}, {"chat_template_kwargs": {"enable_thinking": False, "thinking": False}}),
])  # fmt: skip
async def test_thinking_is_asked_for_in_words_that_the_model_takes(provider, connect, name, model, on, off):
    provider.will("ok")
    words = {"thinking", "reasoning_effort", "enable_thinking", "chat_template_kwargs"}
    for wish, sent in ((None, {}), (True, on), (False, off)):
        await connect(name, model, thinking=wish)(ASK)
        assert {key: value for key, value in provider.bodies[-1].items() if key in words} == sent


async def test_openai_is_not_asked_for_an_effort_beside_tools(provider, connect):
    async def strict(request):
        body = json.loads(provider.raw[-1])
        if body.get("tools") and body.get("reasoning_effort") not in {None, "none"}:
            message = "Function tools with reasoning_effort are not supported for gpt-5.6-sol in /v1/chat/completions."
            return await provider.refuse(400, {"error": {"message": message}})(request)
        return await provider.answer_ok(request)

    provider.will(strict)
    await connect("openai", "gpt-5.6-sol", thinking=True)(WITH_TOOLS)
    await connect("openai", "gpt-5.6-sol", thinking=False)(WITH_TOOLS)
    await connect("openai", "gpt-5.6-sol", thinking=True)(ASK)
    assert [body.get("reasoning_effort") for body in provider.bodies] == [None, "none", "medium"]


# ── limits, temperature, choice ───────────────────────────────────────────────


@pytest.mark.parametrize(("name", "model", "sent"), [
    ("openai", "gpt-5.5", {"max_completion_tokens": 9}), ("openai", "gpt-4.1", {"max_tokens": 9, "temperature": 0.0}),
    ("moonshot", "kimi-k3", {"max_completion_tokens": 9}), ("moonshot", "moonshot-v1-8k", {"max_completion_tokens": 9, "temperature": 0.0}),
    ("minimax", "MiniMax-M3", {"max_completion_tokens": 9, "temperature": 0.01}), ("deepseek", "deepseek-flash", {"max_tokens": 9, "temperature": 0.0}),
])  # fmt: skip
async def test_limits_and_temperatures_have_the_names_and_bounds_of_the_model(provider, connect, name, model, sent):
    provider.will("ok")
    await connect(name, model)(replace(ASK, max_tokens=9, temperature=0.0))
    assert {key: value for key, value in provider.bodies[0].items() if "tokens" in key or key == "temperature"} == sent


@pytest.mark.parametrize("name", ["zhipu", "minimax"])
async def test_where_the_choice_is_always_free_no_tools_are_offered_that_must_not_be_called(provider, connect, name):
    provider.will("ok")
    for choice, offered in (("auto", True), ("required", True), ("none", False)):
        await connect(name, "m")(replace(WITH_TOOLS, tool_choice=choice))
        assert ("tools" in provider.bodies[-1], "tool_choice" in provider.bodies[-1]) == (offered, False)


async def test_a_model_that_always_thinks_is_not_forced_to_call(provider, connect):
    provider.will("ok")
    await connect("moonshot", "kimi-k3", thinking=False)(replace(WITH_TOOLS, tool_choice="required"))
    assert "tool_choice" not in provider.bodies[0]
    await connect("moonshot", "kimi-k2.6", thinking=False)(replace(WITH_TOOLS, tool_choice="required"))
    assert provider.bodies[1]["tool_choice"] == "required"


# ── what has to be sent back ──────────────────────────────────────────────────


def asked_again(reply):
    said = Message("assistant", reply.text, reply.calls, reasoning=reply.reasoning, kept=reply.kept)
    return replace(WITH_TOOLS, messages=(*ASK.messages, said, *(Message("tool", "7", call_id=call.id) for call in reply.calls)))


CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}}


@pytest.mark.parametrize("streamed", [False, True])
async def test_openrouter_gets_the_parts_of_the_reasoning_back_as_they_were(provider, connect, streamed):
    parts = [
        {"type": "reasoning.text", "text": "hm, well", "signature": "c2ln", "format": "anthropic-claude-v1", "index": 0, "id": None},
        {"type": "reasoning.encrypted", "data": "ZGF0YQ==", "format": "openai-responses-v1", "index": 1, "id": "rs_1"},
    ]
    if streamed:
        head = {**parts[0], "text": "hm, ", "signature": None}
        provider.will([
            provider.piece(reasoning="hm, ", reasoning_details=[head]),
            provider.piece(reasoning="well", reasoning_details=[{**head, "text": "well"}]),
            provider.piece(reasoning_details=[{**head, "text": "", "signature": "c2ln"}]), provider.piece(reasoning_details=[parts[1]]),
            provider.piece(tool_calls=[{**CALL, "index": 0}]), provider.piece(finish="tool_calls"),
        ], "ok")  # fmt: skip
    else:
        provider.will(provider.said(None, reasoning="hm, well", reasoning_details=parts, tool_calls=[CALL], finish="tool_calls"), "ok")
    model = connect("openrouter", "anthropic/claude-opus-5.5")
    reply = await model(WITH_TOOLS, (lambda _text: False) if streamed else None)
    assert reply.reasoning == "hm, well"
    await model(asked_again(reply))
    sent = provider.bodies[1]["messages"][2]
    assert (sent["reasoning_details"], "reasoning_content" in sent) == (parts, False)


@pytest.mark.parametrize("whole", [False, True], ids=["growing", "again"])
async def test_minimax_gets_its_reasoning_back_however_it_streams_it(provider, connect, whole):
    part = {"type": "reasoning.text", "id": "reasoning-text-1", "format": "MiniMax-response-v1", "index": 0}
    texts = ("想", "想一", "想一想") if whole else ("想", "一", "想")
    pieces = [provider.piece(reasoning_details=[{**part, "text": text}]) for text in texts]
    provider.will([*pieces, provider.piece(tool_calls=[{**CALL, "index": 0}]), provider.piece(finish="tool_calls")], "ok")
    model = connect("minimax", "MiniMax-M3")
    reply = await model(WITH_TOOLS, lambda _text: False)
    assert reply.reasoning == "想一想"
    await model(asked_again(reply))
    assert provider.bodies[1]["messages"][2]["reasoning_details"] == [{**part, "text": "想一想"}]


async def test_other_providers_do_not_get_those_parts(provider, connect):
    provider.will(provider.said("a", reasoning_details=[{"type": "reasoning.text", "text": "hm"}]), "ok")
    model = connect("openai", "gpt-4.1")
    await model(asked_again(await model(ASK)))
    assert "reasoning_details" not in provider.bodies[1]["messages"][2]
    broken = Message("assistant", "so", kept="{broken")
    await connect("openrouter", "m")(replace(ASK, messages=(*ASK.messages, broken, Message("user", "?"))))
    assert "reasoning_details" not in provider.bodies[2]["messages"][2]


@pytest.mark.parametrize(("model", "stand_in"), [("gemini-3.8-flash", True), ("gemini-4-argon", True), ("gemini-2.5-flash", False)])
async def test_gemini_is_told_where_a_call_has_no_signature(provider, connect, model, stand_in):
    provider.will("ok")
    calls = (ToolCall("add", "{}", "c1"), ToolCall("add", "{}", "c2"))
    history = (*ASK.messages, Message("assistant", "", calls), Message("tool", "1", call_id="c1"), Message("tool", "2", call_id="c2"))
    await connect("gemini", model)(replace(WITH_TOOLS, messages=history))
    marks = [call.get("extra_content", {}).get("google", {}).get("thought_signature") for call in provider.bodies[0]["messages"][2]["tool_calls"]]
    assert marks == [("skip_thought_signature_validator" if stand_in else None), None]


async def test_gemini_signs_the_first_of_parallel_calls_only(provider, connect):
    signed = {**CALL, "extra_content": {"google": {"thought_signature": "c2ln"}}}
    provider.will(provider.said(None, tool_calls=[signed, {**CALL, "id": "c2"}], finish="stop"), "ok")
    model = connect("gemini", "gemini-3.8-flash")
    reply = await model(WITH_TOOLS)
    await model(asked_again(reply))
    first, second = provider.bodies[1]["messages"][2]["tool_calls"]
    assert (first["extra_content"], "extra_content" in second) == ({"google": {"thought_signature": "c2ln"}}, False)


# ── usage ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("details", [
    {"cached_tokens": 30, "cache_write_tokens": 20}, {"cached_tokens": 30, "cache_creation_input_tokens": 20, "cache_type": "ephemeral"},
])  # fmt: skip
async def test_what_was_written_into_a_cache_is_counted(provider, connect, details):
    provider.will(provider.said("ok", usage={"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": details}))
    usage = (await connect("openrouter", "m")(ASK)).usage
    assert (usage.prompt, usage.cached, usage.written) == (100, 30, 20)


# ── images ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("name", "takes", "takes_not"), [
    ("openai", "gpt-5.5 gpt-4o-mini o4-mini gpt-4.1", "gpt-3.5-turbo gpt-oss-120b"),
    ("anthropic", "claude-opus-5-5 claude-haiku-4-5", ""),
    ("deepseek", "deepseek-flash deepseek-v4-flash-vision-exp", "deepseek-v4-pro deepseek-chat deepseek-v4-flash-0731"),
    ("dashscope", "qwen3-vl-plus qwen3.5-plus qwen3.8-max qwen3-omni-flash qvq-max", "qwen-plus qwen3-max qwen-turbo"),
    ("moonshot", "kimi-k3 kimi-k2.6 moonshot-v1-8k-vision-preview kimi-k3.1-pro", "moonshot-v1-8k kimi-k2-thinking"),
    ("zhipu", "glm-4.6v glm-5v-turbo glm-5.3-flash", "glm-5.3 glm-4.7"),
    ("siliconflow", "Qwen/Qwen3-VL-32B-Instruct zai-org/GLM-4.5V moonshotai/Kimi-K2.5", "deepseek-ai/DeepSeek-V3.1 Qwen/Qwen3-8B"),
    ("minimax", "MiniMax-M3", "MiniMax-M2.7"),
    ("volcengine", "doubao-seed-2-1-pro-260915 ep-20260101-abc", "deepseek-v3-2 doubao-1-5-pro-32k"),
    ("gemini", "gemini-3.8-flash", ""), ("openrouter", "qwen/qwen3-vl", ""), ("ollama", "llava", ""), ("llamacpp", "m", ""),
])  # fmt: skip
def test_which_models_take_pictures(name, takes, takes_not):
    assert [model for model in takes.split() if not takes_pictures(PROFILES[name], model)] == []
    assert [model for model in takes_not.split() if takes_pictures(PROFILES[name], model)] == []


async def test_a_picture_goes_before_the_words_as_data_or_address(provider, connect):
    provider.will("a cat")
    await connect("openai", "gpt-5.5")(Request((Message("user", "这是什么？", images=(PICTURE, ADDRESS)),)))
    assert provider.bodies[0]["messages"][0]["content"] == [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}},
        {"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}}, {"type": "text", "text": "这是什么？"},
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "model", "image", "said"), [
    ("deepseek", "deepseek-v4-pro", PICTURE, "deepseek:deepseek-v4-pro takes no images; ask a model that does"),
    ("moonshot", "kimi-k3", ADDRESS, "moonshot:kimi-k3 does not fetch images by their address; give the file itself"),
    ("gemini", "gemini-3.8-flash", ADDRESS, "does not fetch images by their address"),
])  # fmt: skip
async def test_what_a_model_does_not_take_is_said_before_anything_is_sent(provider, connect, name, model, image, said):
    provider.will("ok")
    with pytest.raises(Refused, match=re.escape(said)) as caught:
        await connect(name, model)(Request((Message("user", "?", images=(image,)),)))
    assert "图片" in str(caught.value)
    assert provider.bodies == []
