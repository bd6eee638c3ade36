"""Each app of the sandbox imports only what stands before it, so that the parts can be read one after the other."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SANDBOX = Path(__file__).resolve().parents[1]
SHARED = ("models", "sandbox_time", "due_actions", "clock", "state_pages")
APPS = ("endpoints", "messages", "soap", "network", "diagnostics", "jobs", "orders", "faults", "console")
ORDER = {name: index for index, name in enumerate([*SHARED, *APPS])}


def imported_parts(text: str) -> Iterator[str]:
    """`messages` for `from seller_sandbox.messages import outbox` as for `from seller_sandbox import messages`."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name.split(".")[1] for name in names if name.startswith("seller_sandbox."))


def wrong_directions(part: str, text: str) -> list[str]:
    return [
        f"{part} must not import {name}"
        for name in sorted(set(imported_parts(text)))
        if ORDER.get(name, -1) > ORDER[part]
    ]


def test_imports_point_to_what_stands_before() -> None:
    paths = [path for path in SANDBOX.rglob("*.py") if "tests" not in path.parts]
    parts = [(path.relative_to(SANDBOX).parts[0].removesuffix(".py"), path) for path in paths]

    assert [
        line for part, path in parts if part in ORDER for line in wrong_directions(part, path.read_text())
    ] == []


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("messages", "from seller_sandbox.jobs.models import Job"),
        ("jobs", "from seller_sandbox import orders"),
        ("due_actions", "import seller_sandbox.clock"),
    ],
)
def test_wrong_direction_is_named(part: str, text: str) -> None:
    assert len(wrong_directions(part, text)) == 1
