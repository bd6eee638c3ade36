"""Two versions on one PostgreSQL database behind the nginx of deploy/nginx, and the steps of an upgrade and a roll-back
as docs/operating.md has them (Upgrade and roll back; test_handbook.py keeps both in step).

Not played here: the folders, units and the link, which are systemd's (`make install-test` builds and links).
"""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import urllib3

from demo.environment import BASE_DIR, DemoEnvironment, run_command, wait_until
from demo.ports import free_ports, is_listening
from demo.process_manager import ProcessManager, ProcessSpec
from tests.servers import nginx
from tests.servers.ports import free_port
from tests.upgrade.load import Load
from tests.upgrade.releases import Release

# step 5, in this order; between the last two the first web server must be ready
RESTARTS = ("worker", "relay", "webhooks", "seller_server", "board_stream", "web@8001", "web@8000")
PROCESSES = tuple(dict.fromkeys(name.partition("@")[0] for name in RESTARTS))
# what preflight says of any demo is left out
OF_AN_UPGRADE = ("migration", "backup")
START_SECONDS = 120
# nginx asks a web server that did not answer again after three (fail_timeout)
NGINX_SECONDS = 5
# what a migration that expands does while the old version is running, where the releases bring none of their own
EXPANSION = (
    "ALTER TABLE dispatch_job ADD COLUMN added_by_upgrade_test text",
    "ALTER TABLE seller_link_outboundmessage ADD COLUMN added_by_upgrade_test integer DEFAULT 0 NOT NULL",
    "CREATE TABLE added_by_upgrade_test (id bigserial PRIMARY KEY, job_id bigint REFERENCES dispatch_job)",
)


@dataclass(frozen=True)
class ProxiedDemo(DemoEnvironment):
    """A demo whose public address is that of nginx: the seller fetches photos there, whichever version answers."""

    front: str = ""

    @property
    def board_url(self) -> str:
        return self.front

    def sandbox_environment(self) -> dict[str, str]:
        return {**super().sandbox_environment(), "SSL_CERT_FILE": str(self.certs / "ca.pem")}


