"""Our own certificate: the first pair, or the next one after a change on the console."""

from collections.abc import Callable
from pathlib import Path
from threading import Event

import structlog
from django.conf import settings
from django.db import OperationalError, close_old_connections

from seller_sandbox.endpoints.models import Credentials

LOOK_EVERY_SECONDS = 0.5

log = structlog.get_logger("sandbox.credentials")


class NoNextCertificate(Exception):
    """There is no second pair to change to; the text names the missing file."""


def files() -> tuple[Path, Path]:
    """Certificate and key that are in force."""
    if uses_next():
        return settings.NEXT_CERTIFICATE, settings.NEXT_KEY
    return settings.CERTIFICATE, settings.KEY


def uses_next() -> bool:
    return Credentials.objects.filter(pk=1, uses_next=True).exists()


def change(*, to_next: bool) -> None:
    """Use the other pair from the next connection on. Raises NoNextCertificate."""
    for path in (settings.NEXT_CERTIFICATE, settings.NEXT_KEY):
        if to_next and not path.is_file():
            raise NoNextCertificate(f"{path} is missing; give SANDBOX_NEXT_CERT and SANDBOX_NEXT_KEY")
    Credentials.objects.update_or_create(pk=1, defaults={"uses_next": to_next})


def follow(change_to: Callable[[], None], stop: Event) -> None:
    """Call `change_to` once, and whenever another pair has come into force; connections that stand are left alone."""
    loaded: tuple[Path, Path] | None = None
    while not stop.wait(LOOK_EVERY_SECONDS):
        try:
            wanted = files()
            if wanted != loaded:
                change_to()
                loaded = wanted
                log.info("certificate in force", file=wanted[0].name)
        except (OSError, OperationalError):
            log.exception("certificate not changed")
        finally:
            close_old_connections()
