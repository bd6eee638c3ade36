"""A job that the seller has lost: all its waiting messages are stopped in one step, which says what became of each."""

import pytest
from django.test import Client

from engineers.models import AuditEntry
from seller_link.models import OutboundMessage, OutboundState
from tests import make
from tests.board.office import signed_in
from tests.seller_link.test_stopped_messages import held_job

pytestmark = pytest.mark.django_db(transaction=True)


def url_of(message: OutboundMessage) -> str:
    return f"/board/jobs/{message.job.provider_job_id}/messages/stop/"


def waiting() -> list[OutboundMessage]:
    """Of one job: the first is held, the second waits behind it."""
    return list(held_job().outbound_messages.select_related("job").order_by("seq"))


def test_job_and_list_of_stuck_messages_lead_to_the_page() -> None:
    first, _second = waiting()
    pages = ("/board/messages/stuck/", f"/board/messages/{first.message_id}/", f"/board/jobs/{first.job}/")

    for page in pages:
        assert f'href="{url_of(first)}"' in signed_in().get(page).content.decode()


def test_all_are_stopped_and_each_row_says_so() -> None:
    messages = waiting()
    url = url_of(messages[0])
    page = signed_in().get(url)
    assert [line.state for line in page.context["page"].lines] == ["Held", "Waiting"]
    assert "Stop sending 2 messages" in page.content.decode()

    form = {"message": [message.pk for message in messages], "reason": "The seller lost the job"}
    answer = signed_in().post(url, form, follow=True)

    assert "Sending of 2 messages stopped." in answer.content.decode()
    assert [line.state for line in answer.context["page"].lines] == ["Sending stopped"] * 2
    reasons = [entry.after["reason"] for entry in AuditEntry.objects.filter(action="message_stopped")]
    assert reasons == ["The seller lost the job"] * 2
    assert url not in signed_in().get(f"/board/jobs/{messages[0].job}/").content.decode()


@pytest.mark.parametrize(
    ("reason", "number", "problem"),
    [
        (" ", 2, "Enter a reason for stopping."),
        ("They lost it", 1, "The messages of this job have changed since you opened the page."),
    ],
)
def test_refused_stop_changes_nothing_and_keeps_the_reason(reason: str, number: int, problem: str) -> None:
    messages = waiting()
    keys = [message.pk for message in messages[:number]]

    answer = signed_in().post(url_of(messages[0]), {"message": keys, "reason": reason})

    assert (answer.status_code, answer.content.decode().count(problem)) == (400, 1)
    assert answer.context["page"].reason == reason
    assert not OutboundMessage.objects.filter(state=OutboundState.STOPPED).exists()


def test_only_who_may_resend_may_stop() -> None:
    messages = waiting()
    client = Client()
    client.force_login(make.engineer().user)

    answer = client.post(url_of(messages[0]), {"message": [m.pk for m in messages], "reason": "x"})

    assert answer.status_code == 403
    assert not OutboundMessage.objects.filter(state=OutboundState.STOPPED).exists()
