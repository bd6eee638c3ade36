"""manage.py export_data: a file of a period for other systems."""

import os
from argparse import ArgumentParser, ArgumentTypeError
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from engineers.audit import record_audit
from engineers.input_values import is_usual_day
from monitoring.whole_files import whole_file
from partner_api.export_rows import Period
from partner_api.exports import MOST_DAYS_OF_EXPORT, ExportFormat, ExportKind, stream

OWNER_ONLY = 0o600


def _day(text: str) -> date:
    day = date.fromisoformat(text)
    if not is_usual_day(day):
        raise ArgumentTypeError("choose a year from 2000 to 2199")
    return day


class Command(BaseCommand):
    help = "Write jobs, closures, evidence or working times of a period to a file"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("kind", choices=ExportKind.values)
        parser.add_argument("file", type=Path, help="is replaced when all rows are written, and not before")
        parser.add_argument("--first", type=_day, required=True, help="day, as 2026-11-01")
        parser.add_argument("--last", type=_day, required=True, help="day, included")
        parser.add_argument("--format", choices=ExportFormat.values, default=ExportFormat.CSV)

    def handle(self, *_args: Any, **options: Any) -> None:
        period = Period(options["first"], options["last"])
        if not 0 <= (period.last - period.first).days < MOST_DAYS_OF_EXPORT:
            raise CommandError(f"--last: not before --first, and at most {MOST_DAYS_OF_EXPORT} days in all")
        file: Path = options["file"]
        if not file.name:
            raise CommandError("file: name the file that shall be written")
        days = [period.first.isoformat(), period.last.isoformat()]
        record_audit(actor=None, action="exported", subject=options["kind"], after={"days": days})
        pieces = stream(ExportKind(options["kind"]), period, ExportFormat(options["format"]))
        # personal data of engineers: in a file it is nobody else's business
        try:
            if file.is_symlink() or (file.exists() and not file.is_file()):
                # a device, a pipe or a link like /dev/stdout: to be written to, not to be replaced
                with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, OWNER_ONLY), "wb") as out:
                    out.writelines(pieces)
            else:
                with whole_file(file, replaces=True) as out:
                    out.writelines(pieces)
        except OSError as problem:
            raise CommandError(f"{file}: {problem.strerror}") from problem
