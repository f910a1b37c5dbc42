"""The tables of a journal.

`events` is the truth; `runs` is what a list of runs shows, read off the same events. `claims` says which calls were about to be
carried out, `states` how tools are doing; both are for all processes that share the journal.
"""

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, MetaData, PrimaryKeyConstraint, String, Table, Text

METADATA = MetaData(naming_convention={"pk": "pk_%(table_name)s", "fk": "fk_%(table_name)s_%(column_0_name)s"})

RUNS = Table(
    "runs", METADATA,
    Column("id", String(64), nullable=False),
    Column("question", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("state", String(16), nullable=False),  # "running", "paused" or "ended"
    Column("started", Float, nullable=False),     # Unix time in seconds
    Column("ended", Float),
    Column("reason", Text),                       # why it ended or paused
    Column("answer", Text),
    Column("tokens", Integer),                    # prompt and completion together; null where no server counted
    Column("lang", String(8), nullable=False),
    PrimaryKeyConstraint("id"),
    Index("ix_runs_started", "started"),
)

EVENTS = Table(
    "events", METADATA,
    Column("run_id", String(64), ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("seq", Integer, nullable=False),       # place in the run, from 0
    Column("kind", String(16), nullable=False),
    Column("json", Text, nullable=False),         # what `tao.events.to_json` gives
    Column("at", Float, nullable=False),
    PrimaryKeyConstraint("run_id", "seq"),        # two writers can never both append
    sqlite_with_rowid=False,
)

CLAIMS = Table(
    "claims", METADATA,
    Column("run_id", String(64), nullable=False),
    Column("call_id", String(64), nullable=False),
    Column("number", Integer, nullable=False),    # how often a person ruled on its unknown outcome before
    Column("at", Float, nullable=False),
    PrimaryKeyConstraint("run_id", "call_id", "number"),  # two processes can never both carry it out
    sqlite_with_rowid=False,
)

STATES = Table(
    "states", METADATA,
    Column("key", String(200), nullable=False),
    Column("value", Text, nullable=False),
    Column("at", Float, nullable=False),
    PrimaryKeyConstraint("key"),
    sqlite_with_rowid=False,
)
