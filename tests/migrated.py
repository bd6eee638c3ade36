"""A migrated database, made once for a run: to migrate takes seconds, to copy does not."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from django.conf import settings
from psycopg import sql

from tests.made_once import made_once

ROOT = Path(__file__).resolve().parent.parent
NAME_FILE = "name"


def copy_sqlite(target: Path) -> None:
    shutil.copyfile(made_once("migrated-sqlite", _migrate_sqlite) / "database.sqlite3", target)


def postgresql_template() -> str:
    """The name of a database on the tests' own server that nobody opens: `drop_template` drops it."""
    return (made_once("migrated-postgresql", _migrate_postgresql) / NAME_FILE).read_text()


def drop_template(shared: Path) -> None:
    """At the end of a run with this shared folder."""
    file = shared / "migrated-postgresql" / NAME_FILE
    if file.exists():
        with psycopg.connect(os.environ["DATABASE_URL"], dbname="postgres", autocommit=True) as server:
            server.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(file.read_text())))


def _migrate_sqlite(folder: Path) -> None:
    _migrate(f"sqlite:///{folder / 'database.sqlite3'}", folder)


def _migrate_postgresql(folder: Path) -> None:
    url = os.environ["DATABASE_URL"]
    name = f"template_{urlsplit(url).path.strip('/')}"
    template = sql.Identifier(name)
    with psycopg.connect(url, dbname="postgres", autocommit=True) as server:
        server.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(template))
        server.execute(sql.SQL("CREATE DATABASE {}").format(template))
    _migrate(urlsplit(url)._replace(path=f"/{name}").geturl(), folder)
    (folder / NAME_FILE).write_text(name)


def _migrate(url: str, folder: Path) -> None:
    more = {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DEPLOYMENT": "test",
        "SECRET_KEY": settings.SECRET_KEY,
        "DATABASE_URL": url,
        "EVIDENCE_STORAGE_URL": f"file://{folder / 'evidence'}",
    }
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **more}, check=True)
