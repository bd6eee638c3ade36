"""Prints the message log, one JSON object per line."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from seller_sandbox.messages import message_log


class Command(BaseCommand):
    help = "Print the messages in both directions, oldest first, as JSON lines."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--with", dest="speaking_with", choices=message_log.SPEAKING_WITH, default="partner"
        )
        parser.add_argument("--since", type=int, default=0, help="only lines after this id")

    def handle(self, *_: Any, **options: Any) -> None:
        for entry in message_log.list_entries(since=options["since"], speaking_with=options["speaking_with"]):
            self.stdout.write(json.dumps(entry, ensure_ascii=False))
