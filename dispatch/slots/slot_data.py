"""What the search for a time reads besides the visits of the day. For several jobs of one press it is the same and is
read once: rotas, areas, skills and what drives have taught cost most of a search.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property

from django.utils import timezone

from dispatch import job_events
from dispatch.availability import work_time_during
from dispatch.driving.drive_times import read_hour_factors
from dispatch.driving.travel import Coordinates, as_coordinates
from dispatch.driving.travel_profile import HourFactors
from dispatch.expected_visits import expected_spans, is_anybody_late
from dispatch.models import Job, Visit, VisitQuerySet
from dispatch.requirements import JobRequirements, list_requirements
from engineers.areas import area_map, find_area
from engineers.models import Area, Engineer, EngineerQuerySet
from engineers.shifts import TimeSpan, WorkTime, working_day_span

Homes = Mapping[int, Coordinates | None]


@dataclass(frozen=True)
class KnownJob:
    """`current`: the job's visit today, if any. `know_premises`: engineers (keys) who have been there."""

    requirements: JobRequirements
    is_begun: bool
    current: Visit | None
    know_premises: frozenset[int]

    @property
    def needs_team(self) -> bool:
        return bool(self.requirements.team or (self.current and self.current.second_engineer_id))


@dataclass
class SlotData:
    """Reads what it is asked for, each once. `jobs`: by their keys what is known of them before. `is_nobody_late`: it
    was asked, and no visit of today is overdue. `people`: whose visits matter (keys), where only one engineer is asked
    for; None: everybody's.

    What somebody changes meanwhile is found by whoever makes the change, who checks everything again under the locks.
    """

    jobs: Mapping[int, KnownJob] = field(default_factory=dict)
    is_nobody_late: bool = False
    people: frozenset[int] | None = None
    _expected: dict[frozenset[int], Mapping[int, TimeSpan]] = field(default_factory=dict)
    _rotas: dict[int, Engineer] = field(default_factory=dict)
    _work: dict[tuple[int, TimeSpan], WorkTime] = field(default_factory=dict)
    _homes: dict[tuple[frozenset[str], date, int | None], Homes] = field(default_factory=dict)
    _local: dict[int, frozenset[int]] = field(default_factory=dict)

    @cached_property
    def hour_factors(self) -> tuple[HourFactors, HourFactors]:
        return read_hour_factors()

    def visits(self) -> VisitQuerySet:
        return Visit.objects.all() if self.people is None else Visit.objects.attended_by(self.people)

    def expected_spans(self, span: TimeSpan, *, without: Collection[int]) -> Mapping[int, TimeSpan]:
        """See there. Of all of today, for it is the same for several jobs of which each is to go."""
        now, jobs = timezone.now(), frozenset(without)
        if self.is_nobody_late or not span.overlaps(working_day_span(now)):
            return {}
        if jobs not in self._expected:
            today = working_day_span(now)
            self._expected[jobs] = expected_spans(today, without=jobs, now=now, people=self.people)
        return self._expected[jobs]

    @cached_property
    def _areas(self) -> Mapping[str, Area]:
        return area_map(Area.objects.all())

    def local_engineers(self, postcode: str) -> frozenset[int] | None:
        """Those (keys) who work in the area; None where the postcode lies in none."""
        area = find_area(postcode, self._areas)
        if area is None:
            return None
        if area.pk not in self._local:
            found = Engineer.objects.in_area(area.pk).values_list("pk", flat=True)
            self._local[area.pk] = frozenset(found)
        return self._local[area.pk]

    def homes(self, skills: frozenset[str], *, on: date, only: int | None = None) -> Homes:
        """Of the engineers (keys) whom whoever asks may see and who have these skills on that day, in their order."""
        key = (skills, on, only)
        if key not in self._homes:
            able = Engineer.objects.active().in_scope().with_skills(skills, on=on)
            rows = (able.filter(pk=only) if only else able).values_list(
                "pk", "home_latitude", "home_longitude"
            )
            self._homes[key] = {pk: as_coordinates(latitude, longitude) for pk, latitude, longitude in rows}
        return self._homes[key]

    def rotas(self, keys: Collection[int]) -> list[Engineer]:
        """These engineers, with all that work_time reads."""
        missing = [key for key in keys if key not in self._rotas]
        if missing:
            read = with_rota(Engineer.objects.filter(pk__in=missing))
            self._rotas |= {engineer.pk: engineer for engineer in read}
        return [self._rotas[key] for key in keys if key in self._rotas]

    def work_time(self, engineer: Engineer, span: TimeSpan) -> WorkTime:
        """Reads `shifts`, `shift_exceptions` and `absences` of the engineer."""
        key = (engineer.pk, span)
        if key not in self._work:
            self._work[key] = work_time_during(engineer, span=span)
        return self._work[key]


def with_rota(engineers: EngineerQuerySet) -> EngineerQuerySet:
    """With all that SlotData.work_time reads."""
    return engineers.select_related("user").prefetch_related("shifts", "shift_exceptions", "absences")


def read_for_jobs(jobs: Iterable[Job], *, now: datetime, only: Engineer | None = None) -> SlotData:
    """For a search for each of these jobs, for `only` this engineer where one is given. Five queries, two more where
    they have flags, one more for one engineer."""
    jobs = list(jobs)
    keys = [job.pk for job in jobs]
    begun, requirements = job_events.jobs_begun(keys), list_requirements(jobs)
    current = Visit.objects.current_by_job(keys)
    arrivals = _arrivals({job.uprn for job in jobs})
    known = {
        job.pk: KnownJob(
            requirements[job.pk],
            job.pk in begun,
            current.get(job.pk),
            frozenset(engineer for other, engineer in arrivals.get(job.uprn, ()) if other != job.pk),
        )
        for job in jobs
    }
    # a team is looked for among everybody
    is_alone = not any(job.needs_team for job in known.values())
    people = _with_partners(only, now=now) if only and is_alone else None
    return SlotData(known, not is_anybody_late(now, people=people), people)


def _with_partners(engineer: Engineer, *, now: datetime) -> frozenset[int]:
    """The engineer (key) and those who are in a team with this one today: who is late holds up both."""
    today = Visit.objects.current().of_working_day(now).attended_by([engineer])
    teams = today.values_list("engineer", "second_engineer")
    return frozenset({engineer.pk, *(person for team in teams for person in team if person)})


def _arrivals(premises: Collection[str]) -> dict[str, list[tuple[int, int]]]:
    """By the UPRN: job and engineer (keys) of each visit at which somebody was on site."""
    rows = Visit.objects.filter(job__uprn__in=premises, arrived_at__isnull=False)
    found: dict[str, list[tuple[int, int]]] = {}
    for uprn, job, engineer in rows.values_list("job__uprn", "job", "engineer"):
        found.setdefault(uprn, []).append((job, engineer))
    return found
