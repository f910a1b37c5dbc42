"""How well the tool `search` finds the passages that answer a question, beside plain BM25.

    python benchmarks/retrieval.py [DATA]

DATA holds `hotpotqa/` (questions.jsonl, paragraphs.jsonl) and `cmrc2018/` (a JSON file in SQuAD's form); by default the folder
`data` in $TAO_SHARED. Every paragraph becomes a file, its title (HotpotQA) a heading; questions are asked as they are. "any"
counts questions with a paragraph that holds the answer among the first k results, "all" those where every such paragraph is
(HotpotQA's questions need two). The last line is one JSON object.

Plain BM25 (Robertson and Zaragoza 2009, k1 = 1.5, b = 0.75) ranks whole paragraphs with their titles, over Latin words and
single Chinese characters.
"""

import json
import math
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tao.tools.builtin.search import search

AT = (5, 10)
K1, B = 1.5, 0.75
_TOKEN = re.compile(r"[^\W_\u4e00-\u9fff]+|[\u4e00-\u9fff]")


@dataclass(frozen=True)
class Collection:
    """Paragraphs by id, with their titles, and questions with the ids of the paragraphs that answer them."""

    name: str
    paragraphs: dict[str, tuple[str, str]]
    questions: tuple[tuple[str, frozenset[str]], ...]


Found = Callable[[str], Sequence[str]]
"""The ids of the best paragraphs for a question, ten at most."""


def hotpotqa(folder: Path) -> Collection:
    """HotpotQA's questions in English over all their paragraphs (Yang et al. 2018); the titles of the supporting facts are right."""
    told = [json.loads(line) for line in (folder / "paragraphs.jsonl").read_text(encoding="utf-8").splitlines()]
    ids = {one["title"]: f"{at:05}" for at, one in enumerate(told)}
    paragraphs = {ids[one["title"]]: (one["title"], "".join(one["sentences"])) for one in told}
    asked = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    return Collection("HotpotQA", paragraphs, tuple((one["question"], frozenset(ids[title] for title, _ in one["supporting_facts"])) for one in asked))


def cmrc(folder: Path, *, first: bool = False) -> Collection:
    """CMRC 2018's questions in Chinese (Cui et al. 2019); right is the paragraph that was asked about. `first`: one question of each."""
    (file,) = folder.glob("*.json")
    told = json.loads(file.read_text(encoding="utf-8"))["paragraphs"]
    paragraphs = {f"{at:05}": ("", one["context"]) for at, one in enumerate(told)}
    asked = [(qa["question"], frozenset([f"{at:05}"])) for at, one in enumerate(told) for qa in (one["qas"][:1] if first else one["qas"])]
    return Collection("CMRC 2018, one question each" if first else "CMRC 2018", paragraphs, tuple(asked))


def with_tool(collection: Collection, folder: Path) -> Found:
    """What the tool tells a model: the files that it names, in order."""
    for key, (title, text) in collection.paragraphs.items():
        (folder / f"{key}.md").write_text(f"# {title}\n\n{text}\n" if title else f"{text}\n", encoding="utf-8")
    tool = search(folder, most=max(AT))

    def found(question: str) -> list[str]:
        return re.findall(r"^\[(\w+)\.md:\d+", tool(question), re.MULTILINE)

    return found


def with_bm25(collection: Collection) -> Found:
    """Plain BM25 over whole paragraphs."""
    ids = list(collection.paragraphs)
    counts = [Counter(tokens(f"{title} {text}")) for title, text in collection.paragraphs.values()]
    lengths = [sum(count.values()) for count in counts]
    usual = sum(lengths) / len(lengths)
    holders: dict[str, list[int]] = {}
    for at, count in enumerate(counts):
        for token in count:
            holders.setdefault(token, []).append(at)

    def found(question: str) -> list[str]:
        scores: Counter[int] = Counter()
        for token in tokens(question):
            having = holders.get(token, [])
            rarity = math.log(1 + (len(ids) - len(having) + 0.5) / (len(having) + 0.5))
            for at in having:
                often = counts[at][token]
                scores[at] += rarity * often * (K1 + 1) / (often + K1 * (1 - B + B * lengths[at] / usual))  # type: ignore[assignment]
        return [ids[at] for at in sorted(scores, key=lambda at: (-scores[at], at))[: max(AT)]]

    return found


def tokens(text: str) -> list[str]:
    """Latin words and numbers in lower case, and single Chinese characters."""
    return _TOKEN.findall(text.casefold())


def recall(collection: Collection, found: Found) -> dict[str, int]:
    """How many questions: "any@5", "all@5", "any@10", "all@10"."""
    counts = {f"{how}@{most}": 0 for most in AT for how in ("any", "all")}
    for question, right in collection.questions:
        ranked = found(question)
        for most in AT:
            got = set(ranked[:most])
            counts[f"any@{most}"] += bool(got & right)
            counts[f"all@{most}"] += right <= got
    return counts


def measured(collection: Collection) -> dict[str, dict[str, int]]:
    """Both, for one collection."""
    with tempfile.TemporaryDirectory() as folder:
        return {"tao": recall(collection, with_tool(collection, Path(folder))), "bm25": recall(collection, with_bm25(collection))}


def main(data: Path) -> None:
    """Measure and print."""
    results = {}
    for collection in (hotpotqa(data / "hotpotqa"), cmrc(data / "cmrc2018", first=True), cmrc(data / "cmrc2018")):
        print(f"\n{collection.name}: {len(collection.questions)} questions over {len(collection.paragraphs)} paragraphs")
        results[collection.name] = both = measured(collection)
        for name, counts in both.items():
            print(f"  {name:5}" + "".join(f"  {key} {count:5} ({count / len(collection.questions):.1%})" for key, count in counts.items()))
    print(json.dumps(results, ensure_ascii=False))


if __name__ == "__main__":
    if not (sys.argv[1:] or os.environ.get("TAO_SHARED")):
        sys.exit("Give the folder with hotpotqa/ and cmrc2018/, or set TAO_SHARED to the one that holds data/.")
    main(Path(sys.argv[1]) if sys.argv[1:] else Path(os.environ["TAO_SHARED"], "data"))
