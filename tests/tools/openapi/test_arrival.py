"""Whatever a schema allows arrives at a real server as it was given, in every place at once."""

import json
import random
from urllib.parse import parse_qsl, unquote

import pytest

PLACES = ("path", "query", "header", "cookie")
LETTERS = "abzAZ09 -_.~!*'();:@&=+$,/?%#[]{}|\\^`<>\"éß京都🍵\t"


def schema(kind):
    return {"type": "array", "items": {"type": "string"}} if kind == "list" else {"type": kind}


def document():
    params = [
        {"name": f"{place}_{kind}", "in": place, "required": place == "path", "schema": schema(kind), **({"explode": True} if place == "query" else {"explode": False})}
        for place in PLACES for kind in ("string", "integer", "boolean", "number", "list")
    ]  # fmt: skip
    path = "/x/" + "/".join(f"{{{one['name']}}}" for one in params if one["in"] == "path")
    body = {"content": {"application/json": {"schema": {"type": "object", "additionalProperties": True}}}}
    return {"openapi": "3.0.3", "paths": {path: {"post": {"operationId": "send", "parameters": params, "requestBody": body}}}}


def text(chance, place):
    made = "".join(chance.choice(LETTERS) for _ in range(chance.randint(1, 9))).strip() or "x"
    if place == "header":
        made = made.replace("\t", "").replace(",", "").strip() or "x"
    if place == "path" and any(part in {".", "..", ""} for part in made.replace("\\", "/").split("/")):
        return "x" + made.replace("/", "").replace("\\", "")
    return made


def value(chance, kind, place):
    if kind == "list":
        return [text(chance, place) for _ in range(chance.randint(1, 3))]
    return {"string": text(chance, place), "integer": chance.randint(-9, 10**12), "boolean": chance.random() < 0.5, "number": chance.random() * 100}[kind]


def said(given):
    return given if isinstance(given, str) else json.dumps(given)


@pytest.mark.parametrize("seed", range(40))
async def test_what_is_given_arrives(calling, api, seed):
    chance = random.Random(seed)
    call = calling(document())
    names = [one["name"] for one in next(iter(document()["paths"].values()))["post"]["parameters"]]
    args = {name: value(chance, name.split("_")[1], name.split("_")[0]) for name in names if name.startswith("path") or chance.random() < 0.8}
    args["body"] = {text(chance, "body"): [value(chance, "string", "body"), None, {"n": chance.random()}]}
    seen = await call("send", **args)
    assert seen.ok, seen.text
    got = api.last
    steps = got["path"].split("/")[2:]
    for name, step in zip([name for name in names if name.startswith("path")], steps, strict=True):
        given = args[name]
        assert ([unquote(part) for part in step.split(",")] if isinstance(given, list) else unquote(step)) == (given if isinstance(given, list) else said(given))
    wanted = [(name, said(one)) for name in names if name.startswith("query") and name in args for one in (args[name] if isinstance(args[name], list) else [args[name]])]
    assert parse_qsl(got["query"], keep_blank_values=True) == wanted
    cookies = dict(pair.split("=", 1) for pair in got["cookie"].split("; ") if pair)
    for name in names:
        if name in args and name.startswith(("header", "cookie")):
            raw, given = got["headers"].get(name) if name.startswith("header") else cookies[name], args[name]
            read = raw.split(",") if isinstance(given, list) else raw
            decoded = read if name.startswith("header") else [unquote(one) for one in read] if isinstance(read, list) else unquote(read)
            assert decoded == (given if isinstance(given, list) else said(given))
    assert json.loads(got["body"]) == args["body"]
