"""A new key for VAPID_PRIVATE_KEY."""

from typing import Any

from django.core.management.base import BaseCommand

from config.environment import new_vapid_key


class Command(BaseCommand):
    help = "Print a new key for VAPID_PRIVATE_KEY. Phones subscribed with another key must subscribe again."

    def handle(self, *_args: Any, **_options: Any) -> None:
        self.stdout.write(new_vapid_key())
