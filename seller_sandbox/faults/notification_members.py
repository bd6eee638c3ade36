"""What every notification of a fault report carries, as it was when the event happened, in domain words."""

from datetime import datetime
from typing import Any

from seller_sandbox.faults import additions
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.faults.states import FaultState
from seller_sandbox.network.models import Appointment

Members = dict[str, Any]
TEXTS = (
    "buyer_fault_reference",
    "parent_fault_reference",
    "service_affected",
    "reporter_contact_details",
    "end_user_contact_details",
    "fault_type",
    "description",
    "fault_location",
    "site_access_details",
    "site_access_contact_details",
    "triage_complete",
    "triage_findings",
    "closure_code",
    "resolution",
    "cancellation_reason",
)


def of(report: FaultReport) -> Members:
    """Members of this very moment, ready for JSON; the maintainer's reference only of what was accepted."""
    added = additions.of(report)
    is_known = report.state != FaultState.REJECTED
    return {
        "buyer_identifier": report.buyer.identifier,
        "state": report.get_state_display(),
        "maintainer_fault_reference": report.maintainer_fault_reference if is_known else "",
        "report_date_time": _instant(report.report_date_time),
        "fault_start_time": _instant(report.fault_start_time),
        "resolved_at": _instant(report.resolved_at),
        "hold_reason": report.hold_reason if report.state == FaultState.ON_HOLD else "",
        "triage": report.triage,
        **{name: getattr(report, name) for name in TEXTS},
        "updates": [_update(row) for row in added.updates],
        "files": [_file(row) for row in added.files],
        "contact_attempts": [
            {"kind": row.get_kind_display(), "outcome": row.outcome, "at": _instant(row.at)}
            for row in added.contact_attempts
        ],
        "appointment": appointment(report.appointment) if report.appointment else None,
    }


def appointment(found: Appointment) -> Members:
    return {
        "key": str(found.key),
        "starts_at": found.starts_at.isoformat(),
        "ends_at": found.ends_at.isoformat(),
    }


def _update(row: Any) -> Members:
    return {"author": row.get_author_display(), "text": row.text, "at": _instant(row.at)}


def _file(row: Any) -> Members:
    return {
        "author": row.get_author_display(),
        "name": row.name,
        "media_type": row.media_type,
        "size_bytes": row.size_bytes,
        "description": row.description,
    }


def _instant(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None
