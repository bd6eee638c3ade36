"""What `manage.py check` and the start of every command refuse, beside Django's own checks."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register


@register()
def no_connection_pool(**_given: Any) -> list[CheckMessage]:
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
