"""Writes the generated parts of docs/fault-messages.md anew."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from seller_sandbox.faults.wire import reference

PAGE = settings.BASE_DIR.parent / "docs" / "fault-messages.md"


class Command(BaseCommand):
    help = __doc__

    def handle(self, **_: Any) -> None:
        PAGE.write_text(reference.render(PAGE.read_text()))
        self.stdout.write(f"Written to {PAGE}")
