"""What a start in production needs and refuses: everything that is wrong is named at once."""

from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.http.request import validate_host

from config.environment import env_missing

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
        *_host_problems(public_url, allowed_hosts),
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


def _host_problems(url: str, allowed_hosts: list[str]) -> list[str]:
    """Every page that is opened under another host than those is answered 400."""
    host = urlsplit(url).hostname or ""
    host = f"[{host}]" if ":" in host else host
    if validate_host(host, allowed_hosts):
        return []
    return [
        f"ALLOWED_HOSTS: does not name {host}, the host of PUBLIC_URL; write it without https:// and port"
    ]


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
