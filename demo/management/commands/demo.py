"""`manage.py demo`: the whole system on this machine as child processes, until Ctrl-C."""

import shutil
from dataclasses import dataclass, replace
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from demo.environment import BASE_DIR, DemoEnvironment, make_data, wait_until_serving
from demo.management.commands.demo_people import ENGINEERS, OFFICE
from demo.ports import PORT_DESCRIPTIONS, PORT_NAMES, Ports, describe, ports_from_environment
from demo.process_manager import ProcessManager
from demo.rehearsal.rehearsal_folders import refuse_foreign_folder


@dataclass(frozen=True)
class DaySize:
    """How much the demo's day holds."""

    engineers: int
    jobs: int


USUAL_DAY = DaySize(engineers=len(ENGINEERS), jobs=70)
FULL_DAY = DaySize(engineers=60, jobs=300)


class Command(BaseCommand):
    help = (
        "Start all processes of docs/operating.md and a sandbox seller, and print where they are. "
        "Data is in var/demo and stays from start to start; --fresh starts over."
    )
    # the settings of this process are not those of the children
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--without-sandbox", action="store_true", help="our side only, for any seller")
        parser.add_argument("--fresh", action="store_true", help="delete the demo's data first")
        parser.add_argument("--full", action="store_true", help="a day of 60 engineers and 300 jobs")
        parser.add_argument("--jobs", type=int, help="so many jobs instead; 0 leaves the day empty")
        parser.add_argument("--live", action="store_true", help="simulated engineers work on")
        parser.add_argument("--speed", type=float, default=1, help="how many times faster they work")
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
        day = _day_size(options)
        self._refuse_production()
        self._lock_folder(demo.folder)
        if options["fresh"]:
            refuse_foreign_folder(demo.folder, proof=demo.password_file, maker="demo")
        self._refuse_taken_ports(demo)
        if options["fresh"]:
            shutil.rmtree(demo.folder, ignore_errors=True)
        demo.prepare()
        supervisor = ProcessManager(folder=BASE_DIR, logs=demo.folder / "logs", say=self._say)
        supervisor.stop_on_signals()
        try:
            make_data(demo, people=["--engineers", str(day.engineers)])
            supervisor.start(demo.children())
            wait_until_serving(demo, supervisor)
            self._fill_day(demo, supervisor, options, day)
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

    def _lock_folder(self, folder: Path) -> None:
        """Until this process ends. Two demos that start together with one folder would both find the ports free."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        # next to the folder, which --fresh deletes
        self.lock = folder.with_name(f"{folder.name}.lock").open("w")
        try:
            flock(self.lock, LOCK_EX | LOCK_NB)
        except BlockingIOError as problem:
            raise CommandError(
                f"Another demo runs with {folder}. Nothing was started. Stop it, or choose another --folder and other "
                "ports (manage.py demo --help lists them)."
            ) from problem

    def _refuse_taken_ports(self, demo: DemoEnvironment) -> None:
        busy = demo.taken_ports()
        if busy:
            option = f"--{busy[0].replace('_', '-')}-port"
            raise CommandError(
                f"Taken on 127.0.0.1: {describe(busy, demo.ports)}. Nothing was started. "
                f"Stop what uses it (another demo?), or choose another port, for example "
                f'make demo ARGS="{option} {demo.ports.named()[busy[0]] + 100}".'
            )

    def _fill_day(
        self, demo: DemoEnvironment, supervisor: ProcessManager, options: dict[str, Any], day: DaySize
    ) -> None:
        """In the background: the board is open meanwhile."""
        if supervisor.stopping or not demo.with_sandbox or not day.jobs:
            return
        live = ["--live", "--speed", str(options["speed"])] if options["live"] else []
        supervisor.start([demo.day("--jobs", str(day.jobs), *live)])
        self._say(f"The day is being filled with {day.jobs} jobs; the board shows it as it comes.")

    def _print_table(self, demo: DemoEnvironment, supervisor: ProcessManager) -> None:
        if supervisor.stopping:
            return
        rows = [
            ("Board", f"{demo.board_url}/"),
            ("Phone", f"{demo.board_url}/phone/"),
            ("Seller server", f"https://127.0.0.1:{demo.ports.seller_server}/ (mutual TLS)"),
        ]
        if demo.with_sandbox:
            ends = f"https://127.0.0.1:{demo.ports.sandbox_a}/ and {demo.ports.sandbox_b}/ (mutual TLS)"
            received = f"http://127.0.0.1:{demo.ports.notifications}/notifications"
            rows += [("Sandbox seller", ends), ("Seller's console", f"{demo.console_url}/")]
            rows += [("Buyers received", received)]
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


def _day_size(options: dict[str, Any]) -> DaySize:
    size = FULL_DAY if options["full"] else USUAL_DAY
    return size if options["jobs"] is None else replace(size, jobs=options["jobs"])
