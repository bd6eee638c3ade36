"""manage.py openapi: the contract for the tools of integrators."""

from typing import Any

from django.core.management.base import BaseCommand

from seller_link.wire import openapi


class Command(BaseCommand):
    help = "Print the OpenAPI 3.1 document of both directions (kept as docs/seller-link.openapi.json)"

    def handle(self, *_args: Any, **_options: Any) -> None:
        self.stdout.write(openapi.text(), ending="")
