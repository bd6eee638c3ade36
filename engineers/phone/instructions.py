"""Provisioning results 1 to 7 as what to do next (installation-jobs.md, ONT provisioning results)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from dispatch import scans
from dispatch.models import Job, OntScan, ProvisioningResult

RETRY_AFTER = timedelta(minutes=5)
PATIENCE = timedelta(minutes=3)


@dataclass(frozen=True)
class Instruction:
    """What the engineer reads. `tone` colours it; `until` is the end of a countdown; `call` a number to ring."""

    title: str
    text: str
    tone: str = "warning"
    until: datetime | None = None
    call: str = ""
    scan_again: bool = False
    is_waiting: bool = False


def instruction(job: Job) -> Instruction | None:
    """None while nothing was scanned."""
    scan, result = scans.newest_scan(job), scans.newest_result(job)
    if scan is None:
        return None
    if result is None:
        return _waiting(scan)
    return _for_result(job, scan, result)


def _waiting(scan: OntScan) -> Instruction:
    long = timezone.now() - scan.recorded_at > PATIENCE
    text = _("The seller is setting up %(fsan)s. This page changes by itself.") % {"fsan": scan.fsan}
    if long:
        text += " " + _("It takes longer than usual: call the order desk.")
    return Instruction(
        _("Waiting for the seller"),
        text,
        tone="warning" if long else "calm",
        call=settings.ORDER_DESK_PHONE if long else "",
        is_waiting=True,
    )


def _for_result(job: Job, scan: OntScan, result: ProvisioningResult) -> Instruction:
    build = {1: _ready, 2: _ready, 4: _delayed, 5: _wrong_type, 6: _wrong_details, 7: _duplicate}
    return build.get(result.result_id, _order_desk)(job, scan, result)


def _ready(_job: Job, scan: OntScan, _result: ProvisioningResult) -> Instruction:
    return Instruction(
        _("ONT is provisioned"), _("%(fsan)s works. Go on.") % {"fsan": scan.fsan}, tone="good"
    )


def _order_desk(_job: Job, _scan: OntScan, _result: ProvisioningResult) -> Instruction:
    text = _("The seller must step in. Call the order desk and stay on site.")
    return Instruction(_("Call the order desk"), text, tone="alarm", call=settings.ORDER_DESK_PHONE)


def _delayed(_job: Job, _scan: OntScan, result: ProvisioningResult) -> Instruction:
    return Instruction(
        _("The seller tries again in five minutes"),
        _("Nothing to do. This page changes by itself."),
        until=result.occurred_at + RETRY_AFTER,
        is_waiting=True,
    )


def _wrong_type(job: Job, scan: OntScan, _result: ProvisioningResult) -> Instruction:
    ours = scans.VENDORS.get(scan.fsan[:4], scan.fsan[:4])
    expected = " ".join(filter(None, [job.ont_vendor, job.ont_model]))
    text = _("This line does not take a %(ours)s ONT.") % {"ours": ours}
    text += " " + (
        _("Fetch a %(expected)s.") % {"expected": expected} if expected else _("Fetch the other ONT type.")
    )
    return Instruction(_("Wrong ONT type"), text, tone="alarm", scan_again=True)


def _wrong_details(_job: Job, scan: OntScan, _result: ProvisioningResult) -> Instruction:
    text = _("The seller does not accept %(fsan)s. Check each character against the label, then scan again.")
    return Instruction(
        _("Check the label"), text % {"fsan": grouped(scan.fsan)}, tone="alarm", scan_again=True
    )


def _duplicate(job: Job, scan: OntScan, _result: ProvisioningResult) -> Instruction:
    other = scans.other_job_with(job=job, fsan=scan.fsan)
    if other:
        words = {"job": other.provider_job_id, "place": other.postcode}
        text = (
            _("It stands on our own job %(job)s at %(place)s. Check which device is where, then scan again.")
            % words
        )
    else:
        text = _("The seller has this device on another open installation. Scan another device.")
    return Instruction(_("Device already in use"), text, tone="alarm", scan_again=True)


def grouped(fsan: str) -> str:
    """`CXNK 00AB CDEF`: read in fours, like on the label."""
    return " ".join(fsan[start : start + 4] for start in range(0, len(fsan), 4))
