"""A transaction of a test's own, or of a module's, around code that commits."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.cache import caches
from django.db import transaction
from pytest_django import DjangoDbBlocker


@contextmanager
def rolled_back() -> Iterator[None]:
    """Whatever is written inside is undone at the end, also what a durable block commits, as in Django's TestCase."""
    block = transaction.atomic()
    block._from_testcase = True
    with block:
        yield
        transaction.set_rollback(True)


def clear_caches() -> None:
    for each in caches.all():
        each.clear()


@contextmanager
def rolled_back_after_module(blocker: DjangoDbBlocker) -> Iterator[None]:
    """For a fixture of a module whose rows all its tests share: what a test of its own writes is undone behind it.

    The tests after the first one that asks for it see the rows, whether they ask or not; none may be transactional.
    """
    with blocker.unblock(), rolled_back():
        clear_caches()
        yield
