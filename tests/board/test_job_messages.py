"""The messages on the page of a job: the newest of a seller who repeats without end, and all of ours."""

import json
from datetime import timedelta

import pytest

from board.messages.job_messages import MOST_CHARACTERS, MOST_INBOUND, list_job_messages
from dispatch.models import Job
from dispatch.states import JobState
from seller_link.models import InboundMessage, InboundOutcome
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db


def refuse_messages(job: Job, *, number: int, body: str = "{}") -> None:
    """This many in turn, each a minute after the one before."""
    InboundMessage.objects.bulk_create(
        InboundMessage(
            job=job,
            raw_message_id=f"M-{index}",
            operation="cancelJob",
            body=body,
            received_at=make.now() + timedelta(minutes=index),
            outcome=InboundOutcome.REFUSED,
            response_status=400,
        )
        for index in range(number)
    )


def test_newest_of_many_are_listed_and_the_log_has_all() -> None:
    job, client = make.job(at_state=JobState.EN_ROUTE), signed_in()
    before = list_job_messages(job)
    refuse_messages(job, number=MOST_INBOUND + 30)

    answer = client.get(f"/board/jobs/{job}/")

    found, html = answer.context["page"].messages, answer.content.decode()
    received = [line.message_id for line in found.lines if line.operation == "cancelJob"]
    assert received == [f"M-{index}" for index in range(30, MOST_INBOUND + 30)]
    assert (found.older, found.number - before.number) == (30, MOST_INBOUND + 30)
    assert "30 older messages of the seller are not listed here." in html
    log = client.get(found.log_url).context["page"]
    assert (len(log.lines), {line.job_id for line in log.lines}) == (50, {str(job)})


def test_few_are_listed_without_a_word_about_older_ones() -> None:
    job = make.job(at_state=JobState.EN_ROUTE)
    refuse_messages(job, number=MOST_INBOUND)

    assert list_job_messages(job).older == 0
    assert "not listed here" not in signed_in().get(f"/board/jobs/{job}/").content.decode()


def test_endless_body_is_cut_and_its_own_page_has_it_whole() -> None:
    job, client = make.job(at_state=JobState.EN_ROUTE), signed_in()
    refuse_messages(job, number=1, body=json.dumps({"property": {"flags": [*range(MOST_CHARACTERS)]}}))

    (line,) = [line for line in list_job_messages(job).lines if line.operation == "cancelJob"]

    assert (len(line.body), line.body.endswith("\n…")) == (MOST_CHARACTERS + 2, True)
    assert f"{MOST_CHARACTERS - 1}\n" in client.get(line.url).content.decode()
