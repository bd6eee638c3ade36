"""Django's cache for what may be lost at any time: a cache that is away, or that does not answer, only costs time."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache as keep
from typing import TypeVar

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


@keep
def _rest_of(_address: str) -> Backoff:
    """One for each address in this process."""
    return Backoff()


def get_or_compute(name: str, compute: Callable[[], Value], *, seconds: int) -> Value:
    """The value of at most `seconds` ago."""
    key = name.replace(" ", "_")
    known: Value | None = _use_cache(name, lambda: cache.get(key))
    if known is None:
        known = compute()
        _use_cache(name, lambda: cache.set(key, known, timeout=seconds))
    return known


def _use_cache(name: str, use: Callable[[], Value]) -> Value | None:
    try:
        with guarded_cache():
            return use()
    except CACHE_AWAY as problem:
        log.warning("cache away", name=name, error=type(problem).__name__)
        return None
