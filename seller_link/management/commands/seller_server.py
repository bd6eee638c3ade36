"""manage.py seller_server: the seller's requests over mutual TLS, our own or nginx's (deploy/nginx)."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db.backends.signals import connection_created

from monitoring.listening_addresses import has_ipv6, refuse_unusable
from monitoring.service_command import ServiceCommand
from seller_link.certificate_files import missing_server_files, server_problems
from seller_link.server.asgi import limit_lock_waits
from seller_link.server.uvicorn_server import serve

EVERY_ADDRESS, EVERY_IPV4_ADDRESS = "::", "0.0.0.0"  # noqa: S104 (the seller calls from outside)
HOST_HELP = "[::1] is ::1; :: is every address, IPv4 and IPv6 where the machine has it"


class Command(ServiceCommand):
    help = "Serve createJob, cancelJob and notifyJob to the seller over mutual TLS"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", type=_listening_host, default="127.0.0.1", help=HOST_HELP)
        parser.add_argument("--port", type=int, default=8443)
        parser.add_argument(
            "--socket",
            default="",
            help="Unix socket instead of host and port when nginx terminates TLS; only nginx may enter its folder",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        if not options["socket"]:
            refuse_unusable(options["host"], options["port"])
            if problems := missing_server_files() + server_problems():
                raise CommandError("\n".join(problems))
        connection_created.connect(limit_lock_waits)
        sys.exit(serve(host=options["host"], port=options["port"], socket=options["socket"]))


def _listening_host(text: str) -> str:
    """An IPv6 address may stand in brackets, as a page's address has it."""
    host = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    return EVERY_IPV4_ADDRESS if host == EVERY_ADDRESS and not has_ipv6() else host
