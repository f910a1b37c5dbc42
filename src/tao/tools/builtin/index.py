"""A full-text index over a folder: SQLite's FTS5 over words that we cut ourselves, kept up to date by file times."""

import math
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tao.errors import ConfigError, both
from tao.tools.builtin import segment
from tao.tools.builtin.passages import LARGEST, SUFFIXES, Passage, decoded, passages

VERSION = 2
TABLES = """
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, size INTEGER, changed INTEGER);
CREATE TABLE IF NOT EXISTS passages (id INTEGER PRIMARY KEY, path TEXT, heading TEXT, numbers TEXT, text TEXT, goes_on INTEGER);
CREATE INDEX IF NOT EXISTS passages_path ON passages (path);
CREATE VIRTUAL TABLE IF NOT EXISTS terms USING fts5 (words, pairs, title, tokenize = "porter unicode61 remove_diacritics 2");
"""
WEIGHTS = (1.0, 0.4, 1.5)
"""What a match counts: in the words, in the pairs of Chinese characters, in the title (heading and file name)."""

CANDIDATES = 40
TOGETHER = 0.5
"""The part of a score that hangs on how much of the question a passage has; the rest is BM25 alone."""
BESIDE = 0.6
"""What a passage's place is worth beside a better one of the same paragraph: a second paragraph says more than the same one again."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found; `path` is relative to the folder, `score` is larger for better ones, `covers` the share of terms in it."""

    path: str
    passage: Passage
    score: float
    covers: float


