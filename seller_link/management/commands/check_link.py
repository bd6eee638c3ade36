"""manage.py check_link: the state of both directions in one screen; exits with 1 when something is wrong."""

import sys
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from seller_link import check
from seller_link.check import Door, Endpoint, Queue


class Command(BaseCommand):
    help = "Show both directions of the link to the seller, and say what is wrong and what to do"

    def handle(self, *_args: Any, **_options: Any) -> None:
        endpoints, door, queue = check.endpoints(), check.door(), check.queue()
        for endpoint in endpoints:
            self._show("To the seller: " + endpoint.url, _of_endpoint(endpoint))
        self._show("From the seller", _of_door(door))
        self._show("Outbox", _of_queue(queue))
        wrong = [sentence for endpoint in endpoints for sentence in endpoint.wrong] + check.wrong_here(queue)
        self.stdout.write("\n".join(["Wrong:", *wrong]) if wrong else "Nothing is wrong.")
        if wrong:
            sys.exit(1)

    def _show(self, title: str, lines: Iterator[tuple[str, str]]) -> None:
        self.stdout.write(title)
        for name, said in lines:
            self.stdout.write(f"  {name:<24} {said}")
        self.stdout.write("")


def _of_endpoint(found: Endpoint) -> Iterator[tuple[str, str]]:
    yield "address", ", ".join(found.addresses) or "none"
    if found.subject:
        yield "certificate", f"{found.subject}, ends {_at(found.ends_at)}"
        yield "issued by", found.issuer
        yield "protocol", found.tls_version
    ahead = found.clock_ahead_seconds
    yield "clock", "not said" if ahead is None else f"{ahead:+.0f} s against ours"
    state = f"rests until {_at(found.rests_until)}: {found.last_error}" if found.rests_until else "in use"
    yield "relays say", state
    yield "last message delivered", _at(found.last_delivered_at)


def _of_door(found: Door) -> Iterator[tuple[str, str]]:
    for name, end in found.certificates.items():
        yield name.removeprefix("our ").removeprefix("the "), f"ends {_at(end)}" if end else "cannot be read"
    yield "may call", ", ".join(settings.SELLER_ALLOWED_SUBJECTS)
    yield "from", ", ".join(settings.SELLER_ALLOWED_ADDRESSES)
    yield "last message received", _at(found.last_message_at)
    refused = ", ".join(f"{cause} {count}" for cause, count in sorted(found.refusals_today.items()))
    yield "turned away today", refused or "nobody"


def _of_queue(found: Queue) -> Iterator[tuple[str, str]]:
    yield "waiting", str(found.waiting)
    yield "held", str(found.held)
    yield "oldest", _at(found.oldest_at)


def _at(moment: datetime | None) -> str:
    return timezone.localtime(moment).strftime("%a %d %b %Y %H:%M:%S") if moment else "never"
