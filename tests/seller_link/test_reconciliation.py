"""Our record against the seller's: what agrees says nothing, each difference says one sentence."""

import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from dispatch.states import JobState
from seller_link import retention
from seller_link.client import RecordUnavailable, iter_record
from seller_link.models import OutboundMessage, OutboundState
from seller_link.reconciliation import UnreadableRecord, read_record
from tests import make
from tests.seller_link.record_lines import line
from tests.servers import seller
from tests.servers.certificates import Authority
from tests.servers.record import offered

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent() -> list[OutboundMessage]:
    """Three messages of one job, acknowledged."""
    make.job(at_state=JobState.ON_SITE)
    OutboundMessage.objects.update(state=OutboundState.SENT, sent_at=timezone.now())
    return list(OutboundMessage.objects.select_related("job"))


def reconcile(folder: Path, lines: list[dict[str, Any]], *, hours: int = 1) -> tuple[int, list[str]]:
    """How the command ended, and its output."""
    file, out = folder / "seller.jsonl", io.StringIO()
    file.write_text("\n".join(map(json.dumps, lines)))
    start, end = timezone.now() - timedelta(hours=hours), timezone.now() + timedelta(hours=hours)
    try:
        call_command(
            "reconcile",
            **{"from_at": start.isoformat(), "to_at": end.isoformat(), "record": str(file)},
            stdout=out,
            stderr=io.StringIO(),
        )
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue().splitlines()
    return 0, out.getvalue().splitlines()


def test_records_that_agree_are_no_error(tmp_path: Path, sent: list[OutboundMessage]) -> None:
    repeated = line(sent[0], duplicate_of=1)
    refused = line(sent[1], answer={"status": 503})

    assert reconcile(tmp_path, [refused, *map(line, sent), repeated]) == (0, [])


def test_message_id_in_capitals_is_the_same(tmp_path: Path, sent: list[OutboundMessage]) -> None:
    lines = [line(message, messageId=str(message.message_id).upper()) for message in sent]

    assert reconcile(tmp_path, lines) == (0, [])


def test_masked_message_is_known_and_its_body_is_not_compared(
    tmp_path: Path, sent: list[OutboundMessage]
) -> None:
    lines = [line(message) for message in sent]
    retention.mask_outbound(OutboundMessage.objects.all())

    assert reconcile(tmp_path, lines) == (0, [])
    assert OutboundMessage.objects.first().body != sent[0].body


def test_number_with_and_without_a_fraction_is_the_same(tmp_path: Path, sent: list[OutboundMessage]) -> None:
    located = sent[1]
    assert located.body["coordinates"]["accuracyMetres"] == 8
    body = {**located.body, "coordinates": {**located.body["coordinates"], "accuracyMetres": 8.0}}
    lines = [line(message, body=body) if message == located else line(message) for message in sent]

    assert reconcile(tmp_path, lines) == (0, [])


def test_span_is_read_by_the_index(sent: list[OutboundMessage]) -> None:
    now = timezone.now()
    rows = OutboundMessage.objects.order_by().filter(sent_at__gte=now, sent_at__lte=now)

    # a few rows are read whole on PostgreSQL, whatever index there is
    if connection.vendor == "sqlite":
        assert "outbound_by_acknowledgement" in rows.explain()


def fetch(url: str) -> str:
    err = io.StringIO()
    call_command("reconcile", from_at="2020-01-01T00:00", to_at="2099-01-01T00:00", url=url, stderr=err)
    return err.getvalue().strip()


def test_record_is_fetched_page_by_page(sent: list[OutboundMessage]) -> None:
    with offered([line(message, id=number) for number, message in enumerate(sent, start=1)]) as url:
        assert fetch(url) == "3 of our messages compared, 0 differences"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"<html>Proxy</html>", "not in the documented format"),
        (b'{"rows": []}', "not in the documented format"),
        (b'{"lines": [{"id": 0}], "more": true}', "does not continue after ID 0"),
    ],
)
def test_answer_that_is_no_record_ends_with_a_sentence(answer: bytes, says: str) -> None:
    with offered([], answer=answer) as url, pytest.raises(CommandError, match=says):
        fetch(url)


@pytest.mark.parametrize(
    ("behave", "says"),
    [
        (seller.drip, "did not respond completely within"),
        (seller.drip_body, "did not respond completely within"),
        (seller.half_body, "did not respond"),
        (seller.reply("503 Busy", b"{}"), "responded with 503"),
    ],
)
def test_seller_that_gives_no_record_ends_with_a_sentence(
    endpoint: seller.Endpoint, behave: seller.Behaviour, says: str
) -> None:
    endpoint.behaviours = [behave]

    with pytest.raises(RecordUnavailable, match=says):
        list(iter_record(endpoint.url, seconds=0.6))


