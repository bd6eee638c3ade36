#!/usr/bin/env python
"""Django's command line for our side; the sandbox seller has its own."""

import gc
import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import connection
from django.db.utils import OperationalError

# PostgreSQL's lock_not_available
LOCKED = "55P03"


def remedy(problem: OperationalError) -> str:
    """Empty where a traceback says more: what goes wrong in a database that is there has another remedy."""
    if getattr(problem.__cause__, "sqlstate", "") == LOCKED:
        return (
            f"Not finished: {problem}\nAnother transaction holds a row or table, such as a backup's or an open psql's "
            "(pg_stat_activity lists them). Run the same command again when it is over."
        )
    if connection.connection is None:
        return f"The database cannot be used: {problem}\nCheck DATABASE_URL and its server, then run migrate."
    return ""


if __name__ == "__main__":
    # hardly anything that is imported becomes garbage; config/apps.py enables it again when Django is set up
    gc.disable()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if sys.argv[1:2] in (["demo"], ["rehearse"]):
        os.environ.setdefault("DEPLOYMENT", "demo")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as problem:
        # says what to set; a traceback would hide it
        sys.exit(f"Not started. {problem}")
    except OperationalError as problem:
        # services log their errors (monitoring/uncaught_errors.py)
        is_service = sys.excepthook is not sys.__excepthook__
        if "--traceback" in sys.argv or is_service or not remedy(problem):
            raise
        sys.exit(remedy(problem))
