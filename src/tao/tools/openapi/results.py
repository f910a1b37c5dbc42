"""What an API answered, as an observation: its JSON or text for the model, status and JSON for people."""

import json
import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from tao.messages import Observation
from tao.tools.openapi.security import hidden
from tao.tools.results import MAGIC, clean
from tao.tools.web.charset import decode
from tao.tools.web.fetching import Fetched
from tao.tools.words import say

LONGEST_ERROR = 2000
PASSING = frozenset({408, 425, 429, 502, 503, 504})
"""Statuses after which the same request may succeed a little later (RFC 9110, 6585, 8470)."""


def observation(tool: str, answer: Fetched, secrets: "re.Pattern[str] | None" = None, lacking: Sequence[str] = ()) -> Observation:
    """The observation of an answer. A status of 300 and above is a failure, with what to do about it.

    `secrets` are taken out of everything; `lacking` are security schemes for which there are no credentials.
    `data` is {"status": …, "body": the JSON, where it is some}; `kind` is "transient" where trying again may help, else "http".
    """
    data: dict[str, Any] = {"status": answer.status}
    text, value = _read(answer, secrets)
    if value is not ...:
        data["body"] = value
    if answer.status < 300:
        note = say("[more was left out]", "[其余部分已省略]") if answer.cut else ""
        head = f"HTTP {_named(answer.status)}" if answer.status != 200 or not text else ""
        return Observation("\n".join(part for part in (head, text, note) if part), data=data)
    if answer.kind == "text/html":
        text = re.sub(r"\s+", " ", re.sub(r"<(script|style)\b.*?</\1>|<[^>]*>", " ", text, flags=re.DOTALL | re.IGNORECASE)).strip()[:300]
    text = text if len(text) <= LONGEST_ERROR else text[: LONGEST_ERROR - 1] + "…"
    said = f"HTTP {_named(answer.status)}{say(': ', '：') if text else ''}{text}"
    failed = say(f"{tool} failed: {said}\n{advice(answer.status, lacking)}", f"{tool} 出错：{said}\n{advice(answer.status, lacking)}")
    kind = "transient" if answer.status in PASSING else "http"
    if kind == "transient" and (wait := _seconds(answer.headers.get("retry-after", ""))) is not None:
        data["retry_after"] = wait
    return Observation(failed, ok=False, kind=kind, data=data)


def advice(status: int, lacking: Sequence[str] = ()) -> str:
    """What to do about an error, for the model."""
    if status < 400:
        return say("It leads elsewhere and was not followed.", "它指向别处，没有继续跟随。")
    if status in {401, 403} and lacking:
        names = ", ".join(lacking)
        return say(
            f"Credentials for {names} have not been set here; a person has to do that. Do not try again; say so.",
            f"此处没有配置 {names} 的凭据，需要由人来设置。请不要重试，如实说明即可。",
        )
    given = {
        400: say("Change the arguments as it says.", "请按提示修改参数。"),
        401: say("The credentials set here are not accepted; a person has to mend that. Do not try again; say so.", "此处配置的凭据不被接受，需要由人来处理。请不要重试，如实说明即可。"),
        403: say("This is not allowed with the credentials set here. Do not try again; use another way, or say so.", "此处配置的凭据无权这样做。请不要重试；请换一种方法，或如实说明。"),
        404: say("There is no such thing; look at the ids, or list what there is first.", "没有这个对象；请检查 id，或先列出现有的对象。"),
        405: say("This cannot be done here; use another tool.", "这里不能执行此操作；请用其他工具。"),
        409: say("It conflicts with how things stand; look at that first.", "与当前状态冲突；请先查看当前状态。"),
        410: say("It is gone for good.", "它已不存在。"),
        413: say("That was too much; send less.", "内容过大；请减少后再试。"),
        429: say("Too many requests; wait, or go on with what you have.", "请求过多；请稍候，或用已有的信息继续。"),
    }
    if status in given:
        return given[status]
    if status < 500:
        return say("Change the arguments as it says, or try another way.", "请按提示修改参数，或换一种方法。")
    return say("The server has a problem of its own; try once more later, or another way.", "服务器自身出现问题；请稍后再试一次，或换一种方法。")


def _read(answer: Fetched, secrets: "re.Pattern[str] | None") -> tuple[str, Any]:
    """The body as text, and its JSON (... where it is none), without the secrets."""
    body = answer.body
    if not body:
        return "", ...
    if b"\0" in body[:4096] or any(body.startswith(head) for head in MAGIC):
        kind = answer.kind or say("binary data", "二进制数据")
        return say(f"[{kind}, {len(body)} bytes]", f"[{kind}，{len(body)} 字节]"), ...
    text = clean(decode(body, answer.headers.get("content-type", ""))[0]).strip()
    value: Any = ...
    if not answer.cut and (answer.kind.endswith("json") or text[:1] in {"{", "["}):
        try:
            value = hidden(json.loads(text, parse_constant=str), secrets)
        except (ValueError, RecursionError):
            value = ...
    if value is not ...:
        return clean(json.dumps(value, ensure_ascii=False)), value
    return hidden(text, secrets), ...


def _named(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _seconds(text: str) -> float | None:
    """`Retry-After` in seconds (RFC 9110, 10.2.3); a date is left aside."""
    return float(text) if re.fullmatch(r"\d{1,6}", text.strip()) else None
