"""Documents as tools, called against a real server: what arrives, what comes back, what is refused."""

import json

import pytest
from aiohttp import web

from tao import Agent
from tao.acting import Limits
from tao.errors import ConfigError
from tao.testing import ScriptedModel
from tao.tools.openapi import openapi_tools

SHOP = """
openapi: 3.0.3
info: {title: 商店, version: '1'}
servers: [{url: /v1}]
tags: [{name: orders}]
paths:
  /orders:
    get:
      operationId: listOrders
      summary: Orders, newest first
      tags: [orders]
      parameters:
        - {name: status, in: query, schema: {type: string, enum: [open, paid, no]}}
        - {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 50, default: 10}}
        - {name: X-Trace, in: header, schema: {type: string}}
      responses: {200: {description: ok, content: {application/json: {schema: {type: array}}}}}
    post:
      operationId: createOrder
      description: Order something.
      parameters:
        - {name: Idempotency-Key, in: header, required: true, schema: {type: string, format: uuid}}
      requestBody:
        required: true
        content:
          application/xml: {schema: {type: string}}
          application/json: {schema: {$ref: '#/components/schemas/Order'}}
      responses: {'201': {description: made}}
  /orders/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}, description: the number on the receipt}
    get: {operationId: 查询订单, summary: 查询一个订单, responses: {200: {description: ok}}}
    delete: {responses: {204: {description: gone}}}
    trace: {operationId: traced, responses: {200: {description: ok}}}
components:
  schemas:
    Order:
      type: object
      required: [id, items]
      properties:
        id: {type: integer, readOnly: true}
        items: {type: array, minItems: 1, items: {$ref: '#/components/schemas/Item'}}
        note: {type: string, nullable: true}
        gift: {$ref: '#/components/schemas/Order'}
    Item:
      type: object
      required: [sku]
      properties: {sku: {type: string}, amount: {type: integer, minimum: 0, exclusiveMinimum: true}}
"""


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.yaml"
    path.write_text(SHOP, encoding="utf-8")
    return path


async def test_a_document_becomes_tools_with_names_effects_and_schemas(shop, calling):
    call = calling(shop)
    assert list(call.tools) == ["listOrders", "createOrder", "get_orders_id", "delete_orders_id"]
    listed = call.tools["listOrders"]
    assert listed.spec.description == "Orders, newest first\n[GET /orders]"
    assert (listed.spec.effects, listed.idempotent, listed.volatile) == (("reads", "network"), True, True)
    assert listed.spec.parameters["properties"]["limit"] == {"type": "integer", "minimum": 1, "maximum": 50, "default": 10}
    assert listed.spec.parameters["properties"]["status"]["enum"] == ["open", "paid", "no"]
    assert call.tools["delete_orders_id"].spec.effects == ("writes", "network")
    assert call.tools["get_orders_id"].spec.parameters["properties"] == {"id": {"type": "string", "description": "the number on the receipt"}}
    assert call.tools["get_orders_id"].spec.description == "查询一个订单\n[GET /orders/{id}]"
    order = call.tools["createOrder"].spec.parameters
    assert order["required"] == ["body"]
    body = order["$defs"]["Order"]
    assert body["required"] == ["items"]
    assert body["properties"]["note"] == {"type": ["string", "null"]}
    assert body["properties"]["gift"] == {"$ref": "#/$defs/Order"}
    assert body["properties"]["items"]["items"]["properties"]["amount"] == {"type": "integer", "exclusiveMinimum": 0}
    assert "id" not in body["properties"]


async def test_by_default_what_only_looks_is_allowed(shop):
    assert [tool.name for tool in openapi_tools(shop, base_url="http://127.0.0.1:9")] == ["listOrders", "get_orders_id"]


