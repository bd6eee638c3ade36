"""Reads a setting from the environment; a wrong value stops the start and names its variable."""

import os
import re
from datetime import time
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.exceptions import ImproperlyConfigured

# so often a connection runs a statement before the PostgreSQL server keeps its plan
PREPARE_THRESHOLD = 3


def read_text(name: str, default: str) -> str:
    return os.environ.get(name, "").strip() or default


def read_path(name: str, default: Path) -> Path:
    return Path(read_text(name, str(default))).expanduser().resolve()


def read_base_path(name: str) -> str:
    """What stands before every path of an endpoint: empty, or like `/api2`."""
    path = read_text(name, "").strip("/")
    if not re.fullmatch(r"[\w./-]*", path):
        raise ImproperlyConfigured(f"{name}: {path!r} is not a path like api2")
    return f"/{path}" if path else ""


def read_interface_paths(name: str, default: str) -> list[str]:
    """Base paths of an interface that end in api2, one for each environment, separated by commas."""
    paths = [path.strip("/") for path in read_list(name, default)]
    for path in paths:
        if not re.fullmatch(r"([\w.-]+/)*api2", path):
            raise ImproperlyConfigured(f"{name}: {path!r} is not a path that ends in api2 like staging/api2")
    return paths


def read_list(name: str, default: str) -> list[str]:
    values = [value.strip() for value in read_text(name, default).split(",") if value.strip()]
    if not values:
        raise ImproperlyConfigured(f"{name} is empty; give at least one value, separated by commas")
    return values


def read_seconds(name: str, default: float) -> float:
    text = read_text(name, str(default))
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < 3600:
        raise ImproperlyConfigured(f"{name}: {text!r} is not a number of seconds between 0 and 3600")
    return seconds


def read_count(name: str, default: int, *, lowest: int, highest: int) -> int:
    text = read_text(name, str(default))
    if not text.isascii() or not text.isdigit() or not lowest <= int(text) <= highest:
        raise ImproperlyConfigured(f"{name}: {text!r} is not a whole number from {lowest} to {highest}")
    return int(text)


def read_period(name: str, default: str) -> tuple[time, time]:
    """Two times of one day on the five minutes, the first before the second: 19:00-23:00."""
    text = read_text(name, default)
    found = re.fullmatch(r"([01]\d|2[0-3]):([0-5][05])-([01]\d|2[0-3]):([0-5][05])", text)
    starts, ends = (time(), time())
    if found:
        hour, minute, end_hour, end_minute = (int(figures) for figures in found.groups())
        starts, ends = time(hour, minute), time(end_hour, end_minute)
    if starts >= ends:
        raise ImproperlyConfigured(f"{name}: {text!r} is not a period of one day like 19:00-23:00")
    return starts, ends


def read_switch(name: str, *, default: bool) -> bool:
    text = read_text(name, "yes" if default else "no").lower()
    if text not in {"yes", "no"}:
        raise ImproperlyConfigured(f"{name}: {text!r} is neither yes nor no")
    return text == "yes"


def read_choice(name: str, default: str, *, choices: tuple[str, ...]) -> str:
    text = read_text(name, default)
    if text not in choices:
        raise ImproperlyConfigured(f"{name}: {text!r} is not one of {', '.join(choices)}")
    return text


def read_namespace(name: str, default: str) -> str:
    """The name of an XML namespace: an absolute address of printable characters."""
    text = read_text(name, default)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:[!#-%'-;=?-Z_a-z~]+", text):
        raise ImproperlyConfigured(f"{name}: {text!r} is not a namespace like urn:example:orders:extension")
    return text


def read_https_urls(name: str, default: str) -> list[str]:
    """Base addresses, separated by commas."""
    return [_https_url(name, url) for url in read_list(name, default)]


def _https_url(name: str, text: str) -> str:
    """The base address without its last slash; plain http would give the packs to anyone who listens."""
    url = text.rstrip("/")
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname or parts.query or parts.fragment:
        raise ImproperlyConfigured(
            f"{name}: {url!r} is not an https address like https://127.0.0.1:8443/seller"
        )
    return url


def read_database(name: str, *, file: Path) -> dict[str, Any]:
    """A DATABASES entry: this SQLite file, or `postgresql://user:password@host:port/name?option=value`."""
    text = read_text(name, "")
    if not text:
        file.parent.mkdir(parents=True, exist_ok=True)
        return {
            "ENGINE": "seller_sandbox.sqlite",
            "NAME": file,
            # IMMEDIATE: a transaction that reads and then writes would fail at once while another one writes
            "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"},
            # opening it again for each message would cost as much as a short message
            "CONN_MAX_AGE": 60,
            # a file, so that the tests' endpoint processes see what the tests wrote
            "TEST": {"NAME": file.with_name(f"{file.name}.test")},
        }
    parts = urlsplit(text)
    if parts.scheme not in {"postgresql", "postgres"} or not parts.path.strip("/"):
        raise ImproperlyConfigured(f"{name}: write postgresql://user:password@host/name, or leave it out")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        # planning a statement of many tables takes the server longer than running it
        "OPTIONS": {
            "server_side_binding": True,
            "prepare_threshold": PREPARE_THRESHOLD,
            **dict(parse_qsl(parts.query)),
        },
        # a new connection for each message would cost more than the message
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


def read_zone(name: str, default: str) -> ZoneInfo:
    text = read_text(name, default)
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError) as problem:
        raise ImproperlyConfigured(f"{name}: {text!r} is not a time zone like Europe/London") from problem


def read_addresses(name: str, default: str) -> frozenset[str]:
    try:
        return frozenset(str(ip_address(address)) for address in read_list(name, default))
    except ValueError as problem:
        raise ImproperlyConfigured(f"{name}: {problem}") from problem