def test_record_of_another_authority_is_not_read(
    our_certificates: None, authority: Authority, other_authority: Authority
) -> None:
    with (
        seller.running(identity=other_authority.issue("seller"), ca=authority.ca) as impostor,
        pytest.raises(RecordUnavailable, match="an untrusted authority"),
    ):
        list(iter_record(impostor.url, seconds=5))


def test_record_is_fetched_over_mutual_tls(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [seller.reply("200 OK", b'{"lines": [{"id": 1}]}')]

    assert list(iter_record(f"{endpoint.url}/record?of=all", seconds=5)) == ['{"id": 1}']
    assert endpoint.received[0]["_path"] == "/record?of=all&since=0"


def test_every_difference_is_named_and_ends_with_one(tmp_path: Path, sent: list[OutboundMessage]) -> None:
    job = sent[0].job.seller_job_id
    first, second, third = sent
    strange = line(third, messageId="00000000-0000-4000-8000-000000000009")

    assert reconcile(tmp_path, [line(first, body={}), line(second), line(second), strange]) == (
        1,
        [
            f"{job}: notifyJob {third.message_id} is missing at the seller",
            f"{job}: notifyJob 00000000-0000-4000-8000-000000000009 is missing here",
            f"{job}: notifyJob {second.message_id} was applied 2 times at the seller",
            f"{job}: notifyJob {first.message_id} differs in content",
        ],
    )


def test_other_order_is_named(tmp_path: Path, sent: list[OutboundMessage]) -> None:
    first, second, third = sent

    code, output = reconcile(tmp_path, [line(second), line(first), line(third)])

    assert (code, len(output)) == (1, 1)
    assert "the order differs from position 1" in output[0]


def test_message_that_the_seller_has_and_we_still_send_is_named(
    tmp_path: Path, sent: list[OutboundMessage]
) -> None:
    OutboundMessage.objects.filter(pk=sent[2].pk).update(state=OutboundState.READY, sent_at=None)

    code, output = reconcile(tmp_path, [line(message) for message in sent])

    assert (code, len(output)) == (1, 1)
    assert output[0].endswith("was not acknowledged by us")


@pytest.mark.parametrize(
    ("state", "says"),
    [
        (OutboundState.READY, "is not delivered yet"),
        (OutboundState.HELD, "is held: the seller rejected it"),
        (OutboundState.STOPPED, "is not at the seller: sending was stopped here"),
    ],
)
def test_message_that_never_arrived_is_named(
    tmp_path: Path, sent: list[OutboundMessage], state: str, says: str
) -> None:
    job, never = sent[2].job.seller_job_id, sent[2]
    OutboundMessage.objects.filter(pk=never.pk).update(state=state, sent_at=None)

    found = reconcile(tmp_path, [line(message) for message in sent[:2]])

    assert found == (1, [f"{job}: notifyJob {never.message_id} {says}"])


def test_message_that_only_one_clock_puts_into_the_time_is_no_difference(
    tmp_path: Path, sent: list[OutboundMessage]
) -> None:
    long_ago = (timezone.now() - timedelta(days=3)).isoformat()

    assert reconcile(tmp_path, [line(message, at=long_ago) for message in sent]) == (0, [])


@pytest.mark.parametrize("text", ["no json", "[]", '{"at": "2026-11-23T08:00"}'])
def test_record_that_cannot_be_read_names_its_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "seller.jsonl"
    file.write_text(f"\n{text}\n")

    with pytest.raises(CommandError, match="line 2 of the log is not in the documented format"):
        call_command("reconcile", from_at="2026-11-23T08:00", to_at="2026-11-23T09:00", record=str(file))


@pytest.mark.parametrize(
    "moment", ["yesterday", "2026-13-45T08:00", "0001-01-01T00:00", "9999-12-31T23:59-14:00"]
)
def test_moment_that_is_none_is_refused(tmp_path: Path, moment: str) -> None:
    with pytest.raises(CommandError, match="is not a valid time"):
        call_command("reconcile", from_at=moment, to_at="2026-11-23T09:00", record=str(tmp_path))


@pytest.mark.parametrize("depth", [600, 5000])
def test_line_that_is_nested_too_deeply_names_its_line(depth: int) -> None:
    body = "[" * depth + "]" * depth
    text = (
        '{"answer": {"status": 200}, "at": "2026-11-22T10:00:00Z", "direction": "in", "operation": "x", '
        f'"sellerJobId": "S-1", "messageId": "y", "body": {body}}}'
    )

    with pytest.raises(UnreadableRecord, match="line 1"):
        read_record([text])


@pytest.mark.parametrize("end", ["2026-11-28T00:00", "2026-11-29T00:00"])
def test_span_that_holds_no_moment_is_refused(tmp_path: Path, end: str) -> None:
    file = tmp_path / "seller.jsonl"
    file.touch()

    with pytest.raises(CommandError, match=r"--to: the end must be after the start \(--from\)"):
        call_command("reconcile", from_at="2026-11-29T00:00", to_at=end, record=str(file))
