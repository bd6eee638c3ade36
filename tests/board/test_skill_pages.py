"""The pages of skills: who holds them until when, and that a skill that is needed stays."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from dispatch.models import FlagRule
from dispatch.skills import skill_names
from engineers.models import Area, AreaLimit, AuditEntry, Role, Skill
from tests import make
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db
SKILLS = "/board/people/skills/"


@pytest.fixture
def ruth() -> Client:
    return client_of(make.dispatcher(username="ruth", role=Role.SUPERVISOR))


@pytest.fixture
def splicing() -> Skill:
    return Skill.objects.create(code="fibre-splicing", name="Splicing")


def actions() -> list[str]:
    return list(AuditEntry.objects.filter(action__startswith="skill_").values_list("action", flat=True))


def test_whoever_is_limited_reads_that_others_hold_a_skill(splicing: Skill) -> None:
    supervisor = make.dispatcher(role=Role.SUPERVISOR)
    AreaLimit.objects.create(user=supervisor, area=Area.objects.create(name="York"))
    engineer = make.engineer(name="Ada Lee")
    engineer.held_skills.create(skill=splicing)
    client = client_of(supervisor)

    refused = client.post(f"{SKILLS}{splicing.pk}/remove/")
    page = client.get(f"{SKILLS}{splicing.pk}/").content.decode()

    assert (refused.status_code, Skill.objects.filter(pk=splicing.pk).exists()) == (403, True)
    assert "Only engineers of other areas." in page
    wrong = ("No engineer has this skill and no flag requires it.", "Nobody has this skill yet.", "Ada Lee")
    assert [text for text in wrong if text in page] == []


def test_list_counts_holders_and_who_expires(ruth: Client) -> None:
    today = timezone.localdate()
    ends = {
        "Ada": None,
        "Bea": today + timedelta(days=3),
        "Cal": today - timedelta(days=1),
        "Dot": today + timedelta(days=999),
    }
    for name, day in ends.items():
        make.engineer(name=name, skills=("mdu",)).held_skills.update(expires_on=day)

    line = ruth.get(SKILLS).context["page"].lines[0]
    holders = ruth.get(f"{SKILLS}{line.pk}/").context["page"].holders

    assert (line.name, line.holders, line.expiring, line.expired, line.asked_by) == (
        "Multi-dwelling units",
        4,
        1,
        1,
        "MDU",
    )
    for code, asked_by in (("civils", "Civils"), ("team-of-two", "CHP, DAN")):
        needed = Skill.objects.create(code=code, name=code)
        assert ruth.get(f"{SKILLS}{needed.pk}/").context["page"].asked_by == asked_by
    assert [(holder.name, holder.badge.tone, bool(holder.last_day)) for holder in holders] == [
        ("Ada", "", False),
        ("Bea", "warning", True),
        ("Cal", "alarm", True),
        ("Dot", "", True),
    ]


@pytest.mark.parametrize("rows", [1, 3])
def test_list_costs_the_same_queries(ruth: Client, rows: int, django_assert_num_queries: object) -> None:
    for number in range(rows):
        make.engineer(skills=(f"skill-{number}",))

    with django_assert_num_queries(8):
        ruth.get(SKILLS)


def test_supervisor_adds_a_skill_once_and_engineers_can_hold_it(ruth: Client) -> None:
    sent = {"code": "fibre-splicing", "name": "Fibre  splicing"}
    answers = [ruth.post(f"{SKILLS}new/", sent).status_code for _time in range(2)]

    assert (answers, Skill.objects.get().name, actions()) == ([302, 302], "Fibre splicing", ["skill_added"])
    assert 'name="skill_fibre-splicing"' in ruth.get("/board/people/new/").content.decode()


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"code": "", "name": "Poles"}, "This field is required."),
        ({"code": "Poles!", "name": "Poles"}, "Use lower-case letters"),
        ({"code": "fibre_splicing", "name": "Poles"}, "Use lower-case letters"),
        ({"code": "poles\n", "name": ""}, "This field is required."),
        ({"code": "x" * 51, "name": "Poles"}, "at most 50 characters"),
        ({"code": "poles", "name": "x" * 81}, "at most 80 characters"),
        ({"code": "fibre-splicing", "name": "Poles"}, "Another skill has this already."),
        ({"code": "poles", "name": "SPLICING"}, "Another skill has this already."),
    ],
)
def test_wrong_skill_is_refused(ruth: Client, splicing: Skill, sent: dict[str, str], sentence: str) -> None:
    answer = ruth.post(f"{SKILLS}new/", sent)

    assert (answer.status_code, sentence in answer.content.decode()) == (400, True)
    assert (list(Skill.objects.all()), actions()) == ([splicing], [])


def test_own_skill_is_renamed_once(ruth: Client, splicing: Skill) -> None:
    for _time in range(2):
        assert ruth.post(f"{SKILLS}{splicing.pk}/rename/", {"name": "Fusion"}).status_code == 302

    splicing.refresh_from_db()
    assert (splicing.name, splicing.code, actions()) == ("Fusion", "fibre-splicing", ["skill_renamed"])


def test_skill_does_not_take_another_s_name(ruth: Client, splicing: Skill) -> None:
    Skill.objects.create(code="poles", name="Poles")

    assert ruth.post(f"{SKILLS}{splicing.pk}/rename/", {"name": "poles"}).status_code == 400
    assert ruth.post(f"{SKILLS}{splicing.pk}/rename/", {"name": ""}).status_code == 400
    splicing.refresh_from_db()
    assert splicing.name == "Splicing"


def test_skill_of_the_application_s_own_rules_stays_as_it_is(ruth: Client) -> None:
    skill = Skill.objects.create(code="civils", name="Civils")

    for path, sent in (("rename/", {"name": "Digging"}), ("remove/", {})):
        page = ruth.post(f"{SKILLS}{skill.pk}/{path}", sent, follow=True).content.decode()
        assert "be renamed or removed" in page
    skill.refresh_from_db()
    assert (skill.name, actions()) == ("Civils", [])


def test_skill_that_engineers_hold_or_flags_ask_for_stays(ruth: Client, splicing: Skill) -> None:
    engineer = make.engineer(skills=(splicing.code,))
    FlagRule.objects.create(code="SPL", skill=splicing.code)

    page = ruth.post(f"{SKILLS}{splicing.pk}/remove/", follow=True).content.decode()
    assert "1 engineer has this skill." in page
    assert "Flag rules require it: SPL." in page

    engineer.held_skills.all().delete()
    ruth.post(f"{SKILLS}{splicing.pk}/remove/")
    assert Skill.objects.exists()
    FlagRule.objects.all().delete()
    for _time in range(2):
        ruth.post(f"{SKILLS}{splicing.pk}/remove/")
    assert (Skill.objects.exists(), actions()) == (False, ["skill_removed"])


@pytest.mark.parametrize("pk", ["999", "9" * 30])
def test_skill_that_is_gone_leads_to_the_list(ruth: Client, pk: str) -> None:
    assert ruth.get(f"{SKILLS}{pk}/").headers["Location"] == SKILLS
    for path, sent in (("rename/", {"name": "x"}), ("remove/", {})):
        assert ruth.post(f"{SKILLS}{pk}/{path}", sent).headers["Location"] == SKILLS


def test_dispatcher_reads_and_changes_nothing(splicing: Skill) -> None:
    client = client_of(make.dispatcher())

    assert "Add skill" not in client.get(SKILLS).content.decode()
    assert "Remove skill" not in client.get(f"{SKILLS}{splicing.pk}/").content.decode()
    for path in ("new/", f"{splicing.pk}/rename/", f"{splicing.pk}/remove/"):
        assert client.post(f"{SKILLS}{path}", {"code": "x", "name": "X"}).status_code == 403


def test_name_of_an_added_skill_stands_wherever_the_skill_is_needed(splicing: Skill) -> None:
    FlagRule.objects.create(code="SPL", skill=splicing.code)
    make.engineer(skills=(splicing.code, "mdu"))
    client = client_of(make.dispatcher())

    assert "Skill: Splicing" in client.get("/board/flags/").content.decode()
    assert skill_names([splicing.code, "civils", "gone-away"]) == "Civils, Gone away, Splicing"
    page = client.get(f"/board/?day={make.DAY}").content.decode()
    lane = re.findall(r'<p class="lane-skills">(.*)</p>', page)
    assert sorted(lane[0].split(", ")) == ["Multi-dwelling units", "Splicing"]
