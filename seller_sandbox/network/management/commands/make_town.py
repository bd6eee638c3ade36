"""manage.py make_town: premises of every RFS status, with ONTs and live services."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from seller_sandbox.network.loading import load_network
from seller_sandbox.network.town import HIGHEST_SEED, MOST_PREMISES, make_town


class Command(BaseCommand):
    help = "Make a town; again with the same seed, only what is missing. Loads the network's data first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--premises", type=int, default=5000)
        parser.add_argument("--seed", type=int, default=7)
        parser.add_argument("--visits", type=int, default=20, help="engineers' visits of an area's half day")

    def handle(self, **options: Any) -> None:
        _check("premises", options["premises"], 1, MOST_PREMISES)
        _check("seed", options["seed"], 0, HIGHEST_SEED)
        _check("visits", options["visits"], 0, 10_000)
        load_network()
        new = make_town(premises=options["premises"], seed=options["seed"], visits=options["visits"])
        self.stdout.write(f"{new} new premises in the town of seed {options['seed']}")


def _check(name: str, number: int, lowest: int, highest: int) -> None:
    if not lowest <= number <= highest:
        raise CommandError(f"--{name} {number} is not from {lowest} to {highest}")
