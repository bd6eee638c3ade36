"""Settings from the environment: each reader refuses a wrong value and names the variable and the remedy. With them
the VAPID key (RFC 8292), which signs push notifications: 32 bytes, written as 43 characters of base64url.
"""

import base64
import binascii
import os
import re
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cryptography.hazmat.primitives.asymmetric import ec
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

# the default of both links to a map
MAPS = "https://www.google.com/maps"
URL_PATH = re.compile(r"/|(/[A-Za-z0-9._~-]+)+/?")
TRUE_WORDS = {"1", "true", "yes", "on"}
FALSE_WORDS = {"0", "false", "no", "off", ""}
_names_read: set[str] = set()


def env_text(name: str, default: str = "") -> str:
    _names_read.add(name)
    return os.environ.get(name, default).strip()


def variables_set(*more: str) -> dict[str, str]:
    """What is set of the variables that a reader was asked for, and of `more`."""
    return {name: value for name, value in os.environ.items() if value and name in _names_read | set(more)}


def env_secret(name: str) -> str:
    """The value of NAME, or the content of the file that NAME_FILE points to."""
    path = env_text(f"{name}_FILE")
    if not path:
        return env_text(name)
    try:
        return Path(path).read_text().strip()
    except OSError as problem:
        raise ImproperlyConfigured(f"{name}_FILE: cannot read {path}: {problem.strerror}") from problem


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


def env_url_or_path(name: str) -> str:
    """An address, a path on our own server, or nothing."""
    return env_path(name, "/") if env_text(name).startswith("/") else env_url(name)


def env_place_url(name: str, default: str) -> str:
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


SECRETS = ("SECRET_KEY", "DATABASE_URL")
REQUIRED = (
    "ALLOWED_HOSTS",
    "PUBLIC_URL",
    "EVIDENCE_STORAGE_URL",
    "SELLER_ENDPOINTS",
    "SELLER_CLIENT_CERT",
    "SELLER_CLIENT_KEY",
    "SELLER_CA",
    "SELLER_ALLOWED_SUBJECTS",
    "SELLER_ALLOWED_ADDRESSES",
    "QUESTION_MATRIX",
    "OFFICE_PHONE",
    "ORDER_DESK_PHONE",
)
KEY_CHARACTERS, KEY_DIFFERENT_CHARACTERS = 50, 15
# what Django writes into a new project
KNOWN_KEY = "django-insecure-"


def require_production_settings() -> None:
    """Raises ImproperlyConfigured with everything that is missing, at once."""
    missing = env_missing(*SECRETS, or_file=True) + env_missing(*REQUIRED)
    if missing:
        raise ImproperlyConfigured(
            f"{', '.join(missing)}: not set; DEPLOYMENT=production needs each of them, see docs/operating.md, "
            "First start in production"
        )


def refuse_unsafe_production(
    *,
    debug: bool,
    secret_key: str,
    allowed_hosts: list[str],
    public_url: str,
    seller_files: list[str],
    demo: Path,
) -> None:
    """Raises ImproperlyConfigured with everything that must not be so in production, at once."""
    problems = [
        *(["DEBUG: shows settings and rows to strangers; set 0"] if debug else []),
        *_key_problems(secret_key),
        *(["ALLOWED_HOSTS: * lets anybody choose the host; name yours"] if "*" in allowed_hosts else []),
        *_address_problems(public_url),
        *(
            f"{path}: belongs to the demo, whose authority everybody can use who can read it"
            for path in seller_files
            if Path(path).resolve().is_relative_to(demo.resolve())
        ),
    ]
    if problems:
        raise ImproperlyConfigured("\n".join(problems))


def _key_problems(key: str) -> list[str]:
    is_weak = (
        len(key) < KEY_CHARACTERS or len(set(key)) < KEY_DIFFERENT_CHARACTERS or key.startswith(KNOWN_KEY)
    )
    text = (
        f"SECRET_KEY: too weak; it takes {KEY_CHARACTERS} random characters, for example from "
        "python3 -c 'import secrets; print(secrets.token_urlsafe(50))'"
    )
    return [text] if is_weak else []


def _address_problems(url: str) -> list[str]:
    """It is written into the links that the seller gets."""
    parts = urlsplit(url)
    if parts.scheme != "https":
        return [f"PUBLIC_URL: {url} does not begin with https://"]
    if _is_loopback(parts.hostname or ""):
        return [f"PUBLIC_URL: {url} is an address of this machine only; the seller fetches photos from it"]
    return []


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


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
