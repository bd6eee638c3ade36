"""No table of the database keeps what was planted about a customer or an engineer once it was purged or erased."""

import io
import json
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from axes.models import AccessAttempt, AccessLog
from django.conf import settings
from django.db import connection, models
from django.utils import timezone
from pytest_django import Settings

from background import erasure, personal_data, personal_data_export
from closures import evidence_packs, review
from closures.models import Closure, EvidencePack, PackKind, Photo
from closures.photos import evidence
from closures.question_matrix.matrix_editions import matrix_for_job
from closures.review import ReviewItem
from customer_messages.models import CustomerMessage, CustomerMessageKind, MessageChannel
from dispatch import visits
from dispatch.models import Job, JobEvent
from dispatch.retention import PERSONAL_COLUMNS
from dispatch.states import EventKind, JobState
from engineers.engineer_records import read_record, update_engineer
from engineers.models import CompanyIdentity, Engineer
from monitoring import alarms
from monitoring.coded_texts import coded_text
from monitoring.models import Alarm, AlarmKind
from seller_link.models import DeliveryAttempt, OutboundMessage, OutboundState
from tests import make
from tests.board.office import look_for, signed_in
from tests.phone.phone import Phone
from tests.seller_link.inbox import say
from tests.seller_link.wire import message

pytestmark = pytest.mark.django_db(transaction=True)
POSITION = {"latitude": 53.8123456, "longitude": -1.5612345, "accuracy_metres": 7.0}
CONTACT = {"name": "Pat Quibblethwaite", "phone": "07700 900456", "email": "quibble@example.com"}
UNKNOWN = {"contactName": "planted-unknown", "of no profile": [{"county": "planted-deep"}]}
# each text once, so that a failure names where it came from
FAULT = {
    "faultType": "No light",
    "description": "planted-fault-description",
    "access": "planted-fault-access",
    "triageFindings": [{"name": "planted-fault-finding"}],
    "lastDiagnostics": {"text": "planted-fault-diagnostics"},
    "files": [{"name": "planted-fault-file"}],
}
SITE = {
    name: f"planted-site-{name}"
    for name in ("accessRestrictions", "preferredOntLocation", "hazards", "notes")
}
HOME = {"lines": ["12 Plantlane"], "town": "Plantford", "postcode": "LS6 9ZZ"}
CUSTOMER = (
    *CONTACT.values(),
    "Quibblethwaite",
    "Plantlane",
    "Plantford",
    "LS6 9ZZ",
    "LS69ZZ",
    "100098765432",
    "53.8123",
    "1.5612",
    "planted-",
)
ENGINEER = ("Zelda", "Zuckermann", "07700 900777", "zelda@example.com", "zelda-before", "zelda-now")


