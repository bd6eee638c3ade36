"""Commands whose database is away say so and name DATABASE_URL; none ends with a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conventions.sources import ROOT
from tests.servers.ports import free_port

DAYS = ("--first", "2026-11-01", "--last", "2026-11-02")
COMMANDS = (
    ("message_log",),
    ("personal_data", "purge"),
    ("access_token", "list"),
    ("export_data", "jobs", "jobs.csv", *DAYS),
    ("first_supervisor", "ruth", "--name", "Ruth Calder"),
    ("reset_second_factor", "ruth"),
    ("replay_webhooks", "telemetry"),
    ("import_data", "areas", "areas.csv", "--by", "ruth"),
)


def run(folder: Path, url: str, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *command],
        cwd=folder,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_command_without_its_database_names_the_setting(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = run(tmp_path, f"postgresql://dispatch:hush@127.0.0.1:{free_port()}/dispatch", *command)

    assert done.returncode == 1
    assert done.stderr.startswith("The database cannot be used: connection")
    assert done.stderr.endswith("\nCheck DATABASE_URL and its server, then run migrate.\n")
    assert not {"Traceback", "hush"} & set(done.stderr.replace(":", " ").split())
    assert list(tmp_path.iterdir()) == []


def test_whoever_wants_the_traceback_gets_it(tmp_path: Path) -> None:
    done = run(tmp_path, f"sqlite:///{tmp_path}/none/dispatch.sqlite3", "message_log", "--traceback")

    assert done.returncode == 1
    assert "Traceback (most recent call last)" in done.stderr
