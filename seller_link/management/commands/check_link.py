"""manage.py check_link: the state of both directions in one screen; exits with 1 when something is wrong."""

import sys
import textwrap
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import timezone
from django.utils.translation import gettext as _

from seller_link import connection_check
from seller_link.connection_check import EndpointCheck, QueueCheck, SellerServerCheck

WIDTH, NAMES = 100, 26


class Command(BaseCommand):
    help = "Check the connection to the seller in both directions; list problems with their remedies"

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            endpoints, server, queue = (
                connection_check.check_endpoints(),
                connection_check.check_seller_server(),
                connection_check.check_queue(),
            )
        except DatabaseError as problem:
            text = _(
                "The database %(name)s can't be read: %(problem)s. Check DATABASE_URL, then run migrate."
            )
            name = settings.DATABASES["default"]["NAME"]
            raise CommandError(text % {"name": name, "problem": problem}) from problem
        for endpoint in endpoints:
            self._show(_("To the seller: %(url)s") % {"url": endpoint.url}, _of_endpoint(endpoint))
        self._show(_("From the seller"), _of_server(server))
        self._show(_("Outbox"), _of_queue(queue))
        wrong = connection_check.complaints(endpoints, queue)
        self.stdout.write(_("Problems:") if wrong else _("No problems found."))
        for text in wrong:
            self._write("- ", text)
        if wrong:
            sys.exit(1)

    def _show(self, title: str, lines: Iterator[tuple[str, str]]) -> None:
        self._write("", title)
        for name, text in lines:
            self._write(f"  {name:<{NAMES - 3}} ", text)
        self.stdout.write("")

    def _write(self, first: str, text: str) -> None:
        """As wide as a screen; what the seller sent moves no cursor."""
        printable = "".join(character if character.isprintable() else " " for character in text)
        lines = textwrap.wrap(printable, WIDTH, initial_indent=first, subsequent_indent=" " * len(first))
        self.stdout.write("\n".join(lines or [first]))


def _of_endpoint(found: EndpointCheck) -> Iterator[tuple[str, str]]:
    yield _("address"), ", ".join(found.addresses) or _("none")
    if found.certificate:
        yield _("certificate"), f"{found.certificate.subject}, {_ends(found.certificate.ends_at)}"
        yield _("issued by"), found.certificate.issuer
        yield _("protocol"), found.certificate.tls_version
    ahead = found.clock_ahead_seconds
    yield _("clock"), _("not given") if ahead is None else _("%(ahead)+.0f s from ours") % {"ahead": ahead}
    yield _("relay status"), _state(found)
    yield _("last message delivered"), _at(found.last_delivered_at)


def _state(found: EndpointCheck) -> str:
    if found.open_until is None:
        return _("in use")
    return _("circuit open until %(at)s: %(why)s") % {"at": _at(found.open_until), "why": found.last_error}


def _of_server(found: SellerServerCheck) -> Iterator[tuple[str, str]]:
    for name, end in found.certificates.items():
        yield name.removeprefix("our ").removeprefix("the "), _ends(end)
    yield _("allowed callers"), ", ".join(settings.SELLER_ALLOWED_SUBJECTS)
    yield _("from"), ", ".join(settings.SELLER_ALLOWED_ADDRESSES)
    yield _("last message received"), _at(found.last_message_at)
    refused = ", ".join(f"{cause} {count}" for cause, count in sorted(found.refusals_today.items()))
    yield _("rejected today"), refused or _("nobody")


def _of_queue(found: QueueCheck) -> Iterator[tuple[str, str]]:
    yield _("waiting"), str(found.waiting)
    yield _("held"), str(found.held)
    yield _("oldest"), _at(found.oldest_at)


def _ends(moment: datetime | None) -> str:
    return _("expires %(at)s") % {"at": _at(moment)} if moment else _("can't be read")


def _at(moment: datetime | None) -> str:
    return timezone.localtime(moment).strftime("%a %d %b %Y %H:%M:%S") if moment else _("never")
