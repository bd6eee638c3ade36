"""The job pack of a revisit, from its ticket and its premises (job-messages.md, createJob with `fault`; D16)."""

from collections.abc import Iterable
from random import Random
from typing import Any

from django.db.models import F

from seller_sandbox import clock
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.diagnostics.line_tests import LineTest, run_line_test
from seller_sandbox.faults import additions, lifecycle
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.faults.revisits.revisit_outcomes import NextJob
from seller_sandbox.faults.states import FaultEventKind
from seller_sandbox.jobs.models import Job, JobState, JobType
from seller_sandbox.jobs.packs.maker import make_network
from seller_sandbox.network.models import Appointment, Location
from seller_sandbox.orders import order_packs
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderState

USUAL_MINUTES = 60
Members = dict[str, Any]

_LAST_ORDER = CompiledQuery(
    lambda: Order.objects.filter(
        service_identifier=Parameter("service"), state=OrderState.COMPLETED
    ).order_by("-id")[:1]
)
_LAST_JOB = CompiledQuery(
    lambda: (
        Job.objects.filter(uprn=Parameter("uprn"), state=JobState.CLOSED)
        .exclude(provider_job_id="")
        .order_by(F("closed_at").desc(nulls_last=True), "-id")[:1]
    )
)


def build(report: FaultReport, *, appointment: Appointment, needs: NextJob) -> Members:
    """The members of createJob without its envelope; `needs` is what the visit before this one lacked."""
    service, location = report.service, report.service.location
    earlier = _earlier_job(report)
    return {
        "jobType": JobType.REVISIT.value,
        "orderReferences": _references(report),
        "serviceIdentifier": service.service_identifier,
        "product": {"productName": service.product.title, "lineProfile": service.line_profile},
        "property": order_packs.property_of(location, flags=_flags(location, needs)),
        "siteContact": _contact(report),
        "site": _site(report, needs),
        "appointment": {
            "reservationKey": str(appointment.key),
            "start": appointment.starts_at.isoformat(),
            "end": appointment.ends_at.isoformat(),
        },
        "expectedDurationMinutes": USUAL_MINUTES,
        **order_packs.ont_of(location),
        "network": make_network(Random(location.uprn)),  # noqa: S311  # names of nodes, not keys
        **({"previousProviderJobId": earlier.provider_job_id} if earlier else {}),
        "fault": _fault(report),
    }


def _references(report: FaultReport) -> Members:
    """Those of the service's order; a service that was there before has none (D16)."""
    order = _LAST_ORDER.first(service=report.service.service_identifier)
    if order is None:
        return {"sellerOrderReference": report.maintainer_fault_reference}
    return order_packs.references_of(order)


def _earlier_job(report: FaultReport) -> Job | None:
    """The last job at these premises that somebody closed."""
    return _LAST_JOB.first(uprn=report.service.location.uprn)


def _flags(location: Location, needs: NextJob) -> list[str]:
    own = [code for code in location.loc_codes if code in order_packs.FLAGS]
    return list(dict.fromkeys([*own, *needs.flags]))


def _contact(report: FaultReport) -> Members:
    """Whoever gives access; the end user where nobody else does."""
    found = report.site_access_contact_details or {}
    if not (found.get("name") and found.get("phone")):
        found = report.end_user_contact_details
    return {name: found[name] for name in ("name", "phone", "email") if found.get(name)}


def _site(report: FaultReport, needs: NextJob) -> Members:
    texts = {"accessRestrictions": report.site_access_details, "notes": " ".join(_notes(report, needs))}
    return {name: text for name, text in texts.items() if text}


def _notes(report: FaultReport, needs: NextJob) -> Iterable[str]:
    if report.fault_location:
        yield f"Fault location: {report.fault_location}."
    if needs.brings_ont:
        model = report.service.ont.ont_model
        yield f"Bring another ONT ({model.vendor} {model.model}) to replace {report.service.ont.fsan}."
    if needs.engineers > 1:
        yield f"{needs.engineers} engineers are needed."


def _fault(report: FaultReport) -> Members:
    """The ticket's story as far as it is known; a pack that triage sends shows the test that triage has read."""
    members = {
        "buyerFaultReference": report.buyer_fault_reference,
        "maintainerFaultReference": report.maintainer_fault_reference,
        "faultType": report.fault_type,
        "description": report.description,
        "access": report.site_access_details,
        "faultStartTime": report.fault_start_time.isoformat() if report.fault_start_time else "",
        "triageFindings": [*_findings(report)],
        "lastDiagnostics": diagnostics_of(report.line_test or run_line_test(report.service)),
        "files": [_file(row) for row in additions.of(report).files],
    }
    return {name: value for name, value in members.items() if value != ""}


def _findings(report: FaultReport) -> Iterable[str]:
    """What the buyer found, what triage found, and the updates of both."""
    if report.triage_findings:
        yield f"Buyer: {report.triage_findings}"
    for event in lifecycle.list_events(report):
        if event.kind == FaultEventKind.TRIAGED:
            yield f"Triage: {event.details['finding']}"
    for row in additions.of(report).updates:
        yield f"{row.get_author_display()}: {row.text}"


def diagnostics_of(test: LineTest) -> Members:
    """A line test as the engineer gets it, with the words of the diagnostics interface."""
    statuses = {"ont": test.ont, "cfm": test.cfm, "uniPort": test.uni_port}
    nodes = {name: str(colour) for name, colour in test.own_nodes}
    return {
        "testedAt": clock.now().isoformat(),
        "code": test.code,
        "currentStatus": test.current_status,
        "result": test.result,
        "action": test.action,
        **{name: found.status for name, found in statuses.items()},
        **{
            f"{name}LastEventAt": found.last_event_at.isoformat()
            for name, found in statuses.items()
            if found.last_event_at
        },
        "servicePathUsage": str(test.service_path_usage),
        **({"nodes": nodes} if nodes else {}),
    }


def _file(row: Any) -> Members:
    members = {"name": row.name, "type": row.media_type, "description": row.description}
    return {name: value for name, value in members.items() if value}
