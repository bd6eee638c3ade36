"""The schema of the diagnostics interface as callers download it: GET serviceDiagnostics.txt."""

from seller_sandbox.diagnostics.wire.namespaces import INTERFACE
from seller_sandbox.endpoints.exchange import Answer, Request
from seller_sandbox.soap import schemas

NAME = "serviceDiagnostics.txt"


def receive(_: Request) -> Answer:
    """The schema that validates."""
    content = schemas.content(INTERFACE, INTERFACE.files[0])
    return Answer(200, content, content_type="text/plain; charset=utf-8")
