"""A view that takes the slow slot of its process has a limit per user, with good and bad examples."""

import ast
from collections.abc import Iterator

import pytest

from tests.conventions.sources import OURS, Source, python


def unlimited_slow_views(source: Source) -> list[str]:
    """Functions that are marked `slow_request` and not, above it, `rate_limited`: refusing must not need the slot."""
    return [
        f"{source.path}:{view.lineno} {view.name} is a slow request without a rate limit"
        for view in slow_views(source)
        if "rate_limited" not in _marks(view)[: _marks(view).index("slow_request")]
    ]


def slow_views(source: Source) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef) and "slow_request" in _marks(node):
            yield node


def _marks(view: ast.FunctionDef) -> list[str]:
    called = [mark.func if isinstance(mark, ast.Call) else mark for mark in view.decorator_list]
    return [ast.unparse(mark).split(".")[-1] for mark in called]


def test_every_slow_view_has_a_rate_limit() -> None:
    sources = python(*OURS)

    assert [line for source in sources for line in unlimited_slow_views(source)] == []
    assert sum(len(list(slow_views(source))) for source in sources) > 5


@pytest.mark.parametrize(
    ("marks", "is_found"),
    [
        ("@rate_limited(LIMIT)\n@slow_request", False),
        ("@rate_limited(LIMIT)\n@require_POST\n@throttling.slow_request", False),
        ("@require_POST", False),
        ("@slow_request", True),
        ("@slow_request\n@rate_limited(LIMIT)", True),
    ],
)
def test_slow_view_without_a_limit_is_found(marks: str, *, is_found: bool) -> None:
    source = Source("board/views.py", f"{marks}\ndef view(request):\n    return None\n")

    assert bool(unlimited_slow_views(source)) == is_found
