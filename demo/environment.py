"""The whole system on one machine: folders, ports, environments, processes and the start of a demo or a rehearsal.

Whoever rehearses on the machine of an installation would write to its database, its seller or its customers if the
processes took its settings over.
"""

import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from django.core.management.base import CommandError

from config.environment import variables_set
from config.storage import make_folder
from demo.development_ca import ensure_demo_certificates
from demo.ports import BUYER_PORTS, HERE, SANDBOX_PORTS, Ports, describe, is_listening, is_taken
from demo.process_manager import ProcessManager, ProcessSpec

# as without the variable
SETTINGS = {
    "RATE_LIMIT_SCALE": "100",  # a rehearsal plays a day in minutes
    "SECRET_KEY": "",
    "BACKUP_FOLDER": "",
    "BACKUP_PASSPHRASE": "",
    "Q_BROKER": "database",
    "REDIS_URL": "redis://127.0.0.1:6379/0",
    "SELLER_INBOUND_PATH": "/seller",
    "SELLER_SERVER_CERT": "",
    "SELLER_SERVER_KEY": "",
    "SELLER_CRL": "",
    "PUBLIC_CERT": "",
    "SELLER_ALLOWED_SUBJECTS": "seller",
    "SELLER_ALLOWED_ADDRESSES": "127.0.0.1,::1",
    "CUSTOMER_MESSAGES": "",
    "MAIL_SERVER_URL": "",
    "SMS_GATEWAY_URL": "",
    "ALARM_WEBHOOK_HOSTS": "",
    "ALARM_WEBHOOK_SECRET": "",
    "VAPID_PRIVATE_KEY": "",
    "OIDC_ISSUER": "",
    "QUESTION_MATRIX": "",
    "REQUIRE_SECOND_FACTOR": "0",
    "GEOCODER": "",
}


def apart_settings() -> dict[str, str]:
    """Variable to value, with every NAME_FILE that is set emptied: it would be another value of NAME."""
    files = {name: "" for name in variables_set() if name.endswith("_FILE")}
    return {**SETTINGS, **files}


BASE_DIR = Path(__file__).resolve().parent.parent
# where the sandbox takes fault reports and line checks
LINE_CHECK_PATH = "sandbox/api2"
# nobody has to spell these over a telephone
PASSWORD_WORDS = [
    "amber",
    "birch",
    "cedar",
    "coral",
    "delta",
    "ember",
    "fable",
    "grove",
    "hazel",
    "ivory",
    "kite",
    "maple",
]


