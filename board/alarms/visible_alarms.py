"""Which alarms and check-ins somebody who is limited to some areas sees: what is about their jobs and engineers, and
what is about the whole installation."""

from collections.abc import Iterable

from django.utils import timezone

from board.alarms.alarm_links import job_id_of
from closures.network_patterns import list_jobs_ahead
from dispatch.models import Job
from engineers.area_scope import is_in_scope
from engineers.current_scope import current_scope
from engineers.models import CheckIn, Engineer
from monitoring import alarms
from monitoring.alarm_facts import AlarmSubject
from monitoring.alarm_kinds import alarm_kind_facts
from monitoring.models import Alarm

# of the newest that are over, where somebody may see a part of them: so many for each that is wanted
READ_FOR_ONE = 10


def rows_to_read(wanted: int) -> int:
    """Of a list in order, so that `wanted` are found that may be seen."""
    return READ_FOR_ONE * wanted if current_scope().is_limited else wanted


def visible_alarms(found: Iterable[Alarm]) -> list[Alarm]:
    """In their order. No query for somebody who sees every area, otherwise three."""
    listed = list(found)
    if not current_scope().is_limited:
        return listed
    jobs = visible_jobs(filter(None, map(job_id_of, listed)))
    subjects = [alarm.subject for alarm in listed if _subject(alarm) == AlarmSubject.ENGINEER]
    engineers = set(
        Engineer.objects.in_scope().filter(staff_number__in=subjects).values_list("staff_number", flat=True)
    )
    elements = _visible_elements(alarm for alarm in listed if _subject(alarm) == AlarmSubject.NETWORK_ELEMENT)
    return [alarm for alarm in listed if _is_visible(alarm, jobs, engineers, elements)]


def are_members_visible(alarm: Alarm) -> bool:
    """Whether all are whose alarms this one stands for; so with an alarm of its own."""
    if alarm.kind not in alarms.GROUP_KINDS or not current_scope().is_limited:
        return True
    members = alarms.open_alarms().filter(cause=alarm.subject)
    return len(visible_alarms(members)) == len(members)


def _is_visible(alarm: Alarm, jobs: set[str], engineers: set[str], elements: set[str]) -> bool:
    if number := job_id_of(alarm):
        return number in jobs
    match _subject(alarm):
        case AlarmSubject.ENGINEER:
            return alarm.subject in engineers
        case AlarmSubject.NETWORK_ELEMENT:
            return alarm.subject in elements
        case AlarmSubject.AREA_HALF_DAY:
            return alarm.parameters.get("area") in current_scope().names
    return True


def _subject(alarm: Alarm) -> AlarmSubject:
    return alarm_kind_facts(alarm.kind).subject


def visible_jobs(numbers: Iterable[str]) -> set[str]:
    """Of these numbers: all, without a query, for somebody who sees every area."""
    if not current_scope().is_limited:
        return set(numbers)
    found = Job.objects.in_scope().filter(provider_job_id__in=list(numbers))
    return set(found.values_list("provider_job_id", flat=True))


def _visible_elements(alarms: Iterable[Alarm]) -> set[str]:
    """Parts of the network on which a job lies ahead, or is held, that may be seen."""
    subjects = [alarm.subject for alarm in alarms]
    if not subjects:
        return set()
    ahead = list_jobs_ahead(subjects, now=timezone.now())
    found = {subject for subject, jobs in ahead.items() if any(is_in_scope(job.postcode) for job in jobs)}
    held = Job.objects.in_scope().filter(on_hold_for__in=subjects, on_hold_since__isnull=False)
    return found | set(held.values_list("on_hold_for", flat=True))


def visible_check_ins(found: Iterable[CheckIn]) -> list[CheckIn]:
    """Of the own engineers, and of whoever works alone at a job of the own areas."""
    check_ins = list(found)
    if not current_scope().is_limited or not check_ins:
        return check_ins
    jobs = visible_jobs(check_in.provider_job_id for check_in in check_ins)
    people = Engineer.objects.in_scope().filter(pk__in=[check_in.engineer_id for check_in in check_ins])
    engineers = set(people.values_list("pk", flat=True))
    return [
        check_in
        for check_in in check_ins
        if check_in.provider_job_id in jobs or check_in.engineer_id in engineers
    ]
