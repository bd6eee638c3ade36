"""Where background work waits: the address of a queue in Redis, with time limits, and what may go wrong with any."""

from urllib.parse import urlsplit

from django.db import DatabaseError, InterfaceError
from redis.exceptions import RedisError

# a web request puts something in and must not wait for a machine that is away;
# the worker's blocking read lasts a second and must be shorter than the second limit
REDIS_LIMITS = "socket_connect_timeout=1&socket_timeout=5"
QUEUE_AWAY = (DatabaseError, InterfaceError, RedisError, OSError)


def redis_address(url: str) -> str:
    """The address with our limits, unless it brings its own."""
    parts = urlsplit(url)
    return url if parts.query else parts._replace(query=REDIS_LIMITS).geturl()
