"""`manage.py demo`: the whole system on this machine as child processes, until Ctrl-C."""

import shutil
from datetime import date, datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Any

import urllib3
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from demo.environment import (
    BASE_DIR,
    PORT_DESCRIPTIONS,
    PORT_NAMES,
    DemoEnvironment,
    Ports,
    describe,
    ports_from_environment,
)
from demo.management.commands.demo_people import ENGINEERS, OFFICE
from demo.process_manager import ProcessManager
from demo.startup import make_data, wait_until_serving

FIRST_BATCH = 24
NOON = 12


def first_batch_day(now: datetime) -> date:
    """Today until noon, else tomorrow: nothing can be assigned to a time that has passed."""
    return now.date() if now.hour < NOON else now.date() + timedelta(days=1)


class Command(BaseCommand):
    help = (
        "Start board, phone, the seller's door, the relay and a sandbox seller, and print where they are. "
        "Data is in var/demo and stays from start to start; --fresh starts over."
    )
    # the settings of this process are not those of the children
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--without-sandbox", action="store_true", help="our side only, for any seller")
        parser.add_argument("--fresh", action="store_true", help="delete the demo's data first")
        parser.add_argument("--folder", type=Path, default=BASE_DIR / "var" / "demo")
        ports = ports_from_environment().named()
        for name, port in ports.items():
            option = f"--{name.replace('_', '-')}-port"
            parser.add_argument(
                option, type=int, default=port, help=f"{PORT_DESCRIPTIONS[name]} (default {port})"
            )

    def handle(self, *_args: Any, **options: Any) -> None:
        demo = DemoEnvironment(
            folder=options["folder"].resolve(),
            ports=Ports(**{name: options[f"{name}_port"] for name in PORT_NAMES}),
            with_sandbox=not options["without_sandbox"],
        )
        self._refuse_production()
        self._refuse_taken_ports(demo)
        if options["fresh"]:
            shutil.rmtree(demo.folder, ignore_errors=True)
        demo.prepare()
        supervisor = ProcessManager(folder=BASE_DIR, logs=demo.folder / "logs", say=self._say)
        supervisor.stop_on_signals()
        try:
            make_data(demo)
            supervisor.start(demo.children())
            wait_until_serving(demo, supervisor)
            self._send_first_batch(demo, supervisor)
            self._print_table(demo, supervisor)
            supervisor.watch()
        finally:
            self._say("Ending all processes")
            supervisor.stop()

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()

    def _refuse_production(self) -> None:
        if settings.DEPLOYMENT == "production":
            raise CommandError(
                "The demo has known log-ins and plain HTTP; set DEPLOYMENT=demo (make demo does)."
            )

    def _refuse_taken_ports(self, demo: DemoEnvironment) -> None:
        taken = demo.taken_ports()
        if taken:
            option = f"--{taken[0].replace('_', '-')}-port"
            raise CommandError(
                f"Taken on 127.0.0.1: {describe(taken, demo.ports)}. Nothing was started. "
                f"Stop what uses it (another demo?), or choose another port, for example "
                f'make demo ARGS="{option} {demo.ports.named()[taken[0]] + 100}".'
            )

    def _send_first_batch(self, demo: DemoEnvironment, supervisor: ProcessManager) -> None:
        """A newcomer sees job packs arrive; only once in the life of the demo's data."""
        mark = demo.folder / "first_batch_sent"
        if supervisor.stopping or not demo.with_sandbox or mark.exists():
            return
        asked = {"count": FIRST_BATCH, "day": first_batch_day(timezone.localtime()).isoformat()}
        try:
            answer = urllib3.request(
                "POST",
                f"{demo.console_url}/api/jobs",
                json=asked,
                headers={"X-Sandbox-Control": "1"},
                retries=False,
                timeout=60,
            )
        except urllib3.exceptions.HTTPError as problem:
            self._say(
                f"The sandbox seller sent no first batch ({problem}); its console has a button for one."
            )
            return
        if answer.status >= HTTPStatus.BAD_REQUEST:
            self._say(f"The sandbox seller sent no first batch: {answer.data.decode(errors='replace')[:300]}")
            return
        mark.touch()
        self._say(f"Job packs for {asked['day']} were sent; the board opens on today.")

    def _print_table(self, demo: DemoEnvironment, supervisor: ProcessManager) -> None:
        if supervisor.stopping:
            return
        rows = [
            ("Board", f"{demo.board_url}/"),
            ("Phone", f"{demo.board_url}/phone/"),
            ("Seller's door", f"https://127.0.0.1:{demo.ports.seller_server}/ (mutual TLS)"),
        ]
        if demo.with_sandbox:
            ends = f"https://127.0.0.1:{demo.ports.sandbox_a}/ and {demo.ports.sandbox_b}/ (mutual TLS)"
            rows += [("Sandbox seller", ends), ("Seller's console", f"{demo.console_url}/")]
        office = [f"{username} ({role.label})" for username, _, role in OFFICE]
        engineers = ", ".join(engineer.username for engineer in ENGINEERS)
        rows += [
            ("Log in as", ", ".join(office)),
            ("Engineers", engineers),
            ("Password", f"{demo.password()} (the same for all)"),
            ("Certificates", str(demo.certs)),
            ("Logs", str(supervisor.logs)),
        ]
        self._say("")
        for name, value in rows:
            self._say(f"  {name:18}{value}")
        self._say("\nCtrl-C ends all.\n")
