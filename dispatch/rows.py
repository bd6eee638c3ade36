"""INSERT for tables that fill at the seller's pace: the statement is made once, each row only binds its values.

The ORM builds the same statement anew for every row, which was a large part of a createJob (docs/adr/0003).
Columns, defaults and conversions still come from the model; signals and `save` overrides do not run.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections, models

Row = TypeVar("Row", bound=models.Model)


def insert(model: type[Row], values: dict[str, Any], *, unless_known: str = "") -> Row | None:
    """The new row. None when `unless_known` names a unique column that holds this value already: nothing is
    written then, and a twin that is being written at this moment is waited for. Members are attribute names
    (`job_id`); what is left out takes the field's default.
    """
    connection = connections[DEFAULT_DB_ALIAS]
    fields = _fields(model)
    given = [values[field.attname] if field.attname in values else field.get_default() for field in fields]
    bound = [field.get_db_prep_save(value, connection) for field, value in zip(fields, given, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(_statement(model, unless_known), bound)
        made = cursor.fetchone()
    if made is None:
        return None
    names = [_key(model).attname, *(field.attname for field in fields)]
    return model.from_db(DEFAULT_DB_ALIAS, names, [made[0], *given])


def _key(model: type[models.Model]) -> models.Field[Any, Any]:
    return next(field for field in model._meta.concrete_fields if field.primary_key)


@cache
def _fields(model: type[models.Model]) -> tuple[models.Field[Any, Any], ...]:
    return tuple(field for field in model._meta.concrete_fields if not field.primary_key)


@cache
def _statement(model: type[models.Model], unless_known: str) -> str:
    quote = connections[DEFAULT_DB_ALIAS].ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in _fields(model))
    marks = ", ".join(["%s"] * len(_fields(model)))
    conflict = f" ON CONFLICT ({quote(unless_known)}) DO NOTHING" if unless_known else ""
    key = quote(str(_key(model).column))
    return f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({marks}){conflict} RETURNING {key}"  # noqa: S608  # names of ours
