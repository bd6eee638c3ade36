"""Hours of a single day, and of whoever works over midnight."""

from datetime import timedelta

import pytest
import time_machine
from django.test import Client

from board.formatting import format_moment
from dispatch import visits
from dispatch.models import Job
from dispatch.states import JobState
from engineers import rota
from engineers.models import AuditEntry, Engineer, Role
from engineers.rota import day_version, exception_hours
from engineers.shifts import end_with_night_shifts
from engineers.working_hours import parse_hours
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db
DAY = make.DAY.isoformat()


def supervisor() -> Client:
    client = Client()
    client.force_login(make.dispatcher(role=Role.SUPERVISOR))
    return client


def assigned_at_two(engineer: Engineer) -> Job:
    """In the night after make.DAY."""
    job, starts_at = make.job(), make.at("23:00") + timedelta(hours=3)
    window = {"window_start": make.at("23:00"), "window_end": starts_at + timedelta(hours=3)}
    Job.objects.filter(pk=job.pk).update(**window)
    job.refresh_from_db()
    visits.assign(job=job, engineer=engineer, starts_at=starts_at, by=make.office())
    return job


def test_absence_of_the_night_ends_in_the_morning() -> None:
    nora = make.engineer(name="Nora Night", starts="22:00", ends="06:00")
    job = assigned_at_two(nora)

    with time_machine.travel(make.at("22:30")):
        client = signed_in()
        before = client.get(f"/board/?day={DAY}&engineer={nora.staff_number}").context["page"].engineer
        times = {"starts_at": before.absent_from, "ends_at": before.absent_until, "reason": "Flu"}
        answer = client.post(f"/board/engineers/{nora.staff_number}/absent/", times)
        after = client.get(answer["Location"]).context["page"].engineer

    assert (before.absent_from, before.absent_until) == (f"{DAY}T22:30", "2026-11-24T06:00")
    assert [line.job_id for line in before.visits] == [job.provider_job_id]
    assert [line.job_id for line in after.to_reassign] == [job.provider_job_id]


def test_whole_day_on_the_engineers_page_is_the_night_that_begins_on_it() -> None:
    nora = make.engineer(name="Nora Night", starts="22:00", ends="06:00")
    assigned_at_two(nora)
    path, client = f"/board/people/{nora.pk}/absences/", supervisor()
    following = make.DAY + timedelta(days=1)

    after = client.post(path, {"first_day": following.isoformat()}, follow=True).content.decode()
    own = client.post(path, {"first_day": DAY}, follow=True).content.decode()

    mornings = [make.at("06:00", day=make.DAY + timedelta(days=number)) for number in range(3)]
    spans = nora.absences.order_by("starts_at").values_list("starts_at", "ends_at")
    assert [*spans] == [(mornings[0], mornings[1]), (mornings[1], mornings[2])]
    assert "planned in this time" not in after
    assert "1 visit is planned in this time" in own


def test_time_in_the_night_before_the_first_day_is_of_that_night() -> None:
    nora = make.engineer(name="Nora Night", starts="22:00", ends="06:00")

    supervisor().post(f"/board/people/{nora.pk}/absences/", {"first_day": DAY, "ends": "05:00"})

    absence = nora.absences.get()
    assert (absence.starts_at, absence.ends_at) == (make.at("00:00"), make.at("05:00"))


@pytest.mark.parametrize(
    ("hours", "ends"),
    [
        # each: of make.DAY and of the day after
        (["22-06", "06-14"], "06:00"),
        (["22-06", "07-15"], "06:00"),
        (["12-24", "00-04"], "00:00"),
        (["18-24", "00-06"], "06:00"),
        (["18-24", "00-24"], "00:00"),
        (["08-16", "00-06"], "00:00"),
    ],
)
def test_day_ends_with_its_own_night_shift_and_no_other(hours: list[str], ends: str) -> None:
    engineer, by = make.engineer(), make.dispatcher()
    for number, entered in enumerate(hours):
        day = make.DAY + timedelta(days=number)
        rota.set_exception(
            engineer=engineer, day=day, hours=parse_hours(entered), seen=day_version(None), by=by
        )

    morning = make.at(ends, day=make.DAY + timedelta(days=1))
    assert end_with_night_shifts([engineer], day=make.DAY) == morning


@pytest.mark.parametrize(("hours", "visits_outside"), [("12-18", 1), ("08-09", 1), ("", 1), ("08-18", 0)])
def test_shorter_hours_of_a_day_name_the_visits_that_they_leave(hours: str, visits_outside: int) -> None:
    engineer = make.engineer()
    make.job(at_state=JobState.ASSIGNED, to=engineer)
    path = f"/board/people/{engineer.pk}/exceptions/"

    page = supervisor().post(path, {"day": DAY, "hours": hours}, follow=True).content.decode()

    assert page.count("1 visit is planned in this time. Reassign it on the board.") == visits_outside


