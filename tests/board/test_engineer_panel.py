"""An engineer's panel on the board, absences and swaps from there, and several jobs at once."""

import re

import pytest
import time_machine
from django.http import HttpResponse
from django.test import Client
from django.utils.html import strip_tags

from dispatch import visits
from dispatch.models import Job, Visit
from dispatch.states import EventKind, JobState
from engineers.models import Absence, Engineer
from tests import make
from tests.board.office import JSON, assign, signed_in, version_of

pytestmark = pytest.mark.django_db
DAY = make.DAY.isoformat()


def panel_page(client: Client, engineer: Engineer) -> str:
    return client.get(f"/board/?day={DAY}&engineer={engineer.staff_number}").content.decode()


def bulk(client: Client, jobs: list[Job], action: str, engineer: str = "", **more: str) -> HttpResponse:
    rows = [f"{job.provider_job_id}|{version_of(job)}" for job in jobs]
    fields = {"job": rows, "action": action, "engineer": engineer, **more}
    return client.post("/board/bulk/", fields, headers=JSON)


def engineer_of(job: Job) -> str:
    visit = visits.current_visit(job)
    return visit.engineer.name if visit else ""


def test_panel_shows_how_to_call_and_the_visits() -> None:
    erin = make.engineer(name="Erin Engineer")
    job = make.job(at_state=JobState.ASSIGNED, to=erin)

    page = panel_page(signed_in(), erin)

    assert 'href="tel:' in page
    assert f"job={job.provider_job_id}" in page
    assert 'id="absent-from"' in page


def test_sick_engineer_is_marked_absent_and_the_jobs_are_offered_to_others() -> None:
    erin, fred, client = make.engineer(name="Erin Engineer"), make.engineer(name="Fred Free"), signed_in()
    job = make.job(at_state=JobState.ASSIGNED, to=erin)
    times = {"starts_at": f"{DAY}T00:00", "ends_at": f"{DAY}T23:59", "reason": "Flu"}

    for _ in range(2):
        answer = client.post(f"/board/engineers/{erin.staff_number}/absent/", times)
    page = client.get(answer.headers["Location"]).content.decode()

    assert Absence.objects.get().reason == "Flu"
    assert "Jobs to reassign" in page
    assert "Fred Free" in page
    assert "Flu" not in page
    assert bulk(client, [job], "reassign").json()["rows"][0]["ok"]
    assert engineer_of(job) == fred.name


def test_job_under_way_of_an_absent_engineer_goes_to_others_too() -> None:
    erin, fred, client = make.engineer(name="Erin Engineer"), make.engineer(name="Fred Free"), signed_in()
    there = make.job(at_state=JobState.ON_SITE, to=erin)
    on_the_way = make.job(at_state=JobState.EN_ROUTE, to=erin, window=("10:30", "15:00"))
    Absence.objects.create(engineer=erin, starts_at=make.at("00:00"), ends_at=make.at("23:59"))

    page = client.get(f"/board/?day={DAY}&engineer={erin.staff_number}").context["page"]
    row = next(lane for lane in page.board.lanes if lane.name == erin.name)
    answer = bulk(client, [on_the_way], "reassign").json()

    lines = {line.job_id: (line.can_reassign, line.hint) for line in page.engineer.to_move}
    assert lines == {
        str(there): (False, "Somebody is on site. Open the job to hand it over."),
        str(on_the_way): (True, ""),
    }
    assert [line.suggestion.name for line in page.engineer.to_reassign if line.suggestion] == [fred.name]
    assert (row.to_reassign, answer["rows"][0]["ok"], engineer_of(on_the_way)) == (1, True, fred.name)
    assert engineer_of(there) == erin.name


def test_job_in_review_is_not_to_be_reassigned() -> None:
    erin = make.engineer()
    job = make.job(at_state=JobState.ON_SITE, to=erin)
    Job.objects.filter(pk=job.pk).update(state=JobState.IN_REVIEW)
    Absence.objects.create(engineer=erin, starts_at=make.at("00:00"), ends_at=make.at("23:59"))

    page = signed_in().get(f"/board/?day={DAY}&engineer={erin.staff_number}").context["page"]

    assert (page.board.lanes[0].to_reassign, page.engineer.to_move) == (0, [])


