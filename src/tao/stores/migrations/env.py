"""Alembic's entry: it runs this file with `context` set up. The connection and its transaction are the caller's."""

from alembic import context

from tao.stores.migrations import VERSION
from tao.stores.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=VERSION.name,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
