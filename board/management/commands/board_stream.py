"""manage.py board_stream: tells open boards what has changed, as server-sent events."""

from typing import Any

import uvicorn
from django.core.management.base import CommandParser

from monitoring.listening_addresses import refuse_unusable
from monitoring.service_command import ServiceCommand

STOP_SECONDS = 3


class Command(ServiceCommand):
    help = (
        "Serve the live stream of the boards (BOARD_STREAM_URL); without it the boards ask every two seconds"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8002)

    def handle(self, *_args: Any, **options: Any) -> None:
        refuse_unusable(options["host"], options["port"])
        self.load_addresses()
        uvicorn.run(
            "board.stream.asgi:application",
            host=options["host"],
            port=options["port"],
            proxy_headers=False,
            server_header=False,
            access_log=False,
            log_config=None,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
