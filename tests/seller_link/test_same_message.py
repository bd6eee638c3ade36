"""What counts as the same message, and what a refusal says: whatever was written, the content decides."""

from typing import Any
from uuid import uuid4

import pytest

from dispatch.models import Job
from dispatch.states import JobState
from seller_link.models import InboundMessage
from seller_link.wire import incoming, refusals
from tests import make
from tests.seller_link.inbox import faultcode, fields, say
from tests.seller_link.wire import LEFT_OUT, message


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "other",
    [
        {"expectedDurationMinutes": 60.0},
        {"correlationId": None},
        {"property__latitude": 53.0},
        {"messageId": "0B0E61B5-4C1F-4F0C-9A53-0C2B3C0A7C11"},
    ],
    ids=lambda other: next(iter(other)),
)
def test_message_in_another_spelling_is_the_same(other: dict[str, Any]) -> None:
    written = {"expectedDurationMinutes": 60, "property__latitude": 53, "correlationId": LEFT_OUT}
    written |= {"messageId": "0b0e61b5-4c1f-4f0c-9a53-0c2b3c0a7c11"}
    first = say("createJob", message("createJob", **written))

    again = say("createJob", message("createJob", **{**written, **other}))
    anew = say("createJob", message("createJob", **{**written, **other, "messageId": str(uuid4())}))

    assert (first.status, again) == (200, first)
    assert (anew.status, anew.body["providerJobId"]) == (200, first.body["providerJobId"])
    assert InboundMessage.objects.get(message_id=written["messageId"]).repeats == 1


def test_member_that_comes_twice_is_refused() -> None:
    raw = b'{"messageId": "1", "providerJobId": "J-1", "providerJobId": "J-2"}'

    with pytest.raises(refusals.Refusal) as refused:
        incoming.parse(raw)

    assert (refused.value.status, refused.value.faultcode) == (400, "invalidBody")
    assert "'providerJobId' twice" in refused.value.message


def test_member_that_comes_twice_is_found_among_very_many() -> None:
    """Two steps for each of them would be minutes."""
    members = ", ".join(f'"{number}": 1' for number in [*range(100_000), 99_999])

    with pytest.raises(refusals.Refusal, match="'99999' twice"):
        incoming.parse(f"{{{members}}}".encode())


@pytest.mark.django_db(transaction=True)
def test_refusal_names_the_first_hundred_places() -> None:
    answer = say("createJob", message("createJob", property__address__lines=[1] * 60_000))

    details = answer.body["fault"]["detail"]
    assert (answer.status, len(details)) == (422, 101)
    assert details[-1]["message"] == "More than 100 places are wrong; these are the first."


@pytest.mark.django_db(transaction=True)
def test_refused_message_is_shown_at_the_job_that_it_is_about() -> None:
    job, other = make.job(), make.job()
    say(
        "notifyJob",
        {
            "sentAt": "x",
            "more": {"providerJobId": job.provider_job_id},
            "providerJobId": other.provider_job_id,
        },
    )

    assert InboundMessage.objects.get().job == other


@pytest.mark.django_db(transaction=True)
def test_scan_of_another_job_is_refused() -> None:
    job, other = make.job(at_state=JobState.ON_SITE), make.job(at_state=JobState.ON_SITE)
    scan = make.scan(other)
    body = message("notifyJob", providerJobId=job.provider_job_id, scanId=str(scan.scan_id))

    answer = say("notifyJob", body)

    assert (faultcode(answer), fields(answer)) == ((422, "invalidMessage"), ["/scanId"])
    assert not job.results.exists()


@pytest.mark.django_db(transaction=True)
def test_closed_job_is_named_when_it_is_created_with_another_content() -> None:
    first = say("createJob", message("createJob"))
    Job.objects.update(state=JobState.CLOSED)

    again = say("createJob", message("createJob", messageId=str(uuid4()), site__notes="A second visit"))

    (detail,) = again.body["fault"]["detail"]
    assert faultcode(again) == (409, "duplicateJob")
    assert detail["message"].startswith(f"The closed job {first.body['providerJobId']} has this sellerJobId")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("state", "remedy"),
    [
        (JobState.ASSIGNED, "Cancel it and create a job with a new one."),
        (JobState.ON_SITE, "The engineer was or is on site. Call the dispatch office."),
        (JobState.CLOSED, "Create a job with a new one."),
    ],
)
def test_another_content_is_answered_with_what_can_still_be_done(state: JobState, remedy: str) -> None:
    job = make.job(at_state=state)

    answer = say("createJob", message("createJob", sellerJobId=job.seller_job_id, site__notes="Other"))

    (detail,) = answer.body["fault"]["detail"]
    assert faultcode(answer) == (409, "duplicateJob")
    assert detail["message"].endswith(f" has this sellerJobId with different content. {remedy}")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("state", "code"), [(JobState.ON_SITE, "installationStarted"), (JobState.CLOSED, "jobClosed")]
)
def test_cancellation_that_comes_too_late_is_refused_at_the_member_that_names_the_job(
    state: JobState, code: str
) -> None:
    job = make.job(at_state=state)
    members = {
        "/providerJobId": {"providerJobId": job.provider_job_id, "sellerJobId": job.seller_job_id},
        "/sellerJobId": {"providerJobId": None, "sellerJobId": job.seller_job_id},
    }

    for field, named in members.items():
        answer = say("cancelJob", message("cancelJob", messageId=str(uuid4()), **named))

        assert (faultcode(answer), fields(answer)) == ((409, code), [field])
