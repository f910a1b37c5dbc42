"""Credentials: put where the document says, over safe ways, to the right host, and seen by nobody."""

import base64
import json
from urllib.parse import quote

import pytest
from aiohttp import web

from tao import Agent
from tao.errors import ConfigError, ToolError
from tao.events import to_json
from tao.testing import MemoryJournal, ScriptedModel
from tao.tools.openapi import openapi_tools

KEY = 'k3y-"with/odd=京 chars'
TOKEN = "t0ken-abcdefgh"
SCHEMES = {
    "inHeader": {"type": "apiKey", "in": "header", "name": "X-Key"}, "inQuery": {"type": "apiKey", "in": "query", "name": "key"},
    "inCookie": {"type": "apiKey", "in": "cookie", "name": "sid"}, "bearer": {"type": "http", "scheme": "Bearer"}, "basic": {"type": "http", "scheme": "basic"},
    "oauth": {"type": "oauth2", "flows": {}}, "oidc": {"type": "openIdConnect", "openIdConnectUrl": "https://x.example.com"},
    "digest": {"type": "http", "scheme": "Digest"}, "mutual": {"type": "mutualTLS"},
}  # fmt: skip


def op(*ways, **more):
    return {"operationId": "look", "responses": {}, **({"security": [{key: [] for key in way.split("+")} if way else {} for way in ways]} if ways else {}), **more}


@pytest.fixture
def secured(doc):
    def made(*ways, **more):
        return doc({"/a": {"get": op(*ways, **more)}}, components={"securitySchemes": SCHEMES})

    return made


@pytest.mark.parametrize(("scheme", "value", "where", "wanted"), [
    ("inHeader", TOKEN, "X-Key", TOKEN), ("bearer", TOKEN, "Authorization", f"Bearer {TOKEN}"), ("bearer", f"Bearer {TOKEN}", "Authorization", f"Bearer {TOKEN}"),
    ("basic", "me:pässword", "Authorization", "Basic " + base64.b64encode("me:pässword".encode()).decode()), ("oauth", TOKEN, "Authorization", f"Bearer {TOKEN}"),
    ("oidc", TOKEN, "Authorization", f"Bearer {TOKEN}"), ("inCookie", TOKEN, "Cookie", f"sid={TOKEN}"), ("digest", "a b", "Authorization", "Digest a b"),
])  # fmt: skip
async def test_each_scheme_has_its_place(secured, calling, api, scheme, value, where, wanted):
    call = calling(secured(scheme), credentials={scheme: value})
    assert (await call("look")).ok
    assert api.last["headers"][where] == wanted
    assert "query" not in call.tools["look"].spec.parameters["properties"]


async def test_of_several_ways_the_first_with_all_its_credentials_is_taken(secured, calling, api):
    call = calling(secured("bearer", "inHeader+inQuery", "inCookie"), credentials={"inHeader": TOKEN, "inQuery": "a&b", "inCookie": "c"})
    await call("look")
    assert (api.last["headers"].get("Authorization"), api.last["headers"]["X-Key"], api.last["query"], api.last["cookie"]) == (None, TOKEN, "key=a%26b", "")


async def test_nothing_is_sent_where_nothing_is_wanted(secured, calling, api):
    call = calling(secured(), credentials={"inHeader": TOKEN})
    await call("look")
    assert "X-Key" not in api.last["headers"]


async def test_a_parameter_that_is_a_credential_is_not_the_models(secured, calling):
    own = [{"name": "x-key", "in": "header", "required": True, "schema": {"type": "string"}}, {"name": "Team", "in": "header", "schema": {"type": "string"}}]
    call = calling(secured("inHeader", parameters=own), credentials={"inHeader": TOKEN}, headers={"team": "core"})
    assert call.tools["look"].spec.parameters == {"type": "object", "properties": {}}


async def test_without_credentials_a_refusal_says_which_are_missing(secured, calling, api, caplog):
    async def answer(request):
        return web.Response(status=401)

    api.answers["GET /a"] = answer
    seen = await calling(secured("bearer+inQuery"), credentials={"bearer": TOKEN})("look")
    assert "look needs credentials for inQuery, and none are given" in caplog.text
    assert "Credentials for inQuery have not been set here; a person has to do that" in seen.text
    assert "inQuery 的凭据" in (await calling(secured("inQuery"), lang="zh")("look")).text


