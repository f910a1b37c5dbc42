"""Anthropic's messages API over our own wire, and every endpoint that speaks the same form.

Not the package `anthropic`: importing it takes 2.3 s and 88 MB where aiohttp takes 0.35 s and 34 MB, and it brings a second HTTP
client with retries of its own (decision 0007).
"""

import re
import time
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from tao.errors import Declined, Transient, both
from tao.messages import Reply, Request
from tao.models import claude, quirks
from tao.models.blocks import Gathering, Written, body, tool_choice
from tao.models.listening import Listening
from tao.models.pictures import refuse_pictures, takes_pictures
from tao.models.profiles import Profile
from tao.models.wire import Target, Timeouts, Wire
from tao.seams import Hear

VERSION = "2023-06-01"
MOST = 16_000
"""Tokens of a reply, thoughts among them, where nothing else is said: the API wants a limit."""


class MessagesModel:
    """One model behind the messages API. May be used from several event loops; `close` closes the connections of the running one.

    `thinking` switches thinking on or off as far as the model lets it (None: as it is by itself). `extra` goes into every body as it
    is (`output_config`, `metadata` …). `cache` marks prompts for the server's cache.
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
        cache: bool = True,
    ) -> None:
        self.profile = profile
        self.model = model
        self.name = name or f"{profile.name}:{model}"
        self.abilities = replace(profile.abilities, images=takes_pictures(profile, model))
        base = (base_url or profile.base_url).rstrip("/")
        self.url = f"{base}/messages" if re.search(r"/v\d+$", base) else f"{base}/v1/messages"
        self.headers = {"Content-Type": "application/json", "anthropic-version": VERSION}
        if key:
            own = urlsplit(self.url).hostname == urlsplit(profile.base_url).hostname and not key.startswith("sk-ant-oat")
            self.headers |= {"x-api-key": key} if own else {"x-api-key": key, "Authorization": f"Bearer {key}"}
        self.fields: dict[str, Any] = {} if thinking is None else claude.thinking(model, thinking)
        self.extra = dict(extra or {})
        self.cache = cache
        self.wire = Wire(timeouts, proxy)

    async def __call__(self, request: Request, hear: Hear | None = None) -> Reply:
        """Answer one request; streamed, and stopped as soon as `hear` says so, where it is given.

        Raises ModelError, also where the model declines to answer.
        """
        started = time.perf_counter()
        refuse_pictures(request, self.name, self.abilities)
        written = self.written(request, stream=hear is not None)
        target = Target(self.url, self.headers, self.profile.name, bool(request.tools))
        gather = Gathering(written.prefix)
        listening = Listening(gather, request.stop, hear, started)
        if hear is not None:
            await self._follow(target, written.body, listening)
        else:
            listening.take(await self.wire.post(target, written.body))
        if gather.finish == "content_filter":
            raise Declined(self._declined(gather.why))
        if not gather.ended and gather.finish is None:
            raise Transient(self._said("the answer broke off or is no message", "回答中断或不是消息"))
        return quirks.own_names(listening.reply(self.model), (spec.name for spec in request.tools))

    async def _follow(self, target: Target, data: bytes, listening: Listening) -> None:
        try:
            async with aclosing(self.wire.stream(target, data)) as pieces:
                async for piece in pieces:
                    if listening.take(piece):
                        return
        except Transient:
            if listening.gather.finish is None:  # else only the connection broke off, after the reply
                raise

    def _declined(self, why: str) -> str:
        hint = f" ({why})" if why else ""
        return self._said(f"the model declined to answer{hint}; put it differently, or ask another model", f"模型拒绝回答{hint}；请换个说法或换一个模型")

    def _said(self, english: str, chinese: str) -> str:
        return both(f"{self.profile.name}: {english}", f"{self.profile.name}：{chinese}")

    def written(self, request: Request, *, stream: bool) -> Written:
        """The JSON body of this request."""
        for mend in (quirks.safe_names, quirks.paired_ids, quirks.one_system):
            request = mend(request)
        fields: dict[str, Any] = {"model": self.model, "max_tokens": request.max_tokens or MOST, "stream": stream, **tool_choice(request), **self.fields}
        if request.temperature is not None:
            fields["temperature"] = request.temperature
        if stops := [stop for stop in request.stop if stop.strip()]:
            fields["stop_sequences"] = stops
        if request.schema is not None:
            held = {"format": {"type": "json_schema", "schema": claude.held_to(dict(request.schema))}}
            fields["output_config"] = {**fields.get("output_config", {}), **held}
        bound = claude.bound(self.model)
        written = body(request, self._fitting(fields), cache=self.cache, bound=bound)
        if written.bare and fields.get("thinking", {}).get("type") == "enabled":
            return body(request, self._fitting({**fields, "thinking": {"type": "disabled"}}), cache=self.cache, bound=bound)
        return written

    def _fitting(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        return {**claude.fitting({**fields, **self.extra}, self.model), **self.extra}

    @property
    def allowance(self) -> tuple[int, float] | None:
        """What the server said last of its rate limits (see `failures.allowance`)."""
        return self.wire.allowance

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        await self.wire.close()
