"""Every model change has its migration, in the same commit. Until the first release an app has one; from then on
released migrations stay as they are, and new ones only add (ADR 26)."""

import subprocess
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db.migrations import AddField, AlterField, Migration
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.db.models import TextField

from operations.pending_migrations import list_changes
from tests.conventions.sources import OURS, PACKAGES, ROOT
from tests.upgrade.releases import FIRST_TAG, is_known, last_tag


@pytest.mark.django_db
def test_no_migration_is_missing() -> None:
    output = StringIO()
    try:
        call_command("makemigrations", "--check", "--dry-run", stdout=output, stderr=output)
    except SystemExit:
        pytest.fail(output.getvalue())


# one more that no model describes: an index that is each database's own
ALLOWED = {"__init__.py", "0001_initial.py", "search_index.py"}


def later_migrations(folder: Path) -> list[str]:
    """Those besides the first of each app under a folder."""
    return sorted(path.name for path in folder.glob("**/migrations/*.py") if path.name not in ALLOWED)


@pytest.mark.skipif(is_known(FIRST_TAG), reason=f"{FIRST_TAG} is released")
@pytest.mark.parametrize("package", PACKAGES)
def test_app_has_one_migration(package: str) -> None:
    assert later_migrations(ROOT / package) == []


def test_second_migration_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "app" / "migrations"
    folder.mkdir(parents=True)
    for name in ("__init__.py", "0001_initial.py", "0002_more.py"):
        (folder / name).touch()

    assert later_migrations(tmp_path) == ["0002_more.py"]


released = pytest.mark.skipif(not is_known(FIRST_TAG), reason=f"git knows no {FIRST_TAG} here")
# migrations that remove what a release before has stopped using: app.name → that release
CONTRACTIONS: dict[str, str] = {}


def git(*arguments: str, folder: Path = ROOT) -> list[str]:
    """The lines that it prints."""
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def changed_since(tag: str, folder: Path) -> list[str]:
    """Migrations of a release that are no longer as they were: modified, renamed or deleted."""
    return git(
        "diff",
        "--name-only",
        "--diff-filter=MDRT",
        "--no-renames",
        tag,
        "--",
        "*/migrations/*.py",
        folder=folder,
    )


@released
def test_released_migrations_are_as_they_were() -> None:
    assert changed_since(last_tag(), ROOT) == []


def test_changed_migration_of_a_release_is_found(tmp_path: Path) -> None:
    first, gone = (tmp_path / "app" / "migrations" / name for name in ("0001_initial.py", "0002_gone.py"))
    first.parent.mkdir(parents=True)
    first.touch()
    gone.touch()
    me = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
    for command in (["init", "-q"], ["add", "."], [*me, "commit", "-qm", "Release"], ["tag", "v1"]):
        git(*command, folder=tmp_path)
    (first.parent / "0003_more.py").touch()
    assert changed_since("v1", tmp_path) == []

    first.write_text("changed")
    gone.unlink()

    assert changed_since("v1", tmp_path) == ["app/migrations/0001_initial.py", "app/migrations/0002_gone.py"]


def removing(migrations: list[Migration], before: ProjectState) -> dict[str, tuple[str, ...]]:
    """Those of the migrations beside which the old version cannot run, with what they change."""
    found = {
        f"{migration.app_label}.{migration.name}": list_changes(migration, before) for migration in migrations
    }
    return {name: changes for name, changes in found.items() if changes and name not in CONTRACTIONS}


@released
def test_migrations_since_the_release_only_add() -> None:
    loader = MigrationLoader(None)
    known = set(git("ls-tree", "-r", "--name-only", last_tag()))
    ours = {key for key in loader.disk_migrations if key[0] in OURS}
    old = {(app, name) for app, name in ours if f"{app}/migrations/{name}.py" in known}
    order = [key for node in loader.graph.leaf_nodes() for key in loader.graph.forwards_plan(node)]
    later = [loader.disk_migrations[key] for key in dict.fromkeys(order) if key in ours - old]

    assert removing(later, loader.project_state(sorted(old))) == {}


def test_migration_that_tightens_is_found() -> None:
    adds, tightens = Migration("0002_adds", "dispatch"), Migration("0003_tightens", "dispatch")
    adds.operations = [AddField("Job", "note", TextField(null=True))]
    tightens.operations = [AlterField("Job", "note", TextField(unique=True))]

    found = removing([adds, tightens], MigrationLoader(None).project_state())

    assert list(found) == ["dispatch.0003_tightens"]
