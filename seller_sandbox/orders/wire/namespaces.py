"""Namespaces of the buyer interface, and names in Clark notation ({namespace}name): prefixes do not matter."""

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

INTERFACE_VERSION = "2.31"
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP_NEXT = "http://schemas.xmlsoap.org/soap/actor/next"
SCHEMA = "http://www.w3.org/2001/XMLSchema"
# ours: the document does not show the namespace of the standard elements
BASE = "urn:sandbox-seller:orders"
EXTENSION = settings.ORDER_EXTENSION_NAMESPACE
if EXTENSION in {BASE, SOAP, SCHEMA}:
    raise ImproperlyConfigured(f"SANDBOX_ORDER_EXTENSION_NAMESPACE: {EXTENSION} is not free for extensions")
PREFIXES = {None: BASE, "soapenv": SOAP, "ext": EXTENSION}


def soap(name: str) -> str:
    return f"{{{SOAP}}}{name}"


def base(name: str) -> str:
    return f"{{{BASE}}}{name}"


def ext(name: str) -> str:
    return f"{{{EXTENSION}}}{name}"
