"""A test's own transaction around code that commits."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction


@contextmanager
def rolled_back() -> Iterator[None]:
    """Whatever is written inside is undone at the end, also what a durable block commits, as in Django's TestCase."""
    block = transaction.atomic()
    block._from_testcase = True
    with block:
        yield
        transaction.set_rollback(True)
