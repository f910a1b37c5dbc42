"""llama.cpp in this process (package `xllamacpp`): a GGUF file answers, no key, no network.

One engine per file and settings, loaded on first use, shared by every `LocalModel` of the process, freed at exit. Calls go
straight into its server object (no HTTP); each runs on the engine's own thread and streams back to the event loop, so that
a call can be stopped or cancelled between two tokens, or between two batches of its prompt. What was measured to choose
the settings stands in docs/decisions/0003-local-model.md.
"""

import asyncio
import atexit
import contextlib
import http.client
import json
import os
import secrets
import threading
import time
from collections.abc import AsyncGenerator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tao.errors import ConfigError, WeightsError
from tao.messages import Message, Reply, Request, Usage
from tao.models.chat import Gather, body, dumps
from tao.models.failures import failure
from tao.seams import Abilities, Hear

ABILITIES = Abilities(tools=True, constraint="gbnf", stop=True, small=True, dialect="react")


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """How a file is run. `threads` None: chosen by `default_threads`. `context` in tokens; `slots` calls at the same time."""

    threads: int | None = None
    context: int = 8192
    slots: int = 1
    batch: int = 256


def default_threads() -> int:
    """As many threads as this process may use cores; half of them above 4, where two are mostly one core; never over 16.

    Threads that wait by sleeping, as ours do, lose nothing on a free machine and little on a busy one.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    return max(1, min(cores if cores <= 4 else cores // 2, 16))


class Engine:
    """One loaded file. Opened by its first call, closed by `free`."""

    def __init__(self, path: Path, settings: LocalSettings) -> None:
        self.path = path
        self.settings = settings
        self.threads = ThreadPoolExecutor(max_workers=settings.slots, thread_name_prefix=f"llama-{path.stem[:24]}")
        self._lock = threading.Lock()
        self._key = secrets.token_hex(16)
        self._server: Any = None

    def server(self) -> Any:
        """The loaded llama.cpp server; loads the file on the first call. Raises WeightsError or ConfigError."""
        with self._lock:
            if self._server is None:
                self._server = self._load()
            return self._server

    def _load(self) -> Any:
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read by the OpenMP library when it is loaded, which is now
        try:
            import xllamacpp  # noqa: PLC0415 - heavy, optional, and only here
        except ImportError as error:
            raise ConfigError("local models need the extra `local`: pip install 'tao-agent[local]'") from error
        if not self.path.is_file():
            raise WeightsError(f"no model file at {self.path}: `tao model pull` fetches one, `tao model list` shows what is there")
        params = xllamacpp.CommonParams()
        params.model.path = str(self.path)
        params.n_ctx = self.settings.context * self.settings.slots
        params.n_parallel = self.settings.slots
        params.n_batch = params.n_ubatch = self.settings.batch
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self.settings.threads or default_threads()
        params.cpuparams.poll = params.cpuparams_batch.poll = 0
        params.verbosity = -1
        params.fit_params = params.warmup = params.ui = params.endpoint_slots = False
        params.api_keys = [self._key]
        try:
            return xllamacpp.Server(params)
        except RuntimeError as error:
            raise WeightsError(
                f"llama.cpp cannot load {self.path}: not a GGUF file of a model it knows, or too little memory ({error})"
            ) from error

    def post(self, route: str, value: Mapping[str, Any]) -> Any:
        """Ask one of the server's small helper routes (over its loopback port, with the key of this process)."""
        address = self.server().listening_address.rpartition("//")[2]
        connection = http.client.HTTPConnection(address, timeout=30)
        try:
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
            connection.request("POST", route, dumps(value), headers)
            answer = connection.getresponse()
            data = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status != 200:
            raise failure(answer.status, data, where=self.path.name)
        return data

    def free(self) -> None:
        """Let go of the model's memory; a later call loads it again."""
        with self._lock:
            self._server = None


_ENGINES: dict[tuple[Path, LocalSettings], Engine] = {}
_ENGINES_LOCK = threading.Lock()


def engine(path: Path, settings: LocalSettings) -> Engine:
    """The one engine of this process for that file and those settings."""
    key = (path.resolve(), settings)
    with _ENGINES_LOCK:
        if not _ENGINES:
            atexit.register(free_all)
        return _ENGINES.setdefault(key, Engine(*key))


