"""Who could take a job and when at the earliest, with driving times: suggestions for unassigned and refused jobs."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.db.models import prefetch_related_objects
from django.utils.translation import gettext as _

from dispatch import skills
from dispatch.driving.drive_times import read_drive_times
from dispatch.driving.travel import home_coordinates, job_coordinates
from dispatch.models import Job, Visit
from dispatch.slots.busy_visits import drive_origin, drive_seconds, list_busy_visits
from dispatch.slots.free_slots import (
    COMES_FROM,
    JobDay,
    PersonDay,
    SlotSuggestion,
    earliest_start,
    find_slot,
    person_day,
    read_day,
    read_drives,
    slot_at,
)
from dispatch.slots.nearest_slots import nearest_people, nearest_slots
from dispatch.slots.slot_data import Homes, SlotData, with_rota
from engineers.models import Engineer, EngineerQuerySet
from engineers.shifts import TimeSpan, is_absent_during

# of a team: so many first engineers are tried, the nearest ones, each with so many who could accompany
MOST_TRIED = 20


@dataclass(frozen=True)
class UnfitEngineer:
    """Why somebody cannot take the job."""

    engineer: Engineer
    reason: str


def suggest_slots(
    job: Job,
    *,
    most: int = 5,
    not_before: datetime | None = None,
    only: Engineer | None = None,
    day: JobDay | None = None,
    reading: SlotData | None = None,
) -> list[SlotSuggestion]:
    """The nearest free engineers with the skills, each at the earliest quarter hour that fits, from `not_before`
    on if given; `only` this one if given; `day` where it was read, `reading` what was read for several jobs. A job that
    needs two people, or has a second engineer, gets pairs. Twelve queries, three more where somebody is late today,
    four each time that the nearest are not enough; fifteen for a team, seven more where the job has one; without those
    for what was read before. A travel server costs one more each time that the nearest are looked for."""
    day = day or read_day(job, not_before, reading=reading)
    if day is None:
        return []
    if day.needs_team:
        return list(islice(_team_slots(day, only=only), most))
    return nearest_slots(day, _homes_of_able(day, only=only), most=most)


def _homes_of_able(day: JobDay, *, only: Engineer | None) -> Homes:
    return day.reading.homes(day.required.skills, on=day.last, only=only.pk if only else None)


def _whom_reader_sees() -> EngineerQuerySet:
    return Engineer.objects.active().in_scope()


def _people_of(day: JobDay) -> list[PersonDay]:
    """Of everybody, with their skills; read once for a day."""
    if day.people is None:
        engineers = list(_with_rota_and_skills(_whom_reader_sees()))
        read_drives(day, map(home_coordinates, engineers))
        day.people = [person_day(day, engineer) for engineer in engineers]
    return day.people


def _with_rota_and_skills(engineers: EngineerQuerySet) -> EngineerQuerySet:
    return with_rota(engineers).prefetch_related("held_skills__skill")


def _team_slots(day: JobDay, *, only: Engineer | None) -> Iterator[SlotSuggestion]:
    """The nearest first engineers with the skills, each with whoever can accompany soonest; alone who always comes
    with a second person."""
    leads = nearest_people(day, _homes_of_able(day, only=only), most=MOST_TRIED)
    prefetch_related_objects([slot.engineer for slot, _person in leads], "held_skills__skill")
    companions = _companions(day)
    unchanged = _with_another_second(day, companions, only=only)
    if unchanged:
        yield unchanged
    for slot, person in leads:
        if unchanged and unchanged.engineer == slot.engineer:
            continue
        found = slot if _is_a_team(day, slot.engineer) else _pair(day, person, companions)
        if found:
            yield found


def _has_skills(day: JobDay, person: PersonDay) -> bool:
    return not any(_skill_gaps(day, person.engineer))


def _skill_gaps(day: JobDay, engineer: Engineer) -> tuple[Iterable[str], Iterable[str]]:
    held = engineer.held_skills.all()
    return skills.missing_skills(needed=day.required.skills, held=held, first=day.last, last=day.last)


def _is_a_team(day: JobDay, engineer: Engineer) -> bool:
    """Whether the engineer always comes with a second person, where the job asks for one."""
    needed, held = day.required.team, engineer.held_skills.all()
    return bool(needed) and not any(
        skills.missing_skills(needed=needed, held=held, first=day.last, last=day.last)
    )


def _companions(day: JobDay) -> list[PersonDay]:
    """Who has time, the nearest first, and before all whoever accompanies today. Then the drives of `day` are
    everybody's."""
    second, anybody = day.second_engineer, frozenset[str]()
    homes = day.reading.homes(anybody, on=day.last, only=second) if second else {}
    today = nearest_people(day, homes, most=1) if second else []
    nearest = nearest_people(day, day.reading.homes(anybody, on=day.last), most=MOST_TRIED)
    others = [found for found in nearest if found[1].engineer.pk != second]
    return [person for _slot, person in [*today, *others]][:MOST_TRIED]


