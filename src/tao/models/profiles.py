"""Providers of OpenAI-compatible endpoints: where they are, which key they want, what they can do, what they want otherwise.

A plain table. A server that is not in it is reached by its address and gets `GENERIC`. Each row says where its facts stand; they
were read there in November 2026.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from tao.messages import Request
from tao.models import quirks
from tao.models.quirks import Fields, Mend, Trim
from tao.seams import Abilities


@dataclass(frozen=True, slots=True)
class Profile:
    """One provider. `keys` and `urls`: names of environment variables, the first is the canonical one; no keys: none needed.

    `source`: the page where that stands. `form` writes a grammar or schema; `thinking` switches thinking on or off. `reasoning`
    says when an assistant's reasoning is sent back: never; "calls": beside its calls, also when it is empty; "kept": wherever there is
    some; `details`: as its server sent it, in all its parts. `mends` work on the request, `trims` on the fields, `beside_tools` on
    the fields of a request with tools. `signed`: call ids carry the signature of their thought, `unsigned` stands for one that is
    missing (Gemini). `streams`: models (a regular expression) that only answer as a stream. `images`: models that take
    pictures (a regular expression; empty: none); `image_urls`: whether the server fetches them by address. `speaks`: chat
    completions, or Anthropic's messages.
    """

    name: str
    label: str
    base_url: str
    keys: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    abilities: Abilities = field(default_factory=Abilities)
    form: Callable[[Request], Fields] = quirks.response_format
    thinking: Callable[[bool], Fields] | None = None
    reasoning: Literal["never", "calls", "kept"] = "never"
    details: bool = False
    null_content: bool = False
    signed: bool = False
    unsigned: str = ""
    streams: str = ""
    mends: tuple[Mend, ...] = ()
    trims: tuple[Trim, ...] = ()
    beside_tools: tuple[Trim, ...] = ()
    extra: tuple[tuple[str, object], ...] = ()
    needs_key: bool = True
    images: str = ""
    image_urls: bool = True
    speaks: Literal["chat", "messages"] = "chat"
    source: str = ""


_SCHEMA = Abilities(constraint="json_schema")
_GRAMMAR = Abilities(constraint="gbnf", logprobs=True)
_LOCAL = {"abilities": _GRAMMAR, "thinking": quirks.template_thinking, "mends": (quirks.one_system,), "needs_key": False, "images": "."}

PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(
            "openai", "OpenAI", "https://api.openai.com/v1", ("OPENAI_API_KEY",), ("OPENAI_BASE_URL",), _SCHEMA,
            thinking=quirks.effort_thinking, trims=(quirks.stops_at_most(4), quirks.openai_reasoners),
            beside_tools=(quirks.openai_tools_or_thoughts,), images=r"gpt-4o|gpt-4\.1|gpt-[5-9]|^o[1-9]|chatgpt",
            source="https://developers.openai.com/api/docs/guides/reasoning",
        ),
        Profile(
            "anthropic", "Anthropic", "https://api.anthropic.com", ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"), ("ANTHROPIC_BASE_URL",),
            _SCHEMA, images=".", speaks="messages", source="https://platform.claude.com/docs/en/api/messages",
        ),
        Profile(
            "deepseek", "DeepSeek", "https://api.deepseek.com", ("DEEPSEEK_API_KEY",), ("DEEPSEEK_BASE_URL",),
            thinking=quirks.thinking_type, reasoning="calls", trims=(quirks.free_choice, quirks.stops_at_most(16)),
            images=r"^deepseek-(flash|v4-flash(-vision-exp)?)$", source="https://api-docs.deepseek.com/guides/thinking_mode",
        ),
        Profile(
            "dashscope", "阿里云百炼 DashScope", "https://dashscope.aliyuncs.com/compatible-mode/v1",
            ("DASHSCOPE_API_KEY", "ALIBABA_API_KEY", "QWEN_API_KEY"), ("DASHSCOPE_BASE_URL",),
            thinking=quirks.enable_thinking, trims=(quirks.free_choice, quirks.qwen_streams_only),
            streams=r"qwq|qvq|thinking|omni", images=r"vl|qvq|omni|ocr|qwen3\.[5-9]",
            source="https://help.aliyun.com/zh/model-studio/deep-thinking",
        ),
        Profile(
            "moonshot", "Moonshot 月之暗面", "https://api.moonshot.cn/v1", ("MOONSHOT_API_KEY", "MOONSHOTAI_API_KEY", "KIMI_API_KEY"),
            ("MOONSHOT_BASE_URL",), thinking=quirks.thinking_type, reasoning="kept", mends=(quirks.never_empty,),
            trims=(quirks.kimi_as_it_is, quirks.free_choice, quirks.temperature_within(0.0, 1.0), quirks.stops_at_most(5), quirks.completion_tokens),
            images=r"kimi-k(2\.[5-9]|[3-9])|vision", image_urls=False, source="https://platform.kimi.ai/docs/api/models-overview",
        ),
        Profile(
            "zhipu", "智谱 Zhipu / Z.ai", "https://open.bigmodel.cn/api/paas/v4", ("ZAI_API_KEY", "ZHIPUAI_API_KEY", "ZHIPU_API_KEY"),
            ("ZAI_BASE_URL", "ZHIPUAI_BASE_URL"), thinking=quirks.thinking_type, reasoning="kept", mends=(quirks.choice_is_free,),
            trims=(quirks.glm_thinks, quirks.temperature_within(0.0, 1.0), quirks.stops_at_most(1)),
            images=r"glm-[\d.]+v|glm-5\.3-flash", source="https://docs.bigmodel.cn/api-reference, 对话补全",
        ),
        Profile(
            "siliconflow", "硅基流动 SiliconFlow", "https://api.siliconflow.cn/v1", ("SILICONFLOW_API_KEY",), ("SILICONFLOW_BASE_URL",),
            thinking=quirks.enable_thinking, trims=(quirks.free_choice, quirks.stops_at_most(4)),
            images=r"VL|Omni|QVQ|OCR|glm-[\d.]+v|kimi-k2\.[5-9]|kimi-k[3-9]|qwen3\.[5-9]|glm-5\.3-flash|minimax-m3",
            source="https://docs.siliconflow.cn/cn/api-reference/chat-completions",
        ),
        Profile(
            "minimax", "MiniMax", "https://api.minimaxi.com/v1", ("MINIMAX_API_KEY",), ("MINIMAX_BASE_URL",), Abilities(stop=False),
            thinking=quirks.adaptive_thinking, reasoning="kept", details=True, mends=(quirks.one_system, quirks.choice_is_free),
            trims=(quirks.temperature_within(0.01, 1.0), quirks.stops_at_most(0), quirks.completion_tokens),
            extra=(("reasoning_split", True),), images="M3", source="https://platform.minimaxi.com/docs/api-reference/text-openai-api",
        ),
        Profile(
            "volcengine", "火山方舟 Volcengine Ark", "https://ark.cn-beijing.volces.com/api/v3", ("ARK_API_KEY", "VOLCENGINE_API_KEY"),
            ("ARK_BASE_URL",), thinking=quirks.thinking_type, trims=(quirks.free_choice, quirks.stops_at_most(4)),
            images=r"seed|vision|^ep-", source="https://www.volcengine.com/docs/82379/1494384",
        ),
        Profile(
            "openrouter", "OpenRouter", "https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",), ("OPENROUTER_BASE_URL",),
            thinking=quirks.router_thinking, reasoning="kept", details=True, mends=(quirks.never_empty,), trims=(quirks.stops_at_most(4),),
            images=".", source="https://openrouter.ai/docs/use-cases/reasoning-tokens",
        ),
        Profile(
            "gemini", "Google Gemini", "https://generativelanguage.googleapis.com/v1beta/openai", ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
            ("GEMINI_BASE_URL",), _SCHEMA, thinking=quirks.effort_thinking, null_content=True, signed=True,
            unsigned="skip_thought_signature_validator", mends=(quirks.one_system, quirks.never_empty),
            trims=(quirks.stops_at_most(5), quirks.gemini_effort), images=".", image_urls=False,
            source="https://ai.google.dev/gemini-api/docs/openai and /thought-signatures",
        ),
        Profile(
            "ollama", "Ollama", "http://127.0.0.1:11434/v1", ("OLLAMA_API_KEY",), ("OLLAMA_BASE_URL", "OLLAMA_HOST"), _SCHEMA,
            thinking=quirks.effort_thinking, needs_key=False, images=".", source="https://docs.ollama.com/api/openai-compatibility",
        ),
        Profile("vllm", "vLLM", "http://127.0.0.1:8000/v1", ("VLLM_API_KEY",), ("VLLM_BASE_URL",), form=quirks.vllm_form,
                source="https://docs.vllm.ai/en/latest/features/structured_outputs", **_LOCAL),  # type: ignore[arg-type]
        Profile("sglang", "SGLang", "http://127.0.0.1:30000/v1", ("SGLANG_API_KEY",), ("SGLANG_BASE_URL",), form=quirks.sglang_form,
                source="https://docs.sglang.io/docs/advanced_features", **_LOCAL),  # type: ignore[arg-type]
        Profile("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1", ("LLAMA_API_KEY",), ("LLAMACPP_BASE_URL",),
                form=quirks.llama_cpp_form, source="https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
                **_LOCAL),  # type: ignore[arg-type]
        Profile(
            "lmstudio", "LM Studio", "http://127.0.0.1:1234/v1", ("LMSTUDIO_API_KEY",), ("LMSTUDIO_BASE_URL",), _SCHEMA,
            thinking=quirks.effort_thinking, mends=(quirks.one_system,), needs_key=False, images=".",
            source="https://lmstudio.ai/docs/developer/openai-compat",
        ),
    )
}

ALIASES = {
    "alibaba": "dashscope", "aliyun": "dashscope", "bailian": "dashscope", "qwen": "dashscope", "tongyi": "dashscope",
    "kimi": "moonshot", "moonshotai": "moonshot", "zai": "zhipu", "z.ai": "zhipu", "zhipuai": "zhipu", "glm": "zhipu",
    "ark": "volcengine", "doubao": "volcengine", "google": "gemini", "llama.cpp": "llamacpp", "llama-cpp": "llamacpp",
    "claude": "anthropic", "lm-studio": "lmstudio", "lm_studio": "lmstudio", "hosted_vllm": "vllm",
}  # fmt: skip
"""Other names that people know a provider by."""

GENERIC = Profile(
    "server", "OpenAI-compatible server", "", ("OPENAI_API_KEY",), mends=(quirks.one_system,), needs_key=False, reasoning="kept", images=".",
)  # fmt: skip
"""A server known only by its address: nothing that is not in the standard."""


def profile(name: str) -> Profile | None:
    """The profile of that name or alias, in any case."""
    low = name.strip().lower()
    return PROFILES.get(ALIASES.get(low, low))
