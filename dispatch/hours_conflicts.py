"""Visits at a time at which somebody of them does not work, since the hours of that day or the shift pattern changed
after they were booked. An absence is none of these (dispatch.teams)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Prefetch
from django.utils.translation import gettext as _

from dispatch.models import Visit
from dispatch.overridden_rules import read_overridden_codes
from dispatch.states import BEFORE_ARRIVAL
from dispatch.visit_proposals import local_days
from engineers.models import Absence, Engineer
from engineers.moment_texts import format_span
from engineers.shifts import TimeSpan, day_span, local_time, with_day_before, work_time_of, working_day_span

# of a problem: a dispatcher may book such a visit, with a reason
OUTSIDE_SHIFT = "outside_shift"


@dataclass(frozen=True)
class HoursConflict:
    """`hours`: of that day as they are written; empty where the engineer does not work then."""

    engineer: Engineer
    hours: str

    @property
    def reason(self) -> str:
        """A sentence without its full stop, as those of a risk are."""
        parameters = {"engineer": self.engineer.name, "hours": self.hours}
        text = (
            _("Outside the hours of %(engineer)s, who works %(hours)s that day")
            if self.hours
            else _("%(engineer)s is not working that day")
        )
        return text % parameters


Conflicts = Mapping[int, list[HoursConflict]]


def read_visits_today(now: datetime) -> list[Visit]:
    """Of the working day, by engineer and start, with the absences and hours of whoever attends; eight queries at
    most."""
    span = working_day_span(now)
    absences = Absence.objects.overlapping(start=span.start, end=span.end)
    people, rota = ("engineer", "second_engineer"), ("shifts", "shift_exceptions")
    return list(
        Visit.objects.active()
        .of_working_day(now)
        .select_related("job", "engineer__user", "second_engineer__user")
        .prefetch_related(
            *(Prefetch(f"{person}__absences", queryset=absences) for person in people),
            *(f"{person}__{name}" for person in people for name in rota),
        )
        .order_by("engineer", "planned_start")
    )


def list_hours_conflicts(visits: Iterable[Visit], *, people: Iterable[Engineer] | None = None) -> Conflicts:
    """By the visit's key, for those at which nobody has arrived. What was booked outside the hours with a reason is
    none. `people`: of whom the hours are known; without, whoever attends. Reads their `shifts` and
    `shift_exceptions`; one query where a visit lies outside."""
    ahead = [visit for visit in visits if visit.job.state in BEFORE_ARRIVAL]
    attending_people = (person for visit in ahead for person in visit.people)
    known = {person.pk: person for person in (attending_people if people is None else people)}
    hours = _Hours()
    found: dict[int, list[HoursConflict]] = {}
    for visit in ahead:
        attending = [known[key] for key in visit.people_keys if key in known]
        conflicts = [conflict for person in attending if (conflict := hours.conflict(person, visit.span))]
        if conflicts:
            found[visit.pk] = conflicts
    overridden = read_overridden_codes(visit.job_id for visit in ahead if visit.pk in found) if found else {}
    decided = {visit.pk for visit in ahead if OUTSIDE_SHIFT in overridden.get(visit.job_id, ())}
    return {key: conflicts for key, conflicts in found.items() if key not in decided}


def format_hours(attended: Iterable[TimeSpan], *, day: date) -> str:
    """`08:00–12:00, 13:00–17:00`; empty where nobody works that day."""
    whole = day_span(day)
    return ", ".join(format_span(shift) for shift in attended if shift.overlaps(whole))


def works_during(engineer: Engineer, span: TimeSpan) -> bool:
    """By the hours, whoever is absent then."""
    return _Hours().conflict(engineer, span) is None


class _Hours:
    """A large board asks for the same days of an engineer again and again."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, tuple[date, ...]], list[TimeSpan]] = {}

    def conflict(self, engineer: Engineer, span: TimeSpan) -> HoursConflict | None:
        attended = self._attended(engineer, span)
        if any(shift.contains(span) for shift in attended):
            return None
        return HoursConflict(engineer, format_hours(attended, day=local_time(span.start).date()))

    def _attended(self, engineer: Engineer, span: TimeSpan) -> list[TimeSpan]:
        days = tuple(with_day_before({*local_days(span), local_time(span.end).date()}))
        if (engineer.pk, days) not in self._found:
            work = work_time_of(engineer, days=days, absences=())
            self._found[engineer.pk, days] = work.attended
        return self._found[engineer.pk, days]
