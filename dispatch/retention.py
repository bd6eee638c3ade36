"""Personal data in job packs and the exact positions of job events: when they end, and what stays.

What stays is what the seller must be able to prove: ids, order references, product, device, states and times.
"""

from collections.abc import Callable, Iterable, Set
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from dispatch import job_search
from dispatch.driving.drive_times import position_code
from dispatch.driving.travel import job_coordinates
from dispatch.models import Job, JobEvent, JobQuerySet, PinHoldStep, ProvisioningResult, RoadDrive, Visit
from dispatch.states import ENDED_STATES, EventKind
from engineers import location_history
from engineers.models import Engineer, User
from engineers.retention import (
    identifying_names,
    in_batches,
    in_batches_of_their_index,
    names_of,
    names_somebody,
    numbers_over_time,
    replace_names,
)

# columns of a job about the customer or the home, and what they become
PERSONAL_COLUMNS: dict[str, Any] = {
    "contact_name": "",
    "contact_phone": "",
    "contact_email": "",
    "access_restrictions": "",
    "preferred_ont_location": "",
    "hazards": "",
    "site_notes": "",
    "uprn": "",
    "address_lines": [],
    "town": "",
    "postcode": "",
    "postcode_key": "",
    # may name a street
    "on_hold_for": "",
    "latitude": None,
    "longitude": None,
    # any member, any text
    "network": {},
}
# members of a fault report that are texts of people; kind, start and references stay
PERSONAL_FAULT = frozenset({"description", "access", "findings", "last_diagnostics", "files"})
# members of an event's facts that say where its engineer was
POSITION_FACTS = frozenset({"latitude", "longitude", "accuracy_metres"})
# members of an event's facts that say where somebody lives or what somebody wrote
PERSONAL_FACTS = frozenset(
    {
        *POSITION_FACTS,
        "body",
        "reason",
        "remarks",
        "reported_text",
        "override_reason",
        "note",
        "caller",
    }
)
# members of an event's facts, also inside "conflict", that hold nothing but a name: whose, the number beside it says
ONLY_NAMES = frozenset({"engineer_name", "instead_of", "second_name", "second_before", "who"})
# of these the member that has the staff number; an event that names somebody so always has it
NUMBERS_OF_NAMES = {"second_name": "second_number", "second_before": "second_before_number"}


def has_ended_before(before: datetime, *, job: str) -> Exists:
    """For a filter of rows whose column `job` is a job: it was closed or cancelled before that moment."""
    endings = JobEvent.objects.filter(kind__in=(EventKind.CLOSED, EventKind.CANCELLED))
    return Exists(endings.filter(job=OuterRef(job), recorded_at__lt=before))


def ended_jobs(before: datetime) -> JobQuerySet:
    """Jobs that were closed or cancelled before that moment and still hold personal data. None can have ended before it
    was received: by that the few are found by their index, among all jobs of the last year."""
    ended = Job.objects.filter(has_ended_before(before, job="pk"), state__in=ENDED_STATES)
    return ended.filter(anonymised_at=None, received_at__lt=before)


def jobs_written_again(before: datetime) -> JobQuerySet:
    """Anonymised jobs with events of after that (a note, the late answer of a phone), the last from before that
    moment."""
    return Job.objects.filter(written_again_at__lt=before)


def anonymise_jobs(jobs: models.QuerySet[Job]) -> int:
    """Empty contact, address, position and free texts of these jobs and of their events; how many jobs."""
    personal = Q(anonymised_at=None) | Q(written_again_at__isnull=False)
    return in_batches(jobs.filter(personal), _anonymise)


