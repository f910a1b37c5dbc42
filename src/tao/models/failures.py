"""What a server's "no" means: status, headers and body → one of ours. Pure; shared by every way of reaching a model."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tao import waits
from tao.errors import Declined, ModelError, Refused, TooLong, ToolsUnsupported, Transient, both

QUOTED = 600
"""At most so many characters of a server's own words are quoted."""

_LONG = re.compile(
    r"context[ _-]?(length|size|window)|maximum (context|input|prompt)|too many tokens|(prompt|input|request) (is |was )?too (long|large)"
    r"|range of input length|exceed[a-z]* (the )?(model'?s )?(max|limit of|context|token limit)|input length|max_prompt|上下文长度|输入(长度|过长)|超(过|出).{0,12}(长度|上限|token)",
    re.IGNORECASE,
)
_NO_TOOLS = re.compile(
    r"(tool(?!_choice)|function).{0,80}(not support|n't support|unsupported|unavailable|not (be )?(available|enabled|allowed)|requires? --|不支持)"
    r"|(not support|n't support|unsupported|no endpoints found that support|不支持).{0,40}(tool(?!_choice)|function|工具|函数)|(工具|函数).{0,20}不支持",
    re.IGNORECASE | re.DOTALL,
)
_NO_MONEY = re.compile(
    r"insufficient[ _](quota|balance|credit|fund)|(credit )?balance is too low|exceeded your current quota|billing|arrearage|overdue|payment required|账户.{0,6}欠费|欠费|余额(不足|已用完)|资源包",
    re.IGNORECASE,
)
_SOON = re.compile(r"^(?!.*insufficient_quota)(?!.*PerDay).*'retryDelay'", re.DOTALL)
"""Gemini calls the end of a minute's requests "your current quota" as well, and says when there are more."""
_DECLINED = re.compile(
    r"content[_ ]?(management )?(filter|policy)|content_filter|responsible ?ai|data_?inspection_?failed|inappropriate[ _]content|safety (system|policy)|moderation"
    r"|prohibited_content|content exists risk|new_sensitive|sensitive(_?words?| ?content| information)|flagged as|usage polic(y|ies)|contentfilter|敏感|违规|不安全内容|内容安全|审核未?不?通过",
    re.IGNORECASE,
)
"""Words of a filter that looked at what was asked (Azure, DashScope, DeepSeek, Zhipu, MiniMax, Gemini)."""
_TRANSIENT = frozenset({408, 409, 425, 429, 499})
_HINTS = {
    401: ("check the API key", "请检查 API 密钥"),
    402: ("check the account's balance", "请检查账户余额"),
    403: ("check what this key may use", "请检查该密钥的权限"),
    404: ("check the base URL and the model's name", "请检查接口地址与模型名"),
}
_OTHERWISE = "put it differently, or ask another model", "请换个说法，或换一个模型"
_MINIMAX = {1000: 500, 1001: 504, 1002: 429, 1004: 401, 1008: 402, 1013: 500, 1024: 500, 1027: 400, 1033: 500, 1039: 429, 2013: 400}
"""MiniMax answers errors with status 200 and its own numbers in `base_resp`; here as the HTTP status that they mean."""


def failure(
    status: int, body: Any, headers: Mapping[str, str] | None = None, *, where: str, tools: bool = False, http: bool = True
) -> ModelError:
    """The error that a refused request stands for, with the server's own words in it.

    `body` is the decoded JSON, or the text where it was none; `where` names who answered ("deepseek"); `tools` says whether
    the request carried structured tools (only then can the answer be ToolsUnsupported); `http` whether the status is shown.
    """
    said = words(body)
    label = said + " " + _code(body)
    head = f"{where}:{f' HTTP {status}:' if http else ''} "
    message = head + said if said else both(f"{head}(no message)", f"{head}（没有说明）")
    if (_NO_MONEY.search(label) and not (status == 429 and _SOON.search(str(body)))) or status == 402:
        return Refused(_hinted(head, said, _HINTS[402]))
    if tools and status not in _TRANSIENT and _NO_TOOLS.search(label):
        return ToolsUnsupported(message)
    if status == 413 or (status in {400, 422, 500} and _LONG.search(label)):
        return TooLong(message)
    if status in _TRANSIENT or status >= 500:
        return Transient(message, retry_after(headers or {}, body))
    if status in {400, 403, 422, 451} and _DECLINED.search(label):
        return Declined(_hinted(head, said, _OTHERWISE))
    hint = _HINTS.get(status)
    return Refused(_hinted(head, said, hint) if hint else message)


def _hinted(head: str, said: str, hint: tuple[str, str]) -> str:
    """The server's words, and what to do, on a line for each language."""
    return both(f"{head}{said or '(no message)'} ({hint[0]})", f"{head}{said or '（没有说明）'}（{hint[1]}）")