async def test_what_arrives_is_what_was_given(shop, calling, api):
    call = calling(shop, name="shop", base_url=f"{api.url}/v1/")
    seen = await call("shop__listOrders", status="open", limit="5", **{"X-Trace": "a b"})
    assert seen.ok
    assert (api.last["path"], api.last["query"], api.last["headers"]["X-Trace"]) == ("/v1/orders", "status=open&limit=5", "a b")
    assert api.last["headers"]["Accept"] == "application/json, */*;q=0.1"
    assert seen.data == {"status": 200, "body": {"method": "GET", "path": "/v1/orders"}}
    assert json.loads(seen.text) == seen.data["body"]
    order = {"items": [{"sku": "茶", "amount": 2}], "note": None, "gift": {"items": [{"sku": "b"}]}}
    await call("shop__createOrder", body=order)
    assert (api.last["method"], json.loads(api.last["body"]), api.last["headers"]["Content-Type"]) == ("POST", order, "application/json")
    await call("shop__get_orders_id", id="a/b ?#%京")
    assert api.last["path"] == "/v1/orders/a%2Fb%20%3F%23%25%E4%BA%AC"


async def test_an_idempotency_key_is_ours_to_give_and_the_same_when_a_call_is_made_again(shop, calling, api):
    answers = iter([503, 503, 201])

    async def made(request):
        return web.json_response({"id": 7}, status=next(answers), headers={"Retry-After": "0"})

    api.answers["POST /orders"] = made
    call = calling(shop, limits=Limits(fence="none", attempts=3))
    assert "Idempotency-Key" not in call.tools["createOrder"].spec.parameters["properties"]
    seen = await call("createOrder", body={"items": [{"sku": "a"}]})
    assert seen.text == 'HTTP 201 Created\n{"id": 7}'
    keys = [one["headers"]["Idempotency-Key"] for one in api.got]
    assert (len(keys), len(set(keys)), len(keys[0])) == (3, 1, 32)


async def test_what_does_not_fit_the_schema_is_not_sent(shop, calling, api):
    call = calling(shop)
    for name, args, said in [
        ("listOrders", {"status": "gone"}, "status"), ("listOrders", {"limit": 99}, "limit"), ("listOrders", {"page": 2}, "page"),
        ("createOrder", {"body": {"items": []}}, "body.items"), ("createOrder", {"body": {"items": [{"sku": "a", "amount": 0}]}}, "amount"),
        ("get_orders_id", {}, "id"),
    ]:  # fmt: skip
        seen = await call(name, **args)
        assert (seen.kind, said in seen.text) == ("bad_arguments", True), seen.text
    assert api.got == []


@pytest.mark.parametrize("value", ["", ".", "..", "../admin", "a/../b", "..\\x", "x/."])
async def test_a_value_in_the_path_leads_to_no_other_path(shop, calling, api, value):
    call = calling(shop)
    seen = await call("delete_orders_id", id=value)
    assert (seen.ok, "id is" in seen.text and "in a path" in seen.text) == (False, True)
    assert api.got == []


@pytest.mark.parametrize(("status", "kind", "said", "gesagt"), [
    (302, "http", "not followed", "没有继续跟随"), (400, "http", "Change the arguments", "修改参数"), (401, "http", "not accepted", "不被接受"),
    (403, "http", "not allowed", "无权"), (404, "http", "no such thing", "没有这个对象"), (409, "http", "conflicts", "冲突"),
    (422, "http", "Change the arguments", "修改参数"), (429, "transient", "Too many", "请求过多"), (500, "http", "problem of its own", "服务器自身"),
    (503, "transient", "problem of its own", "服务器自身"),
])  # fmt: skip
async def test_an_error_says_what_to_do(shop, calling, api, status, kind, said, gesagt):
    async def answer(request):
        return web.json_response({"detail": "为什么"}, status=status, headers={"Retry-After": "7"})

    api.answers["GET /orders"] = answer
    for lang, words in (("en", said), ("zh", gesagt)):
        seen = await calling(shop, lang=lang)("listOrders")
        assert (seen.ok, seen.kind, seen.data["status"]) == (False, kind, status)
        assert f"HTTP {status}" in seen.text
        assert words in seen.text
        assert status < 400 or "为什么" in seen.text
        assert seen.data.get("retry_after") == (7.0 if kind == "transient" else None)


