"""manage.py seller_server: the seller's requests over mutual TLS, our own or nginx's (deploy/nginx)."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from monitoring.listening_addresses import refuse_unusable
from monitoring.service_command import ServiceCommand
from seller_link.certificate_files import missing_server_files, server_problems
from seller_link.server.uvicorn_server import serve


class Command(ServiceCommand):
    help = "Serve createJob, cancelJob and notifyJob to the seller over mutual TLS"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", type=_without_brackets, default="127.0.0.1", help="[::1] is ::1")
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
        sys.exit(serve(host=options["host"], port=options["port"], socket=options["socket"]))


def _without_brackets(host: str) -> str:
    """An IPv6 address as a page's address has it."""
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host
