"""The second engineer of a visit that is under way is changed alone: the first one goes on working."""

import pytest
import time_machine

from dispatch import visits
from dispatch.availability import NotBookable
from dispatch.job_events import IllegalEvent
from dispatch.models import Job, Visit
from dispatch.plan_changes.plan_versions import PlanChanged
from dispatch.second_engineers import change_second_engineer
from dispatch.states import EventKind, JobState
from engineers.models import Engineer
from seller_link.models import OutboundMessage
from tests import make

pytestmark = pytest.mark.django_db
# the visit of make.job: 08:00 to 10:00
DURING = make.at("08:30")


@pytest.fixture
def erin() -> Engineer:
    return make.engineer(name="Erin Engineer", skills=())


@pytest.fixture
def sam() -> Engineer:
    return make.engineer(name="Sam Second", skills=())


def change(job: Job, second: Engineer | None, *, reason: str = "", seen: str | None = None) -> Visit:
    return change_second_engineer(job=job, second=second, by=make.office(), override_reason=reason, seen=seen)


def refusal(job: Job, second: Engineer | None, *, reason: str = "") -> list[str]:
    with pytest.raises(NotBookable) as refused:
        change(job, second, reason=reason)
    return [problem.code for problem in refused.value.problems]


@time_machine.travel(DURING, tick=False)
@pytest.mark.parametrize("state", [JobState.EN_ROUTE, JobState.ON_SITE])
def test_visit_goes_on_with_another_companion(state: JobState, erin: Engineer, sam: Engineer) -> None:
    job = make.job(at_state=state, to=erin)
    before = Visit.objects.get()

    change(job, sam)

    visit = Visit.objects.get()
    assert (visit.engineer, visit.second_engineer, visit.arrived_at) == (erin, sam, before.arrived_at)
    assert Job.objects.get().state == state
    event = job.events.last()
    assert event and event.kind == EventKind.SECOND_ENGINEER_CHANGED
    assert (event.facts["second_name"], event.facts["second_is_new"]) == ("Sam Second", True)
    fred = make.engineer(name="Fred Further", skills=())
    change(job, fred)
    change(job, None)
    events = job.events.filter(kind=EventKind.SECOND_ENGINEER_CHANGED).order_by("seq")
    assert [event.facts.get("second_before") for event in events] == [None, "Sam Second", "Fred Further"]
    assert Visit.objects.get().second_engineer is None


@time_machine.travel(DURING, tick=False)
def test_seller_hears_nothing_of_it(erin: Engineer, sam: Engineer) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=erin)
    sent = OutboundMessage.objects.count()

    change(job, sam)

    assert OutboundMessage.objects.count() == sent


@time_machine.travel(DURING, tick=False)
def test_companion_must_have_the_time_that_is_left(erin: Engineer, sam: Engineer) -> None:
    job, other = make.job(at_state=JobState.ON_SITE, to=erin), make.job()
    visits.assign(job=other, engineer=sam, starts_at=make.at("09:30"), by=make.office())

    assert refusal(job, sam, reason="Please") == ["double_booking"]
    assert refusal(job, erin) == ["same_engineer"]
    assert Visit.objects.get(job=job).second_engineer is None


@time_machine.travel(DURING, tick=False)
def test_companion_outside_the_shift_needs_a_reason(erin: Engineer) -> None:
    job, late = make.job(at_state=JobState.ON_SITE, to=erin), make.engineer(name="Lee Late", starts="12:00")

    assert refusal(job, late) == ["outside_shift"]
    change(job, late, reason="Came in early")

    event = job.events.last()
    assert event and event.facts["overridden"] == ["outside_shift"]
    assert event.facts["override_reason"] == "Came in early"


@time_machine.travel(DURING, tick=False)
def test_same_companion_again_changes_nothing(erin: Engineer, sam: Engineer) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=erin)
    change(job, sam)
    events = job.events.count()

    change(job, sam)

    assert job.events.count() == events


def test_visit_that_nobody_set_off_for_is_assigned_anew_instead(erin: Engineer, sam: Engineer) -> None:
    with pytest.raises(IllegalEvent):
        change(make.job(at_state=JobState.ASSIGNED, to=erin), sam)


@time_machine.travel(DURING, tick=False)
def test_change_of_a_plan_that_is_older_is_refused(erin: Engineer, sam: Engineer) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=erin)

    with pytest.raises(PlanChanged):
        change(job, sam, seen="1-2")
