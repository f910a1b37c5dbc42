"""Commands with the tools of an OpenAPI document: from an option, from settings, from an address; credentials stay hidden."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

SECRET = "s3cr3t-key/of=mine"
LOOK = 'Thought: look\nAction: shop__listOrders\nAction Input: {"status": "open"}'
WRITE = "Thought: do\nAction: shop__createOrder\nAction Input: {}"
DONE = "Thought: done\nFinal Answer: One order is open."


class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.heard.append((self.path, dict(self.headers)))
        document = self.path.startswith("/openapi.json")
        self.say(self.server.document if document else {"open": 1, "you sent": dict(self.headers)})

    def do_POST(self):
        self.server.heard.append((self.path, dict(self.headers)))
        self.say({"id": 7})

    def say(self, value):
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture
def shop(tao):
    """A shop that describes itself, also in the file shop.yaml; `shop.heard` is what it was asked."""
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    httpd.heard, httpd.url = [], f"http://127.0.0.1:{httpd.server_port}"
    status = {"name": "status", "in": "query", "schema": {"type": "string"}}
    httpd.document = {
        "openapi": "3.0.1", "info": {"title": "s", "version": "1"}, "security": [{"key": []}],
        "paths": {"/orders": {"get": {"operationId": "listOrders", "parameters": [status]}, "post": {"operationId": "createOrder"}}},
        "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
    }  # fmt: skip
    (tao.home / "shop.yaml").write_text(json.dumps(httpd.document), encoding="utf-8")
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield httpd
    httpd.shutdown()
    thread.join()
    httpd.server_close()


def settings(home, document, url, **more):
    table = {"document": document, "name": "shop", "base_url": url, "allow": ["*"], **more}
    lines = [f"{key} = {json.dumps(value)}" for key, value in table.items() if value != ""]
    (home / "tao.toml").write_text("\n".join(["[[openapi]]", *lines, 'credentials = { key = "${SHOP_KEY}" }', ""]), encoding="utf-8")


def test_a_file_in_the_settings_gives_tools_whose_credentials_nobody_sees(tao, shop, server):
    settings(tao.home, "shop.yaml", f"{shop.url}/v1")
    server.will(LOOK, DONE)
    done = tao("ask", "What is open?", "--json", SHOP_KEY=SECRET)
    assert done.returncode == 0, done.stderr
    assert shop.heard[0][0] == "/v1/orders?status=open"
    assert shop.heard[0][1]["X-Key"] == SECRET
    seen = [json.loads(line) for line in done.stdout.splitlines()]
    assert any("you sent" in json.dumps(event) for event in seen)
    assert SECRET not in done.stdout + done.stderr
    assert SECRET.encode() not in b"".join(path.read_bytes() for path in tao.home.rglob("*") if path.is_file())
    assert "X-Key" not in json.dumps(server.bodies[0])


def test_what_writes_waits_for_a_person(tao, shop, server):
    settings(tao.home, "shop.yaml", shop.url)
    server.will(WRITE, DONE)
    assert tao("ask", "Order tea", SHOP_KEY=SECRET).returncode == 4
    assert shop.heard == []


def test_a_document_at_an_address_is_fetched_and_says_where_the_api_is(tao, shop):
    settings(tao.home, f"{shop.url}/openapi.json", "")
    done = tao("tools", "--json", SHOP_KEY=SECRET)
    assert done.returncode == 0, done.stderr
    assert [json.loads(line)["name"] for line in done.stdout.splitlines() if "shop__" in line] == ["shop__listOrders", "shop__createOrder"]
    tried = tao("tools", "call", "shop__listOrders", "status=paid", SHOP_KEY=SECRET)
    assert (tried.returncode, '"open": 1' in tried.stdout, SECRET in tried.stdout) == (0, True, False)
    assert shop.heard[-1][0] == "/orders?status=paid"
    assert "X-Key" not in shop.heard[0][1]


def test_an_option_names_documents_alone(tao, shop):
    shop.document["servers"] = [{"url": "https://shop.example.com"}]
    (tao.home / "more.yaml").write_text(json.dumps(shop.document))
    done = tao("tools", "--openapi", "more.yaml")
    assert (done.returncode, "listOrders" in done.stdout, "createOrder" in done.stdout) == (0, True, False)


@pytest.mark.parametrize(("table", "said"), [
    ({"document": "none.yaml"}, "cannot read the OpenAPI document none.yaml"), ({"allow": ["listOrdres"]}, "no operation matches 'listOrdres'; such as: listOrders"),
    ({"base_url": ""}, "the document names no server"), ({"alow": ["GET"]}, "did you mean 'allow'?"),
])  # fmt: skip
def test_what_is_wrong_is_said_before_anything_is_asked(tao, shop, table, said):
    given = {"document": "shop.yaml", "url": shop.url, **table}
    settings(tao.home, given.pop("document"), given.pop("base_url", given.pop("url")), **{key: value for key, value in given.items() if key != "url"})
    done = tao("ask", "What?", SHOP_KEY=SECRET)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_a_credential_that_is_not_set_is_said(tao, shop):
    settings(tao.home, "shop.yaml", shop.url)
    done = tao("tools")
    assert done.returncode != 0
    assert "openapi → shop.yaml → credentials → key needs the environment variable SHOP_KEY" in done.stderr
