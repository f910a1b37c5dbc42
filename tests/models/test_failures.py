"""A server's "no" becomes the right error of ours, whoever says it and however."""

from datetime import UTC, datetime

import pytest

from tao.errors import Declined, Refused, TooLong, ToolsUnsupported, Transient
from tao.models.failures import QUOTED, allowance, failure, failure_inside, retry_after, words


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (429, {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}, Transient),
        (429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}, Refused),
        (429, {"error": {"code": "1113", "message": "您的账户已欠费，请充值后重试"}}, Refused),
        (400, {"error": {"message": "Access denied: Arrearage", "code": "Arrearage"}}, Refused),
        (402, {"error": {"message": "Insufficient Balance"}}, Refused),
        (401, {"error": {"message": "Invalid API-key provided."}}, Refused),
        (403, "Forbidden", Refused),
        (404, {"error": {"message": 'model "qwen3" not found, try pulling it first'}}, Refused),
        (400, {"error": {"message": "Failed to initialize samplers: failed to parse grammar"}}, Refused),
        (500, {"error": {"message": "internal"}}, Transient),
        (502, "<html><body>Bad Gateway</body></html>", Transient),
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, Transient),
        (408, "", Transient),
        (400, {"error": {"message": "This model's maximum context length is 65536 tokens. However, you requested 70000"}}, TooLong),
        (400, {"error": {"code": "invalid_parameter_error", "message": "Range of input length should be [1, 129024]"}}, TooLong),
        (400, {"error": {"type": "exceed_context_size_error", "message": "request (9031 tokens) exceeds the available context size"}}, TooLong),
        (400, {"error": {"message": "Prompt is too long: 250000 tokens > 200000 maximum"}}, TooLong),
        (400, {"error": {"code": "1261", "message": "Prompt 超长，输入长度超过上限"}}, TooLong),
        (413, "Payload Too Large", TooLong),
    ],
)
def test_statuses_and_words(status, body, kind):
    assert type(failure(status, body, where="x")) is kind


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "registry.ollama.ai/library/gemma:latest does not support tools"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        (404, "No endpoints found that support tool use. Try disabling it."),
        (500, "tools param requires --jinja flag"),
        (400, "deepseek-reasoner does not support Function Calling"),
        (400, "该模型不支持工具调用"),
        (400, "tools is not supported in this model"),
    ],
)
def test_tools_that_a_server_does_not_take(status, message):
    assert type(failure(status, {"error": {"message": message}}, where="x", tools=True)) is ToolsUnsupported
    assert type(failure(status, {"error": {"message": message}}, where="x")) is not ToolsUnsupported


def test_a_refused_tool_choice_is_not_a_server_without_tools():
    assert type(failure(400, {"error": {"message": "tool_choice is not supported in thinking mode"}}, where="x", tools=True)) is Refused


def test_a_rate_limit_on_tools_is_still_a_rate_limit():
    assert type(failure(429, {"error": {"message": "tool calls not available: rate limit"}}, where="x", tools=True)) is Transient


def test_the_servers_own_words_are_quoted_and_shortened():
    error = failure(400, {"error": {"message": "参数错误 " * 300}}, where="zhipu")
    assert str(error).startswith("zhipu: HTTP 400: 参数错误")
    assert len(str(error)) < QUOTED + 60
    assert words("<html><head><title>502</title></head><body>Bad Gateway</body></html>") == "502 Bad Gateway"
    assert words([{"error": {"message": "API key not valid"}}]) == "API key not valid"
    assert words({"detail": [{"loc": ["body"], "msg": "field required"}]}) == "field required"
    assert words(None) == ""


@pytest.mark.parametrize(("status", "body", "english", "chinese"), [
    (401, {"error": {"message": "Bad key\n\n  sk-1***"}}, "x: HTTP 401: Bad key sk-1*** (check the API key)", "x: HTTP 401: Bad key sk-1***（请检查 API 密钥）"),
    (404, "", "x: HTTP 404: (no message) (check the base URL and the model's name)", "x: HTTP 404: （没有说明）（请检查接口地址与模型名）"),
    (402, {"message": "余额不足"}, "x: HTTP 402: 余额不足 (check the account's balance)", "x: HTTP 402: 余额不足（请检查账户余额）"),
    (503, "", "x: HTTP 503: (no message)", "x: HTTP 503: （没有说明）"),
])  # fmt: skip
def test_what_to_do_stands_on_a_line_for_each_language(status, body, english, chinese):
    assert str(failure(status, body, where="x")).split("\n") == [english, chinese]


