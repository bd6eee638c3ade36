"""Days under way of every kind, for the property that no plan adds a breach: visits that are free, pinned, on hold, on
the way, on site or over, of engineers who may be absent, suspended or at work at other hours since."""

from collections import Counter
from dataclasses import dataclass

import time_machine
from django.utils import timezone
from hypothesis import strategies as st

from dispatch import holds, pins, visits
from dispatch.job_events import jobs_begun
from dispatch.models import Job, PlanProposal, Visit
from dispatch.planning.engine.engine_model import build_model
from dispatch.planning.engine.plan_search import PlanSearch
from dispatch.planning.engine.routing_problem import Plan, PlanLimits, PlanProgress, RoutingProblem
from dispatch.planning.problem.late_visits import hold_late_days
from dispatch.planning.problem.overridden_visits import broken_rules
from dispatch.planning.problem.plan_scope import PlanScope
from dispatch.planning.problem.problem_reader import read_problem
from dispatch.planning.proposal_acceptance import accept_proposal
from dispatch.planning.proposal_changes import save_plan
from dispatch.planning.proposals import request_proposal
from dispatch.problems import ActionRefused
from dispatch.states import JobState
from engineers.models import Absence, Engineer, ShiftException
from engineers.shifts import day_span, local_time
from tests import make
from tests.dispatch.day_comparisons import job_at
from tests.rolled_back import rolled_back

NOW = "11:05"
# what nobody breaks who comes when the customer agreed to it
AGREED = {"outside_window", "window_over"}
WINDOWS = (("08:00", "13:00"), ("13:00", "18:00"), ("08:00", "18:00"))
STARTS = ("08:15", "09:30", "10:45", "12:30", "13:15", "14:30", "16:00", "17:00")
# what has become of a visit since it was booked; the last three only of one that was to begin by now
FREE, PINNED, HELD, EN_ROUTE, ON_SITE, ENDED = "free", "pinned", "held", "en route", "on site", "ended"
FATES = (FREE, FREE, PINNED, HELD, EN_ROUTE, ON_SITE, ENDED)
# and of whoever has it: at other hours, of which none is a day off
AT_WORK, ABSENT, ABSENT_LATER, SUSPENDED = "at work", "absent", "absent later", "suspended"
HOURS = {"late shift": ("12:00", "20:00"), "short day": ("08:00", "14:00"), "gone home": ("08:00", "10:30")}
SINCE = (AT_WORK, AT_WORK, ABSENT, ABSENT_LATER, SUSPENDED, *HOURS, "day off")


@dataclass(frozen=True)
class DrawnVisit:
    """`engineer`: its number, None for a job that waits; `is_decided`: booked whatever is against it, with a reason."""

    window: tuple[str, str]
    minutes: int
    flags: tuple[str, ...]
    engineer: int | None
    start: str
    fate: str
    is_decided: bool


@dataclass(frozen=True)
class DrawnDay:
    """`engineers`: what became of each since the visits were booked, the skills and whether there is a break."""

    engineers: tuple[tuple[str, bool, bool], ...]
    visits: tuple[DrawnVisit, ...]
    max_jobs: int | None
    is_calm: bool


drawn_visits = st.builds(
    DrawnVisit,
    window=st.sampled_from(WINDOWS),
    minutes=st.sampled_from([15, 60, 120]),
    flags=st.sampled_from([(), (), ("MDU",), ("CHP",)]),
    engineer=st.sampled_from([None, 0, 0, 1, 2]),
    start=st.sampled_from(STARTS),
    fate=st.sampled_from(FATES),
    is_decided=st.sampled_from([False, False, True]),
)
drawn_days = st.builds(
    DrawnDay,
    engineers=st.lists(
        st.tuples(st.sampled_from(SINCE), st.booleans(), st.booleans()), min_size=1, max_size=3
    ).map(tuple),
    visits=st.lists(drawn_visits, min_size=1, max_size=7).map(tuple),
    max_jobs=st.sampled_from([None, None, 2]),
    is_calm=st.booleans(),
)


def check_plan_of(day: DrawnDay) -> None:
    """Whoever accepts all of its plan has no breach more than before, and what a plan may not touch is as it was."""
    with rolled_back():
        make_day(day)
        with time_machine.travel(make.at(NOW), tick=True):
            before, broken = untouchable_visits(), breaches()
            counts = jobs_of_people()
            proposal = planned_proposal(day)
            result = accept_proposal(proposal, by=make.office(), now=timezone.now())

            assert [refusal.problems for refusal in result.refusals] == []
            assert untouchable_visits(before) == before
            added = {
                plan: codes - broken.get(plan, set())
                for plan, codes in breaches().items()
                if codes - broken.get(plan, set())
            }
            assert added == {}
            if day.max_jobs is not None:
                assert all(
                    number <= max(day.max_jobs, counts[key]) for key, number in jobs_of_people().items()
                )


