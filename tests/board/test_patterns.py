"""The page of a fault of the network: what it lists, holding and releasing, and what board and phone show."""

import re

import pytest
from django.test import Client
from django.utils import translation

from board.event_descriptions import event_line
from closures.network_patterns import watch_patterns
from dispatch.models import Job
from dispatch.states import EventKind, JobState
from monitoring.alarms import open_alarms, text_of
from phone.day_payload import serialize_day
from tests import make
from tests.board.office import assign, press, signed_in, submit
from tests.closures.test_network_patterns import closed, on

pytestmark = pytest.mark.django_db


def pattern() -> str:
    """The address of a fresh pattern on node N-1."""
    for _ in range(3):
        closed("POP", node="N-1")
    watch_patterns()
    return f"/board/alarms/{open_alarms().get().pk}/jobs/"


def hold(client: Client, address: str) -> None:
    """As the form does before a box is cleared."""
    ahead = client.get(address).context["page"].ahead
    jobs = [job.job_id for job in ahead if job.can_hold]
    client.post(f"{address}hold/", {"job": jobs, "reason": "Node N-1 is down"})


def test_page_lists_what_failed_and_what_lies_ahead() -> None:
    ahead = on(make.job(at_state=JobState.EN_ROUTE), node="N-1")
    on(make.job(), node="N-2")

    page = signed_in().get(pattern()).context["page"]

    assert len(page.failed) == 3
    assert [(job.job_id, job.is_en_route, job.can_hold) for job in page.ahead] == [(str(ahead), True, True)]


def test_one_press_holds_what_lies_ahead_and_one_releases_it() -> None:
    jobs = [on(make.job(), node="N-1") for _ in range(2)]
    address, client = pattern(), signed_in()

    hold(client, address)
    once = client.get(address).content.decode()
    twice = client.post(f"{address}hold/", {"job": jobs}, follow=True)
    page = twice.context["page"]
    client.post(f"{address}release/")

    assert (page.held, page.holdable) == (2, 0)
    assert "2 jobs are on hold." in once
    assert "Nothing was put on hold" in twice.content.decode()
    kinds = [list(job.events.values_list("kind", flat=True)) for job in jobs]
    assert kinds == [["received", "held", "released"]] * 2


def test_hold_without_a_reason_gives_that_of_the_alarm_to_each_reader_in_their_language() -> None:
    job = on(make.job(), node="N-1")
    address = pattern()

    signed_in().post(f"{address}hold/", {"job": [str(job)]})

    event = job.events.get(kind=EventKind.PUT_ON_HOLD)
    texts = {}
    for language in ("en", "de"):
        with translation.override(language):
            texts[language] = event_line(event).sentence
            assert str(text_of(open_alarms().get())).partition(":")[0] == texts[language].partition(":")[0]
    assert texts["en"].startswith("Node N-1: 3 jobs") and texts["de"].startswith("Knoten N-1: 3 Aufträge")


def held_jobs() -> list[Job]:
    return list(Job.objects.filter(on_hold_since__isnull=False).order_by("pk"))


def test_hold_and_release_of_several_are_undone_and_redone() -> None:
    jobs = [on(make.job(), node="N-1"), on(make.job(at_state=JobState.EN_ROUTE), node="N-1")]
    address, client = pattern(), signed_in()
    hold(client, address)
    client.post(f"{address}release/")

    found = []
    for step in ("undo", "undo", "redo", "redo", "undo"):
        answer = client.post(f"/board/{step}/", {"next": address}, follow=True)
        found.append((step, held_jobs() == jobs, len(held_jobs())))

    assert found == [
        ("undo", True, 2),
        ("undo", False, 0),
        ("redo", True, 2),
        ("redo", False, 0),
        ("undo", True, 2),
    ]
    assert "Undone. 2 jobs are on hold again." in answer.content.decode()
    assert set(Job.objects.filter(pk__in=[job.pk for job in jobs]).values_list("on_hold_for", flat=True)) == {
        "node:n-1"
    }
    reasons = {event.facts["reason"] for job in jobs for event in job.events.filter(kind="held")}
    assert reasons == {"Node N-1 is down"}
    assert open_alarms().get().parameters["held"] == 2


