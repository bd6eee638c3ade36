"""Addresses and bodies that no browser of ours sends: refused, never a 500, on SQLite and on PostgreSQL."""

import io
import json
from typing import Any
from urllib.parse import quote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from closures.models import Photo
from config.security import RefuseNulMiddleware
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Engineer, Role
from seller_link import retention
from seller_link.models import InboundMessage, InboundOutcome
from tests import make
from tests.board.office import lately, signed_in
from tests.phone.phone import Phone

pytestmark = pytest.mark.django_db
NINES = "9" * 30
DIGITS = "9" * 5000
FIRST_YEAR = quote("0001-01-01T00:00:00+00:00")
BEFORE_IT = quote("0001-01-01T00:00:00+23:00")
LAST_YEAR = quote("9999-12-31T23:59:59-14:00")


def superuser() -> Client:
    client = Client()
    person = make.dispatcher(username="root", role=Role.SUPERVISOR)
    person.is_staff = person.is_superuser = True
    person.save()
    client.force_login(person)
    return client


@pytest.mark.parametrize(
    "address",
    [
        "/board/search?q=a%00b",
        "/board/?job=%00",
        "/board/?day=%00",
        "/board/jobs/%00/",
        "/board/jobs/%00/suggestions.json",
        "/board/messages/?text=%00",
        "/board/messages/?after=%00",
        "/login/?next=%00",
        "/static/%00",
    ],
)
def test_nul_in_an_address_of_the_office_is_refused(address: str) -> None:
    assert signed_in().get(address).status_code == 400


@pytest.mark.parametrize(
    "address", ["/phone/jobs/%00/", "/phone/jobs/%00/version.json", "/phone/day.json?version=%00"]
)
def test_nul_in_an_address_of_the_phone_is_refused(address: str) -> None:
    answer = Phone(make.engineer()).client.get(address, headers={"Accept": "application/json"})

    assert (answer.status_code, answer.json()["error"]) == (400, "nul_character")


@pytest.mark.parametrize(
    "address", ["/admin/dispatch/job/?state=%00", "/admin/engineers/auditentry/?action=%00"]
)
def test_nul_in_an_address_of_the_admin_is_refused(address: str) -> None:
    assert superuser().get(address).status_code == 400


@pytest.mark.parametrize(
    ("address", "fields"),
    [
        ("/board/jobs/%00/assign/", {}),
        ("/board/undo/", {"version": "a\0"}),
        ("/board/undo/", {"a\0": "version"}),
        ("/board/replays/new/", {"message": "1", "why": "a\0b"}),
        ("/login/", {"username": "a\0b", "password": "x"}),
    ],
)
@pytest.mark.parametrize("is_multipart", [True, False])
def test_nul_in_a_form_is_refused(address: str, fields: dict[str, str], *, is_multipart: bool) -> None:
    client = signed_in()
    form = "&".join(f"{quote(name)}={quote(value)}" for name, value in fields.items())
    answer = (
        client.post(address, fields)
        if is_multipart
        else client.post(address, form, "application/x-www-form-urlencoded")
    )

    assert answer.status_code == 400


def test_nul_in_a_cookie_is_refused() -> None:
    client = Client(headers={"Cookie": 'sessionid="\\000\\000\\000\\000\\000\\000\\000\\000"'})

    assert client.get("/board/").status_code == 400


def test_form_without_a_session_is_not_even_read() -> None:
    anonymous = Client(enforce_csrf_checks=True)

    assert anonymous.post("/login/", {"username": "a\0b", "password": "x"}).status_code == 403


class Cut(io.BytesIO):
    """A body whose sender is gone."""

    def read(self, _size: int | None = -1, /) -> bytes:
        raise OSError("gone")


def test_form_that_ends_half_way_is_left_to_the_view() -> None:
    request = RequestFactory().post("/login/", {"username": "a"})
    request._read_started = False
    request._stream = Cut()
    guard = RefuseNulMiddleware(lambda _request: HttpResponse())

    assert guard.process_view(request) is None


def test_character_that_looks_like_a_coded_nul_is_none() -> None:
    assert signed_in().get("/board/search?q=%2500").status_code == 200


@pytest.mark.parametrize("verb", ["post", "delete"])
@pytest.mark.parametrize("endpoint", ["\0", "\ud800", "https://fcm.googleapis.com/\0"])
def test_notices_of_an_unstorable_address_are_refused(verb: str, endpoint: Any) -> None:
    client = Phone(make.engineer()).client

    answer = getattr(client, verb)("/phone/push", json.dumps({"endpoint": endpoint}), "application/json")

    assert (answer.status_code, answer.json()["where"]) == (400, "endpoint")


@pytest.mark.parametrize(
    "after",
    [
        f"{FIRST_YEAR}~in~1",
        f"{FIRST_YEAR}~out~1",
        f"{BEFORE_IT}~in~1",
        f"{LAST_YEAR}~in~1",
        f"2026-11-23T00:00:00%2B00:00~in~{NINES}",
        f"2026-11-23T00:00:00%2B00:00~in~{DIGITS}",
        f"2026-11-23T00:00:00%2B00:00~in~-{NINES}",
    ],
)
def test_page_of_messages_behind_an_odd_place_opens(after: str) -> None:
    assert signed_in().get(f"/board/messages/?after={after}").status_code == 200


