"""requestServiceDiagnostics: results and refusals (faults-and-diagnostics.md; fault-decisions.md, D10 to D18)."""

from decimal import Decimal

import pytest
from lxml import etree

from seller_sandbox import clock
from seller_sandbox.diagnostics import line_states, node_load
from seller_sandbox.diagnostics.models import CfmStatus, UniPortStatus
from seller_sandbox.diagnostics.wire import responses
from seller_sandbox.diagnostics.wire.namespaces import INTERFACE
from seller_sandbox.messages.models import OutboundMessage
from seller_sandbox.network import services
from seller_sandbox.soap import validation
from seller_sandbox.tests.diagnostics.asking import (
    ask,
    diagnostics_of,
    fault,
    live,
    message,
    names,
    read,
    send,
)

SERVICE = "FBR001002001"


@pytest.mark.usefixtures("network")
class TestResult:
    def test_working_service(self) -> None:
        content = message(SERVICE, message_id="m-1")
        answer = send(content)
        since = live().started_at.replace(microsecond=0)

        assert answer.status == 200
        values = read(answer.content)
        assert {name: values[name] for name in ("api_version", "buyer_identifier", "message_id")} == {
            "api_version": "1.1",
            "buyer_identifier": "BUYERA",
            "message_id": "m-1",
        }
        assert (values["response_code"], values["service_identifier"]) == (0, SERVICE)
        assert values["diagnostics"] == {
            "buyer_identifier": "BUYERA",
            "current_status": "Service Working",
            "current_uni_port_status": "Up",
            "service_path_usage": "Green",
            "ont": {"status": "Service Up", "last_event_at": since},
            "cfm": {"status": "Up", "last_event_at": since},
            "uni_port": {"status": "Up", "last_event_at": since},
            "local_nodes": [
                {"name": name, "rag_status": "Green"} for name in ("ENNI", "Interconnect", "PON")
            ],
            "national_nodes": [
                {"name": name, "rag_status": "Green"} for name in ("Interconnect", "Handoff", "ENNI", "PON")
            ],
            "next_best_action": {
                "code": "AOK001",
                "result": "ONT, connectivity and port results all Up",
                "action": "No issue believed on the supplier network",
            },
        }

    def test_elements_stand_in_their_order(self) -> None:
        node = ["node", "name", "ragStatus"]
        status = ["status", "lastEventAt"]

        assert names(send(message(SERVICE)).content) == [
            "requestServiceDiagnosticsResponse",
            *("apiVersion", "buyerIdentifier", "sentAt", "messageId", "responseCode", "serviceId"),
            *("faultDetails", "supplierDiagnostics", "buyerIdentifier", "currentStatus"),
            *("currentUniportStatus", "servicePathUsage"),
            *("ontStatus", *status, "cfmStatus", *status, "uniPortStatus", *status),
            *("localConfiguration", *node * 3, "nationalConfiguration", *node * 4),
            *("nextBestAction", "code", "result", "action"),
        ]

    def test_cut_fibre_explains_cfh001(self) -> None:
        since = live().started_at.replace(microsecond=0)
        cut_at = clock.now().replace(microsecond=0)
        with clock.at(cut_at):
            line_states.cut_fibre(live().location)

        found = diagnostics_of(SERVICE)

        assert found["next_best_action"]["code"] == "CFH001"
        assert found["current_status"] == "Potential Service Issue Detected"
        assert found["ont"] == {
            "status": "Service Down",
            "last_event_at": cut_at,
            "changed_from": "Service Up",
        }
        # the ONT cannot report its port
        assert found["uni_port"] == {"status": "Up", "last_event_at": since}
        assert found["current_uni_port_status"] == "Up"

    def test_power_cut(self) -> None:
        line_states.cut_power(live().location)

        found = diagnostics_of(SERVICE)

        assert (found["ont"]["status"], found["current_status"]) == ("Dying Gasp", "ONT Powered Off")
        assert found["next_best_action"]["code"] == "DYG001"

    @pytest.mark.parametrize(
        ("cfm", "uni_port", "code"),
        [
            (CfmStatus.DOWN_CF, UniPortStatus.UP, "CFH002"),
            (CfmStatus.DOWN_CF, UniPortStatus.DOWN, "CFH003"),
            (CfmStatus.DOWN_ISP, UniPortStatus.BLANK, "ISP002"),
            (CfmStatus.DOWN_ISP, UniPortStatus.DOWN, "ISP001"),
            (CfmStatus.UP, UniPortStatus.BLANK, "ISP003"),
        ],
    )
    def test_connection_and_port(self, cfm: CfmStatus, uni_port: UniPortStatus, code: str) -> None:
        line_states.set_cfm(live().location, cfm)
        line_states.set_uni_port(live().location, uni_port)

        found = diagnostics_of(SERVICE)

        assert (found["cfm"]["status"], found["uni_port"]["status"]) == (cfm, uni_port)
        assert found["current_uni_port_status"] == uni_port
        assert found["next_best_action"]["code"] == code

    def test_port_that_was_blank_says_so(self) -> None:
        line_states.set_uni_port(live().location, UniPortStatus.BLANK)
        line_states.set_uni_port(live().location, UniPortStatus.DOWN)

        assert diagnostics_of(SERVICE)["uni_port"]["changed_from"] == ""

    def test_test_that_cannot_run_is_a_result(self) -> None:
        line_states.set_testable(live().location, can_be_tested=False)

        assert diagnostics_of(SERVICE) == {
            "buyer_identifier": "BUYERA",
            "current_status": "Unable to Check Network Status",
            "current_uni_port_status": "",
            "service_path_usage": "Unk",
            "next_best_action": {
                "code": "STF001",
                "result": "The service test could not run",
                "action": "Continue to raise an incident",
            },
        }

    def test_worst_node_of_the_service_s_own_list(self) -> None:
        congest("HO-BUYERA", 99)
        local, national = diagnostics_of(SERVICE), diagnostics_of("FBR001002201")

        assert local["national_nodes"][1] == {"name": "Handoff", "rag_status": "Red"}
        assert local["service_path_usage"] == "Green"
        assert national["service_path_usage"] == "Red"

    def test_congestion_does_not_change_the_code(self) -> None:
        congest("PON-KWL-TEST-1002001", 85)

        found = diagnostics_of(SERVICE)

        assert found["local_nodes"][-1] == {"name": "PON", "rag_status": "Orange"}
        assert (found["service_path_usage"], found["next_best_action"]["code"]) == ("Orange", "AOK001")

    def test_nothing_is_sent_to_the_buyer(self) -> None:
        """Events: it is a synchronous request and response."""
        diagnostics_of(SERVICE)

        assert not OutboundMessage.objects.exists()


