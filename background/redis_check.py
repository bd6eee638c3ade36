"""Whether the Redis of the task queue answers, for `/readyz`."""

from django.conf import settings
from redis import Redis


def check_redis() -> None:
    """Raises what Redis raises; nothing to ask where tasks wait in the database."""
    if settings.Q_BROKER == "redis":
        with Redis.from_url(settings.REDIS_URL, socket_connect_timeout=1, socket_timeout=5) as server:
            server.ping()