def test_panel_lists_the_jobs_of_whoever_does_not_work_on_that_day_as_the_row_counts_them() -> None:
    erin = make.engineer()
    make.job(at_state=JobState.ASSIGNED, to=erin)
    erin.shifts.all().delete()

    page = signed_in().get(f"/board/?day={DAY}&engineer={erin.staff_number}").context["page"]

    assert (page.board.lanes[0].to_reassign, len(page.engineer.to_reassign)) == (1, 1)


@pytest.mark.parametrize(
    "times",
    [
        {"starts_at": f"{DAY}T10:00", "ends_at": f"{DAY}T10:00"},
        {"starts_at": f"{DAY}T10:00"},
        {"starts_at": "yesterday", "ends_at": f"{DAY}T10:00"},
    ],
)
def test_absence_without_a_right_time_is_refused(times: dict[str, str]) -> None:
    erin = make.engineer()

    answer = signed_in().post(f"/board/engineers/{erin.staff_number}/absent/", times, headers=JSON)

    assert (answer.status_code, answer.json()["ok"]) == (400, False)
    assert not Absence.objects.exists()


def swap_fields(client: Client, engineer: Engineer, other: Engineer) -> dict[str, object]:
    """As the form of the panel has them that was loaded just now."""
    panel = client.get(f"/board/?day={DAY}&engineer={engineer.staff_number}").context["page"].engineer
    (value,) = [option.value for option in panel.swaps if option.name == other.name]
    return {"job": panel.swap_rows, "other": value, "day": DAY}


def swap(client: Client, engineer: Engineer, fields: dict[str, object]) -> HttpResponse:
    return client.post(f"/board/engineers/{engineer.staff_number}/swap/", fields, headers=JSON)


def test_two_engineers_swap_what_they_have_not_begun() -> None:
    erin, fred, client = make.engineer(name="Erin"), make.engineer(name="Fred"), signed_in()
    first = make.job(at_state=JobState.ASSIGNED, to=erin)
    second = make.job(at_state=JobState.ASSIGNED, to=fred)

    answer = swap(client, erin, swap_fields(client, erin, fred))

    assert answer.json() == {"ok": True}
    assert (engineer_of(first), engineer_of(second)) == ("Fred", "Erin")
    client.post("/board/undo/")
    assert (engineer_of(first), engineer_of(second)) == ("Erin", "Fred")


def test_swap_that_does_not_fit_names_each_visit_and_changes_nothing() -> None:
    erin, fred = make.engineer(name="Erin"), make.engineer(name="Fred", skills=())
    first = make.job(at_state=JobState.ASSIGNED, to=erin, flags=("MDU",))
    second = make.job(at_state=JobState.ASSIGNED, to=fred)

    client = signed_in()
    answer = swap(client, erin, swap_fields(client, erin, fred))

    (problem,) = answer.json()["problems"]
    assert (answer.status_code, problem["code"]) == (409, "skill_missing")
    assert (problem["job"], problem["title"]) == (str(first), "LS6 3AB")
    assert (engineer_of(first), engineer_of(second)) == ("Erin", "Fred")


def test_redo_names_what_it_does_again() -> None:
    make.engineer(name="Erin")
    client = signed_in()
    bulk(client, [make.job()], "reassign")
    client.post("/board/undo/")

    page = client.get("/board/", {"day": DAY}).content.decode()

    assert 'title="Redo (Ctrl+Y): LS6 3AB assigned to Erin' in page


