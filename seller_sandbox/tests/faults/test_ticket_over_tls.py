"""A ticket over real mutual TLS, both ways: reported, visited, resolved and closed, with a buyer who misbehaves."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seller_sandbox import clock
from seller_sandbox.diagnostics import line_states
from seller_sandbox.endpoints import switches
from seller_sandbox.endpoints.models import Mode
from seller_sandbox.faults import operator_actions
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.faults.wire import parsing, requests, seller_messages
from seller_sandbox.faults.wire.namespaces import INTERFACE
from seller_sandbox.jobs.models import Job
from seller_sandbox.messages import worker
from seller_sandbox.messages.models import InboundMessage, MessageLogEntry, OutboundState
from seller_sandbox.network.loading import load_network
from seller_sandbox.soap import callback
from seller_sandbox.tests import buyer_stub_process, make
from seller_sandbox.tests.buyer_stub_process import Stub, kinds
from seller_sandbox.tests.faults import samples, visit_samples
from seller_sandbox.tests.partner import Partner
from seller_sandbox.tests.processes import Caller, Response

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.triage]
Send = Callable[[Any], Response]
WHOLE_LIFE = [
    "notifyAccepted",
    "notifyAppointmentConfirmation",
    "notifyInProgress",
    *["notifyFaultReportUpdate"] * 4,
    "notifyAppointmentCompleted",
    "notifyResolved",
    "notifyClosed",
]


@pytest.fixture
def buyer_sends(folder: Path, endpoint_port: int, stub: Stub) -> Send:
    """Posts a message as BUYERA with its certificate."""
    line = Caller(folder, endpoint_port, certificate="buyer-a")

    def send(message: Any) -> Response:
        path = f"{samples.BASE}/{parsing.path_of(message)}"
        return line.send("POST", path, parsing.build(message), content_type="text/xml")

    return send


def report_of(message: requests.AddFaultReportRequest) -> FaultReport:
    return FaultReport.objects.get(buyer_fault_reference=message.buyer_fault_reference)


def answer_of(response: Response) -> dict[str, Any]:
    assert response.status == 200, response.body
    return seller_messages.read(response.body.encode())[1]


def send_all() -> None:
    """Notifications, and the job packs between them."""
    for kind in ("ticket", "job", "ticket"):
        buyer_stub_process.send_all(kind)


def visit(job: Job, caller: Caller) -> None:
    """The partner's messages, at the start of the slot."""
    clock.move(seconds=max(0, int((job.starts_at - clock.now()).total_seconds())))
    now = clock.now().isoformat()
    for body in make.arrival(job):
        assert caller.post("notifyJob", {**body, "occurredAt": now}).status == 200
    line_states.repair(samples.service().location)
    closing = make.closed(
        job, closureCode="REVCOMP", closedAt=now, engineer={"id": "e-1", "name": "Sam Field"}
    )
    assert caller.post("closeJob", closing).status == 200


@pytest.mark.usefixtures("lenient")
def test_outage_is_reported_visited_resolved_and_closed(
    stub: Stub, buyer_sends: Send, caller: Caller, partner: Partner
) -> None:
    line_states.cut_fibre(samples.service().location)
    message = samples.outage()

    assert answer_of(buyer_sends(message))["status"] == "Pending"
    samples.after(report_of(message), seconds=samples.A_MINUTE)
    send_all()
    visit(Job.objects.get(), caller)
    send_all()
    report = report_of(message)
    reply = requests.ResolveResponseRequest(
        samples.header(), report.buyer_fault_reference, resolve_accepted=True
    )
    assert answer_of(buyer_sends(reply))["status"] == "Closed"
    send_all()

    received = stub.received("?buyer=buyer-a")
    assert [path for path, _ in partner.received] == ["/seller/createJob"]
    assert kinds(received) == WHOLE_LIFE
    assert {row["maintainer_fault_reference"] for row in received} == {report.maintainer_fault_reference}
    assert not [row for row in received if row["is_repeat"]]
    for row in received:
        seller_messages.read(row["xml"].encode())


