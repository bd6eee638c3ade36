"""manage.py support_bundle: one zip about this installation for whoever helps, without personal data and secrets."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from operations.support_bundle import write_bundle

LINES = 2000


class Command(BaseCommand):
    help = (
        "Write one zip for whoever helps: versions, settings, migrations, health, metrics, counts of rows and the last "
        "log lines. It holds no personal data and no secrets."
    )
    # it is made when something is broken
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", nargs="?", type=Path, help="the zip; by default named after the moment, here"
        )
        parser.add_argument(
            "--log",
            type=Path,
            action="append",
            default=[],
            help="a log file, instead of the journal; repeatable",
        )
        parser.add_argument("--lines", type=int, default=LINES, help="so many of the last lines of each log")

    def handle(self, *_args: Any, **options: Any) -> None:
        target = options["file"] or Path(f"support-{timezone.now():%Y-%m-%dT%H%M%SZ}.zip")
        if missing := [str(path) for path in options["log"] if not path.is_file()]:
            raise CommandError(f"No such log file: {', '.join(missing)}")
        try:
            names = write_bundle(target, logs=options["log"], lines=max(0, options["lines"]))
        except FileExistsError as problem:
            raise CommandError(f"{target} is there already. Choose another name.") from problem
        except OSError as problem:
            raise CommandError(f"{target} cannot be written: {problem.strerror}.") from problem
        self.stdout.write(f"{target}: {', '.join(names)}")
        self.stdout.write("Look into it before you pass it on.")