def test_engineer_who_cannot_take_a_chosen_job_is_named() -> None:
    erin, client = make.engineer(name="Erin", skills=()), signed_in()
    make.engineer(name="Fred", skills=("MDU",))
    hard, late = make.job(flags=("MDU",)), make.job()
    Absence.objects.create(engineer=erin, starts_at=make.at("00:00"), ends_at=make.at("23:59"))

    rows = bulk(client, [hard, late], "reassign", engineer=erin.staff_number).json()["rows"]

    assert [row["ok"] for row in rows] == [False, False]
    assert rows[0]["text"].startswith("Erin doesn't have the skills this job requires")
    assert rows[1]["text"].startswith("Erin has no time for it in its window from")


def test_several_jobs_are_assigned_each_with_its_result_and_undone_together() -> None:
    erin, client = make.engineer(name="Erin", skills=()), signed_in()
    easy, hard, other = make.job(), make.job(flags=("MDU",)), make.job()

    rows = bulk(client, [easy, hard, other], "reassign").json()["rows"]

    assert [row["ok"] for row in rows] == [True, False, True]
    refused = (rows[1]["title"], rows[1]["text"])
    assert refused == ("LS6 3AB", "No engineer with the required skills is free in this window.")
    assert [engineer_of(job) for job in (easy, hard, other)] == ["Erin", "", "Erin"]
    client.post("/board/undo/")
    assert not Visit.objects.active().exists()
    assert erin.staff_number


def test_several_jobs_go_to_the_engineer_who_was_chosen() -> None:
    make.engineer(name="Near")
    chosen, jobs = make.engineer(name="Chosen"), [make.job(), make.job()]

    bulk(signed_in(), jobs, "reassign", chosen.staff_number)

    assert {engineer_of(job) for job in jobs} == {"Chosen"}


@pytest.mark.parametrize("starts_at", ["", "08:00"])
def test_jobs_that_an_engineer_has_already_are_not_counted_as_moved(starts_at: str) -> None:
    erin, client = make.engineer(name="Erin"), signed_in()
    own, other = make.job(), make.job()
    assign(client, own, erin, "08:00")
    begins = {"starts_at": make.at(starts_at).isoformat()} if starts_at else {}

    rows = bulk(client, [own, other], "reassign", erin.staff_number, **begins).json()["rows"]

    assert [row["ok"] for row in rows] == [False, True]
    assert rows[0]["text"] == "Already assigned to Erin, Mon 23 Nov 08:00–10:00."
    assert own.events.filter(kind=EventKind.RESCHEDULED).count() == 0


def test_several_jobs_are_unassigned_but_none_that_a_colleague_has_moved() -> None:
    erin, client = make.engineer(), signed_in()
    first, second = make.job(at_state=JobState.ASSIGNED, to=erin), make.job()
    assign(client, second, make.engineer())
    rows = [f"{first.provider_job_id}|{version_of(first)}", f"{second.provider_job_id}|none"]

    answer = client.post("/board/bulk/", {"job": rows, "action": "unassign"}, headers=JSON)

    assert [row["ok"] for row in answer.json()["rows"]] == [True, False]
    assert [engineer_of(job) == "" for job in (first, second)] == [True, False]


def test_selected_job_that_has_nobody_is_unassigned_all_the_same() -> None:
    erin, client = make.engineer(), signed_in()
    assigned, waiting = make.job(at_state=JobState.ASSIGNED, to=erin), make.job()
    rows = [f"{assigned.provider_job_id}|{version_of(assigned)}", f"{waiting.provider_job_id}|none"]

    answer = client.post("/board/bulk/", {"job": rows, "action": "unassign"}, headers=JSON)

    assert [(row["ok"], row["text"]) for row in answer.json()["rows"]] == [(True, "Unassigned")] * 2
    assert not waiting.events.filter(kind="unassigned").exists()


@pytest.mark.parametrize("rows", [[], ["J-0000-0000|none"], ["|", "x"]])
def test_selection_of_no_known_job_is_refused(rows: list[str]) -> None:
    answer = signed_in().post("/board/bulk/", {"job": rows, "action": "unassign"}, headers=JSON)

    assert (answer.status_code, answer.json()["ok"]) == (400, False)


