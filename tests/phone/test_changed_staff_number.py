"""The office corrects a staff number while work is only on the phone: nothing of it is stranded, and nobody gets it."""

from dataclasses import replace

import pytest

from dispatch.models import Job
from dispatch.states import JobState
from engineers.engineer_records import create_engineer, read_record, update_engineer
from engineers.models import Engineer, PhoneMessage
from phone.offline_import import import_export, read_export, signing_key
from tests import make
from tests.phone.phone import POSITION, Phone, entry
from tests.phone.test_offline_import import raw_export

OLD, NEW = "E9000", "E0900"


def renumber(engineer: Engineer, number: str) -> Engineer:
    stored = read_record(engineer)
    record = replace(stored, staff_number=number)
    update_engineer(engineer=engineer, record=record, version=stored.version, by=make.dispatcher())
    return Engineer.objects.get(pk=engineer.pk)


@pytest.fixture
def engineer(db: None) -> Engineer:
    found = make.engineer(name="Erin Engineer")
    return create_engineer(
        record=replace(read_record(found), username="erin", staff_number=OLD), by=make.dispatcher()
    )


@pytest.fixture
def job(engineer: Engineer) -> Job:
    return make.job(at_state=JobState.ASSIGNED, to=engineer, day=make.today())


@pytest.fixture
def renumbered(engineer: Engineer) -> Engineer:
    return renumber(engineer, NEW)


def test_phone_sends_what_it_kept_before(job: Job, renumbered: Engineer) -> None:
    phone = Phone(renumbered)
    message = entry("en_route", job, {"position": POSITION})
    answer = phone.post({"engineer": OLD, "messages": [message]})

    assert [result["outcome"] for result in answer.json()["results"]] == ["applied"]
    assert phone.json("/phone/day.json")["engineer"] == OLD
    assert renumbered.staff_number == NEW


def test_export_of_before_is_imported_and_its_signature_counts(
    engineer: Engineer, job: Job, renumbered: Engineer
) -> None:
    raw = raw_export(engineer, [entry("en_route", job, {"position": POSITION})])
    file = read_export(raw)
    lines = import_export(file=file, by=make.dispatcher(username="imports"))

    assert (file.engineer, file.is_signed) == (renumbered, True)
    assert [line.outcome for line in lines] == ["Applied"]


def test_colleague_who_gets_the_number_gets_nothing_else(job: Job, renumbered: Engineer) -> None:
    newcomer = create_engineer(
        record=replace(read_record(renumbered), username="sam", name="Sam Second", staff_number=OLD),
        by=make.dispatcher(),
    )
    phone = Phone(newcomer)
    answer = phone.post({"engineer": OLD, "messages": [entry("en_route", job, {"position": POSITION})]})

    assert (answer.status_code, PhoneMessage.objects.count()) == (409, 0)
    assert phone.json("/phone/day.json")["engineer"] == f"{OLD}-2"
    assert signing_key(newcomer) != signing_key(renumbered)