@pytest.mark.parametrize(("credentials", "said", "gesagt"), [
    ({"inHeadr": "x"}, "'inHeadr', which is no security scheme of the document; did you mean 'inHeader'? It has: inHeader, inQuery", "没有这个安全方案"),
    ({"mutual": "x"}, "'mutual' of type 'mutualTLS' is not one that can be used here", "无法使用"),
])  # fmt: skip
def test_credentials_that_lead_nowhere_are_said(secured, credentials, said, gesagt):
    with pytest.raises(ConfigError) as raised:
        openapi_tools(secured("mutual"), base_url="https://x.example.com", credentials=credentials)
    assert said in str(raised.value)
    assert gesagt in str(raised.value)


def test_credentials_do_not_go_in_the_open_to_a_host_that_only_the_document_names(secured):
    document = secured("bearer") | {"servers": [{"url": "http://api.example.com"}]}
    with pytest.raises(ConfigError, match=r"credentials would go to http://api\.example\.com in plain http; give base_url"):
        openapi_tools(document, credentials={"bearer": TOKEN})
    assert openapi_tools(document)
    assert openapi_tools(document, credentials={"bearer": TOKEN}, base_url="http://api.example.com")


@pytest.mark.parametrize(("scheme", "value"), [("inHeader", TOKEN), ("inQuery", KEY), ("inCookie", "c00kie-value"), ("basic", "someone:pass word"), ("bearer", TOKEN)])
async def test_no_event_and_no_prompt_holds_a_credential_even_where_the_server_repeats_it(secured, api, scheme, value):
    async def echo(request):
        return web.json_response({"headers": dict(request.headers), "url": request.raw_path, value: [value, quote(value)]}, status=200 if request.query.get("n") == "1" else 500)

    api.answers["GET /a"] = echo
    document = secured(scheme, parameters=[{"name": "n", "in": "query", "schema": {"type": "integer"}}])
    model = ScriptedModel(*(f'Thought: t\nAction: look\nAction Input: {{"n": {n}}}' for n in (1, 2)), "Thought: t\nFinal Answer: done")
    journal = MemoryJournal()
    run = await Agent(model, openapi_tools(document, base_url=api.url, credentials={scheme: value}), dialect="react", journal=journal).run("q")
    assert [seen.ok for _, seen in run.observed] == [True, False]
    everything = json.dumps([to_json(event) for event in journal.runs[run.id]], ensure_ascii=False) + str(model.requests)
    secret = value.partition(":")[2] or value
    for form in (secret, quote(secret), json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], base64.b64encode(value.encode()).decode()):
        assert form not in everything
    assert "…" in everything


async def test_a_redirect_carries_no_credential_to_another_allowed_host(secured, served, api):
    heard = []

    async def other(request):
        heard.append(dict(request.headers))
        return web.json_response({})

    async with served(other) as server:
        async def away(request):
            raise web.HTTPFound(str(server.make_url(f"/x?{TOKEN}")))

        api.answers["GET /a"] = away
        tools = openapi_tools(secured("bearer"), base_url=api.url, hosts=[f"127.0.0.1:{server.port}"], credentials={"bearer": TOKEN}, headers={"X-Team": "core"})
        assert (await tools[0]()).ok
    assert {"Authorization", "X-Team"} & set(heard[0]) == set()


async def test_a_secret_in_an_error_of_the_way_is_hidden(secured, api, served):
    async def away(request):
        raise web.HTTPFound(f"ftp://{TOKEN}.example.com/")

    async with served(away) as server:
        tools = openapi_tools(secured("inQuery"), base_url=str(server.make_url("/")), credentials={"inQuery": TOKEN})
        with pytest.raises(ToolError) as raised:
            await tools[0]()
    assert TOKEN not in str(raised.value)
    assert "only http and https" in str(raised.value)
    with pytest.raises(ToolError, match="characters long") as raised:
        await openapi_tools(secured("inQuery"), base_url=api.url, credentials={"inQuery": "z" * 5000})[0]()
    assert "zzzz" not in str(raised.value)
