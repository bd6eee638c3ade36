"""One cursor for the compiled statements of a connection: to open one takes longer than to read a row."""

from threading import get_ident
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections

# where a connection keeps it
_NAME = "sandbox_shared_cursor"


def shared_cursor() -> Any:
    """A cursor for one statement, whose rows are fetched before anybody else runs one: never close it, never keep it.

    Another one for each thread and each real connection, and while queries are logged.
    """
    here = connections[DEFAULT_DB_ALIAS]
    # as cursor() does it: a connection that the server has closed is replaced once for each request
    here.close_if_health_check_failed()
    here.ensure_connection()
    owner = (here.connection, here.queries_logged, get_ident())
    made_for, cursor = here.__dict__.get(_NAME, (None, None))
    if made_for != owner:
        cursor = here.cursor()
        here.__dict__[_NAME] = (owner, cursor)
    return cursor
