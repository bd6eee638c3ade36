"""The page that compares the seller's record with ours: from a file, or asked for at the seller's."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from pytest_django import Settings

from dispatch.states import JobState
from seller_link.models import OutboundMessage, OutboundState
from tests import make
from tests.board.office import lately, signed_in
from tests.seller_link.record_lines import line
from tests.servers.record import offered

pytestmark = pytest.mark.django_db
PAGE = "/board/reconcile/"


@pytest.fixture
def sent() -> list[OutboundMessage]:
    make.job(at_state=JobState.ON_SITE)
    OutboundMessage.objects.update(state=OutboundState.SENT, sent_at=timezone.now())
    return list(OutboundMessage.objects.all())


def lines(messages: list[OutboundMessage]) -> list[dict[str, Any]]:
    return [line(message, id=number) for number, message in enumerate(messages, start=1)]


def test_file_is_compared_with_ours(sent: list[OutboundMessage]) -> None:
    first, *others = sent
    record = SimpleUploadedFile("seller.jsonl", "\n".join(map(json.dumps, lines(others))).encode())

    page = signed_in().post(PAGE, {**lately(), "record": record}).context["page"]

    assert page.compared == 3
    assert page.differences == [
        f"{first.job.seller_job_id}: {first.operation} {first.message_id} is missing at the seller"
    ]


def test_separators_inside_a_text_end_no_line(sent: list[OutboundMessage]) -> None:
    noted = [{**line, "note": "a\u2028b\u0085c"} for line in lines(sent)]
    text = "\r\n".join(json.dumps(line, ensure_ascii=False) for line in noted)

    page = signed_in().post(PAGE, {**lately(), "record": SimpleUploadedFile("seller.jsonl", text.encode())})

    assert page.context["page"].differences == []


def test_file_that_is_no_record_is_explained() -> None:
    record = SimpleUploadedFile("photo.jpg", make.jpeg())

    answer = signed_in().post(PAGE, {**lately(), "record": record})

    assert (answer.status_code, "record" in answer.context["page"].form.errors) == (400, True)


@pytest.mark.parametrize("asked", [{}, {"ask": "1"}])
def test_without_a_file_one_is_asked_for_when_the_seller_offers_none(asked: dict[str, str]) -> None:
    answer = signed_in().post(PAGE, {**lately(), **asked})

    assert answer.status_code == 400
    assert "Choose the file from the seller." in answer.content.decode()
    assert "Fetch log from the seller" not in answer.content.decode()


def test_record_is_asked_for_and_compared(sent: list[OutboundMessage], settings: Settings) -> None:
    first, *others = sent
    with offered(lines(others)) as settings.SELLER_RECORD_URL:
        offer = signed_in().get(PAGE)
        page = signed_in().post(PAGE, {**lately(), "ask": "1"}).context["page"]

    assert "Fetch log from the seller" in offer.content.decode()
    assert page.compared == 3
    assert page.differences == [
        f"{first.job.seller_job_id}: {first.operation} {first.message_id} is missing at the seller"
    ]


def test_seller_that_does_not_answer_is_explained(settings: Settings) -> None:
    with offered([]) as settings.SELLER_RECORD_URL:
        pass

    answer = signed_in().post(PAGE, {**lately(), "ask": "1"})

    assert answer.status_code == 400
    assert "The seller did not respond (ConnectionRefusedError" in answer.content.decode()
    assert "ask the seller&#x27;s team for a file" in answer.content.decode()


def test_answer_that_is_no_record_is_explained(settings: Settings) -> None:
    with offered([], answer=b"<html>Proxy</html>") as settings.SELLER_RECORD_URL:
        answer = signed_in().post(PAGE, {**lately(), "ask": "1"})

    assert "is not in the documented format" in answer.content.decode()


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        "9" * 5000,
        '{"answer": {"status": 200}, "at": "2026-11-22T10:00:00Z", "direction": "in", "operation": "notifyJob", '
        '"sellerJobId": "\\ud800", "messageId": "x", "body": {}}',
        '{"answer": {"status": 200}, "at": "2026-11-22T10:00:00Z", "direction": "in", "operation": "notifyJob", '
        '"sellerJobId": "S-1", "messageId": {"a": 1}, "body": {}}',
        '{"answer": {"status": 200}, "at": "9999-12-31T23:59:59-14:00", "direction": "in", "operation": "x", '
        '"sellerJobId": "S-1", "messageId": "y", "body": {}}',
        '"\\ud800"',
        '{"answer": {"status": 200}, "at": "2026-11-22T10:00:00Z\\ud800", "direction": "in", "operation": "x", '
        '"sellerJobId": "S-1", "messageId": "y", "body": {}}',
    ],
    ids=["open", "deep", "digits", "surrogate", "object", "year", "text", "moment"],
)
def test_line_that_cannot_be_read_names_the_file(text: str) -> None:
    record = SimpleUploadedFile("seller.jsonl", text.encode())

    answer = signed_in().post(PAGE, {**lately(), "record": record})

    assert (answer.status_code, "line 1" in str(answer.context["page"].form.errors["record"])) == (400, True)


def test_deeply_nested_answer_of_the_seller_is_explained(settings: Settings) -> None:
    deep = b'{"lines": [' + b"[" * 990 + b"]" * 990 + b"]}"
    with offered([], answer=deep) as settings.SELLER_RECORD_URL:
        answer = signed_in().post(PAGE, {**lately(), "ask": "1"})

    assert answer.status_code == 400
