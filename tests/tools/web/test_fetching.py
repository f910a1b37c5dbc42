"""An answer is read up to a limit, whatever it claims and however it is compressed."""

import gzip
import zlib

import pytest
from aiohttp import web

from tao.tools.web.fetching import Limits, Unreached, fetch

PLAIN = "许多文字 many words ".encode() * 500


def sends(body, **headers):
    async def answer(request):
        return web.Response(body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})

    return answer


def raw_deflate(data):
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(("encoding", "body"), [
    ("gzip", gzip.compress(PLAIN)), ("x-gzip", gzip.compress(PLAIN)), ("GZIP", gzip.compress(PLAIN)), ("deflate", zlib.compress(PLAIN)),
    ("deflate", raw_deflate(PLAIN)), ("identity", PLAIN), ("", PLAIN),
])  # fmt: skip
async def test_compressed_answers_are_read(world, encoding, body):
    world.answers["/"] = sends(body, Content_Encoding=encoding) if encoding else sends(body)
    answer = await fetch(world.url(), world.guard("pages.test"))
    assert (answer.body, answer.cut) == (PLAIN, False)


async def test_reading_stops_at_the_limit(world):
    world.answers |= {"/more": sends(b"x" * 100_001), "/just": sends(b"x" * 100_000)}
    guard, limits = world.guard("pages.test"), Limits(size=100_000)
    more, just = await fetch(world.url("/more"), guard, limits), await fetch(world.url("/just"), guard, limits)
    assert (len(more.body), more.cut, len(just.body), just.cut) == (100_000, True, 100_000, False)


async def test_an_answer_without_an_end_is_left(world):
    async def endless(request):
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b"y" * 65_536)

    world.answers["/"] = endless
    answer = await fetch(world.url(), world.guard("pages.test"), Limits(size=200_000))
    assert (len(answer.body), answer.cut) == (200_000, True)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_a_bomb_is_read_up_to_the_limit(world, encoding):
    zeros = b"\0" * 200_000_000
    world.answers["/"] = sends(gzip.compress(zeros, 1) if encoding == "gzip" else zlib.compress(zeros, 1), Content_Encoding=encoding)
    answer = await fetch(world.url(), world.guard("pages.test"), Limits(size=100_000))
    assert (len(answer.body), answer.cut) == (100_000, True)


@pytest.mark.parametrize(("encoding", "body", "message"), [
    ("br", b"whatever", r"the answer is encoded as 'br', which cannot be read here"),
    ("gzip, gzip", gzip.compress(gzip.compress(PLAIN)), r"the answer is encoded as 'gzip, gzip'"),
    ("gzip", b"no gzip at all", r"the answer is compressed and damaged"),
    ("deflate", b"\xff\xff\xff\xff\xff", r"the answer is compressed and damaged"),
])  # fmt: skip
async def test_what_cannot_be_decoded_is_named(world, encoding, body, message):
    world.answers["/"] = sends(body, Content_Encoding=encoding)
    with pytest.raises(Unreached, match=message):
        await fetch(world.url(), world.guard("pages.test"))


async def test_the_status_is_the_callers_business(world):
    answer = await fetch(world.url("/nothing"), world.guard("pages.test"))
    assert answer.status == 404


async def test_a_redirect_without_a_place_is_an_answer(world):
    async def odd(request):
        return web.Response(status=304)

    world.answers["/"] = odd
    assert (await fetch(world.url(), world.guard("pages.test"))).status == 304
