"""What commands that serve until they are stopped have in common; `web`, which serves the pages, is not one of them."""

from typing import Any

from django.core.checks import Tags
from django.core.management.base import BaseCommand

from monitoring.uncaught_errors import log_uncaught_errors


class ServiceCommand(BaseCommand):
    """Its errors are logged. Its start checks settings, models and what it speaks to: checks of addresses, templates
    and the API framework load the views of all pages, 30 MB in each process and a third of its start."""

    requires_system_checks = [
        *(Tags.models, Tags.database, Tags.caches, Tags.files, Tags.security, Tags.translation),
        "settings",  # ours: config/apps.py, dispatch/checks.py
    ]

    def execute(self, *arguments: Any, **options: Any) -> str | None:
        log_uncaught_errors()
        return super().execute(*arguments, **options)