@pytest.mark.parametrize("number", [NINES, DIGITS, "0", "٣"])
def test_replay_of_a_message_with_an_odd_number_is_no_500(number: str) -> None:
    client = signed_in()

    seen = client.get("/board/replays/new/", {"message": number})
    sent = client.post("/board/replays/new/", {"message": number, "why": "All of it"})

    assert (seen.status_code < 500, sent.status_code < 500) == (True, True)


def awaited_photo(engineer: Engineer) -> Photo:
    """Announced by this engineer, its bytes not here yet."""
    photo = make.photo(make.job(at_state=JobState.ON_SITE, to=engineer), question_code="PHO01")
    Photo.objects.filter(pk=photo.pk).update(by=engineer, stored_at=None)
    return photo


@pytest.mark.parametrize("size", [NINES, DIGITS, "-1", "1e3", "²", "٣", ""])
def test_address_for_a_photo_of_an_odd_size_is_empty(size: str) -> None:
    engineer = make.engineer()
    photo = awaited_photo(engineer)

    answer = Phone(engineer).client.get(f"/phone/photos/{photo.pk}/address", {"size": size})

    assert (answer.status_code, answer.json()["url"]) == (200, "")


@pytest.mark.parametrize("length", [DIGITS, "abc", "-1", "²"])
def test_odd_length_of_a_body_is_no_500(length: str) -> None:
    engineer = make.engineer()
    client, photo = Phone(engineer).client, awaited_photo(engineer)

    batch = client.post("/phone/sync", "{}", "application/json", CONTENT_LENGTH=length)
    picture = client.put(f"/phone/photos/{photo.pk}", "{}", "image/jpeg", CONTENT_LENGTH=length)

    assert (batch.status_code < 500, picture.status_code < 500) == (True, True)


@pytest.mark.parametrize(
    "path", ["/board/messages/in/{}/", "/board/replays/{}/", "/board/check-ins/{}/seen/"]
)
@pytest.mark.parametrize("number", [NINES, DIGITS])
def test_odd_number_in_an_address_is_not_there(path: str, number: str) -> None:
    client = signed_in()
    verb = client.post if "check-ins" in path else client.get

    assert verb(path.format(number)).status_code in {400, 404}


@pytest.mark.parametrize("depth", [200, 300, 400, 900, 5000])
def test_deep_line_of_a_record_is_explained_or_compared(depth: int) -> None:
    body = "[" * depth + "]" * depth
    text = (
        f'{{"at": "{timezone.now().isoformat()}", "direction": "in", "sellerJobId": "S", "messageId": "M", '
        f'"operation": "notifyJob", "body": {body}, "answer": {{"status": 200}}}}'
    )
    record = SimpleUploadedFile("seller.jsonl", text.encode())

    assert signed_in().post("/board/reconcile/", {**lately(), "record": record}).status_code in {200, 400}


@pytest.fixture
def refused(db: None) -> InboundMessage:
    """A seller's message that the server refused for half a character in it, kept as it came."""
    job: Job = make.job()
    return InboundMessage.objects.create(
        raw_message_id="\\ud800",
        operation="notifyJob",
        body='{"messageId": "m", "event": "\\ud800", "siteContact": {"name": "Pat \\udfff \\u0000 Ä"}}',
        received_at=timezone.now(),
        outcome=InboundOutcome.REFUSED,
        response_status=400,
        response={"error": "badText"},
        job=job,
    )


def test_refused_message_with_half_a_character_can_be_looked_at(refused: InboundMessage) -> None:
    client = signed_in()

    masked = client.get(f"/board/messages/in/{refused.pk}/")
    revealed = client.post(f"/board/messages/in/{refused.pk}/reveal/")
    page = client.get(f"/board/jobs/{refused.job.provider_job_id}/") if refused.job else None

    assert (masked.status_code, revealed.status_code) == (200, 200)
    assert page and page.status_code == 200
    assert r"\ud800" in masked.content.decode()
    assert r"Pat \udfff \u0000 Ä" in revealed.content.decode()


def test_refused_message_with_half_a_character_can_be_masked(refused: InboundMessage) -> None:
    retention.mask_inbound(InboundMessage.objects.all())

    refused.refresh_from_db()
    assert refused.purged_at is not None
    assert r"\ud800" in refused.body
    assert signed_in().get(f"/board/messages/in/{refused.pk}/").status_code == 200


@pytest.mark.parametrize("depth", [300, 450, 700, 900, 20_000])
def test_refused_message_of_any_depth_can_be_looked_at(refused: InboundMessage, depth: int) -> None:
    refused.body = '{"a": ' + "[" * depth + "]" * depth + "}"
    refused.save()
    client = signed_in()

    assert client.get(f"/board/messages/in/{refused.pk}/").status_code == 200
    assert client.post(f"/board/messages/in/{refused.pk}/reveal/").status_code == 200
