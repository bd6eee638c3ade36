"""Settings from the environment: each reader refuses a wrong value and names the variable and the remedy. With them
the VAPID key (RFC 8292), which signs push notifications: 32 bytes, written as 43 characters of base64url.
"""

import base64
import binascii
import os
import pwd
import re
from collections.abc import Collection
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cryptography.hazmat.primitives.asymmetric import ec
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from monitoring.ip_addresses import plain_address

# the default of both links to a map
MAPS = "https://www.google.com/maps"
URL_PATH = re.compile(r"/|(/[A-Za-z0-9._~-]+)+/?")
WHOLE_NUMBER = re.compile(r"-?[0-9]{1,10}")
TRUE_WORDS = {"1", "true", "yes", "on"}
FALSE_WORDS = {"0", "false", "no", "off", ""}
_names_read: set[str] = set()
_secrets_read: set[str] = set()


def env_text(name: str, default: str = "") -> str:
    _names_read.add(name)
    return os.environ.get(name, default).strip()


def variables_set(*more: str) -> dict[str, str]:
    """What is set of the variables that a reader was asked for, and of `more`."""
    return {name: value for name, value in os.environ.items() if value and name in _names_read | set(more)}


def secret_names() -> frozenset[str]:
    """Those that env_secret was asked for."""
    return frozenset(_secrets_read)


def env_secret(name: str) -> str:
    """The value of NAME, or the content of the file that NAME_FILE points to. Refuses two different ones."""
    _secrets_read.add(name)
    path, value = env_text(f"{name}_FILE"), env_text(name)
    if not path:
        return value
    content = _secret_in(name, path)
    if value and value != content:
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set and differ; take one of them out")
    return content


