"""Namespaces of the buyer interface, and names in Clark notation ({namespace}name): prefixes do not matter."""

from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from seller_sandbox.soap.interfaces import Interface
from seller_sandbox.soap.namespaces import SCHEMA, SOAP

INTERFACE_VERSION = "2.31"
# ours: the document does not show the namespace of the standard elements
BASE = "urn:sandbox-seller:orders"
EXTENSION = settings.ORDER_EXTENSION_NAMESPACE
if EXTENSION in {BASE, SOAP, SCHEMA}:
    raise ImproperlyConfigured(f"SANDBOX_ORDER_EXTENSION_NAMESPACE: {EXTENSION} is not free for extensions")
INTERFACE = Interface(
    namespace=BASE,
    page="docs/order-messages.md",
    folder=Path(__file__).parent / "schemas",
    files=(
        "messages.xsd",
        *("common.xsd", "extension.xsd", "orders.xsd", "queries.xsd", "notifications.xsd", "faults.xsd"),
    ),
    extension=EXTENSION,
)


def base(name: str) -> str:
    return f"{{{BASE}}}{name}"


def ext(name: str) -> str:
    return f"{{{EXTENSION}}}{name}"
