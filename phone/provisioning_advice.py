"""Provisioning results 1 to 7 as what to do next (installation-jobs.md, ONT provisioning results)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from dispatch import ont_scans
from dispatch.models import Job, OntScan, ProvisioningResult
from phone import formatting

RESULT_TIMEOUT = timedelta(minutes=3)
# result 7: the device is in use elsewhere
DUPLICATE = 7


@dataclass(frozen=True)
class ProvisioningAdvice:
    """What the engineer reads. `tone` colours it; `until` is the end of a countdown; `call` a number to ring.

    `overdue` takes its place after `overdue_at`: a phone without signal gets no newer advice.
    """

    title: str
    text: str
    tone: str = "warning"
    until: datetime | None = None
    call: str = ""
    overdue_at: datetime | None = None
    overdue: "ProvisioningAdvice | None" = None
    scan_again: bool = False
    is_waiting: bool = False


def advice_for(job: Job, *, same_ont: Sequence[Job] | None = None) -> ProvisioningAdvice | None:
    """None while nothing was scanned. `same_ont`: our open jobs with this device, if already known."""
    scan, result = ont_scans.newest_scan(job), ont_scans.newest_result(job)
    if scan is None:
        return None
    if result is None:
        return _waiting(scan)
    if result.result_id == DUPLICATE:
        return _duplicate(job, scan, same_ont)
    return _for_result(job, scan, result)


def is_overdue(scan: OntScan | None, result: ProvisioningResult | None) -> bool:
    """The seller owes an answer for longer than usual: the advice changes without an update."""
    now = timezone.now()
    if result is not None:
        return ont_scans.is_retry_overdue(result, now=now)
    return scan is not None and now - scan.recorded_at > RESULT_TIMEOUT


def _waiting(scan: OntScan) -> ProvisioningAdvice:
    long = is_overdue(scan, None)
    text = _("The seller is setting up %(fsan)s. This page updates automatically.") % {"fsan": scan.fsan}
    if long:
        text += " " + _("This is taking longer than usual. Call the order desk.")
    return ProvisioningAdvice(
        _("Waiting for the seller"),
        text,
        tone="warning" if long else "calm",
        call=settings.ORDER_DESK_PHONE if long else "",
        is_waiting=True,
    )


def _for_result(job: Job, scan: OntScan, result: ProvisioningResult) -> ProvisioningAdvice:
    build = {1: _ready, 2: _ready, 4: _delayed, 5: _wrong_type, 6: _wrong_details}
    return build.get(result.result_id, _order_desk)(job, scan, result)


def _ready(_job: Job, scan: OntScan, _result: ProvisioningResult) -> ProvisioningAdvice:
    return ProvisioningAdvice(
        _("ONT provisioned"), _("%(fsan)s is online. Continue.") % {"fsan": scan.fsan}, tone="good"
    )


def _order_desk(_job: Job, _scan: OntScan, _result: ProvisioningResult) -> ProvisioningAdvice:
    text = _("The seller needs to resolve this. Call the order desk and stay on site.")
    return ProvisioningAdvice(_("Call the order desk"), text, tone="alarm", call=settings.ORDER_DESK_PHONE)


def _delayed(_job: Job, _scan: OntScan, result: ProvisioningResult) -> ProvisioningAdvice:
    if ont_scans.is_retry_overdue(result, now=timezone.now()):
        return _overdue(result)
    return ProvisioningAdvice(
        _("The seller will retry in five minutes"),
        _("No action needed. This page updates automatically."),
        until=ont_scans.retry_due_at(result),
        overdue_at=ont_scans.retry_overdue_at(result),
        overdue=_overdue(result),
        is_waiting=True,
    )


def _overdue(result: ProvisioningResult) -> ProvisioningAdvice:
    """Still awaited: a result may come after all."""
    return ProvisioningAdvice(
        _("The seller has not retried"),
        _("The next attempt was due at %(at)s, but no result has arrived. Call the order desk.")
        % {"at": formatting.format_time(ont_scans.retry_due_at(result))},
        tone="alarm",
        call=settings.ORDER_DESK_PHONE,
        is_waiting=True,
    )


def _wrong_type(job: Job, scan: OntScan, _result: ProvisioningResult) -> ProvisioningAdvice:
    title = _("Wrong ONT type")
    if job.ont_fsan and not ont_scans.differences(scan.fsan, job.ont_fsan):
        text = _(
            "The seller rejected the ONT type, although this is the ONT it expects here. Call the order desk."
        )
        return ProvisioningAdvice(title, text, tone="alarm", call=settings.ORDER_DESK_PHONE)
    return ProvisioningAdvice(
        title, f"{_refused_type(job, scan)} {_wanted_type(job)}", tone="alarm", scan_again=True
    )


def _refused_type(job: Job, scan: OntScan) -> str:
    ours = ont_scans.VENDORS.get(scan.fsan[:4], scan.fsan[:4])
    if job.ont_vendor.casefold() == ours.casefold():
        return _("This %(ours)s ONT is the wrong model for this line.") % {"ours": ours}
    return _("ONTs from %(ours)s can't be used on this line.") % {"ours": ours}


def _wanted_type(job: Job) -> str:
    if not job.ont_model:
        return _("Use a different type of ONT.")
    expected = " ".join(filter(None, [job.ont_vendor, job.ont_model]))
    return _("Use a %(expected)s.") % {"expected": expected}


def _wrong_details(job: Job, scan: OntScan, _result: ProvisioningResult) -> ProvisioningAdvice:
    text = _("The seller rejected %(fsan)s. Check each character against the label, then scan again.")
    slips = [
        *ont_scans.describe_differences("fsan", scan.fsan, job.ont_fsan),
        *ont_scans.describe_differences("serial_number", scan.serial_number, job.ont_serial_number),
    ]
    whole = " ".join([text % {"fsan": group_digits(scan.fsan)}, *slips])
    return ProvisioningAdvice(_("Check the label"), whole, tone="alarm", scan_again=True)


def _duplicate(job: Job, scan: OntScan, same_ont: Sequence[Job] | None) -> ProvisioningAdvice:
    if same_ont is None:
        other = ont_scans.job_with_same_ont(job=job, fsan=scan.fsan)
    else:
        other = ont_scans.other_than(job, same_ont)
    if other:
        parameters = {"job": other.provider_job_id, "place": other.postcode}
        text = (
            _("It is recorded on our job %(job)s at %(place)s. Check which device is where, then scan again.")
            % parameters
        )
    else:
        text = _("This ONT is already in use on another open installation. Use a different ONT.")
    return ProvisioningAdvice(_("Device already in use"), text, tone="alarm", scan_again=True)


def group_digits(fsan: str) -> str:
    """`CXNK 00AB CDEF`: read in fours, like on the label."""
    return " ".join(fsan[start : start + 4] for start in range(0, len(fsan), 4))
