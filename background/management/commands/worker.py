"""manage.py worker: background work under a watchdog, until it is told to stop."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from background import qcluster_watchdog
from closures import thumbnails


class Command(BaseCommand):
    help = "Do the background work (small pictures, clean-up); a cluster that gets stuck is started again"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--cluster", action="store_true", help="without the watchdog (it starts this itself)"
        )
        parser.add_argument(
            "--try-again", action="store_true", help="another three tries for what was set aside; ends"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["try_again"]:
            self.stdout.write(f"{thumbnails.retry_failed()} photos get another three tries within minutes.")
        elif options["cluster"]:
            qcluster_watchdog.run_cluster()
        else:
            qcluster_watchdog.watch()
