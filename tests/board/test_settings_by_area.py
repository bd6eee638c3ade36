"""What counts in all areas: a supervisor who is limited to York reads it and changes none of it."""

from collections.abc import Callable

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from alerting import contact_records
from alerting.models import AlarmContact
from closures.models import MatrixEdition
from closures.question_matrix import matrix_editions
from dispatch import flag_rules, skill_catalogue
from dispatch.models import DriveCorrection, FlagRule, LearnedLength
from dispatch.states import JobType
from engineers import rights
from engineers.models import Area, AreaLimit, AuditEntry, Role, RoleRights, Skill, User
from tests import make
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db
CHANGES: dict[str, list[object]] = {
    "board:role-change": ["planner"],
    "board:skill-new": [],
    "board:skill-rename": [1],
    "board:skill-remove": [1],
    "board:matrix-preview": [],
    "board:matrix-import": [],
    "board:change-flag": ["WSD"],
    "board:switch-length": [1],
    "board:switch-drive": [1],
    "alarm-contact-add": [],
    "alarm-contact-change": [1],
    "alarm-contact-delete": [1],
    "alarm-contact-test": [1],
    "alarm-hours": [],
    "alarm-kinds": [],
}
PAGES = ["board:roles", "board:skills", "board:matrix", "board:flags", "board:learned", "alarm-contacts"]


@pytest.fixture
def ruth(db: None) -> User:
    user = make.dispatcher(role=Role.SUPERVISOR, username="ruth")
    AreaLimit.objects.create(user=user, area=Area.objects.create(name="York", postcodes="YO"))
    return user


@pytest.fixture
def client(ruth: User) -> Client:
    return client_of(ruth)


@pytest.mark.parametrize("name", CHANGES)
def test_change_for_all_areas_is_refused(client: Client, name: str) -> None:
    entries = AuditEntry.objects.count()

    answer = client.post(
        reverse(name, args=CHANGES[name]), {"right": "plan", "code": "poles", "name": "Poles"}
    )

    assert (answer.status_code, "limited to some" in answer.content.decode()) == (403, True)
    assert AuditEntry.objects.count() == entries


@pytest.mark.parametrize("name", PAGES)
def test_page_for_all_areas_is_read_without_a_form_that_changes_it(client: Client, name: str) -> None:
    Skill.objects.create(code="poles", name="Poles")
    LearnedLength.objects.create(
        job_type=JobType.INSTALLATION,
        minutes=[30, 40, 50, 60, 70],
        learned_from=40,
        learned_at=timezone.now(),
    )
    AlarmContact.objects.create(name="Duty phone", address="a@example.org")

    answer = client.get(reverse(name))
    html = answer.content.decode()

    addresses = {reverse(change, args=arguments) for change, arguments in CHANGES.items()}
    assert answer.status_code == 200
    assert {address for address in addresses if f'action="{address}"' in html} == set()
    assert "This applies to all areas" in html


def test_skill_is_read_without_a_form(client: Client) -> None:
    skill = Skill.objects.create(code="poles", name="Poles")

    html = client.get(reverse("board:skill", args=[skill.pk])).content.decode()

    assert [text for text in ("Rename skill", "Remove skill") if text in html] == []


def test_supervisor_of_all_areas_goes_on_to_change_a_role() -> None:
    client = client_of(make.dispatcher(role=Role.SUPERVISOR))

    assert (
        reverse("board:role-change", args=["planner"]) in client.get(reverse("board:roles")).content.decode()
    )


def test_records_refuse_whatever_page_asks(ruth: User) -> None:
    changes: list[Callable[[], object]] = [
        lambda: rights.change_role(role=Role.PLANNER, rights=[], seen=[], by=ruth),
        lambda: skill_catalogue.create_skill(code="poles", name="Poles", by=ruth),
        lambda: skill_catalogue.rename_skill(pk=1, name="Poles", by=ruth),
        lambda: skill_catalogue.remove_skill(pk=1, by=ruth),
        lambda: flag_rules.change_rule(code="WSD", seen=0, by=ruth, changes={}),
        lambda: matrix_editions.import_edition(content="{}", starts_at=None, seen=[], by=ruth),
        lambda: contact_records.add_contact(changes={"name": "Mo"}, by=ruth),
        lambda: contact_records.change_contact(pk=1, changes={}, seen="", by=ruth),
        lambda: contact_records.delete_contact(pk=1, by=ruth),
        lambda: contact_records.change_plan(changes={}, seen="", by=ruth),
        lambda: contact_records.change_urgencies({}, seen="", by=ruth),
    ]
    for change in changes:
        with pytest.raises(PermissionDenied, match="limited to some"):
            change()
    kinds = (RoleRights, FlagRule, MatrixEdition, AlarmContact, DriveCorrection)
    assert [kind.objects.count() for kind in kinds] == [0] * len(kinds)
