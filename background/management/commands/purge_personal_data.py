"""`manage.py purge_personal_data`: what the daily task does, now; `--dry-run` counts and changes nothing."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from background import personal_data


class Command(BaseCommand):
    help = "Delete or anonymise personal data older than the RETENTION_… settings (docs/operating.md)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--dry-run", action="store_true", help="count what would be purged; change nothing"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        now = timezone.now()
        counts = personal_data.count_expired(now) if options["dry_run"] else personal_data.purge(now)
        for name, number in counts.items():
            self.stdout.write(f"{number:8} {name}")
        held_back = personal_data.count_waiting_for_delivery(now)
        if held_back:
            self.stdout.write(
                "Kept because the seller has not received all messages: " + ", ".join(held_back)
            )
        self.stdout.write("Nothing was changed." if options["dry_run"] else "Done.")
