"""Settings of the connections to the database, the task queue, the cache in its Redis, the travel server, the seller's
test of a line and the company's OpenID Connect provider, with time limits."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.environment import (
    env_bool,
    env_choice,
    env_float,
    env_int,
    env_list,
    env_path,
    env_secret,
    env_text,
    env_url,
)

CONNECT_SECONDS = 3
TCP_TIMEOUT_MILLISECONDS = 10_000
# a row or table that somebody else holds is waited for as long as SQLite's write lock, whose error is the same; nobody
# holds one for ever because a process stands still in its transaction
LOCK_LIMITS = "-c lock_timeout=10s -c idle_in_transaction_session_timeout=60s"


def with_options(database: dict[str, Any], *, connection_seconds: int, prepare_after: int) -> dict[str, Any]:
    """A DATABASES entry that keeps a connection so many seconds and prepares a statement that was seen so often."""
    options = {**database, "CONN_MAX_AGE": connection_seconds}
    if database["ENGINE"] == "config.sqlite":
        return {**options, "OPTIONS": {"timeout": 10, "transaction_mode": "IMMEDIATE"}}
    # a server that does not answer, or is gone from the network, must not hold a web thread for minutes
    bounded = {"connect_timeout": CONNECT_SECONDS, "tcp_user_timeout": TCP_TIMEOUT_MILLISECONDS}
    # a statement that a connection has seen often is planned once, and its values travel beside it
    planned = {"server_side_binding": True, "prepare_threshold": prepare_after or None}
    # of two values the server takes the later one
    limits = {"options": f"{LOCK_LIMITS} {database['OPTIONS'].get('options', '')}".strip()}
    ours = {**bounded, **planned, **database["OPTIONS"], **limits}
    return {**options, "CONN_HEALTH_CHECKS": True, "OPTIONS": ours}


# a web request puts something in and must not wait for a machine that is away;
# the worker's blocking read lasts a second and must be shorter than the second limit
REDIS_LIMITS = "socket_connect_timeout=1&socket_timeout=5"
# of a cache that a page asks and can do without
CACHE_LIMITS = {"socket_connect_timeout": "0.2", "socket_timeout": "0.2"}


def redis_address(url: str) -> str:
    """The address with our limits, unless it brings its own."""
    parts = urlsplit(url)
    return url if parts.query else parts._replace(query=REDIS_LIMITS).geturl()


def _cache_address(url: str) -> str:
    """The same place with the cache's limits, whatever it says of the queue's."""
    parts = urlsplit(url)
    query = urlencode({**dict(parse_qsl(parts.query)), **CACHE_LIMITS})
    return parts._replace(query=query).geturl()


def cluster_settings(*, broker: str, redis_url: str, processes: int, task_seconds: int) -> dict[str, Any]:
    """Q_CLUSTER for django-q2 (docs/adr/0011): `task_seconds` is the longest that one task may take."""
    return {
        "name": "dispatch",
        "label": "Background work",
        **({"redis": redis_address(redis_url)} if broker == "redis" else {"orm": "default"}),
        "broker_class": f"background.broker.{'RedisBroker' if broker == 'redis' else 'DatabaseBroker'}",
        "workers": processes,
        "timeout": task_seconds,
        # a task that nobody acknowledged by then runs again
        "retry": 2 * task_seconds,
        # counts failures and time-outs; a try that kills its worker is counted by the task itself
        "max_attempts": 3,
        # what waits inside a cluster waits there until `retry` when the cluster dies
        "queue_limit": 2 * processes,
        "bulk": 1,
        "poll": 0.5,
        "catch_up": False,
        # failures are kept for reading, successes are of no interest
        "save_limit": -1,
        "max_rss": 300_000,
    }


def cache_settings(*, broker: str, redis_url: str) -> dict[str, dict[str, Any]]:
    """CACHES. `default`: in the Redis of the queue, where there is one; otherwise in each process for itself, as
    `process` always is: what one page reads many times and may be seconds old."""
    own = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    default = {**own, "OPTIONS": {"MAX_ENTRIES": 10_000}}
    if broker == "redis":
        backend = "django.core.cache.backends.redis.RedisCache"
        default = {"BACKEND": backend, "LOCATION": _cache_address(redis_url), "KEY_PREFIX": "dispatch"}
    return {"default": default, "process": {**own, "LOCATION": "process"}}


@dataclass(frozen=True)
class TravelServer:
    """`url`: empty without one. `locations`: in one request, both ends together. `seconds`: of waiting for one plan."""

    url: str
    kind: str
    locations: int
    seconds: float


def travel_server_settings() -> TravelServer:
    return TravelServer(
        url=env_url("TRAVEL_SERVER_URL"),
        kind=env_choice("TRAVEL_SERVER_KIND", "osrm", {"osrm", "valhalla"}),
        locations=env_int("TRAVEL_SERVER_LOCATIONS", 100, lowest=2, highest=10_000),
        seconds=env_float("TRAVEL_SERVER_SECONDS", 5, lowest=0.1, highest=60),
    )


@dataclass(frozen=True)
class LineCheckSettings:
    """`path`: of the seller's diagnostics interface on each of its endpoints. `seconds`: for one answer, over all
    endpoints. A service's answer is given again for `cache_seconds`; the two limits are for each full minute.
    """

    is_on: bool
    path: str
    seconds: float
    cache_seconds: float
    per_job: int
    per_minute: int


def line_check_settings() -> LineCheckSettings:
    return LineCheckSettings(
        is_on=env_bool("LINE_CHECK", default=False),
        path=env_path("LINE_CHECK_PATH", "/sandbox/api2"),
        seconds=env_float("LINE_CHECK_SECONDS", 5, lowest=0.1),
        cache_seconds=env_float("LINE_CHECK_CACHE_SECONDS", 10),
        per_job=env_int("LINE_CHECK_PER_JOB", 6, lowest=1),
        per_minute=env_int("LINE_CHECK_PER_MINUTE", 120, lowest=1),
    )


# nobody becomes a supervisor by signing in for the first time
NEW_ACCOUNT_ROLES = {"", "senior_dispatcher", "dispatcher", "planner", "auditor"}


@dataclass(frozen=True)
class IdentityProvider:
    """`issuer` as the tokens name it. `new_account_role`: of an account that is made at the first sign-in; empty where
    a supervisor makes every account. `second_factors`: what `amr` or `acr` of a token says where the provider has asked
    for a second factor."""

    issuer: str
    client_id: str
    client_secret: str
    label: str
    new_account_role: str
    second_factors: frozenset[str]


@dataclass(frozen=True)
class SignInSettings:
    """`provider` is None until it is set."""

    provider: IdentityProvider | None
    password_reset_minutes: int


def sign_in_settings(*, is_plain_http: bool) -> SignInSettings:
    """Raises ImproperlyConfigured with the name of the variable and the remedy."""
    return SignInSettings(
        provider=_provider(schemes=("https", "http") if is_plain_http else ("https",)),
        password_reset_minutes=env_int("PASSWORD_RESET_MINUTES", 30, lowest=5, highest=1440),
    )


def _provider(*, schemes: tuple[str, ...]) -> IdentityProvider | None:
    issuer, secret = env_url("OIDC_ISSUER", schemes=schemes), env_secret("OIDC_CLIENT_SECRET")
    client_id, label = env_text("OIDC_CLIENT_ID"), env_text("OIDC_LABEL")
    role = env_choice("OIDC_NEW_ACCOUNT_ROLE", "", NEW_ACCOUNT_ROLES)
    factors = frozenset(env_list("OIDC_SECOND_FACTORS", "mfa"))
    if not issuer:
        return None
    for name, value in {"OIDC_CLIENT_ID": client_id, "OIDC_CLIENT_SECRET": secret}.items():
        if not value:
            raise ImproperlyConfigured(f"{name}: set it as the provider of OIDC_ISSUER has given it to you")
    return IdentityProvider(issuer, client_id, secret, label, role, factors)
