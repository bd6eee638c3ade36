"""Several doings at the same moment, as two phones do them."""

import threading
from collections.abc import Callable

from django.db import connection


def at_once(*doings: Callable[[], object]) -> None:
    """Each in a thread with a connection of its own, let go together; an error fails the test."""
    gate, errors = threading.Barrier(len(doings)), []

    def run(doing: Callable[[], object]) -> None:
        try:
            gate.wait()
            doing()
        except Exception as problem:
            errors.append(problem)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(doing,)) for doing in doings]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in errors:
        raise error
