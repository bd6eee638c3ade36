"""docs/findings.md names test and commit of each finding: every test and every commit that it names is there."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conventions.sources import ROOT

NAMED_FILE = re.compile(r"[\w/]*test_\w+\.py|[\w/]+\.test\.mjs|[\w/]+_vectors\.json")
NAMED_TEST = re.compile(r"([\w/]*test_\w+\.py)::(test_\w+)(…?)")
TESTS = ("tests", "seller_sandbox/tests")
HASH = re.compile(r"[0-9a-f]{7,40}")
NO_COMMIT = {"–", "not done"}


def missing_names(document: str, *, tests: dict[str, set[str]]) -> list[str]:
    """What the document names and nobody has; a name that ends in "…" is the beginning of one.

    `tests` says by path which tests a file holds.
    """
    named = sorted(set(NAMED_FILE.findall(document)))
    gone = [name for name in named if not _of(name, tests)]
    for file, name, more in NAMED_TEST.findall(document):
        if not any(
            test == name or (more and test.startswith(name)) for test in set().union(*_of(file, tests))
        ):
            gone.append(f"{file}::{name}")
    return gone


def _of(name: str, tests: dict[str, set[str]]) -> list[set[str]]:
    return [held for path, held in tests.items() if f"/{path}".endswith(f"/{name}")]


def _tests() -> dict[str, set[str]]:
    paths = [path for folder in TESTS for path in (ROOT / folder).rglob("*") if _is_text(path)]
    return {
        str(path.relative_to(ROOT)): set(re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE))
        for path in paths
    }


def _is_text(path: Path) -> bool:
    return path.suffix in {".py", ".mjs", ".json"}


def test_every_test_that_is_named_is_there() -> None:
    assert missing_names((ROOT / "docs/findings.md").read_text(), tests=_tests()) == []


def test_missing_names_are_found() -> None:
    document = (
        "tests/a/test_one.py::test_first…, test_two.py, x/test_one.py, three.test.mjs, test_one.py::test_gone"
    )

    assert missing_names(document, tests={"tests/a/test_one.py": {"test_first_of_all"}}) == [
        "test_two.py",
        "three.test.mjs",
        "x/test_one.py",
        "test_one.py::test_gone",
    ]


def commit_columns(document: str) -> Iterator[tuple[str, list[str]]]:
    """Finding and commits of each row of the tables that have a column "commit"."""
    column = None
    for line in document.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if "commit" in cells:
            column = cells.index("commit")
        elif not cells:
            column = None
        elif column is not None and not cells[0].startswith("---"):
            yield cells[0], cells[column].split(", ")


def unknown_commits(document: str, *, history: list[str]) -> list[str]:
    """Rows whose commit is neither in the history, which lists whole hashes, nor said to be none."""
    return [
        f"{finding}: {named}"
        for finding, commits in commit_columns(document)
        for named in commits
        if named not in NO_COMMIT
        and not (HASH.fullmatch(named) and any(commit.startswith(named) for commit in history))
    ]


def git(*arguments: str) -> str:
    """What it prints; nothing where it fails."""
    found = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return found.stdout.strip()


def test_every_commit_that_is_named_is_in_the_history() -> None:
    if git("rev-parse", "--is-shallow-repository") != "false":
        pytest.skip("git has no complete history here")

    document = (ROOT / "docs/findings.md").read_text()

    assert unknown_commits(document, history=git("rev-list", "HEAD").split()) == []
    assert len(list(commit_columns(document))) > 100


def test_unknown_commits_are_found() -> None:
    table = (
        "| finding | commit | test |\n|---|---|---|\n| a | 1234567, 89abcde | t |\n| b | Add c | t |\n"
        "| c | – | t |\n| d | 1234568 | t |\n\n| word | meaning |\n|---|---|\n| e | f |\n"
    )

    assert unknown_commits(table, history=["1234567" + 33 * "0", "89abcde" + 33 * "1"]) == [
        "b: Add c",
        "d: 1234568",
    ]
