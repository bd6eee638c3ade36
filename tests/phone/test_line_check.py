"""Check the line from the phone: over real mutual TLS to the seller, and why there may be no result."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.utils import timezone, translation
from pytest_django import Settings

from dispatch.job_events import SYSTEM
from dispatch.line_checks import LineReading, record_line_check
from dispatch.models import Job, LineCheck, LinePart, NodeColour
from dispatch.states import JobState, JobType
from engineers.models import Engineer
from phone.line_results import ADVICE, serialize_line_check
from tests import make
from tests.phone.phone import Phone
from tests.servers import line_tester, seller

pytestmark = pytest.mark.django_db
# faults-and-diagnostics.md, Next Best Action codes
CODES = ["AOK001", "CFH001", "CFH002", "CFH003", "DYG001", "ISP001", "ISP002", "ISP003", "STF001"]


@pytest.fixture
def switched_on(settings: Settings) -> None:
    settings.LINE_CHECK = replace(settings.LINE_CHECK, is_on=True, seconds=5, cache_seconds=0)


def job_of(engineer: Engineer, *, service: str = "FBR100000001") -> Job:
    job = make.job(at_state=JobState.ON_SITE, to=engineer, day=make.today())
    Job.objects.filter(pk=job.pk).update(service_identifier=service)
    return job


def check(phone: Phone, job: Job | str) -> HttpResponse:
    return phone.client.post(f"/phone/jobs/{job}/line-check", headers={"Accept": "application/json"})


def carried(phone: Phone) -> dict[str, Any]:
    (job,) = phone.json("/phone/day.json")["jobs"]
    return {name: job[name] for name in ("line_check", "line_unavailable")}


@pytest.mark.usefixtures("switched_on")
def test_result_is_answered_and_carried_with_the_day(
    endpoint: seller.Endpoint, engineer: Engineer, phone: Phone
) -> None:
    endpoint.behaviours = [line_tester.answered(**line_tester.FIBRE_CUT)]
    job = job_of(engineer)

    answer = check(phone, job)

    assert answer.status_code == 200
    found = answer.json()["line_check"]
    assert (found["code"], found["is_down"], found["tone"]) == ("CFH001", True, "alarm")
    assert [(part["name"], part["slug"], part["state"], part["before"]) for part in found["parts"]] == [
        ("ONT", "alarm", "Offline", "Online"),
        ("Connection", "alarm", "Down on the network operator's side", "Working"),
        ("Port", "good", "Connected", ""),
    ]
    assert [[(node["name"], node["slug"]) for node in path["nodes"]] for path in found["paths"]] == [
        [("ENNI", "green"), ("Interconnect", "orange"), ("PON", "unknown")],
        [("Interconnect", "green"), ("Handoff", "red"), ("ENNI", "green"), ("PON", "green")],
    ]
    assert carried(phone) == {"line_check": found, "line_unavailable": ""}
    assert LineCheck.objects.get().by == engineer.user


@pytest.mark.usefixtures("switched_on")
def test_newest_check_counts(endpoint: seller.Endpoint, engineer: Engineer, phone: Phone) -> None:
    endpoint.behaviours = [
        line_tester.answered(**line_tester.FIBRE_CUT),
        line_tester.answered(**line_tester.WORKING),
    ]
    job = job_of(engineer)
    check(phone, job)
    check(phone, job)

    assert carried(phone)["line_check"]["code"] == "AOK001"


@pytest.mark.usefixtures("switched_on")
def test_seller_that_refuses_leaves_the_visit_alone(
    endpoint: seller.Endpoint, engineer: Engineer, phone: Phone
) -> None:
    endpoint.behaviours = [line_tester.refused("serviceId is not known")]

    answer = check(phone, job_of(engineer))

    assert (answer.status_code, answer.json()["error"]) == (422, "refused")
    assert answer.json()["message"].endswith("Carry on with the visit.")
    assert carried(phone)["line_check"] is None


@pytest.mark.usefixtures("switched_on")
def test_too_many_checks_of_a_job_are_refused(
    endpoint: seller.Endpoint, engineer: Engineer, phone: Phone, settings: Settings
) -> None:
    settings.LINE_CHECK = replace(settings.LINE_CHECK, per_job=1)
    endpoint.behaviours = [line_tester.answered(**line_tester.WORKING)] * 2
    job = job_of(engineer)
    check(phone, job)

    answer = check(phone, job)

    assert (answer.status_code, answer.json()["error"]) == (422, "too_many")


@pytest.mark.usefixtures("switched_on")
def test_job_without_a_service_identifier_says_so_before_anybody_asks(
    engineer: Engineer, phone: Phone
) -> None:
    job = job_of(engineer, service="")

    answer = check(phone, job)

    assert (answer.status_code, answer.json()["error"]) == (422, "no_service")
    assert "no service identifier" in carried(phone)["line_unavailable"]


def test_switched_off_says_so_before_anybody_asks(engineer: Engineer, phone: Phone) -> None:
    job = job_of(engineer)

    answer = check(phone, job)

    assert (answer.status_code, answer.json()["error"]) == (422, "switched_off")
    assert "switched off" in carried(phone)["line_unavailable"]


@pytest.mark.usefixtures("switched_on")
def test_nobody_checks_the_line_of_another_engineer_s_job(engineer: Engineer, phone: Phone) -> None:
    other = job_of(make.engineer(username="other"))

    assert check(phone, other).status_code == 404
    assert check(phone, "J-NONE-NONE").status_code == 404


# --- what the engineer reads ---


def reading(code: str, **more: Any) -> LineCheck:
    job = make.job(at_state=JobState.ASSIGNED)
    facts = {"current_status": "Service Working", "result": "All up", "action": "No issue believed", **more}
    return record_line_check(
        job=job, reading=LineReading(code=code, **facts), by=SYSTEM, checked_at=timezone.now()
    )


def test_every_code_of_the_document_has_advice_of_ours() -> None:
    assert list(ADVICE) == CODES


@pytest.mark.parametrize("code", CODES)
def test_advice_is_red_exactly_when_the_line_is_down(code: str) -> None:
    found = serialize_line_check(reading(code))

    assert (found["tone"] == "alarm") == found["is_down"]


def test_unknown_code_shows_the_seller_s_texts() -> None:
    found = serialize_line_check(reading("NEW001"))

    assert (found["title"], found["text"], found["tone"]) == (
        "Service Working",
        "All up. No issue believed.",
        "calm",
    )


def test_unknown_code_without_texts_is_named() -> None:
    found = serialize_line_check(reading("NEW001", current_status="", result="", action=""))

    assert (found["title"], found["text"]) == ("Result NEW001", "")


def test_engineer_reads_german_and_the_seller_english() -> None:
    check = reading("AOK001", ont=LinePart("up"), nodes=())
    english = serialize_line_check(check)
    with translation.override("de"):
        german = serialize_line_check(check)

    assert german["title"] != english["title"]
    assert german["parts"][1]["state"] != english["parts"][1]["state"]
    assert german["answer"] == english["answer"]
    assert english["answer"].startswith("AOK001 Service Working: ONT Online, Connection Not reported, Port")


def test_every_colour_has_its_word() -> None:
    nodes = [{"path": "local", "name": colour.name, "colour": colour.value} for colour in NodeColour]
    check = reading("AOK001")
    check.nodes = nodes

    found = serialize_line_check(check)["paths"][0]["nodes"]

    assert len({node["colour"] for node in found}) == len(NodeColour)


# --- closing ---


def closing(phone: Phone, job: Job, **more: Any) -> dict[str, Any]:
    body = {"code": "SP", "secondary_code": "", "remarks": "", **more}
    return phone.say("close", job, body)


def finished(engineer: Engineer) -> Job:
    job = job_of(engineer)
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job)
    return job


def checked(job: Job, *, is_down: bool, ago: timedelta) -> None:
    states = {"ont": LinePart("down")} if is_down else {"ont": LinePart("up")}
    code = "CFH001" if is_down else "AOK001"
    record_line_check(
        job=job, reading=LineReading(code=code, **states), by=SYSTEM, checked_at=timezone.now() - ago
    )


@pytest.mark.usefixtures("switched_on")
def test_success_on_a_line_that_is_down_asks_why(engineer: Engineer, phone: Phone) -> None:
    job = finished(engineer)
    checked(job, is_down=True, ago=timedelta(minutes=1))

    refused = closing(phone, job)
    explained = closing(phone, job, remarks="The operator repairs the node tonight")

    assert [(problem["code"], problem["where"]) for problem in refused["problems"]] == [
        ("line_down", "remarks")
    ]
    assert explained["outcome"] == "applied"
    job.refresh_from_db()
    assert job.closure.remarks == "The operator repairs the node tonight"


def test_switched_off_nobody_could_check_again_and_nothing_is_asked(engineer: Engineer, phone: Phone) -> None:
    job = finished(engineer)
    checked(job, is_down=True, ago=timedelta(minutes=1))

    assert closing(phone, job)["outcome"] == "applied"


@pytest.mark.usefixtures("switched_on")
def test_success_after_a_repair_needs_no_reason(engineer: Engineer, phone: Phone) -> None:
    job = finished(engineer)
    checked(job, is_down=True, ago=timedelta(minutes=5))
    checked(job, is_down=False, ago=timedelta(minutes=1))

    assert closing(phone, job)["outcome"] == "applied"


@pytest.mark.usefixtures("switched_on")
def test_closing_that_arrives_late_is_judged_by_what_was_known_then(engineer: Engineer, phone: Phone) -> None:
    """The office checked the line between the closing and its arrival."""
    job = finished(engineer)
    closed_at = make.now()
    checked(job, is_down=True, ago=-timedelta(minutes=1))

    body = {"code": "SP", "secondary_code": "", "remarks": ""}
    assert phone.say("close", job, body, occurred_at=closed_at.isoformat())["outcome"] == "applied"


@pytest.mark.usefixtures("switched_on")
def test_line_that_could_not_be_checked_does_not_block(engineer: Engineer, phone: Phone) -> None:
    job = finished(engineer)
    record_line_check(
        job=job,
        reading=LineReading(code="STF001"),
        by=SYSTEM,
        checked_at=timezone.now() - timedelta(minutes=1),
    )

    assert closing(phone, job)["outcome"] == "applied"


def test_revisit_carries_the_ticket_s_story(engineer: Engineer, phone: Phone) -> None:
    job = make.job(job_type=JobType.REVISIT, at_state=JobState.ON_SITE, to=engineer, day=make.today())
    fault = {"kind": "Service Outage", "description": "Nothing works", "maintainer_reference": "MF-1"}
    Job.objects.filter(pk=job.pk).update(fault=fault)

    (found,) = phone.json("/phone/day.json")["jobs"]

    displayed = {line["name"]: line["value"] for line in found["page"]["fault"]}
    assert {"Service Outage", "Nothing works", "MF-1"} <= set(displayed.values())