async def test_answers_of_every_kind(shop, calling, api):
    def answer(**given):
        async def made(request):
            return web.Response(**given)

        return made

    call = calling(shop)
    api.answers["GET /orders"] = answer(status=204)
    assert (await call("listOrders")).text == "HTTP 204 No Content"
    api.answers["GET /orders"] = answer(body="城市".encode("gbk"), headers={"Content-Type": "text/plain; charset=gbk"})
    assert (await call("listOrders")).text == "城市"
    api.answers["GET /orders"] = answer(body=b"\x89PNG\r\n\x1a\n123", content_type="image/png")
    assert (await call("listOrders")).text == "[image/png, 11 bytes]"
    api.answers["GET /orders"] = answer(body=b'{"a": "\\u5317", "n": NaN}', content_type="application/problem+json")
    assert (await call("listOrders")).text == '{"a": "北", "n": "NaN"}'
    api.answers["GET /orders"] = answer(status=500, text="<html><style>x{}</style><h1>Oh no</h1></html>", content_type="text/html")
    assert "HTTP 500 Internal Server Error: Oh no\n" in (await call("listOrders")).text
    api.answers["GET /orders"] = answer(text='{"broken', content_type="application/json")
    assert (await call("listOrders")).text == '{"broken'


async def test_a_redirect_to_another_host_is_not_followed_and_on_the_same_one_is(shop, calling, api, served):
    heard = []

    async def stranger(request):
        heard.append(request.path)
        return web.Response(text="stolen")

    async def to_orders(request):
        raise web.HTTPFound("/orders/9")

    async with served(stranger) as other:
        async def away(request):
            raise web.HTTPFound(str(other.make_url("/x")))

        api.answers |= {"GET /orders": away, "GET /orders/8": to_orders}
        call = calling(shop)
        seen = await call("listOrders")
        assert (seen.ok, "not one of the hosts allowed" in seen.text, heard) == (False, True, [])
        assert (await call("get_orders_id", id="8")).data["body"]["path"] == "/orders/9"


async def test_a_server_that_is_not_there_is_said_and_a_write_is_not_known_to_be_done(shop, calling, served):
    async def answer(request):
        request.transport.abort()
        return web.Response()

    async with served(answer) as server:
        call = calling(shop, base_url=str(server.make_url("/")))
        seen = await call("createOrder", body={"items": [{"sku": "a"}]})
        assert (seen.ok, seen.kind, "whether it was done is not known" in seen.text) == (False, "transient", True)
        assert "not known" not in (await call("listOrders")).text


async def test_operations_of_which_no_tool_can_be_made_are_left_out(doc, caplog):
    good = {"get": {"operationId": "good", "responses": {}}}
    bad = {"get": {"operationId": "bad", "parameters": [{"$ref": "#/components/parameters/none"}], "responses": {}}}
    document = doc({"/a": good, "/b": bad}, servers=[{"url": "https://api.example.com"}])
    assert [tool.name for tool in openapi_tools(document)] == ["good"]
    assert "GET /b is left out: the reference '#/components/parameters/none' leads to nothing" in caplog.text
    with pytest.raises(ConfigError, match=r"no tool can be made of bad: .*leads to nothing"):
        openapi_tools(document, allow=["bad"])
    with pytest.raises(ConfigError, match="no tool can be made of the document"):
        openapi_tools(document, allow=["ba?"])


async def test_a_schema_that_is_too_large_is_shortened_and_then_left_out(doc):
    def body(number, said):
        fields = {f"field_{n}": {"type": "string", "description": said} for n in range(number)}
        return {"content": {"application/json": {"schema": {"type": "object", "properties": fields}}}}

    def one(number, said):
        return doc({"/a": {"post": {"operationId": "made", "requestBody": body(number, said), "responses": {}}}}, servers=[{"url": "https://x.example.com"}])

    tool = openapi_tools(one(300, "x" * 200), allow=["made"])[0]
    assert tool.spec.parameters["properties"]["body"]["properties"]["field_7"] == {"type": "string"}
    with pytest.raises(ConfigError, match="its schema has"):
        openapi_tools(one(3000, "x"), allow=["made"])


