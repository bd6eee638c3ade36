"""manage.py list_test_premises: the tables of README.md, "Test premises"; needs no database."""

from typing import Any

from django.core.management.base import BaseCommand

from seller_sandbox.network.reference_tables import as_markdown


class Command(BaseCommand):
    help = "Print the fixed test premises, products, buyers and projects as tables."

    def handle(self, **_options: Any) -> None:
        self.stdout.write(as_markdown())
