"""Two versions on one PostgreSQL database behind the nginx of deploy/nginx, and what an upgrade and a roll-back do."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from demo.environment import BASE_DIR, DemoEnvironment, run_command, wait_until
from demo.ports import free_ports, is_listening
from demo.process_manager import ProcessManager, ProcessSpec
from tests.servers import nginx
from tests.servers.ports import free_port
from tests.upgrade.load import Load
from tests.upgrade.releases import Release

PROCESSES = ("web", "seller_server", "board_stream", "relay", "webhooks", "worker")
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
    """`old` and `new` share database, evidence, settings and ports, except that each has a web port of its own."""

    demo: DemoEnvironment
    old: Release
    new: Release
    say: Callable[[str], None]
    web_ports: dict[str, int] = field(default_factory=dict)
    running: dict[tuple[str, str], ProcessManager] = field(default_factory=dict)
    seller: ProcessManager | None = None

    def run(self, release: Release, *arguments: str) -> str:
        """A command of one version to its end; what it prints."""
        done = subprocess.run(
            release.manage(*arguments),
            cwd=release.folder,
            env={**os.environ, **self.demo.our_environment()},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode and arguments[0] != "preflight":
            raise RuntimeError(f"{release.name}: {arguments[0]} failed:\n{done.stderr[-2000:]}")
        return done.stdout

    def start(self, release: Release, process: str) -> None:
        options = {
            "web": ("--port", str(self.web_ports[release.name])),
            "seller_server": ("--port", str(self.demo.ports.seller_server)),
            "board_stream": ("--port", str(self.demo.ports.board_stream)),
        }.get(process, ())
        name = f"{release.name.replace('/', '_')}-{process}"
        child = ProcessSpec(name, release.manage(process, *options), self.demo.our_environment())
        manager = ProcessManager(release.folder, self.demo.folder / "logs", self.say)
        manager.start([child])
        self.running[release.name, process] = manager
        if options and not wait_until(lambda: is_listening(int(options[1])), seconds=START_SECONDS):
            raise RuntimeError(f"{name} does not listen; read {manager.log_of(name)}")

    def stop(self, release: Release, process: str) -> None:
        self.running.pop((release.name, process)).stop()

    def replace(self, before: Release, after: Release) -> None:
        """As docs/operating.md says: all others, then the web servers, that of pages before that of phones. The worker
        is the first of an upgrade and the last of a roll-back, since only the new one knows every task."""
        if after is self.new:
            self._replace_worker(before, after)
        for process in ("relay", "webhooks"):
            self.start(after, process)
            self.stop(before, process)
        for process in ("seller_server", "board_stream"):
            self.stop(before, process)
            self.start(after, process)
        self.start(after, "web")
        time.sleep(NGINX_SECONDS)

    def _replace_worker(self, before: Release, after: Release) -> None:
        self.stop(before, "worker")
        self.start(after, "worker")

    def end_roll_back(self) -> None:
        """The web servers of the new version first: they queue tasks that only its worker knows."""
        self.stop(self.new, "web")
        self._replace_worker(self.new, self.old)

    def start_seller(self) -> None:
        run_command(self.demo.manage_sandbox("migrate", "--verbosity", "0"))
        self.seller = ProcessManager(BASE_DIR, self.demo.folder / "logs", self.say)
        self.seller.start(self.demo.sandbox_children())
        if not wait_until(lambda: is_listening(self.demo.ports.console), seconds=START_SECONDS):
            raise RuntimeError("the sandbox seller did not start")

    def stop_all(self) -> None:
        for manager in [*self.running.values(), *([self.seller] if self.seller else [])]:
            manager.stop()

    def migrate(self) -> str:
        """The new version's tables while the old one works; what preflight said before."""
        output = self.run(self.new, "preflight")
        self.run(self.new, "migrate", "--verbosity", "0")
        with psycopg.connect(self.demo.database_url, autocommit=True) as database:
            for statement in EXPANSION:
                database.execute(statement)
        return output


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
    both = SideBySide(demo, old, new, say, {old.name: demo.ports.people, new.name: free_port()})
    here = {
        "/etc/fibre-dispatch/people.pem": str(demo.certs / "partner.pem"),
        "/etc/fibre-dispatch/people.key": str(demo.certs / "partner.key"),
        **nginx.listening(tls=front, plain=free_port()),
        "server_name dispatch.example.org": "server_name 127.0.0.1",
        # phones and pages meet both versions
        "fail_timeout=3s backup;": "fail_timeout=3s;",
        "127.0.0.1:8000": f"127.0.0.1:{both.web_ports[old.name]}",
        "127.0.0.1:8001": f"127.0.0.1:{both.web_ports[new.name]}",
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
