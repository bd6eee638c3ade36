"""The audit page: who looked at whom and who changed what, filtered and exported; no page changes it."""

from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
import time_machine
from django.conf import settings
from django.core.management import call_command
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from alerting import contact_records
from background import personal_data
from board.audit.audit_facts import NAMES, describe_facts
from board.audit.audit_subjects import subject_text
from dispatch import flag_rules
from dispatch.models import Job
from dispatch.states import JobState
from engineers import staff
from engineers.audit import ACTIONS, record_audit, record_look
from engineers.models import Area, AreaLimit, AuditEntry, Role, User
from tests import make
from tests.board.test_people import client_of
from tests.conventions.sources import OURS, python

pytestmark = pytest.mark.django_db
AUDIT = "/board/audit/"


@pytest.fixture
def auditor() -> Client:
    return client_of(make.dispatcher(username="audrey", role=Role.AUDITOR))


@pytest.fixture
def dana() -> User:
    return make.dispatcher(username="dana")


def lines(client: Client, **wanted: str) -> list[tuple[str, str]]:
    """(action, about) as the page lists them."""
    answer = client.get(AUDIT, wanted)
    assert answer.status_code == 200
    return [(line.action, line.subject) for line in answer.context["page"].lines]


def test_looks_at_people_are_recorded_once_an_hour(auditor: Client, dana: User) -> None:
    job, anna = make.job(at_state=JobState.ASSIGNED), make.engineer(name="Anna Fibre")
    client = client_of(dana)

    for _time in range(2):
        client.get(f"/board/jobs/{job}/")
        client.get(f"/board/people/{anna.pk}/")
        client.get(f"/board/?day={make.DAY}&job={job}")
        client.get(f"/board/day-sheets/?day={make.DAY}")
    looks = lines(auditor, data_area="looks", person=f"{dana.pk}")
    assert sorted(looks) == [
        ("viewed a job with its customer", str(job)),
        ("viewed an engineer", anna.staff_number),
        ("viewed the day sheets", f"{make.DAY}"),
    ]
    with time_machine.travel(timezone.now() + timedelta(hours=2), tick=False):
        record_look(dana, "job_viewed", str(job))
    assert AuditEntry.objects.filter(action="job_viewed").count() == 2


def searches(user: User) -> list[tuple[str, object]]:
    found = AuditEntry.objects.filter(actor=user, action="search_viewed").order_by("pk")
    return list(found.values_list("subject", "after"))


def test_search_records_whom_it_showed_and_not_what_was_asked(dana: User) -> None:
    job, anna = make.job(at_state=JobState.ASSIGNED), make.engineer(name="Anna Fibre")
    client, phone = client_of(dana), Job.objects.get().contact_phone

    for _time in range(2):
        for asked in (phone, "Anna Fibre", "nobody at all", "x"):
            client.get("/board/search", {"q": asked})

    assert searches(dana) == [
        ("search", {"jobs": [str(job)]}),
        ("search", {"engineers": [anna.staff_number]}),
    ]
    audrey = client_of(make.dispatcher(username="audrey", role=Role.AUDITOR))
    assert lines(audrey, text=str(job), data_area="looks") == lines(audrey, text=anna.staff_number)
    assert lines(audrey, text=str(job)) == [
        ("viewed customers or engineers in the search", "Results of a search")
    ]
    assert phone and phone not in str(list(AuditEntry.objects.values()))


def test_suggestions_leave_one_line_an_hour_and_none_where_nobody_is_shown(dana: User) -> None:
    make.engineer(name="Anna Fibre")
    client = client_of(dana)
    client.get("/board/search/suggestions", {"q": "zz"})
    assert searches(dana) == []

    for text in ("an", "ann", "anna", "anna f"):
        client.get("/board/search/suggestions", {"q": text})

    assert searches(dana) == [("suggestions", None)]


def test_lists_of_jobs_and_of_engineers_are_looks(dana: User) -> None:
    client = client_of(dana)
    client.get("/board/search?list=unassigned")
    client.get("/board/people/", {"q": "Anna"})
    assert not AuditEntry.objects.filter(actor=dana).exists()
    make.job()
    make.engineer(name="Anna Fibre")

    for _time in range(2):
        client.get("/board/search?list=unassigned")
        client.get("/board/people/", {"q": "Anna"})

    made = AuditEntry.objects.filter(actor=dana).order_by("pk")
    assert list(made.values_list("action", "subject")) == [
        ("search_viewed", "unassigned"),
        ("engineers_listed", "list"),
    ]


