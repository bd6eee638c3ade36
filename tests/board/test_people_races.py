"""The same form, absence or value twice at the same moment, and two supervisors who remove each other."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import pytest
from django.db import connection, transaction

from board.people import engineer_import
from demo.environment import wait_until
from dispatch import flag_rules, skill_catalogue
from dispatch.job_events import Performer
from dispatch.models import FlagRule, PlanAction
from dispatch.plan_changes import plan_actions
from dispatch.states import Actor
from dispatch.teams import lock_engineers
from engineers import areas, calendar_feeds, engineer_records, office_accounts, rota
from engineers.areas import PostcodesTaken
from engineers.engineer_records import EngineerRecord, TakenIdentity
from engineers.models import Absence, Area, AuditEntry, Engineer, Role, Skill, User
from engineers.office_accounts import AccountRecord, AccountRefused
from engineers.shifts import TimeSpan
from engineers.working_hours import parse_hours
from tests import make
from tests.together import at_once, is_somebody_waiting_for_us

pytestmark = pytest.mark.django_db(transaction=True)
ERIN = EngineerRecord(username="erin", name="Erin Moss", staff_number="E900", phone="1")
NELL = AccountRecord("nell", "Nell New", "dispatcher")


def add_area(by: User) -> object:
    return areas.create_area(name="North", postcodes="LS6", by=by)


def add_skill(by: User) -> object:
    return skill_catalogue.create_skill(code="poles", name="Poles", by=by)


def add_account(by: User) -> object:
    return office_accounts.create_account(record=NELL, by=by)


def add_engineer(by: User) -> object:
    return engineer_records.create_engineer(record=ERIN, by=by)


@pytest.mark.parametrize(
    ("add", "rows", "action"),
    [
        (add_area, Area.objects.all, "area_added"),
        (add_skill, Skill.objects.all, "skill_added"),
        (add_account, lambda: User.objects.filter(username="nell"), "hired"),
        (add_engineer, Engineer.objects.all, "hired"),
    ],
)
def test_same_form_at_the_same_moment_has_one_effect(
    add: Callable[[User], object], rows: Callable[[], object], action: str
) -> None:
    ruth = make.dispatcher(role=Role.SUPERVISOR)
    before = AuditEntry.objects.count()

    at_once(*[lambda: add(ruth)] * 4)

    assert len(list(rows())) == 1
    assert list(AuditEntry.objects.values_list("action", flat=True))[: -before or None] == [action]


@pytest.mark.parametrize("is_role", [True, False])
def test_two_supervisors_cannot_remove_each_other(*, is_role: bool) -> None:
    ruth, sam = (make.dispatcher(username=name, role=Role.SUPERVISOR) for name in ("ruth", "sam"))
    refused = []

    def remove(user: User, by: User) -> None:
        stored = office_accounts.read_account(user)
        lower = AccountRecord(stored.username, stored.name, Role.DISPATCHER)
        try:
            if is_role:
                office_accounts.change_account(user=user, record=lower, seen=stored, by=by)
            else:
                office_accounts.suspend_account(user=user, by=by)
        except AccountRefused as problem:
            refused.append(problem.rule)

    at_once(lambda: remove(ruth, sam), lambda: remove(sam, ruth))

    assert refused == [office_accounts.AccountRule.LAST_SUPERVISOR]
    assert User.objects.filter(role=Role.SUPERVISOR, is_active=True).count() == 1


def test_absence_entered_twice_at_the_same_moment_is_one() -> None:
    erin, ruth = make.engineer(), make.dispatcher(role=Role.SUPERVISOR)
    start, end = make.at("08:00"), make.at("18:00")

    def add() -> object:
        return rota.add_absence(engineer=erin, starts_at=start, ends_at=end, reason="", by=ruth)

    at_once(*[add] * 4)

    assert Absence.objects.count() == 1
    assert AuditEntry.objects.filter(action="absence_added").count() == 1


def test_engineer_marked_absent_twice_at_the_same_moment_is_one_action() -> None:
    erin, dana = make.engineer(), make.dispatcher()
    span, by = TimeSpan(make.at("08:00"), make.at("18:00")), Performer(Actor.DISPATCHER, dana)

    at_once(*[lambda: plan_actions.mark_absent(erin, span=span, reason="", by=by)] * 4)

    plan_actions.undo(PlanAction.objects.get(), by=by)
    assert not Absence.objects.exists()


def test_staff_number_saved_for_several_at_the_same_moment_goes_to_one() -> None:
    ruth, refused = make.dispatcher(role=Role.SUPERVISOR), []

    def save(engineer: Engineer) -> None:
        stored = engineer_records.read_record(engineer)
        record = replace(stored, staff_number="E777")
        try:
            engineer_records.update_engineer(
                engineer=engineer, record=record, version=stored.version, by=ruth
            )
        except TakenIdentity as problem:
            refused.extend(problem.fields)

    at_once(*[partial(save, make.engineer()) for _ in range(4)])

    assert refused == ["staff_number"] * 3
    assert Engineer.objects.filter(staff_number="E777").count() == 1


def test_calendar_address_asked_for_twice_at_the_same_moment_is_the_later_one() -> None:
    erin, ruth = make.engineer(), make.dispatcher(role=Role.SUPERVISOR)
    secrets = []

    at_once(*[lambda: secrets.append(calendar_feeds.issue(engineer=erin, by=ruth))] * 4)

    assert sum(calendar_feeds.find(secret) is not None for secret in secrets) == 1


def test_first_change_of_a_flag_by_several_at_the_same_moment_is_of_one() -> None:
    ruth, refused = make.dispatcher(role=Role.SUPERVISOR), []
    rule = flag_rules.default_rules().by_code["WSD"]
    changes = {name: getattr(rule, name) for name in flag_rules.MEMBERS}

    def change() -> None:
        try:
            flag_rules.change_rule(code="WSD", seen=0, by=ruth, changes=changes)
        except flag_rules.RuleChanged as problem:
            refused.extend(problem.problems)

    at_once(*[change] * 4)

    assert [problem.code for problem in refused] == ["rule_changed"] * 3
    assert FlagRule.objects.get().version == 1


def test_postcodes_saved_for_several_areas_at_the_same_moment_go_to_one() -> None:
    ruth, refused = make.dispatcher(role=Role.SUPERVISOR), []
    known = Area.objects.create(name="Known", postcodes="YO1")

    def save(name: str) -> None:
        try:
            areas.create_area(name=name, postcodes="LS6", by=ruth)
        except PostcodesTaken as problem:
            refused.append(problem.codes)

    def change() -> None:
        try:
            areas.change_area(pk=known.pk, name="Known", postcodes="LS6", seen=["Known", "YO1"], by=ruth)
        except PostcodesTaken as problem:
            refused.append(problem.codes)

    at_once(change, *[partial(save, name) for name in ("North", "South", "West")])

    assert refused == [["LS6"]] * 3
    assert Area.objects.filter(postcodes="LS6").count() == 1


@pytest.mark.postgresql
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite's writers come one after the other")
def test_import_and_whoever_locks_the_same_engineers_wait_in_no_ring() -> None:
    """In the file the engineer with the higher key comes first."""
    ruth, low, high = make.dispatcher(role=Role.SUPERVISOR), make.engineer(), make.engineer()
    lines = "".join(f"{engineer.staff_number};07700 900999\n" for engineer in (high, low))
    plan = engineer_import.plan_import(f"staff_number;phone\n{lines}", ruth)
    assert [row.kind for row in plan.rows] == ["changed", "changed"]

    def run() -> None:
        try:
            engineer_import.apply_import(plan, ruth)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as other, transaction.atomic():
        lock_engineers([low.pk])
        importing = other.submit(run)
        assert wait_until(is_somebody_waiting_for_us, seconds=10)
        lock_engineers([high.pk])
        transaction.on_commit(importing.result)

    assert set(Engineer.objects.values_list("phone", flat=True)) == {"07700 900999"}


def test_two_who_change_the_same_day_at_once_do_not_overwrite_each_other() -> None:
    engineer, by = make.engineer(), make.dispatcher(role=Role.SUPERVISOR)
    refused = []

    def change(hours: str) -> None:
        try:
            rota.set_exception(engineer=engineer, day=make.DAY, hours=parse_hours(hours), seen="", by=by)
        except rota.DayChanged as refusal:
            refused.append(refusal.stored)

    at_once(lambda: change("08-12"), lambda: change("12-18"))

    (stored,) = engineer.shift_exceptions.all()
    assert refused == [rota.day_version(rota.exception_hours(stored))]
