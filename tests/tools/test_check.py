"""Which tests `make quick` and the step with a browser run."""

import subprocess
from pathlib import Path

import pytest

from tools import check


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ["phone/api.py", "board/views.py", "tests/phone/__init__.py", "tests/board/__init__.py"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setattr(check, "ROOT", tmp_path)
    run(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def run(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True)


def commit(folder: Path) -> None:
    run(folder, "add", "--all")
    run(folder, "commit", "--quiet", "--message", "Change")


def test_nothing_changed(repository: Path) -> None:
    assert check.changed_apps() == []


@pytest.mark.parametrize(
    ("path", "apps"),
    [
        ("phone/api.py", ["phone"]),
        ("phone/new.py", ["phone"]),
        ("tests/board/test_new.py", ["board"]),
        ("docs/page.md", []),
    ],
)
def test_app_of_a_changed_file_is_tested(repository: Path, path: str, apps: list[str]) -> None:
    (repository / path).parent.mkdir(parents=True, exist_ok=True)
    (repository / path).write_text("changed")

    assert check.changed_apps() == apps


def test_commits_since_the_origin_count(repository: Path) -> None:
    run(repository, "update-ref", "refs/remotes/origin/main", "HEAD")
    (repository / "board" / "views.py").write_text("changed")
    commit(repository)

    assert check.changed_apps() == ["board"]


def test_every_story_is_collected_for_the_browser() -> None:
    """A mark that a conftest gives would be left out of both runs."""
    files = sorted((check.ROOT / "tests").rglob("*.py"))
    marked = [str(path.relative_to(check.ROOT)) for path in files if check.BROWSER_MARK in path.read_text()]

    assert marked == [*check.story_files()]
