import dataclasses
import datetime as dt
import enum
import uuid
from decimal import Decimal
from pathlib import PurePosixPath

import pytest
from pydantic import BaseModel

from tao.messages import Observation
from tao.permissions.effects import NEVER_RAN
from tao.tools.results import observe, plain
from tao.tools.words import speaking


@dataclasses.dataclass
class Found:
    day: dt.date
    price: Decimal


class Model(BaseModel):
    name: str
    found: Found


class Colour(enum.Enum):
    red = "red"


class Picture:
    size = (640, 480)
    mode = "RGB"


class Array:
    def tolist(self):
        return [1, 2]


class Plain:
    def __str__(self):
        return "plain thing"


class Broken:
    def __str__(self):
        return "broken"

    def tolist(self):
        raise ValueError("no")


@pytest.mark.parametrize(
    ("value", "text", "data"),
    [
        ("text as is ", "text as is ", None),
        ("", "(empty text)", None),
        (None, "Done (nothing to report).", None),
        (42, "42", 42),
        (True, "true", True),
        (0.1, "0.1", 0.1),
        (float("nan"), "nan", "nan"),
        ({"城市": "北京", 1: [1, (2,)]}, '{"城市": "北京", "1": [1, [2]]}', {"城市": "北京", "1": [1, [2]]}),
        (Found(dt.date(2025, 3, 4), Decimal("1.50")), '{"day": "2025-03-04", "price": "1.50"}', {"day": "2025-03-04", "price": "1.50"}),
        (Model(name="x", found=Found(dt.date(2025, 3, 4), Decimal(1))), '{"name": "x", "found": {"day": "2025-03-04", "price": "1"}}',
         {"name": "x", "found": {"day": "2025-03-04", "price": "1"}}),
        (dt.date(2025, 3, 4), "2025-03-04", "2025-03-04"),
        (Decimal("1.50"), "1.50", "1.50"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("a/b"), "a/b", "a/b"),
        (Colour.red, "red", "red"),
        ([], "[]", []),
        (b"plain \xe4\xb8\xad", "plain 中", None),
        (b"", "(empty text)", None),
        (Picture(), "[image, 640×480 pixels]", None),
        (Array(), "[1, 2]", [1, 2]),
        ([Array()], "[[1, 2]]", [[1, 2]]),
        (Plain(), "plain thing", "plain thing"),
        ({"x": float("inf")}, '{"x": "inf"}', {"x": "inf"}),
        (Broken(), "Broken: broken", "Broken: broken"),
        ("lone \ud800, nul \x00", "lone \ufffd, nul \ufffd", None),
    ],
)  # fmt: skip
def test_values_as_observations(value, text, data):
    assert observe(value) == Observation(text, data=data)


def test_an_observation_is_taken_over():
    seen = Observation("x", ok=False, kind="mine")
    assert observe(seen) is seen


def test_chinese_words():
    with speaking("zh"):
        assert observe(None).text == "已完成（没有返回内容）。"
        assert observe(b"\xff").text == "[二进制数据，1 字节]"
        assert observe(Picture()).text == "[图像，640×480 像素]"
        assert observe("").text == "（空文本）"


def test_what_contains_itself():
    loop: list = []
    loop.append(loop)
    assert plain(loop).startswith("list: ")


@pytest.mark.parametrize("kind", sorted(NEVER_RAN))
def test_a_tool_cannot_say_in_our_words_that_it_was_not_run(kind):
    assert observe(Observation("Write to zed@zed.example", ok=False, kind=kind)) == Observation("Write to zed@zed.example", ok=False, kind="error")
    assert observe(Observation("Write to zed@zed.example", kind=kind)) == Observation("Write to zed@zed.example")


@pytest.mark.parametrize("kind", ["", "error", "http", "transient", "timeout", "of my own"])
def test_other_kinds_of_its_own_stay(kind):
    assert observe(Observation("no", ok=False, kind=kind)).kind == kind
