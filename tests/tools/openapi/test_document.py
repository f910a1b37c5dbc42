"""Documents read from mappings, files and addresses; references; what is none."""

import json

import pytest
from aiohttp import web

from tao.errors import ConfigError
from tao.tools.openapi import fetch_document, open_document, openapi_tools
from tao.tools.openapi.document import Unusable, read_text

INFO = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}}


def test_yaml_is_read_as_json_has_its_words():
    text = "a: no\nb: 2026-01-01\nc: true\nd: [yes, on, ~, 1, 1.5, '1', -2, 007, 0x1f]\n200: {x: null, y: }\ntrue: 1\ne: 1e3\nf: 12:30\n"
    assert read_text(text, "x.yaml") == {
        "a": "no", "b": "2026-01-01", "c": True, "d": ["yes", "on", None, 1, 1.5, "1", -2, "007", "0x1f"], "200": {"x": None, "y": None},
        "true": 1, "e": 1000.0, "f": "12:30",
    }  # fmt: skip
    assert read_text("base: &b {type: string}\nmore: {<<: *b, format: date}\n", "x.yaml")["more"] == {"type": "string", "format": "date"}
    assert read_text('{"a": "\\u5317"}', "x.json") == {"a": "北"}


@pytest.mark.parametrize(("text", "said"), [
    ("{", "x.json is not valid JSON"), ("[1", "not valid JSON"), ("a: [", "x.json is not valid YAML"), ("!!python/object:os.system {}", "not valid YAML"),
])  # fmt: skip
def test_a_text_that_is_neither_is_said(text, said):
    with pytest.raises(ConfigError, match=said):
        read_text(text, "x.json")


@pytest.mark.parametrize(("data", "said", "gesagt"), [
    ({"swagger": "2.0"}, "is Swagger 2.0; convert it to OpenAPI 3 first", "请先转换"), ({}, '"openapi" is None, wanted', "应为"), ([], "is no OpenAPI document", "不是 OpenAPI 文档"),
    ({"openapi": "4.0.0"}, "'4.0.0'", "4.0.0"), ({"openapi": 3}, "is 3, wanted", "为 3"),
])  # fmt: skip
def test_what_is_no_openapi_3_document_is_said(tmp_path, data, said, gesagt):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(data))
    with pytest.raises(ConfigError) as raised:
        open_document(path)
    assert said in str(raised.value)
    assert gesagt in str(raised.value)


def test_a_file_that_is_not_there_or_no_text_is_said(tmp_path):
    with pytest.raises(ConfigError, match="cannot read the OpenAPI document"):
        open_document(tmp_path / "none.yaml")
    (tmp_path / "x.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="is not UTF-8 text"):
        open_document(tmp_path / "x.yaml")
    with pytest.raises(ConfigError, match="has to be fetched first"):
        openapi_tools("https://example.com/openapi.json")


def test_references_are_followed_within_the_document_and_its_folder(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.yaml").write_text("Pet: {$ref: '../b.yaml#/x~1y'}\nback: {$ref: '../root.yaml#/info'}\n")
    (tmp_path / "b.yaml").write_text("x/y: {type: string}\n")
    (tmp_path.parent / "outside.yaml").write_text("secret: 1\n")
    root = {**INFO, "components": {"a b": [{"$ref": "#/info"}]}, "loop": {"$ref": "#/loop"}}
    (tmp_path / "root.yaml").write_text(json.dumps(root))
    doc = open_document(tmp_path / "root.yaml")
    assert doc.follow({"$ref": "parts/a.yaml#/Pet"}) == ({"type": "string"}, str(tmp_path / "b.yaml"))
    assert doc.follow({"$ref": "parts/a.yaml#/back"}) == (INFO["info"], "")
    assert doc.follow({"$ref": "#/components/a%20b/0"}) == (INFO["info"], "")
    for ref, said in (("#/none", "leads to nothing"), ("#/loop", "round in a circle"), ("../outside.yaml#/secret", "out of the folder"),
                      ("none.yaml", "cannot read"), ("https://example.com/x.yaml", "bundle it into one file")):
        with pytest.raises(Unusable, match=said):
            doc.follow({"$ref": ref})
    with pytest.raises(Unusable, match="bundle it"):
        open_document(INFO).follow({"$ref": "b.yaml"})


async def test_a_document_is_fetched_from_the_address_that_a_person_gave(served):
    async def answer(request):
        if request.path == "/moved":
            raise web.HTTPFound("/openapi.yaml")
        if request.path == "/away":
            raise web.HTTPFound("http://127.0.0.2:8080/openapi.yaml")
        if request.path != "/openapi.yaml":
            return web.Response(status=404)
        assert request.headers["X-Key"] == "k"
        return web.Response(text="openapi: 3.1.0\ninfo: {title: 库存, version: '1'}\npaths: {}\n", content_type="application/yaml")

    async with served(answer) as server:
        url = str(server.make_url("/moved"))
        found = await fetch_document(url, headers={"X-Key": "k"})
        assert (found.data["info"]["title"], found.address, found.version) == ("库存", url, (3, 1))
        with pytest.raises(ConfigError, match="HTTP 404"):
            await fetch_document(str(server.make_url("/none")))
        with pytest.raises(ConfigError, match="is not on the public internet"):
            await fetch_document(str(server.make_url("/away")))
    with pytest.raises(ConfigError, match="does not accept connections"):
        await fetch_document(url)
