"""Each action of a dispatcher: done, refused with reasons and offers, and never by an engineer."""

from pathlib import Path

import pytest
from django.test import Client
from django.utils.html import strip_tags

from closures.models import Closure
from dispatch import holds, visits
from dispatch.job_events import Performer
from dispatch.models import Job, Visit
from dispatch.states import Actor, EventKind, JobState, JobType
from seller_link.models import OutboundMessage
from seller_link.wire import contract
from tests import make
from tests.board.office import assign, press, signed_in, submit
from tests.script_types import needs_tsc, type_errors

pytestmark = pytest.mark.django_db


def kinds(job: Job) -> list[str]:
    return list(job.events.values_list("kind", flat=True))


def codes(answer: object) -> list[str]:
    return [problem["code"] for problem in answer.json()["problems"]]


def test_assign_plans_the_job_and_notifies_the_seller() -> None:
    engineer, job = make.engineer(), make.job()

    answer = assign(signed_in(), job, engineer)

    visit = Visit.objects.get()
    assert (answer.status_code, answer.json()) == (200, {"ok": True})
    assert (visit.engineer, visit.planned_start) == (engineer, make.at("08:30"))
    assert OutboundMessage.objects.get().operation == "notifyJob"
    event = job.events.last()
    assert (event.kind, event.actor) == (EventKind.ENGINEER_ASSIGNED, "dispatcher")


@needs_tsc
def test_types_of_the_answers_are_what_the_server_sends(tmp_path: Path) -> None:
    engineer = make.engineer()
    answers = [assign(signed_in(), job, engineer).json() for job in (make.job(), make.job(flags=("CHP",)))]

    assert [answer["ok"] for answer in answers] == [True, False]
    assert type_errors({"MoveAnswer[]": answers}, folder=tmp_path) == ""


def test_assign_understands_local_time() -> None:
    engineer, job = make.engineer(), make.job()

    press(signed_in(), job, "assign", engineer=engineer.staff_number, starts_at="2026-11-23T09:15")

    assert Visit.objects.get().planned_start == make.at("09:15")


def test_refused_move_lists_every_reason_and_offers_the_next_step() -> None:
    busy, free = make.engineer(name="Tara Taken"), make.engineer(name="Fred Free")
    make.job(at_state=JobState.ASSIGNED, to=busy)
    job = make.job(flags=("CHP",))

    answer = assign(signed_in(), job, busy, "07:30")

    assert answer.status_code == 409
    assert answer.json()["ok"] is False
    assert codes(answer) == ["outside_window", "outside_shift", "double_booking"]
    offers = {offer["engineer"]: offer["starts_at"] for offer in answer.json()["suggestions"]}
    assert offers == {
        free.staff_number: "2026-11-23T08:00:00+00:00",
        busy.staff_number: "2026-11-23T10:00:00+00:00",
    }


def test_offer_can_be_pressed_as_it_came() -> None:
    make.engineer()
    job, client = make.job(), signed_in()
    offer = client.get(f"/board/jobs/{job.provider_job_id}/suggestions.json").json()["suggestions"][0]

    answer = press(client, job, "assign", engineer=offer["engineer"], starts_at=offer["starts_at"])

    assert answer.json() == {"ok": True}


def test_job_is_not_offered_its_current_slot() -> None:
    make.job(at_state=JobState.ASSIGNED, to=make.engineer())

    suggestions = signed_in().get(f"/board/jobs/{Job.objects.get().provider_job_id}/suggestions.json")

    assert suggestions.json()["suggestions"] == []


def test_unreadable_fields_are_named() -> None:
    answer = press(signed_in(), make.job(), "assign", engineer="E999", starts_at="soon")

    assert answer.status_code == 400
    assert [(problem["where"], problem["message"]) for problem in answer.json()["problems"]] == [
        ("engineer", "No active engineer has this staff number."),
        ("starts_at", "Enter the planned start as a date and time, for example 2026-11-23T08:30."),
    ]


def test_job_without_a_place_is_not_assigned() -> None:
    answer = assign(signed_in(), make.job(located=False), make.engineer())

    assert codes(answer) == ["needs_location"]
    assert Visit.objects.count() == 0


def test_refused_form_is_a_page_with_reasons_and_buttons() -> None:
    make.engineer(name="Fred Free")
    busy, job = make.engineer(name="Tara Taken"), make.job()
    make.job(at_state=JobState.ASSIGNED, to=busy)

    answer = submit(
        signed_in(), job, "assign", engineer=busy.staff_number, starts_at="2026-11-23T08:00", next="/board/"
    )

    page = answer.content.decode()
    assert answer.status_code == 409
    assert strip_tags(page).count("Tara Taken already has a visit at LS6 3AB, 08:00–10:00.") == 1
    assert page.count("<b>Fred Free</b>") == 1