def make_day(day: DrawnDay) -> None:
    people = []
    with time_machine.travel(make.at("06:00"), tick=True):
        for _since, is_skilled, has_break in day.engineers:
            engineer = make.engineer(skills=("mdu", "cherry-picker") if is_skilled else ())
            people.append(make.give_break(engineer) if has_break else engineer)
        booked = [(drawn, book(drawn, people)) for drawn in day.visits]
    with time_machine.travel(make.at(NOW), tick=True):
        for drawn, job in booked:
            if job is not None:
                let_happen(job, drawn)
        for engineer, (since, *_others) in zip(people, day.engineers, strict=True):
            change_day(engineer, since)


def book(drawn: DrawnVisit, people: list[Engineer]) -> Job | None:
    """None for a job that waits, also where a rule is against its visit."""
    job = job_at(53.82, window=drawn.window, duration_minutes=drawn.minutes, flags=drawn.flags)
    if drawn.engineer is None or drawn.engineer >= len(people):
        return None
    try:
        visits.assign(
            job=job,
            engineer=people[drawn.engineer],
            starts_at=make.at(drawn.start),
            by=make.office(),
            override_reason="She knows" if drawn.is_decided else "",
        )
    except ActionRefused:
        return None
    return job


def let_happen(job: Job, drawn: DrawnVisit) -> None:
    start, fate = make.at(drawn.start), drawn.fate
    if fate == PINNED:
        pins.pin_visit(job=job, is_pinned=True, by=make.office())
    if fate == HELD:
        holds.hold_job(job=job, by=make.office(), reason="Network down")
    if fate not in {EN_ROUTE, ON_SITE, ENDED} or start > timezone.now():
        return
    make.start_travel(job, occurred_at=start)
    if fate != EN_ROUTE:
        make.arrive(job, occurred_at=start)
    if fate == ENDED:
        job.visits.update(ended_at=min(start + job.duration, timezone.now()))


def change_day(engineer: Engineer, since: str) -> None:
    if since in {ABSENT, ABSENT_LATER}:
        starts_at = make.at("10:00" if since == ABSENT else "13:30")
        Absence.objects.create(engineer=engineer, starts_at=starts_at, ends_at=make.at("23:00"))
    if since == SUSPENDED:
        engineer.user.is_active = False
        engineer.user.save()
    if since in HOURS or since == "day off":
        starts, ends = (make.at(clock).time() for clock in HOURS[since]) if since in HOURS else (None, None)
        ShiftException.objects.create(engineer=engineer, day=make.DAY, starts=starts, ends=ends)


def planned_proposal(day: DrawnDay) -> PlanProposal:
    scope = PlanScope(day_span(make.DAY), max_jobs=day.max_jobs)
    proposal = request_proposal(scope=scope, by=make.dispatcher())
    read = read_problem(scope, now=timezone.now())
    assert read
    held = hold_late_days(read.problem, free=read.left)
    save_plan(proposal, read, search(held.problem, is_calm=day.is_calm), held)
    return PlanProposal.objects.get(pk=proposal.pk)


def search(problem: RoutingProblem, *, is_calm: bool = False) -> Plan:
    reports: list[PlanProgress] = []
    limits = PlanLimits(60, neighbourhoods=3, processes=1, change_seconds=1800 * is_calm)
    PlanSearch(build_model(problem), limits, reports.append).run()
    return reports[-1].plan


Assignment = tuple[int, int, str]


def breaches() -> dict[Assignment, set[str]]:
    """Of each visit still to begin, by its job, engineer and start: which rules of availability it breaks."""
    ahead = Visit.objects.active().filter(job__state=JobState.ASSIGNED, ended_at=None)
    ahead = ahead.select_related("job", "engineer__user", "second_engineer__user")
    begun = jobs_begun(visit.job_id for visit in ahead)
    return {
        (visit.job_id, visit.engineer_id, f"{visit.planned_start:%H:%M}"): broken_rules(visit, begun=begun)
        - (AGREED if visit.is_start_agreed else set())
        for visit in ahead
    }


def untouchable_visits(keys: object = None) -> dict[int, tuple[object, ...]]:
    """Pinned, begun and over; or those of these visits (keys), whatever they are now."""
    found = Visit.objects.select_related("job").order_by("pk")
    return {
        visit.pk: (visit.job.state, *visit.people_keys, visit.planned_start, visit.ended_at, visit.is_pinned)
        for visit in found
        if (visit.pk in keys if keys is not None else is_untouchable(visit))  # type: ignore[operator]
    }


def is_untouchable(visit: Visit) -> bool:
    return visit.is_pinned or visit.ended_at is not None or visit.job.state != JobState.ASSIGNED


def jobs_of_people() -> Counter[tuple[int, object]]:
    return Counter(
        (person, local_time(visit.planned_start).date())
        for visit in Visit.objects.active()
        for person in visit.people_keys
    )
