"""manage.py load_network: products, buyers, projects and the fixed test premises of README.md."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from seller_sandbox.network import buyers
from seller_sandbox.network.loading import load_network
from seller_sandbox.network.models import Buyer


class Command(BaseCommand):
    help = "Load products, buyers, projects and test premises; again, it adds only what is missing."

    def add_arguments(self, parser: CommandParser) -> None:
        where = "https://127.0.0.1:9601"
        parser.add_argument(
            "--buyers-at",
            metavar="URL",
            help=f"all buyers take notifications there, each on a path of its own, for example {where}",
        )

    def handle(self, **options: Any) -> None:
        loaded = load_network()
        if options["buyers_at"]:
            for buyer in Buyer.objects.all():
                buyers.set_callback_urls(buyer, [f"{options['buyers_at'].rstrip('/')}/{buyer.subject}"])
        self.stdout.write(
            f"{loaded.products} products, {loaded.buyers} buyers, {loaded.projects} projects; "
            f"{loaded.new_premises} new test premises"
        )
