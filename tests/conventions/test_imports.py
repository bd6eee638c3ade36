"""The import map (docs/adr/0010): imports point up the table of docs/architecture.md, never back.

Change ALLOWED only in a commit of its own.
"""

import ast
from collections.abc import Iterable, Iterator

import pytest

from tests.conventions.sources import OURS, PACKAGES, Source, functions, python

DOMAIN = {"monitoring", "engineers", "dispatch", "closures", "seller_link"}

# package -> the packages it may import, next to itself
ALLOWED: dict[str, set[str]] = {
    "monitoring": set(),
    "engineers": {"monitoring"},
    "dispatch": {"engineers", "monitoring"},
    "closures": {"dispatch", "engineers", "monitoring"},
    "seller_link": DOMAIN,
    "seller_link.server": DOMAIN,
    # the command that starts the seller's server stands before it, and nobody imports a command
    "seller_link.management": DOMAIN | {"seller_link.server"},
    "board": DOMAIN | {"board.models"},
    "board.models": set(),
    "phone": DOMAIN,
    # an office page of the phone, in the board's frame; the board knows nothing of the phone
    "phone.offline_import_views": DOMAIN | {"board", "phone"},
    # alarms to people, with an office page in the board's frame; it tells them in the board's words
    "alerting": DOMAIN | {"board"},
    # pages of the office, in the board's frame; the board knows nothing of them
    "partner_api": DOMAIN | {"board"},
    # messages to customers: the live page in nobody's frame, and the office's page in the board's
    "customer_messages": DOMAIN | {"board"},
    # erasing a person reaches the filters that the office has saved
    "background": DOMAIN | {"alerting", "phone", "board.models", "partner_api", "customer_messages"},
    # a back-up holds the settings and writes folders as private as theirs; nobody imports it
    "operations": DOMAIN | {"config"},
    # an office page in the board's frame, which shows the age of backups; the board knows nothing of them
    "operations.status_page": DOMAIN | {"board", "operations", "phone"},
    "operations.status_views": DOMAIN | {"board", "operations.status_page"},
    "operations.urls": {"operations.status_views"},
    # what runs the processes of a demo knows the settings' parsers; nobody imports it
    "demo": DOMAIN | {"board", "phone", "background", "config"},
    # settings, storage and the web server; the web interfaces in urls only
    "config": {"monitoring"},
    "config.urls": {
        *("alerting", "board", "phone", "phone.offline_import_views", "engineers", "closures", "monitoring"),
        *("partner_api", "customer_messages"),
    },
    "seller_sandbox": set(),
}


def package_of(module: str) -> str | None:
    """The innermost package of ALLOWED that a module belongs to; None for what is not ours."""
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        if name in ALLOWED:
            return name
    return None


