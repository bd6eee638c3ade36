"""`manage.py scenario`: named scenarios of orders, from the buyer's first message to the closed job, over the wire."""

import signal
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from demo.environment import BASE_DIR
from demo.order_scenarios import playing
from demo.order_scenarios.scenarios import Scenario, load_scenarios
from demo.order_scenarios.stage import open_stage
from demo.rehearsal.app_client import SessionError
from demo.rehearsal.rehearsal_folders import empty_folder, refuse_production
from demo.text_table import table


class Command(BaseCommand):
    help = (
        "Play scenarios of orders: a buyer orders from the sandbox seller by SOAP over mutual TLS, the seller sends "
        "job packs to this application, simulated engineers do them. Prints the messages and fails when they are not "
        "the expected ones. Both sides run as processes of their own, in a folder of their own; the clock moves for "
        "both (needs libfaketime)."
    )
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("names", nargs="*", metavar="NAME", help="scenarios to play, in this order")
        parser.add_argument("--list", action="store_true", help="print the names and titles")
        parser.add_argument("--all", action="store_true", help="play every scenario")
        parser.add_argument("--folder", type=Path, default=BASE_DIR / "var" / "scenario")

    def handle(self, *_args: Any, **options: Any) -> None:
        known = load_scenarios()
        if options["list"]:
            self.stdout.write(
                table(("name", "scenario"), [(scenario.name, scenario.title) for scenario in known.values()])
            )
            return
        self._play(_chosen(known, options), options["folder"].resolve())

    def _play(self, scenarios: list[Scenario], folder: Path) -> None:
        # Ctrl-C ends the scenario at once; SIGTERM shall do the same
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        refuse_production()
        empty_folder(folder)
        notes: list[str] = []
        try:
            stage = open_stage(folder, notes=notes)
        except SessionError as problem:
            raise CommandError(str(problem)) from problem
        try:
            results = playing.play(stage, scenarios, say=self._say)
            stage.supervisor.restart_ended()
        finally:
            stage.stop()
        failed = [result.scenario.name for result in results if result.trouble]
        if failed or notes:
            raise CommandError(
                "\n".join([*notes, f"Not as expected: {', '.join(failed) or 'the processes'}"])
            )
        self.stdout.write(f"{len(results)} scenarios, each as expected.")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _chosen(known: dict[str, Scenario], options: dict[str, Any]) -> list[Scenario]:
    """Raises CommandError for a name that there is not, or none at all."""
    if options["all"]:
        return list(known.values())
    if unknown := [name for name in options["names"] if name not in known]:
        raise CommandError(f"There is no scenario {', '.join(unknown)}; --list prints the names.")
    if not options["names"]:
        raise CommandError("Name a scenario, or give --all; --list prints the names.")
    return [known[name] for name in options["names"]]
