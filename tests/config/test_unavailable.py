"""What is away or full is 503 with Retry-After: a page for people, JSON for programs. A mistake of ours stays 500."""

import errno
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from botocore.exceptions import ClientError
from django.db import IntegrityError, OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path, reverse
from pytest_django import Settings

from closures.models import Photo
from closures.photos import evidence
from config import urls
from config.storage import evidence_storage
from dispatch.states import JobState
from engineers import calendar_feeds
from engineers.sessions import RENEWED_AT
from monitoring.middleware import find_unavailable_part
from tests import make
from tests.background.worker_process import ROOT, eventually
from tests.config.test_sqlite_lock import holding, release
from tests.phone.phone import Phone, entry
from tests.phone.test_uploads import announce
from tests.servers import object_store, small_disk
from tests.servers.ports import free_port

pytestmark = pytest.mark.django_db(transaction=True)
handler500 = urls.handler500
PAGE = {"Accept": "text/html,application/xhtml+xml"}
RAW = make.jpeg()


@pytest.fixture
def office() -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(make.dispatcher(), "engineers.permissions.RoleBackend")
    return client


@pytest.fixture
def database_away(office: Client, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server that does not answer, or a file that cannot be opened; back for what the test does afterwards."""
    database = connection.settings_dict
    connection.close()
    if connection.vendor == "sqlite":
        away = {"NAME": "/nowhere/dispatch.sqlite3"}
    else:
        away = {"HOST": "127.0.0.1", "PORT": str(free_port())}
    values = {name: database[name] for name in away}
    database.update(away)
    yield
    connection.close()
    database.update(values)


def assert_try_again(answer: HttpResponse, *, kind: str) -> None:
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert answer.headers["Content-Type"].startswith(kind)
    assert "no-store" in answer.headers["Cache-Control"]


@pytest.mark.parametrize("path", ["/board/", "/board/jobs/J-1/", "/phone/", "/admin/", "/"])
def test_page_without_its_database_asks_to_try_again(office: Client, database_away: None, path: str) -> None:
    answer = office.get(path, headers=PAGE)

    assert_try_again(answer, kind="text/html")
    assert b"Temporarily unavailable" in answer.content


def test_page_speaks_the_language_of_its_reader(office: Client, database_away: None) -> None:
    answer = office.get("/board/", headers={**PAGE, "Accept-Language": "de"})

    assert_try_again(answer, kind="text/html")
    assert b'<html lang="de">' in answer.content


@pytest.mark.parametrize("path", ["/phone/day.json", "/phone/positions.json", "/board/"])
def test_program_gets_json(office: Client, database_away: None, path: str) -> None:
    answer = office.get(path, headers={"Accept": "application/json"})

    assert_try_again(answer, kind="application/json")
    assert answer.json()["error"] == "unavailable"


def test_log_in_without_the_database_asks_to_try_again(database_away: None) -> None:
    client = Client(raise_request_exception=False)
    fields = {"username": "dana", "password": "wrong-password"}

    assert_try_again(client.post("/login/", fields, headers=PAGE), kind="text/html")


def test_liveness_answers_without_the_database(office: Client, database_away: None) -> None:
    assert office.get("/healthz").json() == {"status": "alive"}


@pytest.fixture
def phone() -> Phone:
    return Phone(make.engineer(), Client(raise_request_exception=False))


@pytest.fixture
def photo_id(phone: Phone) -> str:
    return announce(phone, make.job(at_state=JobState.ON_SITE, to=phone.engineer), RAW)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite's lock")
def test_write_behind_a_stuck_writer_asks_to_try_again(
    office: Client, phone: Phone, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.2)
    with holding(Path(f"{connection.settings_dict['NAME']}.lock")):
        answer = phone.post({"messages": [entry("comment", job, {"text": "Dog in the garden"})]})
        # reading goes on
        page = office.get("/board/", headers=PAGE)

    assert_try_again(answer, kind="application/json")
    assert page.status_code == 200


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite's lock")
def test_sign_in_behind_a_stuck_writer_asks_to_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    make.dispatcher()
    client = Client(raise_request_exception=False)
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.2)
    with holding(Path(f"{connection.settings_dict['NAME']}.lock")):
        answer = client.post("/login/", {"username": "dana", "password": "wrong"}, headers=PAGE)

    assert_try_again(answer, kind="text/html")


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite's lock")
def test_session_is_renewed_when_the_database_writes_again(
    office: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.2)
    with holding(Path(f"{connection.settings_dict['NAME']}.lock")) as holder:
        # due from the first request on
        first = office.get("/board/", headers=PAGE)
        release(holder)
    before = office.session.get(RENEWED_AT, 0)
    # the thread that went on waiting for the lock must have given it back
    assert eventually(lambda: office.get("/board/", headers=PAGE).status_code == 200 and is_renewed(office))

    assert (first.status_code, before) == (200, 0)


def is_renewed(client: Client) -> bool:
    return bool(client.session.get(RENEWED_AT, 0))


@pytest.mark.skipif(bool(small_disk.missing()), reason=small_disk.missing() or "-")
def test_photo_on_a_full_disk_is_sent_again_and_stored(
    phone: Phone, photo_id: str, settings: Settings, tmp_path: Path
) -> None:
    with small_disk.mounted(tmp_path / "disk", megabytes=2) as disk:
        settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{disk}")}
        balloon = small_disk.fill(disk)
        full = phone.put(photo_id, RAW)
        balloon.unlink()
        again = phone.put(photo_id, RAW)

        assert_try_again(full, kind="application/json")
        assert again.status_code == 200
        assert Photo.objects.get().stored_at is not None


def test_photo_for_a_bucket_that_is_away_is_sent_again(
    phone: Phone, photo_id: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", object_store.KEY_ID)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", object_store.SECRET)
    url = f"s3://evidence?endpoint=http://127.0.0.1:{free_port()}&region=us-east-1"
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(url)}

    assert_try_again(phone.put(photo_id, RAW), kind="application/json")


@pytest.mark.parametrize(
    ("problem", "part"),
    [
        (OperationalError("database is locked"), "database"),
        (OSError(errno.ENOSPC, "No space left on device"), "disk"),
        (ClientError({"ResponseMetadata": {"HTTPStatusCode": 503}}, "PutObject"), "evidence"),
        (ClientError({"ResponseMetadata": {"HTTPStatusCode": 403}}, "PutObject"), ""),
        (IntegrityError("unique"), ""),
        (FileNotFoundError(errno.ENOENT, "No such file"), ""),
        (ValueError("ours"), ""),
    ],
)
def test_mistake_of_ours_stays_a_500(problem: Exception, part: str) -> None:
    assert find_unavailable_part(problem) == part


def reject(_request: HttpRequest, name: str) -> HttpResponse:
    raise IntegrityError(f"Key (name)=({name}) already exists")


# a page of ours that makes a mistake
urlpatterns = [path("mistake/<str:name>/", reject, name="mistake"), *urls.urlpatterns]


def test_log_of_a_mistake_names_its_places_and_nobody(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.ROOT_URLCONF = __name__

    answer = Client(raise_request_exception=False).get("/mistake/Margaret Oduya/")

    (line,) = [record.msg for record in caplog.records if record.levelname == "ERROR"]
    assert (answer.status_code, line["event"], line["error"]) == (500, "uncaught error", "IntegrityError")
    assert (line["route"], line["trace"][-1].endswith(" reject")) == ("mistake", True)
    assert "Oduya" not in caplog.text


@pytest.fixture
def signed_paths(phone: Phone) -> list[str]:
    photo = make.photo(make.job(at_state=JobState.ON_SITE, to=phone.engineer), question_code="PHO01")
    calendar = calendar_feeds.issue(engineer=phone.engineer, by=make.office().user)
    return [f"/evidence/{evidence.sign(photo)}", reverse("calendar-feed", args=[calendar])]


def test_log_names_no_signed_link_while_the_database_is_away(
    signed_paths: list[str], database_away: None, caplog: pytest.LogCaptureFixture
) -> None:
    answers = [Client(raise_request_exception=False).get(path) for path in signed_paths]

    assert [answer.status_code for answer in answers] == [503, 503]
    assert caplog.text.count("unavailable") == 2
    assert [path for path in signed_paths if path.rpartition("/")[2] in caplog.text] == []


def test_log_names_no_link_whose_form_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")

    answer = Client(enforce_csrf_checks=True).post("/start/secret-of-a-link/")

    assert answer.status_code == 403
    assert "secret-of-a-link" not in caplog.text


def test_database_server_that_never_answers_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        variables = {**os.environ, "DATABASE_URL": f"postgresql://dispatch@127.0.0.1:{port}/dispatch"}
        command = [sys.executable, "manage.py", "migrate", "--check", "--settings", "config.settings"]
        done = subprocess.run(
            command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=120, check=False
        )

    assert done.returncode != 0
    assert "timeout expired" in done.stderr
