"""What is private goes; what only looks like it stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tao.evaluation.redact import Marks, redacted, text_without
from tao.events import Asked, Decided, Ended
from tao.messages import Image, Message, Observation
from tao.run import Run
from tao.testing import did, history


def without(text):
    return text_without(text, Marks())


PRIVATE = {
    "mail": ("write to li.lei+x@mail.example.com.cn, now", "write to <EMAIL_1>, now"),
    "mail in Chinese": ("邮箱：a_b@qq.com。", "邮箱：<EMAIL_1>。"),
    "mobile": ("电话13800138000，谢谢", "电话<PHONE_1>，谢谢"),
    "mobile with a country code": ("+86 138-0013-8000", "<PHONE_1>"),
    "landline": ("总机 010-62781234 转", "总机 <PHONE_1> 转"),
    "landline in brackets": ("（021）62781234", "<PHONE_1>"),
    "service line": ("拨打 400-810-8888", "拨打 <PHONE_1>"),
    "American": ("call (415) 555-2671 or 415-555-2672", "call <PHONE_1> or <PHONE_2>"),
    "international": ("ring +44 20 7946 0958.", "ring <PHONE_1>."),
    "identity card": ("身份证 11010519491231002X 号", "身份证 <ID_1> 号"),
    "social security": ("SSN 123-45-6789", "SSN <ID_1>"),
    "passport": ("护照号 E12345678", "护照号 <ID_1>"),
    "bank card": ("卡号 6222 0212 3456 7894", "卡号 <CARD_1>"),
    "credit card": ("4111 1111 1111 1111", "<CARD_1>"),
    "Amex": ("3782 822463 10005", "<CARD_1>"),
    "IBAN": ("to DE89 3704 0044 0532 0130 00 please", "to <CARD_1> please"),
    "OpenAI key": ("key sk-proj-abcdefghij0123456789ABCD", "key <KEY_1>"),
    "GitHub": ("ghp_abcdefghijklmnopqrstuvwxyz0123", "<KEY_1>"),
    "AWS": ("AKIAIOSFODNN7EXAMPLE!", "<KEY_1>!"),
    "bearer": ("Authorization: Bearer abcdefghij.klmnop-12345", "Authorization: Bearer <KEY_1>"),
    "JWT": ("eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4", "<KEY_1>"),
    "password": ('{"password": "hunter22!", "n": 1}', '{"password": "<KEY_1>", "n": 1}'),
    "password in Chinese": ("密码是abc12345，请勿外传", "密码是<KEY_1>，请勿外传"),
    "in a URL": ("postgres://me:s3cret@db/x", "postgres://me:<KEY_1>@db/x"),
    "private key": ("-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----", "<KEY_1>"),
}
HARMLESS = [
    "订单 A10023 共 1234567 元", "圆周率 3.14159265358979", "2025-04-12 与 20250412", "1718000000000 毫秒", "the price is 5,488,984", "ISBN 978-7-111-54742-6",
    "IP 192.168.100.200", "1 + 1 = 2", "110105194912310020", "4111 1111 1111 1112", "DE88 3704 0044 0532 0130 00", "max_tokens: 100000",
    "the password is wrong", "密码：请联系管理员获取", "see a@b", "call 12345", "在2024年11月", "E12345678 is an order",
    "(555) 12", "10086", "99.99%", "x = 13800138000123",
]  # fmt: skip


@pytest.mark.parametrize("name", PRIVATE)
def test_private_things_go(name):
    text, wanted = PRIVATE[name]
    assert without(text) == wanted


@pytest.mark.parametrize("text", HARMLESS)
def test_other_things_stay(text):
    assert without(text) == text


def test_the_same_thing_has_the_same_mark():
    assert without("13800138000, 138 0013 8000, 13900139000, +86 13800138000") == "<PHONE_1>, <PHONE_1>, <PHONE_2>, <PHONE_1>"


@given(st.text(max_size=60))
def test_taking_out_twice_changes_nothing(text):
    once = without(text)
    assert without(once) == once


def test_a_run_still_fits_together():
    decided, seen = did(1, "dial", Observation("rang 13800138000", data={"to": 13800138000}), to=13800138000, note="13800138000", id="a@b.cn")
    run = history("Call 13800138000 for li@example.com", decided, seen, Decided(answer="13800138000 rang."), Ended("answered", "13800138000 rang."))
    clean = redacted(run)
    assert clean.asked.question == "Call <PHONE_1> for <EMAIL_1>"
    (call, observation), = clean.observed
    assert dict(call.args) == {"to": "<PHONE_1>", "note": "<PHONE_1>", "id": "<EMAIL_2>"}
    assert (observation.text, observation.data, clean.answer) == ("rang <PHONE_1>", {"to": "<PHONE_1>"}, "<PHONE_1> rang.")
    assert (clean.id, call.id, len(clean.events)) == (run.id, "1.1", len(run.events))
    assert redacted(clean).events == clean.events


def test_who_asked():
    asked = Asked("I am bob@example.com", (), "en", settings={"who": {"user": "bob@example.com", "tenant": "Acme", "role": "admin"}, "max_steps": 8})
    made = redacted(Run("r", [asked])).asked
    assert made.settings == {"who": {"user": "<EMAIL_1>", "tenant": "<TENANT_1>", "role": "admin"}, "max_steps": 8}
    assert made.question == "I am <EMAIL_1>"


def test_the_bytes_of_a_picture_are_no_text():
    """Long base64 text holds what looks like a phone number; an address may hold a key."""
    data = "AAAA+86 13800138000".replace(" ", "/") + "sk-" + "a1" * 12
    asked = Asked("?", (), images=(Image("image/png", data), Image(url="https://x.cn/a.png?token=abc123456")), history=(Message("user", "13800138000", images=(Image("image/png", data),)),))
    made = redacted(Run("r", [asked])).asked
    assert [made.images[0].data, made.history[0].images[0].data, made.history[0].content] == [data, data, "<PHONE_1>"]
    assert made.images[1].url == "https://x.cn/a.png?token=<KEY_1>"