@pytest.mark.parametrize("mode", ["fail", "drop", "lost", "half", "wrong", "slow"])
def test_after_trouble_the_same_notification_is_sent_again_in_its_place(
    stub: Stub, buyer_sends: Send, mode: str
) -> None:
    message = samples.request()
    buyer_sends(message)
    stub.post("faults", {"buyer": "buyer-a", "mode": mode, "seconds": 2, "times": 1})
    report = samples.after(report_of(message), seconds=samples.A_MINUTE)

    worker.work_once()
    first = report.thread.outbound.get(seq=1)
    assert first.state == OutboundState.WAITING
    send_all()

    received = stub.received()
    assert kinds([row for row in received if not row["is_repeat"]]) == [
        sent.operation for sent in report.thread.outbound.order_by("seq")
    ]
    repeats = [row["xml"] for row in received if row["message_id"] == str(first.message_id)]
    assert repeats == [first.body] * (2 if mode in {"lost", "half", "slow"} else 1)
    assert MessageLogEntry.objects.filter(outbound=first).count() == 2


def test_a_refused_notification_is_sent_again_by_the_operator(stub: Stub, buyer_sends: Send) -> None:
    message = samples.request()
    buyer_sends(message)
    stub.post("faults", {"mode": "fault", "status": 400, "times": 1})
    report = samples.after(report_of(message), seconds=samples.A_MINUTE)
    send_all()

    # the later ones wait: a ticket's notifications are in order
    assert stub.received() == []
    with operator_actions.on_ticket(report.maintainer_fault_reference) as locked:
        assert operator_actions.send_refused_again(locked) == 1
    send_all()

    assert kinds(stub.received())[:2] == ["notifyAccepted", "notifyInProgress"]


def test_a_replayed_notification_is_the_same_message(stub: Stub, buyer_sends: Send) -> None:
    message = samples.request()
    buyer_sends(message)
    report = samples.after(report_of(message), seconds=samples.A_MINUTE)
    send_all()
    first = stub.received()[0]

    with operator_actions.on_ticket(report.maintainer_fault_reference) as locked:
        operator_actions.repeat_notification(locked, message_id=first["message_id"])
    send_all()

    again = stub.received()[-1]
    assert (again["xml"], again["is_repeat"]) == (first["xml"], True)


def test_a_ticket_in_trouble_holds_up_no_other_buyer(stub: Stub, buyer_sends: Send) -> None:
    stub.post("faults", {"buyer": "buyer-a", "mode": "fail"})
    buyer_sends(samples.request())
    foreign = samples.service(samples.FOREIGN_UPRN).service_identifier
    other = samples.pending(samples.request(who="BUYERB", service_affected=foreign))
    samples.after(other, seconds=samples.A_MINUTE)

    for _ in range(8):
        worker.work_once()

    received = stub.received()
    assert {row["buyer"] for row in received} == {"buyer-b"}
    assert kinds(received) == [sent.operation for sent in other.thread.outbound.order_by("seq")]
    assert visit_samples.says(other)[0] == "Accepted"


@pytest.mark.parametrize("status", [500, 503])
def test_ticketing_that_is_switched_off_answers_a_soap_fault_and_records_the_message(
    caller: Caller, status: int
) -> None:
    load_network(copies=1)
    switches.set_switch(endpoint="A", mode=Mode.FAIL, times=1, status=status)
    buyer, content = replace(caller, certificate="buyer-a"), parsing.build(samples.request())
    path = f"{samples.BASE}/addFaultReport"

    refused = buyer.send("POST", path, content, "text/xml")

    assert refused.status == status
    assert callback.read(refused.body.encode(), interface=INTERFACE, name="x").fault_code == "Server"
    assert not FaultReport.objects.exists()
    assert InboundMessage.objects.get().operation == "addFaultReport"
    assert buyer.send("POST", path, content, "text/xml").status == 200
