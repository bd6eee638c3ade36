"""Django's cache for what may be lost at any time: a cache that is away, or that does not answer, only costs time."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache as run_once
from typing import Any, TypeVar

import structlog
from django.conf import settings
from django.core.cache import cache
from redis.exceptions import RedisError

from monitoring.backoff import Backoff

Value = TypeVar("Value")
CACHE_AWAY = (RedisError, OSError)
log = structlog.get_logger("caching")


def guarded_cache() -> AbstractContextManager[None]:
    """Round each use of the cache. Raises one of CACHE_AWAY, at once while the cache rests."""
    return _rest_of(str(settings.CACHES["default"].get("LOCATION", ""))).around(*CACHE_AWAY)


@run_once
def _rest_of(_address: str) -> Backoff:
    """One for each address in this process."""
    return Backoff()


def get_or_compute(name: str, compute: Callable[[], Value], *, seconds: int) -> Value:
    """The value of at most `seconds` ago."""
    known: Value | None = find(name)
    if known is None:
        known = compute()
        store(name, known, seconds=seconds)
    return known


def find(name: str) -> Any:
    """What is stored under this name; None where it is not, or not any more."""
    return _use_cache(name, lambda: cache.get(_key(name)))


def store(name: str, value: object, *, seconds: int) -> None:
    _use_cache(name, lambda: cache.set(_key(name), value, timeout=seconds))


def _key(name: str) -> str:
    return name.replace(" ", "_")


def _use_cache(name: str, use: Callable[[], Value]) -> Value | None:
    try:
        with guarded_cache():
            return use()
    except CACHE_AWAY as problem:
        log.warning("cache away", name=name, error=type(problem).__name__)
        return None
