"""requestServiceDiagnostics over mutual TLS: both callers, refusals of the transport, the served schema."""

from dataclasses import replace

import pytest
from lxml import etree

from seller_sandbox.diagnostics.models import DiagnosticsRun
from seller_sandbox.endpoints import switches
from seller_sandbox.endpoints.models import Mode
from seller_sandbox.network.loading import load_network
from seller_sandbox.tests import make
from seller_sandbox.tests.diagnostics.asking import fault, message, read
from seller_sandbox.tests.processes import Caller

pytestmark = pytest.mark.django_db(transaction=True)
SERVICE = "FBR001002001"
PATH = "sandbox/api2/requestServiceDiagnostics"


@pytest.mark.parametrize("media_type", ["text/xml", "application/xml", "text/xml; charset=utf-8"])
def test_both_callers_over_mutual_tls(caller: Caller, media_type: str) -> None:
    load_network(copies=1)
    job = make.job()
    services_of = {"buyer-a": SERVICE, "partner": job.pack["serviceIdentifier"]}

    for name, service in services_of.items():
        content = message(service, caller=name)
        answer = replace(caller, certificate=name).send("POST", PATH, content, media_type)
        assert answer.status == 200
        assert read(answer.body.encode())["response_code"] == 0


def test_utf_16_is_taken(caller: Caller) -> None:
    load_network(copies=1)
    content = message(SERVICE).decode().replace("UTF-8", "UTF-16").encode("utf-16")

    answer = replace(caller, certificate="buyer-a").send("POST", PATH, content, "text/xml; charset=utf-16")

    assert answer.status == 200


def test_soap_action_is_ignored(caller: Caller) -> None:
    load_network(copies=1)
    buyer = replace(caller, certificate="buyer-a")

    answer = buyer.send("POST", PATH, message(SERVICE), "text/xml", SOAPAction='"addFaultReport"')

    assert answer.status == 200


@pytest.mark.parametrize(
    ("method", "certificate", "media_type", "status"),
    [
        ("POST", "stranger", "text/xml", 403),
        ("GET", "buyer-a", "text/xml", 405),
        ("POST", "buyer-a", "application/json", 415),
        ("POST", "buyer-a", "text/xml; charset=latin-1", 415),
    ],
)
def test_refusal_of_the_transport_is_a_soap_fault(
    caller: Caller, method: str, certificate: str, media_type: str, status: int
) -> None:
    load_network(copies=1)
    known = replace(caller, certificate=certificate)

    answer = known.send(method, PATH, message(SERVICE), media_type)

    assert answer.status == status
    assert fault(answer.body.encode())


def test_switched_endpoint_answers_503_and_records_it(caller: Caller) -> None:
    load_network(copies=1)
    switches.set_switch(endpoint="A", mode=Mode.FAIL, times=1)
    buyer = replace(caller, certificate="buyer-a")

    answer = buyer.send("POST", PATH, message(SERVICE), "text/xml")

    assert answer.status == 503
    assert fault(answer.body.encode())[0] == "soapenv:Server"
    assert not DiagnosticsRun.objects.exists()
    assert buyer.send("POST", PATH, message(SERVICE), "text/xml").status == 200


def test_partner_may_not_download_the_schema(caller: Caller) -> None:
    load_network(copies=1)

    assert caller.send("GET", "sandbox/api2/serviceDiagnostics.txt").status == 403


def test_served_schema_is_the_one_that_validates(caller: Caller) -> None:
    load_network(copies=1)

    answer = replace(caller, certificate="buyer-a").send("GET", "sandbox/api2/serviceDiagnostics.txt")

    assert (answer.status, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    schema = etree.XMLSchema(etree.fromstring(answer.body.encode()))
    asked = etree.fromstring(message(SERVICE))
    assert schema.validate(asked[0][0])
    asked[0][0][-1].text = ""
    assert not schema.validate(asked[0][0])
