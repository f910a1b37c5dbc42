"""Any OpenAI-compatible endpoint: chat completions, streamed where somebody listens, with the provider's profile applied."""

import re
import time
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from tao.errors import Transient, both
from tao.messages import Reply, Request
from tao.models import quirks
from tao.models.chat import Gather, Writing, body
from tao.models.listening import Listening
from tao.models.pictures import refuse_pictures, takes_pictures
from tao.models.profiles import Profile
from tao.models.wire import Target, Timeouts, Wire
from tao.seams import Hear

BROKEN = frozenset({"insufficient_system_resource", "network_error", "error", "abort"})
"""How a reply ends that its server could not finish (DeepSeek, Zhipu, OpenRouter, vLLM and SGLang): half a reply is none."""


class ChatModel:
    """One model of one provider. May be used from several event loops; `close` closes the connections of the running one.

    `thinking` switches thinking on or off where the provider can (None: as the provider has it). `extra` goes into every
    body as it is (seed, top_p, `tool_choice` …).
    """

    def __init__(
        self,
        profile: Profile,
        model: str,
        *,
        key: str | None = None,
        base_url: str = "",
        name: str = "",
        thinking: bool | None = None,
        extra: Mapping[str, Any] | None = None,
        timeouts: Timeouts | None = None,
        proxy: str | None = None,
    ) -> None:
        self.profile = profile
        self.model = model
        self.name = name or f"{profile.name}:{model}"
        self.abilities = replace(profile.abilities, images=takes_pictures(profile, model))
        self.url = f"{(base_url or profile.base_url).rstrip('/')}/chat/completions"
        self.headers = {"Content-Type": "application/json"}
        if key:
            self.headers["Authorization"] = f"Bearer {key}"
        self.extra = {**dict(profile.extra), **(profile.thinking(thinking) if profile.thinking and thinking is not None else {})}
        self.extra |= dict(extra or {})
        self.wire = Wire(timeouts, proxy)
        unsigned = profile.unsigned if not re.search(r"gemini-[12]", model) else ""
        self._writing = Writing(profile.reasoning, profile.null_content, profile.signed, unsigned, profile.details)
        self._streams = re.compile(profile.streams) if profile.streams else None

    async def __call__(self, request: Request, hear: Hear | None = None) -> Reply:
        """Answer one request; streamed, and stopped as soon as `hear` says so, where it is given. Raises ModelError."""
        started = time.perf_counter()
        stream = hear is not None or bool(self._streams and self._streams.search(self.model))
        refuse_pictures(request, self.name, self.abilities, urls=self.profile.image_urls)
        data = self.written(request, stream=stream)
        target = Target(self.url, self.headers, self.profile.name, bool(request.tools))
        gather = Gather()
        listening = Listening(gather, request.stop, hear, started)
        if stream:
            await self._follow(target, data, listening)
        else:
            listening.take(await self.wire.post(target, data))
        if not gather.answered:
            raise Transient(both(f"{self.profile.name}: the answer has no choices", f"{self.profile.name}：回答中没有 choices"))
        if gather.finish in BROKEN:
            why = gather.finish
            raise Transient(both(f"{self.profile.name}: the server broke the reply off ({why})", f"{self.profile.name}：服务器中断了回复（{why}）"))
        reply = listening.reply(self.model)
        return quirks.own_names(reply, (spec.name for spec in request.tools))

    async def _follow(self, target: Target, data: bytes, listening: Listening) -> None:
        done = False
        try:
            async with aclosing(self.wire.stream(target, data)) as pieces:
                async for piece in pieces:
                    done = done or not piece
                    if listening.take(piece):
                        return
        except Transient:
            if listening.gather.finish is None:  # else only the connection broke off, after the reply
                raise
        if not done and listening.gather.finish is None:
            name = self.profile.name
            raise Transient(both(f"{name}: the stream broke off before the reply was finished", f"{name}：回复未完成时流已中断"))

    def written(self, request: Request, *, stream: bool) -> bytes:
        """The JSON body of this request, as this provider wants it."""
        for mend in (quirks.safe_names, quirks.paired_ids, *self.profile.mends):
            request = mend(request)
        fields: dict[str, Any] = {"model": self.model, "stream": stream, **self.profile.form(request)}
        if stream:
            fields["stream_options"] = {"include_usage": True}
        for key in ("max_tokens", "temperature"):
            if (value := getattr(request, key)) is not None:
                fields[key] = value
        if request.likely and self.abilities.logprobs:
            fields |= {"logprobs": True, "top_logprobs": request.likely}
        if request.stop:
            fields["stop"] = list(request.stop)
        if request.tools and request.tool_choice != "auto":
            fields["tool_choice"] = request.tool_choice
        fields |= self.extra
        for trim in (*self.profile.trims, *(self.profile.beside_tools if request.tools else ())):
            fields = trim(fields, self.model)
        return body(request, fields, self._writing)

    @property
    def allowance(self) -> tuple[int, float] | None:
        """What the server said last of its rate limits (see `failures.allowance`)."""
        return self.wire.allowance

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        await self.wire.close()
