"""Where engineers were: rounded, only with consent, for a time that they can read, and deleted on withdrawal."""

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from background import tasks
from closures.models import Photo
from dispatch import visits
from dispatch.models import Job, JobEvent
from dispatch.states import EventKind, JobState
from engineers import location_history
from engineers.models import DrivingPosition, LastPosition, PhoneMessage
from tests import make
from tests.phone.phone import POSITION, Phone, entry

PHOTO = {"photo_id": str(uuid.UUID(int=2)), "question": "PHO01", "taken_at": "2026-11-23T09:00:00Z"}
EXACT = {"latitude": 53.81234, "longitude": -1.56789, "accuracy_metres": 8}
COARSE = {"latitude": 53.81, "longitude": -1.57}


@pytest.fixture
def job(phone: Phone) -> Job:
    return make.job(at_state=JobState.ASSIGNED, to=phone.engineer)


def agree(phone: Phone, *, agreed: bool = True) -> dict[str, Any]:
    return phone.client.post(
        "/phone/positions.json", json.dumps({"agreed": agreed}), "application/json"
    ).json()


def drive(phone: Phone, job: Job, *, minutes: float = 0) -> str:
    moment = make.now() + timedelta(minutes=minutes)
    message = entry("driving", job, {"position": EXACT}, occurred_at=moment.isoformat())
    return phone.send(message)[0]["outcome"]


def test_nothing_is_stored_without_the_engineer_s_consent(phone: Phone, job: Job) -> None:
    assert drive(phone, job) == "applied"

    assert DrivingPosition.objects.count() == 0
    assert phone.json("/phone/day.json")["shares_position"] is False


def test_place_of_a_clock_that_was_ahead_hides_no_later_one(phone: Phone, job: Job) -> None:
    """Whoever looks for an engineer who has not checked in would look there."""
    with time_machine.travel(make.now() + timedelta(hours=3)):
        phone.say("en_route", job, {"position": {**POSITION, "missing_because": ""}})
    there = {"latitude": 53.9, "longitude": -1.5, "accuracy_metres": 5.0, "missing_because": ""}

    phone.say("on_site", job, {"position": there})

    assert LastPosition.objects.get().latitude == there["latitude"]


@pytest.mark.parametrize(
    ("half", "why"),
    [
        ({"latitude": 53.8, "missing_because": "x"}, "x"),
        ({"longitude": -1.5, "latitude": None, "accuracy_metres": 5}, "position_incomplete"),
        ({"latitude": 0, "missing_because": ""}, "position_incomplete"),
    ],
)
def test_half_a_position_is_none_and_its_entry_counts(
    phone: Phone, job: Job, half: dict[str, Any], why: str
) -> None:
    """A step that was refused because of its position would be lost."""
    assert phone.say("en_route", job, {"position": half})["outcome"] == "applied"
    assert phone.say("driving", job, {"position": half})["outcome"] == "applied"

    facts = JobEvent.objects.get(kind=EventKind.EN_ROUTE).facts
    assert facts["position_missing_because"] == why
    assert not {"latitude", "longitude", "accuracy_metres"} & {*facts}
    assert not LastPosition.objects.exists()


def test_half_a_position_of_a_photo_is_none(phone: Phone) -> None:
    job = make.job(at_state=JobState.ON_SITE, to=phone.engineer)
    photo = {**PHOTO, "position": {"longitude": -1.5, "missing_because": "x"}}

    assert phone.say("photo_taken", job, photo)["outcome"] == "applied"

    assert (Photo.objects.get().latitude, Photo.objects.get().longitude) == (None, None)


def test_step_that_came_too_late_has_no_half_a_position(phone: Phone, job: Job) -> None:
    visits.unassign(job=job, by=make.office())

    result = phone.say("en_route", job, {"position": {"latitude": 53.8, "missing_because": "x"}})

    assert result["outcome"] == "late"
    assert not JobEvent.objects.filter(facts__latitude=53.8).exists()


