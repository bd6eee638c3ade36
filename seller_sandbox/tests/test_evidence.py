"""Files of a closed job: fetched after the answer and compared with what closeJob says."""

import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread, Timer
from typing import Any

import pytest

from seller_sandbox import clock
from seller_sandbox.jobs import evidence
from seller_sandbox.jobs.fetching import fetch
from seller_sandbox.jobs.models import EvidenceFile, EvidenceState, Job
from seller_sandbox.messages.models import InboundMessage, MessageLogEntry
from seller_sandbox.tests import make
from seller_sandbox.tests.environment import free_port
from seller_sandbox.tests.files import JPEG, FileServer, file_server, sha256
from seller_sandbox.tests.processes import Caller, fault_of

WHERE = "/questions_answers/0/files/0"


@pytest.fixture
def store() -> Iterator[FileServer]:
    with file_server() as server:
        yield server


HAZARD, FINISHED = (
    ("HAZ02", "Photo of the hazard, from a safe place"),
    ("PHO06", "Photo of the finished work"),
)


def closed_with(caller: Caller, **file: Any) -> Job:
    """A job closed HAZ with one photo of the hazard."""
    return close_with(caller, make.job(), photo_of(HAZARD, make.file("a.jpg", **file)))


def photo_of(question: tuple[str, str], *files: dict[str, Any]) -> dict[str, Any]:
    code, text = question
    return make.answer(
        question=text, question_code=code, answer=str(len(files)), source="Closure", files=list(files)
    )


def stored_file(store: FileServer, name: str, **served: Any) -> dict[str, Any]:
    path = store.put(f"/bucket/{name}", **served)
    return make.file(name, object_path=path, url=path)


def close_with(caller: Caller, job: Job, *photos: dict[str, Any]) -> Job:
    """Closed HAZ with these answers."""
    for body in make.arrival(job):
        caller.post("notifyJob", body)
    entries = [*photos, *make.answers("installation", "HAZ")]
    answer = caller.post("closeJob", make.completed(job, closureCode="HAZ", questions_answers=entries))
    assert answer.status == 200, answer.body
    return job


def verify_all() -> list[tuple[str, str]]:
    """The findings of the message after everything was fetched, as (code, field)."""
    for _ in range(20):
        clock.advance(seconds=60)
        if not evidence.verify_next():
            break
    message = InboundMessage.objects.filter(operation="closeJob").latest("pk")
    return [(row["code"], row["field"]) for row in [*message.breaches, *message.remarks]]


def test_a_file_that_is_as_the_message_says(caller: Caller, store: FileServer) -> None:
    path = store.put("/bucket/a.jpg")
    closed_with(caller, object_path=path, url=store.put("/signed", disposition='inline; filename="a.jpg"'))

    assert verify_all() == []
    file = EvidenceFile.objects.get()
    assert (file.state, file.size_bytes, file.sha256) == (EvidenceState.VERIFIED, len(JPEG), sha256(JPEG))


@pytest.mark.parametrize(
    ("served", "expected"),
    [
        ({"status": 404}, [("fileNotFetched", f"{WHERE}/url")]),
        ({"status": 302}, [("fileNotFetched", f"{WHERE}/url")]),
        ({"content": b""}, [("fileEmpty", f"{WHERE}/url")]),
        ({"content": b"<html>"}, [("fileType", f"{WHERE}/type"), ("fileDiffers", f"{WHERE}/object_path")]),
        ({"media_type": "image/png"}, [("fileType", f"{WHERE}/type")]),
        ({"disposition": "inline; filename=b.jpg"}, [("fileName", f"{WHERE}/name")]),
        ({"content": JPEG + b"!"}, [("fileDiffers", f"{WHERE}/object_path")]),
        ({"content": JPEG[:-1] + b"!"}, [("fileDiffers", f"{WHERE}/object_path")]),
        ({"claimed_length": 10_000}, [("fileNotFetched", f"{WHERE}/url")]),
        ({"content": b"x", "claimed_length": 26 * 2**20}, [("fileNotFetched", f"{WHERE}/url")]),
    ],
)
def test_a_file_that_differs_is_a_breach(
    caller: Caller, store: FileServer, served: dict[str, Any], expected: list[Any]
) -> None:
    job = closed_with(caller, object_path=store.put("/bucket/a.jpg"), url=store.put("/signed", **served))

    found = verify_all()

    assert [finding for finding in found if finding[0] != "fileDiffers" or finding in expected] == expected
    assert EvidenceFile.objects.get().state == EvidenceState.DIFFERS
    assert Job.objects.with_breaches().get(pk=job.pk).breach_total == 1
    assert MessageLogEntry.objects.filter(is_breach=True).count() == 1


