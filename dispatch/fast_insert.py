"""INSERT for tables that fill at the seller's pace: the statement is made once, each row only binds its values.

The ORM builds the same statement again for every row, which was a large part of a createJob (docs/adr/0003).
Columns, defaults and conversions still come from the model; signals and `save` overrides do not run.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections, models

Row = TypeVar("Row", bound=models.Model)
ROWS_PER_STATEMENT = 100


def insert(model: type[Row], values: dict[str, Any], *, unless_known: str = "") -> Row | None:
    """The new row. None when `unless_known` names a unique column that holds this value already: nothing is
    written then, and a twin that is being written at this moment is waited for. Members are attribute names
    (`job_id`); what is left out takes the field's default.
    """
    connection, fields = connections[DEFAULT_DB_ALIAS], _fields(model)
    row_values = _column_values(model, values)
    with connection.cursor() as cursor:
        cursor.execute(_statement(model, unless_known), _bound(model, row_values))
        made = cursor.fetchone()
    if made is None:
        return None
    names = [_key(model).attname, *(field.attname for field in fields)]
    return model.from_db(DEFAULT_DB_ALIAS, names, [made[0], *row_values])


def insert_all(model: type[models.Model], many: Sequence[dict[str, Any]]) -> None:
    """Rows whose keys nobody asks for, ROWS_PER_STATEMENT of them in one statement."""
    for start in range(0, len(many), ROWS_PER_STATEMENT):
        some = [
            _bound(model, _column_values(model, values))
            for values in many[start : start + ROWS_PER_STATEMENT]
        ]
        with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            if connections[DEFAULT_DB_ALIAS].vendor == "postgresql":
                cursor.execute(_by_columns(model), [list(column) for column in zip(*some, strict=True)])
            else:
                cursor.execute(_plain(model, len(some)), list(chain.from_iterable(some)))


def _column_values(model: type[models.Model], values: dict[str, Any]) -> list[Any]:
    return [
        values[field.attname] if field.attname in values else field.get_default() for field in _fields(model)
    ]


def _bound(model: type[models.Model], row_values: list[Any]) -> list[Any]:
    connection = connections[DEFAULT_DB_ALIAS]
    pairs = zip(_fields(model), row_values, _takes_text(model), strict=True)
    return [
        value if takes_text and type(value) is str else field.get_db_prep_save(value, connection)
        for field, value, takes_text in pairs
    ]


@cache
def _takes_text(model: type[models.Model]) -> tuple[bool, ...]:
    """Fields whose text needs no conversion, which is half of all columns."""
    return tuple(type(field) in {models.CharField, models.TextField} for field in _fields(model))


def _key(model: type[models.Model]) -> models.Field[Any, Any]:
    return next(field for field in model._meta.concrete_fields if field.primary_key)


@cache
def _fields(model: type[models.Model]) -> tuple[models.Field[Any, Any], ...]:
    return tuple(field for field in model._meta.concrete_fields if not field.primary_key)


@cache
def _statement(model: type[models.Model], unless_known: str) -> str:
    quote = connections[DEFAULT_DB_ALIAS].ops.quote_name
    conflict = f" ON CONFLICT ({quote(unless_known)}) DO NOTHING" if unless_known else ""
    return f"{_plain(model, 1)}{conflict} RETURNING {quote(str(_key(model).column))}"


@cache
def _plain(model: type[models.Model], count: int) -> str:
    marks = ", ".join(["({})".format(", ".join(["%s"] * len(_fields(model))))] * count)
    return f"{_into(model)} VALUES {marks}"


@cache
def _by_columns(model: type[models.Model]) -> str:
    """PostgreSQL takes a column as one value: the statement is the same for any number of rows, and is prepared once.
    As rows it was read again each time, which cost as much as the deliveries that the rows describe."""
    connection = connections[DEFAULT_DB_ALIAS]
    arrays = ", ".join(f"%s::{field.db_type(connection)}[]" for field in _fields(model))
    return f"{_into(model)} SELECT * FROM unnest({arrays})"  # noqa: S608  # names of ours


def _into(model: type[models.Model]) -> str:
    quote = connections[DEFAULT_DB_ALIAS].ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in _fields(model))
    return f"INSERT INTO {quote(model._meta.db_table)} ({columns})"
