"""Pictures made to harm keep the web server's decoders busy, and nobody else: real processes, real uploads."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.conf import settings

from demo.rehearsal.app_client import JPEG, HttpSession, SessionResponse
from dispatch.states import JobState
from tests import make
from tests.closures.poison import MARKER_BOMBS, marker_bomb, poison_jpeg
from tests.config.test_web import Web, web  # noqa: F401  # a fixture
from tests.phone.phone import Phone
from tests.phone.test_uploads import announce

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
UPLOADS = 8


def test_pages_answer_while_pictures_are_decoded(web: Web) -> None:  # noqa: F811
    # a sound picture that a decoder works on for seconds, and bombs
    bombs = [poison_jpeg(scans=80), *map(marker_bomb, MARKER_BOMBS)]
    pictures = [bombs[number % len(bombs)] for number in range(UPLOADS)]
    phone = Phone(make.engineer())
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    ids = [announce(phone, job, raw) for raw in pictures]
    base = f"http://127.0.0.1:{web.port}"
    session = phone.client.cookies[settings.SESSION_COOKIE_NAME].value
    cookies = {settings.SESSION_COOKIE_NAME: session, settings.CSRF_COOKIE_NAME: "a" * 32}

    def put(photo_id: str, raw: bytes) -> SessionResponse:
        path = f"/phone/photos/{photo_id}"
        return HttpSession(base, cookies=dict(cookies)).fetch("PUT", path, body=raw, headers=JPEG)

    def read(raw: bytes) -> SessionResponse:
        path = "/phone/scan-photo"
        return HttpSession(base, cookies=dict(cookies)).fetch("POST", path, body=raw, headers=JPEG)

    with ThreadPoolExecutor(2 * UPLOADS) as pool:
        doing = [pool.submit(put, *upload) for upload in zip(ids, pictures, strict=True)]
        doing += [pool.submit(read, raw) for raw in pictures]
        reader, pages = HttpSession(base, cookies=dict(cookies)), []
        while not all(upload.done() for upload in doing):
            pages += [reader.get(path).status for path in ("/login/", "/healthz", "/phone/day.json")]
            # as often as people look, and no limit of theirs is reached
            time.sleep(0.5)

    answers = [upload.result() for upload in doing]
    assert {200, 302} >= set(pages)
    assert {answer.status for answer in answers} <= {200, 422, 503}
    assert all(answer.headers.get("retry-after") for answer in answers if answer.status == 503)
    # what came too early is taken when it comes again
    again = put(ids[0], pictures[0])
    assert (again.status, again.json()["stored"]) == (200, True), Path(web.log).read_text()
