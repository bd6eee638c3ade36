"""What in the working day needs a person: alarms for the dispatch office, raised here and cleared when it is over."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from dispatch import job_events, ont_scans
from dispatch.agreed_starts import (
    agreed_start,
    jobs_attended_in_window,
    read_interrupted_jobs,
    read_missed_jobs,
)
from dispatch.forecast import visits_by_engineer
from dispatch.handover_requests import open_handover_requests
from dispatch.hours_conflicts import list_hours_conflicts, read_visits_today
from dispatch.models import Job, JobEvent, ProvisioningResult, Visit
from dispatch.on_time_forecast.stored_forecast import DayOnTimeForecast, read_on_time_forecast
from dispatch.risk import Level, assess_risk, is_late_unassigned
from dispatch.states import BEFORE_ARRIVAL, JobState
from dispatch.team_forecasts import forecast_days
from dispatch.teams import absent_people
from engineers.models import Engineer
from engineers.shifts import local_time
from monitoring import alarms
from monitoring.coded_texts import CodedText, coded_text
from monitoring.models import AlarmKind

# a missed job stays on the list so long
REMEMBERED = timedelta(days=7)


def report_cancelled_en_route(job: Job, visit: Visit) -> None:
    """The seller cancelled while the engineer was driving: somebody calls, whatever the phone shows."""
    text = _call_text("cancelled_en_route", job, visit.engineer)
    alarms.raise_alarm(AlarmKind.CANCELLED_EN_ROUTE, job.provider_job_id, text)


def report_start(event: JobEvent, visit: Visit) -> None:
    """An engineer who set off for a job on hold, or arrived there, really is on the way: somebody calls. Nothing
    happens where the job is not on hold, or was put on hold after the start."""
    if event.job.on_hold_since and event.from_state == JobState.ASSIGNED:
        text = _call_text("started_on_hold", event.job, visit.engineer)
        alarms.raise_alarm(AlarmKind.STARTED_ON_HOLD, event.job.provider_job_id, text)


def _call_text(key: str, job: Job, engineer: Engineer) -> CodedText:
    return coded_text(
        key,
        job=job.provider_job_id,
        address=job.address,
        engineer=engineer.name,
        phone=engineer.phone or engineer.name,
    )


def report_handover_request(request: JobEvent) -> None:
    """An engineer wants somebody else to go on: perhaps ill or hurt, and alone on site."""
    alarms.raise_alarm(
        AlarmKind.HANDOVER_REQUESTED, request.job.provider_job_id, _handover_request_text(request)
    )


def end_handover_request(job: Job) -> None:
    """Somebody else has the job now, or nobody."""
    alarms.clear_alarm(AlarmKind.HANDOVER_REQUESTED, job.provider_job_id)


def _handover_request_text(request: JobEvent) -> CodedText:
    job, facts = request.job, request.facts
    return coded_text(
        "handover_requested",
        engineer=facts["engineer_name"],
        job=job.provider_job_id,
        address=job.address,
        reason=facts["reason"],
    )


def watch_provisioning() -> None:
    """Of each open job the newest result: one that failed, or an announced attempt that is overdue."""
    known = alarms.known_alarms(AlarmKind.PROVISIONING_OVERDUE, AlarmKind.PROVISIONING_FAILED)
    now, newest = timezone.now(), list(ont_scans.newest_results())
    overdue = [result for result in newest if ont_scans.is_retry_overdue(result, now=now)]
    failed = [result for result in newest if result.result_id in ont_scans.FAILED_RESULTS]
    alarms.replace_alarms(
        AlarmKind.PROVISIONING_OVERDUE,
        {result.job.provider_job_id: _overdue_text(result) for result in overdue},
        known=known[AlarmKind.PROVISIONING_OVERDUE],
    )
    alarms.replace_alarms(
        AlarmKind.PROVISIONING_FAILED,
        {result.job.provider_job_id: _failed_text(result) for result in failed},
        known=known[AlarmKind.PROVISIONING_FAILED],
    )


def report_provisioning(result: ProvisioningResult) -> None:
    """The same at once, when a result arrives."""
    if result.result_id in ont_scans.FAILED_RESULTS and result.job.is_open:
        alarms.raise_alarm(AlarmKind.PROVISIONING_FAILED, result.job.provider_job_id, _failed_text(result))
    elif ont_scans.is_successful(result.result_id):
        alarms.clear_alarm(AlarmKind.PROVISIONING_FAILED, result.job.provider_job_id)


def _overdue_text(result: ProvisioningResult) -> CodedText:
    job, due_at = result.job, ont_scans.retry_due_at(result)
    return coded_text("provisioning_overdue", job=job.provider_job_id, postcode=job.postcode, due_at=due_at)


def _failed_text(result: ProvisioningResult) -> CodedText:
    job = result.job
    return coded_text(
        "provisioning_failed",
        job=job.provider_job_id,
        address=job.address,
        result=result.result_id,
        details=result.details,
    )


WATCHED_KINDS = (AlarmKind.JOB_LATE, AlarmKind.ENGINEER_ABSENT, AlarmKind.HANDOVER_REQUESTED)


def watch_day() -> None:
    """Of today's jobs: those that will miss their window, and engineers who are away with jobs of theirs; and all
    whose engineers asked for somebody else, that were missed, or that were begun and nobody goes on with."""
    known = alarms.known_alarms(*WATCHED_KINDS)
    now = timezone.now()
    visits = read_visits_today(now)
    begun = job_events.jobs_begun(visit.job_id for visit in visits)
    absent = {visit.pk: _absent_people(visit) for visit in visits}
    outside = {
        key: [conflict.engineer for conflict in conflicts]
        for key, conflicts in list_hours_conflicts(visits).items()
    }
    present = [visit for visit in visits if not absent[visit.pk] and visit.pk not in outside]
    on_time = read_on_time_forecast(local_time(now).date(), now=now)
    late = dict(_late_texts(present, begun=begun, on_time=on_time, now=now))
    missed = dict(_missed_texts(now=now)) | dict(_interrupted_texts(now=now))
    requests = {
        request.job.provider_job_id: _handover_request_text(request) for request in open_handover_requests()
    }
    texts = (
        late | dict(_unassigned_texts(now=now)) | missed,
        dict(_left_texts(visits, absent, outside)),
        requests,
    )
    for kind, found in zip(WATCHED_KINDS, texts, strict=True):
        alarms.replace_alarms(kind, found, known=known[kind])


def _absent_people(visit: Visit) -> list[Engineer]:
    """Who leaves the visit to others by an absence, the second engineer like the first."""
    return absent_people(visit) if visit.job.state in BEFORE_ARRIVAL else []


def _late_texts(
    visits: Sequence[Visit], *, begun: Collection[int], on_time: DayOnTimeForecast, now: datetime
) -> Iterator[tuple[str, CodedText]]:
    attended = jobs_attended_in_window(visits)
    forecasts = forecast_days(visits_by_engineer(visits), now=now).of_visits
    for visit in visits:
        risk = assess_risk(
            job=visit.job,
            visit=visit,
            forecast=forecasts.get(visit.pk),
            now=now,
            is_begun=visit.job_id in begun,
            was_in_window=visit.job_id in attended,
            on_time=on_time.of_visit(visit),
        )
        if risk.level == Level.LATE:
            yield visit.job.provider_job_id, _late_text(visit)


def _unassigned_texts(*, now: datetime) -> Iterator[tuple[str, CodedText]]:
    """Jobs whose window is not over yet, and hardly enough time is left."""
    for job in Job.objects.unassigned().filter(window_end__gt=now, window_start__lt=now + timedelta(days=1)):
        if is_late_unassigned(job, now=now):
            yield job.provider_job_id, _job_text("job_late_unassigned", job)


def _missed_texts(*, now: datetime) -> Iterator[tuple[str, CodedText]]:
    """Jobs whose window, or agreed start, passed without anybody on site: until they are closed or planned anew."""
    for job, visit in read_missed_jobs(now=now, within=REMEMBERED):
        yield job.provider_job_id, _missed_text(job, visit)


def _interrupted_texts(*, now: datetime) -> Iterator[tuple[str, CodedText]]:
    """Until somebody is on site, or they are closed or planned anew."""
    for job, visit in read_interrupted_jobs(now=now):
        yield job.provider_job_id, _interrupted_text(job, visit)


def _late_text(visit: Visit) -> CodedText:
    key = "job_late_agreed" if visit.is_start_agreed else "job_late"
    return _job_text(key, visit.job, visit.engineer.name, agreed_at=agreed_start(visit))


def _missed_text(job: Job, visit: Visit | None) -> CodedText:
    agreed = agreed_start(visit)
    return _job_text("job_missed_agreed" if agreed else "job_missed", job, agreed_at=agreed)


def _interrupted_text(job: Job, visit: Visit | None) -> CodedText:
    if visit is None:
        return _job_text("job_interrupted_unassigned", job)
    return _job_text("job_interrupted", job, visit.engineer.name, planned_at=visit.planned_start)


def _job_text(key: str, job: Job, engineer: str = "", **moments: datetime | None) -> CodedText:
    return coded_text(
        key,
        job=job.provider_job_id,
        address=job.address,
        engineer=engineer,
        window_end_at=job.window_end,
        **{name: moment for name, moment in moments.items() if moment},
    )


def _left_texts(
    visits: Sequence[Visit], absent: Mapping[int, list[Engineer]], outside: Mapping[int, list[Engineer]]
) -> Iterator[tuple[str, CodedText]]:
    """By the staff number of each engineer who will not be at some of these visits. `absent`, `outside`: who, by the
    visit's key."""
    left = [{*absent[visit.pk], *outside.get(visit.pk, ())} for visit in visits]
    jobs = Counter(person for people in left for person in people)
    away = {person for people in absent.values() for person in people}
    for engineer, number in jobs.items():
        if engineer not in away:
            key = "engineer_outside_hours"
        else:
            key = "engineer_absent" if engineer.user.is_active else "engineer_suspended"
        yield engineer.staff_number, coded_text(key, engineer=engineer.name, jobs=number)
