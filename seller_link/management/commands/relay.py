"""manage.py relay: sends what the outbox holds until it receives a stop signal."""

from argparse import ArgumentParser
from typing import Any

from monitoring.service_command import ServiceCommand
from seller_link.relay_loop import run_relay


class Command(ServiceCommand):
    help = "Deliver messages to the seller, in order per job, until stopped"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--rounds", type=int, help="stop after this many rounds (for tests)")

    def handle(self, *_args: Any, **options: Any) -> None:
        run_relay(rounds=options["rounds"])
