"""One writer of an order's state and one of a ticket's: lifecycle.py of each."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SANDBOX = Path(__file__).parents[1]
ROWS = {"orders": {"order", "Order"}, "faults": {"report", "FaultReport"}}


def writes(code: str, rows: set[str]) -> Iterator[int]:
    """Lines that set the state of such a row: an attribute, or a column of an update."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Assign):
            names = [each for target in node.targets for each in getattr(target, "elts", [target])]
            states = [name for name in names if isinstance(name, ast.Attribute) and name.attr == "state"]
            yield from (name.lineno for name in states if ast.unparse(name.value).split(".")[-1] in rows)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("update"):
            is_of_rows = not rows.isdisjoint(ast.unparse(node.func).split("."))
            yield from (node.lineno for key in node.keywords if key.arg == "state" and is_of_rows)


@pytest.mark.parametrize("kind", ROWS)
def test_lifecycle_alone_writes_the_state(kind: str) -> None:
    modules = [path for folder in (kind, "console") for path in (SANDBOX / folder).rglob("*.py")]
    writers = [path for path in modules if any(writes(path.read_text(), ROWS[kind]))]

    assert writers == [SANDBOX / kind / "lifecycle.py"]


@pytest.mark.parametrize(
    "code",
    [
        "order.state = 1",
        "self.order.state, x = 1, 2",
        "Order.objects.filter(pk=1).update(state=1)",
    ],
)
def test_write_is_found(code: str) -> None:
    assert list(writes(code, ROWS["orders"])) == [1]


@pytest.mark.parametrize("code", ["order.state == 1", "case.state = 1", "Order.objects.update(name=1)"])
def test_others_are_not(code: str) -> None:
    assert not list(writes(code, ROWS["orders"]))
