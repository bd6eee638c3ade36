"""A PostgreSQL database of its own for one rehearsal."""

from urllib.parse import urlsplit, urlunsplit

import psycopg
from django.core.management.base import CommandError
from psycopg import sql

PREFIX = "rehearse"
SERVER_DATABASE = "/postgres"


def make_anew(url: str) -> None:
    """Drop the database that the URL names and create it empty. Raises CommandError.

    Only a name that begins with `rehearse` is taken: a slip must not cost somebody's data.
    """
    drop(url)
    create = sql.SQL("CREATE DATABASE {}").format(_name(url))
    with _server(url) as server:
        server.execute(create)


def drop(url: str) -> None:
    """Drop the database that the URL names, whoever uses it. Raises CommandError, as `make_anew` does."""
    remove = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(_name(url))
    with _server(url) as server:
        server.execute(remove)


def _name(url: str) -> sql.Identifier:
    name = urlsplit(url).path.removeprefix("/")
    if not name.startswith(PREFIX):
        raise CommandError(f"The database is dropped and made anew, so its name must begin with {PREFIX}.")
    return sql.Identifier(name)


def _server(url: str) -> psycopg.Connection:
    place = urlunsplit(urlsplit(url)._replace(path=SERVER_DATABASE))
    try:
        return psycopg.connect(place, autocommit=True)
    except psycopg.OperationalError as problem:
        raise CommandError(f"PostgreSQL does not answer: {problem}") from problem
