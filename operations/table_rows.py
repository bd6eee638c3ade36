"""The rows of every table as lines of JSON, read in one moment; the same files load into SQLite and PostgreSQL.

A table's first line is the list of its columns, each further line is one row. Values keep every digit: Django's own
serializers cut a time to milliseconds.
"""

import datetime as dt
import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from django.apps import apps
from django.core.management.color import no_style
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, transaction
from django.db.models import Field, Model

from operations.backup_folders import require_space

AnyField: TypeAlias = "Field[Any, Any]"
# which processes live and who looks at what: true for one machine and one moment; and sessions, whose keys let whoever
# reads a backup in as somebody else
EXCLUDED_TABLES = {"monitoring.Heartbeat", "board.Presence", "sessions.Session"}
ROWS_AT_ONCE = 500
# PostgreSQL takes 65,535 values in one statement
VALUES_AT_ONCE = 60_000


class DatabaseDamaged(Exception):
    """SQLite's own check found something; the message says what."""


class UnreadableRows(Exception):
    """The files are no copy of this version's tables; the message names the table."""


class ExactEncoder(DjangoJSONEncoder):
    """With microseconds."""

    def default(self, o: Any) -> Any:
        return o.isoformat() if isinstance(o, dt.datetime | dt.time) else super().default(o)


def tables() -> list[type[Model]]:
    """Each table of a backup, by name; those of many-to-many fields too."""
    by_name = {model._meta.label: model for model in apps.get_models(include_auto_created=True)}
    return [
        model
        for name, model in sorted(by_name.items())
        if model._meta.managed and not model._meta.proxy and name not in EXCLUDED_TABLES
    ]


@contextmanager
def one_moment() -> Iterator[None]:
    """What is read inside is the database as it was at the first read, whatever others write meanwhile.

    Nobody waits for it: SQLite reads beside its writer, so the write lock is not taken. Raises DatabaseDamaged.
    """
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        connection.connection.execute("BEGIN")
        try:
            _check_sqlite()
            yield
        finally:
            connection.connection.rollback()
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        _allow_pauses()
        yield


def _allow_pauses() -> None:
    """Until the transaction ends: a slow disk may take longer for a file than the limit of config.connections."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")


def _check_sqlite() -> None:
    found = connection.connection.execute("PRAGMA integrity_check").fetchone()[0]
    if found != "ok":
        raise DatabaseDamaged(found)


def write_tables(folder: Path) -> dict[str, int]:
    """Write each table into a file of its own; how many rows each has. Raises NotEnoughSpace on a nearly full disk."""
    return {model._meta.label: _write_table(model, table_file(folder, model)) for model in tables()}


def table_file(folder: Path, model: type[Model]) -> Path:
    return folder / f"{model._meta.label}.jsonl.gz"


def _write_table(model: type[Model], path: Path) -> int:
    names = [field.attname for field in _columns(model)]
    encode = ExactEncoder(separators=(",", ":")).encode
    rows = model._base_manager.order_by("pk").values_list(*names).iterator(chunk_size=ROWS_AT_ONCE)
    count = 0
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=5) as file:
        file.write(encode(names) + "\n")
        for count, row in enumerate(rows, start=1):
            if count % ROWS_AT_ONCE == 1:
                require_space(path.parent)
            file.write(encode(row) + "\n")
    return count


def _columns(model: type[Model]) -> list[AnyField]:
    return list(model._meta.concrete_fields)


def load_tables(folder: Path) -> dict[str, int]:
    """Replace what every table holds, in one transaction; how many rows each has then. Raises UnreadableRows."""
    with transaction.atomic():
        _allow_pauses()
        for model in tables():
            model._base_manager.all()._raw_delete(connection.alias)
        counts = {model._meta.label: sum(_load_table(model, table_file(folder, model))) for model in tables()}
        # before the commit, so that the message names the row
        connection.check_constraints()
        _go_on_numbering()
    return counts


def _load_table(model: type[Model], path: Path) -> Iterator[int]:
    """The sizes of the batches that were inserted."""
    columns = {field.attname: field for field in _columns(model)}
    size = min(ROWS_AT_ONCE, VALUES_AT_ONCE // len(columns))
    with gzip.open(path, "rt", encoding="utf-8") as file:
        names = json.loads(file.readline())
        if set(names) != set(columns):
            raise UnreadableRows(f"{model._meta.label} has other columns in this version of the application.")
        fields = [columns[name] for name in names]
        while lines := list(islice(file, size)):
            model._base_manager.bulk_create(_row(model, fields, json.loads(line)) for line in lines)
            yield len(lines)


def _row(model: type[Model], fields: list[AnyField], values: list[Any]) -> Model:
    return model(
        **{field.attname: field.to_python(value) for field, value in zip(fields, values, strict=True)}
    )


def _go_on_numbering() -> None:
    """The next row of each table gets a number that none has."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables()):
            cursor.execute(statement)
