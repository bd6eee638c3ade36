"""Somebody of the office who has left is in no table, and everything that was done stays under the account's number."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from axes.models import AccessLog
from django.conf import settings as configured
from django.core.management import CommandError, call_command

from alerting import contact_records, delivery_records
from alerting.models import AlarmEvent
from background import erasure
from board.models import SavedFilter
from closures.models import Closure
from dispatch.job_events import Performer
from dispatch.models import Job
from dispatch.states import Actor, EventKind, JobState
from engineers import office_accounts, staff
from engineers.models import CompanyIdentity, Role, User
from tests import make
from tests.alerting.contacts import contact
from tests.background.test_personal_data_everywhere import left
from tests.board.office import signed_in
from tests.phone.phone import POSITION, Phone

pytestmark = pytest.mark.django_db(transaction=True)
TEXTS = ("Olga", "Oldham", "Newman", "olga@example.com", "planted-")


@pytest.fixture
def olga() -> User:
    """Renamed since, with all that an account may have, suspended."""
    user = staff.hire_office(
        username="olga.old", password=make.PASSWORD, name="Olga Oldham", role=Role.DISPATCHER
    )
    AccessLog.objects.create(username="olga.old")
    closes_job(user)
    stored = office_accounts.read_account(user)
    record = replace(stored, username="olga.new", name="Olga Newman", email="olga@example.com")
    supervisor = make.dispatcher(role=Role.SUPERVISOR)
    office_accounts.change_account(user=user, record=record, seen=stored, by=supervisor)
    user.refresh_from_db()
    CompanyIdentity.objects.create(
        user=user, issuer="https://a.example", subject="planted-subject", linked_at=make.now()
    )
    SavedFilter.objects.create(user=user, page="board", name="planted-filter")
    SavedFilter.objects.create(user=make.dispatcher(), page="board", name="x", query="text=Olga Newman")
    alarms = contact("Olga Newman", address="olga@example.com")
    delivery_records.create_delivery(alarms, [], event=AlarmEvent.TEST, now=make.now())
    changes = {"level": 2}
    version = contact_records.contact_version(alarms)
    contact_records.change_contact(pk=alarms.pk, changes=changes, seen=version, by=supervisor)
    contact_records.delete_contact(pk=alarms.pk, by=supervisor)
    staff.suspend(user=user, by=supervisor)
    return user


def closes_job(user: User) -> None:
    """While its engineer had no signal."""
    phone = Phone(make.engineer())
    job = make.job(at_state=JobState.ASSIGNED, to=phone.engineer)
    make.close_without_visit(job)
    job.events.filter(kind=EventKind.CLOSED).update(user=user)
    Closure.objects.update(by_name=Performer(Actor.DISPATCHER, user).name)
    assert phone.say("en_route", job, {"position": POSITION})["outcome"] == "late"


def test_everything_is_planted(olga: User) -> None:
    found = left(TEXTS)

    assert {text for _table, text in found} == {*TEXTS}
    assert {table for table, _text in found} >= {
        *("engineers_user", "engineers_auditentry", "engineers_companyidentity", "axes_accesslog"),
        *("board_savedfilter", "closures_closure", "dispatch_jobevent", "alerting_alarmdelivery"),
    }


def test_erasure_leaves_nothing_of_an_account(olga: User) -> None:
    call_command("personal_data", "erase", "--account", "olga.new", "--yes")

    assert left(TEXTS) == []
    olga.refresh_from_db()
    assert (olga.is_active, olga.anonymised_at is not None) == (False, True)
    assert olga.display_name == f"Former office account {olga.pk}"


@pytest.mark.parametrize(
    ("language", "former"), [("en-gb", "Former office account"), ("de", "Ehemaliges Bürokonto")]
)
def test_erased_account_is_named_in_the_language_of_the_reader(
    olga: User, language: str, former: str
) -> None:
    client = signed_in()
    client.cookies[configured.LANGUAGE_COOKIE_NAME] = language

    erasure.erase_account("olga.new")

    job_page = client.get(f"/board/jobs/{Job.objects.get()}/").content.decode()
    closed_by = client.get(f"/board/jobs/{Job.objects.get()}/").context["page"].closure.by
    contacts = client.get("/board/alarms/contacts/").content.decode()
    name = f"{former} {olga.pk}"
    # in the event, in the outcome, and by the late message of the phone
    assert (closed_by, f"({name})" in job_page, name in contacts) == (name, True, True)
    assert "former-office-" not in job_page + contacts


def test_account_in_use_is_not_erased(olga: User) -> None:
    staff.reinstate(user=olga, by=make.dispatcher())

    with pytest.raises(erasure.AccountActive):
        erasure.erase_account("olga.new")

    assert User.objects.get(pk=olga.pk).get_full_name() == "Olga Newman"


@pytest.mark.parametrize("fields", [{"name": "olga newman"}, {"address": "Olga@example.com"}], ids=str)
def test_alarm_contact_of_the_person_is_named(olga: User, fields: dict[str, str]) -> None:
    contact(**fields)

    with pytest.raises(erasure.AlarmContactLeft) as refusal:
        erasure.erase_account("olga.new")

    assert fields.get("name", "Anna") in refusal.value.problems[0].message


@pytest.mark.parametrize("action", ["export", "erase"])
@pytest.mark.parametrize("username", ["", "nobody", "erin"])
def test_only_an_account_of_the_office_is_found(db: None, tmp_path: Path, action: str, username: str) -> None:
    make.engineer(username="erin")
    rest = [str(tmp_path / "x.zip")] if action == "export" else ["--yes"]

    with pytest.raises(CommandError, match="No office account has the user name"):
        call_command("personal_data", action, "--account", username, *rest)


def test_export_holds_what_is_known_of_an_account(olga: User, tmp_path: Path) -> None:
    target = tmp_path / "olga.zip"

    call_command("personal_data", "export", "--account", "olga.new", str(target))

    with zipfile.ZipFile(target) as zipped:
        data = json.loads(zipped.read("data.json"))
    assert (data["account"]["email"], "password" in data["account"]) == ("olga@example.com", False)
    assert data["job_events"][-1]["kind"] == EventKind.CLOSED
    lengths = {name: len(data[name]) for name in ("saved_filters", "company_accounts", "sign_ins")}
    assert set(lengths.values()) == {1}
    assert {row["action"] for row in data["audit_about"]} >= {"hired", "person_changed", "suspended"}