def test_way_is_kept_coarsely_and_seldom(phone: Phone, job: Job) -> None:
    agree(phone)
    for minutes in (0.01, 1, 4.9, 5.1, 7):
        with time_machine.travel(make.now() + timedelta(minutes=minutes), tick=False):
            drive(phone, job)

    stored = DrivingPosition.objects.values("latitude", "longitude")
    assert list(stored) == [COARSE, COARSE]
    assert (LastPosition.objects.get().latitude, LastPosition.objects.get().accuracy_metres) == (53.81, 1000)
    # not even in the record of what the phone sent
    assert {json.dumps(row.body["body"]) for row in PhoneMessage.objects.all()} == {"{}"}
    assert phone.json("/phone/day.json")["shares_position"] is True


def test_repetition_of_a_rounded_message_is_known(phone: Phone, job: Job) -> None:
    message = entry("driving", job, {"position": EXACT})

    assert [phone.send(message)[0]["outcome"] for _ in range(2)] == ["applied", "already"]


def test_engineer_reads_what_is_kept_and_for_how_long(phone: Phone, job: Job, settings: Settings) -> None:
    settings.POSITION_KEPT_DAYS, settings.POSITION_EXACT_DAYS = 7, 30
    agree(phone)
    phone.say("en_route", job, {"position": POSITION})
    drive(phone, job)
    positions = phone.json("/phone/positions.json")

    assert (positions["agreed"], positions["kept_days"], positions["exact_days"]) == (True, 7, 30)
    assert [line["words"] for line in positions["positions"]] == [
        "En route: 53.81, −1.57",
        "En route, LS6 3AB: 53.81, −1.56",
    ]
    assert ["7 days" in sentence or "30 days" in sentence for sentence in positions["words"]] == [True, True]


@pytest.mark.parametrize("by_deletion", [True, False])
def test_taking_it_back_deletes_at_once(phone: Phone, job: Job, *, by_deletion: bool) -> None:
    agree(phone)
    drive(phone, job, minutes=0.01)
    answer = (
        phone.client.delete("/phone/positions.json").json() if by_deletion else agree(phone, agreed=False)
    )

    assert (answer["agreed"], answer["positions"]) == (False, [])
    assert (DrivingPosition.objects.count(), LastPosition.objects.count()) == (0, 0)
    assert PhoneMessage.objects.get().body["body"] == {}


def test_taking_it_back_costs_the_same_after_a_year(phone: Phone, job: Job) -> None:
    """SQLite has one writer: nobody else may wait while each row of a year is written."""
    agree(phone)
    drive(phone, job, minutes=0.01)
    phone.engineer.refresh_from_db()
    with CaptureQueriesContext(connection) as few:
        location_history.revoke_consent(phone.engineer)
    agree(phone)
    phone.engineer.refresh_from_db()
    start = make.now() - timedelta(days=365)
    DrivingPosition.objects.bulk_create(
        DrivingPosition(
            engineer=phone.engineer,
            latitude=53.81,
            longitude=-1.57,
            taken_at=start + timedelta(minutes=number),
        )
        for number in range(2000)
    )

    with CaptureQueriesContext(connection) as many:
        location_history.revoke_consent(phone.engineer)

    assert DrivingPosition.objects.count() == 0
    assert len(many) <= len(few)


def test_message_from_the_way_is_kept_without_its_place(phone: Phone, job: Job) -> None:
    """Whether or not the engineer agreed."""
    drive(phone, job)

    assert PhoneMessage.objects.get().body["body"] == {}


@pytest.mark.parametrize("body", ["", "[]", '{"agreed": 1}', "{}"])
def test_invalid_consent_changes_nothing(phone: Phone, body: str) -> None:
    assert phone.client.post("/phone/positions.json", body, "application/json").status_code == 400
    assert phone.json("/phone/positions.json")["agreed"] is False


