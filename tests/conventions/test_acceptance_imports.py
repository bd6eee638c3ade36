"""The acceptance program for orders speaks HTTPS, XML and the control interface, and knows nothing of the code.

Issue 13, 5a: other testers have only the README, docs/order-messages.md and the schemas.
"""

import ast
from collections.abc import Iterator

import pytest

from tests.conventions.sources import ROOT, Source, python
from tests.conventions.test_imports import imported_modules

PROGRAM = "tests.acceptance.orders"
# what speaks to the seller, in one file
WIRE = frozenset({"json", "lxml", "ssl", "urllib", "xml"})
PLAIN = frozenset(
    {
        *("argparse", "collections", "dataclasses", "datetime", "functools", "pathlib", "sys", "time"),
        *("traceback", "typing", "uuid", "zoneinfo"),
    }
)
# other ways to the seller's code, files and database
OTHER_WAYS = frozenset(
    {
        *("__import__", "import_module", "modules", "compile", "eval", "exec"),
        *("open", "read_text", "read_bytes", "write_text", "iterdir", "glob", "rglob"),
    }
)


def breaches(source: Source) -> list[str]:
    return source.cannot_be_parsed or [*foreign_imports(source), *other_ways(source)]


def foreign_imports(source: Source) -> Iterator[str]:
    allowed = PLAIN | WIRE if source.path.endswith("/wire.py") else PLAIN
    for module in sorted(set(imported_modules(source))):
        is_own = f"{module}.".startswith(f"{PROGRAM}.")
        if not is_own and module.split(".")[0] not in allowed:
            yield f"{source.module} must not import {module}"


def other_ways(source: Source) -> Iterator[str]:
    for node in ast.walk(source.tree):
        name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
        if name in OTHER_WAYS:
            yield f"{source.path}:{node.lineno} must not use {name}"


def test_acceptance_program_uses_the_wire_only() -> None:
    program = python("tests/acceptance")
    assert f"{PROGRAM}.wire" in {source.module for source in program}

    assert [line for source in program for line in breaches(source)] == []


def test_packages_around_the_program_do_nothing() -> None:
    """They are imported before it."""
    for path in ("tests/__init__.py", "tests/acceptance/__init__.py"):
        body = ast.parse((ROOT / path).read_text()).body
        assert [node for node in body if not isinstance(node, ast.Expr)] == [], path


@pytest.mark.parametrize(
    ("file", "code", "sentence"),
    [
        (
            "parties.py",
            "from seller_sandbox.orders import reasons",
            f"{PROGRAM}.parties must not import seller_sandbox.orders.reasons",
        ),
        ("wire.py", "import django.db", f"{PROGRAM}.wire must not import django.db"),
        ("wire.py", "import sqlite3", f"{PROGRAM}.wire must not import sqlite3"),
        ("parties.py", "import subprocess", f"{PROGRAM}.parties must not import subprocess"),
        ("parties.py", "from lxml import etree", f"{PROGRAM}.parties must not import lxml.etree"),
        ("parties.py", "from tests.make import job", f"{PROGRAM}.parties must not import tests.make.job"),
        (
            "parties.py",
            "from ...made_once import x",
            f"{PROGRAM}.parties must not import tests.made_once.x",
        ),
        (
            "parties.py",
            "__import__('django')",
            "tests/acceptance/orders/parties.py:1 must not use __import__",
        ),
        ("parties.py", "open('var/x')", "tests/acceptance/orders/parties.py:1 must not use open"),
        (
            "parties.py",
            "Path('x').read_text()",
            "tests/acceptance/orders/parties.py:1 must not use read_text",
        ),
        ("parties.py", "sys.modules", "tests/acceptance/orders/parties.py:1 must not use modules"),
    ],
)
def test_other_way_is_named(file: str, code: str, sentence: str) -> None:
    assert breaches(Source(f"tests/acceptance/orders/{file}", code)) == [sentence]


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("wire.py", "import ssl\nimport urllib.request\nfrom lxml import etree"),
        ("parties.py", "from tests.acceptance.orders.wire import element\nfrom . import wire\nimport time"),
    ],
)
def test_own_modules_and_the_wire_are_allowed(file: str, code: str) -> None:
    assert breaches(Source(f"tests/acceptance/orders/{file}", code)) == []
