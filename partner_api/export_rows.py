"""What an export holds: the rows of a period, read from the database piece by piece."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Prefetch, Q
from django.db.models.functions import Coalesce

from closures.models import Closure, Photo
from closures.work_ends import FIRST_SUBMITTED_AT, LEFT_AT, WAS_SENT_BACK, WORK_END
from dispatch.models import Job, Visit
from engineers.area_scope import lies_in
from engineers.areas import area_map, find_area
from engineers.models import Area, Engineer
from engineers.shifts import day_span, local_time, with_day_before, work_time_of, working_spans

ROWS_AT_ONCE = 500
# each with all visits of the period
ENGINEERS_AT_ONCE = 10
Row = dict[str, Any]


@dataclass(frozen=True)
class Period:
    """From the first day to the last, both included, in the zone of the installation. `areas` (keys): only what
    belongs to these; None for everything."""

    first: date
    last: date
    areas: Collection[int] | None = None

    @property
    def start(self) -> datetime:
        return day_span(self.first).start

    @property
    def end(self) -> datetime:
        return day_span(self.last).end

    @property
    def days(self) -> Iterator[date]:
        for number in range((self.last - self.first).days + 1):
            yield self.first + timedelta(days=number)

    def job_filter(self, prefix: str = "") -> Q:
        """A row whose job lies in the areas; `prefix` is the way to the job."""
        if self.areas is None:
            return Q()
        return lies_in(self.areas, prefix)


def job_rows(period: Period) -> Iterator[Row]:
    """Jobs whose appointment window begins in the period."""
    areas = area_map(Area.objects.all())
    active = Visit.objects.active().select_related("engineer", "second_engineer")
    jobs = Job.objects.filter(
        period.job_filter(), window_start__gte=period.start, window_start__lt=period.end
    ).prefetch_related(Prefetch("visits", active))
    for job in jobs.order_by("pk").iterator(chunk_size=ROWS_AT_ONCE):
        yield {**_job_row(job, areas), **_visit_row(next(iter(job.visits.all()), None))}


def _job_row(job: Job, areas: Mapping[str, Area]) -> Row:
    area = find_area(job.postcode, areas)
    return {
        "number": job.provider_job_id,
        "seller_job_number": job.seller_job_id,
        "type": job.job_type,
        "state": job.state,
        "received_at": job.received_at,
        "window_start": job.window_start,
        "window_end": job.window_end,
        "duration_minutes": job.duration_minutes,
        "postcode": job.postcode,
        "area": area.name if area else None,
        "product": job.product_name,
        "flags": job.flags,
        "buyer_order_reference": job.buyer_order_reference,
        "seller_order_reference": job.seller_order_reference,
    }


def _visit_row(visit: Visit | None) -> Row:
    second = visit.second_engineer if visit else None
    return {
        "engineer": visit.engineer.staff_number if visit else None,
        "second_engineer": second.staff_number if second else None,
        "planned_start": visit.planned_start if visit else None,
        "planned_end": visit.planned_end if visit else None,
        "travel_started_at": visit.travel_started_at if visit else None,
        "arrived_at": visit.arrived_at if visit else None,
        "ended_at": visit.ended_at if visit else None,
    }


def closure_rows(period: Period) -> Iterator[Row]:
    """Closures of the period, without remarks."""
    closures = Closure.objects.filter(
        period.job_filter("job__"), closed_at__gte=period.start, closed_at__lt=period.end
    ).select_related("job", "engineer")
    for closure in closures.order_by("pk").iterator(chunk_size=ROWS_AT_ONCE):
        yield {
            "number": closure.job.provider_job_id,
            "type": closure.job.job_type,
            "code": closure.code,
            "description": closure.description,
            "secondary_code": closure.secondary_code,
            "secondary_description": closure.secondary_description,
            "closed_at": closure.closed_at,
            "recorded_at": closure.recorded_at,
            "engineer": closure.engineer.staff_number if closure.engineer else None,
            "without_visit": closure.without_visit,
        }


def evidence_rows(period: Period) -> Iterator[Row]:
    """Photos and signatures that were taken in the period."""
    photos = Photo.objects.filter(
        period.job_filter("job__"), taken_at__gte=period.start, taken_at__lt=period.end
    ).select_related("job", "by")
    for photo in photos.order_by("taken_at", "pk").iterator(chunk_size=ROWS_AT_ONCE):
        yield {
            "number": photo.job.provider_job_id,
            "id": str(photo.pk),
            "question": photo.question_code,
            "taken_at": photo.taken_at,
            "stored_at": photo.stored_at,
            "sha256": photo.stored_sha256,
            "content_type": photo.content_type,
            "size_bytes": photo.size_bytes,
            "engineer": photo.by.staff_number if photo.by else None,
            "purged_at": photo.purged_at,
        }


def working_time_rows(period: Period) -> Iterator[Row]:
    """One row for each engineer and day on which somebody was to work, or did."""
    # by when they began, which may be another day than planned; also those that were unassigned on the way or on site
    visits = Visit.objects.annotate(
        began_at=Coalesce("travel_started_at", "arrived_at"),
        work_ended_at=Coalesce(WORK_END, LEFT_AT, "unassigned_at"),
        left_at=LEFT_AT,
        was_sent_back=WAS_SENT_BACK,
        first_submitted_at=FIRST_SUBMITTED_AT,
    ).filter(began_at__gte=period.start, began_at__lt=period.end)
    engineers = Engineer.objects.select_related("user").prefetch_related(
        *("shifts", "shift_exceptions", "absences"),
        Prefetch("visits", visits, to_attr="own_visits"),
        Prefetch("accompanied_visits", visits, to_attr="visits_as_second"),
    )
    if period.areas is not None:
        further = Engineer.further_areas.through.objects.filter(area__in=period.areas)
        engineers = engineers.filter(Q(area__in=period.areas) | Q(pk__in=further.values("engineer")))
    for engineer in engineers.order_by("pk").iterator(chunk_size=ENGINEERS_AT_ONCE):
        yield from _days_of_engineer(engineer, period)


def _days_of_engineer(engineer: Any, period: Period) -> Iterator[Row]:
    """Days on which the engineer was to work, or did."""
    by_day: dict[date, list[Any]] = {}
    for visit in [*engineer.own_visits, *engineer.visits_as_second]:
        visit.work_ended_at = _work_end(visit, engineer)
        by_day.setdefault(local_time(visit.began_at).date(), []).append(visit)
    shifts, exceptions = list(engineer.shifts.all()), list(engineer.shift_exceptions.all())
    for day in period.days:
        worked = by_day.get(day, [])
        absences = [
            absence
            for absence in engineer.absences.all()
            if absence.starts_at < day_span(day).end + timedelta(days=1)
            and absence.ends_at > day_span(day).start
        ]
        spans = working_spans(shifts=shifts, exceptions=exceptions, absences=absences, day=day)
        rostered = sum((span.length for span in spans), timedelta())
        if rostered or worked:
            yield _working_day_row(engineer, day, rostered, worked)


def _work_end(visit: Any, engineer: Engineer) -> datetime | None:
    """At the latest with the engineer's shift where the end is somebody else's click, or that of another attendance."""
    end: datetime | None = visit.work_ended_at
    is_from_engineer = visit.left_at or (
        visit.arrived_at and not visit.unassigned_at and not visit.was_sent_back
    )
    if is_from_engineer or end is None:
        return end
    latest = _shift_end(engineer, visit.began_at)
    submitted_at: datetime | None = visit.first_submitted_at
    return end if end <= latest else min(submitted_at or latest, latest)


def _shift_end(engineer: Engineer, moment: datetime) -> datetime:
    """Of the shift of this moment, or the next one of that local day; where there is none, the end of the day."""
    day = local_time(moment).date()
    shifts = work_time_of(engineer, days=with_day_before([day])).attended
    return min((shift.end for shift in shifts if shift.end > moment), default=day_span(day).end)


def _working_day_row(engineer: Engineer, day: date, rostered: timedelta, worked: list[Any]) -> Row:
    """`worked`: visits with `began_at` and `work_ended_at`."""
    travel = [
        end - visit.travel_started_at
        for visit in worked
        if visit.travel_started_at and (end := visit.arrived_at or visit.work_ended_at)
    ]
    on_site = [
        visit.work_ended_at - visit.arrived_at for visit in worked if visit.arrived_at and visit.work_ended_at
    ]
    return {
        "engineer": engineer.staff_number,
        "name": engineer.name,
        "day": day,
        "rostered_minutes": _minutes(rostered),
        "first_start": min((visit.began_at for visit in worked), default=None),
        "last_end": max((visit.work_ended_at for visit in worked if visit.work_ended_at), default=None),
        "visits": len(worked),
        "travel_minutes": _minutes(sum(travel, timedelta())),
        "on_site_minutes": _minutes(sum(on_site, timedelta())),
    }


def _minutes(span: timedelta) -> int:
    return round(span.total_seconds() / 60)
