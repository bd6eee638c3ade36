"""The live stream of the boards: who may connect, what is sent, and when it ends."""

import asyncio
import json
from collections.abc import MutableMapping
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connection
from django.http import QueryDict
from django.test import Client

from board import presence
from board.board_version import read_version
from board.day.live_day import WHOLE_AFTER, BoardView
from board.day.view_options import Sort, ViewOptions
from board.models import Activity
from board.stream import asgi
from board.stream.asgi import StreamApplication, find_listener, read_view
from board.stream.board_watch import BoardMessage, BoardWatch
from board.stream.hub import Hub, OpenBoard, as_event
from dispatch import visits
from dispatch.states import JobState
from engineers import staff
from engineers.models import Role, User
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db
VIEW = BoardView(make.DAY, "en-gb")


def look(watch: BoardWatch) -> list[BoardMessage]:
    return watch.read_changes({VIEW})


def test_new_view_gets_nothing_until_something_changes() -> None:
    watch = BoardWatch()

    assert look(watch) == []
    assert look(watch) == []


def test_page_that_joins_while_its_parts_are_drawn_reads_itself_anew() -> None:
    """A job that arrives between the version and the parts is in the parts, so no later change would bring it."""
    watch, before, arrived = BoardWatch(), read_version(), []

    def arrive(execute: Any, sql: str, *more: Any) -> Any:
        if "engineers_engineer" in sql and not arrived:
            arrived.append(sql)
            make.job()
        return execute(sql, *more)

    with connection.execute_wrapper(arrive):
        look(watch)

    assert arrived
    assert watch.version == before
    assert watch.greeting(VIEW)["version"] == str(read_version()) != str(before)


def test_change_brings_the_rows_that_differ_and_names_the_jobs() -> None:
    bea, hassan = make.engineer(name="Bea Okafor"), make.engineer(name="Hassan Malik")
    job, watch = make.job(), BoardWatch()
    look(watch)

    visits.assign(job=job, engineer=bea, starts_at=make.at("09:00"), by=make.office())
    (message,) = [found for found in look(watch) if found.event == "change"]

    parts = message.data["parts"]
    assert message.data["jobs"] == [job.provider_job_id]
    assert f'id="card-{job}"' in parts[f"lane-{bea.staff_number}"]
    assert f"lane-{hassan.staff_number}" not in parts
    assert f'id="card-{job}"' not in parts["waiting"]
    assert "counts" in parts


def test_parts_are_those_of_the_page() -> None:
    bea, job = make.engineer(name="Bea Okafor"), make.job()
    watch, client = BoardWatch(), signed_in()
    look(watch)
    visits.assign(job=job, engineer=bea, starts_at=make.at("09:00"), by=make.office())
    message = next(found for found in look(watch) if found.event == "change")

    page = client.get(f"/board/?day={make.DAY}").content.decode()

    for name, html in message.data["parts"].items():
        assert html.strip() in page, name


def test_new_engineer_asks_for_the_page_anew() -> None:
    watch = BoardWatch()
    look(watch)
    make.engineer()
    make.job()

    assert [message.event for message in look(watch)] == ["reload"]


def test_look_at_which_nothing_has_changed_asks_twice(django_assert_num_queries: Any) -> None:
    watch = BoardWatch()
    make.job(at_state=JobState.ASSIGNED)
    look(watch)

    with django_assert_num_queries(2):
        assert look(watch) == []


def test_what_no_event_tells_is_on_the_board_a_while_after_one() -> None:
    watch, job = BoardWatch(), make.job(at_state=JobState.ASSIGNED)
    other = make.engineer()
    look(watch)
    other.shifts.all().delete()
    make.start_travel(job)
    first = look(watch)

    known = watch.days[VIEW]
    watch.days[VIEW] = replace(known, whole_at=known.whole_at - WHOLE_AFTER, reading_time=timedelta())
    (second,) = look(watch)

    row = f"lane-{other.staff_number}"
    assert [row in message.data["parts"] for message in (*first, second)] == [False, True]
    assert (second.data["version"], second.data["jobs"]) == (first[0].data["version"], [])
    assert look(watch) == []


def test_change_names_the_day_that_it_is() -> None:
    """A board whose address names no day is one of another day from midnight on."""
    watch = BoardWatch()
    with time_machine.travel(make.at("23:59")):
        look(watch)
    with time_machine.travel(make.at("00:01", day=make.DAY + timedelta(days=1))):
        (message,) = look(watch)

    assert (message.event, message.data["today"]) == ("change", str(make.DAY + timedelta(days=1)))


