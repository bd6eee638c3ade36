"""Settings from the environment: each reader refuses a wrong value and names the variable and the remedy."""

import os
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.exceptions import ImproperlyConfigured

TRUE_WORDS = {"1", "true", "yes", "on"}
FALSE_WORDS = {"0", "false", "no", "off", ""}


def env_text(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def env_secret(name: str) -> str:
    """The value of NAME, or the content of the file that NAME_FILE points to."""
    path = env_text(f"{name}_FILE")
    if not path:
        return env_text(name)
    try:
        return Path(path).read_text().strip()
    except OSError as problem:
        raise ImproperlyConfigured(f"{name}_FILE: cannot read {path}: {problem.strerror}") from problem


def env_bool(name: str, *, default: bool) -> bool:
    word = env_text(name, "1" if default else "0").lower()
    if word not in TRUE_WORDS | FALSE_WORDS:
        raise ImproperlyConfigured(f"{name}: {word!r} is neither yes nor no; write 1 or 0")
    return word in TRUE_WORDS


def env_int(name: str, default: int, *, lowest: int = 0, highest: int = 10**9) -> int:
    text = env_text(name, str(default))
    if not text.lstrip("-").isdigit() or not lowest <= int(text) <= highest:
        raise ImproperlyConfigured(f"{name}: {text!r} is not a whole number from {lowest} to {highest}")
    return int(text)


def env_float(name: str, default: float, *, lowest: float = 0) -> float:
    text = env_text(name, str(default))
    try:
        value = float(text)
    except ValueError as problem:
        raise ImproperlyConfigured(f"{name}: {text!r} is not a number") from problem
    if value < lowest:
        raise ImproperlyConfigured(f"{name}: {text} is below {lowest}")
    return value


def env_list(name: str, default: str = "") -> list[str]:
    return [part.strip() for part in env_text(name, default).split(",") if part.strip()]


def env_choice(name: str, default: str, allowed: set[str]) -> str:
    word = env_text(name, default)
    if word not in allowed:
        raise ImproperlyConfigured(f"{name}: {word!r} is not one of {', '.join(sorted(allowed))}")
    return word


def env_zone(name: str, default: str) -> str:
    zone = env_text(name, default)
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError) as problem:
        raise ImproperlyConfigured(
            f"{name}: {zone!r} is not a time zone; write one like Europe/London"
        ) from problem
    return zone


def env_url(name: str, default: str = "", *, schemes: tuple[str, ...] = ("https", "http")) -> str:
    """An address without a trailing slash, or nothing when there is none."""
    url = env_text(name, default).rstrip("/")
    if url and (urlsplit(url).scheme not in schemes or not urlsplit(url).netloc):
        raise ImproperlyConfigured(f"{name}: {url!r} is not an address that begins with {schemes[0]}://")
    return url


def env_file(name: str, default: str) -> str:
    """A path; one that was given must be readable now, the default may come later (a demo makes its own)."""
    path = env_text(name)
    if path and not os.access(path, os.R_OK):
        raise ImproperlyConfigured(f"{name}: cannot read the file {path}")
    return path or default


def env_addresses(name: str, default: str) -> list[str]:
    """IP addresses, both families, as the socket writes them."""
    try:
        return [str(ip_address(address)) for address in env_list(name, default)]
    except ValueError as problem:
        raise ImproperlyConfigured(f"{name}: {problem}; write addresses like 192.0.2.10,::1") from problem


def env_https_urls(name: str, default: str) -> list[str]:
    """Base addresses without a trailing slash; only https, since the link is mutual TLS or nothing."""
    urls = [url.rstrip("/") for url in env_list(name, default)]
    for url in urls:
        if urlsplit(url).scheme != "https" or not urlsplit(url).hostname:
            raise ImproperlyConfigured(f"{name}: {url!r} is not an https:// address")
    return urls


def env_database(name: str, default: str, *, sqlite_engine: str) -> dict[str, Any]:
    """A DATABASES entry from `sqlite:///path` or `postgresql://user:password@host:port/name?option=value`."""
    url = env_secret(name) or default
    parts = urlsplit(url)
    if parts.scheme == "sqlite" and len(parts.path) > 1:
        return {"ENGINE": sqlite_engine, "NAME": unquote(parts.path)}
    if parts.scheme in {"postgresql", "postgres"} and parts.path.strip("/"):
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path.strip("/")),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": unquote(parts.hostname or ""),
            "PORT": str(parts.port or ""),
            "OPTIONS": dict(parse_qsl(parts.query)),
        }
    raise ImproperlyConfigured(f"{name}: write sqlite:////full/path.sqlite3 or postgresql://user@host/name")