def test_ghost_asks_whether_the_job_fits() -> None:
    erin, job, client = make.engineer(skills=()), make.job(), signed_in()
    fields = {"engineer": erin.staff_number, "starts_at": make.at("08:30").isoformat()}

    fits = client.get(f"/board/jobs/{job.provider_job_id}/check", fields)
    make.job(at_state=JobState.ASSIGNED, to=erin)
    clashes = client.get(f"/board/jobs/{job.provider_job_id}/check", fields)

    text = "fits, 8 min drive, 7 h 30 free afterwards"
    assert fits.json() == {"fits": True, "text": text, "is_late": False}
    assert not clashes.json()["fits"]
    assert "already has a visit" in clashes.json()["text"]
    assert client.get(f"/board/jobs/{job.provider_job_id}/check", {"engineer": "x"}).status_code == 400


def test_panel_says_why_the_others_do_not_fit() -> None:
    make.engineer(name="Erin Able")
    make.engineer(name="Una Skilled", skills=())
    make.engineer(name="Nora Night", starts="20:00", ends="22:00")
    job = make.job(flags=("MDU",))
    path = f"/board/?day={DAY}&job={job.provider_job_id}"

    page = signed_in().get(f"{path}&unfit=1").context["page"].panel

    assert [(person.engineer.name, person.reason) for person in page.assignment.unfit] == [
        ("Nora Night", "Not working in this window"),
        ("Una Skilled", "Skill missing: Multi-dwelling units"),
    ]
    assert signed_in().get(path).context["page"].panel.assignment.unfit is None


def mark_absent(client: Client, engineer: Engineer) -> str:
    """The address of the panel."""
    times = {"starts_at": f"{DAY}T00:00", "ends_at": f"{DAY}T23:59", "reason": "Flu"}
    return str(client.post(f"/board/engineers/{engineer.staff_number}/absent/", times)["Location"])


def test_absence_on_the_wrong_row_is_undone_and_redone() -> None:
    erin, client = make.engineer(name="Erin Engineer"), signed_in()
    page = client.get(mark_absent(client, erin)).content.decode()
    assert "Erin Engineer marked absent from Mon 23 Nov 00:00." in strip_tags(page)

    client.post("/board/undo/", headers=JSON)
    assert not Absence.objects.exists()
    client.post("/board/redo/", headers=JSON)

    assert Absence.objects.get().engineer == erin


def test_absence_is_taken_back_from_the_panel_also_by_a_colleague() -> None:
    erin, client, colleague = make.engineer(name="Erin Engineer"), signed_in(), signed_in()
    panel = colleague.get(mark_absent(client, erin)).context["page"].engineer
    path = f"/board/engineers/{erin.staff_number}/absent/take-back/"
    fields = {"action": panel.absences[0].action, "day": DAY}

    colleague.post(path, fields)
    again = colleague.post(path, fields, follow=True)

    assert not Absence.objects.exists()
    assert "entered elsewhere or no longer exists" in again.content.decode()


def test_absence_of_the_rota_is_not_taken_back_on_the_board() -> None:
    erin, client = make.engineer(name="Erin Engineer"), signed_in()
    Absence.objects.create(engineer=erin, starts_at=make.at("00:00"), ends_at=make.at("23:59"))

    assert "Remove this absence" not in panel_page(client, erin)
    client.post(f"/board/engineers/{erin.staff_number}/absent/take-back/", {"action": "x", "day": DAY})

    assert Absence.objects.exists()


