"""Two pieces of work that meet at the same rows, each on a connection of its own (transactions.py)."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue

from django.db import connection, transaction


class Other:
    """Work in a thread with a connection of its own."""

    def __init__(self, pool: ThreadPoolExecutor, work: Callable[[], object]) -> None:
        self.numbers: SimpleQueue[int] = SimpleQueue()
        self.future: Future[None] = pool.submit(self._run, work)
        self.number = self.numbers.get()

    def _run(self, work: Callable[[], object]) -> None:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_backend_pid()" if connection.vendor == "postgresql" else "SELECT 0")
                self.numbers.put(cursor.fetchone()[0])
            work()
        finally:
            connection.close()

    def wait_until_it_waits(self) -> None:
        """For a row of ours; SQLite lets one transaction write at a time anyway."""
        while connection.vendor == "postgresql" and not self.future.done():
            with connection.cursor() as cursor:
                cursor.execute("SELECT cardinality(pg_blocking_pids(%s))", [self.number])
                if cursor.fetchone()[0]:
                    return
            time.sleep(0.005)


def meet(ours: Callable[[], object], theirs: Callable[[], object], *, hold: Callable[[], object]) -> None:
    """Both, when we hold what `hold` locks already and the other one waits for a row of ours."""
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            hold()
            other = Other(pool, theirs)
            other.wait_until_it_waits()
            ours()
        other.future.result()