def _secret_in(name: str, path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError as problem:
        raise ImproperlyConfigured(f"{name}_FILE: cannot read {path}: {problem.strerror}") from problem
    except UnicodeDecodeError as problem:
        raise ImproperlyConfigured(f"{name}_FILE: {path} is not a text file in UTF-8") from problem


def env_missing(*names: str, or_file: bool = False) -> list[str]:
    """Those that are not set, or are empty; with `or_file` NAME_FILE counts too."""
    return [name for name in names if not env_text(name) and not (or_file and env_text(f"{name}_FILE"))]


def env_bool(name: str, *, default: bool) -> bool:
    text = env_text(name, "1" if default else "0").lower()
    if text not in TRUE_WORDS | FALSE_WORDS:
        raise ImproperlyConfigured(f"{name}: {text!r} is neither yes nor no; write 1 or 0")
    return text in TRUE_WORDS


def env_int(name: str, default: int, *, lowest: int = 0, highest: int = 10**9) -> int:
    text = env_text(name, str(default))
    if not WHOLE_NUMBER.fullmatch(text) or not lowest <= int(text) <= highest:
        raise ImproperlyConfigured(f"{name}: {text!r} is not a whole number from {lowest} to {highest}")
    return int(text)


def env_float(name: str, default: float, *, lowest: float = 0, highest: float = 10**9) -> float:
    text = env_text(name, str(default))
    try:
        value = float(text)
    except ValueError as problem:
        raise ImproperlyConfigured(f"{name}: {text!r} is not a number") from problem
    # not a number is neither
    if not lowest <= value <= highest:
        raise ImproperlyConfigured(f"{name}: {text} is not from {lowest} to {highest}")
    return value


def env_list(name: str, default: str = "") -> list[str]:
    return [part.strip() for part in env_text(name, default).split(",") if part.strip()]


def env_choice(name: str, default: str, allowed: set[str]) -> str:
    text = env_text(name, default)
    if text not in allowed:
        raise ImproperlyConfigured(f"{name}: {text!r} is not one of {', '.join(sorted(allowed))}")
    return text


def env_geocoder(name: str) -> str:
    """A geopy geocoder by its short name, or nothing."""
    # every process reads its settings: geopy costs it 0.4 s and 32 MB, so only a geocoder that is named has it loaded
    known = import_string("geopy.geocoders.SERVICE_TO_GEOCODER") if env_text(name) else ()
    return env_choice(name, "", {"", *known})


def env_zone(name: str, default: str) -> str:
    zone = env_text(name, default)
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as problem:
        raise ImproperlyConfigured(
            f"{name}: {zone!r} is not a time zone; write one like Europe/London"
        ) from problem
    return zone


def _has_scheme_and_host(url: str, schemes: Collection[str]) -> bool:
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        # brackets that do not close, or a port that is no number
        return False
    return is_whole and url.isprintable() and " " not in url


def env_url(name: str, default: str = "", *, schemes: tuple[str, ...] = ("https", "http")) -> str:
    """An address without a trailing slash, or nothing when there is none."""
    url = env_text(name, default).rstrip("/")
    if url and not _has_scheme_and_host(url, schemes):
        # one with a password is not repeated: what stops a start is logged
        named = "this" if "@" in url else repr(url)
        raise ImproperlyConfigured(f"{name}: {named} is not an address like {schemes[0]}://host:port")
    return url


def env_url_or_path(name: str) -> str:
    """An address, a path on our own server, or nothing."""
    return env_path(name, "/") if env_text(name).startswith("/") else env_url(name)


def env_map_url(name: str, default: str) -> str:
    """The address of a place with {latitude} and {longitude} in it, or nothing: then there is no link."""
    url = env_url(name, default)
    if url and not ("{latitude}" in url and "{longitude}" in url):
        raise ImproperlyConfigured(f"{name}: {url!r} does not hold {{latitude}} and {{longitude}}")
    return url


def env_path(name: str, default: str) -> str:
    """A path on a server of ours without a trailing slash; `/` alone is empty."""
    path = env_text(name, default)
    if not URL_PATH.fullmatch(path):
        raise ImproperlyConfigured(f"{name}: {path!r} is not a path like {default}")
    return path.rstrip("/")


def env_file(name: str, default: str) -> str:
    """A path; one that was given must be readable now, the default may come later (a demo makes its own)."""
    path = env_text(name)
    if path and (Path(path).is_dir() or not os.access(path, os.R_OK)):
        raise ImproperlyConfigured(f"{name}: {_user()} cannot read the file {path}")
    return path or default


def _user() -> str:
    """Of this process; a container may have one without a name."""
    number = os.geteuid()
    try:
        return f"the user {pwd.getpwuid(number).pw_name}"
    except KeyError:
        return f"the user with the number {number}"


def env_addresses(name: str, default: str) -> list[str]:
    """IP addresses of both families."""
    try:
        return [plain_address(str(ip_address(address))) for address in env_list(name, default)]
    except ValueError as problem:
        raise ImproperlyConfigured(f"{name}: {problem}; write addresses like 192.0.2.10,::1") from problem


def env_https_urls(name: str, default: str) -> list[str]:
    """Base addresses without a trailing slash; only https, since the link is mutual TLS or nothing."""
    urls = [url.rstrip("/") for url in env_list(name, default)]
    for url in urls:
        if not _has_scheme_and_host(url, {"https"}):
            raise ImproperlyConfigured(f"{name}: {url!r} is not an https:// address")
    return urls


def env_database(name: str, default: str, *, sqlite_engine: str) -> dict[str, Any]:
    """A DATABASES entry from `sqlite:///path` or `postgresql://user:password@host:port/name?option=value`."""
    url = env_secret(name) or default
    try:
        return _database(url, sqlite_engine)
    except ValueError as problem:
        # the address itself is not repeated: it may hold a password
        raise ImproperlyConfigured(
            f"{name}: write sqlite:////full/path.sqlite3 or postgresql://user:password@host:5432/name; in a password "
            "write / as %2F, # as %23, ? as %3F, [ as %5B and % as %25"
        ) from problem


def _database(url: str, sqlite_engine: str) -> dict[str, Any]:
    parts = urlsplit(url)
    if parts.scheme == "sqlite" and len(parts.path) > 1:
        return {"ENGINE": sqlite_engine, "NAME": unquote(parts.path)}
    if parts.scheme not in {"postgresql", "postgres"} or not parts.path.strip("/") or parts.fragment:
        raise ValueError("neither of the two")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.strip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": dict(parse_qsl(parts.query)),
    }


VAPID_KEY_BYTES = 32
# the makers' services to which browsers subscribe
PUSH_SERVICE_HOSTS = (
    "fcm.googleapis.com,updates.push.services.mozilla.com,web.push.apple.com,.notify.windows.com"
)
VAPID_CURVE = ec.SECP256R1()


def is_vapid_key(text: str) -> bool:
    try:
        vapid_private_key(text)
    except (ValueError, binascii.Error):
        return False
    return True


def env_vapid_key(name: str) -> str:
    """Empty where push notifications are off; anything else must be a key."""
    text = env_secret(name)
    if text and not is_vapid_key(text):
        raise ImproperlyConfigured(f"{name}: not a key; take what `manage.py vapid_key` prints")
    return text


def vapid_private_key(text: str) -> ec.EllipticCurvePrivateKey:
    """Raises ValueError for anything but a key of new_vapid_key."""
    raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if len(raw) != VAPID_KEY_BYTES:
        raise ValueError("32 bytes are needed")
    return ec.derive_private_key(int.from_bytes(raw), VAPID_CURVE)


def new_vapid_key() -> str:
    number = ec.generate_private_key(VAPID_CURVE).private_numbers().private_value
    return base64.urlsafe_b64encode(number.to_bytes(VAPID_KEY_BYTES)).decode().rstrip("=")