def test_form_returns_to_the_page_it_came_from() -> None:
    engineer, job = make.engineer(), make.job()
    fields = {"engineer": engineer.staff_number, "starts_at": "2026-11-23T08:00"}

    home = submit(signed_in(), job, "assign", **fields, next="/board/?day=2026-11-23")
    away = submit(signed_in(), job, "assign", **fields, next="https://evil.example/")

    assert home.headers["Location"] == "/board/?day=2026-11-23"
    assert away.headers["Location"] == f"/board/jobs/{job.provider_job_id}/"


def test_unassign_puts_the_job_back_with_its_reason() -> None:
    job = make.job(at_state=JobState.EN_ROUTE)

    answer = press(signed_in(), job, "unassign", reason="Van broke down")

    assert answer.json() == {"ok": True}
    assert job.events.last().facts["reason"] == "Van broke down"
    assert Job.objects.unassigned().get() == job


def test_unassign_on_site_is_refused_with_a_reason() -> None:
    job = make.job(at_state=JobState.ON_SITE)

    answer = press(signed_in(), job, "unassign")

    assert (answer.status_code, codes(answer)) == (409, ["illegal_now"])
    assert visits.current_visit(job) is not None


def test_undo_takes_the_last_move_back() -> None:
    engineer, job, client = make.engineer(), make.job(), signed_in()
    assign(client, job, engineer, "08:30")
    assign(client, job, engineer, "10:00")

    client.post("/board/undo/")

    assert Visit.objects.active().get().planned_start == make.at("08:30")
    assert kinds(job)[-1] == EventKind.RESCHEDULED


def test_undo_of_the_first_assignment_lets_the_job_wait_again() -> None:
    job, client = make.job(), signed_in()
    assign(client, job, make.engineer())

    client.post("/board/undo/")
    client.post("/board/undo/")

    assert kinds(job) == [EventKind.RECEIVED, EventKind.ENGINEER_ASSIGNED, EventKind.UNASSIGNED]


def test_undo_does_not_overrule_somebody_else() -> None:
    engineer, job, client = make.engineer(), make.job(), signed_in()
    assign(client, job, engineer, "08:30")
    visits.assign(job=job, engineer=engineer, starts_at=make.at("09:00"), by=make.office())

    answer = client.post("/board/undo/")

    assert answer.status_code == 409
    assert Visit.objects.active().get().planned_start == make.at("09:00")


def test_locate_puts_the_job_on_the_map() -> None:
    job = make.job(located=False)

    answer = press(signed_in(), job, "locate", latitude="53.81", longitude="-1.56")

    job.refresh_from_db()
    assert answer.json() == {"ok": True}
    assert (job.latitude, job.longitude, job.needs_location) == (53.81, -1.56, False)


def test_place_that_a_colleague_has_set_since_is_not_overwritten() -> None:
    job = make.job(located=False)
    page = signed_in().get(f"/board/jobs/{job}/").context["page"]
    press(signed_in(), job, "locate", latitude="53.81", longitude="-1.56", seen_location=page.map.version)

    second = press(
        signed_in(), job, "locate", latitude="53.9", longitude="-1.6", seen_location=page.map.version
    )

    job.refresh_from_db()
    assert (second.status_code, job.latitude) == (409, 53.81)
    assert "changed this job" in second.json()["problems"][0]["message"]


def test_hold_from_a_page_older_than_a_reassignment_is_refused() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    seen = signed_in().get(f"/board/jobs/{job}/").context["page"].head.assignment.version
    assign(signed_in(), job, make.engineer(name="Fred Free"))

    refused = press(signed_in(), job, "hold", reason="Wait", version=seen)

    job.refresh_from_db()
    assert (refused.status_code, job.on_hold_since) == (409, None)


@pytest.mark.parametrize(
    ("latitude", "longitude"), [("91", "0"), ("0", "-181"), ("north", "0"), ("nan", "0"), ("0", "0")]
)
def test_locate_refuses_what_is_not_on_earth(latitude: str, longitude: str) -> None:
    job = make.job(located=False)

    answer = press(signed_in(), job, "locate", latitude=latitude, longitude=longitude)

    job.refresh_from_db()
    assert (answer.status_code, job.needs_location) == (400, True)


