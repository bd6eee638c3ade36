"""The buttons of undo and redo for a visit that is expected to take longer, and who is late because of it."""

from datetime import timedelta

import pytest
import time_machine

from board.jobs.undo import action_links
from board.links import job_link
from dispatch import attention, pins, visits
from dispatch.job_events import Performer
from dispatch.models import Job, Occasion, PlanAction
from dispatch.plan_changes import plan_actions
from dispatch.plan_changes.assignment_changes import AssignmentChange
from dispatch.plan_changes.plan_overruns import enter_overrun
from dispatch.states import Actor
from engineers.models import User
from monitoring import alarms
from tests import make
from tests.board.test_people import client_of
from tests.dispatch.day_comparisons import compared, planned, proposal_of

pytestmark = pytest.mark.django_db
UNDO, REDO = "/board/undo/", "/board/redo/"
JSON = {"Accept": "application/json"}
LONGER = timedelta(hours=4)


@pytest.fixture(autouse=True)
def morning(before_the_calendar: None) -> object:
    with time_machine.travel(make.at("10:20"), tick=True):
        yield


@pytest.fixture
def dana() -> User:
    return make.dispatcher(username="dana")


def longer_and_following() -> tuple[Job, Job]:
    """The second one is late where the first one takes LONGER."""
    ann = make.engineer(name="Ann")
    longer = planned(ann, "10:30", window=("08:00", "18:00"))
    following = planned(ann, "12:00", window=("12:00", "13:30"))
    pins.pin_visit(job=following, is_pinned=True, by=make.office())
    return longer, following


def overrun_of(job: Job, user: User, *, action: PlanAction | None = None) -> PlanAction:
    action = action or plan_actions.new_action(user)
    enter_overrun(action, visit=job.visits.get(), overrun=LONGER)
    return action


def late_jobs() -> list[str]:
    return list(alarms.open_alarms().filter(kind="job_late").values_list("subject", flat=True))


def test_job_that_takes_longer_is_linked(dana: User) -> None:
    longer, _following = longer_and_following()

    action = overrun_of(longer, dana)

    assert action_links(action) == (job_link(longer.provider_job_id, title=longer.title),)


def test_who_is_late_follows_undo_and_redo_at_once(dana: User) -> None:
    longer, following = longer_and_following()
    overrun_of(longer, dana)
    attention.watch_day()
    client, found = client_of(dana), [late_jobs()]

    for path in (UNDO, REDO):
        client.post(path)
        found.append(late_jobs())

    assert found == [[str(following)], [], [str(following)]]


def test_who_is_late_is_known_with_the_option_that_was_accepted(dana: User) -> None:
    longer, following = longer_and_following()
    pins.pin_visit(job=longer, is_pinned=True, by=make.office())
    proposal = proposal_of(compared(Occasion.VISIT_LONGER, job=longer, longer_minutes=240))

    client_of(dana).post(f"/board/plans/{proposal.pk}/accept/", {"all": "1"})

    assert late_jobs() == [str(following)]


def test_overrun_is_undone_although_a_visit_of_it_is_not(dana: User) -> None:
    longer, _following = longer_and_following()
    other, bea = (
        planned(make.engineer(name="Bo"), "11:00", window=("08:00", "18:00")),
        make.engineer(name="Bea"),
    )
    by = Performer(Actor.DISPATCHER, dana)
    action = plan_actions.change_plan([AssignmentChange(other, bea, make.at("11:00"))], by=by)
    overrun_of(longer, dana, action=action)
    visits.assign(job=other, engineer=bea, starts_at=make.at("12:00"), by=make.office())
    client = client_of(dana)

    page = client.post(UNDO, follow=True).content.decode()

    assert ("Your change can&#x27;t be undone." in page, other.title in page) == (True, True)
    assert longer.visits.get().overrun == timedelta()
