"""A check of a job's line over real mutual TLS: what is read, what is refused, and for how long anybody waits."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone
from pytest_django import Settings

from dispatch.job_events import SYSTEM, Performer
from dispatch.line_checks import newest_line_check
from dispatch.models import Job, LineCheck, LinePart, OntState
from dispatch.states import Actor, EventKind, JobState
from engineers import throttling
from seller_link.line_check import LineCheckReason, LineCheckUnavailable, check_line
from seller_link.models import EndpointHealth
from seller_link.wire.diagnostics.messages import MAX_NODES
from tests import make
from tests.servers import line_tester, seller

SERVICE = "FBR100000001"
PATH = "/sandbox/api2/requestServiceDiagnostics"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def switched_on(settings: Settings) -> None:
    settings.LINE_CHECK = replace(settings.LINE_CHECK, is_on=True, seconds=1.5)


@pytest.fixture(autouse=True)
def begin_of_a_minute(endpoint: seller.Endpoint) -> Iterator[None]:
    """The limits count each full minute. The endpoint's certificate is of the real day."""
    with time_machine.travel(make.at("10:00")):
        yield


def job_on_site(*, service: str = SERVICE) -> Job:
    job = make.job(at_state=JobState.ON_SITE)
    Job.objects.filter(pk=job.pk).update(service_identifier=service)
    job.refresh_from_db()
    return job


def unavailable(job: Job) -> LineCheckUnavailable:
    with pytest.raises(LineCheckUnavailable) as raised:
        check_line(job, by=SYSTEM)
    return raised.value


