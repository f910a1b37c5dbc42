import base64
import dataclasses
import json

import pytest
from pydantic import BaseModel

from tao.events import Observed, from_json, to_json
from tao.tools.media import LARGEST, MOST_ROWS
from tao.tools.results import observe
from tao.tools.words import speaking

PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
IMAGE = {"content": [{"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/png"}]}


class Picture:
    """As PIL's: it writes itself into a file."""

    size = (1, 1)
    mode = "RGB"

    def save(self, into, format):  # noqa: A002
        into.write(PNG if format == "png" else b"")


class Figure:
    """As matplotlib's."""

    def savefig(self, into, format):  # noqa: A002
        into.write(PNG)


class Drawn:
    """As notebooks draw things."""

    def _repr_png_(self):
        return PNG


class Undrawable:
    size = (640, 480)
    mode = "RGB"

    def save(self, into, format):  # noqa: A002
        raise OSError("no encoder")


@pytest.mark.parametrize(
    ("value", "text", "zh", "data"),
    [
        (PNG, f"[PNG image, {len(PNG)} bytes]", f"[PNG image，{len(PNG)} 字节]", IMAGE),
        (bytearray(PNG), f"[PNG image, {len(PNG)} bytes]", f"[PNG image，{len(PNG)} 字节]", IMAGE),
        (Picture(), "[image, 1×1 pixels]", "[图像，1×1 像素]", IMAGE),
        (Figure(), f"[image, {len(PNG)} bytes]", f"[图像，{len(PNG)} 字节]", IMAGE),
        (Drawn(), f"[image, {len(PNG)} bytes]", f"[图像，{len(PNG)} 字节]", IMAGE),
        (Undrawable(), "[image, 640×480 pixels]", "[图像，640×480 像素]", None),
        (b"%PDF-1.7\0", "[PDF, 9 bytes]", "[PDF，9 字节]",
         {"content": [{"type": "resource", "resource": {"mimeType": "application/pdf", "blob": "JVBERi0xLjcA"}}]}),
        (b"\x00\x01", "[binary data, 2 bytes]", "[二进制数据，2 字节]",
         {"content": [{"type": "resource", "resource": {"mimeType": "application/octet-stream", "blob": "AAE="}}]}),
    ],
    ids=["bytes", "bytearray", "PIL", "matplotlib", "notebook", "cannot be drawn", "PDF", "anything"],
)  # fmt: skip
def test_words_for_the_model_and_the_thing_for_people(value, text, zh, data):
    seen = observe(value)
    assert (seen.text, seen.data) == (text, data)
    with speaking("zh"):
        assert observe(value).text == zh
    event = Observed("1.1", seen)
    assert from_json(json.loads(json.dumps(to_json(event), ensure_ascii=False))) == event


def test_of_a_very_large_one_the_size_is_kept():
    seen = observe(PNG + b"\0" * LARGEST)
    assert seen.data["content"][0]["data"] == f"({len(PNG) + LARGEST} B)"


def test_a_file_is_named_with_its_kind_and_size(tmp_path):
    path = tmp_path / "报告.pdf"
    path.write_bytes(b"%PDF")
    seen = observe(path)
    assert seen.text == f"{path} (application/pdf, 4 bytes)"
    assert seen.data == {"content": [{"type": "resource_link", "uri": path.as_uri(), "name": "报告.pdf", "mimeType": "application/pdf", "size": 4}]}
    with speaking("zh"):
        assert observe(path).text == f"{path}（application/pdf，4 字节）"
    missing = observe(tmp_path / "nothing")
    assert (missing.text, missing.data) == (str(tmp_path / "nothing"),) * 2
    assert observe(tmp_path).text == str(tmp_path)


class Model(BaseModel):
    name: str
    picture: bytes | None = None


@dataclasses.dataclass
class Found:
    name: str
    files: dict[str, bytes]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"chart": PNG, "n": 1}, {"chart": f"[PNG image, {len(PNG)} bytes]", "n": 1}),
        (["words", Picture()], ["words", "[image, 1×1 pixels]"]),
        (("a", [b"\0", {"x": (b"\xff",)}]), ["a", ["[binary data, 1 bytes]", {"x": ["[binary data, 1 bytes]"]}]]),
        (Model(name="m", picture=PNG), {"name": "m", "picture": f"[PNG image, {len(PNG)} bytes]"}),
        (Found("f", {"a": b"text", "b": b"\0"}), {"name": "f", "files": {"a": "text", "b": "[binary data, 1 bytes]"}}),
    ],
    ids=["object", "list", "nested", "pydantic", "dataclass"],
)
def test_within_other_values_they_are_described_too(value, text):
    seen = observe(value)
    assert json.loads(seen.text) == text
    assert "iVBOR" not in seen.text


def test_values_without_any_stay_as_they_were():
    for value in ({"a": [1, 2, {"b": "c"}]}, [1, (2, 3)], Model(name="m"), Found("f", {})):
        seen = observe(value)
        assert json.loads(seen.text) == seen.data


# ── tables ────────────────────────────────────────────────────────────────────


class Frame:
    """As pandas': columns, and rows as tuples."""

    def __init__(self, columns, rows):
        self.columns, self._rows = columns, rows
        self.shape = (len(rows), len(columns))

    def to_dict(self):
        raise AssertionError

    def head(self, count):
        return Frame(self.columns, self._rows[:count])

    def itertuples(self, *, index, name):
        assert (index, name) == (False, None)
        return iter(self._rows)


class Polar(Frame):
    """As polars'."""

    itertuples = None

    def rows(self):
        return self._rows


@pytest.mark.parametrize("kind", [Frame, Polar])
def test_a_table_is_lines_for_the_model_and_rows_for_people(kind):
    seen = observe(kind(["城市", "t"], [("上海", 21.5), ("Lima", float("nan")), ("Oslo", None)]))
    assert seen.text == "城市 | t\n上海 | 21.5\nLima | \nOslo | "
    assert seen.data == {"columns": ["城市", "t"], "rows": [["上海", 21.5], ["Lima", None], ["Oslo", None]]}
    assert observe(kind(["a"], [])).text == "a\n(no rows)"
    many = observe(kind(["n"], [(n,) for n in range(5000)]))
    assert many.text.endswith(f"(5000 rows; these are the first {MOST_ROWS})")
    assert len(many.data["rows"]) == MOST_ROWS


def test_real_tables():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame({"day": pandas.to_datetime(["2026-11-30", None]), "n": [1, 2], "x": [0.5, None]})
    seen = observe(frame)
    assert seen.text.splitlines()[0] == "day | n | x"
    assert seen.data["rows"][0] == ["2026-11-30T00:00:00", 1, 0.5]
    assert seen.data["rows"][1][2] is None
    assert json.loads(observe(frame["n"]).text) == [1, 2]


def test_real_pictures():
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    seen = observe(image.new("RGB", (3, 2)))
    assert seen.text == "[image, 3×2 pixels]"
    assert base64.b64decode(seen.data["content"][0]["data"]).startswith(b"\x89PNG")
