"""POST /phone/scan-photo: the server reads what the phone could not."""

import json
import re
from random import Random

import pytest
from django.test import Client

from dispatch.ont_scans import VENDOR_FILE
from tests import make
from tests.bench.labels import View, modules_of, picture
from tests.scanner_files import scanner_files

TEXT = "S/N:261200123456;FSAN:CXNK00ABCDEF"


@pytest.fixture
def phone(db: None) -> Client:
    client = Client()
    client.force_login(make.engineer(username="eve").user, "engineers.permissions.RoleBackend")
    return client


def post(phone: Client, content: bytes, query: str = "") -> tuple[int, dict[str, object]]:
    answer = phone.post(f"/phone/scan-photo{query}", content, content_type="image/jpeg")
    return answer.status_code, answer.json()


def test_label_is_read_and_its_kind_recognised(phone: Client) -> None:
    status, content = post(phone, picture(modules_of("qr", TEXT), View(module=2), Random(1)))

    assert status == 200
    assert content == {
        "codes": [TEXT],
        "fsan": "CXNK00ABCDEF",
        "serial_number": "261200123456",
        "fsans": ["CXNK00ABCDEF"],
        "serial_numbers": ["261200123456"],
        "unsure": [],
    }


def test_picture_without_a_code_is_an_answer(phone: Client) -> None:
    status, content = post(phone, make.jpeg(width=640, height=480))

    assert (status, content["codes"], content["unsure"]) == (200, [], ["no_fsan", "no_serial_number"])


def test_what_is_no_picture_is_refused(phone: Client) -> None:
    status, content = post(phone, b"no picture")

    assert (status, content["problems"][0]["code"]) == (422, "wrong_type")


def test_too_large_is_refused(phone: Client, settings) -> None:
    settings.PHOTO_MAX_BYTES = 1000

    status, content = post(phone, b"x" * 1001)

    assert (status, content["problems"][0]["code"]) == (413, "too_large")


def test_phone_gets_the_file_that_distinguishes_labels(client: Client) -> None:
    answer = client.get("/phone/vendors.json")

    assert answer.json() == json.loads(VENDOR_FILE.read_text())
    assert "/phone/vendors.json" in client.get("/phone/sw.js").content.decode()


def test_reader_outside_the_page_is_kept_on_the_phone(client: Client) -> None:
    answer = client.get("/phone/reader.js")

    (script,) = re.findall(r'^import "(.+)";$', answer.text)
    assert script in scanner_files()
    worker = client.get("/phone/sw.js").text
    assert all(address in worker for address in ["/phone/reader.js", *scanner_files()])
    # a worker obeys the policy of its own answer
    assert "'wasm-unsafe-eval'" in answer.headers["Content-Security-Policy"]
