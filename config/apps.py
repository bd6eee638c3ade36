"""The project as an app, with what `manage.py check` and every command's start refuse beside Django's own checks."""

import gc
from datetime import tzinfo
from functools import cache
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db.backends.signals import connection_created

# psycopg.pq.Format.TEXT, without psycopg where the database is SQLite
TEXT = 0


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Fibre dispatch"

    def ready(self) -> None:
        """The last app: all is imported and stays as long as the process, so garbage is looked for in the rest only."""
        gc.freeze()
        gc.enable()
        connection_created.connect(read_times_quickly)


def read_times_quickly(connection: Any, **_kwargs: Any) -> None:
    """For `connection_created`. Django reads each `timestamptz` of PostgreSQL with Python code that then replaces the
    time zone (5 µs). psycopg's own compiled loader gives the session's zone (0.3 µs), and Django sets that to the same.
    """
    if connection.vendor == "postgresql":
        adapters = connection.connection.adapters
        adapters.register_loader(
            "timestamptz", _time_loader(connection.Database.adapters, connection.timezone)
        )


@cache
def _time_loader(adapters: Any, zone: tzinfo) -> type:
    """What psycopg registers and makes for each column: a compiled class takes no subclass and no attribute."""
    compiled: Any = adapters.get_loader(adapters.types["timestamptz"].oid, TEXT)

    class TimeLoader:
        # Django's cursors ask whose times it reads
        timezone = zone
        format = compiled.format

        def __new__(cls, oid: int, context: Any = None) -> Any:
            return compiled(oid, context)

    return TimeLoader


@register("settings")
def no_connection_pool(**_kwargs: Any) -> list[CheckMessage]:
    """psycopg's pool does not survive a fork: the worker's processes then read each other's answers (measured)."""
    options: dict[str, Any] = settings.DATABASES["default"].get("OPTIONS", {})
    if not options.get("pool"):
        return []
    return [
        Error(
            "DATABASE_URL asks for psycopg's connection pool, which the worker's processes cannot share.",
            hint="Take `pool` out of DATABASE_URL; DATABASE_CONNECTION_SECONDS keeps connections open.",
            id="config.E001",
        )
    ]


@register(Tags.security, deploy=True)
def second_factor_is_required(**_kwargs: Any) -> list[CheckMessage]:
    if settings.REQUIRE_SECOND_FACTOR:
        return []
    return [
        Warning(
            "The office signs in with a password alone.",
            hint="Set REQUIRE_SECOND_FACTOR=1: supervisors and dispatchers then set up an authenticator application.",
            id="config.W001",
        )
    ]