class Index:
    """An index over the text files below a folder (or one file); in memory, or in a file that is used again.

    `segmenter` gives what cuts Chinese into words, if there is anything. Use from any thread. Raises ConfigError where the folder is not there or SQLite has no FTS5.
    """

    def __init__(
        self, root: Path, store: Path | None = None, *, segmenter: Callable[[], segment.Cut | None] = segment.cutter,
    ) -> None:
        self.root = root.expanduser().resolve()
        if not self.root.exists():
            raise ConfigError(both(
                f"no folder {root}; give a folder with text files (.txt .md .csv .json .html …)",
                f"没有文件夹 {root}；请给出含文本文件（.txt .md .csv .json .html 等）的文件夹",
            ))  # fmt: skip
        self.cut = segmenter()
        self._lock = threading.Lock()
        if store is not None:
            store.parent.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(store or ":memory:", check_same_thread=False, isolation_level=None, timeout=30)
        weakref.finalize(self, self._db.close)  # whoever holds a tool closes nothing
        try:
            self._db.executescript(TABLES)
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise ConfigError(both(
                f"the search index {store or ''} cannot be opened: {error}; delete the file if it is damaged; SQLite needs FTS5",
                f"无法打开搜索索引 {store or ''}：{error}；文件损坏请删除；SQLite 须支持 FTS5",
            )) from error  # fmt: skip
        made_by = f"{VERSION} {'rjieba' if self.cut else 'pairs'} {self.root}"
        if self._db.execute("SELECT value FROM about WHERE key = 'made by'").fetchone() != (made_by,):
            self._db.executescript(f"DROP TABLE files; DROP TABLE passages; DROP TABLE terms; {TABLES}")
            self._db.execute("INSERT OR REPLACE INTO about VALUES ('made by', ?)", (made_by,))

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def files(self) -> list[str]:
        """The files in the index, relative to the folder."""
        with self._lock:
            return [path for (path,) in self._db.execute("SELECT path FROM files ORDER BY path")]

    def refresh(self) -> int:
        """Read what is new or changed, forget what is gone; gives the number of files read."""
        with self._lock:
            known = {path: (size, changed) for path, size, changed in self._db.execute("SELECT path, size, changed FROM files")}
            found = dict(self._walk())
            stale = [path for path, state in known.items() if found.get(path) != state]
            fresh = [path for path, state in found.items() if known.get(path) != state]
            if stale or fresh:
                self._db.execute("BEGIN IMMEDIATE")
                try:
                    for path in stale:
                        self._forget(path)
                    for path in fresh:
                        self._read(path, *found[path])
                except BaseException:
                    self._db.execute("ROLLBACK")
                    raise
                self._db.execute("COMMIT")
            return len(fresh)

    def _walk(self) -> Iterator[tuple[str, tuple[int, int]]]:
        """Every text file with its size and time of change; hidden ones, links and very large ones are left out."""
        if self.root.is_file():
            state = self.root.stat()
            yield self.root.name, (state.st_size, state.st_mtime_ns)
            return
        for folder, inner, names in os.walk(self.root):
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            for name in sorted(names):
                path = Path(folder, name)
                if name.startswith(".") or path.suffix.lower() not in SUFFIXES or path.is_symlink():
                    continue
                try:
                    state = path.stat()
                except OSError:
                    continue
                if state.st_size <= LARGEST:
                    yield path.relative_to(self.root).as_posix(), (state.st_size, state.st_mtime_ns)

    def _forget(self, path: str) -> None:
        self._db.execute("DELETE FROM terms WHERE rowid IN (SELECT id FROM passages WHERE path = ?)", (path,))
        self._db.execute("DELETE FROM passages WHERE path = ?", (path,))
        self._db.execute("DELETE FROM files WHERE path = ?", (path,))

    def _read(self, path: str, size: int, changed: int) -> None:
        whole = self.root if self.root.is_file() else self.root / path
        try:
            text = decoded(whole.read_bytes())
        except OSError:
            return
        self._db.execute("INSERT INTO files VALUES (?, ?, ?)", (path, size, changed))
        for passage in passages(whole, text):
            numbers = ",".join(str(number) for number, _ in passage.lines)
            body = passage.text
            row = self._db.execute(
                "INSERT INTO passages (path, heading, numbers, text, goes_on) VALUES (?, ?, ?, ?, ?)",
                (path, passage.heading, numbers, body, passage.goes_on),
            )
            title = f"{passage.heading} {Path(path).with_suffix('')}"
            self._db.execute("INSERT INTO terms (rowid, words, pairs, title) VALUES (?, ?, ?, ?)", (
                row.lastrowid, " ".join(segment.words(body, self.cut)), " ".join(segment.pairs(body)),
                " ".join([*segment.words(title, self.cut), *segment.pairs(title)]),
            ))  # fmt: skip

    def find(self, question: str, most: int) -> list[Hit]:
        """The best passages for a question, best first.

        BM25 over all terms (any of them may match) chooses candidates; what counts then is also how much of the
        question a passage has, so that one rare word said often does not beat three that belong together. A term is as
        much of the question as it is rare (Spärck Jones 1972, in the form that BM25 uses). Pieces of one paragraph stand
        further apart than their scores say.
        """
        terms = segment.terms(question, self.cut)
        if not terms:
            return []
        exprs = [_expression(term) for term in terms]
        pairs = [f'"{pair}"' for pair in dict.fromkeys(segment.pairs(question)) if len(pair) == 2]
        anything = " OR ".join([*exprs, *(f"pairs: {pair}" for pair in pairs if self.cut)])
        with self._lock:
            rows = self._db.execute(
                f"SELECT rowid, bm25(terms, {', '.join(map(str, WEIGHTS))}) FROM terms WHERE terms MATCH ? ORDER BY 2 LIMIT {max(CANDIDATES, 4 * most)}",  # noqa: S608
                (anything,),
            ).fetchall()
            have: dict[int, list[float]] = {row: [] for row, _ in rows}
            listed = ",".join(map(str, have))
            (passages,) = self._db.execute("SELECT count(*) FROM passages").fetchone()
            whole = 0.0
            for expr in exprs if rows else ():
                (having,) = self._db.execute("SELECT count(*) FROM terms WHERE terms MATCH ?", (expr,)).fetchone()
                rarity = math.log(1 + (passages - having + 0.5) / (having + 0.5)) if having else 0.0
                whole += rarity
                for (row,) in self._db.execute(f"SELECT rowid FROM terms WHERE terms MATCH ? AND rowid IN ({listed})", (expr,)):  # noqa: S608
                    have[row].append(rarity)
            shares = {row: 1 - TOGETHER + TOGETHER * sum(found) / (whole or 1) for row, found in have.items()}
            scored = sorted(((-score * shares[row], row) for row, score in rows), reverse=True)
            joined = {row for (row,) in self._db.execute(f"SELECT id FROM passages WHERE goes_on AND id IN ({listed})")}  # noqa: S608
            return [self._hit(row, score, len(have[row]) / len(exprs)) for score, row in spread(scored, joined)[:most]]

    def knows(self, term: str) -> bool:
        """Whether any passage has this word."""
        exprs = [_expression(word) for word in segment.terms(term, self.cut)]
        with self._lock:
            return all(self._db.execute("SELECT 1 FROM terms WHERE terms MATCH ? LIMIT 1", (expr,)).fetchone() for expr in exprs)

    def _hit(self, row: int, score: float, covers: float) -> Hit:
        path, heading, numbers, text = self._db.execute("SELECT path, heading, numbers, text FROM passages WHERE id = ?", (row,)).fetchone()
        lines = tuple(zip(map(int, numbers.split(",")), text.split("\n"), strict=False))
        return Hit(path, Passage(lines, heading), score, covers)


def spread(scored: Sequence[tuple[float, int]], joined: Container[int]) -> list[tuple[float, int]]:
    """Scores and row numbers, best first, put in the order in which they are shown; `joined` rows go on with the row before them.

    A row beside one or two better ones of the same paragraph takes the place of a score that is so much lower; its own stays.
    """
    placed: dict[int, float] = {}
    for score, row in scored:
        beside = (row in joined and row - 1 in placed) + (row + 1 in joined and row + 1 in placed)
        placed[row] = score * BESIDE**beside
    return sorted(scored, key=lambda one: -placed[one[1]])


def _expression(term: str) -> str:
    """One term for FTS5: a Chinese word may stand as a word or as its pairs of characters, a single character in any pair."""
    if not segment.is_han(term):
        return f'"{term}"'
    if len(term) == 1:
        return f'("{term}" OR pairs: "{term}" *)'
    spelled = " + ".join(f'"{term[at : at + 2]}"' for at in range(len(term) - 1))
    return f'("{term}" OR pairs: {spelled} OR title: {spelled})'
