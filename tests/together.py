"""Several functions at the same moment, as two phones or two dispatchers call them."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection


def at_once(*functions: Callable[[], object]) -> None:
    """Each in a thread with a connection of its own, released together; an error fails the test."""
    barrier, errors = threading.Barrier(len(functions)), []

    def run(function: Callable[[], object]) -> None:
        try:
            barrier.wait()
            function()
        except Exception as problem:
            errors.append(problem)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in errors:
        raise error


@contextmanager
def after_first_read(table: str, function: Callable[[], object]) -> Iterator[None]:
    """`function` runs once, at once after the first reading of this table outside a transaction, with a connection of
    its own: what somebody else commits between what was read and what is written after it."""
    is_done = False

    def execute_and_run(execute: Any, sql: str, params: Any, many: Any, context: Any) -> Any:
        nonlocal is_done
        result = execute(sql, params, many, context)
        is_read = sql.partition(" FROM ")[2].startswith(f'"{table}"') and sql.startswith("SELECT")
        if is_read and not is_done and not connection.in_atomic_block:
            is_done = True
            at_once(function)
        return result

    with connection.execute_wrapper(execute_and_run):
        yield
    assert is_done, f"{table} was not read outside a transaction"


def is_somebody_waiting_for_us() -> bool:
    """Whether another connection of this cluster waits for a lock that ours holds (PostgreSQL)."""
    with connection.cursor() as cursor:
        waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        return cursor.execute(waiting).fetchone() is not None


def is_somebody_waiting_behind_them() -> bool:
    """Whether a third connection waits for one that waits for us (PostgreSQL)."""
    with connection.cursor() as cursor:
        ours = "SELECT array_agg(pid) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        waiting = f"SELECT 1 FROM pg_locks WHERE NOT granted AND pg_blocking_pids(pid) && ({ours})"
        return cursor.execute(waiting).fetchone() is not None