@pytest.mark.usefixtures("network")
class TestRefusal:
    @pytest.mark.parametrize(
        "service", ["FBR999999999", "FBR001002401", "unknown"], ids=["unknown", "another buyer's", "no id"]
    )
    def test_unknown_and_foreign_services_have_one_same_reason(self, service: str) -> None:
        status, values = ask(service, message_id="m-1")

        assert (status, values["response_code"]) == (400, 10)
        assert values["error_message"] == responses.UNKNOWN_SERVICE.format(service)
        assert (values["buyer_identifier"], values["message_id"]) == ("BUYERA", "m-1")
        assert "diagnostics" not in values

    def test_ceased_service(self) -> None:
        services.end(service=live(), at=clock.now())

        assert ask(SERVICE)[1]["response_code"] == 10

    @pytest.mark.parametrize(
        ("old", "new", "problem"),
        [
            (b"<serviceId>FBR001002001</serviceId>", b"", "Expected is ( serviceId )"),
            (
                b"<serviceId>FBR001002001</serviceId>",
                b"<serviceId>FBR001002001</serviceId><serviceId>FBR001002002</serviceId>",
                "serviceId",
            ),
            (b">1.1<", b">2.0<", "Send 1.1."),
            (b"<messageId>m-1</messageId>", b"", "messageId"),
            (b"<messageId>m-1</messageId>", b"<messageId></messageId>", "1 to 100 characters"),
            (b"requestServiceDiagnostics", b"addFaultReport", "is not the request of this path"),
            (
                b"urn:sandbox-seller:diagnostics",
                b"urn:sandbox-seller:faults",
                "is not the request of this path",
            ),
        ],
    )
    def test_message_that_breaks_the_schema(self, old: bytes, new: bytes, problem: str) -> None:
        content = message(SERVICE, message_id="m-1")
        assert old in content

        answer = send(content.replace(old, new))

        values = read(answer.content)
        assert (answer.status, values["response_code"]) == (400, 1)
        assert problem in values["error_message"]
        assert values["buyer_identifier"] == "BUYERA"

    def test_all_problems_are_named_at_once(self) -> None:
        content = message(SERVICE).replace(b">1.1<", b">2.0<").replace(b"FBR001002001", b"")

        text = read(send(content).content)["error_message"]

        assert "apiVersion" in text
        assert "serviceId" in text

    @pytest.mark.parametrize(
        "content",
        [b"", b"<a>", b"not XML", b"<a/>", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', b"\xff\x00"],
    )
    def test_what_is_no_envelope_is_a_soap_fault(self, content: bytes) -> None:
        answer = send(content)

        assert answer.status == 400
        assert fault(answer.content)[0] == "soapenv:Client"

    def test_another_caller_s_identifier(self) -> None:
        answer = send(message(SERVICE), caller="buyer-b")

        assert answer.status == 403
        assert "buyerIdentifier is not that of this certificate" in fault(answer.content)[1]
        (body,) = etree.fromstring(answer.content).find(".//detail")
        validation.validate(body, INTERFACE)
        assert body.findtext(INTERFACE.tag("faultcode")) == "accessDenied"


def congest(node: str, percent: int) -> None:
    node_load.congest(node, percent=Decimal(percent), first_minute=1200, end_minute=1260)
