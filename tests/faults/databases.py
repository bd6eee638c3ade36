"""A database for one scenario: a file, one on the machine's PostgreSQL, or a PostgreSQL of our own to be killed."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from demo.environment import wait_until
from demo.ports import free_ports, is_listening
from tests.bench.inbound import postgresql_database

SERVER = os.environ.get("TEST_POSTGRESQL_URL") or "postgresql://postgres@127.0.0.1:5432/postgres"
SMALL_DISK_MEGABYTES = 12


def postgresql_programs() -> Path | None:
    """Where initdb and pg_ctl lie; Debian keeps them out of the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    return found[-1].parent if found else None


@dataclass
class OwnServer:
    """A PostgreSQL that a scenario may kill: `url` of its database, `kill` stops it silently."""

    programs: Path
    folder: Path
    port: int

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def make(self) -> None:
        self.folder.mkdir(parents=True)
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
        self._run("initdb", "-D", str(self.folder / "data"), "-U", "postgres", "-A", "trust", "-N")

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-o", options, "-l", log, "-w", "start")
        if not wait_until(lambda: is_listening(self.port), seconds=30):
            raise RuntimeError("the PostgreSQL of our own does not listen")

    def kill(self) -> None:
        """As a crash: no checkpoint, every connection breaks in the middle of what it did."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop")

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self.programs / program), *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(command, check=True, capture_output=True, cwd="/")


@dataclass(frozen=True)
class Database:
    """Its address, and the server when it is one that a scenario may kill."""

    url: str
    server: OwnServer | None = None


@contextmanager
def of(kind: str, folder: Path) -> Iterator[Database]:
    folder.mkdir(parents=True, exist_ok=True)
    with KINDS[kind](folder) as database:
        yield database


@contextmanager
def _file(folder: Path) -> Iterator[Database]:
    yield Database(f"sqlite:///{folder / 'dispatch.sqlite3'}")


@contextmanager
def _on_the_machine(_folder: Path) -> Iterator[Database]:
    with postgresql_database(SERVER) as url:
        yield Database(url)


@contextmanager
def _of_our_own(_folder: Path) -> Iterator[Database]:
    programs = postgresql_programs()
    if programs is None:
        raise RuntimeError("no PostgreSQL programs under /usr/lib/postgresql")
    # the user postgres must reach it, which a folder of root's (and so TMPDIR in make test) would not allow
    with tempfile.TemporaryDirectory(prefix="fibre-postgresql-", dir="/tmp") as name:
        Path(name).chmod(0o755)
        server = OwnServer(programs, Path(name) / "server", free_ports().people)
        server.make()
        server.start()
        try:
            yield Database(server.url, server)
        finally:
            server.kill()


@contextmanager
def _on_a_small_disk(folder: Path) -> Iterator[Database]:
    disk = folder / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK_MEGABYTES}m", "tmpfs", str(disk)]
    subprocess.run(mount, check=True, capture_output=True)
    try:
        yield Database(f"sqlite:///{disk / 'dispatch.sqlite3'}")
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True, capture_output=True)


def small_disk_missing() -> str:
    """Whether this machine lets us mount one."""
    if os.geteuid() != 0 or not shutil.which("mount"):
        return "needs root to mount a small disk"
    with tempfile.TemporaryDirectory() as name:
        mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", name]
        if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
            return "this machine does not allow to mount a small disk"
        subprocess.run(["umount", name], check=True, capture_output=True)
    return ""


KINDS: dict[str, Callable[[Path], AbstractContextManager[Database]]] = {
    "sqlite": _file,
    "postgresql": _on_the_machine,
    "own postgresql": _of_our_own,
    "small disk": _on_a_small_disk,
}
