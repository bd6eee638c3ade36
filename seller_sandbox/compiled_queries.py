"""Queries whose SQL is written once per process: for one row, the ORM writes longer than the database looks.

    _BY_NAME = CompiledQuery(lambda: Product.objects.filter(name=Parameter("name")))
    product = _BY_NAME.first(name="…")

Only the SQL is kept, never a row: each run asks the database.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Expression, Field, Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql.compiler import SQLCompiler
from django.db.models.sql.subqueries import UpdateQuery
from django.db.transaction import TransactionManagementError

from seller_sandbox.shared_cursors import shared_cursor

Found = TypeVar("Found", bound=Model)
Row = tuple[Any, ...]


class Parameter(Expression):
    """Stands for a value that each run of the query gives.

    `kind` is a field of its type, needed where databases write such a value each in their own way (UUIDs, instants).
    """

    def __init__(self, name: str, kind: "Field[Any, Any] | None" = None) -> None:
        super().__init__(output_field=kind)
        self.name, self.kind = name, kind

    def as_sql(self, _compiler: SQLCompiler, _connection: Any, **_: Any) -> tuple[str, list[Any]]:
        return "%s", [self]

    def write(self, value: Any) -> Any:
        return self.kind.get_db_prep_value(value, connection) if self.kind else value


class CompiledQuery(Generic[Found]):
    """A query made of Parameters, of whole instances (`first`, `get`, `all`) or of values (`row`, `rows`, `is_found`).

    It is built at its first run, when all models are known.
    """

    def __init__(self, build: "Callable[[], QuerySet[Found, Any]]") -> None:
        self._build = build

    def first(self, **values: Any) -> Found | None:
        """The first instance in the query's order."""
        return next(self._instances(values), None)

    def get(self, **values: Any) -> Found:
        """The first instance. Raises the model's DoesNotExist."""
        if found := self.first(**values):
            return found
        raise self._compiled.model.DoesNotExist

    def all(self, **values: Any) -> list[Found]:
        return [*self._instances(values)]

    def row(self, **values: Any) -> Row | None:
        """The first row of a query of values."""
        return next(self._compiled.rows(values), None)

    def rows(self, **values: Any) -> list[Row]:
        """All rows of a query of values."""
        return [*self._compiled.rows(values)]

    def is_found(self, **values: Any) -> bool:
        return self.row(**values) is not None

    def _instances(self, values: dict[str, Any]) -> Iterator[Found]:
        compiled = self._compiled
        for row in compiled.rows(values):
            found: Found = compiled.model.from_db(
                DEFAULT_DB_ALIAS, compiled.names, row[: len(compiled.names)]
            )
            for populator in compiled.populators:
                populator.populate(row, found)
            for name, number in compiled.annotations.items():
                setattr(found, name, row[number])
            yield found

    @cached_property
    def _compiled(self) -> "_Compiled":
        return _compile(self._build())


class CompiledUpdate:
    """A query made of Parameters whose rows get the `changed` values, each a Parameter or the same in each run."""

    def __init__(self, build: "Callable[[], QuerySet[Any, Any]]", **changed: Any) -> None:
        self._build, self._changed = build, changed

    def run(self, **values: Any) -> int:
        """Change the rows; says how many there were."""
        sql, parameters = self._sql
        cursor = shared_cursor()
        cursor.execute(sql, _written(parameters, values))
        return int(cursor.rowcount)

    @cached_property
    def _sql(self) -> tuple[str, Row]:
        query = self._build().query.chain(UpdateQuery)
        query.add_update_values(self._changed)
        sql, parameters = query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
        return sql, tuple(parameters)


@dataclass(frozen=True)
class _Compiled:
    """What the ORM makes of a query: `names` are the model's own columns, which come first, `annotations` the number
    of the column of each."""

    compiler: Any
    sql: str
    parameters: tuple[Any, ...]
    converters: dict[int, Any]
    model: Any
    names: list[str]
    populators: list[Any]
    annotations: dict[str, int]
    locks: bool

    def rows(self, values: dict[str, Any]) -> Iterator[Row]:
        # Django looks when it writes the SQL, which is once
        if self.locks and connection.features.has_select_for_update and not connection.in_atomic_block:
            raise TransactionManagementError(
                "A query that locks rows cannot be used outside of a transaction."
            )
        cursor = shared_cursor()
        cursor.execute(self.sql, _written(self.parameters, values))
        found = cursor.fetchall()
        return map(tuple, self.compiler.apply_converters(found, self.converters))


def _written(parameters: Row, values: dict[str, Any]) -> list[Any]:
    return [item.write(values[item.name]) if isinstance(item, Parameter) else item for item in parameters]


def _compile(queryset: "QuerySet[Any, Any]") -> _Compiled:
    compiler: Any = queryset.query.get_compiler(DEFAULT_DB_ALIAS)
    # the compiler knows its columns once it has written the SQL
    sql, parameters = compiler.as_sql()
    columns = [column for column, *_ in compiler.select]
    # a query of values makes no instance
    instance = compiler.klass_info or {"select_fields": []}
    return _Compiled(
        compiler=compiler,
        sql=sql,
        parameters=tuple(parameters),
        converters=compiler.get_converters(columns),
        model=queryset.model,
        names=[columns[number].target.attname for number in instance["select_fields"]],
        populators=get_related_populators(instance, compiler.select, DEFAULT_DB_ALIAS),
        annotations=compiler.annotation_col_map or {},
        locks=queryset.query.select_for_update,
    )