def test_undo_names_the_job_that_a_colleague_released_and_takes_back_the_rest() -> None:
    first, _second = (on(make.job(), node="N-1") for _ in range(2))
    address, client = pattern(), signed_in()
    hold(client, address)
    press(signed_in(), first, "release")
    press(signed_in(), first, "hold", reason="Customer asked")

    answer = client.post("/board/undo/", {"in_place": "1"}, headers={"accept": "application/json"}).json()

    (message,) = answer["messages"]
    assert (answer["ok"], f"/jobs/{first}/" in message["html"]) == (True, True)
    assert ": Dana Dispatch put this job on hold at " in message["html"]
    assert held_jobs() == [first]


def test_hold_is_not_redone_where_somebody_came_on_site() -> None:
    job = on(make.job(at_state=JobState.EN_ROUTE), node="N-1")
    address, client = pattern(), signed_in()
    hold(client, address)
    client.post("/board/undo/")
    make.arrive(job)

    refused = client.post("/board/redo/", headers={"accept": "application/json"})

    assert (refused.status_code, held_jobs()) == (409, [])


def test_only_the_ticked_jobs_are_held() -> None:
    first, second = (on(make.job(), node="N-1") for _ in range(2))

    signed_in().post(f"{pattern()}hold/", {"job": [str(second), "J-UNKNOWN"]})

    assert list(Job.objects.filter(on_hold_since__isnull=False)) == [second]
    assert first.events.count() == 1


def test_nothing_is_held_where_no_job_is_ticked() -> None:
    job = on(make.job(), node="N-1")

    refused = signed_in().post(f"{pattern()}hold/", {"reason": "Node N-1 is down"})

    page = refused.content.decode()
    assert (refused.status_code, held_jobs()) == (400, [])
    assert '<p class="field-problem" id="ahead-problem" role="alert">Choose at least one job.</p>' in page
    (box,) = re.findall(rf'<input type="checkbox" name="job" value="{job}"[^>]*>', page)
    assert 'aria-invalid="true" aria-describedby="ahead-problem"' in box
    assert " checked" not in box
    assert 'name="reason" value="Node N-1 is down"' in page


def test_everything_that_is_wrong_is_listed_at_once() -> None:
    on(make.job(), node="N-1")

    page = signed_in().post(f"{pattern()}hold/", {"reason": "x" * 201}).content.decode()

    assert "Choose at least one job." in page
    assert "The reason can have at most 200 characters. This one has 201." in page


def test_reason_that_is_too_long_is_refused_with_what_was_typed_and_ticked() -> None:
    first, second = (on(make.job(), node="N-1") for _ in range(2))
    address, client = pattern(), signed_in()

    refused = client.post(f"{address}hold/", {"job": [second], "reason": "x" * 201})

    page = refused.content.decode()
    assert (refused.status_code, held_jobs()) == (400, [])
    assert "The reason can have at most 200 characters. This one has 201." in page
    assert f'name="reason" value="{"x" * 201}"' in page
    boxes = re.findall(r'name="job" value="([^"]+)" form="hold-form"( checked)?', page)
    assert dict(boxes) == {str(first): "", str(second): " checked"}
    assert f'name="next" value="{address}hold/"' not in page
    client.post(f"{address}hold/", {"job": [second], "reason": "x" * 200})
    assert held_jobs() == [second]


def test_job_held_for_another_reason_is_not_released_with_the_fault() -> None:
    first, second = (on(make.job(), node="N-1") for _ in range(2))
    address, client = pattern(), signed_in()
    press(client, first, "hold", reason="Asbestos")
    hold(client, address)

    held = client.get(address).context["page"].held
    client.post(f"{address}release/")

    assert (held, held_jobs()) == (1, [first])
    assert second.events.last().kind == EventKind.RELEASED


def test_page_that_is_out_of_date_does_not_release_a_newer_hold() -> None:
    job, client = make.job(), signed_in()
    address = f"/board/jobs/{job}/"
    press(client, job, "hold", reason="Waiting for the seller")
    seen = client.get(address).context["page"].head.assignment.hold_version
    press(client, job, "release", hold=seen)
    again = press(client, job, "release", hold=seen)
    press(client, job, "hold", reason="Gas leak")

    refused = press(client, job, "release", hold=seen)

    assert (again.status_code, refused.status_code, held_jobs()) == (200, 409, [job])
    assert refused.json()["problems"][0]["message"].startswith("Dana Dispatch put this job on hold")