def _with_another_second(
    day: JobDay, companions: Iterable[PersonDay], *, only: Engineer | None
) -> SlotSuggestion | None:
    """The visit as it is planned, where all that it lacks is a second engineer, or one who has time."""
    visit = day.current
    if visit is None or visit.planned_start < day.opens.start:
        return None
    attending = _with_rota_and_skills(_whom_reader_sees().filter(pk__in=visit.people_keys))
    people = {engineer.pk: person_day(day, engineer) for engineer in attending}
    lead, second = people.get(visit.engineer_id), people.get(visit.second_engineer_id or 0)
    if lead is None or not (lead.engineer == only if only else _has_skills(day, lead)):
        return None
    is_complete = second.is_free(visit.span) if second else _is_a_team(day, lead.engineer)
    if is_complete or not lead.is_free(visit.span):
        return None
    others = [
        person for person in companions if person.engineer != lead.engineer and person.is_free(visit.span)
    ]
    return slot_at(day, lead, visit.planned_start, others[0]) if others else None


def _pair(day: JobDay, person: PersonDay, companions: Sequence[PersonDay]) -> SlotSuggestion | None:
    """With the one of them who can come soonest."""
    others = [second for second in companions if second.engineer != person.engineer]
    slots = [slot for second in others if (slot := find_slot(day, person, second))]
    return min(slots, key=lambda slot: (slot.is_over_break, slot.starts_at), default=None)


def free_companions(job: Job, *, starts_at: datetime, day: JobDay | None = None) -> list[Engineer]:
    """Who could accompany a visit at that time, drives included; by name. `day` where it was read. Ten queries."""
    day = day or read_day(job, None)
    if day is None:
        return []
    span = TimeSpan(starts_at, starts_at + job.duration)
    return [person.engineer for person in _people_of(day) if person.is_free(span)]


def travel_before(job: Job, engineer: Engineer, *, starts_at: datetime) -> int:
    """Seconds of the drive to the job from the engineer's visit before that time, or from home."""
    day = TimeSpan(starts_at - COMES_FROM, starts_at)
    before = list_busy_visits(job, day, visits=Visit.objects.attended_by([engineer]))
    drives = read_drive_times([(drive_origin(engineer, before), job_coordinates(job))])
    return drive_seconds(job, engineer, before=before, starts_at=starts_at, drives=drives)


def explain_unfit(
    job: Job, *, not_before: datetime | None = None, day: JobDay | None = None
) -> list[UnfitEngineer]:
    """Everybody who cannot take the job, with the reason, by name. `day` where it was read. Thirteen queries."""
    day = day or read_day(job, not_before)
    if day is None:
        return []
    people = _people_of(day)
    companions = _companions(day) if day.needs_team else []
    found = [(person.engineer, _unfit_reason(day, person, companions)) for person in people]
    unfit = [UnfitEngineer(engineer, reason) for engineer, reason in found if reason]
    return sorted(unfit, key=lambda person: person.engineer.name)


def _time_reason(day: JobDay, person: PersonDay) -> str:
    """What leaves no time: the shift, the visits in it, or the drives between them and the job."""
    at_work, held = person.at_work.attended, [visit.held for visit in person.visits if visit.holds_time]
    if earliest_start(day.job, at_work=at_work, occupied=held, opens=day.opens):
        return _("The drives leave too little time in this window")
    if earliest_start(day.job, at_work=at_work, occupied=[], opens=day.opens):
        return _("Other visits leave too little time in this window")
    return _("The shift leaves too little time in this window")


def _unfit_reason(day: JobDay, person: PersonDay, companions: Sequence[PersonDay]) -> str:
    """Empty for who fits."""
    missing, expired = _skill_gaps(day, person.engineer)
    if missing or expired:
        text = _("Skill missing: %(skills)s") if missing else _("Skill expired: %(skills)s")
        return text % {"skills": skills.skill_names(missing or expired)}
    if not any(shift.overlaps(day.opens) for shift in person.at_work.attended):
        is_away = is_absent_during(day.opens, person.engineer.absences.all())
        return _("Absent") if is_away else _("Not working in this window")
    if find_slot(day, person) is None:
        return _time_reason(day, person)
    if day.needs_team and not _is_a_team(day, person.engineer) and not _pair(day, person, companions):
        return _("Nobody is free at the same time to accompany")
    return ""
