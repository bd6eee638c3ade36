"""What comes in is answered by schema: 200, 400 with a header, or a SOAP fault (Errors; D18)."""

import re

import pytest
from django.conf import LazySettings
from lxml import etree

from seller_sandbox import clock
from seller_sandbox.endpoints import asgi, operations
from seller_sandbox.endpoints.exchange import Request
from seller_sandbox.endpoints.models import Mode, Switch
from seller_sandbox.faults import operations as fault_operations
from seller_sandbox.faults.downloads import DOWNLOADS
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.faults.wire import parsing
from seller_sandbox.faults.wire.namespaces import INTERFACE
from seller_sandbox.faults.wire.request_layouts import PATHS
from seller_sandbox.messages.models import InboundMessage
from seller_sandbox.soap import callback
from seller_sandbox.tests.faults import samples

pytestmark = pytest.mark.usefixtures("network")


def serve(path: str, *, method: str = "POST", **members: object) -> tuple[int, bytes, str]:
    """As the endpoint does it, with all refusals of the transport."""
    usual = {
        "endpoint": "A",
        "operation": f"{samples.BASE}/{path}",
        "method": method,
        "content_type": "text/xml",
        "body": b"",
        "subject": "buyer-a",
        "address": "127.0.0.1",
    }
    _, answer = asgi.serve(Request(**{**usual, **members}))
    return answer.status, answer.content, answer.content_type


FAULT_CODES = {
    401: {"missingCredentials"},
    403: {"accessDenied"},
    404: {"notFound"},
    405: {"methodNotAllowed"},
    413: {"tooLarge"},
    415: {"unsupportedMediaType"},
}


def fault_body(content: bytes) -> dict[str, str]:
    """What the detail of a SOAP fault holds, once it has passed the schema that is served."""
    _, served, _ = serve("faultReport.txt", method="GET")
    (body,) = etree.fromstring(content).find(".//detail")
    etree.XMLSchema(etree.fromstring(served)).assertValid(etree.fromstring(etree.tostring(body)))
    return {etree.QName(part).localname: part.text for part in body}


def test_two_service_ids_are_a_400_by_schema() -> None:
    message = samples.request()
    wanted = f"<serviceAffected>{message.service_affected}</serviceAffected>".encode()
    answer = samples.send(parsing.build(message).replace(wanted, wanted * 2), path="addFaultReport")

    content = samples.values(answer)
    assert (answer.status, content["response_code"]) == (400, "1")
    assert content["message_id"] == message.header.message_id
    assert content["buyer_identifier"] == "BUYERA"
    assert "Send serviceAffected once at most" in content["error_message"]
    assert not FaultReport.objects.exists()


def test_every_problem_is_named_at_once() -> None:
    content = parsing.build(samples.request()).replace(b"Impaired Service", b"Broken")
    content = content.replace(b"<apiVersion>1.1<", b"<apiVersion>9<")
    answer = samples.send(content, path="addFaultReport")

    text = samples.values(answer)["error_message"]
    assert "addFaultReport/apiVersion" in text
    assert "addFaultReport/faultDetails/type" in text
    assert "Send Service Outage, Impaired Service or Performance Issue" in text


@pytest.mark.parametrize("content", [b"", b"<a", b"hello", b"\xff\xfe"])
def test_no_xml_is_a_soap_fault(content: bytes) -> None:
    answer = samples.send(content, path="addFaultReport")

    assert answer.status == 400
    fault = etree.fromstring(answer.content)
    assert fault.findtext(".//faultcode").endswith(":Client")
    schema = etree.XMLSchema(etree.parse(INTERFACE.folder / "faultReport.xsd"))
    details = fault.findall(".//detail/*")
    assert all(schema.validate(detail) for detail in details), schema.error_log


def test_message_of_another_path_is_a_400() -> None:
    answer = samples.send(parsing.build(samples.request()), path="amendFaultReport")

    assert (answer.status, samples.values(answer)["response_code"]) == (400, "1")


@pytest.mark.parametrize("path", ["queryAppointmentAvailability", "reserveAppointment"])
def test_400_of_an_appointment_call_has_the_order_header(path: str) -> None:
    answer = samples.send(parsing.build(samples.request()), path=path)

    content = samples.values(answer)
    assert answer.status == 400
    assert content["header"]["seller_identifier"] == "SANDBOX"
    assert content["error_message"]


def test_identifier_of_another_buyer_is_a_fault() -> None:
    answer = samples.send(samples.request(who="BUYERB"), subject="buyer-a")

    assert answer.status == 403
    assert "buyerIdentifier" in samples.fault_text(answer)


@pytest.mark.parametrize("content_type", ["text/xml", "application/xml", "text/xml; charset=utf-8"])
def test_both_media_types_are_taken(content_type: str) -> None:
    body = parsing.build(samples.request())
    status, _, _ = serve("addFaultReport", content_type=content_type, body=body)

    assert status == 200