@pytest.mark.locks
def test_a_file_of_the_longest_path_belongs_to_one_job_too(caller: Caller, store: FileServer) -> None:
    """The document names no longest object_path. PostgreSQL has no room for 3,000 bytes in an index, unless they can
    be compressed: these cannot."""
    folder = "".join(chr(0x4E00 + number * 7919 % 20_000) for number in range(3000))
    path = f"{store.base}/{folder}/a.jpg"
    closed_with(caller, object_path=path, url=store.put("/signed"))

    other = make.job(seed=2)

    entries = [make.answer(files=[make.file("a.jpg", object_path=path)])]
    assert [finding.code for finding in evidence.used_elsewhere(other, {"questions_answers": entries})] == [
        "fileTwice"
    ]


@pytest.mark.locks
def test_finding_that_quotes_a_nul_of_the_server_is_stored(caller: Caller, store: FileServer) -> None:
    path = store.put("/bucket/a.jpg", media_type="image/\0png")
    closed_with(caller, object_path=path, url=path)

    assert verify_all() == [("fileType", f"{WHERE}/type")]
    [breach] = InboundMessage.objects.get(operation="closeJob").breaches
    assert "\0" not in breach["message"]


def test_a_server_in_trouble_is_asked_again(caller: Caller, store: FileServer) -> None:
    path = store.put("/bucket/a.jpg")
    store.failures["/bucket/a.jpg"] = evidence.MAX_ATTEMPTS - 1
    closed_with(caller, object_path=path, url=path)

    assert verify_all() == []
    assert EvidenceFile.objects.get().attempts == evidence.MAX_ATTEMPTS


def test_a_server_that_is_away_is_a_breach_in_the_end(caller: Caller) -> None:
    path = f"http://127.0.0.1:{free_port()}/a.jpg"
    closed_with(caller, object_path=path, url=path)

    assert verify_all() == [("fileNotFetched", f"{WHERE}/url")]
    assert EvidenceFile.objects.get().attempts == evidence.MAX_ATTEMPTS


def test_a_private_bucket_is_a_remark(caller: Caller, store: FileServer) -> None:
    closed_with(caller, object_path=f"{store.base}/private/a.jpg", url=store.put("/signed"))

    assert verify_all() == [("objectNotReadable", f"{WHERE}/object_path")]
    assert EvidenceFile.objects.get().state == EvidenceState.VERIFIED


@pytest.fixture
def shared_folder(tmp_path: Path, settings: Any) -> Path:
    """The store as a folder, and one next to it that nobody shared."""
    settings.EVIDENCE_PREFIX, settings.EVIDENCE_FOLDER = "https://evidence.example/", tmp_path / "store"
    for folder in ("store/jobs", "out"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "a.jpg").write_bytes(JPEG)
    return tmp_path / "store"


def test_a_shared_folder_is_read_as_the_store(shared_folder: Path, store: FileServer, caller: Caller) -> None:
    closed_with(caller, object_path="https://evidence.example/jobs/a.jpg", url=store.put("/signed"))

    assert verify_all() == []


def test_other_bytes_in_the_shared_folder_are_a_breach(
    shared_folder: Path, store: FileServer, caller: Caller
) -> None:
    (shared_folder / "jobs" / "a.jpg").write_bytes(JPEG + b"!")
    closed_with(caller, object_path="https://evidence.example/jobs/a.jpg", url=store.put("/signed"))

    assert verify_all() == [("fileDiffers", f"{WHERE}/object_path")]


def test_only_the_shared_folder_is_read(shared_folder: Path) -> None:
    assert evidence.read_object("https://evidence.example/jobs/a.jpg").content == JPEG
    assert evidence.read_object("https://evidence.example/../out/a.jpg").status == 404
    assert evidence.read_object("https://evidence.example/%2e%2e/out/a.jpg").status == 404


