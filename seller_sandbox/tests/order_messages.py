"""Envelopes for tests of the buyer interface."""

from seller_sandbox.orders.wire import examples, parsing
from seller_sandbox.orders.wire.namespaces import BASE, EXTENSION
from seller_sandbox.soap.namespaces import SOAP

NEW_INSTALL = parsing.build(examples.NEW_INSTALL)
HEADER = (
    "<message><messageId>m-1</messageId><correlationId>c-1</correlationId>"
    "<sentAt>2026-11-23T09:30:00Z</sentAt></message>"
    "<buyer><buyerIdentifier>BUYERA</buyerIdentifier></buyer>"
    "<seller><sellerIdentifier>SANDBOX</sellerIdentifier></seller>"
)


def envelope(body: str, *, header: str = "", soap: str = SOAP, before: str = "") -> bytes:
    """A SOAP envelope around the inside of its Body; the base namespace is the default one."""
    return (
        f'{before}<s:Envelope xmlns:s="{soap}" xmlns="{BASE}" xmlns:ext="{EXTENSION}">'
        f"{header}<s:Body>{body}</s:Body></s:Envelope>"
    ).encode()


def new_install(inside: str = "", *, references: str = "") -> bytes:
    """An orderRequest with this inside its alaNewInstall."""
    return envelope(
        f"<orderRequest>{HEADER}{references}<alaNewInstall>{inside}</alaNewInstall></orderRequest>"
    )


def cease(inside: str) -> bytes:
    return envelope(f"<orderRequest>{HEADER}<alaCease>{inside}</alaCease></orderRequest>")
