"""The administration pages: what is there, what a supervisor may do, and that nobody gains rights by them."""

import pytest
from django.contrib import admin
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from engineers import staff
from engineers.models import AuditEntry, PushSubscription, Role, User
from tests import make

pytestmark = pytest.mark.django_db
BACKEND = "engineers.permissions.RoleBackend"
REGISTERED = {"user", "engineer", "area", "skill", "auditentry", "job"}


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user, BACKEND)
    return client


@pytest.fixture
def supervisor() -> User:
    return make.dispatcher(username="ruth", role=Role.SUPERVISOR)


@pytest.fixture
def superuser() -> User:
    return User.objects.create_superuser("root", password=make.PASSWORD)


def form_of(user: User, **changed: object) -> dict[str, object]:
    fields = ("username", "first_name", "last_name", "email", "role", "is_active", "is_superuser")
    form = {name: getattr(user, name) for name in fields} | changed
    return {name: "on" if value is True else value for name, value in form.items() if value is not False}


def save(client: Client, user: User, **changed: object) -> int:
    answer = client.post(f"/admin/engineers/user/{user.pk}/change/", form_of(user, **changed))
    user.refresh_from_db()
    return answer.status_code


def test_admin_shows_our_models_and_no_task_queue() -> None:
    assert {model._meta.model_name for model in admin.site._registry} == REGISTERED


@pytest.mark.parametrize("path", ["django_q/schedule", "django_q/ormq", "axes/accessattempt", "auth/group"])
def test_task_queue_and_groups_are_not_there_even_for_a_superuser(superuser: User, path: str) -> None:
    assert signed_in(superuser).get(f"/admin/{path}/").status_code == 404


def test_office_people_are_no_superusers(supervisor: User) -> None:
    dispatcher = make.dispatcher()

    assert (supervisor.is_superuser, supervisor.is_staff) == (False, True)
    assert (dispatcher.is_superuser, dispatcher.is_staff) == (False, False)


@pytest.mark.parametrize("model", ["user", "engineer", "area", "skill", "auditentry"])
def test_supervisor_opens_the_pages_about_people(supervisor: User, model: str) -> None:
    make.engineer()
    client = signed_in(supervisor)

    assert client.get("/admin/").status_code == 200
    assert client.get(f"/admin/engineers/{model}/").status_code == 200


def test_supervisor_looks_into_jobs(supervisor: User) -> None:
    job = make.job()

    assert signed_in(supervisor).get(f"/admin/dispatch/job/{job.pk}/change/").status_code == 200


def test_supervisor_keeps_an_engineer(supervisor: User) -> None:
    engineer = make.engineer()
    client = signed_in(supervisor)

    assert client.get(f"/admin/engineers/engineer/{engineer.pk}/change/").status_code == 200
    assert save(client, engineer.user, first_name="Edith") == 302
    assert engineer.user.first_name == "Edith"


def test_supervisor_makes_nobody_a_superuser(supervisor: User) -> None:
    client = signed_in(supervisor)

    assert save(client, supervisor, is_superuser=True, is_staff=True, groups="1", user_permissions="1") == 302
    assert (supervisor.is_superuser, supervisor.user_permissions.count()) == (False, 0)


def test_supervisor_cannot_touch_a_superuser(supervisor: User, superuser: User) -> None:
    client = signed_in(supervisor)

    assert save(client, superuser, is_active=False) == 403
    assert client.post(f"/admin/engineers/user/{superuser.pk}/password/").status_code == 403
    assert (superuser.is_active, superuser.check_password(make.PASSWORD)) == (True, True)


def test_nobody_is_deleted(superuser: User) -> None:
    other = make.dispatcher()

    assert signed_in(superuser).post(f"/admin/engineers/user/{other.pk}/delete/").status_code == 403


def test_superuser_makes_a_superuser_and_it_is_recorded(superuser: User) -> None:
    other = make.dispatcher()

    assert save(signed_in(superuser), other, is_superuser=True) == 302
    assert (other.is_superuser, other.is_staff) == (True, True)
    line = AuditEntry.objects.get(action="person_changed")
    assert (line.actor, line.before, line.after) == (
        superuser,
        {"is_superuser": False},
        {"is_superuser": True},
    )


def test_rights_under_admin_follow_the_role(supervisor: User) -> None:
    other = make.dispatcher()
    assert signed_in(other).get("/admin/", follow=True).redirect_chain[-1] == ("/board/", 302)

    save(signed_in(supervisor), other, role=Role.SUPERVISOR)
    assert signed_in(other).get("/admin/").status_code == 200

    save(signed_in(supervisor), other, role=Role.DISPATCHER)
    assert signed_in(other).get("/admin/", follow=True).redirect_chain[-1] == ("/board/", 302)


def test_switching_off_ends_sessions_and_notices_at_once(supervisor: User) -> None:
    engineer = make.engineer()
    phone, other = signed_in(engineer.user), signed_in(make.dispatcher())
    PushSubscription.objects.create(
        engineer=engineer, endpoint="https://push.example/1", subscribed_at=timezone.now()
    )

    assert save(signed_in(supervisor), engineer.user, is_active=False) == 302

    assert phone.get("/phone/").status_code == 302
    assert other.get("/board/").status_code == 200
    assert str(engineer.user.pk) not in {
        session.get_decoded()["_auth_user_id"] for session in Session.objects.all()
    }
    assert not PushSubscription.objects.exists()
    line = AuditEntry.objects.get(action="suspended")
    assert (line.actor, line.subject) == (supervisor, engineer.user.username)


def test_switching_on_again_is_recorded(supervisor: User) -> None:
    engineer = make.engineer()
    staff.suspend(user=engineer.user, by=supervisor)

    save(signed_in(supervisor), engineer.user, is_active=True)

    assert engineer.user.is_active
    assert AuditEntry.objects.filter(action="reinstated", actor=supervisor).exists()


def test_there_is_no_second_sign_in_page() -> None:
    answer = Client().get("/admin/login/?next=/admin/engineers/")

    assert answer.headers["Location"] == "/login/?next=/admin/engineers/"
    assert Client().get("/admin/").headers["Location"].startswith("/admin/login/")


def test_there_is_one_page_for_the_own_password(supervisor: User) -> None:
    assert signed_in(supervisor).get("/admin/password_change/").headers["Location"] == "/password/"


def test_fresh_superuser_lands_on_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", make.PASSWORD)
    call_command("createsuperuser", "--noinput", username="first", email="first@example.org")
    client = Client()
    client.post("/login/", {"username": "first", "password": make.PASSWORD})

    assert client.get("/", follow=True).redirect_chain == [("/board/", 302)]
    assert client.get("/admin/").status_code == 200
