"""Which transactions are under way: PostgreSQL hands out keys before the commit, so that a row may appear below one
that has long been read, as late as its transaction likes."""

from django.db import connection

# a statement takes its key a moment before PostgreSQL numbers its transaction
SETTLED_AFTER_SECONDS = 20.0


def transactions() -> tuple[int, int]:
    """The oldest that still writes, and the next to begin. SQLite's writers come one after the other."""
    if connection.vendor != "postgresql":
        return 0, 0
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_snapshot_xmin(now)::text::bigint, pg_snapshot_xmax(now)::text::bigint "
            "FROM pg_current_snapshot() AS now"
        )
        oldest, following = cursor.fetchone()
    return oldest, following
