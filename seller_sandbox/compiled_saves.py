"""Rows that are written by SQL made once per process: the ORM makes that of each INSERT and UPDATE anew."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from django.db import connection, models

Columns = tuple[str, ...]


class CompiledSave(models.Model):
    """A model of which an order writes many rows; `save` and `create` do what they do for every model."""

    class Meta:
        abstract = True

    def _do_insert(self, *arguments: Any) -> list[Any]:
        """Django's own hook: manager, database, fields, fields to return, raw; gives the returned values as one row."""
        _, _, fields, returning_fields, raw = arguments
        written = None if raw else _written([(field, field.pre_save(self, add=True)) for field in fields])
        if written is None:
            rows: list[Any] = super()._do_insert(*arguments)  # type: ignore[misc]
            return rows
        sql = _insert(self._meta.db_table, _columns(fields), _columns(returning_fields))
        with connection.cursor() as cursor:
            cursor.execute(sql, written)
            return [cursor.fetchone()] if returning_fields else []

    def _do_update(self, *arguments: Any) -> bool:
        """Django's own hook: query, database, key, (field, None, value) of each change …; was there such a row?"""
        _, _, key, values, *_ = arguments
        written = _written([(field, value) for field, _, value in values]) if values else None
        if written is None:
            found: bool = super()._do_update(*arguments)  # type: ignore[misc]
            return found
        sql = _update(self._meta.db_table, _columns(field for field, *_ in values), self._meta.pk.column)
        with connection.cursor() as cursor:
            cursor.execute(sql, [*written, key])
            return bool(cursor.rowcount)


def _written(values: list[tuple[Any, Any]]) -> list[Any] | None:
    """The values as the database takes them; None when one is an expression, whose SQL differs."""
    if any(hasattr(value, "resolve_expression") for _, value in values):
        return None
    return [field.get_db_prep_save(value, connection) for field, value in values]


def _columns(fields: Iterable[Any]) -> Columns:
    return tuple(field.column for field in fields)


@cache
def _insert(table: str, columns: Columns, returned: Columns) -> str:
    quote = connection.ops.quote_name
    names, marks = ", ".join(map(quote, columns)), ", ".join("%s" for _ in columns)
    returning = f" RETURNING {', '.join(map(quote, returned))}" if returned else ""
    return f"INSERT INTO {quote(table)} ({names}) VALUES ({marks}){returning}"  # noqa: S608  # names of our models


@cache
def _update(table: str, columns: Columns, key: str) -> str:
    quote = connection.ops.quote_name
    changes = ", ".join(f"{quote(column)} = %s" for column in columns)
    return f"UPDATE {quote(table)} SET {changes} WHERE {quote(key)} = %s"  # noqa: S608  # names of our models
