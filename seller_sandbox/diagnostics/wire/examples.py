"""One example of every message of the diagnostics interface, made by the functions that make the real ones."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from seller_sandbox.diagnostics import next_best_actions
from seller_sandbox.diagnostics.line_states import ReportedStatus
from seller_sandbox.diagnostics.line_tests import NOT_REPORTED, LineTest
from seller_sandbox.diagnostics.models import CfmStatus, OntStatus, UniPortStatus
from seller_sandbox.diagnostics.node_load import Rag
from seller_sandbox.diagnostics.wire import requests, responses
from seller_sandbox.diagnostics.wire.namespaces import INTERFACE
from seller_sandbox.diagnostics.wire.requests import DiagnosticsRequest
from seller_sandbox.diagnostics.wire.responses import DiagnosticsResponseCode
from seller_sandbox.soap import envelope, soap_faults
from seller_sandbox.soap.problems import NotXml

MOMENT = datetime(2026, 11, 24, 10, 0, tzinfo=UTC)
STARTED_AT = MOMENT - timedelta(days=400)
CUT_AT = MOMENT - timedelta(minutes=42)
SERVICE = "FBR001002001"
REQUEST = DiagnosticsRequest(
    buyer_identifier="BUYERA",
    sent_at=MOMENT,
    message_id="9f0c1d6e-7b0a-4a2f-8f52-0c7f8f1f2a10",
    service_identifier=SERVICE,
)
OF_PARTNER = DiagnosticsRequest(
    buyer_identifier="partner",
    sent_at=MOMENT,
    message_id="c2a7f8b4-52a4-4e5f-9a0d-6f9be01d3c77",
    service_identifier="FBR412345678",
)
_GREEN_LOCAL = tuple((name, Rag.GREEN) for name in ("ENNI", "Interconnect", "PON"))
_GREEN_NATIONAL = tuple((name, Rag.GREEN) for name in ("Interconnect", "Handoff", "ENNI", "PON"))
_BUSY_LOCAL = (*_GREEN_LOCAL[:2], ("PON", Rag.RED))
_BUSY_NATIONAL = (
    ("Interconnect", Rag.GREEN),
    ("Handoff", Rag.UNKNOWN),
    *_GREEN_NATIONAL[2:3],
    ("PON", Rag.RED),
)


def _test(
    code: str,
    *,
    ont: ReportedStatus = NOT_REPORTED,
    cfm: ReportedStatus | None = None,
    uni_port: ReportedStatus | None = None,
    is_busy: bool = False,
) -> LineTest:
    row = next_best_actions.by_code()[code]
    return LineTest(
        code=code,
        current_status=row.current_status,
        result=row.result,
        action=row.action,
        ont=ont,
        cfm=cfm or ReportedStatus(CfmStatus.UP, STARTED_AT),
        uni_port=uni_port or ReportedStatus(UniPortStatus.UP, STARTED_AT),
        local_nodes=_BUSY_LOCAL if is_busy else _GREEN_LOCAL,
        national_nodes=_BUSY_NATIONAL if is_busy else _GREEN_NATIONAL,
        service_path_usage=Rag.RED if is_busy else Rag.GREEN,
    )


_UP = ReportedStatus(OntStatus.UP, STARTED_AT)
_PORT_DOWN = ReportedStatus(UniPortStatus.DOWN, CUT_AT, UniPortStatus.UP)
# one result for each code
TESTS: dict[str, LineTest] = {
    "AOK001": _test("AOK001", ont=_UP, is_busy=True),
    "CFH001": _test("CFH001", ont=ReportedStatus(OntStatus.DOWN, CUT_AT, OntStatus.UP)),
    "CFH002": _test("CFH002", ont=_UP, cfm=ReportedStatus(CfmStatus.DOWN_CF, CUT_AT, CfmStatus.UP)),
    "CFH003": _test(
        "CFH003",
        ont=_UP,
        cfm=ReportedStatus(CfmStatus.DOWN_CF, CUT_AT, CfmStatus.UP),
        uni_port=_PORT_DOWN,
    ),
    "DYG001": _test("DYG001", ont=ReportedStatus(OntStatus.DYING_GASP, CUT_AT, OntStatus.UP)),
    "ISP001": _test(
        "ISP001",
        ont=_UP,
        cfm=ReportedStatus(CfmStatus.DOWN_ISP, CUT_AT, CfmStatus.UP),
        uni_port=_PORT_DOWN,
    ),
    "ISP002": _test("ISP002", ont=_UP, cfm=ReportedStatus(CfmStatus.DOWN_ISP, CUT_AT, CfmStatus.UP)),
    "ISP003": _test(
        "ISP003",
        ont=_UP,
        uni_port=ReportedStatus(UniPortStatus.BLANK, CUT_AT, UniPortStatus.UP),
    ),
    "STF001": LineTest(
        code="STF001",
        current_status=next_best_actions.for_impossible_test().current_status,
        result=next_best_actions.for_impossible_test().result,
        action=next_best_actions.for_impossible_test().action,
    ),
}
REQUESTS: tuple[tuple[str, DiagnosticsRequest], ...] = (
    ("A buyer asks about a service", REQUEST),
    ("The partner asks about the service of an open job", OF_PARTNER),
)


def _refusal(code: DiagnosticsResponseCode, message: str) -> bytes:
    element = envelope.open_envelope(requests.build(REQUEST))
    return responses.refusal(element, code=code, message=message)


def _fault(status: int, fault_code: str, message: str) -> bytes:
    return soap_faults.of_status(status, message, fault_code=fault_code, interface=INTERFACE).content


# title, and what makes the answer
ANSWERS: tuple[tuple[str, Callable[[], bytes]], ...] = (
    *((f"200: {code}", lambda code=code: responses.result(REQUEST, TESTS[code])) for code in TESTS),
    (
        "400: the request breaks the schema",
        lambda: _refusal(
            DiagnosticsResponseCode.INVALID,
            "requestServiceDiagnostics: Element 'requestServiceDiagnostics': Missing child element(s). Expected is "
            f"( serviceId ). Add serviceId; {INTERFACE.page} shows the order of elements.",
        ),
    ),
    (
        "400: unknown service, or not the caller's",
        lambda: _refusal(
            DiagnosticsResponseCode.UNKNOWN_SERVICE,
            responses.UNKNOWN_SERVICE.format(REQUEST.service_identifier),
        ),
    ),
    (
        "400: not well-formed",
        lambda: (
            soap_faults.of_message(
                NotXml("Not well-formed XML: Document is empty", "Send a well-formed XML document"),
                INTERFACE,
            ).content
        ),
    ),
    (
        "403: not the caller's own identifier",
        lambda: _fault(403, "accessDenied", "The buyerIdentifier is not that of this certificate"),
    ),
    (
        "503: try again",
        lambda: _fault(503, "tryAgain", "The message was not stored; send it again"),
    ),
)