def test_presence_goes_to_all_and_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    job, dana, watch = make.job(), make.dispatcher(), BoardWatch()
    look(watch)
    presence.record_presence(user=dana, job_id=str(job), activity=Activity.MOVING)

    (message,) = look(watch)

    visitor = {"user": dana.pk, "name": dana.display_name, "job": str(job), "activity": "moving"}
    assert (message.event, message.view, message.data) == ("presence", None, {"visitors": [visitor]})
    assert watch.greeting(VIEW)["visitors"] == [visitor]
    presence.Presence.objects.update(expires_at=make.at("00:00", day=make.DAY.replace(year=2020)))
    assert [found.data for found in look(watch)] == [{"visitors": []}]


def test_boards_report_who_is_at_which_job() -> None:
    job, client = make.job(), signed_in()

    opened = client.post("/board/presence/", {"job": str(job), "activity": "open"})
    version = client.get("/board/version").json()

    assert opened.status_code == 204
    assert [visitor["job"] for visitor in version["visitors"]] == [str(job)]
    client.post("/board/presence/", {"job": "", "activity": "", "left": str(job)})
    assert client.get("/board/version").json()["visitors"] == []
    assert job.events.count() == 1


def test_two_windows_of_one_person_are_at_two_jobs() -> None:
    first, second, client = make.job(), make.job(), signed_in()
    for job in (first, second):
        client.post("/board/presence/", {"job": str(job), "activity": "open"})

    # one is closed, the other renews
    client.post("/board/presence/", {"job": "", "activity": "", "left": str(first)})

    visitors = client.get("/board/version").json()["visitors"]
    assert [visitor["job"] for visitor in visitors] == [str(second)]


@pytest.mark.parametrize(("job", "activity"), [("J-none", "open"), ("", "open"), (None, "asleep")])
def test_presence_that_means_nothing_is_none(job: str | None, activity: str) -> None:
    client, known = signed_in(), make.job()

    client.post("/board/presence/", {"job": str(known) if job is None else job, "activity": activity})

    assert presence.Presence.objects.count() == 0


# --- who may listen --------------------------------------------------------------------------------------------
def scope_of(client: Client | None, **more: Any) -> MutableMapping[str, Any]:
    name = settings.SESSION_COOKIE_NAME
    cookie = f"{name}={client.cookies[name].value}".encode() if client else b""
    query = f"day={make.DAY}&language=de&sort=name".encode()
    headers = [(b"cookie", cookie), (b"host", b"testserver")]
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/board/stream",
        "query_string": query,
        "headers": headers,
    }
    return {**scope, **more}


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user, "engineers.permissions.RoleBackend")
    return client


def test_only_the_office_may_listen() -> None:
    dana, erin = make.dispatcher(), make.engineer()
    supervisor = make.dispatcher(role=Role.SUPERVISOR)

    listeners = [client_of(dana), client_of(supervisor), client_of(erin.user), None]

    assert [find_listener(scope_of(client)) is not None for client in listeners] == [True, True, False, False]


def test_whoever_is_suspended_or_has_a_password_to_choose_may_not() -> None:
    dana, imran = make.dispatcher(), make.dispatcher()
    clients = [client_of(dana), client_of(imran)]
    staff.suspend(user=dana, by=make.dispatcher(role=Role.SUPERVISOR))
    User.objects.filter(pk=imran.pk).update(must_change_password=True)

    assert [find_listener(scope_of(client)) for client in clients] == [None, None]


def test_view_is_what_the_page_shows() -> None:
    assert read_view(QueryDict("day=2026-11-23&language=de&sort=load&span=none")) == BoardView(
        make.DAY, "de", ViewOptions(sort=Sort.LOAD)
    )
    assert read_view(QueryDict("day=soon&language=de")) is None
    assert read_view(QueryDict("day=9999-12-31&language=de")) is None
    assert read_view(QueryDict("day=2026-11-23&language=xx")) is None


def test_page_names_the_stream_of_its_view(settings: Any) -> None:
    settings.BOARD_STREAM_URL = "/board/stream"
    client = signed_in()
    client.post("/board/view/", {"sort": "load"})

    page = client.get(f"/board/?day={make.DAY}").content.decode()

    url = page.split('data-stream-url="')[1].split('"')[0].replace("&amp;", "&")
    assert read_view(QueryDict(urlsplit(url).query)) == BoardView(
        make.DAY, "en-gb", ViewOptions(sort=Sort.LOAD)
    )


# --- the hub and the wire --------------------------------------------------------------------------------------
class Answers:
    """What the application sends; `receive` never says that the caller is gone."""

    def __init__(self) -> None:
        self.sent: list[MutableMapping[str, Any]] = []

    async def receive(self) -> MutableMapping[str, Any]:
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        self.sent.append(message)


