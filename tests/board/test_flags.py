"""The table of property flags, the day sheets, and the flags on the panel and page of a job."""

import pytest
from django.test import Client

from dispatch import holds
from dispatch.models import FlagRule
from dispatch.states import JobState
from engineers.models import Role
from tests import make
from tests.board.office import assign, press, signed_in

pytestmark = pytest.mark.django_db
FORM = {
    "version": "0",
    "skill": "mdu",
    "needs_two_people": "on",
    "extra_minutes": "20",
    "lead_days": "0",
    "kit": "Ladder\n\n Radio ",
}


def supervisor() -> Client:
    client = Client()
    client.force_login(make.dispatcher(role=Role.SUPERVISOR))
    return client


def test_supervisor_changes_what_a_flag_requires() -> None:
    make.engineer()

    answer = supervisor().post("/board/flags/WSD/", FORM, follow=True)

    rule = FlagRule.objects.get()
    assert (rule.code, rule.skill, rule.needs_two_people, rule.extra_minutes) == ("WSD", "mdu", True, 20)
    assert rule.kit == ["Ladder", "Radio"]
    assert "Kit: Ladder, Radio" in answer.content.decode()


def test_rule_keeps_the_skill_that_nobody_has_added_yet() -> None:
    """As on the first day, when there are rules and no skills."""
    client = supervisor()
    assert 'value="cherry-picker" selected' in client.get("/board/flags/").content.decode()

    answer = client.post("/board/flags/CHP/", {**FORM, "skill": "cherry-picker"})

    assert answer.status_code == 302
    assert FlagRule.objects.get().skill == "cherry-picker"


@pytest.mark.parametrize(
    "wrong", [{"extra_minutes": "-5"}, {"skill": "flying"}, {"kit": "x" * 200}, {"lead_days": ""}]
)
def test_invalid_value_is_shown_in_the_form_again(wrong: dict[str, str]) -> None:
    make.engineer()

    answer = supervisor().post("/board/flags/WSD/", {**FORM, **wrong})

    assert (answer.status_code, FlagRule.objects.count()) == (400, 0)
    assert "field-wrong" in answer.content.decode()


def test_change_against_an_older_version_is_refused() -> None:
    make.engineer()
    client = supervisor()
    client.post("/board/flags/WSD/", FORM)

    answer = client.post("/board/flags/WSD/", {**FORM, "extra_minutes": "90"}, follow=True)

    assert FlagRule.objects.get().extra_minutes == 20
    assert "Somebody changed this rule" in answer.content.decode()


def test_what_was_typed_comes_back_with_what_a_colleague_has_made_of_the_rule() -> None:
    make.engineer()
    client = supervisor()
    client.post("/board/flags/WSD/", FORM)
    client.post("/board/flags/WSD/", {**FORM, "version": "1", "kit": "Tall ladder"})

    answer = client.post("/board/flags/WSD/", {**FORM, "extra_minutes": "90", "kit": "Rope"})

    (line,) = [line for line in answer.context["page"].lines if line.code == "WSD"]
    assert answer.status_code == 409
    assert line.asks == ["Skill: Multi-dwelling units", "Two people", "20 min longer", "Kit: Tall ladder"]
    typed = {field.name: field.value() for field in line.form}
    assert (typed["extra_minutes"], typed["kit"], typed["needs_two_people"]) == ("90", "Rope", True)
    assert client.post("/board/flags/WSD/", typed).status_code == 302
    assert (FlagRule.objects.get().kit, FlagRule.objects.get().version) == (["Rope"], 3)


@pytest.mark.parametrize("version", ["1", "99"])
def test_version_of_a_flag_without_a_rule_is_refused(version: str) -> None:
    client = supervisor()

    answer = client.post("/board/flags/NEW/", {**FORM, "skill": "", "version": version})

    (line,) = [line for line in answer.context["page"].lines if line.code == "NEW"]
    assert (answer.status_code, FlagRule.objects.exists()) == (409, False)
    assert client.post("/board/flags/NEW/", {f.name: f.value() for f in line.form}).status_code == 302


