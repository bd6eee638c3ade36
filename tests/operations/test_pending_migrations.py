"""Which changes of tables the old version can run beside."""

import pytest
from django.db import connection, models
from django.db.migrations import Migration, operations
from django.db.migrations.operations.base import Operation
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ModelState, ProjectState

from operations.pending_migrations import list_changes, list_pending_migrations, list_unknown_migrations


def changes(operation: Operation) -> tuple[str, ...]:
    """Of one operation on a table with a key, a text and a number."""
    state = ProjectState()
    fields = [
        ("id", models.BigAutoField(primary_key=True)),
        ("text", models.CharField(max_length=10, null=True)),
        ("number", models.IntegerField(default=0)),
    ]
    state.add_model(ModelState("dispatch", "Example", fields))
    migration = Migration("0002_more", "dispatch")
    migration.operations = [operation]
    return list_changes(migration, state)


@pytest.mark.parametrize(
    "operation",
    [
        operations.CreateModel("Other", [("id", models.BigAutoField(primary_key=True))]),
        operations.AddField("example", "note", models.TextField(null=True)),
        operations.AddField("example", "note", models.TextField(db_default="")),
        operations.AddIndex("example", models.Index(fields=["number"], name="by_number")),
        operations.AlterField("example", "text", models.CharField(max_length=20, null=True)),
        operations.AlterField("example", "number", models.IntegerField(default=1, null=True)),
        operations.SeparateDatabaseAndState(state_operations=[operations.RemoveField("example", "text")]),
    ],
)
def test_addition_is_no_change(operation: Operation) -> None:
    assert changes(operation) == ()


@pytest.mark.parametrize(
    "operation",
    [
        operations.DeleteModel("Example"),
        operations.RemoveField("example", "text"),
        operations.RenameField("example", "text", "words"),
        operations.RenameModel("Example", "Sample"),
        operations.RunPython(operations.RunPython.noop),
        operations.RunSQL("SELECT 1"),
        # rows of the old version have no value for it
        operations.AddField("example", "note", models.TextField(default="")),
        operations.AlterField("example", "text", models.CharField(max_length=10)),
        operations.AlterField("example", "text", models.CharField(max_length=5, null=True)),
        operations.AlterField("example", "number", models.TextField(default="")),
        operations.AlterField("example", "number", models.IntegerField(default=0, unique=True)),
        operations.AlterModelTable("example", "elsewhere"),
        operations.SeparateDatabaseAndState(database_operations=[operations.RunSQL("SELECT 1")]),
    ],
)
def test_change_is_named(operation: Operation) -> None:
    (text,) = changes(operation)

    assert text.startswith(f"{type(operation).__name__}: ")


@pytest.mark.django_db
def test_migrated_database_has_nothing_pending_nor_unknown() -> None:
    assert (list_pending_migrations(), list_unknown_migrations()) == ([], [])


@pytest.mark.django_db
def test_migration_that_is_not_applied_is_pending() -> None:
    MigrationRecorder(connection).record_unapplied("monitoring", "0001_initial")

    (pending,) = [found for found in list_pending_migrations() if found.name == "monitoring.0001_initial"]

    assert pending.changes == ()


@pytest.mark.django_db
def test_migration_of_a_newer_version_is_unknown() -> None:
    MigrationRecorder(connection).record_applied("dispatch", "0002_newer")

    assert list_unknown_migrations() == ["dispatch.0002_newer"]
