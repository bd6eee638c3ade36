"""The same form or absence twice at the same moment, and two supervisors who remove each other."""

from collections.abc import Callable

import pytest

from dispatch import plan_actions, skill_catalogue
from dispatch.job_events import Performer
from dispatch.models import PlanAction
from dispatch.states import Actor
from engineers import area_records, engineer_records, office_accounts, rota
from engineers.engineer_records import EngineerRecord
from engineers.models import Absence, Area, AuditEntry, Engineer, Role, Skill, User
from engineers.office_accounts import AccountRecord, AccountRefused
from engineers.shifts import Window
from tests import make
from tests.together import at_once

pytestmark = pytest.mark.django_db(transaction=True)
ERIN = EngineerRecord(username="erin", name="Erin Moss", staff_number="E900", phone="1")
NELL = AccountRecord("nell", "Nell New", "dispatcher")


def add_area(by: User) -> object:
    return area_records.create_area(name="North", postcodes="LS6", by=by)


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
    span, by = Window(make.at("08:00"), make.at("18:00")), Performer(Actor.DISPATCHER, dana)

    at_once(*[lambda: plan_actions.mark_absent(erin, span=span, reason="", by=by)] * 4)

    plan_actions.undo(PlanAction.objects.get(), by=by)
    assert not Absence.objects.exists()