def failure_inside(answer: Any, *, where: str, tools: bool = False) -> ModelError | None:
    """The error that stands inside an answer of status 200, if there is one: an "error" field, or MiniMax's `base_resp`."""
    if not isinstance(answer, dict | Mapping):
        return failure(502, answer, where=where, tools=tools)
    base = answer.get("base_resp")
    if isinstance(base, Mapping) and str(base.get("status_code") or 0) != "0":
        number = _number(base["status_code"])
        return failure(_MINIMAX.get(number, 400), {"message": base.get("status_msg"), "code": number}, where=where, tools=tools)
    error = answer.get("error")
    if not error:
        choices = answer.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        error = first.get("error") if isinstance(first, Mapping) else None
    if not error:
        return None
    code = error.get("code") if isinstance(error, Mapping) else None
    status = int(code) if isinstance(code, int | str) and re.fullmatch(r"[45]\d\d", str(code)) else _status_by_name(str(code or ""), error)
    return failure(status, {"error": error}, where=where, tools=tools)


def _number(code: Any) -> int:
    """MiniMax's number of an error; 0 for anything else."""
    return int(code) if re.fullmatch(r"\d{1,9}", str(code), re.ASCII) else 0


def _status_by_name(code: str, error: Any) -> int:
    label = f"{code} {error.get('type', '')}" if isinstance(error, Mapping) else str(error)
    for status, names in _NAMED.items():
        if re.search(names, label, re.IGNORECASE):
            return status
    return 400 if re.search(r"invalid|exceed|unsupported|not_found|refus|denied", label, re.IGNORECASE) else 500


_NAMED = {
    429: r"rate|overload|limit_reached|too_many", 401: r"authenti|unauthorized|api_key", 402: "billing", 403: "permission", 413: "too_large",
}  # fmt: skip
"""HTTP statuses by the names that errors have inside streams."""


def words(body: Any) -> str:
    """The server's own words on one line, shortened: OpenAI's `error.message`, a `message` or `detail`, Gemini's list, or plain text."""
    if isinstance(body, list) and body:
        return words(body[0])
    if isinstance(body, Mapping):
        for key in ("error", "message", "detail", "msg", "errors"):
            if body.get(key):
                return words(body[key])
        return _short(str(dict(body))) if body else ""
    return _short("" if body is None else str(body))


def _short(text: str) -> str:
    text = " ".join((re.sub(r"<[^>]{1,200}>", " ", text) if "<" in text[:200] else text).split())
    return text if len(text) <= QUOTED else text[:QUOTED] + " …"


def _code(body: Any) -> str:
    if isinstance(body, list) and body:
        return _code(body[0])
    if not isinstance(body, Mapping):
        return ""
    error = body.get("error")
    inner = error if isinstance(error, Mapping) else body
    return " ".join(str(inner[key]) for key in ("code", "type", "status") if inner.get(key) is not None)


def retry_after(headers: Mapping[str, str], body: Any = None, now: datetime | None = None) -> float | None:
    """Seconds that the server wants us to wait: `retry-after-ms`, `Retry-After` (seconds or a date), Gemini's `retryDelay`."""
    if any(key.lower().startswith("retry-after") for key in headers):
        return waits.retry_after(headers, now)
    found = re.search(r"'retryDelay': '(\d+(?:\.\d+)?)s'", str(body)) if body is not None else None
    return float(found[1]) if found else None


def allowance(headers: Mapping[str, str]) -> tuple[int, float] | None:
    """What a server's rate-limit headers say is left, and in how many seconds there is more: of requests or tokens the scarcer.

    `x-ratelimit-remaining-requests` and `-reset-requests` (OpenAI and those who follow it; "6m0s", "120ms", "30"), and
    `anthropic-ratelimit-requests-remaining` and `-reset` (a date). None where nothing of the kind is said.
    """
    low = {name: value for key, value in headers.items() if "ratelimit" in (name := key.lower())}
    if not low:
        return None
    found = []
    for left, reset in (
        *((f"x-ratelimit-remaining-{what}", f"x-ratelimit-reset-{what}") for what in ("requests", "tokens")),
        *((f"anthropic-ratelimit-{what}-remaining", f"anthropic-ratelimit-{what}-reset") for what in ("requests", "tokens")),
    ):
        if re.fullmatch(r"\s*\d{1,18}\s*", low.get(left, "")):
            found.append((int(low[left]), _until(low.get(reset, ""))))
    return min(found, key=lambda one: (one[0], -one[1]), default=None)


_SPANS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def _until(value: str) -> float:
    """Seconds: "1m30.5s", "120ms", "30", or a date; 60 where it cannot be read."""
    spans = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h)", value)
    if spans and "".join(number + unit for number, unit in spans) == value.strip():
        return sum(float(number) * _SPANS[unit] for number, unit in spans)
    try:
        if "T" in value:
            return max(0.0, (datetime.fromisoformat(value.strip()) - datetime.now(UTC)).total_seconds())
        return waits.seconds(value)
    except (ValueError, TypeError):
        return 60.0
