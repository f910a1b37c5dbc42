"""Files below one folder: paging and encodings, and every way out of the folder refused."""

import itertools
import os
import socket
import stat
import threading
from contextlib import suppress
from functools import partial

import pytest

from tao.errors import ConfigError
from tao.messages import Call
from tao.testing import history
from tao.tools.builtin.files import LARGEST, MOST_LISTED, MOST_WRITTEN, files
from tao.tools.registry import registry


@pytest.fixture
def root(tmp_path):
    base = tmp_path / "base"
    (base / "notes").mkdir(parents=True)
    (base / "notes" / "todo.md").write_text("one\n二\nthree\n", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "base2").mkdir()
    (tmp_path / "base2" / "x.txt").write_text("secret")
    return base


async def use(root, name, lang="en", **args):
    tools = files(root)
    return await registry(tools)(Call("1.1", name, args), history("q", tools=[tool.spec for tool in tools], lang=lang))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


async def test_reading_writing_listing(root):
    assert (await use(root, "read_file", path="notes/todo.md")).text == "one\n二\nthree\n"
    assert (await use(root, "write_file", path="new/deep/a.txt", text="中文")).text == "Wrote new/deep/a.txt (2 characters)."
    assert (root / "new/deep/a.txt").read_bytes() == "中文".encode()
    assert (await use(root, "list_files")).text == "new/\nnotes/"
    assert (await use(root, "list_files", path="notes")).text == "todo.md  14"
    assert (await use(root, "list_files", path="./notes/", pattern="*.txt")).text == "Nothing in ./notes/ fits '*.txt'."


async def test_effects_are_declared(root):
    assert {tool.name: tool.spec.effects for tool in files(root)} == {"read_file": ("reads",), "write_file": ("writes",), "list_files": ("reads",)}


@pytest.mark.parametrize(("lang", "head"), [
    ("en", "[notes/long.txt, lines 3 to 4 of 10 · go on with start=5]"), ("zh", "[notes/long.txt，第 3 至 4 行，共 10 行 · 继续请用 start=5]"),
])  # fmt: skip
async def test_paging_by_lines(root, lang, head):
    (root / "notes/long.txt").write_text("".join(f"line {n}\n" for n in range(1, 11)))
    found = await use(root, "read_file", lang, path="notes/long.txt", start=3, lines=2)
    assert found.text.splitlines() == [head, "line 3", "line 4"]
    last = await use(root, "read_file", lang, path="notes/long.txt", start=9, lines=200)
    assert "start=" not in last.text
    beyond = await use(root, "read_file", lang, path="notes/long.txt", start=11)
    assert (beyond.ok, "10" in beyond.text) == (False, True)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16"])
async def test_encodings(root, encoding):
    (root / "x.txt").write_bytes("第一行：价格\n第二行".encode(encoding))
    assert (await use(root, "read_file", path="x.txt")).text == "第一行：价格\n第二行"


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\x00\x00", bytes(range(256)), b"a\x00b", b"\x7fELF\x02\x01\x01\x00", b"%PDF-1.4\n\x01\x02\xff"])
async def test_binary_files_are_named_and_not_shown(root, data):
    (root / "x.bin").write_bytes(data)
    found = await use(root, "read_file", path="x.bin")
    assert (found.ok, f"x.bin is not a text file ({len(data)} bytes)" in found.text) == (False, True)


async def test_an_empty_file(root):
    (root / "x.txt").write_text("")
    assert (await use(root, "read_file", path="x.txt")).text == "(empty file)"


OUT = [
    "../secret.txt", "notes/../../secret.txt", "/etc/passwd", "//etc/passwd", "~/x", "~root/x", "..", "notes/..", "notes/../todo.md", "..\\secret.txt", "C:\\x", "C:/x", "c:", "\\\\host\\share",
    "notes\x00/todo.md", "todo.md\x00.txt", "notes/\ntodo.md", "notes/\u202etodo.md", "notes/\u200b../x", "../base2/x.txt", " ../secret.txt", "./../secret.txt", "notes/./../../secret.txt", "a" * 1001,
]  # fmt: skip


@pytest.mark.parametrize("path", OUT)
@pytest.mark.parametrize("name", ["read_file", "write_file", "list_files"])
async def test_paths_that_lead_out_are_refused_with_what_to_do(root, path, name):
    found = await use(root, name, path=path, **({"text": "x", "replace": True} if name == "write_file" else {}))
    assert (found.ok, "below the folder, such as notes/todo.md" in found.text) == (False, True), found.text
    assert (root.parent / "secret.txt").read_text() == "secret"
    chinese = await use(root, name, "zh", path=path, **({"text": "x"} if name == "write_file" else {}))
    assert "请给出文件夹内的相对路径" in chinese.text


@pytest.mark.parametrize("path", ["%2e%2e/secret.txt", "．．/secret.txt", "…/x", "notes/todo.md/x", "...", "nope/x.txt", "notes／todo.md", "notes∕todo.md"])
async def test_names_that_only_look_like_a_way_out_are_just_names(root, path):
    found = await use(root, "read_file", path=path)
    assert (found.ok, "secret" in found.text.replace("secret.txt", "")) == (False, False)


