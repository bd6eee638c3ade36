"""Runs one of the operator's endpoints, for partners and buyers, over mutual TLS."""

from threading import Event, Thread
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from seller_sandbox.endpoints import credentials
from seller_sandbox.endpoints.asgi import application
from seller_sandbox.endpoints.tls import PeerProtocol, PresentedContext


class Command(BaseCommand):
    help = "Serve one endpoint for partners and buyers, over mutual TLS."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", required=True, help="the endpoint's name on the console, for example A")
        parser.add_argument("--port", type=int, required=True)
        parser.add_argument("--host", default="127.0.0.1")

    def handle(self, *_: Any, **options: Any) -> None:
        for path in (settings.CERTIFICATE, settings.KEY, settings.AUTHORITY):
            if not path.is_file():
                raise CommandError(f"{path} is missing; make certificates first (README.md)")
        context, stop = PresentedContext(), Event()
        Thread(target=credentials.follow, args=(context.renew, stop), daemon=True).start()
        config = uvicorn.Config(
            application(endpoint=options["name"]),
            host=options["host"],
            port=options["port"],
            http=PeerProtocol,
            ws="none",
            loop="asyncio",
            lifespan="off",
            interface="asgi3",
            ssl_context_factory=lambda *_: context.listening,
            # a forwarded address would pass the allow-list with whatever the caller writes
            proxy_headers=False,
            server_header=False,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=5,
        )
        uvicorn.Server(config).run()
        stop.set()
