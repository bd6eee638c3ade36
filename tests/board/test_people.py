"""The pages about people: who reads, who changes, what a form refuses, and that a change of another is not lost."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from dispatch import visits
from dispatch.states import JobState
from engineers import rota
from engineers.engineer_records import read_record
from engineers.models import Absence, Area, AuditEntry, Engineer, Role, RotaWeek, ShiftException, Skill, User
from tests import make

pytestmark = pytest.mark.django_db
BACKEND = "engineers.permissions.RoleBackend"


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user, BACKEND)
    client.get("/board/version")
    return client


@pytest.fixture
def supervisor() -> User:
    return make.dispatcher(username="ruth", role=Role.SUPERVISOR)


@pytest.fixture
def ruth(supervisor: User) -> Client:
    return client_of(supervisor)


def form(**changed: object) -> dict[str, object]:
    values = {
        "name": "Erin Moss",
        "username": "erin",
        "staff_number": "E900",
        "phone": "07700 900123",
        "hours_1_0": "08:00-16:30",
        "hours_1_1": "8-12, 13-17",
    }
    return {**values, **changed}


def edit_form(client: Client, engineer: Engineer, **changed: object) -> dict[str, object]:
    """The form of the page as a browser would send it."""
    page = client.get(f"/board/people/{engineer.pk}/edit/").context["page"].form
    values = {field.html_name: field.value() for field in page}
    sent = {name: _sent_value(value) for name, value in values.items() if value}
    return {**sent, **changed}


def _sent_value(value: object) -> object:
    if isinstance(value, list):
        return value
    return "on" if value is True else str(value)


def test_supervisor_adds_an_engineer_who_cannot_sign_in_yet(ruth: Client, supervisor: User) -> None:
    Area.objects.create(name="Leeds North")
    Skill.objects.create(code="mdu", name="MDU")
    answer = ruth.post(
        "/board/people/new/",
        form(
            area="Leeds North",
            skill_mdu="on",
            expires_mdu="2027-03-31",
            home_latitude="53.8",
            home_longitude="-1.5",
        ),
    )

    engineer = Engineer.objects.get(staff_number="E900")
    assert answer.headers["Location"] == f"/board/people/{engineer.pk}/"
    assert (engineer.name, engineer.user.role, engineer.area.name) == (
        "Erin Moss",
        Role.ENGINEER,
        "Leeds North",
    )
    assert (engineer.home_latitude, engineer.home_longitude) == (53.8, -1.5)
    assert "53.80000, −1.50000" in ruth.get(answer.headers["Location"]).content.decode()
    assert [str(held.expires_on) for held in engineer.held_skills.all()] == ["2027-03-31"]
    assert [str(shift) for shift in engineer.shifts.all()] == [
        "Monday 08:00–16:30",
        "Tuesday 08:00–12:00",
        "Tuesday 13:00–17:00",
    ]
    assert not engineer.user.has_usable_password()
    assert AuditEntry.objects.get(action="hired", subject="erin").actor == supervisor


def test_same_form_twice_makes_one_engineer(ruth: Client) -> None:
    answers = [ruth.post("/board/people/new/", form()).headers["Location"] for _time in range(2)]

    engineer = Engineer.objects.get()
    assert answers == [f"/board/people/{engineer.pk}/"] * 2
    assert AuditEntry.objects.filter(action="hired", subject="erin").count() == 1


def test_longest_user_name_fits_into_the_audit(ruth: Client) -> None:
    username = "e" * 150
    assert ruth.post("/board/people/new/", form(username=username)).status_code == 302

    entry = AuditEntry.objects.get(action="hired", subject=username)
    # SQLite stores what PostgreSQL refuses
    entry.clean_fields(exclude=["before", "after"])


def test_supervisor_does_not_change_an_engineer_who_is_a_superuser(ruth: Client) -> None:
    engineer = make.engineer()
    User.objects.filter(pk=engineer.user_id).update(is_superuser=True)

    for path in ("edit/", "suspend/", "reinstate/", "sign-out/", "second-factor/"):
        assert ruth.post(f"/board/people/{engineer.pk}/{path}").status_code == 403
    html = ruth.get(f"/board/people/{engineer.pk}/").content.decode()
    assert [text for text in ("Suspend account", "Change details") if text in html] == []


def test_two_weeks_in_turn_are_stored_and_shown_again(ruth: Client) -> None:
    ruth.post("/board/people/new/", form(two_weeks="on", hours_2_0="10:00-18:00"))
    engineer = Engineer.objects.get(staff_number="E900")

    assert [(shift.week, shift.weekday) for shift in engineer.shifts.all()] == [
        (RotaWeek.A, 0),
        (RotaWeek.A, 1),
        (RotaWeek.A, 1),
        (RotaWeek.B, 0),
    ]
    page = ruth.get(f"/board/people/{engineer.pk}/edit/").content.decode()
    assert 'value="10:00–18:00"' in page
    assert 'id="id_two_weeks" checked' in page


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"name": ""}, "This field is required."),
        ({"username": "has blank"}, "Enter a valid username."),
        ({"hours_1_0": "16:00-08:00"}, "the end must be after the start"),
        ({"hours_1_0": "8-12, 11-14"}, "these hours overlap"),
        ({"hours_1_0": "early"}, "is not a time span"),
        ({"hours_1_0": "25:00-26:00"}, ">Monday: “25:00-26:00”"),
        ({"hours_1_0": "25:00-26:00", "two_weeks": "on"}, ">Monday, Week A: “25:00-26:00”"),
        ({"home_latitude": "53.8"}, "Enter both latitude and longitude"),
        ({"staff_number": "../x"}, "Use letters, digits, dots"),
        ({"staff_number": ".."}, "Use letters, digits, dots"),
        ({"staff_number": "E 9"}, "Use letters, digits, dots"),
        ({"phone": "ask at the desk"}, "Use digits, spaces and"),
        ({"phone": "+"}, "Use digits, spaces and"),
        ({"home_latitude": "153.8", "home_longitude": "1"}, "less than or equal to 90"),
        ({"per_day": "8"}, "Monday has 8.5 h; the limit is 8 h a day."),
        ({"per_week": "16"}, "Every week: 16.5 h; the limit is 16 h a week."),
        ({"hours_1_0": "14-23", "rest": "11"}, "Only 9 h of rest before Tuesday"),
    ],
)
def test_form_says_what_is_wrong_and_saves_nothing(
    ruth: Client, changed: dict[str, str], sentence: str
) -> None:
    answer = ruth.post("/board/people/new/", form(**changed))

    assert (answer.status_code, sentence in answer.content.decode()) == (400, True)
    assert not Engineer.objects.exists()


@pytest.mark.parametrize("changed", [{"username": "ERIN"}, {"staff_number": "e900"}])
def test_nobody_is_there_twice(ruth: Client, changed: dict[str, str]) -> None:
    ruth.post("/board/people/new/", form())

    answer = ruth.post("/board/people/new/", form(**{"username": "other", "staff_number": "E901", **changed}))

    assert answer.status_code == 400
    assert Engineer.objects.count() == 1


def test_supervisor_changes_an_engineer(ruth: Client) -> None:
    engineer = make.engineer(skills=("mdu",))
    answer = ruth.post(
        f"/board/people/{engineer.pk}/edit/", edit_form(ruth, engineer, phone="07700 900999", per_week="80")
    )

    assert answer.status_code == 302
    engineer.refresh_from_db()
    assert (engineer.phone, engineer.max_hours_per_week) == ("07700 900999", 80)
    assert engineer.shifts.count() == 7
    assert AuditEntry.objects.get(action="engineer_changed").after == {"fields": ["phone", "limits"]}


def test_address_of_an_engineer_is_entered_checked_and_audited(ruth: Client) -> None:
    engineer = make.engineer()
    path = f"/board/people/{engineer.pk}/edit/"
    make.dispatcher(username="olga")
    User.objects.filter(username="olga").update(email="olga@partner.example")

    for address in ("erin at partner", "OLGA@partner.example"):
        assert ruth.post(path, edit_form(ruth, engineer, email=address)).status_code == 400
    assert ruth.post(path, edit_form(ruth, engineer, email="erin@partner.example")).status_code == 302

    engineer.user.refresh_from_db()
    assert engineer.user.email == "erin@partner.example"
    assert "erin@partner.example" in ruth.get(f"/board/people/{engineer.pk}/").content.decode()
    assert AuditEntry.objects.get(action="engineer_changed").after == {"fields": ["email"]}
    ruth.post(path, edit_form(ruth, engineer, email=""))
    engineer.user.refresh_from_db()
    assert engineer.user.email == ""


def test_new_engineer_has_the_address_that_was_entered(ruth: Client) -> None:
    assert ruth.post("/board/people/new/", form(email="erin@partner.example")).status_code == 302

    assert User.objects.get(username="erin").email == "erin@partner.example"


def test_saving_the_same_twice_changes_nothing(ruth: Client) -> None:
    engineer = make.engineer()
    before = read_record(engineer)
    sent = edit_form(ruth, engineer)

    answers = [ruth.post(f"/board/people/{engineer.pk}/edit/", sent).status_code for _time in range(2)]

    assert answers == [302, 302]
    assert read_record(Engineer.objects.get(pk=engineer.pk)) == before
    assert not AuditEntry.objects.filter(action="engineer_changed").exists()


def test_change_of_another_supervisor_is_not_overwritten(ruth: Client) -> None:
    engineer = make.engineer()
    old = edit_form(ruth, engineer, phone="111")
    other = client_of(make.dispatcher(username="sam", role=Role.SUPERVISOR))
    other.post(f"/board/people/{engineer.pk}/edit/", edit_form(other, engineer, phone="222"))

    answer = ruth.post(f"/board/people/{engineer.pk}/edit/", old)

    assert answer.status_code == 409
    assert "Dana Dispatch changed this engineer on" in answer.content.decode()
    engineer.refresh_from_db()
    assert engineer.phone == "222"


def test_dispatcher_reads_and_changes_nothing() -> None:
    engineer = make.engineer()
    client = client_of(make.dispatcher())
    rota.add_absence(
        engineer=engineer,
        starts_at=make.at("08:00"),
        ends_at=make.at("12:00"),
        reason="Dentist",
        by=make.office().user,
    )

    page = client.get(f"/board/people/{engineer.pk}/").content.decode()

    assert client.get("/board/people/").status_code == 200
    assert "Mon 23 Nov 08:00" in page
    assert "Dentist" not in page
    assert "Change details" not in page
    for path in ("edit/", "absences/", "exceptions/", "suspend/"):
        assert client.post(f"/board/people/{engineer.pk}/{path}").status_code == 403


def test_list_shows_who_is_absent_and_whose_skill_expires(ruth: Client) -> None:
    today = timezone.localdate()
    away, expiring = make.engineer(name="Away Able"), make.engineer(name="Expiring Ed", skills=("mdu",))
    start = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    Absence.objects.create(engineer=away, starts_at=start, ends_at=start + timedelta(days=2))
    expiring.held_skills.update(expires_on=today + timedelta(days=3))

    page = ruth.get("/board/people/").content.decode()
    absent = ruth.get("/board/people/?state=absent").context["page"].lines
    soon = ruth.get("/board/people/?state=expiring").context["page"].lines

    assert "08:00–18:00" in page
    assert [line.name for line in absent] == ["Away Able"]
    assert [(line.name, line.skills[0].tone) for line in soon] == [("Expiring Ed", "warning")]
    found = ruth.get("/board/people/", {"q": "ed expir"}).context["page"].lines
    assert [line.name for line in found] == ["Expiring Ed"]


@pytest.mark.parametrize("rows", [1, 3])
def test_list_costs_the_same_queries(ruth: Client, rows: int, django_assert_num_queries: object) -> None:
    for _row in range(rows):
        make.engineer()

    with django_assert_num_queries(19):  # with the look: whether it is recorded, and its line in a savepoint
        ruth.get("/board/people/")


def test_expired_skill_blocks_a_visit_and_gives_no_suggestion(ruth: Client) -> None:
    engineer = make.engineer(skills=("mdu",))
    job = make.job(flags=("MDU",))
    engineer.held_skills.update(expires_on=make.DAY - timedelta(days=1))

    with pytest.raises(visits.availability.NotBookable) as refusal:
        visits.assign(job=job, engineer=engineer, starts_at=job.window_start, by=make.office())

    assert [problem.code for problem in refusal.value.problems] == ["skill_expired"]
    engineer.held_skills.update(expires_on=make.DAY)
    visits.assign(job=job, engineer=engineer, starts_at=job.window_start, by=make.office())


def test_absence_is_added_once_warns_of_visits_and_is_removed(ruth: Client) -> None:
    engineer = make.engineer()
    make.job(at_state=JobState.ASSIGNED, to=engineer)
    sent = {"first_day": "2026-11-23", "last_day": "2026-11-24", "reason": "Course"}

    for _time in range(2):
        answer = ruth.post(f"/board/people/{engineer.pk}/absences/", sent, follow=True)
    page = answer.content.decode()

    absence = engineer.absences.get()
    ends_at = make.at("00:00", day=make.DAY + timedelta(days=2))
    assert (absence.starts_at, absence.ends_at) == (make.at("00:00"), ends_at)
    assert "1 visit is planned in this time" in page
    assert f"/board/?day={make.DAY}&amp;engineer=" in page
    assert "Mon 23 Nov – Tue 24 Nov" in page
    ruth.post(f"/board/people/{engineer.pk}/absences/remove/", {"absence": absence.pk})
    assert not engineer.absences.exists()


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"first_day": "2026-11-24", "last_day": "2026-11-23"},
        {"first_day": "0001-01-01"},
        {"first_day": "2026-11-24", "starts": "12:00", "ends": "08:00"},
        {"first_day": "2026-01-01", "last_day": "2030-01-01"},
    ],
)
def test_wrong_absence_is_refused(ruth: Client, sent: dict[str, str]) -> None:
    engineer = make.engineer()

    assert ruth.post(f"/board/people/{engineer.pk}/absences/", sent).status_code == 400
    assert not engineer.absences.exists()


def test_single_day_that_differs(ruth: Client) -> None:
    engineer = make.engineer()
    path = f"/board/people/{engineer.pk}/exceptions/"
    ruth.post(path, {"day": "2026-11-23", "hours": "12-20"})
    ruth.post(path, {"day": "2026-11-24", "hours": ""})

    page = ruth.get(f"/board/people/{engineer.pk}/?month=2026-11").content.decode()
    assert "Mon 23 Nov: 12:00–20:00" in page
    assert "Tue 24 Nov: Not working" in page
    with pytest.raises(visits.availability.NotBookable):
        visits.assign(job=make.job(), engineer=engineer, starts_at=make.at("08:00"), by=make.office())
    assert ruth.post(path, {"day": "2026-11-25", "hours": "8-9, 10-11"}).status_code == 400

    ruth.post(f"{path}remove/", {"day": "2026-11-23", "seen": "2026-11-23=12:00–20:00"})
    assert list(ShiftException.objects.values_list("day", flat=True)) == [make.DAY + timedelta(days=1)]


@pytest.mark.parametrize("month", ["2026-11", "0001-01", "9999-12", "x", "2026-02"])
def test_calendar_of_any_month(ruth: Client, month: str) -> None:
    engineer = make.engineer()

    assert ruth.get(f"/board/people/{engineer.pk}/", {"month": month}).status_code == 200


def test_overtime_beyond_a_limit_is_refused_with_any_reason() -> None:
    engineer = make.engineer(starts="08:00", ends="12:00")
    engineer.max_hours_per_day = 5
    engineer.save()
    job = make.job(window=("11:00", "14:00"), duration_minutes=120)

    with pytest.raises(visits.availability.NotBookable) as refusal:
        visits.assign(
            job=job, engineer=engineer, starts_at=make.at("11:30"), by=make.office(), override_reason="Agreed"
        )

    assert [problem.code for problem in refusal.value.problems] == ["outside_shift", "working_time"]


def test_suspended_engineer_cannot_sign_in_until_reinstated(ruth: Client) -> None:
    engineer = make.engineer()
    phone, other = client_of(engineer.user), client_of(make.dispatcher())
    engineer.push_subscriptions.create(endpoint="https://push.example/1", subscribed_at=timezone.now())
    for _time in range(2):
        ruth.post(f"/board/people/{engineer.pk}/suspend/")
    assert (phone.get("/phone/").status_code, other.get("/board/").status_code) == (302, 200)
    assert not engineer.push_subscriptions.exists()
    engineer.user.refresh_from_db()
    assert not engineer.user.is_active
    assert engineer.name in ruth.get("/board/people/?state=suspended").content.decode()

    ruth.post(f"/board/people/{engineer.pk}/reinstate/")

    engineer.user.refresh_from_db()
    assert engineer.user.is_active
    assert AuditEntry.objects.filter(action="suspended").count() == 1


def test_unknown_engineer_is_not_found(ruth: Client) -> None:
    assert ruth.get("/board/people/999/").status_code == 404
    assert ruth.get("/board/people/999/edit/").status_code == 404
