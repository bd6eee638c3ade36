"""The administration pages: what is there, what a supervisor may do, and that nobody gains rights by them."""

import re
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib import admin
from django.core.management import call_command
from django.test import Client, RequestFactory

from dispatch.notes import add_note
from engineers.models import AuditEntry, Role, User
from tests import make

pytestmark = pytest.mark.django_db
BACKEND = "engineers.permissions.RoleBackend"
REGISTERED = {"user", "auditentry", "job"}


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


@pytest.mark.parametrize("model", ["user", "auditentry"])
def test_supervisor_opens_the_pages_about_people(supervisor: User, model: str) -> None:
    make.engineer()
    client = signed_in(supervisor)

    assert client.get("/admin/").status_code == 200
    assert client.get(f"/admin/engineers/{model}/").status_code == 200


def test_administration_is_in_german_and_in_our_colours(supervisor: User) -> None:
    job, client = make.job(), signed_in(supervisor)
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"
    pages = {
        "": ("Verwaltung", "Aufträge", "Protokoll"),
        "engineers/user/": ("Benutzername", "Rolle"),
        "engineers/auditentry/": ("Aktion", "Wen oder was", "festgehalten"),
        f"dispatch/job/{job.pk}/change/": (
            "Auftragsnummer",
            "Zustand davor",
            f"/board/jobs/{job.provider_job_id}/",
        ),
    }

    for path, texts in pages.items():
        page = client.get(f"/admin/{path}").content.decode()
        assert [text for text in texts if text.lower() not in page.lower()] == []
        assert "css/admin" in page
        assert not re.search(r">\s*(Audit entr|Jobs?|Role|State|Recorded at)\b", page)


def test_supervisor_looks_into_jobs_without_their_customers(supervisor: User) -> None:
    """Whoever looks at a customer stands in the audit, and this page writes nothing there."""
    job = make.job()
    add_note(job=job, text="Call Pat before nine", caller="Pat Tester", note_id=uuid4(), by=make.office())

    answer = signed_in(supervisor).get(f"/admin/dispatch/job/{job.pk}/change/")

    page = answer.content.decode()
    assert (answer.status_code, "Note" in page) == (200, True)
    assert [text for text in ("Call Pat", job.contact_name, job.contact_phone) if text in page] == []


def test_supervisor_only_reads_there(supervisor: User, superuser: User) -> None:
    client, other = signed_in(supervisor), make.dispatcher()

    assert client.get(f"/admin/engineers/user/{other.pk}/change/").status_code == 200
    for user in (supervisor, superuser, other):
        assert save(client, user, is_superuser=True, is_active=False) == 403
    assert (supervisor.is_superuser, superuser.is_active, other.is_superuser) == (False, True, False)


def test_role_and_access_are_changed_on_pages_of_our_own(superuser: User) -> None:
    client, other = signed_in(superuser), make.dispatcher()

    assert save(client, other, role=Role.SUPERVISOR, is_active=False, username="x") == 302
    assert (other.role, other.is_active) == (Role.DISPATCHER, True)
    assert client.get("/admin/engineers/user/add/").status_code == 403
    answer = client.post(f"/admin/engineers/user/{other.pk}/password/", {"password1": "x", "password2": "x"})
    assert answer.headers["Location"] == f"/board/people/accounts/{other.pk}/"


def test_superuser_does_not_lose_the_own_rights_by_accident(superuser: User) -> None:
    assert save(signed_in(superuser), superuser, is_superuser=False) == 302
    assert superuser.is_superuser


def test_corrected_address_is_stored(superuser: User) -> None:
    other = make.dispatcher()

    assert save(signed_in(superuser), other, email="new@partner.example") == 302
    assert other.email == "new@partner.example"


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


def test_what_was_changed_since_the_account_was_read_stays_changed(
    superuser: User, rf: RequestFactory
) -> None:
    request = rf.post("/")
    request.user = superuser
    read = make.dispatcher(role=Role.SUPERVISOR)
    page = admin.site._registry[User]
    form = page.get_form(request, read)(form_of(read), instance=read)
    assert form.is_valid()
    User.objects.filter(pk=read.pk).update(is_active=False, role=Role.DISPATCHER, is_staff=False)

    page.save_model(request, form.save(commit=False), form, change=True)

    read.refresh_from_db()
    assert (read.is_active, read.role, read.is_staff) == (False, Role.DISPATCHER, False)


def test_dispatcher_has_no_business_there() -> None:
    answer = signed_in(make.dispatcher()).get("/admin/", follow=True)

    assert answer.redirect_chain[-1] == ("/board/", 302)


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