@pytest.mark.parametrize("target", ["/etc/passwd", "../secret.txt", "notes/todo.md", "nowhere"])
@pytest.mark.parametrize("name", ["read_file", "write_file"])
async def test_a_link_is_not_followed_wherever_it_leads(root, target, name):
    (root / "link").symlink_to(target)
    found = await use(root, name, path="link", **({"text": "x", "replace": True} if name == "write_file" else {}))
    assert not found.ok
    assert (root / "link").is_symlink()
    assert (root.parent / "secret.txt").read_text() == "secret"


@pytest.mark.parametrize("target", ["/etc", "..", "../base2", "notes"])
async def test_a_folder_that_is_a_link_is_not_entered(root, target):
    (root / "way").symlink_to(target, target_is_directory=True)
    for name, path, more in [("read_file", "way/x.txt", {}), ("write_file", "way/x.txt", {"text": "x", "replace": True}), ("list_files", "way", {})]:
        found = await use(root, name, path=path, **more)
        assert (found.ok, "links are not followed" in found.text) == (False, True), found.text
    assert (root.parent / "base2/x.txt").read_text() == "secret"
    assert "way  (link, not followed)" in (await use(root, "list_files")).text


async def test_a_folder_that_turns_into_a_link_between_looking_and_opening(root):
    """Somebody swaps a folder for a link out all the time; whatever is read or written, it is never outside."""
    inside, outside = root / "swap", root.parent / "base2"
    inside.mkdir()
    (inside / "x.txt").write_text("inside")
    stop = threading.Event()

    def swapping():
        for number in itertools.count():
            aside = root / f"aside{number}"
            for step in (partial(inside.rename, aside), partial(inside.symlink_to, outside), inside.unlink, partial(aside.rename, inside)):
                with suppress(OSError):  # a writer may have made the folder anew
                    step()
            if stop.is_set():
                return

    thread = threading.Thread(target=swapping)
    thread.start()
    try:
        for _ in range(150):
            seen = await use(root, "read_file", path="swap/x.txt")
            assert "secret" not in seen.text
            await use(root, "write_file", path="swap/y.txt", text="y", replace=True)
    finally:
        stop.set()
        thread.join()
    assert names(outside) == ["x.txt"]


async def test_a_file_that_is_there_is_replaced_only_on_purpose(root):
    refused = await use(root, "write_file", path="notes/todo.md", text="new")
    assert (refused.ok, "replace=true" in refused.text) == (False, True)
    assert (root / "notes/todo.md").read_text(encoding="utf-8").startswith("one")
    (root / "notes/todo.md").chmod(0o600)
    assert (await use(root, "write_file", path="notes/todo.md", text="new", replace=True)).ok
    assert (root / "notes/todo.md").read_text() == "new"
    assert stat.S_IMODE((root / "notes/todo.md").stat().st_mode) == 0o600
    assert names(root / "notes") == ["todo.md"]


async def test_nobody_ever_sees_half_a_file(root):
    old, new, seen, stop = "old" * 100_000, "new" * 100_000, set(), threading.Event()
    (root / "x.txt").write_text(old)

    def looking():
        while not stop.is_set():
            seen.add((root / "x.txt").read_text())

    thread = threading.Thread(target=looking)
    thread.start()
    try:
        for text in (new, old, new, old, new):
            assert (await use(root, "write_file", path="x.txt", text=text, replace=True)).ok
    finally:
        stop.set()
        thread.join()
    assert seen <= {old, new}
    assert names(root) == ["notes", "x.txt"]


async def test_what_is_no_file_is_refused(root):
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as made:
        with suppress(OSError):  # the path may be too long for a socket
            made.bind(str(root / "s"))
        for path in ("notes", "notes/", "pipe", "s"):
            assert not (await use(root, "read_file", path=path)).ok
            assert not (await use(root, "write_file", path=path, text="x", replace=True)).ok


async def test_sizes_are_capped(root):
    (root / "big.txt").write_bytes(b"x" * (LARGEST + 1))
    assert f"at most {LARGEST}" in (await use(root, "read_file", path="big.txt")).text
    assert f"at most {MOST_WRITTEN}" in (await use(root, "write_file", path="w.txt", text="x" * (MOST_WRITTEN + 1))).text
    assert not (root / "w.txt").exists()
    for number in range(MOST_LISTED + 5):
        (root / f"f{number:03}").touch()
    assert "7 more" in (await use(root, "list_files")).text


async def test_other_peoples_tmp_files_are_listed(root):
    (root / "mine.tmp").touch()
    assert "mine.tmp" in (await use(root, "list_files")).text


async def test_a_name_that_is_too_long(root):
    for name, more in [("read_file", {}), ("write_file", {"text": "x"})]:
        found = await use(root, name, path="n" * 300, **more)
        assert (found.ok, "too long" in found.text) == (False, True)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match="the folder for files"):
        files(tmp_path / "nope")
