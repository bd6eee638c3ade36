"""docs/findings.md names the test of each finding: every test file and test that it names is there."""

import re
from pathlib import Path

from tests.conventions.sources import ROOT

NAMED_FILE = re.compile(r"[\w/]*test_\w+\.py|[\w/]+\.test\.mjs|[\w/]+_vectors\.json")
NAMED_TEST = re.compile(r"([\w/]*test_\w+\.py)::(test_\w+)(…?)")
TESTS = ("tests", "seller_sandbox/tests")


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
