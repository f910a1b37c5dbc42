"""llama.cpp in this process (package `xllamacpp`): a GGUF file answers, no key, no network.

One engine per file and settings, loaded on first use, shared by every `LocalModel` of the process, freed at exit. Calls go
straight into its server object (no HTTP); each runs on the engine's own thread and streams back to the event loop, so that
a call can be stopped or cancelled between two tokens, or between two batches of its prompt. What was measured to choose
the settings stands in docs/decisions/0003-local-model.md.
"""

import asyncio
import atexit
import contextlib
import hashlib
import http.client
import json
import os
import re
import secrets
import threading
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tao.errors import ConfigError, ModelError, Refused, WeightsError, both
from tao.messages import Message, Reply, Request, Usage
from tao.models import quirks
from tao.models.chat import Gather, body, dumps
from tao.models.failures import failure
from tao.models.pictures import refuse_pictures
from tao.seams import Abilities, Hear

WORTH_KEEPING = 200
"""Tokens of a prompt that had to be evaluated, from which on its state is kept on disk (about 30 kB a token)."""
KEPT = 6
"""So many kept prompts at most."""
ABILITIES = Abilities(tools=True, constraint="gbnf", stop=True, small=True, dialect="react", logprobs=True)


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """How a file is run. `threads` None: chosen by `default_threads`. `context` in tokens; `slots` calls at the same time.

    `batch`: prompt tokens evaluated in one go; a call is stopped between two batches. `keep`: a folder where evaluated
    prompts are kept between processes (None: nowhere), see `Engine.answer`. `template`: a chat template (Jinja) in place of
    the file's own.
    """

    threads: int | None = None
    context: int = 8192
    slots: int = 1
    batch: int = 128
    keep: Path | None = None
    template: str = ""


def default_threads() -> int:
    """As many threads as this process may use cores; half of them above 4, where two are mostly one core; never over 16.

    Threads that wait by sleeping, as ours do, lose nothing on a free machine and little on a busy one.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    return max(1, min(cores if cores <= 4 else cores // 2, 16))


def library() -> Any:
    """The package `xllamacpp`, with OpenMP told to let waiting threads sleep. Raises ConfigError where it is not installed."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read by the OpenMP library when it is loaded, which is now
    try:
        import xllamacpp  # noqa: PLC0415 - heavy, optional, and only here
    except ImportError as error:
        raise ConfigError(
            both(
                "local models need the extra `local`: pip install 'tao-agent[local]'",
                "本地模型需要安装附加组件 `local`：pip install 'tao-agent[local]'",
            )
        ) from error
    return xllamacpp


