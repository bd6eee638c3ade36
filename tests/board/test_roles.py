"""Roles as data: a supervisor changes what each may do, and nobody climbs or is locked out."""

import pytest
from django.test import Client

from engineers import rights
from engineers.models import AuditEntry, Right, Role, RoleRights, User
from engineers.models.roles import SHIPPED_RIGHTS
from engineers.rights import RightsChanged, RightsRefused, RightsRule
from tests import make
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db
ROLES = "/board/people/roles/"


@pytest.fixture
def supervisor() -> User:
    return make.dispatcher(username="ruth", role=Role.SUPERVISOR)


@pytest.fixture
def ruth(supervisor: User) -> Client:
    return client_of(supervisor)


def change(client: Client, role: str, ticked: set[Right], **changed: object) -> str:
    """As the browser sends the form; the sentence that comes back."""
    seen = sorted(rights.rights_of_roles()[role])
    form = {"right": sorted(ticked), "seen": seen, **changed}
    answer = client.post(f"{ROLES}{role}/", form, follow=True)
    assert answer.status_code == 200
    return " ".join(str(message) for message in answer.context["messages"])


def give(role: Role, *more: Right) -> None:
    RoleRights.objects.create(role=role, rights=sorted(SHIPPED_RIGHTS[role] | {*more}))


def test_right_taken_from_a_role_counts_at_the_next_click(ruth: Client, supervisor: User) -> None:
    job, dana = make.job(), client_of(make.dispatcher())
    note = {"text": "Customer called.", "note_id": "7b7f0d9e-8f5c-4f68-9d0f-0d6f3c1f2a11"}
    assert "Planner was saved." in change(ruth, "planner", {Right.PLAN})

    assert "Dispatcher was saved." in change(
        ruth, "dispatcher", {*SHIPPED_RIGHTS[Role.DISPATCHER]} - {Right.CHANGE_JOBS}
    )
    refused = dana.post(f"/board/jobs/{job}/notes/", note)

    assert refused.status_code == 403
    assert "assign, move, hold and unassign jobs" in refused.content.decode()
    assert "Add note" not in dana.get(f"/board/jobs/{job}/").content.decode()
    entry = AuditEntry.objects.get(action="role_changed", subject="dispatcher")
    assert (entry.actor, "change_jobs" in entry.before, "change_jobs" in entry.after) == (
        supervisor,
        True,
        False,
    )


def test_shipped_rights_come_back_and_leave_no_row(ruth: Client) -> None:
    change(ruth, "planner", {Right.PLAN, Right.CLOSE_JOBS})
    assert RoleRights.objects.count() == 1

    assert "Planner was saved." in change(ruth, "planner", set(), as_shipped="1")
    assert RoleRights.objects.count() == 0
    assert "No changes." in change(ruth, "planner", set(), as_shipped="1")


def test_supervisor_role_stays_whole(ruth: Client) -> None:
    assert "can't be changed" in change(ruth, "supervisor", {Right.PLAN})

    assert rights.rights_of_roles()[Role.SUPERVISOR] == frozenset(Right)
    RoleRights.objects.create(role=Role.SUPERVISOR, rights=[])
    assert rights.rights_of_roles()[Role.SUPERVISOR] == frozenset(Right)


def test_auditor_can_be_given_nothing_that_changes(ruth: Client) -> None:
    change(ruth, "auditor", {Right.CHANGE_JOBS, Right.SEE_AUDIT})

    assert rights.rights_of_roles()[Role.AUDITOR] == {Right.SEE_AUDIT}
    RoleRights.objects.update_or_create(role=Role.AUDITOR, defaults={"rights": list(Right)})
    assert rights.rights_of_roles()[Role.AUDITOR] == {Right.SEE_AUDIT}


def test_nobody_gives_rights_that_they_lack_or_changes_the_own_role() -> None:
    give(Role.SENIOR_DISPATCHER, Right.MANAGE_ACCOUNTS)
    sam = client_of(make.dispatcher(role=Role.SENIOR_DISPATCHER))
    planner = {*SHIPPED_RIGHTS[Role.PLANNER]}

    assert "rights that you don't have" in change(sam, "planner", {*planner, Right.CHANGE_PEOPLE})
    assert "own role" in change(sam, "senior_dispatcher", {Right.MANAGE_ACCOUNTS})
    assert "Planner was saved." in change(sam, "planner", {*planner, Right.CHANGE_ROTA})
    assert rights.rights_of_roles()[Role.PLANNER] == {*planner, Right.CHANGE_ROTA}


def test_role_above_the_own_one_is_not_touched() -> None:
    give(Role.PLANNER, Right.MANAGE_ACCOUNTS)
    pia = make.dispatcher(role=Role.PLANNER)

    with pytest.raises(RightsRefused) as refused:
        rights.change_role(role=Role.DISPATCHER, rights=[], seen=SHIPPED_RIGHTS[Role.DISPATCHER], by=pia)
    assert refused.value.rule == RightsRule.LACKED


def test_account_above_the_own_one_is_neither_changed_nor_made_nor_opened_by_a_link(supervisor: User) -> None:
    give(Role.SENIOR_DISPATCHER, Right.MANAGE_ACCOUNTS)
    sam = client_of(make.dispatcher(role=Role.SENIOR_DISPATCHER))
    accounts = "/board/people/accounts/"

    for action in ("sign-in-link", "suspend", "sign-out", "second-factor"):
        answer = sam.post(f"{accounts}{supervisor.pk}/{action}/", follow=True)
        assert "may do or see more than yours" in answer.content.decode(), action
    supervisor.refresh_from_db()
    assert (supervisor.is_active, supervisor.sign_in_links.count()) == (True, 0)
    made = sam.post(f"{accounts}new/", {"name": "Mo", "username": "mo", "role": "supervisor"})
    assert (made.status_code, User.objects.filter(username="mo").exists()) == (400, False)
    made = sam.post(f"{accounts}new/", {"name": "Mo", "username": "mo", "role": "planner"})
    assert (made.status_code, User.objects.get(username="mo").role) == (200, "planner")


def test_old_page_does_not_overwrite_a_colleague_s_change(ruth: Client, supervisor: User) -> None:
    seen = sorted(SHIPPED_RIGHTS[Role.PLANNER])
    change(ruth, "planner", {Right.PLAN})

    with pytest.raises(RightsChanged):
        rights.change_role(role=Role.PLANNER, rights=[Right.CLOSE_JOBS], seen=seen, by=supervisor)
    text = change(ruth, "planner", {Right.CLOSE_JOBS}, seen=seen)
    assert "Somebody changed this role" in text
    assert rights.rights_of_roles()[Role.PLANNER] == {Right.PLAN}


def test_everybody_of_the_office_reads_and_only_account_managers_have_forms(ruth: Client) -> None:
    page = client_of(make.dispatcher(role=Role.AUDITOR)).get(ROLES).content.decode()

    assert "see and export the audit" in page
    assert 'method="post" action="/board/people/roles/' not in page
    assert client_of(make.engineer().user).get(ROLES).status_code == 403
    form = ruth.get(ROLES).content.decode()
    assert 'action="/board/people/roles/planner/"' in form
    assert 'action="/board/people/roles/supervisor/"' not in form


def test_unknown_role_is_not_found(ruth: Client) -> None:
    assert ruth.post(f"{ROLES}king/", {"right": ["plan"]}).status_code == 404