def test_swap_of_days_that_a_colleague_has_changed_since_is_refused() -> None:
    """One more visit, one less, one at another time: each says who did it and when."""
    erin, fred, client = make.engineer(name="Erin"), make.engineer(name="Fred"), signed_in()
    early = {"window": ("08:00", "10:00"), "duration_minutes": 60}
    moved, gone = make.job(at_state=JobState.ASSIGNED, to=erin, **early), make.job(**early)
    visits.assign(job=gone, engineer=fred, starts_at=make.at("09:00"), by=make.office())
    fields = swap_fields(client, erin, fred)

    def problems() -> list[tuple[str, str]]:
        answer = swap(client, erin, fields)
        assert answer.status_code == 409
        return [(problem["code"], problem["message"]) for problem in answer.json()["problems"]]

    visits.unassign(job=gone, by=make.office())
    assert problems() == [("plan_changed", "Dana Dispatch unassigned this job at 12:00.")]
    visits.assign(job=gone, engineer=fred, starts_at=make.at("09:00"), by=make.office())
    assert problems() == [("plan_changed", "Dana Dispatch assigned this job to Fred at 12:00.")]
    fields = swap_fields(client, erin, fred)
    visits.assign(job=moved, engineer=erin, starts_at=make.at("08:30"), by=make.office())
    assert [code for code, _message in problems()] == ["plan_changed"]
    fields = swap_fields(client, erin, fred)
    make.job(at_state=JobState.ASSIGNED, to=fred, **early)
    assert [code for code, _message in problems()] == ["plan_changed"]
    assert (engineer_of(moved), engineer_of(gone)) == ("Erin", "Fred")


def test_ghost_says_which_visit_becomes_late_by_the_move() -> None:
    """Erin came ten minutes late to her first visit; what is put behind it pushes the next one beyond its window."""
    erin, client = make.engineer(name="Erin Engineer"), signed_in()
    first, later = make.job(duration_minutes=60), make.job(window=("11:00", "11:10"), duration_minutes=60)
    for job, clock in ((first, "09:00"), (later, "11:00")):
        visits.assign(job=job, engineer=erin, starts_at=make.at(clock), by=make.office())
    make.start_travel(first, occurred_at=make.at("08:50"))
    make.arrive(first, occurred_at=make.at("09:10"))
    between = make.job(window=("09:00", "13:00"), duration_minutes=60)
    asked = {"engineer": erin.staff_number, "starts_at": make.at("10:00").isoformat()}

    with time_machine.travel(make.at("09:30")):
        answer = client.get(f"/board/jobs/{between.provider_job_id}/check", asked)

    text = "fits, but LS6 3AB at 11:00 would be 10 min late"
    assert answer.json() == {"fits": True, "text": text, "is_late": False}


def test_ghost_says_that_the_job_itself_would_be_late() -> None:
    """Nobody knows whether Erin has set off to her first visit, which was to begin five minutes ago."""
    erin, client = make.engineer(name="Erin Engineer"), signed_in()
    first, job = make.job(duration_minutes=60), make.job(window=("10:00", "10:10"), duration_minutes=30)
    visits.assign(job=first, engineer=erin, starts_at=make.at("09:00"), by=make.office())
    asked = {"engineer": erin.staff_number, "starts_at": make.at("10:00").isoformat()}

    with time_machine.travel(make.at("09:05")):
        answer = client.get(f"/board/jobs/{job.provider_job_id}/check", asked).json()

    assert answer["fits"], answer["text"]
    assert answer["is_late"]
    assert answer["text"].startswith("begins about 10:12, 12 min late, after the window")


def test_candidate_comes_with_the_reasons() -> None:
    erin = make.engineer(name="Erin Engineer")
    make.job(at_state=JobState.ON_SITE, to=erin, window=("08:00", "10:00"), duration_minutes=60)
    job = make.job(window=("13:00", "18:00"))

    (offer,) = signed_in().get(f"/board/?day={DAY}&job={job}").context["page"].panel.assignment.suggestions

    assert offer.name == "Erin Engineer"
    assert offer.text == "13:00–15:00 · knows the premises · 3 h free afterwards"
    Job.objects.filter(pk=job.pk).update(latitude=53.9, uprn="100099999999")
    (offer,) = signed_in().get(f"/board/?day={DAY}&job={job}").context["page"].panel.assignment.suggestions
    assert re.fullmatch(r"13:00–15:00 · \d+ min drive · 3 h free afterwards", offer.text), offer.text