def imported_modules(source: Source) -> Iterator[str]:
    """Each module named in an import; `from a import b` counts as `a.b`, since b may be a module."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(source, node)
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _base(source: Source, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    is_package = source.path.endswith("__init__.py")
    parts = source.module.split(".")
    parts = parts[: len(parts) - node.level + is_package]
    return ".".join([*parts, *([node.module] if node.module else [])])


def wrong_directions(source: Source) -> list[str]:
    package = package_of(source.module)
    if source.cannot_be_parsed or package is None:
        return source.cannot_be_parsed
    targets = {module: package_of(module) for module in imported_modules(source)}
    return [
        f"{source.module} must not import {module}"
        for module, target in sorted(targets.items())
        if target and target != package and target not in ALLOWED[package]
    ]


def inline_imports(source: Source) -> list[str]:
    if source.cannot_be_parsed:
        return source.cannot_be_parsed
    return sorted(
        {
            f"{source.path}:{node.lineno} imports inside {function.name}"
            for function in functions(source.tree)
            # Django calls it when the models exist, and not before: the one place that cannot import above
            if not (function.name == "ready" and source.path.endswith("/apps.py"))
            for node in ast.walk(function)
            if isinstance(node, ast.Import | ast.ImportFrom)
        }
    )


def two_way_pairs(sources: Iterable[Source]) -> list[str]:
    """Two apps that import each other, in whichever of their modules."""
    imported = {
        (source.module.split(".")[0], module.split(".")[0])
        for source in sources
        if not source.cannot_be_parsed
        for module in imported_modules(source)
    }
    return sorted(
        f"{app} and {other} import each other"
        for app, other in imported
        if app < other and (other, app) in imported
    )


def test_no_two_apps_import_each_other() -> None:
    assert two_way_pairs(python(*OURS)) == []


def test_two_way_pair_is_named() -> None:
    down, back = (
        Source("phone/api.py", "import dispatch.jobs"),
        Source("dispatch/jobs.py", "from phone import api"),
    )

    assert two_way_pairs([down]) == []
    assert two_way_pairs([down, back]) == ["dispatch and phone import each other"]


def test_imports_point_down() -> None:
    assert [line for source in python(*PACKAGES) for line in wrong_directions(source)] == []


def test_no_import_hides_inside_a_function() -> None:
    assert [line for source in python(*PACKAGES, "tools") for line in inline_imports(source)] == []


def test_nobody_imports_tests_or_tools() -> None:
    outsiders = [
        f"{source.module} must not import {module}"
        for source in python(*OURS, "seller_sandbox")
        for module in imported_modules(source)
        if module.split(".")[0] in {"tests", "tools"} and not source.path.startswith("seller_sandbox/tests")
    ]

    assert outsiders == []


def test_every_package_is_on_the_map() -> None:
    assert [package for package in PACKAGES if package not in ALLOWED] == []


@pytest.mark.parametrize(
    ("path", "code", "sentence"),
    [
        (
            "closures/closure_validation.py",
            "from phone import sync",
            "closures.closure_validation must not import phone.sync",
        ),
        (
            "engineers/staff.py",
            "import dispatch.jobs",
            "engineers.staff must not import dispatch.jobs",
        ),
        (
            "board/views.py",
            "from phone.day_payload import serialize_day",
            "board.views must not import phone.day_payload.serialize_day",
        ),
        (
            "dispatch/job_events.py",
            "from board.day.board_presenter import Board",
            "dispatch.job_events must not import board.day.board_presenter.Board",
        ),
        (
            "dispatch/jobs.py",
            "from board.day import board_presenter",
            "dispatch.jobs must not import board.day.board_presenter",
        ),
        (
            "dispatch/jobs.py",
            "from config import environment",
            "dispatch.jobs must not import config.environment",
        ),
        (
            "seller_sandbox/clock.py",
            "from seller_link.wire import v1",
            "seller_sandbox.clock must not import seller_link.wire.v1",
        ),
        ("config/urls.py", "import seller_sandbox.urls", "config.urls must not import seller_sandbox.urls"),
        ("dispatch/jobs.py", "def broken(:", "dispatch/jobs.py:1 cannot be parsed"),
    ],
)
def test_bad_import_is_named(path: str, code: str, sentence: str) -> None:
    assert wrong_directions(Source(path, code)) == [sentence]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("closures/closing.py", "from dispatch import jobs"),
        ("phone/sync.py", "from closures import closing\nfrom engineers.models import User"),
        ("board/jobs/actions.py", "from . import search\nfrom seller_link import outbox"),
        ("config/urls.py", "from board import urls"),
        ("dispatch/visits.py", "import json\nfrom django.db import models"),
        ("seller_sandbox/console/views.py", "from seller_sandbox.jobs import packs"),
    ],
)
def test_good_import_is_left_alone(path: str, code: str) -> None:
    assert wrong_directions(Source(path, code)) == []


def test_inline_import_is_named() -> None:
    source = Source("dispatch/jobs.py", "import json\n\ndef load():\n    import yaml\n")

    assert inline_imports(source) == ["dispatch/jobs.py:4 imports inside load"]


def test_import_when_the_models_are_ready_is_left_alone() -> None:
    text = "class Config:\n    def ready(self):\n        from closures import evidence\n"

    assert inline_imports(Source("closures/apps.py", text)) == []
    assert inline_imports(Source("closures/jobs.py", text)) == ["closures/jobs.py:3 imports inside ready"]
