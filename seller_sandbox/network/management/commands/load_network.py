"""manage.py load_network: products, buyers, projects and the fixed test premises of README.md."""

from typing import Any

from django.core.management.base import BaseCommand

from seller_sandbox.network.loading import load_network


class Command(BaseCommand):
    help = "Load products, buyers, projects and test premises; again, it adds only what is missing."

    def handle(self, **_options: Any) -> None:
        loaded = load_network()
        self.stdout.write(
            f"{loaded.products} products, {loaded.buyers} buyers, {loaded.projects} projects; "
            f"{loaded.new_premises} new test premises"
        )
