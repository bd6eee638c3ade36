"""Which jobs an engineer has, and what an open page polls for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.http import Http404

from dispatch import ont_scans
from dispatch.models import Job, OntScan, ProvisioningResult, Visit, VisitQuerySet
from dispatch.states import ENDED_STATES, UNDER_WAY, JobState
from engineers.models import Engineer
from engineers.shifts import day_span
from phone import provisioning_advice


def unassigned_status(job_id: str, engineer: Engineer) -> dict[str, str]:
    """For a job that this engineer once had. Raises Http404 for any other."""
    theirs = Visit.objects.attended_by([engineer]).filter(job__provider_job_id=job_id)
    if not theirs.exists():
        raise Http404
    return {"state": "unassigned", "version": "unassigned"}


def phone_state(state: str) -> str:
    """As the phone has it: for the engineer a job is closed while the office reviews it."""
    return JobState.CLOSED if state == JobState.IN_REVIEW else state


def is_in_review(job: Job) -> bool:
    return job.state == JobState.IN_REVIEW


PEOPLE = ("engineer__user", "second_engineer__user")
# begun and not over, whatever day the office has moved the visit to since
BEGUN = UNDER_WAY | {JobState.IN_REVIEW}


def end_of_list(today: date) -> datetime:
    """A phone has what is planned until then."""
    return day_span(today + timedelta(days=1)).end


def visits_of_day(engineer: Engineer, today: date) -> VisitQuerySet:
    """Today's and tomorrow's, what is left open of earlier days, what is begun, and what of these ended today; also
    those that the engineer accompanies."""
    today_starts = day_span(today).start
    planned = Q(planned_start__lt=end_of_list(today))
    begun = Q(job__state__in=BEGUN) | Q(travel_started_at__isnull=False) | Q(arrived_at__isnull=False)
    unfinished = (planned | begun) & ~Q(job__state__in=ENDED_STATES)
    ended_today = (planned | begun) & Q(ended_at__gte=today_starts)
    recent = planned & Q(planned_end__gt=today_starts)
    return Visit.objects.active().attended_by([engineer]).filter(unfinished | ended_today | recent)


def list_visits(engineer: Engineer, today: date) -> list[Visit]:
    """In the order of the plan, with what a page shows of them."""
    visits = visits_of_day(engineer, today).select_related(*PEOPLE, "job__closure")
    return list(visits.order_by("planned_start", "pk"))


def is_today(visit: Visit, today: date) -> bool:
    """A job begun on an earlier day belongs to today until it is finished; so does one begun early, then too."""
    is_begun = visit.job.state in BEGUN or visit.travel_started_at or visit.arrived_at
    return bool(is_begun) or visit.planned_start < day_span(today).end


def job_version(job: Job) -> str:
    """Changes with every event and result, and when waiting has become too long, so that the advice changes then."""
    events = max((event.seq for event in job.events.all()), default=0)
    return _version(events, len(job.results.all()), ont_scans.newest_scan(job), ont_scans.newest_result(job))


def _version(events: int, results: int, scan: OntScan | None, result: ProvisioningResult | None) -> str:
    return f"{events}.{results}.{int(provisioning_advice.is_overdue(scan, result))}"


@dataclass(frozen=True)
class JobStatus:
    """What an open page polls for. Scan and result are the newest ones, not saved again: they have SCAN and RESULT."""

    state: str
    version: str
    scan: OntScan | None
    result: ProvisioningResult | None


SCAN = ("scan_id", "fsan", "serial_number", "scanned_at", "recorded_at")
RESULT = ("result_id", "success", "details", "occurred_at", "recorded_at")


def find_job_status(engineer: Engineer, job_id: str) -> JobStatus | None:
    """One query; None for a job that this engineer does not have."""
    own = Visit.objects.active().attended_by([engineer]).filter(job=OuterRef("pk"))
    scans = OntScan.objects.filter(job=OuterRef("pk")).order_by("-recorded_at")
    results = ProvisioningResult.objects.filter(job=OuterRef("pk"), scan=OuterRef("scan_scan_id"))
    counted = (
        ProvisioningResult.objects.filter(job=OuterRef("pk")).order_by().values("job").annotate(n=Count("pk"))
    )
    row = (
        Job.objects.filter(Exists(own), provider_job_id=job_id)
        .annotate(results_seen=Subquery(counted.values("n")))
        .annotate(**{f"scan_{name}": Subquery(scans.values(name)[:1]) for name in SCAN})
        .annotate(
            **{
                f"result_{name}": Subquery(results.order_by(*ont_scans.NEWEST_FIRST).values(name)[:1])
                for name in RESULT
            }
        )
        .values(
            "state", "last_event_seq", "results_seen", *_columns("scan", SCAN), *_columns("result", RESULT)
        )
        .first()
    )
    if row is None:
        return None
    scan = OntScan(**{name: row[f"scan_{name}"] for name in SCAN}) if row["scan_scan_id"] else None
    result = (
        ProvisioningResult(**{name: row[f"result_{name}"] for name in RESULT})
        if row["result_result_id"]
        else None
    )
    version = _version(row["last_event_seq"], row["results_seen"] or 0, scan, result)
    return JobStatus(phone_state(row["state"]), version, scan, result)


def _columns(prefix: str, names: Sequence[str]) -> list[str]:
    return [f"{prefix}_{name}" for name in names]
