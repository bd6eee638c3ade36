"""Settings and metrics as a support bundle shows them: only what is on a list of harmless names and shapes."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from config.environment import variables_set

# numbers, switches and choices; nothing that somebody could write a sentence or a key into
PLAIN_SETTINGS = frozenset(
    {
        *("DEPLOYMENT", "DEBUG", "TIME_ZONE", "LOG_LEVEL", "Q_BROKER", "RATE_LIMIT_SCALE"),
        *("WEB_PROCESSES", "WEB_THREADS", "WEB_MEMORY_MB", "WORKER_PROCESSES", "WORKER_TASK_SECONDS"),
        *("HEARTBEAT_SILENT_SECONDS", "DATABASE_CONNECTION_SECONDS", "DATABASE_PREPARE_AFTER"),
        *("LOGIN_FAILURE_LIMIT", "LOGIN_COOLOFF_HOURS", "SESSION_HOURS", "SIGN_IN_LINK_HOURS"),
        *("REQUIRE_SECOND_FACTOR", "SKILL_WARNING_DAYS", "POSITION_KEPT_DAYS", "POSITION_EXACT_DAYS"),
        *("RETENTION_PACK_DAYS", "RETENTION_MESSAGE_DAYS", "RETENTION_PHOTO_DAYS"),
        *("RETENTION_SIGNATURE_DAYS", "RETENTION_PHONE_MESSAGE_DAYS", "RETENTION_LOG_DAYS"),
        *("BACKUP_WARNING_HOURS", "DISK_FREE_MB", "PHOTO_MAX_BYTES", "CLOSURE_REVIEW"),
        *("TRAVEL_SHORTFALL_MINUTES", "TRAVEL_SERVER_KIND", "TRAVEL_SERVER_LOCATIONS"),
        *("TRAVEL_SERVER_SECONDS", "TRAVEL_KEPT_DAYS", "PLAN_SECONDS"),
        *("NETWORK_PATTERN_JOBS", "NETWORK_PATTERN_MINUTES"),
        *("CAPACITY_TRAVEL_MINUTES", "CAPACITY_WARNING_DAYS", "CAPACITY_WARNING_MINUTES", "GEOCODER"),
        *("SELLER_DEADLINE_SECONDS", "SELLER_MESSAGE_MAX_BYTES", "SELLER_SERVER_PROCESSES"),
        *("SELLER_SERVER_CONNECTIONS", "SELLER_SERVER_QUEUE", "SELLER_SERVER_WAIT_SECONDS"),
        *("SELLER_SERVER_READ_SECONDS", "RELAY_WORKERS", "RELAY_LEASE_SECONDS"),
        *("RELAY_BACKOFF_CAP_SECONDS", "LINE_CHECK", "LINE_CHECK_SECONDS", "LINE_CHECK_CACHE_SECONDS"),
        *("LINE_CHECK_PER_JOB", "LINE_CHECK_PER_MINUTE", "SMS_GATEWAY_FORMAT"),
    }
)
ADDRESS_SETTINGS = frozenset(
    {
        *("DATABASE_URL", "REDIS_URL", "EVIDENCE_STORAGE_URL", "PUBLIC_URL", "SELLER_ENDPOINTS"),
        *("SELLER_RECORD_URL", "TRAVEL_SERVER_URL", "MAP_TILES_URL", "BOARD_STREAM_URL"),
        *("MAIL_SERVER_URL", "SMS_GATEWAY_URL"),
    }
)
PLAIN = re.compile(r"[A-Za-z0-9_.+/-]{1,40}")
HOST = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
HIDDEN = "(set)"
ADDRESS = re.compile(r"[a-z0-9+]+://\S+")


def open_variables() -> dict[str, str]:
    """Every setting that is set, by name: its value, its scheme and host, or only that it is set."""
    return {name: _display(name, value) for name, value in sorted(variables_set().items())}


def _display(name: str, value: str) -> str:
    if name in PLAIN_SETTINGS and PLAIN.fullmatch(value):
        return value
    if name in ADDRESS_SETTINGS:
        return ",".join(scheme_and_host(part) for part in value.split(","))
    return HIDDEN


def scheme_and_host(address: str) -> str:
    """`https://a.example`, without user, password, port, path and query."""
    try:
        parts = urlsplit(address.strip())
        host = parts.hostname or ""
    except ValueError:
        return HIDDEN
    if not parts.scheme or not HOST.fullmatch(host or "-"):
        return HIDDEN
    return f"{parts.scheme}://{host}"


def _with_port(address: str) -> str:
    """Of an endpoint: two of one host differ in it."""
    found = scheme_and_host(address)
    port = urlsplit(address.strip()).port if found != HIDDEN else None
    return f"{found}:{port}" if port else found


# a label of a metric -> what its values look like
LABEL_SHAPES = {
    "view": re.compile(r"[a-z0-9_:-]{1,60}"),
    "method": re.compile(r"[A-Za-z]{1,10}"),
    "status": re.compile(r"[0-9]{1,3}"),
    "state": re.compile(r"[a-z ()]{1,40}"),
    "kind": re.compile(r"[a-z_]{1,40}"),
    # a long host name has lost its middle
    "process": re.compile(r"[a-z ]{1,20}[A-Za-z0-9._~-]{1,80} [0-9]{1,10}|worker"),
    "operation": re.compile(r"[A-Za-z]{1,40}"),
    "outcome": re.compile(r"[a-z_]{1,20}"),
    "fault": re.compile(r"[A-Za-z0-9]{0,40}"),
    "cause": re.compile(r"[a-z_]{1,40}"),
    "folder": re.compile(r"evidence|database|backups"),
    "certificate": re.compile(r"[a-z' ]{1,60}"),
    "version": re.compile(r"[0-9a-z.]{1,20}"),
    "is_current": re.compile(r"true|false"),
    "longer_than": re.compile(r"[0-9]+[hd]"),
    "schedule": re.compile(r"[a-z_]{1,60}"),
    "quantile": re.compile(r"[0-9.]{1,6}"),
    "le": re.compile(r"[0-9.e+-]{1,12}|\+Inf"),
}


# somebody has written the name; the number stands behind it
WEBHOOK_NUMBER = re.compile(r" \(([0-9]{1,18})\)$")


def open_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """The labels of one sample; an address is its scheme, host and port, a webhook its number, and what has another
    shape is hidden. What differs must differ in here, too: else two samples were the same."""
    return {name: _open_label(name, value) for name, value in labels.items()}


def _open_label(name: str, value: str) -> str:
    if name == "endpoint":
        return _with_port(value)
    if name == "webhook":
        number = WEBHOOK_NUMBER.search(value)
        return number[1] if number else "(hidden)"
    shape = LABEL_SHAPES.get(name)
    return value if shape and shape.fullmatch(value) else "(hidden)"