def wait_until(condition: Callable[[], bool], *, seconds: float) -> bool:
    """Whether the condition came true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.1)
    return condition()


@dataclass(frozen=True)
class DemoEnvironment:
    """One folder and one set of ports; what the environment says goes before our defaults unless `apart`."""

    folder: Path
    ports: Ports
    with_sandbox: bool = True
    apart: bool = False
    # instead of a SQLite file in the folder
    database_url: str = ""

    @property
    def certs(self) -> Path:
        return self.folder / "certs"

    @property
    def password_file(self) -> Path:
        return self.folder / "password"

    @property
    def board_url(self) -> str:
        return f"http://{HERE}:{self.ports.people}"

    @property
    def console_url(self) -> str:
        return f"http://{HERE}:{self.ports.console}"

    @property
    def with_buyers(self) -> bool:
        """A rehearsal of jobs has none."""
        return self.with_sandbox and not self.apart

    def used_ports(self) -> dict[str, int]:
        unused = set() if self.with_sandbox else SANDBOX_PORTS
        unused = unused if self.with_buyers else unused | BUYER_PORTS
        return {name: port for name, port in self.ports.named().items() if name not in unused}

    def taken_ports(self) -> list[str]:
        """The names of the ports that somebody else holds."""
        return [name for name, port in self.used_ports().items() if is_taken(port)]

    def prepare(self) -> None:
        """Folders, certificates, and two secrets that stay the same from start to start."""
        make_folder(self.folder / "evidence")
        (BASE_DIR / "var" / "static").mkdir(parents=True, exist_ok=True)
        ensure_demo_certificates(self.certs)
        _keep_secret(self.folder / "secret_key", secrets.token_urlsafe(50))
        chosen = secrets.SystemRandom().sample(PASSWORD_WORDS, 2)
        _keep_secret(self.password_file, "-".join([*chosen, str(secrets.randbelow(9000) + 1000)]))

    def password(self) -> str:
        return self.password_file.read_text().strip()

    def our_environment(self) -> dict[str, str]:
        ends = (self.ports.sandbox_a, self.ports.sandbox_b)
        defaults = {
            "DEPLOYMENT": "demo",
            "DATABASE_URL": self.database_url or f"sqlite:///{self.folder / 'dispatch.sqlite3'}",
            "EVIDENCE_STORAGE_URL": f"file://{self.folder / 'evidence'}",
            "PUBLIC_URL": self.board_url,
            "BOARD_STREAM_URL": f"http://{HERE}:{self.ports.board_stream}/board/stream",
            "SELLER_ENDPOINTS": ",".join(f"https://{HERE}:{port}" for port in ends),
            "SELLER_CLIENT_CERT": str(self.certs / "partner.pem"),
            "SELLER_CLIENT_KEY": str(self.certs / "partner.key"),
            "SELLER_CA": str(self.certs / "ca.pem"),
            "SELLER_RECORD_URL": f"{self.console_url}/api/message-log" if self.with_sandbox else "",
            "LINE_CHECK": "1" if self.with_sandbox else "0",
            "LINE_CHECK_PATH": f"/{LINE_CHECK_PATH}",
        }
        if self.apart or not {"SECRET_KEY", "SECRET_KEY_FILE"} & set(os.environ):
            defaults["SECRET_KEY_FILE"] = str(self.folder / "secret_key")
        apart = apart_settings() if self.apart else {}
        return {**apart, **self._settled(defaults), "DJANGO_SETTINGS_MODULE": "config.settings"}

    def sandbox_environment(self) -> dict[str, str]:
        defaults = {
            "SANDBOX_DATABASE_PATH": str(self.folder / "sandbox.sqlite3"),
            "SANDBOX_PARTNER_URLS": ",".join(self._server_addresses()),
            "SANDBOX_EVIDENCE_PREFIX": f"{self.board_url}/evidence/",
            "SANDBOX_EVIDENCE_FOLDER": str(self.folder / "evidence"),
            "SANDBOX_NEXT_CERT": str(self.certs / "seller-next.pem"),
            "SANDBOX_NEXT_KEY": str(self.certs / "seller-next.key"),
            "SANDBOX_CERT": str(self.certs / "seller.pem"),
            "SANDBOX_KEY": str(self.certs / "seller.key"),
            "SANDBOX_CA": str(self.certs / "ca.pem"),
            "SANDBOX_FAULT_BASE_PATHS": LINE_CHECK_PATH,
        }
        # its own settings: it must never start with ours
        return {**self._settled(defaults), "DJANGO_SETTINGS_MODULE": "seller_sandbox.settings"}

    def _server_addresses(self) -> list[str]:
        """One server under two names: a seller takes a partner's addresses in turn."""
        return [f"https://{host}:{self.ports.seller_server}/seller" for host in (HERE, "localhost")]

    def manage(self, *arguments: str) -> ProcessSpec:
        """A command of our side, to be run once before the processes start."""
        return ProcessSpec(arguments[0], [sys.executable, "manage.py", *arguments], self.our_environment())

    def day(self, *arguments: str) -> ProcessSpec:
        """The process that fills the day of a demo, and is done then."""
        where = ["--board", self.board_url, "--console", self.console_url, "--folder", str(self.folder)]
        return replace(self.manage("demo_day", *where, *arguments), has_end=True)

    def manage_sandbox(self, *arguments: str) -> ProcessSpec:
        command = [sys.executable, "-m", "seller_sandbox.manage", *arguments]
        return ProcessSpec(f"sandbox_{arguments[0]}", command, self.sandbox_environment())

    def children(self) -> list[ProcessSpec]:
        return [*self.our_children(), *(self.sandbox_children() if self.with_sandbox else [])]

    def our_children(self) -> list[ProcessSpec]:
        web = self.manage("web", "--port", str(self.ports.people))
        return [
            replace(web, name="people"),
            self.manage("board_stream", "--port", str(self.ports.board_stream)),
            self.manage("seller_server", "--port", str(self.ports.seller_server)),
            self.manage("relay"),
            self.manage("worker"),
            self.manage("webhooks"),
        ]

    def sandbox_children(self) -> list[ProcessSpec]:
        ends = {"A": self.ports.sandbox_a, "B": self.ports.sandbox_b}
        serve = [self._endpoint(name, port) for name, port in ends.items()]
        console = self.manage_sandbox("serve_console", "--port", str(self.ports.console))
        return [*serve, console, self.manage_sandbox("work"), *self._buyer_children()]

    def _buyer_children(self) -> list[ProcessSpec]:
        ports = ("--port", str(self.ports.buyers), "--reading-port", str(self.ports.notifications))
        return [self.manage_sandbox("serve_buyer", *ports)] if self.with_buyers else []

    def _endpoint(self, name: str, port: int) -> ProcessSpec:
        child = self.manage_sandbox("serve_endpoint", "--name", name, "--port", str(port))
        return ProcessSpec(f"sandbox_endpoint_{name.lower()}", child.command, child.environment)

    def _settled(self, defaults: dict[str, str]) -> dict[str, str]:
        if self.apart:
            return defaults
        return {
            name: os.environ.get(name) or value
            for name, value in defaults.items()
            if not os.environ.get(f"{name}_FILE")
        }

    def not_listening(self) -> list[str]:
        return [name for name, port in self.used_ports().items() if not is_listening(port)]


