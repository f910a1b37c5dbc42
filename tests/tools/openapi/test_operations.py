"""Which operations are allowed, and what an operation takes."""

import pytest

from tao.errors import ConfigError
from tao.tools.openapi import open_document
from tao.tools.openapi.document import Unusable
from tao.tools.openapi.operations import accepted, body, chosen, operations, parameters


def op(name, **more):
    return {"operationId": name, "responses": {"200": {"description": "ok"}}, **more}


PATHS = {
    "/pets": {"get": op("listPets", tags=["pets"]), "post": op("createPet", tags=["pets", "admin"])},
    "/pets/{id}": {"get": op("getPet"), "delete": op("deletePet", tags=["admin"]), "trace": op("tracePet")},
    "/订单": {"get": op("查询订单")}, "/old": {"get": op("oldOne", deprecated=True)}, "x-note": {"get": op("noPath")},
}  # fmt: skip


@pytest.fixture
def found():
    return operations(open_document({"openapi": "3.0.0", "paths": PATHS}))


@pytest.mark.parametrize(("allow", "deny", "wanted"), [
    (["GET"], [], "listPets getPet 查询订单"), (["*Pet"], [], "createPet getPet deletePet"), (["/pets*"], ["DELETE"], "listPets createPet getPet"),
    (["DELETE /pets/*", "listPets"], [], "listPets deletePet"), (["tag:pets"], ["tag:admin"], "listPets"), (["查询*", "oldOne"], [], "查询订单 oldOne"),
    (["* /pets"], [], "listPets createPet"), (["getPet", "deletePet"], ["deletePet"], "getPet"), (["*"], ["POST", "/pets/*"], "listPets 查询订单"),
])  # fmt: skip
def test_patterns(found, allow, deny, wanted):
    assert [one.id for one in chosen(found, allow, deny)] == wanted.split()


@pytest.mark.parametrize(("allow", "deny", "said", "gesagt"), [
    (["listPet"], [], "no operation matches 'listPet'; such as: listPets", "没有操作与 'listPet' 匹配"), (["GET"], ["tag:none"], "no operation matches 'tag:none'", "匹配"),
    (["PUT"], [], "none of the 6 operations is allowed by allow = ['PUT']", "共 6 个操作"), ([], [], "none of the 6", "没有允许任何一个"),
])  # fmt: skip
def test_what_matches_nothing_is_said(found, allow, deny, said, gesagt):
    with pytest.raises(ConfigError) as raised:
        chosen(found, allow, deny)
    assert said in str(raised.value)
    assert gesagt in str(raised.value)


def test_a_document_without_operations_is_said():
    with pytest.raises(ConfigError, match="has no operations"):
        operations(open_document({"openapi": "3.1.0", "webhooks": {}}))


def only(item, **more):
    document = open_document({"openapi": "3.2.0", "paths": {"/a/{id}": item}, **more})
    return document, operations(document)[0]


def test_parameters_of_the_operation_go_before_those_of_the_path():
    shared = [{"name": "id", "in": "path", "schema": {"type": "string"}}, {"name": "q", "in": "query", "schema": {"type": "string"}}, {"$ref": "#/components/parameters/old"}]
    own = [{"name": "q", "in": "query", "required": True, "content": {"application/json": {"schema": {"type": "object"}}}}, {"name": "Accept", "in": "header", "schema": {}}]
    document, operation = only(
        {"parameters": shared, "get": {"parameters": own}}, components={"parameters": {"old": {"name": "h", "in": "header", "style": "simple", "schema": {}}}},
    )  # fmt: skip
    read = parameters(document, operation)
    assert [(one.name, one.place, one.required, one.media, one.explode) for one in read] == [
        ("id", "path", True, "", False), ("q", "query", True, "application/json", True), ("h", "header", False, "", False),
    ]  # fmt: skip


@pytest.mark.parametrize(("parameter", "said"), [
    ({"in": "query"}, "has no name"), ({"name": "x", "in": "querystring"}, "is in 'querystring'"), ({"name": "x", "in": "query", "style": "matrix"}, "style 'matrix'"),
    ({"name": "x", "in": "query"}, "the path's 'id' is no parameter"),
])  # fmt: skip
def test_parameters_that_cannot_be_written_are_said(parameter, said):
    document, operation = only({"get": {"parameters": [parameter]}})
    with pytest.raises(Unusable, match=said):
        parameters(document, operation)


@pytest.mark.parametrize(("media", "wanted"), [
    (["text/xml", "application/json"], "application/json"), (["multipart/form-data", "application/x-www-form-urlencoded"], "application/x-www-form-urlencoded"),
    (["application/octet-stream", "application/vnd.api+json"], "application/vnd.api+json"), (["*/*"], "application/json"), (["image/png", "text/csv"], "text/csv"),
])  # fmt: skip
def test_of_several_media_types_the_one_we_write_best_is_chosen(media, wanted):
    document, operation = only({"post": {"requestBody": {"content": {key: {} for key in media}}}})
    assert body(document, operation).media == wanted


def test_what_answers_come_as_is_asked_for():
    content = {"text/csv": {}, "application/json": {}, "bad\r\nX: y": {}}
    document, operation = only({"get": {"responses": {"200": {"content": content}, "404": {"content": {"image/png": {}}}}}})
    assert accepted(document, operation) == "application/json, text/csv, */*;q=0.1"


def test_an_operation_may_lie_in_a_path_that_is_referred_to():
    document = open_document({"openapi": "3.1.0", "paths": {"/a": {"$ref": "#/components/pathItems/a"}}, "components": {"pathItems": {"a": {"get": op("there")}}}})
    assert [one.id for one in operations(document)] == ["there"]
    document = open_document({"openapi": "3.1.0", "paths": {"/a": {"get": {"$ref": "#/components/x"}}}, "components": {"x": op("there")}})
    assert [(one.id, one.method) for one in operations(document)] == [("there", "GET")]
    with pytest.raises(ConfigError, match="path /a: the reference"):
        operations(open_document({"openapi": "3.1.0", "paths": {"/a": {"$ref": "#/none"}}}))