def _anonymise(jobs: models.QuerySet[Job]) -> None:
    keys = [*PERSONAL_FACTS, "conflict", "closure"]
    _rewrite(
        JobEvent.objects.filter(job__in=jobs, facts__has_any_keys=sorted(keys)),
        lambda event: _without_customer(event.facts),
    )
    for job in jobs.exclude(fault={}).only("fault"):
        remaining = {name: value for name, value in job.fault.items() if name not in PERSONAL_FAULT}
        Job.objects.filter(pk=job.pk).update(fault=remaining)
    same = list(jobs.values_list("pk", flat=True))
    # the same text as in `on_hold_for`
    PinHoldStep.objects.filter(job__in=same).exclude(element="").update(element="")
    anonymised_at = Coalesce("anonymised_at", Value(timezone.now()))
    jobs.update(**PERSONAL_COLUMNS, anonymised_at=anonymised_at, written_again_at=None)
    for job in Job.objects.filter(pk__in=same).prefetch_related("scans"):
        job_search.refresh_keywords(job)


def _without_customer(facts: dict[str, Any]) -> dict[str, Any]:
    remaining = {name: value for name, value in facts.items() if name not in PERSONAL_FACTS}
    if remaining.get("conflict"):
        # the seller's own text for a cancellation
        remaining["conflict"] = {**remaining["conflict"], "reason": ""}
    if "closure" in remaining:
        # one that the office sent back (closures.review)
        remaining["closure"] = {**remaining["closure"], "remarks": ""}
    return remaining


def forget_in_results(jobs: models.QuerySet[Job], names: Iterable[str]) -> int:
    """Empty what the seller wrote to a provisioning result where it names somebody; the result stays. How many."""
    wanted = set(names)
    results = ProvisioningResult.objects.filter(job__in=jobs).exclude(details="")
    found = [result.pk for result in results if names_somebody(result.details, wanted)]
    return ProvisioningResult.objects.filter(pk__in=found).update(details="")


def expired_drives(before: datetime) -> models.QuerySet[RoadDrive]:
    """What a travel server said says where somebody lives, to ten metres."""
    return RoadDrive.objects.filter(fetched_at__lt=before)


def delete_drives(jobs: models.QuerySet[Job]) -> int:
    """From and to these jobs' premises."""
    positions = {position_code(position) for position in map(job_coordinates, jobs) if position}
    found = [
        RoadDrive.objects.filter(
            Q(pair__startswith=f"{position} ") | Q(pair__endswith=f" {position}")
        ).delete()[0]
        for position in positions
    ]
    return sum(found)


def jobs_of_engineer(engineer: Engineer) -> JobQuerySet:
    """Every job that this engineer has or had, also as the second one, and where somebody else accompanies now."""
    attended = Visit.objects.attended_by([engineer]).filter(job=OuterRef("pk"))
    numbers = [number for number, _since, _until in numbers_over_time(engineer)]
    accompanied = JobEvent.objects.filter(job=OuterRef("pk"), facts__second_before_number__in=numbers)
    return Job.objects.filter(Exists(attended) | Exists(accompanied))


def forget_engineer(engineer: Engineer) -> None:
    """Events name the staff number instead, also where somebody or the seller wrote the full name into a text; whose
    visit it was stays."""
    about = Q(job__in=jobs_of_engineer(engineer)) | Q(user=engineer.user)
    names, numbers = names_of(engineer.user), list(numbers_over_time(engineer))
    typed = identifying_names(names)

    def without_names(event: JobEvent) -> dict[str, Any]:
        own = {number for number, since, until in numbers if since <= event.recorded_at <= until}
        facts = {**event.facts, **_without_engineer(event, engineer, names, own)}
        anonymised: dict[str, Any] = replace_names(facts, typed, by=engineer.staff_number, keep=ONLY_NAMES)
        return anonymised

    _rewrite(JobEvent.objects.filter(about), without_names)


def forget_office_names(names: Set[str], *, former: str) -> None:
    """What came too late says who of the office had closed the job (dispatch.sync_conflicts)."""
    _rewrite(
        JobEvent.objects.filter(facts__conflict__who__in=list(names)),
        lambda event: {**event.facts, "conflict": {**event.facts["conflict"], "who": former}},
    )


