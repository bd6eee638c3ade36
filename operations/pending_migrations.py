"""Which migrations an upgrade will run, and whether the old version goes on working while and after they do."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from django.db import connection
from django.db.migrations import Migration, operations
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import Field, ManyToManyField
from django.db.models.fields import NOT_PROVIDED

AnyField: TypeAlias = "Field[Any, Any]"
# the old version notices nothing of these; anything unknown counts as a change
ADDING = (
    *(operations.CreateModel, operations.AddIndex, operations.RemoveIndex, operations.RenameIndex),
    *(operations.AlterModelOptions, operations.AlterModelManagers),
)
# arguments of a field that leave its column as it is
WITHOUT_COLUMN = {
    *("blank", "choices", "default", "editable", "error_messages", "help_text", "limit_choices_to"),
    *("on_delete", "related_name", "validators", "verbose_name"),
}


@dataclass(frozen=True)
class PendingMigration:
    """`changes` names what the old version cannot run beside; none where the migration only adds."""

    name: str
    changes: tuple[str, ...]


def list_pending_migrations() -> list[PendingMigration]:
    """In the order in which `migrate` will run them."""
    executor = MigrationExecutor(connection)
    return [
        PendingMigration(
            f"{migration.app_label}.{migration.name}",
            list_changes(
                migration,
                executor.loader.project_state((migration.app_label, migration.name), at_end=False),
            ),
        )
        for migration, _backwards in executor.migration_plan(executor.loader.graph.leaf_nodes())
    ]


def list_unknown_migrations() -> list[str]:
    """Applied to the database and in no file of this version: the database belongs to a newer one."""
    loader = MigrationExecutor(connection).loader
    unknown = loader.applied_migrations.keys() - loader.disk_migrations.keys()
    replaced = {name for migration in loader.replacements.values() for name in migration.replaces}
    return sorted(
        f"{app}.{name}"
        for app, name in unknown
        if app in loader.migrated_apps and (app, name) not in replaced
    )


def list_changes(migration: Migration, before: ProjectState) -> tuple[str, ...]:
    """What the migration changes of tables that the old version uses; `before` is consumed."""
    found = []
    for operation in migration.operations:
        if not _only_adds(operation, migration.app_label, before):
            found.append(f"{type(operation).__name__}: {operation.describe()}")
        operation.state_forwards(migration.app_label, before)
    return tuple(found)


def _only_adds(operation: Operation, app: str, before: ProjectState) -> bool:
    if isinstance(operation, operations.SeparateDatabaseAndState):
        return all(_only_adds(part, app, before) for part in operation.database_operations)
    if isinstance(operation, operations.AddField):
        return _can_be_left_out(operation.field)
    if isinstance(operation, operations.AlterField):
        old = before.models[app, operation.model_name_lower].fields[operation.name]
        return _keeps_old_values(old, operation.field)
    return isinstance(operation, ADDING)


def _can_be_left_out(field: AnyField) -> bool:
    """The old version inserts rows without the new column, and Django leaves its default to Python."""
    return isinstance(field, ManyToManyField) or field.null or field.db_default is not NOT_PROVIDED


def _keeps_old_values(old: AnyField, new: AnyField) -> bool:
    """Every value that the old version writes still fits the column."""
    _name, old_path, _arguments, old_options = old.deconstruct()
    _name, new_path, _arguments, new_options = new.deconstruct()
    names = (old_options.keys() | new_options.keys()) - WITHOUT_COLUMN
    changed = {name for name in names if old_options.get(name) != new_options.get(name)}
    if new.null:
        changed.discard("null")
    if old.max_length and new.max_length and new.max_length > old.max_length:
        changed.discard("max_length")
    return old_path == new_path and not changed
