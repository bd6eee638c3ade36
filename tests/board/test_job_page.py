"""The page of one job: the pack, the history in sentences, the evidence, the messages, at a fixed cost."""

import json
import uuid
from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone, translation
from pytest_django import Settings

from board.jobs.job_panel import closure_badges
from board.jobs.job_presenter import JobPage, build_job_page
from closures import answers
from closures.photos import evidence
from closures.photos.evidence import Capture
from dispatch import job_events, jobs, visits
from dispatch.models import Job
from dispatch.states import EventKind, JobState
from engineers.staff import Position
from monitoring import alarms
from monitoring.coded_texts import coded_text
from monitoring.models import AlarmKind
from seller_link.message_log import mask_personal_data
from seller_link.models import OutboundMessage
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db


def page_of(job: Job) -> JobPage:
    return build_job_page(job, now=make.at("07:30"))


def sentences(job: Job) -> list[tuple[str, str]]:
    return [(entry.event.title, entry.event.sentence) for entry in page_of(job).history]


def test_pack_is_shown_in_groups_without_what_was_not_given() -> None:
    groups = {
        group.title: {fact.name: fact.value for fact in group.facts} for group in page_of(make.job()).groups
    }

    assert groups["Site contact"] == {
        "Name": "Pat Tester",
        "Phone number": "07700 900456",
        "E-mail": "pat@example.com",
    }
    assert groups["Network"] == {"OLT": "LS-OLT-1"}
    assert groups["ONT"]["FSAN"] == "CXNK00ABCDEF"
    assert groups["Premises"].get("Notes") is None


def test_history_describes_the_day_in_sentences() -> None:
    engineer = make.engineer(name="Erin Engineer")
    job = make.job(at_state=JobState.ASSIGNED, to=engineer)
    visits.assign(job=job, engineer=engineer, starts_at=make.at("09:00"), by=make.office())
    visits.assign(
        job=job, engineer=make.engineer(name="Olu Other"), starts_at=make.at("10:00"), by=make.office()
    )
    visits.unassign(job=job, by=make.office(), reason="Van broke down")
    jobs.cancel_job(job=job, reason_code="CUST", reason="Changed their mind")

    assert sentences(job) == [
        ("Job pack received", ""),
        ("Engineer assigned", "Erin Engineer, Mon 23 Nov 08:00–10:00"),
        ("Visit rescheduled", "Erin Engineer, from Mon 23 Nov 08:00 to Mon 23 Nov 09:00–11:00"),
        ("Engineer assigned", "Olu Other, Mon 23 Nov 10:00–12:00, reassigned from Erin Engineer"),
        ("Job unassigned", "Olu Other: Van broke down"),
        ("Cancelled by the seller", "CUST: Changed their mind"),
    ]


def test_travel_shows_both_times_and_the_position() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    make.start_travel(job, occurred_at=timezone.now() - timedelta(hours=2))

    line = page_of(job).history[-1].event

    assert (line.title, line.position) == ("En route", "53.80000, −1.55000 (±8 m), 1.3 km from the premises")
    assert line.clock_name == "Phone"
    assert line.recorded not in {"", line.happened}
    assert line.by == "Erin Engineer (Engineer)"


def test_missing_position_says_why() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    make.arrive(job, position=Position(missing_because="permission_refused"))

    assert page_of(job).history[-1].event.position == "No position: location access refused"


def test_scan_and_results_are_listed() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job)
    make.result(job, 4)
    jobs.record_provisioning(
        job=job,
        answer=jobs.ProvisioningAnswer(result_id=1, success=True, details="ONT Successfully Provisioned"),
        occurred_at=make.at("09:30"),
    )

    page = page_of(job)

    assert sentences(job)[-3:] == [
        ("ONT scanned", "FSAN CXNK00ABCDEF, serial number 261200123456"),
        ("Provisioning result", "Result 4: Delay, tried again in 5 minutes"),
        ("Provisioning result", "Result 1: ONT Successfully Provisioned"),
    ]
    assert [(scan.fsan, len(scan.results)) for scan in page.scans] == [("CXNK00ABCDEF", 2)]
    newest = page.scans[0].results[0]
    assert (newest.text, newest.at, newest.tone) == (
        "Result 1: ONT Successfully Provisioned",
        "Mon 23 Nov 09:30:00",
        "good",
    )


