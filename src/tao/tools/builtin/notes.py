"""The tools `remember`, `recall` and `forget`: notes of one user, in one SQLite file, found by their words."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from tao.errors import BadArguments, ToolError
from tao.run import Run
from tao.tools.builtin import segment
from tao.tools.declare import Tool, declare
from tao.tools.words import say

NAMES = ("remember", "recall", "forget")
LONGEST, MOST, SHOWN = 1000, 2000, 5
_TABLES = """
CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, text TEXT NOT NULL, at REAL NOT NULL);
CREATE INDEX IF NOT EXISTS ix_notes_owner ON notes (owner);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (said, tokenize = "porter unicode61 remove_diacritics 2");
"""


def notes(path: Path | str, *, clock: Callable[[], float] = time.time) -> list[Tool]:
    """The three tools over the file `path`, which is made with the first note.

    Notes belong to the user and tenant of the run (`Agent.run(who=…)`); nobody finds those of others. `clock` gives Unix time.
    """
    opened = partial(_opened, Path(path).expanduser())

    def remember(text: str, run: Run) -> str:
        said, owner = text.strip(), _owner(run)
        if not said or len(said) > LONGEST:
            raise ToolError(say(f"a note has 1 to {LONGEST} characters, not {len(said)}", f"笔记应为 1 至 {LONGEST} 个字符，而不是 {len(said)}"))
        with opened() as connection:
            known = connection.execute("SELECT id FROM notes WHERE owner = ? AND text = ?", (owner, said)).fetchone()
            if known:
                return say(f"Note {known[0]} says so already.", f"笔记 {known[0]} 已有同样的内容。")
            if connection.execute("SELECT count(*) FROM notes WHERE owner = ?", (owner,)).fetchone()[0] >= MOST:
                raise ToolError(say(f"there are {MOST} notes already; forget some first", f"笔记已达 {MOST} 条；请先用 forget 删除一些"))
            number = connection.execute("INSERT INTO notes (owner, text, at) VALUES (?, ?, ?)", (owner, said, clock())).lastrowid
            connection.execute("INSERT INTO words (rowid, said) VALUES (?, ?)", (number, " ".join(_words(said))))
        return say(f"Noted as {number}.", f"已记为第 {number} 条。")

    def recall(query: str, run: Run) -> str:
        wanted = " OR ".join(f'"{word}"' for word in dict.fromkeys([*segment.terms(query, segment.cutter()), *segment.pairs(query)]))
        latest = "SELECT id, text, at FROM notes WHERE ? = '' AND owner = ? ORDER BY id DESC LIMIT ?"
        sql = "SELECT n.id, n.text, n.at FROM words w JOIN notes n ON n.id = w.rowid WHERE words MATCH ? AND n.owner = ? ORDER BY bm25(words) LIMIT ?"
        with opened() as connection:
            found = connection.execute(sql if wanted else latest, (wanted, _owner(run), SHOWN)).fetchall()
        lines = [f"[{number}, {time.strftime('%Y-%m-%d', time.gmtime(at))}] {text}" for number, text, at in found]
        return "\n".join(lines) or say("No note says anything about it.", "没有相关的笔记。")

    def forget(number: int, run: Run) -> str:
        with opened() as connection:
            gone = connection.execute("DELETE FROM notes WHERE id = ? AND owner = ?", (number, _owner(run))).rowcount
            if gone:
                connection.execute("DELETE FROM words WHERE rowid = ?", (number,))
                connection.execute("INSERT INTO words (words) VALUES ('optimize')")  # so that the index has nothing of it left either
        if not gone:
            raise BadArguments(say(f"there is no note {number}", f"没有第 {number} 条笔记"))
        return say(f"Forgotten: {number}.", f"已删除第 {number} 条。")

    return [
        declare(
            remember, name="remember", effects=("writes",), idempotent=True,
            description="Keep a note for later conversations.\n\nArgs:\n    text: one fact, in a whole sentence",
            descriptions={"zh": "记下一条笔记，供以后的对话使用。\n\n参数：\n    text: 一个事实，写成完整的句子"},
        ),
        declare(
            recall, name="recall", volatile=True,
            description="Look into the notes of earlier conversations.\n\nArgs:\n    query: a few keywords; empty for the latest",
            descriptions={"zh": "查找以前对话中记下的笔记。\n\n参数：\n    query: 几个关键词；留空则列出最近的"},
        ),
        declare(
            forget, name="forget", effects=("writes",), idempotent=True,
            description="Delete a note.\n\nArgs:\n    number: its number, as recall shows it",
            descriptions={"zh": "删除一条笔记。\n\n参数：\n    number: 笔记编号（见 recall 的结果）"},
        ),
    ]  # fmt: skip


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file, timeout=10)) as connection, connection:
        connection.execute("PRAGMA secure_delete = ON")
        connection.executescript(_TABLES)
        yield connection


def _words(text: str) -> list[str]:
    """What a note is found by; pairs of characters too, so that Chinese is found with and without a segmenter."""
    return [*segment.words(text, segment.cutter()), *segment.pairs(text)]


def _owner(run: Run) -> str:
    who = run.asked.settings.get("who") or {}
    return f"{who.get('tenant', '')}\n{who.get('user', '')}" if isinstance(who, dict) else "\n"