def test_way_expires_by_rule(phone: Phone, job: Job, settings: Settings) -> None:
    agree(phone)
    drive(phone, job, minutes=0.01)
    with time_machine.travel(make.now() + timedelta(days=settings.POSITION_KEPT_DAYS - 1)):
        tasks.clean_up()
        assert DrivingPosition.objects.count() == 1
    with time_machine.travel(make.now() + timedelta(days=settings.POSITION_KEPT_DAYS + 1)):
        tasks.clean_up()
        assert (DrivingPosition.objects.count(), LastPosition.objects.count()) == (0, 0)
    assert PhoneMessage.objects.get().body["body"] == {}


def test_more_places_than_one_batch_are_rounded_in_one_night(
    phone: Phone, job: Job, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engineers.location_history.BATCH_SIZE", 1)
    phone.say("en_route", job, {"position": EXACT})
    phone.say("on_site", job, {"position": EXACT})
    with time_machine.travel(make.now() + timedelta(days=settings.POSITION_EXACT_DAYS + 1)):
        tasks.clean_up()

    facts = [event.facts for event in JobEvent.objects.filter(facts__has_key="latitude")]
    assert [fact["position_rounded"] for fact in facts] == [True, True]
    assert [row.body["body"] for row in PhoneMessage.objects.all()] == [{"position": COARSE}] * 2


def test_places_at_states_are_rounded_after_the_time_for_disputes(
    phone: Phone, job: Job, settings: Settings
) -> None:
    position_facts = {"position": EXACT}
    phone.say("en_route", job, position_facts)
    with time_machine.travel(make.now() + timedelta(days=settings.POSITION_EXACT_DAYS - 1)):
        tasks.clean_up()
        assert JobEvent.objects.get(kind=EventKind.EN_ROUTE).facts["latitude"] == 53.81234
    with time_machine.travel(make.now() + timedelta(days=settings.POSITION_EXACT_DAYS + 1)):
        tasks.clean_up()
        tasks.clean_up()

    facts = JobEvent.objects.get(kind=EventKind.EN_ROUTE).facts
    assert (facts["latitude"], facts["longitude"], facts["position_rounded"]) == (53.81, -1.57, True)
    assert ("accuracy_metres" in facts, facts["engineer_name"]) == (False, "Erin Engineer")
    assert PhoneMessage.objects.get().body["body"] == {"position": COARSE}


def announce(phone: Phone, job: Job, **changes: Any) -> None:
    body = {**PHOTO, "photo_id": str(uuid.uuid4()), "taken_at": make.now().isoformat(), "position": EXACT}
    assert phone.say("photo_taken", job, {**body, **changes})["outcome"] == "applied"


def stored_lines(phone: Phone) -> list[str]:
    return [line["words"] for line in phone.json("/phone/positions.json")["positions"]]


def test_engineer_reads_the_places_of_late_steps(phone: Phone, job: Job) -> None:
    visits.unassign(job=job, by=make.office())
    for kind, position in (("en_route", POSITION), ("on_site", {"missing_because": "permission_refused"})):
        assert phone.say(kind, job, {"position": position})["outcome"] == "late"

    assert stored_lines(phone) == ["En route (received late), LS6 3AB: 53.81, −1.56"]


def test_engineer_reads_the_places_of_photos(phone: Phone, job: Job) -> None:
    """The engineer's own, while they are stored."""
    announce(phone, job)
    announce(phone, job, signer="Pat Customer")
    announce(phone, job, position={"missing_because": "permission_refused"})
    make.photo(job, question_code="PHO02")

    photo, signature = (f"{what}, LS6 3AB: 53.81234, −1.56789" for what in ("Photo", "Signature"))
    assert sorted(stored_lines(phone)) == [photo, signature]

    Photo.objects.update(latitude=None, longitude=None)
    assert stored_lines(phone) == []


def test_places_are_bounded_and_read_by_a_fixed_number_of_queries(
    phone: Phone, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("phone.location_api.MAX_POSITIONS", 3)
    announce(phone, job)
    with CaptureQueriesContext(connection) as few:
        assert len(stored_lines(phone)) == 1
    for _number in range(4):
        announce(phone, job)
    with CaptureQueriesContext(connection) as many:
        assert len(stored_lines(phone)) == 3

    assert len(many) <= len(few)