def test_late_event_is_highlighted() -> None:
    job = make.job(at_state=JobState.CANCELLED)
    facts = {"engineer_name": "Erin", "position_missing_because": "timed out"}
    make.act(
        job_events.record_late,
        job=job,
        by=make.office(),
        what=EventKind.ON_SITE,
        occurred_at=make.now(),
        facts=facts,
    )

    page = page_of(job)
    line = page.history[-1].event

    assert [urgent.text for urgent in page.urgent] == [line.sentence]
    assert (line.is_late, line.position) == (True, "No position: timed out")
    assert line.sentence == "“On site” arrived after the job was already “Cancelled”."


def test_late_events_of_a_phone_are_one_urgent_line() -> None:
    job = make.job(at_state=JobState.CANCELLED)
    for what in (EventKind.EN_ROUTE, EventKind.ON_SITE, EventKind.ON_SITE):
        facts = {"engineer_name": "Erin"}
        make.act(
            job_events.record_late,
            job=job,
            by=make.office(),
            what=what,
            occurred_at=make.now(),
            facts=facts,
        )

    (urgent,) = page_of(job).urgent

    assert urgent.text.startswith("“En route” arrived after")
    assert urgent.text.endswith(" 2 more updates came late.")


def test_earlier_visit_to_the_same_premises_is_listed() -> None:
    earlier, job = make.job(), make.job()
    make.job(uprn="999999999999")
    Job.objects.exclude(pk__in=[earlier.pk, job.pk]).update(buyer_order_reference="B-other")

    assert [line.job_id for line in page_of(job).earlier] == [earlier.provider_job_id]


def test_photos_are_counted_with_their_fingerprint_and_open_by_link() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    stored = make.photo(job, question_code="PHO01")
    capture = Capture(photo_id=uuid.uuid4(), question_code="PHO02", taken_at=make.now(), sha256="0" * 64)
    announced = make.act(evidence.announce_photo, job=job, capture=capture, by=None)
    for photo in (stored, announced):
        make.record_answer(job, photo.question_code, [str(photo.pk)])

    page = page_of(job)
    photos = {photo.question_code: photo for photo in page.photos}
    picture = Client().get(photos["PHO01"].url)

    stored.refresh_from_db()
    assert (page.photos_stored, page.photos_answered, len(page.photos)) == (1, 2, 2)
    assert photos["PHO02"].missing == "Still on the phone"
    assert photos["PHO01"].fingerprint == stored.stored_sha256[:12]
    assert photos["PHO02"].url == ""
    assert (picture.status_code, picture.headers["Content-Type"]) == (200, "image/jpeg")
    assert b"".join(picture.streaming_content)[:2] == b"\xff\xd8"


def test_photos_that_no_answer_has_any_more_say_so_and_are_not_counted() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    deleted, left = make.photo(job, question_code="PHO01"), make.photo(job, question_code="PHO01")
    capture = Capture(photo_id=uuid.uuid4(), question_code="PHO02", taken_at=make.now(), sha256="0" * 64)
    make.act(evidence.announce_photo, job=job, capture=capture, by=None)
    make.record_answer(job, "PHO01", [str(deleted.pk), str(left.pk)])
    make.record_answer(job, "PHO01", [str(left.pk)])
    make.record_answer(job, "PHO02", [str(capture.photo_id)])
    make.act(answers.withdraw_answer, job=job, question_code="PHO02")

    page = page_of(job)

    photos = {photo.photo_id: photo for photo in page.photos}
    assert (photos[str(deleted.pk)].remarks, photos[str(left.pk)].remarks) == (["In no answer"], [])
    assert photos[str(capture.photo_id)].missing == "Not sent"
    assert (page.photos_stored, page.photos_answered) == (1, 1)


