"""Names lead to models; what is missing is said, in both languages, with what to do."""

import pytest

from tao.errors import ConfigError, WeightsError
from tao.models import connect
from tao.models.connect import proxy_for, resolve
from tao.models.profiles import PROFILES, profile

KEYS = {"OPENAI_API_KEY": "ok", "DEEPSEEK_API_KEY": "dk", "QWEN_API_KEY": "qk"}


@pytest.mark.parametrize(
    ("name", "url", "model", "key"),
    [
        ("openai:gpt-5.5", "https://api.openai.com/v1", "gpt-5.5", "ok"),
        ("deepseek:deepseek-chat", "https://api.deepseek.com", "deepseek-chat", "dk"),
        ("deepseek/deepseek-chat", "https://api.deepseek.com", "deepseek-chat", "dk"),
        ("dashscope:qwen-plus", "https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen-plus", "qk"),
        ("Qwen:qwen-plus", "https://dashscope.aliyuncs.com/compatible-mode/v1", "qwen-plus", "qk"),
        ("ollama:qwen3:8b", "http://127.0.0.1:11434/v1", "qwen3:8b", None),
        ("http://127.0.0.1:8000/v1#my/model", "http://127.0.0.1:8000/v1", "my/model", None),
        ("http://127.0.0.1:8000#m", "http://127.0.0.1:8000/v1", "m", None),
        ("vllm:http://gpu:8000/v1#m", "http://gpu:8000/v1", "m", None),
        ("https://api.deepseek.com/v1#deepseek-chat", "https://api.deepseek.com/v1", "deepseek-chat", "dk"),
        ("https://stranger.example/v1#m", "https://stranger.example/v1", "m", None),
    ],
)
def test_names_of_endpoints(name, url, model, key):
    found = connect(name, env=KEYS)
    assert (found.url, found.model) == (f"{url}/chat/completions", model)
    assert found.headers.get("Authorization") == (f"Bearer {key}" if key else None)


def test_base_urls_of_the_environment_are_taken_and_bring_that_providers_ways():
    assert connect("ollama:m", env={"OLLAMA_HOST": "0.0.0.0:11434"}).url == "http://127.0.0.1:11434/v1/chat/completions"
    assert connect("ollama:m", env={"OLLAMA_BASE_URL": "http://box:11434/v1"}).url == "http://box:11434/v1/chat/completions"
    moved = connect("openai:deepseek-chat", env={**KEYS, "OPENAI_BASE_URL": "https://api.deepseek.com/v1"})
    assert (moved.profile.reasoning, moved.headers["Authorization"]) == ("calls", "Bearer ok")
    own = connect("openai:qwen3", env={"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1"})
    assert (own.url, own.headers.get("Authorization")) == ("http://127.0.0.1:8000/v1/chat/completions", None)
    keyed = connect("openai:qwen3", env={"OPENAI_BASE_URL": "http://10.0.0.2/v1", "OPENAI_API_KEY": "ok"})
    assert keyed.headers["Authorization"] == "Bearer ok"


def test_a_missing_key_names_the_variable_in_both_languages():
    with pytest.raises(ConfigError, match=r"set DASHSCOPE_API_KEY \(or ALIBABA_API_KEY, QWEN_API_KEY\)") as caught:
        connect("dashscope:qwen-plus", env={})
    assert "请在环境变量或 .env 中设置 DASHSCOPE_API_KEY" in str(caught.value)
    assert connect("dashscope:qwen-plus", env={}, key="given").headers["Authorization"] == "Bearer given"


@pytest.mark.parametrize(
    ("name", "said"), [("opnai:gpt", "did you mean 'openai'"), ("gpt-5.5", "provider:model"), ("", "cannot tell"), ("http://a/v1", "behind '#'")]
)
def test_what_is_no_model_is_said_so(name, said):
    with pytest.raises(ConfigError, match=said) as caught:
        connect(name, env=KEYS)
    assert "模型" in str(caught.value)


def test_local_names_and_files(tmp_path):
    env = {"TAO_CACHE": str(tmp_path)}
    assert resolve("local", env).file == "qwen2.5-coder-1.5b"
    assert resolve("smollm2-135m", env).file == resolve("local:smollm2-135m", env).file == "smollm2-135m"
    with pytest.raises(WeightsError, match=r"`tao model pull qwen2\.5-coder-1\.5b`") as caught:
        connect("local", env=env)
    assert "尚未下载" in str(caught.value)
    file = tmp_path / "mine.gguf"
    file.write_bytes(b"GGUF and more")
    found = connect(str(file), env=env, local={"context": 2048, "threads": 1})
    assert (found.name, found.path, found.abilities.small) == ("local:mine", file, True)
    assert (found.engine.settings.context, found.engine.settings.threads) == (2048, 1)
    file.write_bytes(b"<html>")
    with pytest.raises(WeightsError, match="is not a GGUF file"):
        connect(f"local:{file}", env=env)


def test_every_profile_is_whole():
    for name, known in PROFILES.items():
        assert known.name == name
        assert known.base_url.startswith("http")
        assert known.keys
        assert known.urls
    assert profile(" Kimi ").name == "moonshot"
    assert profile("nobody") is None


def test_proxies_as_the_environment_has_them():
    env = {"HTTPS_PROXY": "http://p:1", "no_proxy": "corp.example,.cn"}
    assert proxy_for("https://api.openai.com/v1", env) == "http://p:1"
    assert proxy_for("https://x.corp.example/v1", env) is None
    assert proxy_for("https://api.moonshot.cn/v1", env) is None
    assert proxy_for("http://api.openai.com/v1", env) is None
    assert proxy_for("https://127.0.0.1/v1", env) is None
    assert proxy_for("http://a.example/v1", {"ALL_PROXY": "p:3128"}) == "http://p:3128"
    with pytest.raises(ConfigError, match="not an HTTP proxy"):
        proxy_for("https://a.example/v1", {"all_proxy": "socks5://127.0.0.1:1080"})
