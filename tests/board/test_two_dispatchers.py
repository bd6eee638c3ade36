"""Two dispatchers decide at the same time: one wins, the other sees what changed, when and by whom."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from django.db import connections
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pytest_django import DjangoAssertNumQueries
from pytest_django.live_server_helper import LiveServer

from board.stream.asgi import StreamApplication
from demo.environment import wait_until
from dispatch import visits
from dispatch.job_events import Performer
from dispatch.models import Job, Visit
from dispatch.states import Actor, JobState
from engineers import staff
from engineers.models import Engineer, Role, User
from tests import make
from tests.board.office import assign, press, signed_in, version_of
from tests.board.windows import open_signed_in
from tests.servers.browser import Window

pytestmark = pytest.mark.django_db
BOARD = f"/board/?day={make.DAY}"


@pytest.fixture
def imran() -> Performer:
    user = staff.hire_office(
        username="imran", password=make.PASSWORD, name="Imran Sadiq", role=Role.DISPATCHER
    )
    return Performer(Actor.DISPATCHER, user)


@pytest.fixture
def bea() -> Engineer:
    return make.engineer(name="Bea Okafor")


def start(job: Job, engineer: Engineer, clock: str = "08:30") -> dict[str, str]:
    return {"engineer": engineer.staff_number, "starts_at": make.at(clock).isoformat()}


def test_assignment_of_a_job_that_a_colleague_assigned_is_refused(imran: Performer, bea: Engineer) -> None:
    job, hassan = make.job(), make.engineer(name="Hassan Malik")
    seen = version_of(job)
    visits.assign(job=job, engineer=bea, starts_at=make.at("09:00"), by=imran)

    answer = press(signed_in(), job, "assign", version=seen, **start(job, hassan))

    (problem,) = answer.json()["problems"]
    assert (answer.status_code, problem["code"]) == (409, "plan_changed")
    assert problem["message"].startswith("Imran Sadiq assigned this job to Bea Okafor at 12:00.")
    assert Visit.objects.active().get().engineer == bea
    assert answer.json()["version"] == version_of(job)


def test_decision_on_the_new_plan_is_taken(imran: Performer, bea: Engineer) -> None:
    job, hassan, client = make.job(), make.engineer(name="Hassan Malik"), signed_in()
    seen = version_of(job)
    visits.assign(job=job, engineer=bea, starts_at=make.at("09:00"), by=imran)
    refused = press(client, job, "assign", version=seen, **start(job, hassan)).json()

    answer = press(client, job, "assign", version=refused["version"], **start(job, hassan))

    assert answer.json() == {"ok": True}


def test_move_of_a_visit_that_a_colleague_moved_is_refused(imran: Performer, bea: Engineer) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=bea)
    seen = version_of(job)
    visits.assign(job=job, engineer=bea, starts_at=make.at("10:00"), by=imran)

    answer = press(signed_in(), job, "assign", version=seen, **start(job, bea, "08:45"))

    assert answer.json()["problems"][0]["message"] == (
        "Imran Sadiq rescheduled this job to Mon 23 Nov 10:00 at 12:00."
    )
    assert Visit.objects.get().planned_start == make.at("10:00")


def test_unassigning_what_a_colleague_reassigned_is_refused(imran: Performer, bea: Engineer) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=make.engineer())
    seen = version_of(job)
    visits.assign(job=job, engineer=bea, starts_at=make.at("10:00"), by=imran)

    answer = press(signed_in(), job, "unassign", version=seen)

    assert (answer.status_code, Visit.objects.active().get().engineer) == (409, bea)


def test_closing_a_job_that_a_colleague_assigned_is_refused(imran: Performer, bea: Engineer) -> None:
    job = make.job()
    seen = version_of(job)
    visits.assign(job=job, engineer=bea, starts_at=make.at("10:00"), by=imran)

    answer = press(signed_in(), job, "close", version=seen, code="MBORC", remarks="Road flooded")

    job.refresh_from_db()
    assert (answer.status_code, job.state) == (409, JobState.ASSIGNED)
    assert "Imran Sadiq assigned this job to Bea Okafor" in answer.json()["problems"][0]["message"]


def test_change_of_a_job_cancelled_since_is_refused(bea: Engineer) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=bea)
    seen = version_of(job)
    make.walk(job, at_state=JobState.CANCELLED)

    answer = press(signed_in(), job, "assign", version=seen, **start(job, bea))

    assert answer.json()["problems"][0]["message"] == (
        "Seller changed this job at 12:00: Cancelled by the seller."
    )


@pytest.mark.parametrize("action", ["assign", "unassign", "close", "pin", "second-engineer"])
def test_change_without_a_version_is_refused(bea: Engineer, action: str) -> None:
    job = make.job(at_state=JobState.ASSIGNED, to=bea)

    answer = press(signed_in(), job, action, version="", code="NTR", **start(job, bea))

    assert (answer.status_code, [problem["where"] for problem in answer.json()["problems"]]) == (
        400,
        ["version"],
    )


def test_undo_names_who_changed_the_job_since(imran: Performer, bea: Engineer) -> None:
    job, client = make.job(), signed_in()
    assign(client, job, make.engineer())
    visits.assign(job=job, engineer=bea, starts_at=make.at("09:00"), by=imran)

    answer = client.post("/board/undo/", headers={"Accept": "application/json"})

    assert answer.json()["problems"][0]["message"] == (
        "Imran Sadiq assigned this job to Bea Okafor at 12:00. Your change can't be undone."
    )
    assert Visit.objects.active().get().engineer == bea


def test_refused_redo_does_not_speak_of_undoing(imran: Performer, bea: Engineer) -> None:
    job, client = make.job(), signed_in()
    assign(client, job, make.engineer())
    client.post("/board/undo/", headers={"Accept": "application/json"})
    visits.assign(job=job, engineer=bea, starts_at=make.at("09:00"), by=imran)

    answer = client.post("/board/redo/", headers={"Accept": "application/json"})

    assert answer.json()["problems"][0]["message"] == (
        "Imran Sadiq assigned this job to Bea Okafor at 12:00. Your change can't be redone."
    )
    assert Visit.objects.active().get().engineer == bea


def test_cards_and_forms_carry_the_plan(
    bea: Engineer, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    assigned, waiting = make.job(at_state=JobState.ASSIGNED, to=bea), make.job()

    page = signed_in().get(f"/board/?day={make.DAY}&job={assigned}").content.decode()

    assert f'data-version="{version_of(assigned)}"' in page
    assert f'data-version="{version_of(waiting)}"' in page
    assert page.count(f'name="version" value="{version_of(assigned)}"') >= 2


@pytest.mark.django_db(transaction=True)
def test_race_has_one_winner_and_one_refusal() -> None:
    job, both = make.job(), [make.engineer(name="Bea Okafor"), make.engineer(name="Hassan Malik")]
    clients, seen, gate = [signed_in(), signed_in()], version_of(job), threading.Barrier(2)
    answers: list[tuple[int, str]] = []

    def decide(client: Client, engineer: Engineer) -> None:
        gate.wait()
        answer = press(client, job, "assign", version=seen, **start(job, engineer))
        message = answer.json().get("problems", [{"message": engineer.name}])[0]["message"]
        answers.append((answer.status_code, message))
        connections.close_all()

    threads = [threading.Thread(target=decide, args=pair) for pair in zip(clients, both, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    winner = Visit.objects.active().get().engineer.name
    (first, second) = sorted(answers)
    assert first == (200, winner)
    assert (second[0], f"assigned this job to {winner}" in second[1]) == (409, True)


@pytest.mark.django_db(transaction=True)
def test_undo_against_a_move_has_one_winner(bea: Engineer) -> None:
    """Whichever comes first, the other is refused: nothing is overwritten unseen."""
    job, dana, other = make.job(), signed_in(), signed_in()
    assign(dana, job, make.engineer(name="Hassan Malik"))
    seen, gate = version_of(job), threading.Barrier(2)
    statuses: dict[str, int] = {}

    def undo() -> None:
        gate.wait()
        statuses["undo"] = dana.post("/board/undo/", headers={"Accept": "application/json"}).status_code
        connections.close_all()

    def move() -> None:
        gate.wait()
        statuses["move"] = press(other, job, "assign", version=seen, **start(job, bea)).status_code
        connections.close_all()

    threads = [threading.Thread(target=undo), threading.Thread(target=move)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(statuses.values()) == [200, 409]
    is_active = Visit.objects.active().filter(engineer=bea).exists()
    assert is_active == (statuses["move"] == 200)


@contextmanager
def streaming(port: int) -> Iterator[None]:
    """The board stream on this port, in a thread of ours."""
    server = uvicorn.Server(
        uvicorn.Config(StreamApplication(), port=port, log_config=None, timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        assert wait_until(lambda: server.started, seconds=30)
        yield
    finally:
        server.should_exit = True
        thread.join()


def at_the_board(browser: Browser, url: str, user: User, path: str = BOARD) -> Window:
    window = open_signed_in(browser, user, base_url=url)
    window.page.goto(path)
    expect(window.page.locator("#presence[data-started]")).to_be_attached()
    return window


def card_of(page: Page, job: Job) -> str:
    return f"#card-{job.provider_job_id}"


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_two_boards_see_each_other_s_people_and_moves(
    browser: Browser, live_server: LiveServer, stream_port: int, imran: Performer, bea: Engineer
) -> None:
    """Over the stream, while it is away, and when it is back; what Imran has chosen and closed stays as it is."""
    first, second, own = make.job(), make.job(), make.job()
    with streaming(stream_port):
        dana = at_the_board(browser, live_server.url, make.dispatcher(username="dana")).page
        his = at_the_board(browser, live_server.url, imran.user, f"{BOARD}&job={own}")
        page, board = his.page, his.page.locator("#board")
        expect(board).to_have_attribute("data-live", "stream")
        expect(dana.locator("#board")).to_have_attribute("data-live", "stream")
        page.locator(".area-toggle").first.click()
        expect(page.locator(f"#lane-{bea.staff_number}")).to_be_hidden()

        dana.locator(f"{card_of(dana, first)} a").click()
        seen = page.locator(f"{card_of(page, first)} .presence")
        expect(seen).to_have_attribute("title", "Dana Dispatch has this job open")
        expect(dana.locator(f"{card_of(dana, own)} .presence")).to_have_attribute(
            "title", "Imran Sadiq has this job open"
        )
        dana.locator(f"{card_of(dana, first)} a").press("m")
        expect(seen).to_have_attribute("title", "Dana Dispatch is moving this job")
        his.picture("board-presence")
        assert his.barriers() == []
        dana.keyboard.press("Enter")

        expect(page.locator(f"#waiting {card_of(page, first)}")).to_have_count(0)
        expect(page.locator(f"#lane-{bea.staff_number} {card_of(page, first)}")).to_have_count(1)
        expect(page.locator(f"#lane-{bea.staff_number}")).to_be_hidden()
        expect(page.locator("#panel")).to_have_attribute("data-job", str(own))
        dana.locator("a[data-close-panel]").first.click()
        expect(page.locator(".presence")).to_have_count(0)

    expect(board).to_have_attribute("data-live", "polling")
    visits.assign(job=second, engineer=bea, starts_at=make.at("11:00"), by=imran)
    expect(page.locator(f"#lane-{bea.staff_number} {card_of(page, second)}")).to_have_count(1)
    with streaming(stream_port):
        expect(board).to_have_attribute("data-live", "stream")
        visits.unassign(job=second, by=imran)
        expect(page.locator(f"#waiting {card_of(page, second)}")).to_have_count(1)
    assert his.complaints == [] or all("/board/stream" in complaint for complaint in his.complaints)


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_panel_opens_after_a_fetch_that_failed_while_streaming(
    browser: Browser, live_server: LiveServer, stream_port: int
) -> None:
    job = make.job()
    with streaming(stream_port):
        page = at_the_board(browser, live_server.url, make.dispatcher(username="dana")).page
        expect(page.locator("#board")).to_have_attribute("data-live", "stream")
        page.route("**/board/?*job=*", lambda route: route.abort(), times=1)

        page.locator(f"{card_of(page, job)} a").click()

        expect(page.locator("#connection")).to_contain_text("Offline since")
        expect(page.locator("#panel")).to_have_attribute("data-job", job.provider_job_id)
        expect(page.locator("#connection")).to_be_hidden()


def test_undo_of_what_a_colleague_changed_offers_nobody_and_names_the_rest(
    imran: Performer, bea: Engineer
) -> None:
    """Of two jobs that were unassigned together, a colleague has assigned one."""
    jobs = [
        make.job(at_state=JobState.ASSIGNED, to=bea),
        make.job(at_state=JobState.ASSIGNED, to=make.engineer()),
    ]
    client = signed_in()
    rows = [f"{job.provider_job_id}|{version_of(job)}" for job in jobs]
    client.post("/board/bulk/", {"job": rows, "action": "unassign"}, headers={"Accept": "application/json"})
    assert not Visit.objects.active().exists()
    visits.assign(job=jobs[0], engineer=bea, starts_at=make.at("10:00"), by=imran)

    answer = client.post("/board/undo/", {"in_place": "1"}, headers={"Accept": "application/json"}).json()

    (message,) = answer["messages"]
    assert (answer["ok"], "suggestions" in answer) == (True, False)
    assert "Imran Sadiq assigned this job to Bea Okafor" in message["html"]
    assert visits.current_visit(jobs[1])


def test_undo_that_a_rule_refuses_says_nothing_of_others(imran: Performer, bea: Engineer) -> None:
    """The time that the job had is somebody else's now."""
    job, other, client = make.job(at_state=JobState.ASSIGNED, to=bea), make.job(), signed_in()
    visit = visits.current_visit(job)
    assert visit
    press(client, job, "unassign")
    visits.assign(job=other, engineer=bea, starts_at=visit.planned_start, by=imran)

    answer = client.post("/board/undo/", headers={"Accept": "application/json"})

    assert (answer.status_code, [problem["code"] for problem in answer.json()["problems"]]) == (
        409,
        ["double_booking"],
    )
