"""What commands that serve until they are stopped have in common; `web`, which serves the pages, is not one of them."""

from importlib import import_module
from typing import Any

from django.conf import settings
from django.core.checks import Tags
from django.core.management.base import BaseCommand

from monitoring.uncaught_errors import log_uncaught_errors


class ServiceCommand(BaseCommand):
    """Its errors are logged. Its start checks settings and models: the checks of addresses, templates and the API
    framework load the views of all pages, 30 MB and a third of the start of a process that shows none."""

    requires_system_checks = [
        *(Tags.models, Tags.caches, Tags.files, Tags.security, Tags.translation),
        "settings",  # ours: config/apps.py, operations/backup_location.py
    ]

    def execute(self, *arguments: Any, **options: Any) -> str | None:
        log_uncaught_errors()
        return super().execute(*arguments, **options)

    @staticmethod
    def load_addresses() -> None:
        """For a service whose texts name addresses: before it forks, and not first in a transaction of a task."""
        import_module(settings.ROOT_URLCONF)