def test_character_sets_are_those_of_the_order_messages() -> None:
    """docs/order-messages.md, Transport: one rule for all interfaces; a 415 names what is taken."""
    body = parsing.build(samples.request()).decode().replace("UTF-8", "UTF-16").encode("utf-16")

    utf_16 = serve("addFaultReport", content_type="application/xml; charset=utf-16", body=body)
    latin_1 = serve("addFaultReport", content_type="text/xml; charset=iso-8859-1", body=body)

    assert (utf_16[0], latin_1[0]) == (200, 415)
    assert "Send text/xml or application/xml, without a charset or with one of us-ascii, utf-16" in (
        latin_1[1].decode()
    )


@pytest.mark.parametrize(
    ("path", "members", "status"),
    [
        ("addFaultReport", {"subject": None}, 401),
        ("addFaultReport", {"subject": "nobody"}, 403),
        *((path, {"subject": "partner"}, 403) for path in PATHS),
        *((name, {"subject": "partner", "method": "GET"}, 403) for name in DOWNLOADS),
        ("addFaultReport", {"address": "10.9.8.7"}, 403),
        ("noSuchOperation", {}, 404),
        ("addFaultReport", {"method": "GET"}, 405),
        ("addFaultReport", {"content_type": "application/json"}, 415),
        ("addFaultReport", {"body": None}, 413),
    ],
)
def test_refusals_of_the_transport_are_soap_faults(
    path: str, members: dict[str, object], status: int
) -> None:
    answered, content, content_type = serve(path, **members)

    assert answered == status
    assert content_type.startswith("text/xml")
    assert callback.read(content, interface=INTERFACE, name="x").fault_code == "Client"
    assert fault_body(content)["faultcode"] in FAULT_CODES[status]


def test_refusals_of_a_switched_endpoint_have_the_fault_body() -> None:
    """4xx and 5xx bodies by schema (Errors; FN 6.3), also where the endpoint itself fails."""
    for status in (500, 503):
        once = {"mode": Mode.FAIL, "status": status, "remaining": 1}
        Switch.objects.update_or_create(endpoint="A", defaults=once)
        answered, content, _ = serve("addFaultReport")

        assert answered == status
        assert fault_body(content)["faultcode"] == "tryAgain"


def test_identifier_of_another_buyer_has_the_fault_body() -> None:
    answer = samples.send(samples.request(), subject="buyer-b")

    assert answer.status == 403
    assert fault_body(answer.content)["faultcode"] == "accessDenied"


@pytest.mark.parametrize("name", ["faultReport.txt", "changeLog.txt"])
def test_downloads(name: str) -> None:
    status, content, content_type = serve(name, method="GET")

    assert (status, content_type) == (200, "text/plain; charset=utf-8")
    assert content


def test_schema_download_is_the_one_that_validates() -> None:
    _, content, _ = serve("faultReport.txt", method="GET")

    assert content == (INTERFACE.folder / "faultReport.xsd").read_bytes()


def test_change_log_has_ten_entries_of_each_interface() -> None:
    _, content, _ = serve("changeLog.txt", method="GET")
    parts = content.decode().strip().split("\n\n")

    assert [len(part.splitlines()) for part in parts] == [12, 12]
    assert all("v1.1" in part.splitlines()[0] for part in parts)


def test_unreadable_message_is_kept() -> None:
    samples.send(b"<a", path="addFaultReport")

    assert InboundMessage.objects.get().operation == "addFaultReport"


def test_each_environment_has_its_own_base_path(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert operations.find("addFaultReport") is None
    monkeypatch.setattr(operations, "_operations", {})
    settings.FAULT_BASE_PATHS = ["production/api2", "staging/api2", "sit/api2"]

    fault_operations.register()

    for number, base in enumerate(settings.FAULT_BASE_PATHS):
        request = parsing.build(samples.request())
        status, _, _ = serve("", operation=f"{base}/addFaultReport", body=request)
        assert (status, FaultReport.objects.count()) == (200, number + 1)
    assert serve("addFaultReport", body=b"<a/>")[0] == 404


@pytest.mark.parametrize("moment", ["1900-01-01T00:00:00+14:00", "2199-12-31T23:59:59-14:00"])
def test_time_that_leaves_the_schema_s_years_in_our_own_zone_is_a_400(moment: str) -> None:
    content = parsing.build(samples.request(fault_start_time=clock.now()))
    wanted = re.sub(rb"<faultStartTime>[^<]+", b"<faultStartTime>" + moment.encode(), content)
    answer = samples.send(wanted, path="addFaultReport")

    assert (answer.status, samples.values(answer)["response_code"]) == (400, "1")
    assert "between 1900 and 2199" in samples.values(answer)["error_message"]
