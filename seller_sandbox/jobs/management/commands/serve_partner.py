"""Runs a stub of the partner: it accepts every job, so that orders can be rehearsed without a dispatch system."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from seller_sandbox.endpoints.stub_server import mutual_tls
from seller_sandbox.jobs.partner_stub import partner_server


class Command(BaseCommand):
    help = "Accept every createJob, cancelJob and notifyJob over mutual TLS."

    def add_arguments(self, parser: CommandParser) -> None:
        folder = settings.CERTIFICATE.parent
        parser.add_argument("--port", type=int, default=8443)
        parser.add_argument("--cert", type=Path, default=folder / "partner.pem")
        parser.add_argument("--key", type=Path, default=folder / "partner.key")

    def handle(self, *_: Any, **options: Any) -> None:
        files = {"certificate": options["cert"], "key": options["key"], "authority": settings.AUTHORITY}
        for path in files.values():
            if not path.is_file():
                raise CommandError(f"{path} is missing; make certificates first (README.md)")
        partner_server(port=options["port"], tls=mutual_tls(**files)).serve_forever()
