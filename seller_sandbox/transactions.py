"""Several pieces of work in one transaction, because a commit costs more than most of them.

The order in which rows are locked, the same for every process: an order before its linked ceases, or a ticket; then the
job, the message thread, premises and appointments. One piece of work keeps it; several in one transaction cannot, since
the second one's order is locked after the first one's appointment. So they never wait for a row: `give_way` lets them
fail instead, and they are done again one by one.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

import structlog
from django.db import connection, transaction

# well before PostgreSQL looks for deadlocks, which is after a second
LONGEST_WAIT = "100ms"

Item = TypeVar("Item")

log = structlog.get_logger("sandbox.transactions")


def give_way() -> None:
    """Until the transaction ends, fail rather than wait for a row that another process holds."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{LONGEST_WAIT}'")


def do_together(work: Callable[[list[Item]], object], items: Iterable[Item]) -> None:
    """Give all to `work` in one transaction; when one fails, each in a transaction of its own, where it fails alone.

    Raises what the first failing one raised, after all others are done.
    """
    listed = list(items)
    if len(listed) > 1:
        try:
            return _do_all(work, listed)
        except Exception as problem:
            log.info("done one by one", because=f"{type(problem).__name__}: {problem}")
    return _do_each(work, listed)


def _do_all(work: Callable[[list[Item]], object], items: list[Item]) -> None:
    with transaction.atomic():
        give_way()
        work(items)


def _do_each(work: Callable[[list[Item]], object], items: list[Item]) -> None:
    problems = []
    for item in items:
        try:
            with transaction.atomic():
                work([item])
        except Exception as problem:
            log.exception("not done")
            problems.append(problem)
    if problems:
        raise problems[0]