def test_job_in_review_is_released() -> None:
    job, client = make.job(at_state=JobState.EN_ROUTE), signed_in()
    press(client, job, "hold", reason="Wait")
    Job.objects.filter(pk=job.pk).update(state=JobState.IN_REVIEW)

    press(client, job, "release")

    assert held_jobs() == []


def test_board_panel_and_refusal_say_that_a_job_is_on_hold() -> None:
    engineer, job = make.engineer(), on(make.job(), node="N-1")
    address, client = pattern(), signed_in()
    hold(client, address)

    page = client.get(f"/board/?day={make.DAY}&job={job}").context["page"]
    refused = assign(client, job, engineer)
    card = page.board.unassigned[0]

    assert (card.is_held, card.can_move, card.risk.slug) == (True, False, "at-risk")
    assert "Node N-1 is down" in page.panel.assignment.on_hold
    assert [problem["code"] for problem in refused.json()["problems"]] == ["on_hold"]

    client.post(f"/board/jobs/{job}/release/")
    assert assign(client, job, engineer).json() == {"ok": True}


def test_dispatcher_holds_one_job_from_its_page_and_releases_it() -> None:
    engineer = make.engineer()
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    client, address = signed_in(), f"/board/jobs/{job}/"
    assert client.get(address).context["page"].head.assignment.can_hold
    assert client.post(f"{address}hold/", {"reason": " "}).status_code == 400

    for _ in range(2):
        client.post(f"{address}hold/", {"reason": "Customer asked us to wait"})
    options = client.get(address).context["page"].head.assignment
    for _ in range(2):
        client.post(f"{address}release/")

    assert "Customer asked us to wait" in options.on_hold and not options.can_hold
    kinds = list(job.events.values_list("kind", flat=True))
    assert kinds[-2:] == ["held", "released"] and kinds.count("held") == kinds.count("released") == 1


def test_second_hold_with_another_reason_is_refused_with_who_held_it_first() -> None:
    job, client = make.job(), signed_in()
    press(client, job, "hold", reason="Waiting for the seller")

    refused = submit(signed_in(), job, "hold", reason="Gas smell, do not send anybody")

    page = refused.context["page"]
    assert (refused.status_code, page.correction.texts[0].value) == (409, "Gas smell, do not send anybody")
    assert page.problems[0].message.startswith("Dana Dispatch put this job on hold")
    assert "Waiting for the seller" in page.panel.assignment.on_hold
    assert press(client, job, "hold", reason="Waiting for the seller").json() == {"ok": True}


def test_job_where_somebody_is_on_site_is_not_held() -> None:
    job = make.job(at_state=JobState.ON_SITE)

    refused = signed_in().post(
        f"/board/jobs/{job}/hold/", {"reason": "Wait"}, headers={"Accept": "application/json"}
    )

    assert (refused.status_code, refused.json()["problems"][0]["code"]) == (409, "not_holdable")


def test_phone_shows_that_a_job_is_on_hold() -> None:
    engineer = make.engineer()
    job = on(make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.now().date()), node="N-1")
    hold(signed_in(), pattern())

    payload = next(each for each in serialize_day(engineer)["jobs"] if each["id"] == str(job))

    assert payload["held"] is True
    assert [notice["rule"] for notice in payload["notices"]] == ["on_hold"]
    assert payload["notices"][0]["words"].endswith("Node N-1 is down")


def test_engineer_who_is_on_site_already_is_asked_to_call_about_the_hold() -> None:
    engineer = make.engineer()
    job = on(make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.now().date()), node="N-1")
    hold(signed_in(), pattern())
    make.start_travel(job)
    make.arrive(job)

    payload = next(each for each in serialize_day(engineer)["jobs"] if each["id"] == str(job))

    assert payload["notices"][0]["words"] == (
        "The office has put this job on hold. Call the office before you continue. Node N-1 is down"
    )


@pytest.mark.parametrize("rows", [1, 3])
def test_page_costs_the_same_for_one_row_and_for_three(rows: int, django_assert_num_queries: object) -> None:
    for _ in range(rows):
        on(make.job(at_state=JobState.ASSIGNED), node="N-1")
    address, client = pattern(), signed_in()

    with django_assert_num_queries(14):  # type: ignore[operator]
        client.get(address)
