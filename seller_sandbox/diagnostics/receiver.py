"""Takes requestServiceDiagnostics: synchronous, one service, no notification (docs/diagnostics-messages.md).

The same message again is tested again: it changes nothing, and its run is recorded once.
"""

import structlog
from django.db import transaction

from seller_sandbox import clock
from seller_sandbox.diagnostics import caller_scopes, diagnostics_runs, line_tests
from seller_sandbox.diagnostics.models import DiagnosticsRun
from seller_sandbox.diagnostics.service_paths import ServicePath
from seller_sandbox.diagnostics.wire import requests, responses
from seller_sandbox.diagnostics.wire.namespaces import INTERFACE
from seller_sandbox.diagnostics.wire.requests import DiagnosticsRequest
from seller_sandbox.diagnostics.wire.responses import DiagnosticsResponseCode
from seller_sandbox.endpoints.exchange import Answer, Request
from seller_sandbox.messages import message_log
from seller_sandbox.messages.models import InboundMessage
from seller_sandbox.soap import arrivals, envelope, soap_faults
from seller_sandbox.soap.media_type import CONTENT_TYPE
from seller_sandbox.soap.problems import InvalidMessage, NotXml

log = structlog.get_logger("sandbox.diagnostics.receiver")


def receive(request: Request) -> Answer:
    """The answer to a POST: a result, a 400 with all problems, or a SOAP fault."""
    # one reading of the clock: the test and its record happen at the same moment
    with clock.at(clock.now()):
        message = _arrived(request)
        answer, run = _take(request, message)
        with transaction.atomic():
            message_log.record_arrival(message, answer)
            if run:
                diagnostics_runs.record(run)
    log.info("received", operation=message.operation, caller=message.caller, status=answer.status)
    return answer


def note_unserved(request: Request, answer: Answer | None, switch: str) -> None:
    """Record a message that the fault switch did not let through."""
    message = _arrived(request)
    message.switch = switch
    message_log.record_arrival(message, answer)


def _arrived(request: Request) -> InboundMessage:
    """Without a role: a partner compares its own record with the messages of its role, which are about jobs."""
    return InboundMessage(
        endpoint=request.endpoint,
        operation=requests.NAME,
        caller=request.subject or "",
        raw_body=message_log.printable(request.body),
    )


def _take(request: Request, message: InboundMessage) -> tuple[Answer, DiagnosticsRun | None]:
    """The answer, and the run where there was a test."""
    try:
        element = envelope.open_envelope(request.body or b"")
    except (NotXml, InvalidMessage) as problem:
        return arrivals.fault_answer(soap_faults.of_message(problem, INTERFACE)), None
    try:
        parsed = requests.read(element)
    except InvalidMessage as problem:
        text = " ".join(f"{each.path}: {each.message}. {each.remedy}" for each in problem.problems)
        return _xml(400, responses.refusal(element, code=DiagnosticsResponseCode.INVALID, message=text)), None
    message.message_id = parsed.message_id
    scope = caller_scopes.find(message.caller, parsed.buyer_identifier)
    if scope is None:
        text = "The buyerIdentifier is not that of this certificate"
        return arrivals.refuse(403, "accessDenied", text, interface=INTERFACE), None
    path = scope.find(message.caller, parsed.service_identifier)
    if path is None:
        text = responses.UNKNOWN_SERVICE.format(parsed.service_identifier)
        return _xml(
            400, responses.refusal(element, code=DiagnosticsResponseCode.UNKNOWN_SERVICE, message=text)
        ), None
    return _test(path, parsed, caller=message.caller)


def _test(path: ServicePath, parsed: DiagnosticsRequest, *, caller: str) -> tuple[Answer, DiagnosticsRun]:
    test = line_tests.run_test_of_path(path)
    run = DiagnosticsRun(
        service_identifier=path.service_identifier,
        caller=caller,
        message_id=parsed.message_id,
        run_at=clock.now(),
        code=test.code,
    )
    return _xml(200, responses.result(parsed, test)), run


def _xml(status: int, content: bytes) -> Answer:
    return Answer(status, content, content_type=CONTENT_TYPE)
