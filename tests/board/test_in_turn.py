"""Several jobs dropped on an engineer at an hour: one after another from there, as a single drop would accept each."""

from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from dispatch import visits
from dispatch.models import Job, PlanAction
from engineers.models import Engineer
from tests import make
from tests.board.office import JSON, assign, press, signed_in, version_of

pytestmark = pytest.mark.django_db


def job_of(minutes: int = 60, *, latitude: float = 53.81, until: str = "18:00") -> Job:
    made = make.job(window=("08:00", until), duration_minutes=minutes)
    Job.objects.filter(pk=made.pk).update(latitude=latitude)
    made.refresh_from_db()
    return made


def drop(client: Client, jobs: list[Job], engineer: Engineer, clock: str, *, stale: str = "") -> HttpResponse:
    rows = [f"{job.provider_job_id}|{stale or version_of(job)}" for job in jobs]
    fields = {
        "job": rows,
        "action": "reassign",
        "engineer": engineer.staff_number,
        "starts_at": make.at(clock).isoformat(),
    }
    return client.post("/board/bulk/", fields, headers=JSON)


def check(client: Client, jobs: list[Job], engineer: Engineer, clock: str) -> dict[str, object]:
    fields = {
        "job": [f"{job.provider_job_id}|{version_of(job)}" for job in jobs],
        "action": "reassign",
        "engineer": engineer.staff_number,
        "starts_at": make.at(clock).isoformat(),
    }
    answer: dict[str, object] = client.get("/board/bulk/check", fields).json()
    return answer


def starts(*jobs: Job) -> list[str]:
    found = [visits.current_visit(job) for job in jobs]
    return [f"{visit.planned_start.astimezone(make.LONDON):%H:%M}" if visit else "" for visit in found]


def test_each_begins_after_the_former_with_the_drive_between_them() -> None:
    """The second one is 20 km away, the third one at the same premises as the second."""
    engineer, near = make.engineer(), job_of()
    far, nearby = (job_of(latitude=54.0) for _ in range(2))

    drop(signed_in(), [near, far, nearby], engineer, "10:00")

    first, second, third = starts(near, far, nearby)
    assert first == "10:00"
    assert "11:30" <= second <= "12:15"
    assert third == f"{int(second[:2]) + 1}{second[2:]}"


def test_all_are_undone_together() -> None:
    engineer, client, jobs = make.engineer(), signed_in(), [job_of() for _ in range(3)]

    drop(client, jobs, engineer, "10:00")
    assert starts(*jobs) == ["10:00", "11:00", "12:00"]
    client.post("/board/undo/")

    assert starts(*jobs) == ["", "", ""]
    assert PlanAction.objects.count() == 1


def test_whose_window_ends_first_goes_first() -> None:
    engineer, patient, urgent = make.engineer(), job_of(), job_of(until="11:00")

    drop(signed_in(), [patient, urgent], engineer, "10:00")

    assert starts(patient, urgent) == ["11:00", "10:00"]


def test_what_stays_on_the_row_is_gone_round() -> None:
    engineer, client, fixed = make.engineer(), signed_in(), job_of()
    assign(client, fixed, engineer, "11:00")
    first, second = job_of(45), job_of(45)

    drop(client, [first, second], engineer, "10:00")

    assert starts(first, second, fixed) == ["10:00", "12:00", "11:00"]


def test_visits_of_the_same_row_are_moved_together_and_not_in_each_other_s_way() -> None:
    engineer, client, jobs = make.engineer(), signed_in(), [job_of() for _ in range(3)]
    for job, clock in zip(jobs, ("09:00", "10:00", "11:00"), strict=True):
        assign(client, job, engineer, clock)

    drop(client, jobs, engineer, "10:00")

    assert starts(*jobs) == ["10:00", "11:00", "12:00"]


def test_job_without_time_says_why_and_stays_in_the_way_of_the_others() -> None:
    engineer, client = make.engineer(), signed_in()
    over, free = job_of(until="11:00"), job_of()
    assign(client, over, engineer, "10:00")

    answer = drop(client, [over, free], engineer, "10:15")

    assert starts(over, free) == ["10:00", "11:00"]
    rows = {row["job"]: (row["ok"], row["text"]) for row in answer.json()["rows"]}
    assert rows[over.provider_job_id] == (
        False,
        "Erin Engineer has no time for it in its window from 10:15 on.",
    )
    assert rows[free.provider_job_id][0] is True


