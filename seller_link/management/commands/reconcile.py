"""`manage.py reconcile --from --to --record FILE|--url URL`: every difference to the seller's record, as text."""

from argparse import ArgumentParser
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from engineers.input_values import is_usual
from seller_link import reconciliation
from seller_link.client import RecordUnavailable, iter_record, split_record_lines
from seller_link.reconciliation import UnreadableRecord

SECONDS = 3600.0


class Command(BaseCommand):
    help = "Compare our messages with the seller's message log; the exit code is 1 when they differ."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--from", dest="from_at", required=True, help="for example 2026-11-23T08:00 (local time)"
        )
        parser.add_argument(
            "--to", dest="to_at", required=True, help="for example 2026-11-23T18:00 (local time)"
        )
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument(
            "--record", help="the seller's log as JSON Lines (docs/operating.md, Reconciliation)"
        )
        source.add_argument("--url", help="address of the seller's log; https uses our client certificate")

    def handle(self, *_args: Any, **options: Any) -> None:
        from_at, to_at = _moment(options["from_at"]), _moment(options["to_at"])
        if to_at <= from_at:
            raise CommandError("--to: the end must be after the start (--from). Change one of them.")
        url = options["url"]
        lines = iter_record(url, seconds=SECONDS) if url else _in_file(options["record"])
        try:
            noted = reconciliation.read_record(lines)
        except (UnreadableRecord, RecordUnavailable) as problem:
            raise CommandError(str(problem)) from problem
        books = reconciliation.messages_between(noted, from_at=from_at, to_at=to_at)
        found = reconciliation.list_differences(books)
        for sentence in found:
            self.stdout.write(sentence)
        self.stderr.write(f"{books.compared} of our messages compared, {len(found)} differences")
        if found:
            raise SystemExit(1)


def _moment(text: str) -> datetime:
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None or not is_usual(moment):
        raise CommandError(f"{text} is not a valid time; use the form 2026-11-23T08:00")
    return moment if timezone.is_aware(moment) else timezone.make_aware(moment)


def _in_file(name: str) -> list[str]:
    try:
        return split_record_lines(Path(name).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as problem:
        raise CommandError(f"The seller's log cannot be read: {problem}") from problem