async def test_names_that_clash_or_cannot_be_sent_are_told_apart(doc, calling, api):
    where = [{"name": "id", "in": place, "required": True, "schema": {"type": "string"}} for place in ("path", "query", "header", "cookie")]
    odd = [{"name": "filter[名]", "in": "query", "schema": {"type": "integer"}}, {"name": "body", "in": "query", "schema": {"type": "string"}}]
    paths = {
        "/x/{id}": {"post": {"operationId": "a.b", "parameters": [*where, *odd], "requestBody": {"content": {"text/plain": {}}}, "responses": {}}},
        "/y": {"get": {"operationId": "a_b", "responses": {}}}, "/订单": {"get": {"responses": {}}}, "/z": {"get": {"operationId": "x" * 90, "responses": {}}},
    }  # fmt: skip
    call = calling(doc(paths))
    first, second, third, fourth = call.tools
    assert (first, second[:4], third[:5], len(fourth)) == ("a_b", "a_b_", "get__", 64)
    args = {"id": "1", "id_query": "2", "id_header": "3", "id_cookie": "4", "filter_名": 5, "body": "6", "body_request": "文本"}
    assert set(call.tools[first].spec.parameters["properties"]) == set(args)
    await call(first, **args)
    assert (api.last["path"], api.last["query"]) == ("/x/1", "id=2&filter[%E5%90%8D]=5&body=6")
    assert (api.last["headers"]["id"], api.last["cookie"], api.last["body"].decode()) == ("3", "id=4", "文本")
    assert api.last["headers"]["Content-Type"] == "text/plain; charset=utf-8"


async def test_documents_in_several_files_give_tools(tmp_path, calling, api):
    (tmp_path / "parts").mkdir()
    (tmp_path / "main.yaml").write_text("openapi: 3.0.0\npaths: {'/a/{id}': {get: {$ref: 'parts/look.yaml'}, post: {$ref: 'parts/make.yaml#/op'}}}\n")
    (tmp_path / "parts" / "look.yaml").write_text("operationId: look\nparameters: [{$ref: 'shared.yaml#/id'}]\nresponses: {}\n")
    (tmp_path / "parts" / "shared.yaml").write_text("id: {name: id, in: path, schema: {$ref: '#/kind'}}\nkind: {type: integer, minimum: 1}\n")
    (tmp_path / "parts" / "make.yaml").write_text(
        "op: {operationId: make, parameters: [{$ref: 'shared.yaml#/id'}], requestBody: {$ref: '#/body'}}\n"
        "body: {required: true, content: {application/json: {schema: {$ref: '#/node'}}}}\n"
        "node: {type: object, properties: {n: {$ref: 'shared.yaml#/kind'}, next: {$ref: '#/node'}}}\n",
    )
    call = calling(tmp_path / "main.yaml")
    assert (await call("look", id="3")).ok
    assert api.last["path"] == "/a/3"
    assert (await call("make", id=3, body={"n": 1, "next": {"n": 2}})).ok
    assert "body.next.n" in (await call("make", id=3, body={"next": {"n": 0}})).text


async def test_a_path_may_hold_a_query_of_its_own(doc, calling, api):
    q = [{"name": "q", "in": "query", "schema": {"type": "string"}}]
    await calling(doc({"/a?beta=true": {"get": {"operationId": "a", "parameters": q}}}))("a", q="x")
    assert api.last["query"] == "beta=true&q=x"


async def test_an_agent_uses_the_tools(shop, api):
    api.answers["GET /orders"] = [{"id": 1, "total": "¥30"}]
    model = ScriptedModel('Thought: look\nAction: listOrders\nAction Input: {"status": "open"}', "Thought: I know\nFinal Answer: one order, ¥30")
    run = await Agent(model, openapi_tools(shop, base_url=api.url), dialect="react").run("Which orders are open?")
    assert run.answer == "one order, ¥30"
    assert "tool_output" in run.observed[0][1].text
