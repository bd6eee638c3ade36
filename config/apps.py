"""The project as an app, with what `manage.py check` and every command's start refuse beside Django's own checks."""

import gc
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Fibre dispatch"

    def ready(self) -> None:
        """The last app: all is imported and stays as long as the process, so garbage is looked for in the rest only."""
        gc.freeze()
        gc.enable()


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