@pytest.mark.parametrize(
    ("more", "status"),
    [({"path": "/board/"}, 404), ({"method": "POST"}, 404), ({"query_string": b"day=x"}, 404), ({}, 403)],
)
@pytest.mark.django_db(transaction=True)
def test_what_is_no_stream_is_refused(more: dict[str, Any], status: int) -> None:
    answers = Answers()

    asyncio.run(StreamApplication()(scope_of(None, **more), answers.receive, answers.send))

    assert answers.sent[0]["status"] == status


@pytest.mark.django_db(transaction=True)
def test_stream_begins_with_the_version_and_is_not_held_back() -> None:
    answers, application = Answers(), StreamApplication()
    scope = scope_of(client_of(make.dispatcher()))
    scope["headers"].append((b"origin", settings.PUBLIC_URL.encode()))

    async def listen() -> None:
        stream = asyncio.create_task(application(scope, answers.receive, answers.send))
        while len(answers.sent) < 2:
            await asyncio.sleep(0)
        await application.hub.send_changes()
        application.hub.close()
        await stream

    asyncio.run(listen())

    start, retry, *rest = answers.sent
    headers = dict(start["headers"])
    assert (start["status"], headers[b"x-accel-buffering"], headers[b"cache-control"]) == (
        200,
        b"no",
        b"no-store",
    )
    assert headers[b"access-control-allow-origin"] == settings.PUBLIC_URL.encode()
    assert retry["body"].startswith(b"retry: ")
    assert rest[-1]["more_body"] is False


@pytest.mark.django_db(transaction=True)
def test_busy_board_tells_nothing_to_whoever_was_suspended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Events come all the time, so that there is never a ping."""
    monkeypatch.setattr(asgi, "CHECK_SECONDS", 0.1)
    dana, ruth = make.dispatcher(), make.dispatcher(role=Role.SUPERVISOR)
    answers, application, scope = Answers(), StreamApplication(), scope_of(client_of(dana))

    async def listen() -> int:
        stream = asyncio.create_task(application(scope, answers.receive, answers.send))
        while len(answers.sent) < 2:
            await asyncio.sleep(0)
        await sync_to_async(staff.suspend)(user=dana, by=ruth)
        for number in range(300):
            for board in application.hub.boards:
                board.put(as_event("change", {"number": number}))
            await asyncio.sleep(0.02)
            if stream.done():
                return number
        stream.cancel()
        return 300

    assert asyncio.run(listen()) < 300
    assert answers.sent[-1]["more_body"] is False


def test_board_that_does_not_listen_is_ended_and_others_go_on() -> None:
    async def tell() -> tuple[list[bytes | None], int]:
        slow, quick = OpenBoard(VIEW, is_greeted=True), OpenBoard(VIEW, is_greeted=True)
        hub = Hub(boards={slow, quick})
        received = 0
        for number in range(30):
            hub._send(BoardMessage("change", {"number": number}, VIEW))
            await quick.waiting.get()
            received += 1
        return [slow.waiting.get_nowait() for _ in range(slow.waiting.qsize())][:1], received

    left, received = asyncio.run(tell())

    assert (left, received) == ([None], 30)


def test_other_views_get_nothing() -> None:
    async def tell() -> int:
        other = OpenBoard(BoardView(make.DAY, "de"), is_greeted=True)
        Hub(boards={other})._send(BoardMessage("change", {}, VIEW))
        return other.waiting.qsize()

    assert asyncio.run(tell()) == 0


def test_events_are_one_line_each() -> None:
    event = as_event("change", {"html": "one\ntwo"})

    name, data, *rest = event.decode().split("\n")
    assert (name, json.loads(data.removeprefix("data: ")), rest) == (
        "event: change",
        {"html": "one\ntwo"},
        ["", ""],
    )


def test_assigned_job_of_another_day_changes_nothing_here() -> None:
    watch = BoardWatch()
    make.engineer()
    look(watch)
    make.job(at_state=JobState.UNASSIGNED, day=make.DAY.replace(day=25))

    (message,) = look(watch)

    assert set(message.data["parts"]) <= {"counts"}


def test_absence_entered_under_people_is_on_open_boards_at_the_next_look() -> None:
    engineer, watch, client = make.engineer(), BoardWatch(), Client()
    client.force_login(make.dispatcher(role=Role.SUPERVISOR))
    look(watch)

    client.post(
        f"/board/people/{engineer.pk}/absences/", {"first_day": make.DAY.isoformat(), "reason": "Flu"}
    )
    (message,) = [found for found in look(watch) if found.event == "change"]

    assert 'class="absence' in message.data["parts"][f"lane-{engineer.staff_number}"]
