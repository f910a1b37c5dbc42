"""An answer is read up to a limit, whatever it claims and however it is compressed."""

import asyncio
import gzip
import shutil
import ssl
import subprocess
import zlib

import pytest
from aiohttp import web

from tao.tools.web.fetching import Limits, Sending, Unreached, fetch
from tao.tools.web.guard import Guard

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


async def test_a_fetch_that_is_cancelled_leaves_nothing_behind(world):
    arrived, left = asyncio.Event(), asyncio.Event()

    async def hang(request):
        arrived.set()
        try:
            await asyncio.sleep(30)
        finally:
            left.set()

    world.answers["/"] = hang
    before = asyncio.all_tasks()
    work = asyncio.create_task(fetch(world.url(), world.guard("pages.test")))
    await arrived.wait()
    work.cancel()
    await asyncio.wait([work])
    assert work.cancelled()
    assert {task for task in asyncio.all_tasks() - before if "fetch" in repr(task)} == set()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl command to make a certificate with")
async def test_a_certificate_that_nobody_vouches_for_is_refused(world, tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(certificate), "-days", "9", "-subj", "/CN=pages.test"]
    await asyncio.to_thread(subprocess.run, command, check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    asked = []

    async def never(reader, writer):
        asked.append(reader)
        writer.close()

    context.sni_callback = lambda _socket, name, _context: asked.append(name)
    async with await asyncio.start_server(never, "127.0.0.1", 0, ssl=context) as server:
        port = server.sockets[0].getsockname()[1]
        world.names["pages.test"] = ["127.0.0.1"]
        guard = Guard(inside=(f"pages.test:{port}",), resolve=world.resolve)
        with pytest.raises(Unreached, match=r"the certificate of pages.test cannot be verified"):
            await fetch(f"https://pages.test:{port}/", guard)
    assert asked == ["pages.test"]


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "POST", "PATCH"])
async def test_a_request_whose_connection_breaks_off_is_not_sent_again(world, method):
    came = []

    async def hangs_up(request):
        came.append(request.method)
        request.transport.close()
        return web.Response()

    world.answers["/"] = hangs_up
    body = None if method in {"GET", "HEAD"} else b"x"
    with pytest.raises(Unreached, match=r"the connection to pages\.test broke off"):
        await fetch(world.url(), world.guard("pages.test"), Limits(), Sending(method, {}, body))
    assert came == [method]
