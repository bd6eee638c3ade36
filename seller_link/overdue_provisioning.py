"""Provisioning attempts that the seller announced (result 4) and that did not come: an engineer waits for them."""

from django.utils import timezone
from django.utils.translation import gettext as _

from dispatch import ont_scans
from dispatch.models import ProvisioningResult
from engineers.shifts import local_time
from monitoring import alarms
from monitoring.alarms import AlarmKind


def watch() -> None:
    """An alarm for each open job whose newest result is an overdue one; over once it is not any more."""
    overdue = {result.job.provider_job_id: result for result in _overdue()}
    for job_id, result in overdue.items():
        alarms.raise_alarm(AlarmKind.PROVISIONING_OVERDUE, job_id, _words(result))
    known = alarms.open_alarms().filter(kind=AlarmKind.PROVISIONING_OVERDUE)
    alarms.clear_all(
        AlarmKind.PROVISIONING_OVERDUE, set(known.values_list("subject", flat=True)) - overdue.keys()
    )


def _overdue() -> list[ProvisioningResult]:
    now, announced = timezone.now(), ont_scans.newest_results().filter(result_id=ont_scans.RETRY_RESULT)
    return [result for result in announced if ont_scans.is_retry_overdue(result, now=now)]


def _words(result: ProvisioningResult) -> str:
    due = local_time(ont_scans.retry_due_at(result))
    words = _(
        "Job %(job)s, %(postcode)s: the seller announced another provisioning attempt for %(due)s and sent no result. "
        "The engineer is waiting. Call the order desk."
    )
    given = {"job": result.job.provider_job_id, "postcode": result.job.postcode, "due": f"{due:%H:%M}"}
    return words % given