def left(texts: tuple[str, ...]) -> list[tuple[str, str]]:
    """Which table still holds which of these texts, in capitals or not: the index of the search has small letters."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            rows = str(cursor.fetchall()).casefold()
            found += [(table, text) for text in texts if text.casefold() in rows]
    return found


def received(seller_job_id: str, **changes: Any) -> Job:
    body = message(
        "createJob",
        sellerJobId=seller_job_id,
        siteContact={**CONTACT, **UNKNOWN},
        site={**SITE, **UNKNOWN},
        property__address={**HOME, **UNKNOWN},
        property__uprn="100098765432",
        property__latitude=POSITION["latitude"],
        property__longitude=POSITION["longitude"],
        network={"node": "planted-network", "keys": ["planted-network-list"]},
        **changes,
    )
    answer = say("createJob", body)
    return Job.objects.get(provider_job_id=answer.body["providerJobId"])


def zelda() -> Engineer:
    """With a user name of before, a company account, and sign-ins under both names, one in capitals."""
    engineer = make.engineer(username="zelda-before", name="Zelda Zuckermann")
    stored = read_record(engineer)
    record = replace(stored, username="zelda-now", phone="07700 900777", email="zelda@example.com")
    AccessLog.objects.create(username="zelda-before")
    update_engineer(engineer=engineer, record=record, version=stored.version, by=make.dispatcher())
    AccessAttempt.objects.create(username="ZELDA-NOW", failures_since_start=1)
    CompanyIdentity.objects.create(
        user=engineer.user, issuer="https://a.example", subject="zelda@example.com", linked_at=make.now()
    )
    return Engineer.objects.get()


def work_on(job: Job, phone: Phone) -> None:
    """On site, an alarm, every kind of answer, a photo that never comes, a closure, and entries that come too late."""
    make.walk(job, at_state=JobState.ON_SITE, to=phone.engineer)
    for value in ("no", "yes"):
        phone.say("answered", job, {"question": "SAF01", "value": value})
    phone.say("handover_requested", job, {"reason": "planted-hand-over"})
    signature = make.photo(job, question_code="SIG01")
    Photo.objects.filter(pk=signature.pk).update(signer=CONTACT["name"])
    make.record_answer(job, "SIG01", [str(signature.pk)])
    announced = {
        "photo_id": str(uuid.uuid4()),
        "question": "SIG01",
        "taken_at": make.now().isoformat(),
        "sha256": "0" * 64,
        "source": "camera",
        "signer": CONTACT["name"],
        "position": POSITION,
    }
    assert phone.say("photo_taken", job, announced)["outcome"] == "applied"
    make.answer_all(job)
    give_texts(job)
    make.scan(job)
    make.result(job, 1)
    close(job, phone)
    if settings.CLOSURE_REVIEW:
        review_twice(job, phone)
    for question in matrix_for_job(job).questions:
        if question.kind == "text":
            phone.say("answered", job, {"question": question.code, "value": "planted-late-answer"})
    phone.say("handover_requested", job, {"reason": "planted-late-hand-over"})


def close(job: Job, phone: Phone) -> None:
    closing = phone.say("close", job, {"code": "SP", "remarks": "planted-remarks"})
    assert closing["outcome"] == "applied", closing


def review_twice(job: Job, phone: Phone) -> None:
    """Sent back once, then approved."""
    again = [ReviewItem("SAF01")]
    decide(review.send_back, job, items=again, reason="planted-sent-back")
    make.record_answer(job, "SAF01", "yes")
    close(job, phone)
    decide(review.approve, job)


def decide(verb: Callable[..., None], job: Job, **fields: object) -> None:
    job.refresh_from_db()
    make.act(verb, job=job, by=make.office(), seen=job.last_event_seq, **fields)


def give_texts(job: Job) -> None:
    texts = [
        each
        for each in matrix_for_job(job).questions
        if each.kind == "text" and job.job_type in each.job_types
    ]
    for question in texts:
        make.record_answer(job, question.code, "planted-answer")
    assert texts


def cancelled(phone: Phone) -> Job:
    """While its engineer had no signal."""
    job = received("SJ-cancelled")
    visits.assign(job=job, engineer=phone.engineer, starts_at=make.at("10:45"), by=make.office())
    reason = {"code": "300", "message": "planted-cancellation"}
    say("cancelJob", message("cancelJob", providerJobId=str(job), reason=reason))
    assert phone.say("en_route", job, {"position": {**POSITION, "missing_because": ""}})["outcome"] == "late"
    assert phone.say("close", job, {"code": "OTHER", "remarks": "planted-late-remarks"})["outcome"] == "late"
    return job


@pytest.fixture(params=[False, True], ids=["closed at once", "closed after a review"])
def job(request: pytest.FixtureRequest, settings: Settings) -> Job:
    """All that the system can receive about one customer, delivered, with an engineer who is to leave."""
    settings.CLOSURE_REVIEW = request.param
    phone = Phone(zelda())
    job = received("SJ-worked", jobType="installation", fault=FAULT)
    work_on(job, phone)
    cancelled(phone)
    Photo.objects.exclude(latitude=None).update(**POSITION)
    JobEvent.objects.filter(kind=EventKind.ON_SITE).update(facts={"engineer_name": "x", **POSITION})
    refused = message("createJob", siteContact=CONTACT, property__uprn="100098765432-x")
    assert say("createJob", refused).status == 422
    alarms.raise_alarm(
        AlarmKind.MESSAGE_HELD,
        str(job),
        coded_text("message_held", address="1 Mill Lane, LS30 1AA", job=str(job), reason="400 planted-alarm"),
    )
    alarms.clear_alarm(AlarmKind.MESSAGE_HELD, str(job))
    sent = OutboundMessage.objects.first()
    DeliveryAttempt.objects.create(
        message=sent, endpoint="a", started_at=make.now(), milliseconds=1, response="planted-reply"
    )
    OutboundMessage.objects.update(state=OutboundState.SENT, held_reason="400 planted-refusal")
    CustomerMessage.objects.create(
        key="planted",
        message_id=uuid.uuid4(),
        job=job,
        kind=CustomerMessageKind.ON_THE_WAY,
        channel=MessageChannel.MAIL,
        recipient=CONTACT["email"],
        text="planted-message",
        window_start=job.window_start,
        **dict.fromkeys(("created_at", "next_attempt_at", "expires_at"), make.now()),
    )
    asked = {"page": "board", "name": "Visits", "query": "text=Zelda Zuckermann"}
    look_for(CONTACT["phone"], CONTACT["name"], "Zelda Zuckermann").post("/board/saved-filters/", asked)
    job.refresh_from_db()
    return job


def test_everything_is_planted(job: Job) -> None:
    """So that the tests below can fail."""
    found = left((*CUSTOMER, *ENGINEER, "planted-late", "planted-alarm", "planted-cancellation"))

    tables, texts = {table for table, _text in found}, {text_found for _table, text_found in found}
    assert {*CUSTOMER, *ENGINEER} - texts == set()
    assert tables >= {
        "dispatch_job",
        "dispatch_jobevent",
        "closures_answer",
        "closures_closure",
        "closures_photo",
        "engineers_phonemessage",
        "engineers_auditentry",
        "seller_link_inboundmessage",
        "seller_link_outboundmessage",
        "seller_link_deliveryattempt",
        "monitoring_alarm",
        "board_savedfilter",
        "customer_messages_customermessage",
    }


def test_purge_leaves_nothing_of_a_customer(job: Job) -> None:
    personal_data.purge(timezone.now() + timedelta(days=4000))

    assert left(CUSTOMER) == []
    job.refresh_from_db()
    assert (job.network, job.fault) == ({}, {"kind": "No light"})


def test_erasure_leaves_nothing_of_a_customer(job: Job) -> None:
    erasure.erase_customer(CONTACT["phone"])

    assert left(CUSTOMER) == []
    # what the seller must be able to prove
    assert Closure.objects.get().code == "SP"
    assert job.scans.get().fsan == "CXNK00ABCDEF"
    assert Photo.objects.stored().exclude(stored_sha256="").exists()


def test_erasure_leaves_nothing_of_an_engineer(job: Job) -> None:
    number = Engineer.objects.get().staff_number

    erasure.erase_engineer(number)

    assert left(ENGINEER) == []
    assert left((number,)) != []


def test_export_of_a_customer_holds_the_alarms(job: Job) -> None:
    export = personal_data_export.export_customer(erasure.jobs_of_customer(CONTACT["phone"]))

    texts = [str(alarm["parameters"]) for alarm in export.data["Alarm"]]
    assert any("12 Plantlane" in text for text in texts), texts
    assert [row["text"] for row in export.data["CustomerMessage"]] == ["planted-message"]


def test_export_of_an_engineer_holds_the_company_account(job: Job) -> None:
    export = personal_data_export.export_engineer(Engineer.objects.get())

    assert [row["subject"] for row in export.data["company_accounts"]] == ["zelda@example.com"]


def test_open_alarm_of_a_colleague_keeps_its_text(job: Job) -> None:
    """Somebody may stand there now."""
    engineer, colleague = Engineer.objects.get(), make.engineer(name="Connie Colleague")
    other = make.job(at_state=JobState.ASSIGNED, to=engineer, window=("13:00", "18:00"))
    make.walk(other, at_state=JobState.ON_SITE, to=colleague)
    OutboundMessage.objects.update(state=OutboundState.SENT)
    reason = "Connie Colleague took over from Zelda Zuckermann. Call 07700 900123 now."
    text = coded_text("message_held", address="1 Mill Lane, LS30 1AA", job=str(other), reason=reason)
    alarms.raise_alarm(AlarmKind.SITE_UNSAFE, str(other), text)

    erasure.erase_engineer(engineer.staff_number)

    remaining = Alarm.objects.get(subject=str(other)).parameters["reason"]
    assert remaining == f"Connie Colleague took over from {engineer.staff_number}. Call 07700 900123 now."


@pytest.mark.parametrize("state", [OutboundState.HELD, OutboundState.READY])
def test_nobody_is_erased_while_the_seller_lacks_a_message(job: Job, state: OutboundState) -> None:
    OutboundMessage.objects.filter(job=job, operation="closeJob").update(state=state)
    before = left((*CUSTOMER, *ENGINEER))

    for erase in (
        lambda: erasure.erase_customer(CONTACT["email"]),
        lambda: erasure.erase_engineer(Engineer.objects.get().staff_number),
    ):
        with pytest.raises(erasure.MessagesUndelivered) as refusal:
            erase()
        assert str(job) in refusal.value.problems[0].message
    assert left((*CUSTOMER, *ENGINEER)) == before


def test_purge_names_the_jobs_that_it_keeps_for_undelivered_messages(
    job: Job, capsys: pytest.CaptureFixture[str]
) -> None:
    OutboundMessage.objects.filter(job=job, operation="closeJob").update(state=OutboundState.HELD)
    later = timezone.now() + timedelta(days=4000)

    personal_data.purge(later)

    job.refresh_from_db()
    assert (personal_data.count_waiting_for_delivery(later), job.contact_name) == (
        [str(job)],
        CONTACT["name"],
    )
    OutboundMessage.objects.filter(job=job).update(state=OutboundState.SENT)
    personal_data.purge(later)
    assert left(CUSTOMER) == []


def test_evidence_pack_of_an_erased_customer_is_gone(job: Job) -> None:
    packs = [evidence_packs.request_pack(job=job, kind=kind, by=make.dispatcher()) for kind in PackKind]
    evidence_packs.save_pack(packs[0], io.BytesIO(CONTACT["name"].encode()))

    counts = erasure.erase_customer(str(job))
    # the worker was making it
    evidence_packs.save_pack(packs[1], io.BytesIO(CONTACT["name"].encode()))

    assert (counts["evidence packs"], EvidencePack.objects.count()) == (2, 0)
    assert not any(evidence.storage().exists(evidence_packs.object_path(pack)) for pack in packs)


def test_evidence_packs_of_an_erased_engineer_are_gone(job: Job) -> None:
    _erased, other = (
        evidence_packs.request_pack(job=each, kind=PackKind.ZIP, by=make.dispatcher())
        for each in (job, make.job(at_state=JobState.CANCELLED))
    )

    erasure.erase_engineer(Engineer.objects.get().staff_number)

    assert list(EvidencePack.objects.all()) == [other]


def test_same_pack_after_its_erasure_is_the_same_job(job: Job) -> None:
    erasure.erase_customer(str(job))

    assert received("SJ-worked", jobType="installation", fault=FAULT) == job


def test_pages_open_after_an_erasure(job: Job) -> None:
    phone = Phone(Engineer.objects.get())
    erasure.erase_customer(str(job))

    pages = [f"/board/jobs/{job}/", "/board/alarms/", f"/board/search?q={job}"]
    office = signed_in()
    opened = {page: office.get(page) for page in pages}
    assert {page: answer.status_code for page, answer in opened.items()} == dict.fromkeys(pages, 200)
    assert "be displayed" not in json.dumps([answer.content.decode() for answer in opened.values()])
    assert phone.json("/phone/day.json")["broken"] == []


# what the seller must be able to prove, and what says nothing about a person
KEPT_COLUMNS = {
    *("provider_job_id", "seller_job_id", "content_sha256", "job_type", "state", "previous_provider_job_id"),
    *("buyer_order_reference", "seller_order_reference", "service_identifier", "reservation_key"),
    *("product_name", "line_profile", "classification", "flags", "matrix_edition"),
    *("ont_vendor", "ont_model", "ont_fsan", "ont_serial_number"),
    # its texts of people go, see PERSONAL_FAULT
    "fault",
}


def test_each_column_of_a_job_is_personal_or_kept() -> None:
    """Whoever adds a column decides."""
    kinds = (models.CharField, models.TextField, models.JSONField, models.FloatField)
    columns = {field.name for field in Job._meta.concrete_fields if isinstance(field, kinds)}

    assert columns == PERSONAL_COLUMNS.keys() | KEPT_COLUMNS
    assert PERSONAL_COLUMNS.keys() & KEPT_COLUMNS == set()