def _keep_secret(path: Path, value: str) -> None:
    if path.exists():
        return
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(value)


SERVING_WITHIN_SECONDS = 180


def make_data(demo: DemoEnvironment, *, people: Sequence[str] = ()) -> None:
    """Both databases at their newest, the demo's people in ours. Raises CommandError with what went wrong.

    `people`: options of demo_people.
    """
    run_command(demo.manage("migrate", "--verbosity", "0"))
    run_command(demo.manage("demo_people", "--password-file", str(demo.password_file), *people))
    if demo.with_sandbox:
        run_command(demo.manage_sandbox("migrate", "--verbosity", "0"))
    if demo.with_buyers:
        where = f"https://{HERE}:{demo.ports.buyers}"
        run_command(demo.manage_sandbox("load_network", "--buyers-at", where))


def wait_until_serving(demo: DemoEnvironment, supervisor: ProcessManager) -> None:
    """Raises CommandError with the ports that stay silent."""

    def is_serving() -> bool:
        supervisor.restart_ended()
        return supervisor.stopping or not demo.not_listening()

    if not wait_until(is_serving, seconds=SERVING_WITHIN_SECONDS):
        silent = describe(demo.not_listening(), demo.ports)
        raise CommandError(f"Not answering: port {silent}. The logs are in {supervisor.logs}")


def run_command(child: ProcessSpec, *, environment: Mapping[str, str] = os.environ) -> str:
    """What it prints. Raises CommandError with its error output."""
    done = subprocess.run(  # noqa: S603  # our own commands
        child.command,
        cwd=BASE_DIR,
        env={**environment, **child.environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CommandError(f"{child.name} failed:\n{done.stderr.strip() or done.stdout.strip()}")
    return done.stdout
