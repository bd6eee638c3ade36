"""`make upgrade-test`: the last release and this code side by side on one PostgreSQL database, under load, and back.

The seller sends job packs, a dispatcher assigns them, engineers' phones do them, all the time. Meanwhile the tables
are migrated under the old version; the new one is started beside it, takes over, and is rolled back. At the end both
records must agree in every message (tests/upgrade/run.py). `--from REVISION` names another release than the newest
tag; so does the file var/last-release.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from tests.upgrade import releases
from tools.check import POSTGRESQL, postgresql_missing
from tools.check_run import ROOT

REVISION_FILE = ROOT / "var" / "last-release"


def wanted_revision(argument: str) -> str:
    """By argument, by file, or the newest tag."""
    if argument or not REVISION_FILE.exists():
        return argument or releases.last_tag()
    return REVISION_FILE.read_text().strip()


def missing(revision: str) -> str:
    """Why it cannot be played here, or nothing."""
    if not revision:
        return "no release is tagged; name a commit: make upgrade-test ARGS='--from COMMIT'"
    if not releases.is_known(revision):
        return f"git knows no {revision} here"
    if not (shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")):
        return "nginx is not installed"
    return postgresql_missing()


def run(command: list[str], environment: dict[str, str]) -> int:
    """Its exit code. When we are interrupted, it may still end what it has started."""
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        return process.wait()
    finally:
        process.terminate()
        process.wait()


def play(revision: str) -> int:
    name = f"upgrade_test_{os.getpid()}"
    url = urlsplit(POSTGRESQL)._replace(path=f"/{name}").geturl()
    settings = {"DJANGO_SETTINGS_MODULE": "config.settings", "DEPLOYMENT": "demo", "LOG_LEVEL": "ERROR"}
    with psycopg.connect(POSTGRESQL, autocommit=True) as server:
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            with tempfile.TemporaryDirectory(prefix="fibre-upgrade-") as folder:
                command = [sys.executable, "-m", "tests.upgrade.run", revision, url, folder]
                return run(command, {**os.environ, **settings})
        finally:
            server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--from", dest="revision", default="", help="a tag or commit")
    # what was made is removed, however it ends
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    revision = wanted_revision(parser.parse_args().revision)
    if reason := missing(revision):
        print(f"upgrade-test SKIPPED: {reason}")
        return 0
    print(f"from {revision} to the code of this checkout", flush=True)
    started = time.monotonic()
    code = play(revision)
    print(f"upgrade-test {'FAILED' if code else 'passed'} in {time.monotonic() - started:.0f} s")
    return code


if __name__ == "__main__":
    sys.exit(main())
