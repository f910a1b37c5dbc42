"""A model server on loopback for examples and snippets: it calls the first tool that fits, then answers with what it gave."""

import json
import os
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

ARITHMETIC = re.compile(r"\d[\d ]*[-+*/][-+*/\d. ]*\d")
FILLERS = {"integer": 17, "number": 1.5, "boolean": True, "array": [], "object": {}}


def filled(schema, question):
    """A value that fits the schema."""
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("format") == "date":
        return "2024-02-28"
    if schema.get("type", "string") != "string":
        return FILLERS[schema["type"]]
    found = ARITHMETIC.search(question)
    return found.group() if found else "tea" if "tea" in question else question


def chosen(tools, question):
    """The calculator for arithmetic, else the first tool."""
    sums = [tool for tool in tools if "expression" in tool["parameters"]["properties"] and ARITHMETIC.search(question)]
    return [*sums, *tools][0]


def replied(body):
    """The assistant's message."""
    seen = [message["content"] for message in body["messages"] if message["role"] == "tool"]
    question = next(message["content"] for message in reversed(body["messages"]) if message["role"] == "user")
    finish = next((tool["function"] for tool in body.get("tools", ()) if tool["function"]["name"] == "final_answer"), None)
    if finish and (seen or len(body["tools"]) == 1):
        properties = finish["parameters"]["properties"]
        args = {name: float(seen[-1]) if seen and part["type"] == "number" else filled(part, question) for name, part in properties.items()}
        call = {"id": "c2", "type": "function", "function": {"name": "final_answer", "arguments": json.dumps(args, ensure_ascii=False)}}
        return {"role": "assistant", "content": "", "tool_calls": [call]}
    if seen:
        return {"role": "assistant", "content": f"It is {seen[-1]}."}
    if not body.get("tools") or body.get("tool_choice") == "none":
        told = any("Action" in message["content"] for message in body["messages"])
        return {"role": "assistant", "content": "Thought: I know it.\nFinal Answer: forty-two" if told else "forty-two"}
    tool = chosen([tool["function"] for tool in body["tools"]], question)
    schema = tool["parameters"]
    args = {name: filled(schema["properties"][name], question) for name in schema.get("required", ())}
    call = {"id": "c1", "type": "function", "function": {"name": tool["name"], "arguments": json.dumps(args, ensure_ascii=False)}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message, usage = replied(body), {"prompt_tokens": 20, "completion_tokens": 5}
        finish = "tool_calls" if "tool_calls" in message else "stop"
        if body.get("stream"):
            message["tool_calls"] = [{"index": n, **call} for n, call in enumerate(message.get("tool_calls", ()))]
            pieces = [{"index": 0, "delta": message, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": finish}]
            chunks = [{"model": "scripted", "choices": [piece]} for piece in pieces] + [{"choices": [], "usage": usage}]
            said = [f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"]
            self.answer("".join(said), "text/event-stream")
        else:
            whole = {"model": "scripted", "choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage}
            self.answer(json.dumps(whole, ensure_ascii=False), "application/json")

    def answer(self, text, kind):
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def server():
    """The address of the scripted server, without a model's name."""
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_address[1]}/v1"
    httpd.shutdown()
    thread.join()
    httpd.server_close()


@pytest.fixture
def env(tmp_path, server):
    """A clean environment in which every provider's name leads to the scripted server."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "COVERAGE_PROCESS_START") if name in os.environ}
    home = {"HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8", "PYTHONWARNINGS": "error", "TAO_LANG": "en"}
    keys = {f"{name}_API_KEY": "k" for name in ("OPENAI", "DEEPSEEK", "DASHSCOPE")}
    urls = {f"{name}_BASE_URL": server for name in ("OPENAI", "DEEPSEEK", "DASHSCOPE", "OLLAMA")}
    return {**kept, **home, **keys, **urls, "TAO_MODEL": f"{server}#scripted"}