def jobs_of_account(user: User) -> JobQuerySet:
    """Every job in which this account did something."""
    return Job.objects.filter(Exists(JobEvent.objects.filter(job=OuterRef("pk"), user=user)))


def forget_positions(engineer: Engineer) -> None:
    """Where the engineer was, in the engineer's own reports: what was reported and when stays."""
    own = JobEvent.objects.filter(user=engineer.user, facts__has_key="latitude")
    _rewrite(own, lambda event: _without_position(event.facts))


def _without_position(facts: dict[str, Any]) -> dict[str, Any]:
    remaining = {name: value for name, value in facts.items() if name not in POSITION_FACTS}
    body = remaining.get("body")
    if isinstance(body, dict):
        remaining["body"] = {name: value for name, value in body.items() if name != "position"}
    return remaining


def _without_engineer(
    event: JobEvent, engineer: Engineer, names: Set[str], numbers: Set[str]
) -> dict[str, Any]:
    """By the engineer's `numbers` at the time of the event; by name or account where an event has no number."""
    facts, number = event.facts, engineer.staff_number
    changed: dict[str, Any] = {}
    is_own = engineer.user_id == event.user_id or facts.get("engineer_name") in names
    if facts["engineer_number"] in numbers if "engineer_number" in facts else is_own:
        new = {"engineer_name": number, "engineer_phone": ""}
        changed |= {name: value for name, value in new.items() if name in facts}
    if facts.get("instead_of_number") in numbers or facts.get("instead_of") in names:
        changed["instead_of"] = number
    changed |= {
        name: number for name, its_number in NUMBERS_OF_NAMES.items() if facts.get(its_number) in numbers
    }
    conflict = facts.get("conflict")
    if conflict and conflict.get("who") in names:
        changed["conflict"] = {**conflict, "who": number}
    return changed


def _rewrite(events: models.QuerySet[JobEvent], facts_of: Callable[[JobEvent], dict[str, Any]]) -> None:
    """With `position_rounded` the one change that an event ever sees: it says less about a person. Read and written
    under its lock, so that what somebody else has removed meanwhile never comes back."""

    def write(batch: models.QuerySet[JobEvent]) -> None:
        for event in batch:
            facts = facts_of(event)
            if facts != event.facts:
                JobEvent.objects.filter(pk=event.pk).update(facts=facts)

    in_batches(events, write)


KINDS_WITH_POSITION = (EventKind.EN_ROUTE, EventKind.ON_SITE, EventKind.REPORTED_LATE)


def exact_events(before: datetime) -> models.QuerySet[JobEvent]:
    """With an exact position from before that moment; by the index of those (event_exact_position)."""
    exact = JobEvent.objects.filter(
        kind__in=KINDS_WITH_POSITION, occurred_at__lt=before, facts__has_key="latitude"
    )
    return exact.exclude(facts__has_key="position_rounded").order_by()


def coarsen_positions(now: datetime) -> None:
    """Whatever is older than POSITION_EXACT_DAYS, in batches that hold the database's writer only shortly. What the
    seller was told stays told."""
    old = now - timedelta(days=settings.POSITION_EXACT_DAYS)
    in_batches_of_their_index(exact_events(old), _coarsen, size=location_history.BATCH_SIZE)
    location_history.coarsen_phone_messages(old)


def _coarsen(exact: models.QuerySet[JobEvent]) -> None:
    events = list(exact)
    for event in events:
        event.facts = _rounded(event.facts)
    JobEvent.objects.bulk_update(events, ["facts"])


def _rounded(facts: dict[str, Any]) -> dict[str, Any]:
    """The one change that an event ever sees: it says less exactly where, and that it does."""
    rounded = location_history.coarse_position(facts)
    remaining = {name: value for name, value in facts.items() if name != "accuracy_metres"}
    if isinstance(remaining.get("body"), dict) and "position" in remaining["body"]:
        remaining["body"] = {
            **remaining["body"],
            "position": location_history.coarse_position(remaining["body"]["position"]),
        }
    return {**remaining, **rounded, "position_rounded": True}