def free_all() -> None:
    """Let go of every loaded model."""
    with _ENGINES_LOCK:
        for loaded in _ENGINES.values():
            loaded.free()


class LocalModel:
    """A GGUF file that answers. Cheap to make; the file is loaded by the first call."""

    def __init__(
        self, path: str | Path, *, name: str = "", settings: LocalSettings | None = None, abilities: Abilities = ABILITIES
    ) -> None:
        self.path = Path(path)
        self.name = name or f"local:{self.path.stem}"
        self.abilities = abilities
        self.engine = engine(self.path, settings or LocalSettings())

    async def __call__(self, request: Request, hear: Hear | None = None) -> Reply:
        """Answer. A last message of the assistant's is continued, not answered. Raises ModelError or WeightsError."""
        started, first = time.perf_counter(), None
        gather, counted = Gather(), Usage()
        async with contextlib.aclosing(self._stream(body(request, _fields(request)))) as pieces:
            async for piece in pieces:
                new = gather.feed(piece)
                counted = _counted(piece) or counted
                if new and first is None:
                    first = time.perf_counter() - started
                if new and hear is not None and hear(new):
                    gather.finish = "stop"
                    break
        gather.usage = gather.usage if gather.usage.prompt is not None else counted
        gather.model = self.name
        return gather.reply(seconds=time.perf_counter() - started, first_token=first)

    async def _stream(self, data: bytes) -> AsyncGenerator[dict[str, Any]]:
        """The server's pieces. Leaving early (stop, cancel, error) stops the work at the next token or prompt batch."""
        loop, queue, enough = asyncio.get_running_loop(), asyncio.Queue[bytes | BaseException | None](), threading.Event()

        def put(item: bytes | BaseException | None) -> None:
            with contextlib.suppress(RuntimeError):  # the event loop is gone, and with it whoever waited
                loop.call_soon_threadsafe(queue.put_nowait, item)

        def hand_over(piece: bytes) -> bool:
            put(piece)
            return enough.is_set()

        def work() -> None:
            try:
                if not enough.is_set():
                    self.engine.server().handle_chat_completions(data, hand_over)
                put(None)
            except BaseException as error:  # noqa: BLE001 - carried to the event loop and raised there
                put(error)

        task = self.engine.threads.submit(work)
        try:
            while (item := await queue.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                piece = json.loads(item)
                if "error" in piece:
                    code = piece["error"].get("code")
                    raise failure(code if isinstance(code, int) else 500, piece, where=self.name)
                yield piece
        finally:
            enough.set()
            task.cancel()

    def count(self, text: str) -> int:
        """How many tokens this text is, exactly. Loads the model if need be; blocks for about a millisecond after that."""
        return len(self.engine.post("/tokenize", {"content": text, "add_special": False})["tokens"])

    def prompt(self, messages: tuple[Message, ...]) -> str:
        """The text that the model really sees: the messages in the file's own chat template."""
        plain = [{"role": message.role, "content": message.content} for message in messages]
        return str(self.engine.post("/apply-template", {"messages": plain})["prompt"])

    async def close(self) -> None:
        """Nothing to close: the engine is shared and freed at exit (`unload` frees it now)."""

    def unload(self) -> None:
        """Free the model's memory now, for every user of this file; the next call loads it again."""
        self.engine.free()


def _fields(request: Request) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_progress": True,
        "timings_per_token": True,
        "cache_prompt": True,
        "temperature": request.temperature or 0.0,
    }
    if request.max_tokens is not None:
        fields["max_tokens"] = request.max_tokens
    if request.stop:
        fields["stop"] = list(request.stop)
    if request.grammar is not None:
        fields["grammar"] = request.grammar
    if request.schema is not None:
        fields["json_schema"] = dict(request.schema)
    return fields


def _counted(piece: Mapping[str, Any]) -> Usage | None:
    """Tokens so far, from the timings that every piece carries; for a reply that is stopped before its usage comes."""
    timings = piece.get("timings")
    if not timings:
        return None
    cached = int(timings.get("cache_n", 0))
    return Usage(cached + int(timings.get("prompt_n", 0)), int(timings.get("predicted_n", 0)), cached)
