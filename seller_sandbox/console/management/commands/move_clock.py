"""Moves the sandbox clock forward and does what falls due on the way."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from seller_sandbox import clock
from seller_sandbox.console import control_requests
from seller_sandbox.console.control_requests import InvalidControlRequest


class Command(BaseCommand):
    help = (
        "Move the sandbox clock forward; what falls due on the way is done in order before the command ends."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        step = parser.add_mutually_exclusive_group(required=True)
        step.add_argument("--seconds", type=int)
        step.add_argument("--days", type=int)
        step.add_argument("--to", help="an instant with an offset, like 2026-12-24T08:00:00+00:00")

    def handle(self, *_: Any, **options: Any) -> None:
        seconds = options["days"] * 86_400 if options["days"] is not None else options["seconds"]
        order = {"set_to": options["to"]} if options["to"] else {"advance_seconds": seconds}
        try:
            now = clock.move(seconds=control_requests.read_advance(order))
        except InvalidControlRequest as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(now.isoformat())