def test_a_file_belongs_to_one_job(caller: Caller, store: FileServer) -> None:
    path = store.put("/bucket/a.jpg")
    closed_with(caller, object_path=path, url=path)
    other = make.job(seed=2)
    for body in make.arrival(other):
        caller.post("notifyJob", body)
    photo = {**make.answers("installation", "RNA/NA")[-1], "files": [make.file("a.jpg", object_path=path)]}
    entries = [*make.answers("installation", "RNA/NA")[:-1], photo]

    response = caller.post("closeJob", make.completed(other, closureCode="RNA/NA", questions_answers=entries))

    assert fault_of(response) == (422, "invalidMessage")
    assert [row["message"] for row in response.body["fault"]["detail"]] == [
        "This file belongs to another job (fileTwice)"
    ]


def test_a_file_that_always_fails_holds_nobody(
    shared_folder: Path, store: FileServer, caller: Caller
) -> None:
    # no file system has so long a name
    closed_with(caller, object_path=f"https://evidence.example/{'a' * 300}/a.jpg", url=store.put("/signed"))
    failing, path = EvidenceFile.objects.get(), store.put("/bucket/a.jpg")
    members = {"message": failing.message, "job": failing.job, "pointer": WHERE, "name": "a.jpg"}
    behind = EvidenceFile.objects.create(
        **members, media_type="image/jpeg", object_path=path, url=path, next_attempt_at=clock.now()
    )
    stop = Event()

    Timer(1, stop.set).start()
    evidence.run(stop)

    behind.refresh_from_db()
    failing.refresh_from_db()
    assert (behind.state, failing.state) == (EvidenceState.VERIFIED, EvidenceState.WAITING)
    assert failing.next_attempt_at > behind.next_attempt_at


@pytest.mark.django_db
def test_one_picture_in_two_answers_is_a_breach(caller: Caller, store: FileServer) -> None:
    files = [stored_file(store, name) for name in ("a.jpg", "b.jpg")]
    close_with(caller, make.job(), photo_of(HAZARD, files[0]), photo_of(FINISHED, files[1]))

    assert verify_all() == [("sameBytes", "/questions_answers/1/files/0")]
    states = EvidenceFile.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == [EvidenceState.VERIFIED, EvidenceState.DIFFERS]
    [breach] = InboundMessage.objects.get(operation="closeJob").breaches
    assert breach["message"] == "Another answer of the job has the same picture"


def test_one_picture_twice_in_one_answer_is_none(caller: Caller, store: FileServer) -> None:
    files = [stored_file(store, name) for name in ("a.jpg", "b.jpg")]
    close_with(caller, make.job(), photo_of(HAZARD, *files))

    assert verify_all() == []


def test_one_picture_of_two_jobs_is_a_remark(caller: Caller, store: FileServer) -> None:
    close_with(caller, make.job(), photo_of(HAZARD, stored_file(store, "a.jpg")))
    assert verify_all() == []
    close_with(caller, make.job(seed=2), photo_of(HAZARD, stored_file(store, "b.jpg")))

    assert verify_all() == [("sameBytes", WHERE)]
    message = InboundMessage.objects.filter(operation="closeJob").latest("pk")
    assert (message.breaches, len(message.remarks)) == ([], 1)


def test_an_answer_that_is_no_http_is_no_file() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/a.jpg"
        Thread(target=answer_nonsense, args=(server,), daemon=True).start()

        assert "BadStatusLine" in fetch(url).error
        assert "InvalidURL" in fetch(f"{url} of a job").error


def answer_nonsense(server: socket.socket) -> None:
    line, _address = server.accept()
    with line:
        line.recv(4096)
        line.sendall(b"nonsense\r\n\r\n")


@pytest.mark.django_db
def test_a_slow_file_server_holds_nobody(store: FileServer, settings: Any) -> None:
    settings.FETCH_SECONDS = 0.3
    url = store.put("/slow", content=b"x", claimed_length=1000)

    assert fetch(url).status is None
    assert "scheme" in fetch("ftp://127.0.0.1/a").error