def test_job_that_a_colleague_has_put_on_hold_is_not_closed_from_an_older_page() -> None:
    job, client = make.job(), signed_in()
    imran = Performer(Actor.DISPATCHER, make.dispatcher(username="imran"))
    holds.hold_job(job=job, by=imran, reason="The customer asked to wait")

    older = press(client, job, "close", code="MBORC", remarks="Road flooded")
    page = client.get(f"/board/jobs/{job}/").content.decode()

    assert (older.status_code, older.json()["problems"][0]["code"]) == (409, "plan_changed")
    assert "put this job on hold at" in older.json()["problems"][0]["message"]
    assert 'name="is_held" value="1"' in page
    assert press(client, job, "close", code="MBORC", remarks="Road flooded", is_held="1").status_code == 200


@pytest.mark.parametrize("code", ["NTR", "MBORC", "FTA"])
def test_close_without_a_visit_notifies_the_seller(code: str) -> None:
    job = make.job()

    answer = press(signed_in(), job, "close", code=code, remarks="Road flooded")

    job.refresh_from_db()
    assert answer.json() == {"ok": True}
    assert job.state == JobState.CLOSED
    assert Closure.objects.get().remarks == "Road flooded"
    assert OutboundMessage.objects.get().operation == "closeJob"


@pytest.mark.parametrize("job_type", JobType)
def test_every_job_type_may_be_closed_for_another_reason(job_type: JobType) -> None:
    job, client = make.job(job_type=job_type), signed_in()

    page = client.get(f"/board/jobs/{job.provider_job_id}/").context["page"]
    without_remarks = press(client, job, "close", code="OTHER")
    answer = press(client, job, "close", code="OTHER", remarks="Window was over")

    assert page.closing[-1].code == "OTHER"
    assert codes(without_remarks) == ["remarks_missing"]
    assert (answer.json(), Closure.objects.get().without_visit) == ({"ok": True}, True)
    body = OutboundMessage.objects.get().body
    # installation-jobs.md has no code for a revisit that nobody attended; job-messages.md, closeJob
    assert (body["closureCode"], body["remarks"], body["questions_answers"]) == (
        "OTHER",
        "Window was over",
        [],
    )
    assert body.keys().isdisjoint({"engineer", "secondaryClosureCode"})
    assert contract.problems("closeJob", body) == []


def test_text_that_is_no_code_is_refused() -> None:
    answer = press(signed_in(), make.job(), "close", code="x y <b>", remarks="Because")

    assert (answer.status_code, codes(answer)) == (409, ["unknown_code"])


def test_close_without_remarks_is_refused() -> None:
    job = make.job()

    answer = press(signed_in(), job, "close", code="NTR")

    assert (answer.status_code, codes(answer)) == (409, ["remarks_missing"])
    assert Closure.objects.count() == 0


def test_close_with_a_code_of_the_engineer_is_refused() -> None:
    answer = press(signed_in(), make.job(at_state=JobState.ON_SITE), "close", code="SP", remarks="Done")

    assert (answer.status_code, codes(answer)) == (409, ["needs_a_visit"])


def test_unknown_job_is_not_found() -> None:
    assert signed_in().post("/board/jobs/J-NONE-NONE/assign/", {}).status_code == 404


@pytest.mark.parametrize("action", ["assign", "unassign", "locate", "geocode", "close"])
def test_action_is_post_only_and_for_the_office_only(action: str) -> None:
    job, client, engineer = make.job(), signed_in(), Client()
    engineer.force_login(make.engineer().user)
    path = f"/board/jobs/{job.provider_job_id}/{action}/"

    assert client.get(path).status_code == 405
    assert engineer.post(path).status_code == 403
    assert kinds(job) == [EventKind.RECEIVED]


def test_action_needs_the_form_s_token() -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make.dispatcher())
    job = make.job()

    answer = client.post(f"/board/jobs/{job.provider_job_id}/unassign/")

    assert answer.status_code == 403


def test_assignment_that_changes_nothing_is_no_event_and_says_so() -> None:
    job, erin, client = make.job(), make.engineer(name="Erin Engineer"), signed_in()
    assign(client, job, erin)
    before = kinds(job)
    fields = {"engineer": erin.staff_number, "starts_at": make.at("08:30").isoformat(), "second_engineer": ""}

    page = client.get(submit(client, job, "assign", **fields).headers["Location"]).content.decode()

    answer = "Nothing changed: LS6 3AB is already assigned to Erin Engineer, Mon 23 Nov 08:30–10:30."
    assert answer in strip_tags(page)
    assert kinds(job) == before
    assert OutboundMessage.objects.count() == 1
    client.post("/board/undo/")
    assert visits.current_visit(job) is None
