"""Another installation of the same code, with a database of its own: what a backup is restored into."""

import gzip
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from tests import migrated
from tests.background import worker_process
from tests.conventions.sources import ROOT
from tools.check import POSTGRESQL


@dataclass(frozen=True)
class Installation:
    """Commands run with its own database and evidence folder."""

    folder: Path
    database_url: str

    def run(self, *command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        environment = worker_process.environment(
            self.folder / "evidence", DATABASE_URL=self.database_url, DEPLOYMENT="test", **variables
        )
        arguments = [sys.executable, "manage.py", *command]
        return subprocess.run(
            arguments, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )

    def must(self, *command: str, **variables: str) -> str:
        done = self.run(*command, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def on_sqlite(folder: Path) -> Installation:
    """New and migrated."""
    (folder / "evidence").mkdir(parents=True)
    migrated.copy_sqlite(folder / "database.sqlite3")
    return Installation(folder, f"sqlite:///{folder / 'database.sqlite3'}")


@contextmanager
def on_postgresql(folder: Path, name: str) -> Iterator[Installation]:
    """New and migrated; its database is dropped at the end."""
    (folder / "evidence").mkdir(parents=True)
    with psycopg.connect(POSTGRESQL, autocommit=True) as server:
        server.execute(f'DROP DATABASE IF EXISTS "{name}"')
        server.execute(f'CREATE DATABASE "{name}"')
        try:
            made = Installation(folder, urlsplit(POSTGRESQL)._replace(path=f"/{name}").geturl())
            made.must("migrate", "--verbosity", "0")
            yield made
        finally:
            server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def unpacked(path: Path) -> list[str]:
    """The lines of a packed file."""
    return gzip.decompress(path.read_bytes()).decode().splitlines()
