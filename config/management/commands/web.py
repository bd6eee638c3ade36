"""manage.py web: board and phone over HTTP, for a TLS proxy in front (deploy/nginx/people.conf)."""

import os
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from monitoring import web_metrics
from monitoring.listening_addresses import refuse_unusable

# a request under way may end; a worker that hangs is killed then, so that an upgrade never leaves old code serving
STOP_SECONDS = 20


class Command(BaseCommand):
    help = "Serve board and phone over HTTP with granian (WEB_PROCESSES, WEB_THREADS, WEB_MEMORY_MB)"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *_args: Any, **options: Any) -> None:
        refuse_unusable(options["host"], options["port"])
        variables = {**os.environ, web_metrics.FOLDER_VARIABLE: web_metrics.make_folder()}
        # exec keeps our process id and the signal that we get when our own parent dies
        os.execve(sys.executable, server_command(host=options["host"], port=options["port"]), variables)  # noqa: S606


def server_command(*, host: str, port: int) -> list[str]:
    """granian with a worker replaced when it was killed or has grown over WEB_MEMORY_MB."""
    wanted = {
        "--interface": "wsgi",
        "--host": host,
        "--port": port,
        "--workers": settings.WEB_PROCESSES,
        "--blocking-threads": settings.WEB_THREADS,
        "--workers-max-rss": settings.WEB_MEMORY_MB,
        "--workers-kill-timeout": STOP_SECONDS,
        "--log-config": settings.BASE_DIR / "config" / "granian_logging.json",
    }
    arguments = [str(argument) for option in wanted.items() for argument in option]
    return [
        sys.executable,
        "-m",
        "granian",
        *arguments,
        "--respawn-failed-workers",
        "config.wsgi:application",
    ]
