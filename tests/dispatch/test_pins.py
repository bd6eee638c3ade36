"""A pinned visit stays where it is until it is unpinned; only who is on the way is handed over all the same."""

import pytest
from django.utils.html import strip_tags

from dispatch import pins, visits
from dispatch.models import Visit
from dispatch.pins import VisitPinned
from dispatch.states import EventKind, JobState
from tests import make
from tests.board.office import assign, press, signed_in

pytestmark = pytest.mark.django_db


def test_pinned_visit_is_neither_moved_nor_unassigned() -> None:
    job, client = make.job(at_state=JobState.ASSIGNED), signed_in()
    before = Visit.objects.get()
    assert press(client, job, "pin", is_pinned="1").json() == {"ok": True}

    for answer in (assign(client, job, make.engineer(), "10:00"), press(client, job, "unassign")):
        assert (answer.status_code, answer.json()["problems"][0]["code"]) == (409, "pinned")
    assert Visit.objects.get().planned_start == before.planned_start

    press(client, job, "pin")
    assert press(client, job, "unassign").json() == {"ok": True}


def test_pinned_card_is_marked_and_cannot_be_dragged() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    pins.pin_visit(job=job, is_pinned=True, by=make.office())

    page = signed_in().get(f"/board/?day={make.DAY}&job={job.provider_job_id}").content.decode()

    assert 'aria-label="Pinned"' in page
    assert " · Pinned" in page
    assert "data-can-move" not in page
    assert "This visit is pinned" in page


def test_pin_pressed_twice_is_one_event() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    done = [pins.pin_visit(job=job, is_pinned=True, by=make.office()) for _ in range(2)]

    assert done == [True, False]
    assert job.events.filter(kind=EventKind.PINNED).count() == 1


def test_engineer_on_the_way_is_replaced_although_the_visit_was_pinned() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    pins.pin_visit(job=job, is_pinned=True, by=make.office())
    make.start_travel(job)

    visits.assign(job=job, engineer=make.engineer(), starts_at=make.at("10:00"), by=make.office())

    assert not Visit.objects.active().get().is_pinned


def test_pinned_visit_refuses_a_plan_that_moves_it() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    pins.pin_visit(job=job, is_pinned=True, by=make.office())

    with pytest.raises(VisitPinned):
        visits.unassign(job=job, by=make.office())


def test_pin_hold_and_release_are_undone_one_after_the_other() -> None:
    job, client = make.job(at_state=JobState.ASSIGNED), signed_in()
    press(client, job, "pin", is_pinned="1")
    press(client, job, "hold", reason="Street closed")
    press(client, job, "release")

    def marks() -> tuple[bool, bool]:
        job.refresh_from_db()
        return Visit.objects.get().is_pinned, job.on_hold_since is not None

    found = []
    for step in ("undo", "undo", "undo", "redo", "redo"):
        client.post(f"/board/{step}/")
        found.append(marks())

    assert found == [(True, True), (True, False), (False, False), (True, False), (True, True)]
    reasons = [event.facts["reason"] for event in job.events.filter(kind=EventKind.PUT_ON_HOLD)]
    assert set(reasons) == {"Street closed"}
    assert "LS6 3AB is on hold." in strip_tags(client.get(f"/board/?day={make.DAY}").content.decode())
