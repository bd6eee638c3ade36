"""Runs the console page and the control interface on the loopback address."""

import warnings
from typing import Any

import uvicorn
from django.core.asgi import get_asgi_application
from django.core.management.base import BaseCommand, CommandParser


class Command(BaseCommand):
    help = "Serve the console on 127.0.0.1; it has no log-in, so it listens nowhere else."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=9000)

    def handle(self, *_: Any, **options: Any) -> None:
        # the style sheets are small and read at once, so it does not matter that they are not streamed
        warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")
        config = uvicorn.Config(
            get_asgi_application(),
            host="127.0.0.1",
            port=options["port"],
            ws="none",
            lifespan="off",
            proxy_headers=False,
            server_header=False,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=5,
        )
        uvicorn.Server(config).run()
