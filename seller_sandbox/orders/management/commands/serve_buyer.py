"""Runs a stub of the buyers: it takes the notifications of orders and shows them."""

from pathlib import Path
from threading import Thread
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from seller_sandbox.orders import buyer_stub


class Command(BaseCommand):
    help = (
        "Take notifyOfOrderStatus of all buyers over mutual TLS, one path each, and show it on the loopback."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        folder = settings.CERTIFICATE.parent
        parser.add_argument("--port", type=int, default=9601, help="for the seller's notifications")
        parser.add_argument("--reading-port", type=int, default=9602, help="plain HTTP on 127.0.0.1")
        parser.add_argument("--file", type=Path, help="keep them in this file too, one JSON line each")
        parser.add_argument("--cert", type=Path, default=folder / "buyer-a.pem")
        parser.add_argument("--key", type=Path, default=folder / "buyer-a.key")

    def handle(self, *_: Any, **options: Any) -> None:
        for path in (options["cert"], options["key"], settings.AUTHORITY):
            if not path.is_file():
                raise CommandError(f"{path} is missing; make certificates first (README.md)")
        stub = buyer_stub.BuyerStub(file=options["file"])
        callbacks = buyer_stub.callback_server(
            stub,
            port=options["port"],
            certificate=options["cert"],
            key=options["key"],
            authority=settings.AUTHORITY,
        )
        reading = buyer_stub.reading_server(stub, port=options["reading_port"])
        Thread(target=reading.serve_forever, daemon=True).start()
        callbacks.serve_forever()
