"""Rows that the database makes itself from expressions: millions of them by the ORM take hours."""

from collections.abc import Mapping, Sequence

from django.db import connection, models


def insert_from(
    model: type[models.Model],
    columns: dict[str, str],
    *,
    source: str,
    values: Sequence[object] = (),
    constants: Mapping[str, object] | None = None,
) -> None:
    """A row of `model` for each row of `source` (FROM and what follows, with `values` for its placeholders). `columns`
    are expressions over it and `constants` values, by attribute name; what is left out is null or has the field's
    default."""
    same = constants or {}
    bound: list[object] = []
    expressions: dict[str, str] = {}
    for field in model._meta.concrete_fields:
        if field.attname in columns:
            # a percent sign is a remainder here, not a placeholder
            expressions[str(field.column)] = columns[field.attname].replace("%", "%%")
        elif field.attname in same or not (field.null or isinstance(field, models.AutoField)):
            expressions[str(field.column)] = "%s"
            value = same.get(field.attname, field.get_default())
            bound.append(field.get_db_prep_save(value, connection))
    statement = (
        f"INSERT INTO {model._meta.db_table} ({', '.join(expressions)}) "
        f"SELECT {', '.join(expressions.values())} FROM {source}"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [*bound, *values])
