"""The schema files as buyers download them: GET /schemas/<name>.xsd at the endpoints."""

from seller_sandbox.endpoints.exchange import Answer, Request
from seller_sandbox.orders.wire.namespaces import INTERFACE
from seller_sandbox.soap import schemas
from seller_sandbox.soap.media_type import CONTENT_TYPE

FOLDER = "schemas"


def paths() -> list[str]:
    return [f"{FOLDER}/{name}" for name in INTERFACE.files]


def receive(request: Request) -> Answer:
    """One file, with the namespaces of this installation."""
    return Answer(
        200,
        schemas.content(INTERFACE, request.operation.removeprefix(f"{FOLDER}/")),
        content_type=CONTENT_TYPE,
    )
