"""`tao doctor --model X`: three tiny calls, what they say, and the exit code."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


def states(done):
    return {record["about"]: record["state"] for record in map(json.loads, done.stdout.splitlines())}


def test_an_endpoint_that_writes_no_calls_is_usable_with_a_note(tao, server):
    server.will("ready")
    done = tao("doctor", "--model", server.model)
    lines = [line.split(None, 2) for line in done.stdout.splitlines() if line[:1] in "✓!✗–"]
    assert [line[0] for line in lines if line] == ["✓", "✓", "!", "✓", "✓", "✓", "✓"]
    assert "the tool was offered and not called" in done.stdout
    assert "40 + 12 tokens" in done.stdout
    assert "calls as text, images, stop sequences" in done.stdout
    following = done.stdout.split("Next\n")[1].splitlines()
    assert following[0].strip() == "calls as text may work better: --dialect react"
    assert following[1].strip().startswith("tao ask --model")
    assert (done.returncode, done.stderr) == (0, "")
    assert [("tools" in body, body.get("stream", False)) for body in server.bodies] == [(False, False), (True, False), (False, True)]


def test_it_speaks_chinese_and_json(tao, server):
    server.will("ready")
    assert "提供了工具，但模型没有调用" in tao("doctor", "--model", server.model, TAO_LANG="zh").stdout
    assert states(tao("doctor", "--json", "--model", server.model)) == {
        "model": "ok", "plain call": "ok", "tools": "note", "stream": "ok", "can do": "ok", "price": "ok", "this check": "ok",
    }  # fmt: skip


def test_an_empty_reply_is_a_failure(tao, server):
    server.will("")
    done = tao("doctor", "--model", server.model)
    assert done.returncode == 1
    assert "the reply has no text" in done.stdout


def test_an_endpoint_that_is_not_there_is_a_failure_after_one_call(tao):
    done = tao("doctor", "--json", "--model", "http://127.0.0.1:9/v1#m")
    assert (done.returncode, states(done)) == (1, {"model": "ok", "plain call": "bad"})
    assert "cannot connect to" in done.stdout


@pytest.mark.parametrize(("model", "said"), [("nonsense", "cannot tell what model 'nonsense' is"), ("openai:gpt-5.5", "needs an API key: set OPENAI_API_KEY")])
def test_a_model_that_cannot_be_meant_is_a_wrong_setting(tao, model, said):
    done = tao("doctor", "--model", model)
    assert done.returncode == 2
    assert said in done.stderr


def test_keys_are_named_and_never_shown(tao, server):
    server.will("ready")
    done = tao("doctor", "--model", f"deepseek:{server.model}", DEEPSEEK_API_KEY="sk-secret")
    assert "DEEPSEEK_API_KEY" in done.stdout
    assert "sk-secret" not in done.stdout + done.stderr


def always(status, body):
    """A server that answers every call with this, on a port of its own."""

    class Locked(BaseHTTPRequestHandler):
        def do_POST(self):
            said = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_):
            pass

    return ThreadingHTTPServer(("127.0.0.1", 0), Locked)


@pytest.mark.parametrize(("before", "said", "zh"), [
    ("", "no key is sent to a bare address: with a key it is 'vllm:http://127", "只写地址时不发送密钥"),
    ("vllm:", "set VLLM_API_KEY", "设置 VLLM_API_KEY"),
    ("deepseek:", "mend what the server says", "按服务端所说改正"),
])  # fmt: skip
def test_a_server_that_wants_a_key_is_told_how_it_gets_one(tao, before, said, zh):
    locked = always(401, {"error": {"message": "Unauthorized"}})
    threading.Thread(target=locked.serve_forever, daemon=True).start()
    model = f"{before}http://127.0.0.1:{locked.server_port}/v1#m"
    try:
        for lang, text in (("en", said), ("zh", zh)):
            done = tao("doctor", "--json", "--model", model, TAO_LANG=lang, DEEPSEEK_API_KEY="sk-wrong")
            advice = [record["advice"] for record in map(json.loads, done.stdout.splitlines()) if record["state"] == "bad"]
            assert text in advice[0], lang
            assert done.returncode == 1
    finally:
        locked.shutdown()
        locked.server_close()


def test_a_server_that_is_not_there_is_to_be_started(tao):
    done = tao("doctor", "--model", "http://127.0.0.1:9/v1#m", TAO_LANG="zh")
    assert "启动服务，或改正地址" in done.stdout


def test_what_the_check_took_is_not_said_to_be_nothing_where_nobody_counted(tao):
    answer = {"choices": [{"message": {"content": "ready"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 0, "completion_tokens": 0}}
    silent = always(200, answer)
    threading.Thread(target=silent.serve_forever, daemon=True).start()
    model = f"deepseek:http://127.0.0.1:{silent.server_port}/v1#deepseek-flash"
    try:
        for lang, text in (("en", "3 calls · tokens not counted"), ("zh", "3 次调用 · 没有词元数")):
            done = tao("doctor", "--json", "--model", model, TAO_LANG=lang, DEEPSEEK_API_KEY="sk")
            assert [record["text"] for record in map(json.loads, done.stdout.splitlines())][-1] == text
    finally:
        silent.shutdown()
        silent.server_close()


def test_without_a_model_to_try_the_exit_code_says_whether_model_and_journal_can_be_used(tao, server):
    at = {"TAO_MODEL": server.model}
    assert tao("doctor", **at).returncode == 0
    assert tao("doctor", "--journal", "/proc/x.db", **at).returncode == 1
    assert tao("doctor", TAO_MODEL="deepseek:deepseek-chat").returncode == 1