def test_command_that_hands_out_personal_data_is_recorded_by_numbers(tmp_path: Path) -> None:
    job, anna = make.job(at_state=JobState.ASSIGNED), make.engineer(name="Anna Fibre")
    phone = Job.objects.get().contact_phone

    call_command("personal_data", "export", f"--customer={phone}", str(tmp_path / "a.zip"))
    call_command("personal_data", "export", f"--engineer={anna.staff_number}", str(tmp_path / "b.zip"))
    call_command("export_data", "working_times", str(tmp_path / "c"), first=make.DAY, last=make.DAY)
    call_command("message_log", stdout=StringIO())

    made = AuditEntry.objects.filter(actor=None).exclude(action="hired").order_by("pk")
    assert list(made.values_list("action", "subject", "after")) == [
        ("personal_data_exported", "1 jobs", {"jobs": [str(job)]}),
        ("personal_data_exported", anna.staff_number, None),
        ("exported", "working_times", {"days": [f"{make.DAY}", f"{make.DAY}"]}),
        ("message_log_printed", "all messages", None),
    ]
    assert phone not in str(list(made.values()))


def test_form_of_an_engineer_is_a_look(auditor: Client) -> None:
    anna, ruth = make.engineer(name="Anna Fibre"), make.dispatcher(role=Role.SUPERVISOR)

    assert client_of(ruth).get(f"/board/people/{anna.pk}/edit/").status_code == 200

    assert lines(auditor, person=f"{ruth.pk}") == [("viewed an engineer", anna.staff_number)]


def test_look_of_a_clock_that_was_ahead_hides_no_later_one(dana: User) -> None:
    with time_machine.travel(timezone.now() + timedelta(days=30)):
        record_look(dana, "job_viewed", "J-1")

    record_look(dana, "job_viewed", "J-1")

    assert AuditEntry.objects.filter(action="job_viewed").count() == 2


def test_supervisor_who_sees_a_message_whole_is_recorded(dana: User) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    message = job.outbound_messages.get()
    for role in (Role.SUPERVISOR, Role.PLANNER):
        client_of(make.dispatcher(role=role)).get(f"/board/messages/{message.message_id}/")

    entry = AuditEntry.objects.get(action="personal_data_shown")
    assert entry.actor and entry.actor.role == Role.SUPERVISOR
    assert str(message.message_id) in entry.subject


def test_person_text_area_of_data_and_period_filter(auditor: Client, dana: User) -> None:
    staff.suspend(user=make.engineer(username="erin").user, by=dana)
    record_audit(actor=None, action="area_added", subject="Leeds", after={"name": "Leeds"})

    assert lines(auditor, text="erin", data_area="accounts", person=f"{dana.pk}") == [
        ("suspended an account", "erin")
    ]
    assert lines(auditor, data_area="rules") == [("added an area", "Leeds")]
    assert lines(auditor, data_area="other") == []
    long_ago = f"{timezone.localdate() - timedelta(days=30)}"
    assert lines(auditor, first=long_ago, last=long_ago) == []


def test_what_somebody_did_to_jobs_is_listed_for_that_person(auditor: Client) -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    office = make.office().user
    assert office is not None

    found = lines(auditor, person=f"{office.pk}", data_area="jobs")
    assert [subject for _action, subject in found] == [str(job)]
    assert lines(auditor, data_area="jobs") == []


def test_pages_follow_each_other_without_a_gap(auditor: Client, dana: User) -> None:
    for number in range(105):
        record_audit(actor=dana, action="area_added", subject=f"Area {number}")

    first, second = lines(auditor, text="Area "), lines(auditor, text="Area ", page="2")
    assert (len(first), len(second), len({*first, *second})) == (100, 5, 105)


def test_export_has_the_same_lines_no_formula_and_leaves_a_line(auditor: Client, dana: User) -> None:
    record_audit(actor=dana, action="area_added", subject="=1+1", after={"name": "Ärea"})

    answer = auditor.get(f"{AUDIT}audit.csv", {"data_area": "rules"})
    rows = answer.content.decode("utf-8-sig").splitlines()
    assert rows[0] == "Time;Who;Area of data;Action;About;Before and after"
    assert len(rows) == 2
    assert "'=1+1" in rows[1] and "Ärea" in rows[1] and "Dana Dispatch" in rows[1]
    assert AuditEntry.objects.get(action="audit_exported").actor.username == "audrey"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "wanted", [{"first": "nonsense"}, {"first": "2026-02-01", "last": "2026-01-01"}, {"person": "x"}]
)
def test_wrong_filter_is_named_and_exports_nothing(auditor: Client, wanted: dict[str, str]) -> None:
    assert auditor.get(AUDIT, wanted).status_code == 400
    assert auditor.get(f"{AUDIT}audit.csv", wanted).status_code == 302


def test_only_roles_that_may_and_nobody_who_is_limited_read_it(dana: User) -> None:
    ruth = make.dispatcher(role=Role.SUPERVISOR)
    assert client_of(dana).get(AUDIT).status_code == 403
    assert client_of(ruth).get(AUDIT).status_code == 200

    AreaLimit.objects.create(user=ruth, area=Area.objects.create(name="York"))
    assert client_of(ruth).get(AUDIT).status_code == 403
    assert AUDIT not in client_of(ruth).get("/board/people/").content.decode()