@dataclass
class SideBySide:
    """`old` and `new` share database, evidence, settings and ports. A process is of one version at a time, as a unit of
    systemd is; the two web servers change one after the other."""

    demo: DemoEnvironment
    old: Release
    new: Release
    say: Callable[[str], None]
    web_ports: dict[str, int] = field(default_factory=dict)
    running: dict[str, ProcessManager] = field(default_factory=dict)
    seller: ProcessManager | None = None

    def run(self, release: Release, *arguments: str, **variables: str) -> str:
        """A command of one version to its end; what it prints."""
        done = self._run(release, *arguments, **variables)
        if done.returncode:
            raise RuntimeError(f"{release.name}: {arguments[0]} failed:\n{done.stdout}{done.stderr[-2000:]}")
        return done.stdout

    def _run(self, release: Release, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            release.manage(*arguments),
            cwd=release.folder,
            env={**os.environ, **self.demo.our_environment(), **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    def start(self, release: Release, process: str) -> None:
        ports = {
            **self.web_ports,
            "seller_server": self.demo.ports.seller_server,
            "board_stream": self.demo.ports.board_stream,
        }
        options = ("--port", str(ports[process])) if process in ports else ()
        name = f"{release.name.replace('/', '_')}-{process}"
        command = release.manage(process.partition("@")[0], *options)
        manager = ProcessManager(release.folder, self.demo.folder / "logs", self.say)
        manager.start([ProcessSpec(name, command, self.demo.our_environment())])
        self.running[process] = manager
        if options and not wait_until(lambda: is_listening(ports[process]), seconds=START_SECONDS):
            raise RuntimeError(f"{name} does not listen; read {manager.log_of(name)}")

    def restart(self, process: str, after: Release) -> None:
        """As `systemctl restart` does it, when the link names another version."""
        self.running.pop(process).stop()
        self.start(after, process)

    def back_up(self) -> None:
        """Step 1, while everything is running."""
        self.run(self.old, "backup", str(self.backups))

    def check(self) -> list[str]:
        """Step 2: what preflight of the new version says besides what is true of any demo."""
        output = self._run(self.new, "preflight", "--backups", str(self.backups)).stdout
        return [line for line in output.splitlines() if any(text in line.lower() for text in OF_AN_UPGRADE)]

    def migrate(self) -> None:
        """Step 3: the new version's tables while the old one works."""
        self.run(self.new, "migrate", "--verbosity", "0")
        with psycopg.connect(self.demo.database_url, autocommit=True) as database:
            for statement in EXPANSION:
                database.execute(statement)

    def begin_step_5(self, after: Release) -> None:
        """Up to the first web server; with a roll-back the worker is left out."""
        for process in RESTARTS[:-1]:
            if process != "worker" or after is self.new:
                self.restart(process, after)
        if not wait_until(self._is_ready, seconds=START_SECONDS):
            raise RuntimeError(f"the web server of {after.name} is not ready")
        time.sleep(NGINX_SECONDS)

    def end_step_5(self, after: Release) -> None:
        """The other web server; with a roll-back the worker then, since only the new one knows what new ones queue."""
        self.restart(RESTARTS[-1], after)
        if after is self.old:
            self.restart("worker", after)

    def _is_ready(self) -> bool:
        port = self.web_ports[RESTARTS[-2]]
        answer = urllib3.request("GET", f"http://127.0.0.1:{port}/readyz", retries=False, timeout=10)
        return answer.status == 200

    def check_link(self) -> list[str]:
        """Step 6."""
        done = self._run(self.new, "check_link")
        return [f"check_link: {line}" for line in done.stdout.splitlines()] if done.returncode else []

    def restore(self) -> None:
        """Where a migration was the mistake: the old version brings step 1's backup into an empty database."""
        folder = self.demo.folder / "restored"
        folder.mkdir()
        elsewhere = {
            "DATABASE_URL": f"sqlite:///{folder / 'database.sqlite3'}",
            "EVIDENCE_STORAGE_URL": f"file://{folder / 'evidence'}",
        }
        self.run(self.old, "migrate", "--verbosity", "0", **elsewhere)
        (backup,) = (path for path in self.backups.iterdir() if path.name.endswith("Z"))
        self.run(self.old, "restore", str(backup), **elsewhere)

    @property
    def backups(self) -> Path:
        return self.demo.folder / "backups"

    def start_seller(self) -> None:
        run_command(self.demo.manage_sandbox("migrate", "--verbosity", "0"))
        self.seller = ProcessManager(BASE_DIR, self.demo.folder / "logs", self.say)
        self.seller.start(self.demo.sandbox_children())
        if not wait_until(lambda: is_listening(self.demo.ports.console), seconds=START_SECONDS):
            raise RuntimeError("the sandbox seller did not start")

    def stop_all(self) -> None:
        for manager in [*self.running.values(), *([self.seller] if self.seller else [])]:
            manager.stop()


@contextmanager
def prepared(
    folder: Path, database_url: str, old: Release, new: Release, say: Callable[[str], None]
) -> Iterator[tuple[SideBySide, Load, Path]]:
    """The old version with its tables and people, the seller, and nginx in front of both web ports."""
    front = free_port()
    demo = ProxiedDemo(
        folder=folder,
        ports=free_ports(),
        apart=True,
        database_url=database_url,
        front=f"https://127.0.0.1:{front}",
    )
    demo.prepare()
    both = SideBySide(demo, old, new, say, {"web@8000": demo.ports.people, "web@8001": free_port()})
    here = {
        "/etc/fibre-dispatch/people.pem": str(demo.certs / "partner.pem"),
        "/etc/fibre-dispatch/people.key": str(demo.certs / "partner.key"),
        **nginx.listening(tls=front, plain=free_port()),
        "server_name dispatch.example.org": "server_name 127.0.0.1",
        **{f"127.0.0.1:{name[-4:]}": f"127.0.0.1:{port}" for name, port in both.web_ports.items()},
    }
    both.run(old, "migrate", "--verbosity", "0")
    both.run(old, "demo_people", "--password-file", str(demo.password_file))
    with (
        nginx.short_folder() as nginx_folder,
        _ended(both),
        nginx.running(
            "people.conf", nginx_folder, port=front, here={**here, "/var/log/nginx": str(nginx_folder)}
        ),
    ):
        yield both, Load(demo, demo.front), nginx_folder / "fibre-people.log"


@contextmanager
def _ended(both: SideBySide) -> Iterator[None]:
    try:
        yield
    finally:
        both.stop_all()
