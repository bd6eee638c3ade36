"""Every model change has its migration, in the same commit; until the first release an app has one."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.conventions.sources import PACKAGES, ROOT


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


@pytest.mark.parametrize("package", PACKAGES)
def test_app_has_one_migration(package: str) -> None:
    assert later_migrations(ROOT / package) == []


def test_second_migration_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "app" / "migrations"
    folder.mkdir(parents=True)
    for name in ("__init__.py", "0001_initial.py", "0002_more.py"):
        (folder / name).touch()

    assert later_migrations(tmp_path) == ["0002_more.py"]
