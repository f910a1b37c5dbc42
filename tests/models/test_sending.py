"""Requests over plain sockets that the test holds in its own hand: when they go out, and what becomes of those that get stuck on the way."""

import asyncio
import socket

import pytest

from tao.errors import Transient
from tao.models.wire import Target, Wire

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 8\r\n\r\n" + b'{"a": 1}'
LARGE = b'{"text": "' + "长".encode() * 300_000 + b'"}'


@pytest.fixture
def listening():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)  # a connection is soon full
        server.setblocking(False)
        yield server


@pytest.fixture
async def wire():
    made = Wire()
    yield made
    await made.close()


def asked(wire, listening, data):
    host, port = listening.getsockname()
    return asyncio.create_task(wire.post(Target(f"http://{host}:{port}/v1/chat/completions", {"Content-Type": "application/json"}, "fake"), data))


async def taken(listening):
    """The connection that the client makes."""
    connection, _ = await asyncio.get_running_loop().sock_accept(listening)
    connection.setblocking(False)
    return connection


async def received(connection, upto):
    """All that comes, until it ends with this or the connection does."""
    said = bytearray()
    while not said.endswith(upto) and (piece := await asyncio.get_running_loop().sock_recv(connection, 1 << 20)):
        said += piece
    return bytes(said)


async def test_over_an_open_connection_a_request_is_out_before_anybody_else_has_a_turn(wire, listening):
    first = asked(wire, listening, b'{"n": 1}')
    with await taken(listening) as connection:
        assert await received(connection, b'{"n": 1}')
        await asyncio.get_running_loop().sock_sendall(connection, ANSWER)
        assert await first == {"a": 1}
        second = asked(wire, listening, b'{"n": 2}')
        await asyncio.sleep(0)
        assert connection.recv(65_536).endswith(b'\r\n\r\n{"n": 2}')
        await asyncio.get_running_loop().sock_sendall(connection, ANSWER)
        assert await second == {"a": 1}


async def test_one_that_is_too_large_to_go_out_at_once_comes_whole(wire, listening):
    for _ in range(2):  # over a new connection, and over an open one
        waiting = asked(wire, listening, LARGE)
        if "connection" not in locals():
            connection = await taken(listening)
        head, _, body = (await received(connection, b'"}')).partition(b"\r\n\r\n")
        assert body == LARGE
        assert f"content-length: {len(LARGE)}".encode() in head.lower()
        await asyncio.get_running_loop().sock_sendall(connection, ANSWER)
        assert await waiting == {"a": 1}
    connection.close()


async def test_one_that_is_stuck_can_be_given_up_and_its_connection_ends(wire, listening):
    waiting = asked(wire, listening, LARGE)
    with await taken(listening) as connection:
        await asyncio.sleep(0.05)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        while await asyncio.get_running_loop().sock_recv(connection, 1 << 20):
            pass
    again = asked(wire, listening, b"{}")
    with await taken(listening) as connection:
        assert await received(connection, b"{}")
        await asyncio.get_running_loop().sock_sendall(connection, ANSWER)
        assert await again == {"a": 1}


async def test_one_whose_server_goes_away_meanwhile_says_so(wire, listening):
    waiting = asked(wire, listening, LARGE)
    (await taken(listening)).close()
    with pytest.raises(Transient, match="fake: the connection broke off"):
        await waiting


async def test_an_answer_that_comes_before_all_was_sent_is_heard(wire, listening):
    waiting = asked(wire, listening, LARGE)
    with await taken(listening) as connection:
        await asyncio.get_running_loop().sock_recv(connection, 1000)
        await asyncio.get_running_loop().sock_sendall(connection, ANSWER.replace(b"200 OK", b"413 Too Large"))
        with pytest.raises(Exception, match="fake: HTTP 413"):
            await waiting