class Engine:
    """One loaded file. Opened by its first call, closed by `free`."""

    def __init__(self, path: Path, settings: LocalSettings) -> None:
        self.path = path
        self.settings = settings
        self.threads = ThreadPoolExecutor(max_workers=settings.slots, thread_name_prefix=f"llama-{path.stem[:24]}")
        self._lock = threading.Lock()
        self._key = secrets.token_hex(16)
        self._server: Any = None
        self._version = ""
        self._begun: set[str] = set()

    def server(self) -> Any:
        """The loaded llama.cpp server; loads the file on the first call. Raises WeightsError or ConfigError."""
        with self._lock:
            if self._server is None:
                self._server = self._load()
            return self._server

    def _load(self) -> Any:
        llama = library()
        if not self.path.is_file():
            raise WeightsError(
                both(
                    f"no model file at {self.path}: `tao model pull` fetches one, `tao model list` shows what is there",
                    f"{self.path} 处没有模型文件：用 `tao model pull` 下载，用 `tao model list` 查看已有的文件",
                )
            )
        params = llama.CommonParams()
        params.model.path = str(self.path)
        params.n_ctx = self.settings.context * self.settings.slots
        params.n_parallel = self.settings.slots
        params.n_batch = params.n_ubatch = self.settings.batch
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self.settings.threads or default_threads()
        params.cpuparams.poll = params.cpuparams_batch.poll = 0
        params.verbosity = -1
        params.fit_params = params.warmup = params.ui = params.endpoint_slots = False
        params.api_keys = [self._key]
        if self.settings.template:
            params.chat_template = self.settings.template
        if self.settings.keep is not None and self._keeps:
            self.settings.keep.mkdir(parents=True, exist_ok=True, mode=0o700)
            params.slot_save_path = f"{self.settings.keep}{os.sep}"
        try:
            self._version = llama.__version__
            return llama.Server(params)
        except RuntimeError as error:
            raise WeightsError(
                both(
                    f"llama.cpp cannot load {self.path}: not a GGUF file of a model it knows, or too little memory ({error})",
                    f"llama.cpp 无法加载 {self.path}：不是它认识的 GGUF 模型，或内存不足",
                )
            ) from error

    def answer(self, data: bytes, head: str, hand_over: Callable[[bytes], bool]) -> None:
        """Answer one request; each piece goes to `hand_over`, which says whether that is enough.

        Where prompts are kept, the evaluated state of the first long prompt that begins with `head` (a system message) is
        written to disk, and the next process that meets this head begins with it: only what differs is evaluated again.
        Blocks; runs on the engine's own thread.
        """
        server, new = self.server(), 0
        kept = self._kept(head)
        if kept is not None and head not in self._begun:
            self._begun.add(head)
            self._restore(kept)

        def told(piece: bytes) -> bool:
            nonlocal new
            found = re.search(rb'"prompt_n":\s*(\d+)', piece)
            new = max(new, int(found[1])) if found else new
            return hand_over(piece)

        server.handle_chat_completions(data, told)
        if kept is not None and new >= WORTH_KEEPING and not kept.exists():
            self._save(kept)

    @property
    def _keeps(self) -> bool:
        return self.settings.keep is not None and self.settings.slots == 1

    def _kept(self, head: str) -> Path | None:
        """The file for prompts that begin so; its name stands for everything that the state depends on."""
        if self.settings.keep is None or not self._keeps or not head:
            return None
        state = self.path.stat()
        said = f"{self.path.name} {state.st_size} {state.st_mtime_ns} {self.settings.context} {self.settings.template} {self._version} {head}"
        return self.settings.keep / f"{hashlib.sha256(said.encode('utf-8', 'replace')).hexdigest()[:24]}.kv"

    def _restore(self, kept: Path) -> None:
        if kept.exists():
            try:
                self.post("/slots/0?action=restore", {"filename": kept.name})
                os.utime(kept)
            except (ModelError, OSError):
                kept.unlink(missing_ok=True)

    def _save(self, kept: Path) -> None:
        """Keep this slot's state, in a file of its own that only its owner may read; the oldest files over `KEPT` go."""
        with contextlib.suppress(ModelError, OSError):
            self.post("/slots/0?action=save", {"filename": f"{kept.name}.new"})
            fresh = kept.with_name(f"{kept.name}.new")
            fresh.chmod(0o600)
            fresh.replace(kept)
            for old in sorted(kept.parent.glob("*.kv"), key=lambda path: path.stat().st_mtime)[:-KEPT]:
                old.unlink(missing_ok=True)

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
            raise failure(answer.status, data, where=self.path.name, http=False)
        return data

    def free(self) -> None:
        """Let go of the model's memory; a later call loads it again."""
        with self._lock:
            self._server = None
            self._begun.clear()


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
        self._strict = False

    async def __call__(self, request: Request, hear: Hear | None = None) -> Reply:
        """Answer. A last message of the assistant's is continued, not answered. Raises ModelError or WeightsError.

        Where the file's chat template wants user and assistant strictly in turn, messages are joined so that they are.
        """
        refuse_pictures(request, self.name, self.abilities)
        try:
            return await self._answer(quirks.alternating(request) if self._strict else request, hear)
        except Refused as error:
            if self._strict or "alternate" not in str(error):
                raise
            self._strict = True
            return await self._answer(quirks.alternating(request), hear)

    async def _answer(self, request: Request, hear: Hear | None) -> Reply:
        started, first = time.perf_counter(), None
        gather, counted = Gather(), Usage()
        async with contextlib.aclosing(self._stream(body(request, _fields(request)), _head(request))) as pieces:
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

    async def _stream(self, data: bytes, head: str) -> AsyncGenerator[dict[str, Any]]:
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
                    self.engine.answer(data, head, hand_over)
                put(None)
            except BaseException as error:  # noqa: BLE001 - carried to the event loop and raised there
                put(error)

        task = self.engine.threads.submit(work)
        try:
            while (item := await queue.get()) is not None:
                if isinstance(item, ValueError | RuntimeError):  # llama.cpp's own, such as a chat template that says no
                    raise failure(400, str(item), where=self.name, tools=b'"tools":[' in data, http=False) from item
                if isinstance(item, BaseException):
                    raise item
                piece = json.loads(item)
                if "error" in piece:
                    code = piece["error"].get("code")
                    raise failure(code if isinstance(code, int) else 500, piece, where=self.name, http=False)
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


def _head(request: Request) -> str:
    first = request.messages[0] if request.messages else None
    return first.content if first is not None and first.role == "system" else ""


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
    if request.likely:
        fields |= {"logprobs": True, "top_logprobs": request.likely}
    if request.grammar is not None:
        fields["grammar"] = request.grammar
    if request.schema is not None:
        fields["json_schema"] = dict(request.schema)
    if request.tools and request.tool_choice != "auto":
        fields["tool_choice"] = request.tool_choice
    return fields


def _counted(piece: Mapping[str, Any]) -> Usage | None:
    """Tokens so far, from the timings that every piece carries; for a reply that is stopped before its usage comes."""
    timings = piece.get("timings")
    if not timings:
        return None
    cached = int(timings.get("cache_n", 0))
    return Usage(cached + int(timings.get("prompt_n", 0)), int(timings.get("predicted_n", 0)), cached)