def test_one_picture_for_two_questions_says_so() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    front, twin = (make.photo(job, question_code=code, raw=make.jpeg()) for code in ("PHO01", "PHO02"))
    other = make.photo(job, question_code="PHO03")

    photos = {photo.photo_id: photo for photo in page_of(job).photos}

    titles = {photo_id: photo.question for photo_id, photo in photos.items()}
    assert photos[str(front.pk)].remarks == [f"The same file as: {titles[str(twin.pk)]}"]
    assert photos[str(twin.pk)].remarks == [f"The same file as: {titles[str(front.pk)]}"]
    assert photos[str(other.pk)].remarks == []


def test_forged_link_to_evidence_is_not_found() -> None:
    assert Client().get("/evidence/forged:token").status_code == 404


def test_messages_are_shown_without_what_is_personal() -> None:
    job = make.job(at_state=JobState.EN_ROUTE)

    lines = page_of(job).messages.lines

    sent = OutboundMessage.objects.filter(job=job).order_by("seq")
    assert [(line.title, line.operation) for line in lines] == [
        ("Engineer assigned", "notifyJob"),
        ("En route", "notifyJob"),
    ]
    assert [json.loads(line.body) for line in lines] == [mask_personal_data(message.body) for message in sent]
    assert {line.outcome for line in lines} == {"Waiting to be sent"}


def test_closed_job_shows_its_closure_and_no_more_buttons() -> None:
    job = make.job()
    make.close_without_visit(job)
    job.refresh_from_db()

    page = page_of(job)

    assert page.closure is not None
    assert page.closing == []
    assert (page.head.assignment.can_assign, page.head.assignment.can_unassign, page.map.can_locate) == (
        False,
        False,
        False,
    )


def test_job_on_site_is_not_closed_without_a_visit() -> None:
    assert page_of(make.job(at_state=JobState.ON_SITE)).closing == []
    assert [choice.code for choice in page_of(make.job()).closing] == ["MBORC", "FTA", "NTR", "OTHER"]


def test_map_takes_its_tiles_from_the_settings(settings: Settings) -> None:
    settings.MAP_TILES_URL, settings.MAP_TILES_ATTRIBUTION = (
        "https://tiles.example/{z}/{x}/{y}.png",
        "© Tiles",
    )
    settings.GEOCODER = ""

    map_view = page_of(make.job()).map

    assert (map_view.text, map_view.can_look_up) == ("53.81000, −1.56000", False)
    assert (map_view.tiles_url, map_view.attribution) == ("https://tiles.example/{z}/{x}/{y}.png", "© Tiles")


@pytest.mark.parametrize("rows", [1, 3])
def test_page_costs_the_same_for_one_row_and_for_three(rows: int, django_assert_num_queries: object) -> None:
    job, client = make.job(at_state=JobState.ON_SITE), signed_in()
    for number in range(rows):
        make.job()
        make.scan(job, fsan=f"CXNK0000000{number}")
        make.result(job, 4)
        make.photo(job, question_code=f"PHO0{number + 1}", raw=make.jpeg(width=60 + number))

    # the list of editions is cached for ten seconds, which a busy machine takes for one page
    with time_machine.travel(timezone.now(), tick=False):
        client.get(f"/board/jobs/{job.provider_job_id}/")
        with django_assert_num_queries(50):
            answer = client.get(f"/board/jobs/{job.provider_job_id}/")

    page = answer.context["page"]
    assert (len(page.earlier), len(page.scans), len(page.photos)) == (rows, rows, rows)


def test_far_away_report_is_urgent_and_says_the_distance() -> None:
    job = make.job(at_state=JobState.ASSIGNED)
    leeds_to_york = Position(latitude=53.96, longitude=-1.08, accuracy_metres=10)
    make.arrive(job, position=leeds_to_york)

    page = page_of(job)

    (position,) = page.positions
    assert (position.title, position.distance, position.is_far) == (
        "On site",
        "36 km from the premises",
        True,
    )
    assert [(line.title, line.tone) for line in page.urgent] == [
        ("“On site” was reported far away", "warning")
    ]
    assert page.contents[0].anchor == "urgent"