def test_errors_with_status_200():
    assert type(failure_inside({"base_resp": {"status_code": 1002, "status_msg": "rate limit"}}, where="minimax")) is Transient
    assert type(failure_inside({"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}, where="minimax")) is Refused
    for fine in (0, "0", None):
        assert failure_inside({"base_resp": {"status_code": fine, "status_msg": ""}, "choices": [{}]}, where="minimax") is None
    assert type(failure_inside({"choices": [{"error": {"code": 502, "message": "upstream"}}]}, where="openrouter")) is Transient
    assert type(failure_inside({"error": {"code": "invalid_request", "message": "no"}}, where="x")) is Refused
    assert type(failure_inside({"error": "boom"}, where="x")) is Transient
    assert type(failure_inside(["not", "an", "object"], where="x")) is Transient
    assert failure_inside({"choices": [{"message": {"content": "ok"}}]}, where="x") is None


def test_how_long_a_server_wants_us_to_wait():
    now = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
    assert retry_after({"Retry-After": "12"}) == 12.0
    assert retry_after({"retry-after-ms": "1500", "Retry-After": "2"}) == 1.5
    assert retry_after({"Retry-After": "Mon, 30 Nov 2026 12:00:30 GMT"}, now=now) == 30.0
    assert retry_after({"Retry-After": "Mon, 30 Nov 2026 11:00:00 GMT"}, now=now) == 0.0
    assert retry_after({"Retry-After": "soon"}) is None
    assert retry_after({"retry-after-ms": "soon", "Retry-After": "2"}) == 2.0
    assert retry_after({}) is None
    body = [{"error": {"details": [{"@type": "RetryInfo", "retryDelay": "34s"}]}}]
    assert retry_after({}, body) == 34.0
    assert failure(429, body, where="gemini").retry_after == 34.0


@pytest.mark.parametrize(("quota", "kind"), [
    ("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", Transient), ("GenerateRequestsPerDayPerProjectPerModel-FreeTier", Refused), ("", Refused),
])  # fmt: skip
def test_a_minutes_quota_is_waited_for_and_a_days_is_not(quota, kind):
    about = [{"@type": "QuotaFailure", "violations": [{"quotaId": quota}]}, {"@type": "RetryInfo", "retryDelay": "34s"}] if quota else []
    said = "You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s."
    assert type(failure(429, {"error": {"code": 429, "message": said, "status": "RESOURCE_EXHAUSTED", "details": about}}, where="gemini")) is kind


@pytest.mark.parametrize(("headers", "left"), [
    ({}, None), ({"x-ratelimit-limit-requests": "60"}, None), ({"X-RateLimit-Remaining-Requests": "many"}, None),
    ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "6m0s"}, (3, 360.0)),
    ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "1h2m3.5s"}, (3, 3723.5)),
    ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "120ms"}, (0, 0.12)),
    ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "30"}, (0, 30.0)),
    (
        {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "50s"},
        (0, 50.0),
    ),
    ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "soon"}, (0, 60.0)),
    ({"x-ratelimit-remaining-requests": "0"}, (0, 60.0)), ({"x-ratelimit-remaining-requests": "9" * 5000}, None),
    ({"anthropic-ratelimit-requests-remaining": "7", "anthropic-ratelimit-requests-reset": "2020-01-01T00:00:00Z"}, (7, 0.0)),
])  # fmt: skip
def test_what_is_left_of_a_rate(headers, left):
    assert allowance(headers) == left


@pytest.mark.parametrize(("status", "body"), [
    (400, {"error": {"code": "content_filter", "message": "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."}}),
    (400, {"error": {"code": "data_inspection_failed", "message": "Input data may contain inappropriate content."}}),
    (400, {"error": {"message": "Content Exists Risk"}}), (400, {"error": {"code": "1301", "message": "系统检测到输入或生成内容可能包含不安全或敏感内容"}}),
    (400, {"error": {"code": "SensitiveContentDetected", "message": "The request failed because the input text may contain sensitive information."}}),
    (400, {"error": {"message": "Invalid prompt: your prompt was flagged as potentially violating our usage policy"}}), (403, {"error": {"code": "PROHIBITED_CONTENT"}}),
])  # fmt: skip
def test_what_a_filter_will_not_let_through_is_declined(status, body):
    error = failure(status, body, where="x")
    assert (type(error), error.ends) == (Declined, "refused")
    assert "put it differently" in str(error)
    assert "请换个说法" in str(error)


@pytest.mark.parametrize("code", ["abc", [1], {"a": 1}, float("nan"), float("inf"), "9" * 5000, "²", True])
def test_an_error_number_that_is_none_is_an_error_still(code):
    assert type(failure_inside({"base_resp": {"status_code": code, "status_msg": "no"}}, where="x")) is Refused


@pytest.mark.parametrize("choices", [{"a": 1}, 3, 2.5, True, "text", [], [None], [[1]], {}])
def test_choices_of_any_form_are_no_error_of_ours(choices):
    assert failure_inside({"choices": choices}, where="x") is None
