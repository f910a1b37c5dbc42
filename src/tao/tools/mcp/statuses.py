"""HTTP statuses of a server over HTTP, told apart: what each means, and who has to do what about it."""

import re
from contextvars import ContextVar
from dataclasses import dataclass

from tao.tools.words import say

HEARD: ContextVar[list["Status"] | None] = ContextVar("tao_mcp_statuses", default=None)
"""The error statuses that came for what is asked in this context; a request is sent in the context of who asks."""
AGAIN = frozenset({408, 425, 429, 502, 503, 504})
"""Statuses after which the same may work a little later."""
NOT_DONE = frozenset({401, 403, 404, 405, 429, 503})
"""Statuses by which a server says that it did not carry it out."""


@dataclass(frozen=True, slots=True)
class Status:
    """A status of 400 or above; `wait` is the seconds that the server asked for, where it did."""

    code: int
    wait: float | None = None


def read(code: int, retry_after: str) -> Status:
    """The status of a response with this header `Retry-After`; a date in it is left aside."""
    return Status(code, float(retry_after) if re.fullmatch(r"\d{1,6}", retry_after.strip()) else None)


def listening() -> list[Status]:
    """A list that gathers the statuses of what this task asks from here on."""
    heard: list[Status] = []
    HEARD.set(heard)
    return heard


def mending(status: Status) -> str:
    """For who sets the server up: what it means, and what to do."""
    code = status.code
    seconds = "" if status.wait is None else say(f" in {status.wait:g} s", f"（{status.wait:g} 秒后）")
    if code == 401:
        return say(
            'HTTP 401: it wants credentials; put them into "headers", such as {"Authorization": "Bearer ${TOKEN}"}, or renew them',
            'HTTP 401：需要凭据；请写入 "headers"，例如 {"Authorization": "Bearer ${TOKEN}"}，或更新凭据',
        )
    if code == 403:
        return say('HTTP 403: these credentials may not use it; look at "headers" and at what the account may do', 'HTTP 403：凭据无权使用；请检查 "headers" 以及账号的权限')
    if code == 404:
        return say('HTTP 404: there is no MCP server at this address; look at "url" (many end in /mcp)', 'HTTP 404：该地址没有 MCP 服务器；请检查 "url"（通常以 /mcp 结尾）')
    if code == 429:
        return say(f"HTTP 429: too many requests; try again{seconds or ' later'}", f"HTTP 429：请求过多；请稍后再试{seconds}")
    if code in AGAIN:
        return say(f"HTTP {code}: it is not available at the moment; try again{seconds or ' later'}", f"HTTP {code}：暂时不可用；请稍后再试{seconds}")
    if code < 500:
        return say(f'HTTP {code}: it does not speak streamable HTTP there; look at "url"', f'HTTP {code}：该地址不支持 streamable HTTP；请检查 "url"')
    return say(f"HTTP {code}: it has a problem of its own; look at its log", f"HTTP {code}：服务器自身出现问题；请查看它的日志")


def advice(server: str, status: Status) -> str:
    """For the model whose call came to this."""
    code = status.code
    if code in {401, 403}:
        return say(
            f"the MCP server {server} refused it (HTTP {code}): the credentials set here are not accepted, or not for this; a person has to mend that. Do not try again; say so",
            f"MCP 服务器 {server} 拒绝了请求（HTTP {code}）：此处配置的凭据不被接受或无权这样做，需要由人来处理。请不要重试，如实说明即可",
        )
    if code in {404, 405}:
        return say(f"the MCP server {server} is no longer at its address (HTTP {code}); a person has to mend that", f"MCP 服务器 {server} 已不在原来的地址（HTTP {code}），需要由人来处理")
    if code == 429:
        return say(f"the MCP server {server} was asked too often (HTTP 429); wait, or go on with what you have", f"对 MCP 服务器 {server} 的请求过多（HTTP 429）；请稍候，或用已有的信息继续")
    unknown = "" if code in NOT_DONE else say("; whether it was done is not known", "；无法确定是否已执行")
    if code in AGAIN:
        return say(f"the MCP server {server} is not available at the moment (HTTP {code}){unknown}", f"MCP 服务器 {server} 暂时不可用（HTTP {code}）{unknown}")
    return say(f"the MCP server {server} answered with HTTP {code}{unknown}", f"MCP 服务器 {server} 返回了 HTTP {code}{unknown}")