def test_job_that_a_colleague_changed_is_refused_and_the_others_go() -> None:
    engineer, client, jobs = make.engineer(), signed_in(), [job_of() for _ in range(2)]
    stale = version_of(jobs[0])
    assign(signed_in(), jobs[0], make.engineer(), "14:00")

    answer = drop(client, jobs, engineer, "10:00", stale=stale)

    assert starts(*jobs) == ["14:00", "10:00"]
    assert [row["ok"] for row in answer.json()["rows"]] == [False, True]
    assert answer.json()["rows"][0]["text"].startswith("Dana Dispatch assigned this job")


def test_held_job_and_end_of_the_shift_are_refused_as_for_one() -> None:
    engineer, client = make.engineer(ends="12:00"), signed_in()
    held, fits, too_late = (job_of() for _ in range(3))
    press(client, held, "hold", reason="Street closed")

    answer = drop(client, [held, fits, too_late], engineer, "11:00")

    assert starts(held, fits, too_late) == ["", "11:00", ""]
    assert [row["ok"] for row in answer.json()["rows"]] == [False, True, False]


def test_job_of_another_day_is_not_put_there() -> None:
    engineer = make.engineer()
    tomorrow = make.job(day=make.DAY + timedelta(days=1))

    answer = drop(signed_in(), [tomorrow], engineer, "10:00")

    assert (starts(tomorrow), answer.json()["rows"][0]["ok"]) == ([""], False)


def test_what_is_late_and_goes_along_holds_up_no_visit_that_stays() -> None:
    """The visit of 09:00 was not begun; where it stayed, that of 11:00 would end after noon."""
    engineer, client = make.engineer(), signed_in()
    late, stays, first = job_of(), job_of(), job_of(until="14:00")
    assign(client, late, engineer, "09:00")
    assign(client, stays, engineer, "11:00")

    with time_machine.travel(make.at("10:10")):
        drop(client, [first, late], engineer, "12:00")

    assert starts(first, late, stays) == ["12:00", "13:00", "11:00"]


def test_ghost_of_several_cards_says_how_many_fit() -> None:
    engineer, client = make.engineer(ends="12:00"), signed_in()
    jobs = [job_of() for _ in range(3)]

    assert check(client, jobs, engineer, "09:00") == {"fits": True, "text": "all 3 fit"}
    assert check(client, jobs, engineer, "10:00") == {"fits": False, "text": "2 of 3 fit"}
    assert starts(*jobs) == ["", "", ""]
    fields = {"job": [job.provider_job_id for job in jobs], "engineer": engineer.staff_number}
    assert client.get("/board/bulk/check", {**fields, "action": "reassign"}).status_code == 400


def test_ghost_of_very_many_cards_asks_nothing() -> None:
    engineer, client = make.engineer(), signed_in()

    assert check(client, [job_of(15) for _ in range(21)], engineer, "09:00") == {"fits": False, "text": ""}


def queries_of_check(client: Client, jobs: list[Job], engineer: Engineer) -> int:
    check(client, jobs, engineer, "13:00")  # what is kept for a while is read anew after a leap in time
    with CaptureQueriesContext(connection) as queries:
        assert check(client, jobs, engineer, "13:00")["fits"]
    return len(queries)


def test_engineer_who_is_late_is_forecast_once_for_all_cards() -> None:
    engineer, client = make.engineer(), signed_in()
    jobs, overdue = [job_of(30) for _ in range(4)], job_of()
    with time_machine.travel(make.at("10:10")):
        in_time = [queries_of_check(client, jobs[:number], engineer) for number in (2, 4)]
        assign(client, overdue, engineer, "10:00")
    with time_machine.travel(make.at("10:30")):
        late = [queries_of_check(client, jobs[:number], engineer) for number in (2, 4)]

    assert late[0] - in_time[0] == late[1] - in_time[1] > 0


def test_nobody_else_is_forecast_for_the_ghost() -> None:
    engineer, late, client = make.engineer(), make.engineer(), signed_in()
    jobs, overdue = [job_of(30) for _ in range(2)], job_of()
    assign(client, overdue, late, "10:00")

    with time_machine.travel(make.at("10:05")):
        in_time = queries_of_check(client, jobs, engineer)
    with time_machine.travel(make.at("10:30")):
        assert queries_of_check(client, jobs, engineer) == in_time


def test_partner_who_is_late_holds_up_the_engineer_who_is_asked_for() -> None:
    engineer, partner, client = make.engineer(), make.engineer(), signed_in()
    overdue, of_both, job = job_of(90), job_of(), job_of()
    assign(client, overdue, partner, "09:00")
    visits.assign(
        job=of_both,
        engineer=engineer,
        second_engineer=partner,
        starts_at=make.at("11:00"),
        by=make.office(),
    )

    with time_machine.travel(make.at("10:25")):
        drop(client, [job, job_of()], engineer, "12:00")

    assert starts(job) == ["13:15"]
