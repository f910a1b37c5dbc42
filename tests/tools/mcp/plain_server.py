"""An MCP server in plain Python, for tests: quick to start, and able to do everything that a server should not do.

Started as `plain_server.py MODE`; what it is told of cancellations and starts it writes to the file in $NOTES.
"""

import base64
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PORT = int(os.environ.get("PORT", "0"))
MODE = sys.argv[1] if len(sys.argv) > 1 else "good"
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n0123456789").decode()
KINDS = [
    {"type": "text", "text": "你好"},
    {"type": "image", "data": PIXEL, "mimeType": "image/png"},
    {"type": "audio", "data": base64.b64encode(b"RIFF").decode(), "mimeType": "audio/wav"},
    {"type": "resource", "resource": {"uri": "file:///a.txt", "mimeType": "text/plain", "text": "在文件里"}},
    {"type": "resource", "resource": {"uri": "file:///b.csv", "mimeType": "text/csv", "blob": base64.b64encode("城市,3".encode()).decode()}},
    {"type": "resource", "resource": {"uri": "file:///c.bin", "mimeType": "application/zip", "blob": base64.b64encode(b"PK\x03").decode()}},
    {"type": "resource_link", "uri": "file:///d.md", "name": "d", "mimeType": "text/markdown", "size": 12, "description": "a note"},
]
ANY = {"type": "object"}
MALFORMED = (
    None, 5, [], "object", {"type": "array"}, {"type": None}, {"type": "object", "properties": []}, {"type": "object", "properties": {"a": 5}},
    {"type": "object", "required": "a"}, {"type": "object", "properties": {"a": {"pattern": 5}}},
    {"type": "object", "properties": {"a": {"anyOf": {}}}}, {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": "text"}}}},
)  # fmt: skip
"""What is no schema of a tool's arguments: by the protocol, or only to who looks inside."""
TOOLS = {name: {"name": name, "description": f"does {name}", "inputSchema": ANY} for name in (
    "echo", "die", "hang", "flood", "garbage", "mangled", "refuse", "quota", "fails", "kinds", "counts", "grow", "escaped", "empty", "structured", "environment",
    "slow", "misfit", "missing", "endless",
)}  # fmt: skip
OUT = {"type": "object", "properties": {"degrees": {"type": "number"}}, "required": ["degrees"]}
TOOLS["misfit"]["outputSchema"] = TOOLS["missing"]["outputSchema"] = OUT
TOOLS["echo"]["annotations"] = {"readOnlyHint": True, "openWorldHint": False, "idempotentHint": True}


def send(message):
    if PORT:
        return
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def note(text):
    if path := os.environ.get("NOTES"):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text + "\n")


def text(*parts, **more):
    return {"content": [{"type": "text", "text": part} for part in parts], **more}


def tools():
    listed = list(TOOLS.values())
    if MODE == "twice":
        listed.append({**TOOLS["echo"], "description": "another"})
    if MODE == "huge":
        listed.append({"name": "huge", "inputSchema": {"type": "object", "properties": {f"p{n}": {"type": "string", "description": "x" * 90} for n in range(1000)}}})
    if MODE == "malformed":
        listed += [{"name": "untyped", "inputSchema": {"properties": {"a": {"type": "string"}}}}, {"inputSchema": ANY}, "no tool", {"name": "bare"}]
        listed += [{"name": f"bad{number}", "inputSchema": schema} for number, schema in enumerate(MALFORMED)]
        listed.append({"name": "output", "inputSchema": ANY, "outputSchema": 5})
    if MODE == "names":
        plain = {"type": "object", "properties": {"title": {"type": "string", "title": "Title"}}, "$schema": "http://json-schema.org/draft-07/schema#"}
        listed = [{"name": name, "title": "T", "inputSchema": plain} for name in ("a.b", "a_b", "查询", "查找", "x" * 80)]
    return {"tools": listed}


def call(message):
    params = message["params"]
    name, args, token = params["name"], params.get("arguments") or {}, (params.get("_meta") or {}).get("progressToken")
    if name == "die":
        note("died")
        os._exit(3)
    if name == "hang":
        note("hanging")
        return None
    if name == "slow":
        time.sleep(0.3)
    if name == "endless":
        note("endless")
        while True:
            sys.stdout.write("x" * 1_000_000)
    if name == "flood":
        for number in range(2000):
            send({"method": "notifications/message", "params": {"level": "info", "data": f"noise {number}"}})
        return {"result": text("长" * 1_000_000)}
    if name == "garbage":
        sys.stdout.write("this is no JSON\n{\n[]\n\n")
        return {"result": text("after the garbage")}
    if name == "mangled":
        return {"result": {"content": "not a list"}}
    if name == "refuse":
        return {"error": {"code": -32602, "message": "缺少城市"}}
    if name == "quota":
        return {"error": {"code": -32000, "message": "the quota of today is used up"}}
    if name == "counts":
        for done in (1, 2, 3):
            send({"method": "notifications/progress", "params": {"progressToken": token, "progress": done, "total": 3, "message": f"第 {done} 步"}})
        return {"result": text("counted")}
    if name == "grow":
        TOOLS["grown"] = {"name": "grown", "inputSchema": ANY}
        send({"method": "notifications/tools/list_changed"})
    given = {
        "fails": text("城市不存在", isError=True), "kinds": {"content": KINDS}, "grow": text("grown"), "empty": text(),
        "escaped": text('{"city": "\\u5317\\u4eac"}'), "structured": text("two cities", structuredContent={"cities": ["北京", "上海"]}),
        "misfit": text("warm", structuredContent={"degrees": "warm"}), "missing": text("it is warm"), "slow": text("slow but sure"),
        "environment": text(json.dumps(sorted(os.environ))),
    }.get(name, text(json.dumps(args)))  # fmt: skip
    return {"result": given}


def answered(message):
    method = message["method"]
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        return {"result": {"protocolVersion": version, "capabilities": {"tools": {"listChanged": True}}, "serverInfo": {"name": "plain", "version": "1"}}}
    if method == "tools/list":
        return {"result": tools()}
    if method == "tools/call":
        return call(message)
    return {"error": {"code": -32601, "message": f"no method {method}"}}


class Http(BaseHTTPRequestHandler):
    """The same over HTTP (streamable HTTP that always answers with JSON, without sessions)."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if message.get("method") == "notifications/cancelled":
            note(f"cancelled {message['params']['requestId']}")
        if "id" not in message or "method" not in message:
            return self.say(202, b"")
        answer = answered(message)
        if answer is None:  # hanging, until the client has had enough
            self.connection.settimeout(60)
            self.rfile.read(1)
            note("left")
            self.close_connection = True
            return None
        return self.say(200, json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}).encode())

    def do_GET(self):
        self.say(405, b"")

    def do_DELETE(self):
        self.say(405, b"")

    def say(self, status, data):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def main():
    if PORT:
        ThreadingHTTPServer(("127.0.0.1", PORT), Http).serve_forever()
    note("started")
    sys.stderr.write("a word on standard error\n")
    sys.stderr.flush()
    if MODE == "silent":
        time.sleep(100)
    if MODE == "refuses" or (MODE == "once" and Path(os.environ["NOTES"]).read_text().count("started") > 1):
        sys.exit("SECRET is not set")
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method")
        if method == "notifications/cancelled":
            note(f"cancelled {message['params']['requestId']}")
        if "id" not in message or method is None:
            continue
        if answer := answered(message):
            send({"id": message["id"], **answer})


main()
