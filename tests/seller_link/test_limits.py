"""Bounds of profile 1.1: instants near now, windows of at most 31 days, null for absent, a wrong clock."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from board.jobs.job_pack_groups import fault_story, pack_groups
from dispatch.job_pack import fault_lines
from dispatch.models import Job
from dispatch.states import EventKind, JobState
from phone.job_details import build_job_facts
from seller_link import message_log
from seller_link.models import InboundMessage
from seller_link.wire import incoming, refusals, stored_text
from tests import make
from tests.seller_link.inbox import faultcode, fields, say
from tests.seller_link.wire import LEFT_OUT, OPTIONAL_MEMBERS, message

FAULT = {
    "buyerFaultReference": "BF-1",
    "maintainerFaultReference": "MF-1",
    "faultType": "Service Outage",
    "description": "No light since the storm",
    "faultStartTime": "2026-11-20T21:15:00Z",
    "triageFindings": ["ONT offline", {"test": "OTDR 1.2 km"}],
    "lastDiagnostics": {"result": "AOK001"},
    "files": [{"name": "trace.sor"}],
}


NOW = timezone.now()


def near(**later: float) -> str:
    return (NOW + timedelta(**later)).isoformat()


def details(operation: str, body: dict[str, Any]) -> list[tuple[str, str]]:
    try:
        incoming.check(operation, incoming.without_nulls(body))
    except refusals.Refusal as refusal:
        return [(detail.field, detail.code) for detail in refusal.details]
    return []


START, END = "/appointment/start", "/appointment/end"


@pytest.mark.parametrize(
    ("start", "end", "found"),
    [
        (near(days=1), near(days=32), []),
        (near(days=1), near(days=32, seconds=1), [END]),
        (near(days=2), near(days=1), [START]),
        (near(days=-5 * 365), near(days=-5 * 365 + 1), []),
        (near(days=5 * 365), near(days=5 * 365 + 1), []),
        (near(days=6 * 365), near(days=6 * 365 + 1), [START, END]),
        (near(days=-6 * 365), near(days=-6 * 365 + 1), [START, END]),
        ("0001-01-01T00:00:00Z", near(days=1), [START]),
        ("0001-01-01T00:00:00+14:00", near(days=1), [START]),
        (near(days=1), "9999-12-31T23:59:59Z", [END]),
        ("9999-12-31T00:00:00Z", "9999-12-31T23:59:59Z", [START, END]),
    ],
    # a name with the moment in it would differ between the processes of a run
    ids=range(11),
)
def test_window_is_near_now_and_at_most_31_days_long(start: str, end: str, found: list[str]) -> None:
    body = message("createJob", appointment={"start": start, "end": end})

    assert [field for field, _code in details("createJob", body)] == found


def test_start_of_a_fault_is_near_now() -> None:
    body = message("createJob", fault={**FAULT, "faultStartTime": "1899-12-30T00:00:00Z"})

    assert details("createJob", body) == [("/fault/faultStartTime", "invalidValue")]


OPTIONAL = [
    *OPTIONAL_MEMBERS,
    "providerJobId",
    "ont__fsan",
    "fault",
    "fault__description",
    "fault__faultStartTime",
    "fault__triageFindings",
    "fault__lastDiagnostics",
]


@pytest.mark.parametrize("path", OPTIONAL)
def test_null_for_an_optional_member_is_absence(path: str) -> None:
    with_null = message("createJob", **{"fault": dict(FAULT), path: None})
    without = incoming.without_nulls(with_null)

    assert details("createJob", with_null) == []
    assert incoming.job_pack(without).content_sha256


def test_null_coordinates_are_absent_together() -> None:
    body = message("createJob", property__latitude=None, property__longitude=None)

    assert details("createJob", body) == []


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("messageId", "/messageId"),
        ("orderReferences", "/orderReferences"),
        ("product__productName", "/product/productName"),
        ("property__address", "/property/address"),
        ("property__address__postcode", "/property/address/postcode"),
        ("property__latitude", "/property/latitude"),
        ("siteContact__phone", "/siteContact/phone"),
        ("appointment__end", "/appointment/end"),
    ],
)
def test_null_for_a_required_member_is_a_missing_member(path: str, field: str) -> None:
    assert details("createJob", message("createJob", **{path: None})) == [(field, "missingProperty")]


def test_both_order_references_null_are_both_missing() -> None:
    body = message("createJob", orderReferences={"buyerOrderReference": None, "sellerOrderReference": None})

    assert details("createJob", body) == [("/orderReferences", "missingProperty")]


def test_null_in_a_list_stays_a_wrong_value() -> None:
    assert details("createJob", message("createJob", property__flags=[None])) == [
        ("/property/flags/0", "invalidValue")
    ]


@pytest.mark.parametrize("path", ["scanId", "correlationId", "sellerJobId", "result__details"])
def test_null_of_a_result_is_absence(path: str) -> None:
    assert details("notifyJob", message("notifyJob", **{path: None})) == []


@pytest.mark.parametrize("path", ["reason", "reason__code", "correlationId"])
def test_null_of_a_cancellation_is_absence(path: str) -> None:
    assert details("cancelJob", message("cancelJob", **{path: None})) == []


def test_cancellation_without_any_id_lacks_provider_job_id() -> None:
    body = message("cancelJob", providerJobId=None, sellerJobId=None)

    assert details("cancelJob", body) == [("/providerJobId", "missingProperty")]


@pytest.mark.django_db(transaction=True)
def test_nulls_are_kept_with_the_message_and_mean_absent() -> None:
    body = message("createJob", site=None)
    first = say("createJob", body)

    again = say("createJob", {name: value for name, value in body.items() if name != "site"})

    assert (first.status, again) == (200, first)
    assert '"site": null' in InboundMessage.objects.exclude(message_id=None).get().body


@pytest.mark.django_db(transaction=True)
def test_cancellation_by_the_sellers_id_alone() -> None:
    job = make.job()

    answer = say("cancelJob", message("cancelJob", providerJobId=LEFT_OUT, sellerJobId=job.seller_job_id))

    job.refresh_from_db()
    assert (answer.status, answer.body["providerJobId"]) == (200, job.provider_job_id)
    assert job.state == JobState.CANCELLED


@pytest.mark.django_db(transaction=True)
def test_cancellation_by_an_unknown_id_of_the_sellers() -> None:
    answer = say("cancelJob", message("cancelJob", providerJobId=LEFT_OUT, sellerJobId="SJ-NONE"))

    assert (faultcode(answer), fields(answer)) == ((404, "jobNotFound"), ["/sellerJobId"])


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("changes", [{}, {"site__notes": "Other"}])
def test_cancelled_job_that_is_created_again_is_refused_with_its_id(changes: dict[str, str]) -> None:
    first = say("createJob", message("createJob"))
    job_id = first.body["providerJobId"]
    say("cancelJob", message("cancelJob", providerJobId=job_id))

    answer = say("createJob", message("createJob", **changes))

    assert faultcode(answer) == (409, "jobCancelled")
    assert job_id in answer.body["fault"]["detail"][0]["message"]
    assert Job.objects.get().state == JobState.CANCELLED


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("sent_at", ["0001-01-01T00:00:00Z", "1990-01-01T00:00:00Z", "9999-12-31T00:00:00Z"])
def test_wrong_clock_is_accepted_shown_and_never_the_time_of_an_event(sent_at: str) -> None:
    created = say("createJob", message("createJob", sentAt=sent_at))
    say("cancelJob", message("cancelJob", providerJobId=created.body["providerJobId"], sentAt=sent_at))

    now = timezone.now()
    job = Job.objects.get()
    assert job.state == JobState.CANCELLED
    assert all(abs(event.occurred_at - now) < timedelta(hours=1) for event in job.events.all())
    for stored in InboundMessage.objects.all():
        assert message_log.load_times(stored).happened == stored.received_at
        assert stored_text.read_wrong_clock(stored.body, received_at=stored.received_at) == sent_at


@pytest.mark.django_db(transaction=True)
def test_clock_that_is_an_hour_off_gives_the_time_of_the_event() -> None:
    sent_at = near(hours=-1)

    say("createJob", message("createJob", sentAt=sent_at))

    assert Job.objects.get().events.get().occurred_at == datetime.fromisoformat(sent_at)
    stored = InboundMessage.objects.get()
    assert stored_text.read_wrong_clock(stored.body, received_at=stored.received_at) == ""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("days", "is_late"), [(-2, True), (0, True), (2, False)])
def test_pack_of_the_day_itself_is_accepted_and_marked_late(days: int, *, is_late: bool) -> None:
    window = {"start": near(days=days), "end": near(days=days, minutes=1)}

    answer = say("createJob", message("createJob", appointment=window))

    job = Job.objects.get()
    assert (answer.status, job.was_received_late) == (200, is_late)
    received = job.events.get(kind=EventKind.RECEIVED)
    assert received.facts.get("received_late", False) is is_late


@pytest.mark.django_db(transaction=True)
def test_fault_report_is_kept_and_readable() -> None:
    say("createJob", message("createJob", jobType="revisit", fault=FAULT))

    job = Job.objects.get()
    assert job.fault["started_at"] == datetime(2026, 11, 20, 21, 15, tzinfo=UTC).isoformat()
    assert fault_lines(job) == [
        ("Fault", "Service Outage"),
        ("Description", "No light since the storm"),
        ("Since", "Fri 20 Nov 2026 21:15"),
        ("Findings", "ONT offline · test OTDR 1.2 km"),
        ("Last line check", "result AOK001"),
        ("Files", "trace.sor"),
        ("Buyer's fault reference", "BF-1"),
        ("Maintainer's fault reference", "MF-1"),
    ]


@pytest.mark.django_db(transaction=True)
def test_office_and_engineer_see_fault_report_and_previous_job() -> None:
    say("createJob", message("createJob", jobType="revisit", fault=FAULT))

    job = Job.objects.get()
    groups = {group.title: {fact.name: fact.value for fact in group.facts} for group in pack_groups(job)}
    phone = build_job_facts(job, visit=None, earlier=[])
    assert ("Description", "No light since the storm") in [
        (fact.name, fact.value) for fact in fault_story(job)
    ]
    assert groups["Order"]["Follows our job"] == "J-OLD1-0001"
    assert ("Description", "No light since the storm") in [(fact.name, fact.value) for fact in phone.fault]
    assert ("Follows our job", "J-OLD1-0001") in [(fact.name, fact.value) for fact in phone.work]


@pytest.mark.django_db(transaction=True)
def test_another_fault_report_is_another_content() -> None:
    say("createJob", message("createJob", fault=FAULT))

    answer = say("createJob", message("createJob", fault={**FAULT, "description": "Other"}))

    assert faultcode(answer) == (409, "duplicateJob")
