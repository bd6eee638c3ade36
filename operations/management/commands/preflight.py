"""manage.py preflight: what would be a problem in an upgrade, with its remedy; exits with 1 when there is one."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from operations import preflight
from operations.command_arguments import backup_folder, parse_folder

BACKUP_HOURS = 24


class Command(BaseCommand):
    help = (
        "Say before an upgrade what would be a problem, one line each with its remedy. Run it in the folder of the new "
        "version, with the environment of the service and before migrate. Nothing is changed. The exit code is 1 when "
        "there is a problem."
    )
    # they are findings like the others
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--backups",
            type=parse_folder,
            help="the folder that manage.py backup writes to (default: BACKUP_FOLDER)",
        )
        parser.add_argument(
            "--backup-hours",
            type=int,
            default=BACKUP_HOURS,
            help="how old the newest backup may be",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        found = list(
            preflight.list_findings(backup_folder(options["backups"]), backup_hours=options["backup_hours"])
        )
        for finding in found:
            self.stdout.write(f"{'PROBLEM' if finding.remedy else 'note'}: {finding}")
        problems = sum(bool(finding.remedy) for finding in found)
        self.stdout.write(f"Problems: {problems}." if problems else "No problems found.")
        if problems:
            raise SystemExit(1)