def test_alarm_of_the_job_is_first_and_leads_to_its_held_message() -> None:
    job = make.job(at_state=JobState.EN_ROUTE)
    OutboundMessage.objects.filter(job=job, seq=1).update(state="held", held_reason="400 plannedEnd")
    text = coded_text(
        "message_held", address="1 Mill Lane, LS30 1AA", job=job.provider_job_id, reason="400 plannedEnd"
    )
    alarms.raise_alarm(AlarmKind.MESSAGE_HELD, job.provider_job_id, text)

    page = page_of(job)

    held = OutboundMessage.objects.get(job=job, seq=1)
    assert [(line.url, line.alarm is not None) for line in page.urgent] == [
        (f"/board/messages/{held.message_id}/", True)
    ]


def test_history_says_when_each_step_was_reported() -> None:
    job = make.job(at_state=JobState.EN_ROUTE)
    OutboundMessage.objects.filter(job=job, seq=1).update(state="sent", sent_at=make.at("07:45"))

    reports = [entry.message.reported if entry.message else "" for entry in page_of(job).history]

    assert reports == ["", "Mon 23 Nov 07:45:00", "Waiting to be sent"]


def test_later_visit_is_listed_apart_from_earlier_ones() -> None:
    earlier, job = make.job(), make.job()
    later = make.job(day=make.DAY + timedelta(days=7))

    page = page_of(job)

    assert [line.job_id for line in page.earlier] == [earlier.provider_job_id]
    assert [line.job_id for line in page.later] == [later.provider_job_id]


def test_page_is_for_the_office_only() -> None:
    job, client = make.job(), Client()
    client.force_login(make.engineer().user)

    assert client.get(f"/board/jobs/{job.provider_job_id}/").status_code == 403
    assert signed_in().get("/board/jobs/J-NONE-NONE/").status_code == 404


def test_german_office_reads_answers_in_german() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.record_answer(job, "SAF01", "no")
    make.record_answer(job, "SAF01", "yes")
    make.record_answer(job, "LGT02", "-21.5")
    make.record_answer(job, "PHO01", [str(make.photo(job, question_code="PHO01").pk)])

    with translation.override("de"):
        page = page_of(job)

    answers = {line.code: (line.question, line.answer) for line in page.answers}
    assert answers["SAF01"] == ("Ist es sicher, hier zu arbeiten?", "Ja")
    assert next(line.before for line in page.answers if line.code == "SAF01")[0].startswith("Nein, ")
    assert answers["LGT02"] == ("Lichtpegel am ONT", "−21,5 dBm")
    assert (answers["PHO01"][1], page.photos[0].question) == ("1 Foto", answers["PHO01"][0])


def test_german_office_reads_and_chooses_closures_in_german() -> None:
    closed, waiting = make.job(), make.job()
    make.close_without_visit(closed)

    with translation.override("de"):
        names = {choice.text for choice in page_of(waiting).closing}
        page, badge = page_of(closed), closure_badges([closed])[closed.pk]

    assert "Kein Besuch nötig (NTR)" in names
    assert (badge.description, page.closure and page.closure.description) == (
        "Kein Besuch nötig",
        "Keine Anfahrt",
    )
    assert "NTR Keine Anfahrt" in str(page.history)


def test_closed_job_has_no_empty_box_for_an_appointment() -> None:
    page = signed_in().get(f"/board/jobs/{make.job(at_state=JobState.ASSIGNED)}/").content.decode()
    assert "Appointment</h2>" in page
    closed = make.job()
    make.close_without_visit(closed)

    page = signed_in().get(f"/board/jobs/{closed}/").content.decode()

    assert "Appointment</h2>" not in page
