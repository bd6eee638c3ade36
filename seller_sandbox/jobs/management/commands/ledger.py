"""Prints the ledger, one JSON object per line."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from seller_sandbox.jobs import ledger


class Command(BaseCommand):
    help = "Print all messages in both directions, oldest first, as JSON lines."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--since", type=int, default=0, help="only lines after this id")

    def handle(self, *_: Any, **options: Any) -> None:
        for line in ledger.lines(since=options["since"]):
            self.stdout.write(json.dumps(line, ensure_ascii=False))
