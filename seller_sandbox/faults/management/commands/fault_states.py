from typing import Any

from django.core.management.base import BaseCommand

from seller_sandbox.faults.state_page import states_page


class Command(BaseCommand):
    help = "Print docs/fault-states.md"

    def handle(self, **_: Any) -> None:
        self.stdout.write(states_page(), ending="")
