"""The processes of an installation without systemd: the ExecStart lines of its units, and the sandbox seller."""

import os
import shlex
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from demo.ports import is_listening
from tests.installation.names import HOST, PARTNER, SELLER, SELLER_PORTS

UNITS = Path("/etc/systemd/system")
INSTANCES = {"fibre-dispatch-web@.service": ("8000", "8001")}
LOGS = Path("/root/logs")
CONSOLE_PORT = 9000
START_SECONDS = 600


def units(*, oneshot: bool = False) -> list[tuple[str, dict[str, str]]]:
    """Name and settings of each service that runs all the time, two of the web server; or of those of timers."""
    found = []
    for path in sorted(UNITS.glob("fibre-dispatch-*.service")):
        for instance in INSTANCES.get(path.name, ("",)):
            text = path.read_text().replace("%i", instance)
            lines = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
            settings = {name: value for name, _is, value in lines}
            if (settings["Type"] == "oneshot") is oneshot:
                found.append((path.stem + instance, settings))
    return found


def environment_of(path: str) -> dict[str, str]:
    """As systemd reads EnvironmentFile."""
    lines = shlex.split(Path(path).read_text(), comments=True)
    return dict(line.split("=", 1) for line in lines)


@dataclass
class Processes:
    """They end with the test, whose process namespace they live in."""

    started: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def start(
        self, name: str, command: list[str], *, user: str, folder: str, variables: dict[str, str]
    ) -> None:
        LOGS.mkdir(exist_ok=True)
        with (LOGS / f"{name}.log").open("wb") as log:
            self.started[name] = subprocess.Popen(
                command,
                user=user,
                group=user,
                extra_groups=[],
                umask=0o077,
                cwd=folder,
                env={"PATH": os.environ["PATH"], **variables},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def start_units(self) -> list[str]:
        """The names of those that were started, as their units say."""
        for name, unit in units():
            self.start(
                name,
                shlex.split(unit["ExecStart"]),
                user=unit["User"],
                folder=unit["WorkingDirectory"],
                variables=environment_of(unit["EnvironmentFile"]),
            )
        return list(self.started)

    def run_oneshot_units(self) -> list[str]:
        """What timers start, once and to its end: the names. Raises with the log of one that fails."""
        names = []
        for name, unit in units(oneshot=True):
            # systemd: what stands in the file wins
            usual = dict([unit["Environment"].split("=", 1)]) if "Environment" in unit else {}
            self.start(
                name,
                shlex.split(unit["ExecStart"]),
                user=unit["User"],
                folder=unit["WorkingDirectory"],
                variables=usual | environment_of(unit["EnvironmentFile"]),
            )
            code = self.started.pop(name).wait()
            assert code == 0, f"{name} ended with {code}:\n{(LOGS / f'{name}.log').read_text()[-3000:]}"
            names.append(name)
        return names

    def start_seller(self, python: str, folder: str) -> None:
        """On another machine in reality; here on ports that nobody of ours uses."""
        variables = {
            "DJANGO_SETTINGS_MODULE": "seller_sandbox.settings",
            "SANDBOX_DATABASE_PATH": f"{SELLER}/sandbox.sqlite3",
            "SANDBOX_PARTNER_URLS": f"https://{HOST}:8443/seller",
            "SANDBOX_EVIDENCE_PREFIX": f"https://{HOST}/evidence/",
            "SANDBOX_EVIDENCE_FOLDER": "/var/lib/fibre-dispatch/evidence",
            "SANDBOX_CERT": f"{SELLER}/seller.pem",
            "SANDBOX_KEY": f"{SELLER}/seller.key",
            "SANDBOX_CA": f"{SELLER}/ca.pem",
            "SANDBOX_NEXT_CERT": f"{SELLER}/seller-next.pem",
            "SANDBOX_NEXT_KEY": f"{SELLER}/seller-next.key",
            "SANDBOX_ALLOWED_SUBJECTS": PARTNER,
            # fetches photos from our public address, whose certificate this authority has signed
            "SSL_CERT_FILE": f"{SELLER}/ca.pem",
        }
        manage = [python, "-m", "seller_sandbox.manage"]
        subprocess.run([*manage, "migrate", "--verbosity", "0"], cwd=folder, env=variables, check=True)
        ends = {
            f"endpoint-{name}": ["serve_endpoint", "--name", name, "--port", str(port)]
            for name, port in SELLER_PORTS.items()
        }
        commands = {**ends, "console": ["serve_console", "--port", str(CONSOLE_PORT)], "work": ["work"]}
        for name, command in commands.items():
            self.start(f"seller-{name}", [*manage, *command], user="root", folder=folder, variables=variables)

    def wait_for_ports(self, *ports: int) -> None:
        self.wait(lambda: all(map(is_listening, ports)), what=f"somebody listens on each of {ports}")

    def wait(self, condition: Callable[[], object], *, what: str) -> None:
        """Raises with the log of a process that ended meanwhile, or with what never came."""
        deadline = time.monotonic() + START_SECONDS
        while not condition():
            for name, process in self.started.items():
                if process.poll() is not None:
                    raise AssertionError(f"{name} ended:\n{(LOGS / f'{name}.log').read_text()[-3000:]}")
            if time.monotonic() > deadline:
                raise AssertionError(f"in {START_SECONDS} s it did not come to this: {what}; logs in {LOGS}")
            time.sleep(0.3)
