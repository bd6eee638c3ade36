"""Answers ride on the next event, once; the closing carries all of them with the source that carried each first."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from closures.photos import evidence
from closures.photos.evidence import Capture
from dispatch import visits
from dispatch.models import Job
from dispatch.states import JobState
from seller_link import message_states, outbox, replays, retention
from seller_link.models import DeliveryAttempt, OutboundMessage, OutboundState
from seller_link.wire import contract
from tests import make

pytestmark = pytest.mark.django_db


def bodies(job: Job) -> list[dict[str, Any]]:
    return list(job.outbound_messages.order_by("seq").values_list("body", flat=True))


def carried(body: dict[str, Any]) -> list[tuple[str, str, str]]:
    entries = body.get("questions_answers", [])
    return [(entry["question_code"], entry["answer"], entry["source"]) for entry in entries]


def close(job: Job, code: str) -> dict[str, Any]:
    make.close(job, code, remarks="Agreed with the customer")
    return bodies(job)[-1]


def test_answers_ride_on_the_next_event_once() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.record_answer(job, "SAF01", "yes")
    make.record_answer(job, "SAF03", "no")

    make.scan(job)
    make.scan(job, fsan="ALCLF1234567")

    first, second = bodies(job)[-2:]
    assert carried(first) == [("SAF01", "Yes", "notifyJob"), ("SAF03", "No", "notifyJob")]
    assert "questions_answers" not in second
    assert contract.problems("notifyJob.partner", first) == []


def test_changed_answer_is_new_and_the_same_one_is_not() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.record_answer(job, "SAF01", "yes")
    make.record_answer(job, "SAF03", "no")
    make.scan(job)

    make.record_answer(job, "SAF01", "yes")
    make.record_answer(job, "SAF03", "yes")
    make.scan(job, fsan="ALCLF1234567")

    assert carried(bodies(job)[-1]) == [("SAF03", "Yes", "notifyJob")]


def test_answer_that_is_no_longer_asked_does_not_ride() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.record_answer(job, "SAF01", "no")
    make.record_answer(job, "SAF02", "A dog")
    make.record_answer(job, "SAF01", "yes")

    make.scan(job)

    assert carried(bodies(job)[-1]) == [("SAF01", "Yes", "notifyJob")]


def test_photos_wait_for_the_closing() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    photo = make.photo(job, question_code="PHO01")
    make.record_answer(job, "PHO01", [str(photo.pk)])

    make.scan(job)

    assert "questions_answers" not in bodies(job)[-1]


def test_closing_carries_all_each_with_its_first_source() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.record_answer(job, "SAF01", "yes")
    make.record_answer(job, "SAF03", "no")
    make.scan(job)
    make.record_answer(job, "SAF03", "yes")
    make.result(job, 1)
    make.answer_all(job)

    body = close(job, "SP")

    entries = {entry["question_code"]: entry for entry in body["questions_answers"]}
    assert entries["SAF01"]["source"] == "notifyJob"
    assert (entries["SAF03"]["answer"], entries["SAF03"]["source"]) == ("Yes", "closeJob")
    assert (entries["LGT01"]["answer"], entries["LGT01"]["source"]) == ("-18.5", "closeJob")
    assert (entries["PHO01"]["answer"], entries["PHO01"]["source"]) == ("1", "Closure")
    with_files = {code for code, entry in entries.items() if "files" in entry}
    assert with_files == {code for code, entry in entries.items() if entry["source"] == "Closure"}
    assert all(len(entry["files"]) == int(entry["answer"]) for entry in entries.values() if "files" in entry)
    assert contract.problems("closeJob", body) == []


def test_photo_that_never_arrived_is_no_answer_of_an_office_closing() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    capture = Capture(uuid.uuid4(), "PHO01", make.now(), source="camera")
    make.record_answer(
        job, "PHO01", [str(make.act(evidence.announce_photo, job=job, capture=capture, by=None).pk)]
    )
    visits.assign(job=job, engineer=make.engineer(), starts_at=make.at("11:00"), by=make.office())

    make.close_without_visit(job, "MBORC", remarks="Storm")

    body = bodies(job)[-1]
    assert (body["questions_answers"], "engineer" in body) == ([], False)


def test_photo_answer_without_files_breaks_the_contract() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.answer_all(job, code="RNA/NA")
    body = close(job, "RNA/NA")
    (photo, *_others) = [entry for entry in body["questions_answers"] if entry["source"] == "Closure"]

    for broken in (
        {**photo, "files": []},
        {name: member for name, member in photo.items() if name != "files"},
    ):
        found = contract.problems("closeJob", {**body, "questions_answers": [broken]})
        assert [detail.field for detail in found] == ["/questions_answers/0/files"]


def held_scan_with_a_wrong_answer() -> Job:
    """The seller rejected the event that carried the answer to SAF03, and has those before it."""
    job = make.job(at_state=JobState.ON_SITE)
    make.record_answer(job, "SAF01", "yes")
    make.record_answer(job, "SAF03", "no")
    make.scan(job)
    job.outbound_messages.filter(seq__lt=4).update(state=OutboundState.SENT, sent_at=make.now(), claims=1)
    job.outbound_messages.filter(seq=4).update(state=OutboundState.HELD, claims=1)
    return job


def correct(job: Job) -> None:
    """The dispatcher takes the wrong answer out of the held message."""
    held = job.outbound_messages.get(seq=4)
    entries = [entry for entry in held.body["questions_answers"] if entry["question_code"] != "SAF03"]
    body = {**held.body, "questions_answers": entries}
    outbox.replay_message(message=held, by=make.dispatcher(), reason="Wrong answer", body=body)


def stop(job: Job) -> None:
    outbox.stop_message(message=job.outbound_messages.get(seq=4), by=make.dispatcher(), reason="They lost it")


def sources(job: Job) -> dict[str, str]:
    entries = job.outbound_messages.get(operation="closeJob").body["questions_answers"]
    return {entry["question_code"]: entry["source"] for entry in entries if "SAF" in entry["question_code"]}


@pytest.mark.parametrize("is_closed_before", [True, False])
@pytest.mark.parametrize(("end", "first_source"), [(correct, "notifyJob"), (stop, "closeJob")])
def test_closing_knows_what_a_person_took_out_of_an_event(
    end: Callable[[Job], None], first_source: str, is_closed_before: bool
) -> None:
    job = held_scan_with_a_wrong_answer()
    make.result(job, 1)
    make.answer_all(job)

    for act in (close_sp, end) if is_closed_before else (end, close_sp):
        act(job)

    assert sources(job)["SAF01"] == first_source
    assert sources(job)["SAF03"] == "closeJob"


@pytest.mark.parametrize("last_seq", [4, 5], ids=["alone", "with the closing"])
def test_closing_knows_an_event_that_was_stopped_and_is_resent(last_seq: int) -> None:
    job = held_scan_with_a_wrong_answer()
    make.result(job, 1)
    make.answer_all(job)
    close(job, "SP")
    stop(job)
    before = sources(job)["SAF01"]

    resent = job.outbound_messages.filter(seq__gte=4, seq__lte=last_seq)
    replay = replays.start_replay(messages=resent, by=make.dispatcher(), reason="A mistake")

    assert replay.messages.count() == last_seq - 3
    assert (before, sources(job)["SAF01"]) == ("closeJob", "notifyJob")


def close_sp(job: Job) -> None:
    close(job, "SP")


def record_try(closing: OutboundMessage) -> None:
    DeliveryAttempt.objects.create(message=closing, endpoint="x", started_at=make.now(), milliseconds=1)


def let_relay_end_on_the_way(closing: OutboundMessage) -> None:
    OutboundMessage.objects.filter(pk=closing.pk).update(lease_expires_at=make.now() - timedelta(minutes=1))


@pytest.mark.parametrize("attempt", [record_try, let_relay_end_on_the_way])
def test_closing_that_was_tried_keeps_its_body(attempt: Callable[[OutboundMessage], None]) -> None:
    job = held_scan_with_a_wrong_answer()
    make.result(job, 1)
    make.answer_all(job)
    close(job, "SP")
    before = sources(job)
    attempt(job.outbound_messages.get(operation="closeJob"))

    correct(job)

    assert sources(job) == before


def test_closing_that_was_resent_but_never_tried_knows_a_correction() -> None:
    job = held_scan_with_a_wrong_answer()
    make.result(job, 1)
    make.answer_all(job)
    close(job, "SP")
    replays.start_replay(
        messages=job.outbound_messages.filter(seq__gte=4), by=make.dispatcher(), reason="Again"
    )
    message_states.hold(job.outbound_messages.get(seq=4).pk, reason="400 badPhone")

    correct(job)

    assert sources(job)["SAF03"] == "closeJob"


def test_closing_knows_what_an_event_carried_that_is_masked_since() -> None:
    """As the erasure of an engineer leaves the events of a job that goes on."""
    job = make.job(at_state=JobState.ON_SITE)
    make.record_answer(job, "SAF01", "yes")
    make.record_answer(job, "SAF03", "no")
    make.scan(job)
    job.outbound_messages.update(state=OutboundState.SENT)
    assert retention.mask_outbound(job.outbound_messages.all()) == 4
    make.record_answer(job, "SAF03", "yes")
    make.result(job, 1)
    make.answer_all(job)

    close(job, "SP")

    assert (sources(job)["SAF01"], sources(job)["SAF03"]) == ("notifyJob", "closeJob")