def test_hours_of_a_night_leave_its_visits_alone() -> None:
    nora = make.engineer(name="Nora Night", starts="22:00", ends="06:00")
    assigned_at_two(nora)
    path, client = f"/board/people/{nora.pk}/exceptions/", supervisor()

    same = client.post(path, {"day": DAY, "hours": "22-06"}, follow=True).content.decode()
    off = client.post(path, {"day": DAY, "hours": "", "seen": f"{DAY}=22:00–06:00"}, follow=True)

    assert "planned in this time" not in same
    assert "1 visit is planned in this time" in off.content.decode()


def test_visit_outside_the_hours_of_before_is_not_named() -> None:
    engineer, dispatcher = make.engineer(starts="08:00", ends="12:00"), make.office()
    job = make.job(window=("13:00", "18:00"))
    visits.assign(
        job=job,
        engineer=engineer,
        starts_at=make.at("14:00"),
        by=dispatcher,
        override_reason="Agreed with them",
    )
    path = f"/board/people/{engineer.pk}/exceptions/"

    page = supervisor().post(path, {"day": DAY, "hours": "10-12"}, follow=True).content.decode()

    assert "planned in this time" not in page


def form_of(client: Client, engineer: Engineer) -> dict[str, str]:
    """What the page's form of a single day sends along."""
    page = client.get(f"/board/people/{engineer.pk}/").context["page"]
    return {"seen": page.exception_form["seen"].value()}


@pytest.fixture
def two_forms() -> tuple[Engineer, Client, dict[str, str]]:
    """Two supervisors open the page of an engineer; the first one changes the day."""
    engineer, first, second = make.engineer(), supervisor(), supervisor()
    forms = [form_of(client, engineer) for client in (first, second)]
    path = f"/board/people/{engineer.pk}/exceptions/"
    assert first.post(path, {**forms[0], "day": DAY, "hours": "12-18"}).status_code == 302
    return engineer, second, forms[1]


def stored_hours(engineer: Engineer) -> list[str]:
    return [day_version(exception_hours(row)) for row in engineer.shift_exceptions.all()]


def test_hours_that_somebody_else_entered_since_are_not_overwritten(
    two_forms: tuple[Engineer, Client, dict[str, str]],
) -> None:
    engineer, second, form = two_forms
    path = f"/board/people/{engineer.pk}/exceptions/"

    refused = second.post(path, {**form, "day": DAY, "hours": "08-12"})

    (problem,) = refused.context["page"].exception_form.errors["day"]
    assert (refused.status_code, stored_hours(engineer)) == (409, ["12:00–18:00"])
    entry = AuditEntry.objects.get(action="shift_exception_set")
    assert problem == (
        f"{entry.actor.display_name} changed Mon 23 Nov on {format_moment(entry.recorded_at)}, after you opened this "
        "page: 12:00–18:00. Check it, then try again."
    )

    again = {"seen": refused.context["page"].exception_form["seen"].value(), "day": DAY, "hours": "08-12"}
    assert second.post(path, again).status_code == 302
    assert stored_hours(engineer) == ["08:00–12:00"]


def test_same_hours_twice_and_those_of_another_day_are_no_conflict(
    two_forms: tuple[Engineer, Client, dict[str, str]],
) -> None:
    engineer, second, form = two_forms
    path = f"/board/people/{engineer.pk}/exceptions/"

    same = second.post(path, {**form, "day": DAY, "hours": "12-18"})
    other = second.post(path, {**form, "day": "2026-11-24", "hours": ""})

    assert (same.status_code, other.status_code) == (302, 302)
    assert stored_hours(engineer) == ["12:00–18:00", "off"]
    assert AuditEntry.objects.filter(action="shift_exception_set").count() == 2


def test_hours_that_changed_since_are_not_removed(
    two_forms: tuple[Engineer, Client, dict[str, str]],
) -> None:
    engineer, second, _form = two_forms
    path, seen = f"/board/people/{engineer.pk}/exceptions/", f"{DAY}=12:00–18:00"
    second.post(path, {"day": DAY, "hours": "", "seen": seen})

    page = second.post(f"{path}remove/", {"day": DAY, "seen": seen}, follow=True).content.decode()

    assert "after you opened this page: Not working. Check it" in page
    assert stored_hours(engineer) == ["off"]


def test_day_that_somebody_set_back_to_the_pattern_is_asked_again(
    two_forms: tuple[Engineer, Client, dict[str, str]],
) -> None:
    engineer, second, _form = two_forms
    path, seen = f"/board/people/{engineer.pk}/exceptions/", f"{DAY}=12:00–18:00"
    second.post(f"{path}remove/", {"day": DAY, "seen": seen})

    page = second.post(path, {"day": DAY, "hours": "", "seen": seen}).content.decode()

    assert "after you opened this page: The pattern counts again on that day. Check it" in page
    assert stored_hours(engineer) == []