def test_dispatcher_sees_the_table_without_forms() -> None:
    page = signed_in().get("/board/flags/").content.decode()

    assert "10 days of lead time" in page
    assert "Save CHP" not in page


def test_flag_of_the_seller_is_added_by_its_code() -> None:
    page = supervisor().get("/board/flags/?code=bp").content.decode()
    wrong = supervisor().get("/board/flags/?code=<b>").content.decode()

    assert "Save BP" in page
    assert "can&#x27;t be a flag" in wrong or "can't be a flag" in wrong


def test_survey_job_is_at_risk_on_the_board_and_needs_a_reason() -> None:
    job, engineer, client = make.job(flags=("SUR",)), make.engineer(), signed_in()

    page = client.get("/board/?day=2026-11-23").context["page"]
    refused = assign(client, job, engineer)
    fields = {"engineer": engineer.staff_number, "starts_at": make.at("08:30").isoformat()}
    allowed = press(client, job, "assign", **fields, override_reason="Agreed with the seller")

    assert page.board.unassigned[0].risk.slug == "at-risk"
    assert "must be surveyed first" in page.board.unassigned[0].risk.reason
    assert [problem["code"] for problem in refused.json()["problems"]] == ["survey_missing", "lead_time"]
    assert allowed.json() == {"ok": True}


def test_panel_and_job_page_show_what_the_flags_require() -> None:
    job, client = make.job(flags=("CHP", "SUR")), signed_in()

    page = client.get(f"/board/jobs/{job.provider_job_id}/").context["page"]

    needs = {need.name: need.value for need in page.head.needs}
    assert (needs["Skills"], needs["People"]) == ("Cherry picker", "Two people")
    assert needs["Lead time"] == "Not before Wed 2 Dec"
    assert [need.name for need in page.head.needs if need.is_missing] == ["Survey"]


def test_day_sheet_has_kit_and_visits_of_each_engineer() -> None:
    bea, ali = make.engineer(name="Bea Okafor"), make.engineer(name="Ali Khan")
    make.job(at_state=JobState.ASSIGNED, to=bea, flags=("CHP",))
    make.job(at_state=JobState.ASSIGNED, to=ali)
    client = signed_in()

    sheets = client.get("/board/day-sheets/?day=2026-11-23").context["page"].sheets
    only = client.get(f"/board/day-sheets/?day=2026-11-23&engineer={bea.staff_number}").context["page"].sheets

    assert [sheet.name for sheet in sheets] == ["Ali Khan", "Bea Okafor"]
    assert [item.text for item in only[0].kit] == ["ONT Calix 801G", "Cherry picker", "Harness and helmet"]
    assert only[0].lines[0].notes[0] == "Hazards: Dog in the garden"


@pytest.mark.parametrize("rows", [1, 3])
def test_day_sheets_cost_the_same_for_one_row_and_for_three(
    rows: int, django_assert_num_queries: object
) -> None:
    for _ in range(rows):
        make.job(at_state=JobState.ASSIGNED, to=make.engineer(), flags=("CHP",))
    client = signed_in()

    # four of them record the look
    with django_assert_num_queries(11):  # type: ignore[operator]
        client.get("/board/day-sheets/?day=2026-11-23")


def test_day_sheet_sends_nobody_to_a_closed_job_nor_to_one_on_hold() -> None:
    bea = make.engineer(name="Bea Okafor")
    closed = make.job(at_state=JobState.ASSIGNED, to=bea, flags=("CHP",))
    make.close_without_visit(closed)
    held = make.job(at_state=JobState.ASSIGNED, to=bea)
    holds.hold_job(job=held, by=make.office(), reason="Network fault")

    (sheet,) = signed_in().get("/board/day-sheets/?day=2026-11-23").context["page"].sheets

    assert [line.job_id for line in sheet.lines] == [held.provider_job_id]
    assert sheet.lines[0].notes[0] == "On hold: don't set off."
    assert [item.text for item in sheet.kit] == ["ONT Calix 801G"]
