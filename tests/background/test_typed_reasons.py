"""Names in what the office typed and the seller wrote beside a job: gone with the person, also from the audit."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from background import erasure, personal_data
from board.models import SavedFilter
from dispatch.models import Job, ProvisioningResult
from dispatch.states import JobState
from engineers.models import AuditEntry, Engineer
from engineers.retention import identifying_names, names_somebody
from seller_link import message_states, outbox, replays
from seller_link.models import InboundMessage, OutboundMessage, OutboundState, Replay
from tests import make
from tests.seller_link.inbox import say
from tests.seller_link.wire import message

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def engineer() -> Engineer:
    return make.engineer(name="Zelda Zuckermann")


@pytest.fixture
def job(engineer: Engineer) -> Job:
    job = make.job(at_state=JobState.ON_SITE, to=engineer)
    make.scan(job)
    make.result(job, 3)
    make.answer_all(job, code="RNA/NA")
    make.close(job, "RNA/NA", engineer=engineer)
    for reason in ("Pat TESTER has rung", "Asked for by Zelda Zuckermann", "Outage of Monday"):
        replays.start_replay(
            messages=OutboundMessage.objects.filter(job=job), by=make.office().user, reason=reason
        )
    OutboundMessage.objects.update(state=OutboundState.SENT)
    job.refresh_from_db()
    return job


def other_customer_s_job() -> Job:
    job = make.job(at_state=JobState.CLOSED)
    job.contact_name, job.contact_phone, job.contact_email = "Sam Someone", "0113 496 0999", ""
    job.save()
    return job


def reasons() -> tuple[list[str], list[Any]]:
    """Of the replays and of their lines in the audit, in their order."""
    audit = AuditEntry.objects.filter(action="replayed").order_by("pk")
    return (
        list(Replay.objects.order_by("pk").values_list("reason", flat=True)),
        [(entry.after or {})["reason"] for entry in audit],
    )


def test_erased_customer_is_in_no_reason(job: Job) -> None:
    counts = erasure.erase_customer(job.contact_phone)

    left = ["", "Asked for by Zelda Zuckermann", "Outage of Monday"]
    assert reasons() == (left, left)
    assert counts["typed reasons"] == 2


def test_erased_engineer_is_in_no_reason(job: Job, engineer: Engineer) -> None:
    erasure.erase_engineer(engineer.staff_number)

    left = ["Pat TESTER has rung", "", "Outage of Monday"]
    assert reasons() == (left, left)


@pytest.mark.parametrize("contact", ["Reception", "N/A", "N / A", "-", "  ", "J."])
def test_contact_of_a_single_word_empties_no_reason_about_others(job: Job, contact: str) -> None:
    """Nor a saved filter. The seller writes what it has: a role, or nothing."""
    reason = f"For {contact} of Leeds - J. Doe has rung N/A N / A"
    other, office = other_customer_s_job(), make.office().user
    replays.start_replay(messages=OutboundMessage.objects.filter(job=other), by=office, reason=reason)
    OutboundMessage.objects.update(state=OutboundState.SENT)
    SavedFilter.objects.create(user=office, page="jobs", name="Reception - N/A N / A J.", query="")
    Job.objects.filter(pk=job.pk).update(contact_name=contact)

    counts = erasure.erase_customer(job.contact_phone)

    assert (reasons()[0][-1], reasons()[1][-1]) == (reason, reason)
    assert (counts["typed reasons"], counts["saved filters"]) == (0, 0)


def test_single_word_is_a_name_in_reasons_for_messages_of_the_job(job: Job) -> None:
    """In a reason for messages of several jobs, it may be about anybody."""
    other, office = other_customer_s_job(), make.office().user
    mixed = OutboundMessage.objects.filter(job__in=[job, other])
    message = OutboundMessage.objects.filter(job=job).last()
    assert message is not None
    replays.start_replay(messages=mixed, by=office, reason="Tester asked twice")
    replays.start_replay(messages=[message], by=office, reason="Tester has rung")
    message_states.hold(message.pk, reason="no")
    outbox.replay_message(message=message, by=office, reason="Tester again")
    OutboundMessage.objects.update(state=OutboundState.SENT)
    Job.objects.filter(pk=job.pk).update(contact_name="Tester")

    erasure.erase_customer(job.contact_phone)

    assert reasons()[0][-2:] == ["Tester asked twice", ""]
    assert reasons()[1][-3:] == ["Tester asked twice", "", ""]


def test_name_of_two_words_is_the_customer_s_only_where_the_text_is_about_the_job(job: Job) -> None:
    """Elsewhere it may mean anything else; a telephone number never does."""
    other, office = other_customer_s_job(), make.office().user
    Job.objects.filter(pk=job.pk).update(contact_name="May Day", contact_phone="0113 496 0777")
    own, second, third = OutboundMessage.objects.filter(job=job)[:3]
    (others,) = OutboundMessage.objects.filter(job=other)
    for messages, reason in [
        ([second, others], "Resent later, with others"),
        ([second], "May Day, whose messages were all resent since"),
        ([own], "Asked for by May Day"),
        ([second, others], "For May Day and others"),
        ([third], "Call 0113 496 0777 first"),
        ([others], "Outage since May Day"),
    ]:
        replays.start_replay(messages=messages, by=office, reason=reason)
    message_states.hold(others.pk, reason="no")
    outbox.replay_message(message=others, by=office, reason="May Day holiday")
    OutboundMessage.objects.update(state=OutboundState.SENT)

    erasure.erase_customer("0113 496 0777")

    in_replays, in_audit = reasons()
    expected = ["Resent later, with others", "", "", "", "", "Outage since May Day"]
    assert in_replays[-6:] == expected
    assert in_audit[-7:] == [*expected, "May Day holiday"]


def test_saved_filter_is_the_customer_s_by_whole_words_only(job: Job) -> None:
    user = make.office().user
    Job.objects.filter(pk=job.pk).update(contact_name="May Day", contact_phone="0113 496 0777")
    filters = {
        "Monday dayshift": "skill=CHP",
        "May days": "text=Norway dayshift",
        "Maypole": "text=Norway dayshift",
        "Complaint": "text=may+day",
        "0113 496 0777": "",
        "That job": f"text={str(job).lower()}",
    }
    for name, query in filters.items():
        SavedFilter.objects.create(user=user, page="board", name=name, query=query)

    counts = erasure.erase_customer("0113 496 0777")

    assert set(SavedFilter.objects.values_list("name", flat=True)) == {
        "Monday dayshift",
        "May days",
        "Maypole",
    }
    assert counts["saved filters"] == 3


@pytest.mark.parametrize(
    ("act", "action"), [(outbox.replay_message, "replayed"), (outbox.stop_message, outbox.MESSAGE_STOPPED)]
)
def test_audit_of_a_held_message_has_the_code_of_its_refusal_only(
    job: Job, act: Callable[..., OutboundMessage], action: str
) -> None:
    """The seller may have written anything beside it."""
    message, office = OutboundMessage.objects.filter(job=job).last(), make.office().user
    assert message is not None
    answer = '{"fault": {"faultcode": "invalidMessage", "faultmessage": "Pat Tester moved"}}'
    for reason in (f"422 {answer}", "400 Pat Tester has moved", "Pat Tester"):
        message_states.hold(message.pk, reason=reason)
        act(message=message, by=office, reason="They lost it")

    befores = AuditEntry.objects.filter(action=action, before__isnull=False).order_by("pk")
    held = [(entry.before or {})["held_reason"] for entry in befores]
    assert held == ["422 invalidMessage", "400", ""]


@pytest.mark.parametrize(
    ("name", "is_identifying"),
    [
        ("Pat Tester", True),
        ("Ms O'Neill", True),
        ("+44 (0)113 496-0001", True),
        ("pat@example.org", True),
        ("Reception", False),
        ("J-3EQ6-8YHY", False),
        ("N / A", False),
        ("- -", False),
        ("112", False),
    ],
)
def test_names_that_mean_one_person_everywhere(name: str, *, is_identifying: bool) -> None:
    assert (identifying_names([name]) == {name}) is is_identifying


@pytest.mark.parametrize(
    ("details", "left"), [("For Pat Tester", ""), ("No light at port 3", "No light at port 3")]
)
def test_result_keeps_what_the_seller_wrote_unless_it_names_the_customer(
    job: Job, details: str, left: str
) -> None:
    ProvisioningResult.objects.update(details=details)

    erasure.erase_customer(job.contact_phone)

    result = ProvisioningResult.objects.get()
    assert (result.result_id, result.details) == (3, left)


def test_reasons_of_replays_end_with_the_audit(job: Job) -> None:
    personal_data.purge(timezone.now() + timedelta(days=4000))

    assert set(reasons()[0]) == {""}


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("al has rung", True),
        ("Al, again", True),
        ("an alarm", False),
        ("signal", False),
        ("- …", False),
        ("", False),
    ],
)
def test_short_name_is_a_word_of_its_own(text: str, *, is_named: bool) -> None:
    assert names_somebody(text, ["Al", " ", "-", "…"]) is is_named


@pytest.mark.parametrize(("seller_job_id", "phone"), [("12", "0113 496 0777"), ("SJ-77", "-")])
def test_refused_message_of_somebody_else_is_not_masked(seller_job_id: str, phone: str) -> None:
    """Though it has the number of the job, or what stands for no telephone number, inside a text."""
    job = make.job(at_state=JobState.CLOSED, seller_job_id=seller_job_id)
    Job.objects.filter(pk=job.pk).update(contact_phone=phone)
    OutboundMessage.objects.update(state=OutboundState.SENT)
    wrong = {"siteContact": {"name": "Sam Someone", "phone": "07700 900123"}, "property__uprn": "x"}
    for number in ("SJ-1234", seller_job_id):
        assert say("createJob", message("createJob", sellerJobId=number, **wrong)).status == 422

    erasure.erase_customer(str(job))

    stored = InboundMessage.objects.order_by("pk").values_list("body", flat=True)
    assert ["Sam Someone" in body for body in stored] == [True, False]