def test_working_line_is_read_in_domain_words(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [line_tester.answered(**line_tester.WORKING)]
    job, dana = job_on_site(), make.dispatcher()

    check = check_line(job, by=Performer(Actor.DISPATCHER, dana))

    assert (check.code, check.current_status, check.is_down) == ("AOK001", "Service Working", False)
    assert check.action == "No issue believed on the supplier network"
    assert check.ont == LinePart("up", datetime(2026, 11, 23, 9, tzinfo=UTC), "down")
    assert check.connection == LinePart("up", datetime(2026, 11, 23, 9, 0, 5, tzinfo=UTC), "")
    assert check.port == LinePart("up", None, "")
    assert [(node["path"], node["name"], node["colour"]) for node in check.nodes] == [
        ("local", "ENNI", "green"),
        ("local", "Interconnect", "orange"),
        ("local", "PON", "unknown"),
        ("national", "Interconnect", "green"),
        ("national", "Handoff", "red"),
        ("national", "ENNI", "green"),
        ("national", "PON", "green"),
    ]
    assert newest_line_check(job) == check
    assert LineCheck.objects.get().by == dana


def test_check_is_an_event_of_the_job_with_who_when_and_result(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [line_tester.answered(**line_tester.FIBRE_CUT)]
    job, other, dana = job_on_site(), job_on_site(), make.dispatcher()
    by = Performer(Actor.DISPATCHER, dana)

    check = check_line(job, by=by)
    # the same answer again is no check of its own, for another job of the service it is
    check_line(job, by=by)
    check_line(other, by=by)

    for checked in (job, other):
        event = checked.events.get(kind=EventKind.LINE_CHECKED)
        assert (event.user, event.actor, event.occurred_at) == (dana, Actor.DISPATCHER, check.checked_at)
        assert event.facts == {"code": "CFH001", "is_down": True}
        assert (event.from_state, event.to_state) == (JobState.ON_SITE, JobState.ON_SITE)


def test_request_names_the_partner_and_the_service(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [line_tester.answered(**line_tester.WORKING)]

    check_line(job_on_site(), by=SYSTEM)

    sent = endpoint.received[0]
    assert sent["_path"] == PATH
    assert line_tester.sent(sent, "buyerIdentifier") == "partner"
    assert line_tester.sent(sent, "serviceId") == SERVICE
    assert line_tester.sent(sent, "apiVersion") == "1.1"


def test_line_with_a_cut_fibre_is_down(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [line_tester.answered(**line_tester.FIBRE_CUT)]

    check = check_line(job_on_site(), by=SYSTEM)

    assert (check.code, check.is_down, check.ont_state, check.could_run) == (
        "CFH001",
        True,
        OntState.DOWN,
        True,
    )
    # the port stays as last reported: the ONT can't say anything else
    assert check.port_state == "up"


def test_test_that_could_not_run_is_an_answer(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [line_tester.answered(**line_tester.NOT_TESTED)]

    check = check_line(job_on_site(), by=SYSTEM)

    assert (check.code, check.is_down, check.could_run) == ("STF001", False, False)
    assert {check.ont_state, check.connection_state, check.port_state} == {"unknown"}


@pytest.mark.parametrize(
    ("behaviour", "reason", "detail"),
    [
        (line_tester.refused("serviceId is not known"), "refused", "400 serviceId is not known"),
        (line_tester.refused("no", status="200 OK"), "refused", "no"),
        (line_tester.faulted("403 Forbidden", "not your job"), "refused", "403 not your job"),
        (line_tester.faulted("404 Not Found", "no path"), "refused", "404 no path"),
        (
            line_tester.faulted("500 Oops", "broken"),
            "no_answer",
            "500 broken",
        ),
        (
            line_tester.faulted("200 OK", "odd"),
            "no_answer",
            "the seller answered with a fault (odd)",
        ),
        (seller.reply("503 Busy", b""), "no_answer", "503"),
        (seller.reply("429 Many", b""), "too_many", ""),
        (seller.reply("302 Found", b"", headers="Location: https://localhost/\r\n"), "no_answer", "302"),
        (seller.reply("200 OK", b"<html>proxy"), "no_answer", "the answer is not XML"),
        (seller.reply("200 OK", b'{"messageId": 1}'), "no_answer", "the answer is not XML"),
        (seller.reply("200 OK", b""), "no_answer", "the answer is not XML"),
        (
            seller.reply("200 OK", b"<a/>"),
            "no_answer",
            "the answer is no SOAP envelope with one element in its Body",
        ),
        (
            seller.reply("200 OK", b'<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>'),
            "no_answer",
            "the answer has a document type",
        ),
        (
            seller.reply("200 OK", b"<a>" + b"<b/>" * 3000 + b"</a>"),
            "no_answer",
            "the answer has too many elements",
        ),
        (seller.reply("200 OK", b"<a>" * 400 + b"</a>" * 400), "no_answer", "the answer is not XML"),
        (seller.reply("200 OK", b" " * 300_000), "no_answer", "the answer is too large"),
        (line_tester.for_another_message, "no_answer", "the answer belongs to another message"),
        (line_tester.for_another_service, "no_answer", "the answer is not the documented XML"),
        (seller.half_head, "no_answer", "the answer broke off"),
        (seller.half_body, "no_answer", "the answer broke off"),
        (seller.silent, "no_answer", "no answer within 1.5 s"),
        (seller.drip_body, "no_answer", "no answer within 1.5 s"),
    ],
    ids=range(23),
)
def test_anything_else_is_a_clear_reason(
    endpoint: seller.Endpoint, behaviour: seller.Behaviour, reason: str, detail: str
) -> None:
    endpoint.behaviours = [behaviour]
    job = job_on_site()

    problem = unavailable(job)

    assert (problem.reason, problem.detail) == (LineCheckReason(reason), detail)
    assert str(problem.reason.label) in problem.text
    assert newest_line_check(job) is None


def test_external_entity_is_not_fetched(endpoint: seller.Endpoint) -> None:
    body = f'<!DOCTYPE a [<!ENTITY e SYSTEM "{endpoint.url}/secret">]><a>&e;</a>'.encode()
    endpoint.behaviours = [seller.reply("200 OK", body)]

    assert unavailable(job_on_site()).reason == LineCheckReason.NO_ANSWER
    assert [message["_path"] for message in endpoint.received] == [PATH]


def test_other_endpoint_is_asked_when_the_first_fails(
    endpoint: seller.Endpoint, second: seller.Endpoint
) -> None:
    endpoint.behaviours = [seller.reset]
    second.behaviours = [line_tester.answered(**line_tester.WORKING)]

    assert check_line(job_on_site(), by=SYSTEM).code == "AOK001"


def test_endpoint_that_rests_is_asked_last(endpoint: seller.Endpoint, second: seller.Endpoint) -> None:
    open_until = timezone.now() + timedelta(seconds=20)
    EndpointHealth.objects.create(endpoint=endpoint.url, open_until=open_until)
    second.behaviours = [line_tester.answered(**line_tester.WORKING)]

    check_line(job_on_site(), by=SYSTEM)

    assert endpoint.received == []


def test_answer_of_the_last_seconds_is_given_again(endpoint: seller.Endpoint) -> None:
    endpoint.behaviours = [line_tester.answered(**line_tester.WORKING)]
    job, other = job_on_site(), job_on_site()

    first = check_line(job, by=SYSTEM)
    again, for_other = check_line(job, by=SYSTEM), check_line(other, by=SYSTEM)

    assert len(endpoint.received) == 1
    assert again == first
    assert (for_other.job, for_other.checked_at, for_other.code) == (other, first.checked_at, "AOK001")


def test_older_answer_is_asked_for_anew(endpoint: seller.Endpoint, settings: Settings) -> None:
    settings.LINE_CHECK = replace(settings.LINE_CHECK, cache_seconds=0)
    endpoint.behaviours = [
        line_tester.answered(**line_tester.FIBRE_CUT),
        line_tester.answered(**line_tester.WORKING),
    ]
    job = job_on_site()

    codes = [check_line(job, by=SYSTEM).code for _ in range(2)]

    assert codes == ["CFH001", "AOK001"]
    newest = newest_line_check(job)
    assert newest is not None
    assert newest.code == "AOK001"


@pytest.mark.parametrize("limit", ["per_job", "per_minute"])
def test_more_than_the_limit_is_not_asked(endpoint: seller.Endpoint, settings: Settings, limit: str) -> None:
    settings.LINE_CHECK = replace(settings.LINE_CHECK, cache_seconds=0, **{limit: 2})
    endpoint.behaviours = [seller.reply("503 Busy", b"")]
    job = job_on_site()

    reasons = [unavailable(job) for _ in range(3)]

    assert [problem.reason for problem in reasons] == ["no_answer", "no_answer", "too_many"]
    assert 0 < reasons[-1].seconds <= 60
    assert len(endpoint.received) == 2


def test_limit_of_a_job_leaves_another_alone(endpoint: seller.Endpoint, settings: Settings) -> None:
    settings.LINE_CHECK = replace(settings.LINE_CHECK, cache_seconds=0, per_job=1)
    endpoint.behaviours = [line_tester.answered(**line_tester.WORKING)]
    check_line(job_on_site(), by=SYSTEM)

    assert check_line(job_on_site(service="FBR2"), by=SYSTEM).code == "AOK001"


def test_process_that_is_busy_asks_nobody(endpoint: seller.Endpoint) -> None:
    job = job_on_site()
    with throttling.slow_slot():
        problem = unavailable(job)

    assert (problem.reason, problem.seconds) == (LineCheckReason.TOO_MANY, throttling.RETRY_AFTER_SECONDS)
    assert endpoint.received == []


def test_switch_is_off(endpoint: seller.Endpoint, settings: Settings) -> None:
    settings.LINE_CHECK = replace(settings.LINE_CHECK, is_on=False)

    assert unavailable(job_on_site()).reason == LineCheckReason.SWITCHED_OFF
    assert endpoint.received == []


def test_job_without_a_service_identifier(endpoint: seller.Endpoint) -> None:
    assert unavailable(job_on_site(service="")).reason == LineCheckReason.NO_SERVICE
    assert endpoint.received == []


def test_job_that_has_ended_is_not_asked_about(endpoint: seller.Endpoint) -> None:
    job = make.job(at_state=JobState.CANCELLED)
    Job.objects.filter(pk=job.pk).update(service_identifier=SERVICE)
    job.refresh_from_db()

    assert unavailable(job).reason == LineCheckReason.REFUSED
    assert endpoint.received == []


def test_service_that_no_xml_can_carry(endpoint: seller.Endpoint) -> None:
    assert unavailable(job_on_site(service="FBR\x01")).reason == LineCheckReason.REFUSED
    assert endpoint.received == []


def test_own_certificate_that_is_missing(endpoint: seller.Endpoint, settings: Settings) -> None:
    settings.SELLER_CLIENT_CERT = "/nowhere/partner.pem"

    problem = unavailable(job_on_site())

    assert problem.reason == LineCheckReason.NO_ANSWER
    assert "certificate" in problem.detail


def test_nobody_listens(endpoint: seller.Endpoint) -> None:
    endpoint.close()

    assert unavailable(job_on_site()).reason == LineCheckReason.NO_ANSWER


def test_odd_values_are_not_reported(endpoint: seller.Endpoint) -> None:
    odd = line_tester.WORKING | {
        "ont": ("Half Up", "0001-01-01T00:00:00Z", "Sideways"),
        "local": (("PON" * 100, "Blue"),) * 60,
    }
    endpoint.behaviours = [line_tester.answered(**odd)]

    check = check_line(job_on_site(), by=SYSTEM)

    assert check.ont == LinePart("unknown", None, "")
    assert len(check.nodes) == MAX_NODES
    assert check.nodes[0] == {"path": "local", "name": ("PON" * 100)[:40], "colour": "unknown"}
