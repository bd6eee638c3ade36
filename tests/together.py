"""Several functions at the same moment, as two phones or two dispatchers call them."""

import threading
from collections.abc import Callable

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


def is_somebody_waiting_for_us() -> bool:
    """Whether another connection of this cluster waits for a lock that ours holds (PostgreSQL)."""
    with connection.cursor() as cursor:
        waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        return cursor.execute(waiting).fetchone() is not None
