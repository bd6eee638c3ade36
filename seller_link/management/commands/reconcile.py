"""`manage.py reconcile --from --to --record FILE|--url URL`: every difference to the seller's record, in words."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import urllib3
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from seller_link import reconciliation, trust
from seller_link.reconciliation import UnreadableRecord

SECONDS = 60


class Command(BaseCommand):
    help = "Compare what we sent and heard with the seller's record; ends with 1 when they differ."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--from", dest="from_at", required=True, help="like 2026-11-23T08:00 (local)")
        parser.add_argument("--to", dest="to_at", required=True, help="like 2026-11-23T18:00 (local)")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--record", help="a file of JSON lines (docs/operating.md, Reconciliation)")
        source.add_argument("--url", help="where the seller offers it; https is called with our certificate")

    def handle(self, *_args: Any, **options: Any) -> None:
        from_at, to_at = _moment(options["from_at"]), _moment(options["to_at"])
        lines = _fetched(options["url"]) if options["url"] else _in_file(options["record"])
        try:
            noted = reconciliation.read_record(lines)
        except UnreadableRecord as problem:
            raise CommandError(str(problem)) from problem
        books = reconciliation.books_between(noted, from_at=from_at, to_at=to_at)
        found = reconciliation.differences(books)
        for sentence in found:
            self.stdout.write(sentence)
        self.stderr.write(f"{books.compared} messages here compared, {len(found)} differences")
        if found:
            raise SystemExit(1)


def _moment(text: str) -> datetime:
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None:
        raise CommandError(f"{text} is no moment; write one like 2026-11-23T08:00")
    return moment if timezone.is_aware(moment) else timezone.make_aware(moment)


def _in_file(name: str) -> list[str]:
    try:
        return Path(name).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise CommandError(f"the record cannot be read: {problem}") from problem


def _fetched(url: str) -> Iterator[str]:
    """Page after page: `{"lines": […], "more": true}` goes on behind the last line's `id`."""
    pool = urllib3.PoolManager(
        retries=False, ssl_context=trust.tls_context() if url.startswith("https:") else None
    )
    since, more = 0, True
    while more:
        try:
            answer = pool.request("GET", url, fields={"since": str(since)}, timeout=SECONDS, redirect=False)
        except urllib3.exceptions.HTTPError as problem:
            raise CommandError(f"the seller gave no answer: {problem}") from problem
        if answer.status != 200:
            raise CommandError(f"the seller answered {answer.status}")
        lines, more, last = _page(answer.data)
        if more and last <= since:
            raise CommandError(f"the seller's record does not go on behind id {since}")
        yield from (json.dumps(line) for line in lines)
        since = last


def _page(raw: bytes) -> tuple[list[dict[str, Any]], bool, int]:
    """The lines, whether more follow, and the last one's id."""
    try:
        page = json.loads(raw)
        lines = page["lines"]
        more = bool(page.get("more") and lines)
        return lines, more, int(lines[-1]["id"]) if more else 0
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise CommandError("the seller's answer is not a page of its record (docs/operating.md)") from problem
