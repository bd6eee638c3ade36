"""Rows that are written by SQL made once per process: the ORM makes that of each INSERT and UPDATE anew."""

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import Any, Self

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, models
from django.db.models.signals import post_save, pre_save
from django.db.transaction import mark_for_rollback_on_error

from seller_sandbox.shared_cursors import shared_cursor

Columns = tuple[str, ...]
# what the database takes; None when only Django can write it
Row = list[Any] | None
# from so many rows on it pays to send them together
MANY = 2
# of fields that the database takes as they are, when they have exactly this type
PLAIN: dict[type, type] = {
    models.CharField: str,
    models.TextField: str,
    models.BooleanField: bool,
    models.BigAutoField: int,
    models.BigIntegerField: int,
    models.PositiveIntegerField: int,
    models.PositiveSmallIntegerField: int,
    models.ForeignKey: int,
    models.OneToOneField: int,
}


class CompiledSave(models.Model):
    """A model of which an order writes many rows; `save` and `create` do what they do for every model."""

    class Meta:
        abstract = True

    @classmethod
    def add(cls, **values: Any) -> Self:
        """A new row, as the manager's `create` makes it, which takes longer: of rows that every message has."""
        made = cls(**values)
        made.save()
        return made

    @classmethod
    def add_all(cls, rows: Sequence[Self]) -> None:
        """New rows whose keys nobody needs here, sent together: the database is waited for once."""
        fields = _other_fields(cls)
        written = [_written([(field, field.pre_save(row, add=True)) for field in fields]) for row in rows]
        if not _is_sent_together(cls, written):
            for row in rows:
                row.save()
            return
        with mark_for_rollback_on_error(DEFAULT_DB_ALIAS):
            shared_cursor().executemany(_insert(cls._meta.db_table, _columns(fields)), written)

    @classmethod
    def save_all(cls, rows: Sequence[Self], *, update_fields: Collection[str]) -> None:
        """The named columns of known rows, sent together. Raises DatabaseError when one of them is gone."""
        fields = _named_fields(cls, frozenset(update_fields))
        written = [_written([(field, field.pre_save(row, add=False)) for field in fields]) for row in rows]
        if not _is_sent_together(cls, written):
            for row in rows:
                row.save(update_fields=update_fields)
            return
        sql = _update(cls._meta.db_table, _columns(fields), cls._meta.pk.column)
        with mark_for_rollback_on_error(DEFAULT_DB_ALIAS):
            cursor = shared_cursor()
            cursor.executemany(sql, [[*values, row.pk] for values, row in zip(written, rows, strict=True)])
            if cursor.rowcount != len(rows):
                raise DatabaseError("Save with update_fields did not affect all rows.")

    def save_base(self, *, update_fields: Collection[str] | None = None, **options: Any) -> None:
        """Django's own hook behind `save`; a new row, and named columns of a known one, are written at once.

        Django itself would look for parents of the model, for listeners to its signals and for the columns each time.
        """
        if _is_usual(type(self), options) and self._write_at_once(update_fields):
            self._state.db, self._state.adding = DEFAULT_DB_ALIAS, False
        else:
            super().save_base(update_fields=update_fields, **options)

    def _write_at_once(self, update_fields: Collection[str] | None) -> bool:
        """Whether it was done; what is not usual in the row itself is left to Django."""
        with mark_for_rollback_on_error(DEFAULT_DB_ALIAS):
            if self._state.adding:
                return self.pk is None and not update_fields and self._insert()
            return self.pk is not None and bool(update_fields) and self._update(frozenset(update_fields))

    def _insert(self) -> bool:
        fields = _other_fields(type(self))
        written = _written([(field, field.pre_save(self, add=True)) for field in fields])
        if written is None:
            return False
        sql = _insert(self._meta.db_table, _columns(fields))
        cursor = shared_cursor()
        cursor.execute(f"{sql} RETURNING {connection.ops.quote_name(self._meta.pk.column)}", written)
        ((self.pk,),) = cursor.fetchall()
        return True

    def _update(self, names: frozenset[str]) -> bool:
        fields = _named_fields(type(self), names)
        written = _written([(field, field.pre_save(self, add=False)) for field in fields])
        if not written:
            return False
        sql = _update(self._meta.db_table, _columns(fields), self._meta.pk.column)
        cursor = shared_cursor()
        cursor.execute(sql, [*written, self.pk])
        return bool(cursor.rowcount)

    def _do_update(self, *arguments: Any) -> bool:
        """Django's own hook: query, database, key, (field, None, value) of each change …; was there such a row?"""
        _, _, key, values, *_ = arguments
        written = _written([(field, value) for field, _, value in values]) if values else None
        if written is None:
            found: bool = super()._do_update(*arguments)  # type: ignore[misc]
            return found
        sql = _update(self._meta.db_table, _columns(field for field, *_ in values), self._meta.pk.column)
        cursor = shared_cursor()
        cursor.execute(sql, [*written, key])
        return bool(cursor.rowcount)


def _written(values: list[tuple[Any, Any]]) -> Row:
    """The values as the database takes them; None when one is an expression, whose SQL differs."""
    if any(hasattr(value, "resolve_expression") for _, value in values):
        return None
    return [
        value
        if value is None or type(value) is PLAIN.get(type(field))
        else field.get_db_prep_save(value, connection)
        for field, value in values
    ]


def _is_sent_together(model: type[models.Model], written: Sequence[Row]) -> bool:
    return len(written) >= MANY and all(written) and _is_usual(model, {})


def _is_usual(model: type[models.Model], options: dict[str, Any]) -> bool:
    """Whether nothing is asked of Django that is not done here; `create` asks for an INSERT, which a new row is."""
    is_asked = options.get("raw") or options.get("force_update")
    is_elsewhere = options.get("using") not in {None, DEFAULT_DB_ALIAS}
    has_listeners = pre_save.has_listeners(model) or post_save.has_listeners(model)
    return not (is_asked or is_elsewhere or has_listeners or _is_returning(model))


@cache
def _is_returning(model: type[models.Model]) -> bool:
    """Whether the database gives more than the key: values that only it knows."""
    meta = model._meta
    return bool(meta.parents) or list(meta.db_returning_fields) != [meta.pk]


@cache
def _other_fields(model: type[models.Model]) -> tuple[Any, ...]:
    return tuple(field for field in model._meta.local_concrete_fields if not field.primary_key)


@cache
def _named_fields(model: type[models.Model], names: frozenset[str]) -> tuple[Any, ...]:
    return tuple(field for field in _other_fields(model) if field.name in names or field.attname in names)


def _columns(fields: Iterable[Any]) -> Columns:
    return tuple(field.column for field in fields)


@cache
def _insert(table: str, columns: Columns) -> str:
    quote = connection.ops.quote_name
    names, marks = ", ".join(map(quote, columns)), ", ".join("%s" for _ in columns)
    return f"INSERT INTO {quote(table)} ({names}) VALUES ({marks})"  # noqa: S608  # names of our models


@cache
def _update(table: str, columns: Columns, key: str) -> str:
    quote = connection.ops.quote_name
    changes = ", ".join(f"{quote(column)} = %s" for column in columns)
    return f"UPDATE {quote(table)} SET {changes} WHERE {quote(key)} = %s"  # noqa: S608  # names of our models
