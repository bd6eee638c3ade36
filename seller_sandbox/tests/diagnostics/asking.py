"""Callers who ask for diagnostics, and their answers read and validated."""

from typing import Any
from uuid import uuid4

from lxml import etree

from seller_sandbox import clock
from seller_sandbox.diagnostics import receiver
from seller_sandbox.diagnostics.wire import requests, responses
from seller_sandbox.diagnostics.wire.namespaces import INTERFACE
from seller_sandbox.diagnostics.wire.requests import DiagnosticsRequest
from seller_sandbox.endpoints.exchange import Answer, Request
from seller_sandbox.network import services
from seller_sandbox.network.models import Service
from seller_sandbox.soap import envelope, validation
from seller_sandbox.soap.namespaces import soap
from seller_sandbox.tests.network.samples import premises

IDENTIFIERS = {"buyer-a": "BUYERA", "buyer-b": "BUYERB", "buyer-c": "BUYERC", "partner": "partner"}


def live(situation: int = 20, copy: int = 1) -> Service:
    service = services.find_live(premises(situation, copy))
    assert service
    return service


def message(service: str, *, caller: str = "buyer-a", **members: Any) -> bytes:
    usual = {
        "buyer_identifier": IDENTIFIERS[caller],
        "sent_at": clock.now(),
        "message_id": str(uuid4()),
        "service_identifier": service,
    }
    return requests.build(DiagnosticsRequest(**{**usual, **members}))


def send(content: bytes, *, caller: str = "buyer-a") -> Answer:
    return receiver.receive(
        Request(
            endpoint="A",
            operation="sandbox/api2/requestServiceDiagnostics",
            method="POST",
            content_type="text/xml",
            body=content,
            subject=caller,
            address="127.0.0.1",
        )
    )


def ask(service: str, *, caller: str = "buyer-a", **members: Any) -> tuple[int, dict[str, Any]]:
    """Status and values of the answer, which is valid by the served schema."""
    answer = send(message(service, caller=caller, **members), caller=caller)
    return answer.status, read(answer.content)


def read(content: bytes) -> dict[str, Any]:
    element = envelope.open_envelope(content)
    validation.validate(element, INTERFACE)
    return responses.read(content)


def fault(content: bytes) -> tuple[str, str]:
    """Code and text of a SOAP fault, whose detail is valid by the schema."""
    element = envelope.open_envelope(content)
    assert element.tag == soap("Fault")
    for detail in element.findall("detail"):
        validation.validate(detail[0], INTERFACE)
    return element.findtext("faultcode"), element.findtext("faultstring")


def diagnostics_of(service: str, *, caller: str = "buyer-a") -> dict[str, Any]:
    """supplierDiagnostics of a service that can be tested."""
    status, values = ask(service, caller=caller)
    assert (status, values["response_code"]) == (200, 0)
    return values["diagnostics"]


def names(content: bytes) -> list[str]:
    """All element names inside the Body, in their order."""
    root = envelope.open_envelope(content)
    return [etree.QName(element).localname for element in root.iter(etree.Element)]