def test_no_method_changes_it(auditor: Client, dana: User) -> None:
    record_audit(actor=dana, action="area_added", subject="Leeds")
    ruth = client_of(make.dispatcher(role=Role.SUPERVISOR))
    before = list(AuditEntry.objects.filter(action="area_added").values())

    for client in (auditor, ruth):
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            assert client.generic(method, AUDIT).status_code == 405
    entry = AuditEntry.objects.get(action="area_added")
    for path in (f"{entry.pk}/change/", f"{entry.pk}/delete/", "add/"):
        ruth.post(f"/admin/engineers/auditentry/{path}", {"subject": "York", "post": "yes"})
    assert list(AuditEntry.objects.filter(action="area_added").values()) == before


def test_lines_end_with_their_retention(dana: User) -> None:
    now = timezone.now()
    for days, action in ((1, "area_added"), (-1, "area_changed"), (1, "person_changed")):
        entry = record_audit(actor=dana, action=action, subject="Leeds")
        at = now - timedelta(days=settings.RETENTION_AUDIT_DAYS + days)
        AuditEntry.objects.filter(pk=entry.pk).update(recorded_at=at)

    assert personal_data.purge(now)["audit"] == 1
    remaining = AuditEntry.objects.filter(subject="Leeds").values_list("action", flat=True)
    assert set(remaining) == {"area_changed", "person_changed"}


def test_page_opens_while_the_look_cannot_be_written(dana: User) -> None:
    job, client = make.job(), client_of(dana)
    client.get("/board/version")

    def refuse(execute: object, sql: str, *more: object) -> object:
        if sql.startswith('INSERT INTO "engineers_auditentry"'):
            raise OperationalError("disk full")
        return execute(sql, *more)  # type: ignore[operator]

    with connection.execute_wrapper(refuse):
        assert client.get(f"/board/jobs/{job}/").status_code == 200
    assert AuditEntry.objects.filter(action="job_viewed").count() == 0


def test_every_action_that_is_recorded_has_a_text() -> None:
    texts = "\n".join(source.text for source in python(*OURS))
    recorded = {
        piece.split('"')[0] for piece in texts.split('action="')[1:] if "." not in piece.split('"')[0]
    }

    assert recorded - {"store_true", "append"} <= set(ACTIONS)


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (
            {"role": "dispatcher", "name": "Ann"},
            {"role": "planner", "name": "Ann"},
            "Role: Dispatcher → Planner",
        ),
        (None, {"name": "North", "postcodes": "LS1 LS2"}, "Name: North · Postcodes: LS1 LS2"),
        ({"is_used": False}, {"is_used": True}, "In use: No → Yes"),
        ({"postcodes": ""}, {"postcodes": "LS1"}, "Postcodes: – → LS1"),
        ({"disk_full": "a"}, {"disk_full": "b"}, "A disk is nearly full: a → b"),
        (["plan", "see_audit"], ["see_audit"], "removed: ask for plans and accept them"),
        (None, {"kind": "on_the_way"}, "Kind: Engineer on the way"),
        ({"channel": "mail"}, {"channel": "sms"}, "Channel: E-mail → SMS"),
        (None, {"kinds": ["job.closed"]}, "Events: Job closed"),
        (None, {"name": "mail"}, "Name: mail"),
        (None, {"office_days": [0, 1]}, "Office days: Monday, Tuesday"),
        (
            {"disk_full": "any_hour"},
            {"disk_full": "board_only"},
            "A disk is nearly full: At any hour → On the board only",
        ),
        (None, {"a_new_name": ["x", "y"]}, "A new name: x, y"),
        (None, None, ""),
    ],
)
def test_facts_are_words(before: object, after: object, text: str) -> None:
    assert describe_facts(before, after) == text


@pytest.mark.parametrize(
    ("action", "subject", "text"),
    [
        ("erased_customer", "1 jobs", "1 job"),
        ("erased_customer", "3 jobs", "3 jobs"),
        ("replayed", "12 messages", "12 messages"),
        ("replayed", "closeJob J-1", "closeJob J-1"),
        ("alarm_rules_changed", "alarms", "Alarms"),
        ("customer_messages_viewed", "all jobs", "All jobs"),
        ("area_added", "alarms", "alarms"),
        ("search_viewed", "search", "Results of a search"),
        ("search_viewed", "unassigned", "Unassigned jobs, all days"),
        ("engineers_listed", "list", "Engineers"),
        ("personal_data_exported", "2 jobs", "2 jobs"),
        ("personal_data_exported", "E-17", "E-17"),
    ],
)
def test_subject_of_ours_is_in_the_readers_language(action: str, subject: str, text: str) -> None:
    assert subject_text(action, subject) == text


def test_what_is_recorded_again_and_again_has_a_name() -> None:
    recorded = {*contact_records.AUDITED, *contact_records.PLAN_MEMBERS, *flag_rules.MEMBERS}

    assert recorded <= set(NAMES)
